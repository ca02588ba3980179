// Reads the lines of a log file, as it is, gz or zst, in batches. Memory use is bounded, whatever the file contains.
import { isUtf8 } from 'node:buffer';
import { open } from 'node:fs/promises';
import type { Transform } from 'node:stream';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { Refusal } from '../../errors.ts';
import { t } from '../../vocabulary/habits/messages.ts';
import { MAX_LINE_BYTES } from '../../vocabulary/imports/logs/line.ts';
import { withBytesEncoded } from '../../vocabulary/imports/reading/text.ts';

const GZIP = Buffer.from([0x1f, 0x8b]);
const ZSTD = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);
const CHUNK_BYTES = 256 * 1024;
const NEWLINE = 0x0a;

/** Yields batches of lines without line ends. A line that is too long becomes ''. Throws bad_request if the file cannot be read. */
export async function* readLines(file: string): AsyncGenerator<string[]> {
  const handle = await open(file).catch((error: unknown) => {
    throw unreadable(file, error);
  });
  try {
    const stat = await handle.stat();
    if (!stat.isFile()) throw new Refusal('bad_request', t('{file} is not a file.', { file }));
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(4), 0, 4, 0);
    const raw = handle.createReadStream({ start: 0, autoClose: false, highWaterMark: CHUNK_BYTES });
    const unzip = unpackerOf(buffer.subarray(0, bytesRead));
    const bytes = unzip ? raw.on('error', (error) => unzip.destroy(error)).pipe(unzip) : raw;
    try {
      yield* split(bytes as AsyncIterable<Buffer>);
    } catch (error) {
      throw isReadError(error) ? unreadable(file, error) : error;
    } finally {
      raw.destroy();
      unzip?.destroy();
    }
  } finally {
    await handle.close();
  }
}

function unpackerOf(start: Buffer): Transform | undefined {
  if (start.subarray(0, GZIP.length).equals(GZIP)) return createGunzip({ chunkSize: CHUNK_BYTES });
  return start.equals(ZSTD) ? createZstdDecompress({ chunkSize: CHUNK_BYTES }) : undefined;
}

const MARK = Buffer.from('\ufeff');

/** Leaves out the byte order mark with which Windows' programs begin a file. */
async function* withoutMark(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let isStart = true;
  for await (const chunk of bytes) {
    yield isStart && chunk.subarray(0, MARK.length).equals(MARK) ? chunk.subarray(MARK.length) : chunk;
    isStart = false;
  }
}

async function* split(bytes: AsyncIterable<Buffer>): AsyncGenerator<string[]> {
  let rest: Buffer = Buffer.alloc(0);
  let isTooLong = false;
  for await (const chunk of withoutMark(bytes)) {
    const text = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    const lines: string[] = [];
    let start = 0;
    for (let end = text.indexOf(NEWLINE); end !== -1; end = text.indexOf(NEWLINE, start)) {
      lines.push(isTooLong || end - start > MAX_LINE_BYTES ? '' : lineOf(text.subarray(start, end)));
      isTooLong = false;
      start = end + 1;
    }
    rest = text.subarray(start);
    if (rest.length > MAX_LINE_BYTES) {
      isTooLong = true;
      rest = Buffer.alloc(0);
    }
    if (lines.length > 0) yield lines;
  }
  if (rest.length > 0 || isTooLong) yield [isTooLong ? '' : lineOf(rest)];
}

function lineOf(bytes: Buffer): string {
  const end = bytes.at(-1) === 0x0d ? -1 : undefined;
  const line = bytes.subarray(0, end);
  return isUtf8(line) ? line.toString('utf8') : withBytesEncoded(line);
}

function isReadError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^(Z_|ZSTD_|E[A-Z]+$)/.test(String(error.code));
}

function unreadable(file: string, error: unknown): Refusal {
  const reason = error instanceof Error ? error.message.split(',')[0] : String(error);
  return new Refusal('bad_request', t('{file} cannot be read: {reason}.', { file, reason: String(reason) }), {
    cause: error,
  });
}
