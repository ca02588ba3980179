// The texts of the plugin for WordPress in one language, in a file of gettext, as WordPress reads it.
// https://www.gnu.org/software/gettext/manual/html_node/MO-Files.html
import { readCatalogue, translated } from '../languages/compiler/catalogues.ts';
import { allMessages, WORDPRESS } from '../languages/compiler/sources.ts';
import type { Language } from '../server/vocabulary/habits/languages.ts';
import { withoutContext } from '../server/vocabulary/habits/messages.ts';

const MAGIC = 0x95_04_12_de;
const HEADER_BYTES = 28;

const messages = [...allMessages([WORDPRESS])];

/** Throws for a text that is not translated. */
export function moOf(language: Language): Buffer {
  const catalogue = readCatalogue(language);
  const about = `Language: ${language}\nContent-Type: text/plain; charset=UTF-8\n`;
  const texts = messages.map(([key, message]): [string, string] => {
    const translation = translated(key, message, { language, catalogue });
    return [originalOf(key), String(translation)];
  });
  return moFile([['', about], ...texts]);
}

/** A context stands before its text. */
function originalOf(key: string): string {
  const english = withoutContext(key);
  return english === key ? key : `${key.slice(english.length + '@@'.length)}\u0004${english}`;
}

/** Pairs of an original and its translation. Two tables have the length and the place of each, without the zero behind it. */
function moFile(texts: [string, string][]): Buffer {
  const bytes = texts.map(([original, translation]) => ({
    original: Buffer.from(`${original}\0`),
    translation: Buffer.from(`${translation}\0`),
  }));
  const sorted = bytes.toSorted((one, other) => Buffer.compare(one.original, other.original));
  const strings = [...sorted.map(({ original }) => original), ...sorted.map(({ translation }) => translation)];
  const tableBytes = 8 * sorted.length;
  let at = HEADER_BYTES + 2 * tableBytes;
  const numbers = [MAGIC, 0, sorted.length, HEADER_BYTES, HEADER_BYTES + tableBytes, 0, at];
  for (const { length } of strings) {
    numbers.push(length - 1, at);
    at += length;
  }
  const tables = Buffer.alloc(4 * numbers.length);
  for (const [index, number] of numbers.entries()) tables.writeUInt32LE(number, 4 * index);
  return Buffer.concat([tables, ...strings]);
}
