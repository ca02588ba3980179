// Files made to do harm, for the tests of readers: the same ones in each run.
import { openWords } from './api/random.ts';

export function numbersFrom(seed: number) {
  const word = openWords(seed);
  return (below: number) => word() % below;
}

export const utf16 = (text: string, { isLittle = true } = {}) => {
  const bytes = new Uint8Array(text.length * 2);
  const view = new DataView(bytes.buffer);
  for (let index = 0; index < text.length; index++) view.setUint16(index * 2, text.charCodeAt(index), isLittle);
  return bytes;
};

/** Writes a number of 4 bytes behind each mark, as the records of a zip have it. */
export function claim(bytes: Uint8Array<ArrayBuffer>, mark: number, offset: number, value: number) {
  const view = new DataView(bytes.buffer);
  for (let index = 0; index + offset + 4 <= bytes.length; index++)
    if (view.getUint32(index, true) === mark) view.setUint32(index + offset, value, true);
  return bytes;
}
export const CENTRAL = 0x02014b50;

/** A refusal is a sentence that names its file. */
export const SENTENCE = /^(?:“|The first line of “)[^\n]{3,500}\.$/u;
