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

const NEWLINE = 0x0a;
/** More than the longest line that is read, so that a part without an end of a line does not fill the memory. */
const MAX_REST = 64 * 1024;

/**
 * The text of a log in parts. A line that is no UTF-8 keeps its other bytes as they were requested, encoded as an address does it: clients
 * choose them, and each chooses its own encoding.
 */
export async function* readLogText(file: Unpacked, encoding: Encoding, onRead?: OnRead): AsyncGenerator<string> {
  if (encoding.startsWith('utf-16')) return yield* readText(file, encoding, onRead);
  let rest = new Uint8Array(0);
  for await (const part of file.bytes(onRead)) {
    const whole = joined(rest, part);
    const end = whole.lastIndexOf(NEWLINE) + 1 || (whole.length > MAX_REST ? whole.length : 0);
    if (end > 0) yield textOf(whole.subarray(0, end));
    rest = whole.slice(end);
  }
  if (rest.length > 0) yield textOf(rest);
}

function joined(one: Uint8Array<ArrayBuffer>, other: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(one.length + other.length);
  both.set(one);
  both.set(other, one.length);
  return both;
}

const STRICT = new TextDecoder('utf-8', { fatal: true });

/** Line by line only if a line is no UTF-8. */
function textOf(bytes: Uint8Array): string {
  try {
    return STRICT.decode(bytes);
  } catch {
    const end = bytes.indexOf(NEWLINE) + 1;
    if (end === 0 || end === bytes.length) return withBytesEncoded(bytes);
    const texts: string[] = [];
    for (let start = 0; start < bytes.length;) {
      const next = bytes.indexOf(NEWLINE, start) + 1 || bytes.length;
      texts.push(textOf(bytes.subarray(start, next)));
      start = next;
    }
    return texts.join('');
  }
}

export function withBytesEncoded(bytes: Uint8Array): string {
  const characters = Array.from(bytes, (byte) =>
    byte < 0x80 ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase()}`,
  );
  return characters.join('');
}

/** With line feeds in place of the CR alone that old spreadsheets end lines with, for texts that escape a CR in a value. */
export async function* withLineFeeds(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let isAlone: boolean | undefined;
  for await (const text of texts) {
    if (isAlone === undefined && /[\r\n]/.test(text)) isAlone = !text.includes('\n');
    yield isAlone ? text.replaceAll('\r', '\n') : text;
  }
}
