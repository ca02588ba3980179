import { describe, expect, test } from 'vitest';
import { eventName } from '../formats/events.ts';
import { becomesBy } from '../formats/format.ts';
import { originOf } from '../formats/joined/goatcounter-json.ts';
import { keptQuery } from './addresses.ts';
import { dayReader, instantOf, readInstant } from './dates.ts';
import { browserOf, deviceOf, languageOf, systemOf, valueOf, versionedBrowserOf, widthOf } from './names.ts';
import { areInPercent, readCount, readSeconds, readShare } from './numbers.ts';
import { countryOf, regionOf } from './places.ts';

describe('a day', () => {
  const read = dayReader('day_first');
  test.each([
    ['2025-01-31', '2025-01-31'],
    ['20250131', '2025-01-31'],
    ['2025013023', '2025-01-30'],
    ['2025013024', undefined],
    ['2025023010', undefined],
    ['202501301015', undefined],
    ['2025/1/5', '2025-01-05'],
    ['2025-01-31T23:00:00+09:00', '2025-01-31'],
    ['31.01.2025', '2025-01-31'],
    ['5/1/2025', '2025-01-05'],
    ['2024-02-29', '2024-02-29'],
    ['2025-02-29', undefined],
    ['2025115', undefined],
    ['1990-12-31', undefined],
    ['2101-01-01', undefined],
    ['01/31/2025', undefined],
    ['2025-01', undefined],
    ['=2025-01-31', undefined],
    ['', undefined],
  ])('is read from %j', (text, day) => {
    expect(read(text)).toBe(day);
  });

  test('has its month first where its file says so, except with full stops', () => {
    const readAmerican = dayReader('month_first');
    expect([readAmerican('1/5/2025'), readAmerican('5.1.2025')]).toEqual(['2025-01-05', '2025-01-05']);
  });
});

describe('an instant', () => {
  test.each([
    ['2025-01-31 10:20:30', Date.UTC(2025, 0, 31, 10, 20, 30)],
    ['2025-01-31T10:20:30.5Z', Date.UTC(2025, 0, 31, 10, 20, 30, 500)],
    ['2025-01-31T10:20:30+02:00', Date.UTC(2025, 0, 31, 8, 20, 30)],
    ['2025-01-31 10:20:30.123456-0530', Date.UTC(2025, 0, 31, 15, 50, 30, 123)],
    ['2025-01-31 10:20:30+00', Date.UTC(2025, 0, 31, 10, 20, 30)],
    ['2025-01-31 10:20', Date.UTC(2025, 0, 31, 10, 20)],
    ['2025-02-30 10:20:30', undefined],
    ['2025-01-31 24:00:00', undefined],
    ['2025-01-31', undefined],
  ])('is read from %j', (text, time) => {
    expect(readInstant(text)).toBe(time);
  });

  test('is read from a number since 1970', () => {
    expect(instantOf('1738230000123456', { perSecond: 1_000_000 })).toBe(1738230000123);
    expect([null, [1], '', -1, 1e30].map((value) => instantOf(value, { perSecond: 1 }))).toEqual(
      Array(5).fill(undefined),
    );
  });
});

test.each([
  ['12', 12],
  [' 12 ', 12],
  ['', 0],
  ['1,234,567', 1_234_567],
  ["1'234", 1234],
  ['1\u202f234', 1234],
  ['12.0', 12],
  ['12,00', 12],
  ['1000000000', 1_000_000_000],
  ['1000000001', undefined],
  ['1.5', undefined],
  ['1,23', undefined],
  ['-1', undefined],
  ['=1', undefined],
  ['1e3', undefined],
])('%j is the count %s', (text, count) => {
  expect(readCount(text)).toBe(count);
});

test('seconds and shares are read as they are written', () => {
  expect(['12.5', '0:01:30', '1:30', '100:00:00', '-1', 'x'].map(readSeconds)).toEqual([
    12.5,
    90,
    90,
    360_000,
    undefined,
    undefined,
  ]);
});

test('a share is read by what its whole column is written in', () => {
  const cells = ['25%', '0.5', '1', '', '12,5 %', '25', '101', '101%', '-1'];
  expect(cells.map((cell) => readShare(cell, { inPercent: true }))).toEqual([
    0.25,
    0.005,
    0.01,
    0,
    0.125,
    0.25,
    undefined,
    undefined,
    undefined,
  ]);
  expect(cells.map((cell) => readShare(cell, { inPercent: false }))).toEqual([
    0.25,
    0.5,
    1,
    0,
    0.125,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  const columns = [['0.9', '1', ''], ['0.9', '1', '1,5'], ['0.9', ' 1 %'], ['-'], []];
  expect(columns.map(areInPercent)).toEqual([false, true, true, false, false]);
});

test('names are those of Footfall', () => {
  expect(['crios', 'Mobile Safari', 'Samsung Browser', 'Ladybird', '(not set)'].map(browserOf)).toEqual([
    'Chrome',
    'Safari',
    'Samsung Internet',
    'Ladybird',
    '',
  ]);
  expect(versionedBrowserOf('Firefox 139.0')).toEqual({ name: 'Firefox', version: '139' });
  expect(
    ['Windows 8.1', 'Mac OS', 'Windows XP', 'GNU/Linux', 'TempleOS 5'].map((text) =>
      Object.values(systemOf(text)).join(' '),
    ),
  ).toEqual(['Windows 8.1', 'macOS ', 'Windows XP', 'Linux ', 'TempleOS 5 ']);
  expect(['Laptop', 'Smartphone', 'Smart TV', 'mobil', '?'].map(deviceOf)).toEqual([
    'desktop',
    'mobile',
    'tv',
    'mobile',
    'other',
  ]);
  expect(['DE_at', 'zh-Hant-TW', 'es-419', 'german'].map(languageOf)).toEqual(['de-AT', 'zh-TW', 'es-419', '']);
  expect(['1920x1080', '390,844,3', '0x0', 'x', '999999x1'].map(widthOf)).toEqual([1920, 390, 0, 0, 0]);
  expect(['(direct) / (none)', 'a\u202eb', '\\N'].map((text) => valueOf(text))).toEqual(['', 'a b', '']);
});

test('countries are found by code and by name in four languages', () => {
  const names = [
    'de',
    'GB',
    'Germany',
    'Deutschland',
    'Allemagne',
    'Alemania',
    'Côte d’Ivoire',
    'Turkey',
    'United States',
    'Czechia',
  ];
  expect(names.map(countryOf)).toEqual(['DE', 'GB', 'DE', 'DE', 'DE', 'DE', 'CI', 'TR', 'US', 'CZ']);
  expect(['ZZ', 'XX', 'Atlantis', '(not set)', ''].map(countryOf)).toEqual(['', '', '', '', '']);
  expect([regionOf('BY', 'DE'), regionOf('de-by', ''), regionOf('Bavaria', 'DE'), regionOf('BY', '')]).toEqual([
    'DE-BY',
    'DE-BY',
    '',
    '',
  ]);
});

test.each(['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf'])(
  '%s is a name as any other',
  (word) => {
    expect(browserOf(word)).toBe(word);
    expect(systemOf(word)).toEqual({ name: word, version: '' });
    expect(deviceOf(word)).toBe('other');
    expect(eventName(word)).toBe(word);
    expect(originOf(word, 'g')).toEqual({ referrer: '', campaign: '', source: word });
    expect(keptQuery(`mtm_${word}=x`)).toBe('');
    expect(becomesBy([word], {})).toEqual([null]);
  },
);
