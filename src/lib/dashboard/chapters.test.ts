import { expect, it } from 'vitest';
import { CHAPTER_NAMES, inOrder } from '../../../server/vocabulary/settings/arrangement.ts';
import type { Filter } from '../view/view';
import { chaptersOf, spansOf } from './chapters';

const PAGE: Filter = { dimension: 'page', operator: 'is', values: ['/'] };
const whole = {
  arrangement: {},
  hasPart: () => true,
  shareToken: undefined,
  view: { filters: [PAGE] },
} as unknown as Parameters<typeof chaptersOf>[0];
const METRICS = { metrics: ['orders'] as const };
const spans = (text: string, most: 2 | 3) =>
  spansOf(
    [...text].map((one) => one === 'n'),
    most,
  ).join('');

it('has every chapter where nothing is missing, and leaves out what is', () => {
  expect(chaptersOf(whole, METRICS)).toEqual(CHAPTER_NAMES);
  const least = { ...whole, hasPart: () => false, shareToken: 'token', view: { ...whole.view, filters: [] } };
  expect(chaptersOf(least, METRICS)).toEqual(['figures']);
  expect(chaptersOf(whole, { metrics: ['visits'] })).not.toContain('payments');
  expect(chaptersOf({ ...whole, hasPart: (part) => part !== 'revenue' }, METRICS)).not.toContain('payments');
});

it('puts chapters that an order does not name behind those that they usually follow', () => {
  expect(inOrder(['c', 'a'], ['a', 'b', 'c', 'd'])).toEqual(['c', 'd', 'a', 'b']);
  expect(inOrder(['b'], ['a', 'b'])).toEqual(['a', 'b']);
  const order = ['goals', 'figures', 'goals'] as const;
  expect(chaptersOf(whole, { ...METRICS, order }).slice(0, 3)).toEqual(['goals', 'funnels', 'journeys']);
});

it('fills every line, in two columns and in three', () => {
  expect(spans('nnnnnn', 2)).toBe('333333');
  expect(spans('nnnnn', 2)).toBe('33336');
  expect(spans('nnnnnn', 3)).toBe('222222');
  expect(spans('nnnnn', 3)).toBe('22233');
  expect(spans('nnnn', 3)).toBe('3333');
  expect(spans('wnnwnw', 2)).toBe('633666');
  expect(spans('wnnnwnw', 3)).toBe('6222666');
  expect(spans('', 3)).toBe('');
});
