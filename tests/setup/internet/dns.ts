// A name server that answers every question with 127.0.0.1, for programs that resolve names themselves.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';

const HEADER_BYTES = 12;
/** An answer, no error, recursion available (RFC 1035, 4.1.1). */
const FLAGS = 0x8180;
const TYPE_A = 1;
/** The question's name, type A, class IN, valid for 60 seconds, four bytes: 127.0.0.1. */
const LOOPBACK = Buffer.from('c00c00010001 0000003c 0004 7f000001'.replaceAll(' ', ''), 'hex');

export async function startNameServer(): Promise<AsyncDisposable & { port: number }> {
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    const end = query.indexOf(0, HEADER_BYTES) + 5; // the name ends with a zero; type and class follow
    const isA = query.readUInt16BE(end - 4) === TYPE_A;
    const answer = Buffer.concat([query.subarray(0, end), isA ? LOOPBACK : Buffer.alloc(0)]);
    answer.writeUInt16BE(FLAGS, 2);
    answer.fill(0, 6, HEADER_BYTES);
    answer.writeUInt16BE(isA ? 1 : 0, 6); // other types, such as AAAA, have no address
    socket.send(answer, port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    port: socket.address().port,
    [Symbol.asyncDispose]: async () => {
      socket.close();
      await once(socket, 'close');
    },
  };
}
