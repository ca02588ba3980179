import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { inHabits } from '../../process/habits.ts';
import { habitsOf } from '../../vocabulary/habits/habits.ts';
import { LANGUAGE_TAGS } from '../../vocabulary/habits/languages.ts';
import { countryName } from '../../vocabulary/questions/value-names.ts';
import { habitsOfPicture, WITHOUT_LETTERS } from './habits.ts';
import world from './pictures/world.json' with { type: 'json' };

it('is in the language of the address, and in English where the font of a PNG has no letters', () => {
  const spoken = (lang: string) => [habitsOfPicture(lang, 'svg').language, habitsOfPicture(lang, 'png').language];
  expect(spoken('de-AT')).toEqual(['de', 'de']);
  expect(spoken('sv-SE')).toEqual(['en', 'en']);
  for (const lang of ['ja-JP', 'zh-CN', 'ar-EG']) expect(spoken(lang)).toEqual([lang.slice(0, 2), 'en']);
  expect(habitsOfPicture('ja-JP', 'png')).toBe(habitsOf('ja-JP'));
  expect(habitsOfPicture(undefined, 'png')).toBe(habitsOf(undefined));
});

/** The letters that a font has: its table `cmap`, format 4. */
function lettersOf(path: string): Set<number> {
  const font = readFileSync(new URL(`../../../node_modules/@expo-google-fonts/geist/${path}`, import.meta.url));
  const table = font.indexOf('cmap');
  const map = font.readUInt32BE(table + 8);
  const at = map + font.readUInt32BE(map + 8);
  expect(font.readUInt16BE(at)).toBe(4);
  const size = font.readUInt16BE(at + 6);
  const letters = new Set<number>();
  for (let offset = 0; offset < size; offset += 2) {
    const last = font.readUInt16BE(at + 14 + offset);
    for (let letter = font.readUInt16BE(at + 16 + size + offset); letter <= last; letter += 1) letters.add(letter);
  }
  return letters;
}

/** Words that a picture may have: all messages, and the names of countries. */
function wordsIn(language: string): string {
  const messages = readFileSync(new URL(`../../../languages/${language}.json`, import.meta.url), 'utf8');
  const values = Object.values(JSON.parse(messages) as Record<string, string | object>);
  const said = values.flatMap((one) => (typeof one === 'string' ? [one] : (Object.values(one) as string[])));
  const codes = [...Object.keys(world.outlines), ...Object.keys(world.dots)];
  const names = inHabits(habitsOf(language, { language: language as 'de' }), () => codes.map(countryName));
  return [...said, ...names].join('');
}

it('draws PNGs with a font that has the letters of all other languages', () => {
  const fonts = ['400Regular/Geist_400Regular.ttf', '600SemiBold/Geist_600SemiBold.ttf'].map(lettersOf);
  const missing = (language: string) =>
    [...new Set(wordsIn(language))].filter(
      (sign) => /\p{L}/u.test(sign) && !fonts.every((font) => font.has(sign.codePointAt(0) ?? 0)),
    );
  expect(readdirSync(new URL('../../../languages', import.meta.url))).toContain('de.json');
  const others = LANGUAGE_TAGS.filter((tag) => tag !== 'en');
  expect(others.filter((tag) => missing(tag).length > 0).sort()).toEqual([...WITHOUT_LETTERS].sort());
});
