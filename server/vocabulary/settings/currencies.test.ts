// The currency that the form for a new site proposes, by the reader's locale.
import { expect, test } from 'vitest';
import { countryEntries } from '../asking/place-words.ts';
import { currencyOfLocale } from './currencies.ts';

test.each([
  ['de-AT', 'EUR'],
  ['de', 'EUR'],
  ['en', 'USD'],
  ['en-GB', 'GBP'],
  ['fr-CH', 'CHF'],
  ['bg', 'EUR'],
  ['zh-Hant', 'TWD'],
  ['pt-BR', 'BRL'],
  ['es-419', undefined],
  ['en-001', undefined],
  ['C', undefined],
  ['', undefined],
])('%s: %s', (locale, currency) => expect(currencyOfLocale(locale)).toBe(currency));

test('every country has one that exists, and Antarctica none', () => {
  const codes = countryEntries.flatMap(({ meaning }) =>
    meaning.kind === 'value' ? meaning.all.map(({ value }) => value) : [],
  );
  const known = new Set<string | undefined>(Intl.supportedValuesOf('currency'));
  const wrong = [...new Set(codes)].filter((code) => !known.has(currencyOfLocale(`und-${code}`)));
  expect(wrong).toEqual(['AQ']);
});
