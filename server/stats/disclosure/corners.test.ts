import { expect, test } from 'vitest';
import type { Filter } from '../query.ts';
import { cornersOf } from './corners.ts';

const is = (dimension: 'country' | 'browser' | 'page', ...values: string[]): Filter => ({
  dimension,
  operator: 'is',
  values,
});
const not = (dimension: 'country' | 'browser' | 'page', ...values: string[]): Filter => ({
  dimension,
  operator: 'is_not',
  values,
});
const shown = (filters: Filter[]) =>
  cornersOf(filters)?.corners.map(({ sign, filters: own }) =>
    [
      { '1': '+', '-1': '-' }[String(sign)],
      ...own.map(({ dimension, operator, values }) => `${dimension} ${operator} ${values.join()}`),
    ].join(' '),
  );

test('one value for each dimension is one corner, which needs no others', () => {
  expect(shown([])).toBeUndefined();
  expect(shown([is('country', 'DE'), is('browser', 'Chrome')])).toBeUndefined();
  expect(shown([not('page', '/a')])).toBeUndefined(); // a visit may have other pages, too
});

test('several values add up, and a negative filter is taken away', () => {
  expect(shown([is('country', 'DE', 'FR')])).toEqual(['+ country is DE', '+ country is FR']);
  expect(shown([not('browser', 'Firefox')])).toEqual(['+', '- browser is Firefox']);
  expect(shown([is('country', 'DE', 'FR'), not('browser', 'Firefox')])).toEqual([
    '+ country is DE',
    '- country is DE browser is Firefox',
    '+ country is FR',
    '- country is FR browser is Firefox',
  ]);
  expect(shown([not('country', 'DE'), not('browser', 'Firefox', 'Opera')])).toEqual([
    '+',
    '- browser is Firefox',
    '- browser is Opera',
    '- country is DE',
    '+ country is DE browser is Firefox',
    '+ country is DE browser is Opera',
  ]);
});

test('a filter by one value is in each corner', () => {
  expect(shown([is('browser', 'Chrome'), is('country', 'DE', 'FR')])).toEqual([
    '+ browser is Chrome country is DE',
    '+ browser is Chrome country is FR',
  ]);
  expect(shown([not('country', 'DE'), is('browser', 'Chrome')])).toEqual([
    '+ browser is Chrome',
    '- country is DE browser is Chrome',
  ]);
});

test('values that contain a part of a name stay together', () => {
  expect(shown([{ ...is('country', 'DE', 'FR'), isOfPart: true }])).toBeUndefined();
});

test('more than 24 corners are refused', () => {
  const many = (count: number) => is('country', ...Array.from({ length: count }, (_, index) => `C${index}`));
  expect(shown([many(24)])).toHaveLength(24);
  expect(() => shown([many(25)])).toThrow('fewer values at a time');
  expect(() => shown([many(13), not('browser', 'Firefox')])).toThrow('fewer values at a time');
});

test('counts add up where a visitor has one value, and not where another visit may have another', () => {
  expect(cornersOf([is('country', 'DE', 'FR'), not('browser', 'Firefox')])?.addUp).toBe(true);
  expect(cornersOf([{ dimension: 'source', operator: 'is', values: ['Google', ''] }])?.addUp).toBe(false);
  expect(cornersOf([is('country', 'DE', 'FR'), { dimension: 'source', operator: 'is_not', values: [''] }])?.addUp).toBe(
    false,
  );
});
