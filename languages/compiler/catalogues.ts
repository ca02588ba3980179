// The catalogues: languages/de.json and so on, each an object from the English message to its translation.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { categoryOf, type Forms } from '../../server/vocabulary/habits/messages.ts';
import { type Language, LANGUAGE_TAGS } from '../../server/vocabulary/habits/languages.ts';
import type { Found } from './found.ts';

export type Translation = string | Forms;
export type Catalogue = Record<string, Translation>;

/** All but English, which stands in the code. */
export const TRANSLATED = LANGUAGE_TAGS.filter((tag) => tag !== 'en');

export const pathOf = (language: Language): string => join(import.meta.dirname, `../${language}.json`);

export const readCatalogue = (language: Language): Catalogue =>
  JSON.parse(readFileSync(pathOf(language), 'utf8')) as Catalogue;

/** The categories that whole numbers have in a language: `one` and `other` in German, `other` alone in Japanese. */
export const categoriesOf = (language: Language): Intl.LDMLPluralRule[] => [
  ...new Set([...Array(201).keys(), 1000, 1_000_000].map((count) => categoryOf(language, count))),
];

/** Places and elements; in the plugin for WordPress, the places of printf. */
const MARK = /\{\w+\}|<\/?\d+\/?>|%(?:\d+\$)?[ds]/g;
const marksOf = (text: string): string => (text.match(MARK) ?? []).toSorted().join(' ');

/** What is wrong with a translation: it is missing, or lacks a place that the English message has. */
export function faultOf(
  translation: Translation | undefined,
  { english }: Found,
  language: Language,
): string | undefined {
  if (translation === undefined) return 'is not translated';
  if (typeof english === 'string') {
    if (typeof translation !== 'string') return 'has forms, but no count';
    if (!translation.trim()) return 'is empty';
    return marksOf(translation) === marksOf(english) ? undefined : `has other places: “${translation}”`;
  }
  if (typeof translation === 'string') return 'has one form';
  const wanted = categoriesOf(language);
  const missing = wanted.filter((category) => !translation[category]?.trim());
  if (missing.length > 0) return `lacks the forms ${missing.join(', ')}`;
  // A form may say its count in words: "one visit".
  const others = (text: string) => marksOf(text.replaceAll('{n}', ''));
  const allowed = [others(english.one), others(english.other)];
  const odd = Object.values(translation).find((text) => !allowed.includes(others(text)));
  return odd === undefined ? undefined : `has other places: “${odd}”`;
}

/** Throws for a message that the catalogue lacks, or has wrongly. */
export function translated(
  key: string,
  message: Found,
  { language, catalogue }: { language: Language; catalogue: Catalogue },
): Translation {
  const translation = catalogue[key];
  const fault = faultOf(translation, message, language);
  if (translation === undefined || fault)
    throw new Error(`languages/${language}.json: “${key}” ${fault}. Run \`npm run languages\`.`);
  return translation;
}
