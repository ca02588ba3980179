import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LANGUAGE_TAGS } from '../server/vocabulary/habits/languages.ts';
import { faultOf, readCatalogue, TRANSLATED } from './compiler/catalogues.ts';
import { allMessages } from './compiler/sources.ts';

const messages = allMessages();
const glossary = JSON.parse(readFileSync(join(import.meta.dirname, 'glossary.json'), 'utf8')) as Record<string, object>;

describe.each(TRANSLATED)('the catalogue of %s', (language) => {
  const catalogue = readCatalogue(language);

  it('has each message, with all of its places and forms', () => {
    const faults = [...messages].flatMap(([key, message]) => {
      const fault = faultOf(catalogue[key], message, language);
      return fault ? [`${key}: ${fault}`] : [];
    });
    expect(faults).toEqual([]);
  });

  it('has none that nobody says', () => expect(Object.keys(catalogue).filter((key) => !messages.has(key))).toEqual([]));

  it('has a word for each of the field', () =>
    expect(Object.keys(glossary).filter((term) => !(language in (glossary[term] ?? {})))).toEqual([]));
});

describe('a fault of a translation', () => {
  const text = { english: '{n} of {all}, <0>see</0>', values: [] };
  const printf = { english: 'Status %1$d of %2$s', values: [] };
  const forms = { english: { one: '{n} visit', other: '{n} visits' }, values: [] };
  it.each([
    [undefined, text, 'is not translated'],
    [' ', text, 'is empty'],
    ['{n} von {alle}, <0>a</0>', text, 'has other places: “{n} von {alle}, <0>a</0>”'],
    ['{all}: {n}, <0>a</0>', text, undefined],
    ['%2$s (%1$d)', printf, undefined],
    ['%2$s (%d)', printf, 'has other places: “%2$s (%d)”'],
    [{ other: '{n} Besuche' }, text, 'has forms, but no count'],
    ['{n} Besuche', forms, 'has one form'],
    [{ other: '{n} Besuche' }, forms, 'lacks the forms one'],
    [{ one: 'ein Besuch', other: '{n} Besuche' }, forms, undefined],
    [{ one: '{x} Besuch', other: '{n} Besuche' }, forms, 'has other places: “{x} Besuch”'],
  ])('%j', (translation, message, fault) => expect(faultOf(translation, message, 'de')).toBe(fault));
});

it('English is in no catalogue: it stands in the code', () => {
  const files = globSync('*.json', { cwd: import.meta.dirname }).map((name) => name.replace('.json', ''));
  expect([...files, 'en'].filter((name) => name !== 'glossary').toSorted()).toEqual([...LANGUAGE_TAGS].toSorted());
});
