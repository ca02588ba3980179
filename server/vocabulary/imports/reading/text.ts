// Bytes to text: the byte order mark decides, or else what the first bytes look like. Files of spreadsheets are often UTF-16 or Windows-1252.
import type { OnRead, Unpacked } from './unpack.ts';

export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';

/** Enough to see the header and some rows, and to tell the encoding. */
const HEAD_BYTES = 64 * 1024;

export async function readStart(file: Unpacked): Promise<{ bytes: Uint8Array; isWhole: boolean }> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of file.bytes()) {
    parts.push(part);
    length += part.length;
    if (length > HEAD_BYTES) break;
  }
  const bytes = new Uint8Array(Math.min(length, HEAD_BYTES));
  let offset = 0;
  for (const part of parts) {
    bytes.set(part.subarray(0, HEAD_BYTES - offset), offset);
    offset = Math.min(offset + part.length, HEAD_BYTES);
  }
  return { bytes, isWhole: length <= HEAD_BYTES };
}

export function encodingOf(start: Uint8Array): Encoding {
  const [first, second] = start;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  const zeros = [0, 0];
  const looked = Math.min(start.length, 1_000);
  for (let index = 0; index < looked; index++) if (start[index] === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  if (odd > looked / 4 && even < looked / 20) return 'utf-16le';
  if (even > looked / 4 && odd < looked / 20) return 'utf-16be';
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(start, { stream: true });
    return 'utf-8';
  } catch {
    return 'windows-1252';
  }
}

/** The text in parts. Bytes that the encoding does not have become U+FFFD. */
export async function* readText(file: Unpacked, encoding: Encoding, onRead?: OnRead): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding);
  for await (const part of file.bytes(onRead)) yield decoder.decode(part, { stream: true });
  yield decoder.decode();
}

/** With line feeds in place of the CR alone that old spreadsheets end lines with, for texts that escape a CR in a value. */
export async function* withLineFeeds(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let isAlone: boolean | undefined;
  for await (const text of texts) {
    if (isAlone === undefined && /[\r\n]/.test(text)) isAlone = !text.includes('\n');
    yield isAlone ? text.replaceAll('\r', '\n') : text;
  }
}
