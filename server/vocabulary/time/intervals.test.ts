import { expect, it } from 'vitest';
import { DAY_MS } from './time.ts';
import { bucketsOf, intervalsOf } from './intervals.ts';

const FROM = Date.UTC(2019, 0, 1);

it('offers intervals that give a chart at most 300 points, whatever the length of the range', () => {
  for (const days of [1, 2, 7, 8, 12, 13, 14, 30, 60, 92, 93, 300, 301, 366, 1_000, 2_100, 2_101, 4_000, 9_000]) {
    const range = { from: FROM, to: FROM + days * DAY_MS };
    const intervals = intervalsOf(range);
    expect(new Set(intervals).size).toBe(intervals.length);
    for (const interval of intervals)
      expect(bucketsOf(range, interval).length, `${days} days by ${interval}`).toBeLessThanOrEqual(300);
  }
});

it('begins with the interval that shows the shape of a range', () => {
  const first = (days: number) => intervalsOf({ from: FROM, to: FROM + days * DAY_MS })[0];
  expect([1, 2, 30, 92, 93, 4_000].map(first)).toEqual(['hour', 'day', 'day', 'day', 'month', 'month']);
});
