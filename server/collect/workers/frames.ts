// Messages between a worker and the process that owns the queue: JSON with its length before it.
import type { Socket } from 'node:net';

const LENGTH_BYTES = 4;

export function writeFrame(socket: Socket, message: unknown): void {
  const text = JSON.stringify(message);
  const size = Buffer.byteLength(text);
  const frame = Buffer.allocUnsafe(LENGTH_BYTES + size);
  frame.writeUInt32BE(size);
  frame.write(text, LENGTH_BYTES);
  socket.write(frame);
}

export function readFrames(socket: Socket, onMessage: (message: unknown) => void): void {
  let rest: Buffer[] = [];
  let length = 0;
  socket.on('data', (chunk: Buffer) => {
    rest.push(chunk);
    length += chunk.length;
    if (length < LENGTH_BYTES) return;
    let bytes = Buffer.concat(rest, length);
    while (bytes.length >= LENGTH_BYTES) {
      const end = LENGTH_BYTES + bytes.readUInt32BE();
      if (bytes.length < end) break;
      onMessage(JSON.parse(bytes.toString('utf8', LENGTH_BYTES, end)));
      bytes = bytes.subarray(end);
    }
    rest = [bytes];
    length = bytes.length;
  });
}
