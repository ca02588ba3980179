import { describe, expect, test } from 'vitest';
import { FEWEST, MOST_CHANGE } from '../../vocabulary/settings/privacy.ts';
import { VISITOR_KEYS } from '../sql/metrics.ts';
import { changedCount, changedRate, changedSum } from './cell-key.ts';

const KEYS = Array.from({ length: VISITOR_KEYS }, (_, key) => key);
const visitors = (count: number, key: number, fewest = FEWEST) =>
  changedCount({ visitors: count, key }, count, { what: 'unique_visitors', fewest });

/** How often each change of a count of visitors is drawn, over all keys. */
function changes(count: number): Map<number, number> {
  const found = Map.groupBy(KEYS, (key) => visitors(count, key) - count);
  return new Map([...found].map(([change, keys]) => [change, keys.length]));
}

describe('a number of visitors', () => {
  test.each([
    [2, [-2]], // withheld: shown as 0
    [3, [0]],
    [4, [-1, 0, 1]],
    [5, [-2, -1, 0, 1, 2]],
    [100, [-2, -1, 0, 1, 2]],
  ])('of %i changes by one of these, each as often: %j', (count, expected) => {
    const drawn = changes(count);
    expect([...drawn.keys()].sort((one, other) => one - other)).toEqual(expected);
    for (const times of drawn.values())
      expect(Math.abs(times / (KEYS.length / expected.length) - 1)).toBeLessThan(0.03);
  });

  test('changes by nothing on average', () => {
    for (const count of [3, 4, 5, 20, 100]) {
      const mean = [...changes(count)].reduce((sum, [change, times]) => sum + change * times, 0) / KEYS.length;
      expect(Math.abs(mean)).toBeLessThan(0.02);
    }
  });

  test('changes alike for the same visitors, and apart from it for the same with one more', () => {
    expect(visitors(50, 7)).toBe(visitors(50, 7 + VISITOR_KEYS));
    const moved = KEYS.map((key) => visitors(51, key + 11) - visitors(50, key));
    // Without the changes, the difference would always be 1.
    const seen = Map.groupBy(moved, (one) => one);
    expect([...seen.keys()].sort((one, other) => one - other)).toEqual([-3, -2, -1, 0, 1, 2, 3, 4, 5]);
    expect((seen.get(1)?.length ?? 0) / KEYS.length).toBeLessThan(0.22);
  });

  test('that a link shows down to one changes too', () => {
    expect(visitors(2, 1, 2)).toBe(2);
    expect(visitors(1, 1, 2)).toBe(0);
  });
});

test('each number changes in the next version as in this one: two answers to one question tell no more than one', () => {
  const drawn = (what: string, key: number) =>
    changedCount({ visitors: 100, key }, 100, { what, fewest: FEWEST }) - 100;
  const of = (what: string) => KEYS.slice(4_000, 4_024).map((key) => drawn(what, key));
  expect(of('unique_visitors').join(' ')).toBe('2 2 -1 1 -1 1 2 1 0 0 -1 -2 0 2 1 -1 1 2 2 0 -1 0 -2 -2');
  expect(of('visits').join(' ')).toBe('1 -2 2 2 2 0 2 2 0 2 -2 1 0 1 1 1 -2 -1 -2 1 -2 2 -1 2');
});

test('a count changes by what two visitors did on average, and is withheld if fewer than three did it', () => {
  const of = { what: 'pageviews', fewest: FEWEST };
  const views = new Set(KEYS.map((key) => changedCount({ visitors: 100, key }, 300, of)));
  expect([...views].sort()).toEqual([294, 297, 300, 303, 306]);
  expect(changedCount({ visitors: 100, key: 1 }, 2, of)).toBe(0);
  expect(new Set(KEYS.map((key) => changedCount({ visitors: 100, key }, 3, of)))).toEqual(new Set([3]));
  const orders = new Set(KEYS.map((key) => changedCount({ visitors: 100, key }, 5, of)));
  expect([...orders].sort()).toEqual([3, 4, 5, 6, 7]);
});

test('the changes of two columns tell nothing of each other', () => {
  const both = Map.groupBy(KEYS, (key) => {
    const cell = { visitors: 100, key };
    return `${visitors(100, key)} ${changedCount(cell, 100, { what: 'visits', fewest: FEWEST })}`;
  });
  expect(both.size).toBe((2 * MOST_CHANGE + 1) ** 2);
  for (const keys of both.values()) expect(Math.abs(keys.length / (KEYS.length / both.size) - 1)).toBeLessThan(0.1);
});

test('a sum changes as the number of what it sums, and is withheld with it', () => {
  const sums = (count: number) =>
    new Set(KEYS.map((key) => changedSum({ visitors: 100, key }, 1000, { count, what: 'revenue', fewest: FEWEST })));
  expect([...sums(10)].sort((one, other) => one - other)).toEqual([800, 900, 1000, 1100, 1200]);
  expect([...sums(3)]).toEqual([1000]);
  expect([...sums(2)]).toEqual([0]);
});

test('rates are rounded, so that they do not tell the numbers that they were computed from', () => {
  const of = (unit: 'per_cent' | 'ratio' | 'seconds', rate: number, count: number) =>
    new Set(
      KEYS.map((key) => changedRate({ visitors: count, key }, rate, { unit, what: 'bounce_rate', fewest: FEWEST })),
    );
  expect([...of('per_cent', 37.5, 3)]).toEqual([38]);
  expect([...of('ratio', 1.2345, 3)]).toEqual([1.2]);
  expect([...of('seconds', 61.234, 3)]).toEqual([61]);
  expect([...of('per_cent', 50, 10)].sort()).toEqual([40, 45, 50, 55, 60]);
  expect([...of('per_cent', 100, 10)].sort((one, other) => one - other)).toEqual([80, 90, 100]);
});
