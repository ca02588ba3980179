import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { followHabits, habitsOf, NOTHING_CHOSEN, USUAL_HABITS } from './habits.ts';
import { isRightToLeft, type Language, LANGUAGE_TAGS, languageOf } from './languages.ts';
import { followMessages, midSentence, partsOf, t, texts, textsOf, tn } from './messages.ts';

const FEW = { one: '{n} wizyta', few: '{n} wizyty', many: '{n} wizyt', other: '{n} wizyty' };
const TABLES: Partial<Record<Language, Record<string, string | typeof FEW>>> = {
  de: { Save: 'Speichern', '{part} of {all}': '{part} von {all}', 'See <0>the {0}</0>': '<0>{0}</0> ansehen' },
  pl: { '{n} visit | {n} visits': FEW },
};
let language: Language = 'en';
const read = (tag: Language) => (language = tag);

beforeEach(() => {
  followMessages((tag) => TABLES[tag] ?? {});
  followHabits(() => habitsOf('en-GB', { ...NOTHING_CHOSEN, language }));
});
afterEach(() => {
  followMessages(() => ({}));
  followHabits(() => USUAL_HABITS);
  read('en');
});

describe('a message', () => {
  it('is in the language of its reader, and in English where it is not translated', () => {
    const said = () => [t('Save'), t('Open'), t('{part} of {all}', { part: 3, all: '{part}' })];
    expect(said()).toEqual(['Save', 'Open', '3 of {part}']);
    read('de');
    expect(said()).toEqual(['Speichern', 'Open', '3 von {part}']);
  });

  it('is told apart from another one of the same words, unseen', () => expect(t('Share@@of the whole')).toBe('Share'));

  it('has the form of its count', () => {
    const said = () => [0, 1, 2, 5, 1234].map((count) => tn(count, '{n} visit', '{n} visits'));
    expect(said()).toEqual(['0 visits', '1 visit', '2 visits', '5 visits', '1,234 visits']);
    read('pl');
    expect(said()).toEqual(['0 wizyt', '1 wizyta', '2 wizyty', '5 wizyt', '1,234 wizyty']);
  });

  it('of a table follows its reader, too', () => {
    const all = texts({ a: 'Save', b: { c: ['Save', 'Open'] } });
    const some = textsOf(['label'], [{ label: 'Save', id: 'Save', more: { label: 'Open' } }]);
    const said = () => JSON.stringify([all, some]);
    expect(said()).toBe(
      '[{"a":"Save","b":{"c":["Save","Open"]}},[{"label":"Save","id":"Save","more":{"label":"Open"}}]]',
    );
    read('de');
    expect(said()).toBe(
      '[{"a":"Speichern","b":{"c":["Speichern","Open"]}},[{"label":"Speichern","id":"Save","more":{"label":"Open"}}]]',
    );
  });

  it('has elements where the language puts them, and none that a value brings', () => {
    const parts = () => partsOf('See <0>the {0}</0>', { 0: '<0>log</0>' });
    expect(parts()).toEqual(['See ', { tag: 0, inner: 'the <0>log</0>' }]);
    read('de');
    expect(parts()).toEqual([{ tag: 0, inner: '<0>log</0>' }, ' ansehen']);
    expect(partsOf('<0>a <1/></0>', {})).toEqual([{ tag: 0, inner: ['a ', { tag: 1, inner: '' }] }]);
  });

  it('is not turned around by a name from left to right', () => {
    read('ar');
    const part = t('{part} of {all}', { part: 'Chrome', all: 12 });
    expect(part).toBe('\u2066Chrome\u2069 of 12');
    // Also one that consists of others: a browser's search for the first letter (FSI) would leave them out.
    expect(t('{part} of {all}', { part: `(\u2067قبل\u2069) ${part}`, all: 12 })).toBe(
      `\u2067(\u2067قبل\u2069) ${part}\u2069 of 12`,
    );
  });
});

it('keeps the capitals of German nouns, and acronyms, inside a sentence', () => {
  expect([midSentence('Page views'), midSentence('AI visits')]).toEqual(['page views', 'AI visits']);
  read('de');
  expect(midSentence('Seitenaufrufe')).toBe('Seitenaufrufe');
});

describe('the language', () => {
  it.each([
    [['de-AT', 'en'], 'de'],
    [['fi', 'fr-CA'], 'fr'],
    [['fi'], 'en'],
    [['pt-PT'], 'pt'],
    [['zh-CN'], 'zh'],
    [['zh-TW', 'ja'], 'ja'],
    [['zh-Hant-HK'], 'en'],
    [[], 'en'],
    [['constructor'], 'en'],
  ])('of %s is %s', (tags, tag) => expect(languageOf(tags)).toBe(tag));

  it('is written from right to left by one of them', () => expect(LANGUAGE_TAGS.filter(isRightToLeft)).toEqual(['ar']));
});
