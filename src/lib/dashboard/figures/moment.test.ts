import { describe, expect, it } from 'vitest';
import type { Interval } from '../../../../server/vocabulary/time/intervals.ts';
import { nextBucket } from '../../../../server/vocabulary/time/intervals.ts';
import { findGap, findPeak, momentWords, type Run } from './moment';

const START = Date.UTC(2026, 2, 12);
const LOCAL_MIDNIGHT = new Date(2026, 2, 12).getTime();
const sum = (values: number[]) => values.reduce((all, value) => all + value, 0);

/** Buckets of a period and of the one before it. An unfinished last one is not compared. */
function compare(own: number[], before: number[], { unfinished = false } = {}) {
  const points = (values: number[]) => values.map((value, index) => ({ time: START + index * 3_600_000, value }));
  const series = { points: points(own), previous: points(before), unfinished };
  return { series, figure: { value: sum(own), previous: sum(before.slice(0, own.length)) } };
}
const gap = (...given: Parameters<typeof compare>) => {
  const { series, figure } = compare(...given);
  return findGap(series, figure);
};
const DAY = [4, 4, 4, 6, 8, 14, 22, 30, 36, 40, 40, 38, 36, 40, 40, 36, 32, 30, 26, 22, 18, 14, 10, 6];
const without = (from: number, to: number, values = DAY) =>
  values.map((value, at) => (at >= from && at < to ? 0 : value));

describe('a gap', () => {
  it('is a run of empty buckets that held a tenth of the comparison, or half of the fall', () => {
    expect(gap(without(10, 13), DAY)).toEqual({ from: 10, to: 13 });
    const month = Array.from({ length: 30 }, () => 50);
    expect(gap(without(11, 12, month), month)).toEqual({ from: 11, to: 12 });
    // An hour of 22 is a twentieth of the day, and no more than a third of its fall.
    const less = DAY.map((value, at) => (at === 19 ? 0 : Math.round(value * 0.9)));
    expect(gap(less, DAY)).toBeUndefined();
  });

  it('is none where the number is not told', () => {
    const { series, figure } = compare(without(10, 13), DAY);
    const isTold = (at: number) => at < 10 || at > 12;
    const points = series.points.map((point, at) => ({ ...point, value: isTold(at) ? point.value : null }));
    expect([findGap({ ...series, points }, figure), findPeak({ ...series, points }, figure)]).toEqual([
      undefined,
      undefined,
    ]);
  });

  it('is found even if the rest of the period makes up for it', () => {
    expect(
      gap(
        without(
          10,
          13,
          DAY.map((value) => 2 * value),
        ),
        DAY,
      ),
    ).toEqual({ from: 10, to: 13 });
  });

  it('is the largest of several', () => {
    expect(gap(without(8, 12, without(16, 18)), DAY)).toEqual({ from: 8, to: 12 });
  });

  it('may reach the last finished bucket, but not the first one', () => {
    expect(gap(without(10, 13).slice(0, 14), DAY, { unfinished: true })).toEqual({ from: 10, to: 13 });
    expect(gap([...DAY.slice(0, 10), 0, 0, 0, 0], DAY, { unfinished: true })).toEqual({ from: 10, to: 13 });
    expect(gap(without(0, 9), DAY)).toBeUndefined();
    expect(gap(without(0, 24), DAY)).toBeUndefined();
  });

  it('is not an empty bucket that is not over', () => {
    expect(gap([...DAY.slice(0, 10), 0], DAY, { unfinished: true })).toBeUndefined();
  });

  it('is not chance: on a small site, on a much quieter day, or where only the comparison had a rush', () => {
    const small = DAY.map((value) => Math.round(value / 12));
    expect(gap(without(10, 13, small), small)).toBeUndefined();
    expect(
      gap(
        DAY.map((_, at) => (at % 6 === 0 ? 5 : 0)),
        DAY,
      ),
    ).toBeUndefined();
    const rush = DAY.map((value, at) => (at === 10 ? 900 : Math.round(value / 12)));
    expect(gap(without(10, 11, small), rush)).toBeUndefined();
    expect(gap(without(0, 5), without(0, 5))).toBeUndefined();
  });
});

describe('a peak of a change', () => {
  const peak = (change: (value: number, hour: number) => number, before = DAY) => {
    const { series, figure } = compare(before.map(change), before);
    return findPeak(series, figure);
  };

  it('is the shortest run of buckets with half of it', () => {
    expect(peak((value, hour) => value + (hour === 14 || hour === 15 ? 100 : 0))).toEqual({ from: 14, to: 15 });
    const rush: Record<number, number> = { 3: 30, 14: 60, 15: 60 };
    expect(peak((value, hour) => value + (rush[hour] ?? 0))).toEqual({ from: 14, to: 16 });
    expect(peak((value, hour) => (hour >= 9 && hour < 12 ? 4 : value))).toEqual({ from: 9, to: 11 });
  });

  it('is not a change that is spread like the traffic, over much of the period, or by chance', () => {
    expect(peak((value) => 2 * value)).toBeUndefined();
    expect(peak((value) => Math.round(value / 2))).toBeUndefined();
    expect(peak((value, hour) => value + (hour < 12 ? 20 : 0))).toBeUndefined();
    expect(peak((value, hour) => value + (hour === 14 ? 12 : 0))).toBeUndefined();
    expect(peak((value) => value)).toBeUndefined();
  });

  it('is nothing where other buckets moved as much in the other direction, and in a short period', () => {
    const two: Record<number, number> = { 6: 120, 14: 200 };
    expect(peak((value, hour) => value + (two[hour] ?? -10))).toBeUndefined();
    const mixed: Record<number, number> = { 6: 60, 14: 100, 20: -60 };
    expect(peak((value, hour) => value + (mixed[hour] ?? 0))).toBeUndefined();
    expect(peak((value, hour) => value + (hour === 2 ? 80 : 0), [10, 10, 10, 10])).toBeUndefined();
  });
});

describe('the words', () => {
  function words(interval: Interval, length: number, run: Run, more: Partial<Parameters<typeof momentWords>[1]> = {}) {
    const points = [{ time: interval === 'hour' || interval === 'minute' ? LOCAL_MIDNIGHT : START, value: 1 }];
    if (interval === 'month') points[0] = { time: Date.UTC(2026, 2, 1), value: 1 };
    while (points.length < length) points.push({ time: nextBucket(points.at(-1)?.time ?? 0, interval), value: 1 });
    const told = { points, interval, unfinished: false, date_from: '2026-03-12', includesNow: false };
    return momentWords(run, { ...told, ...more });
  }

  it('are hours of one day, with the day where there are several', () => {
    expect(words('hour', 24, { from: 10, to: 13 })).toBe('from 10:00 to 13:00');
    expect(words('hour', 48, { from: 34, to: 37 })).toBe('on 13 Mar from 10:00 to 13:00');
    expect(words('hour', 48, { from: 22, to: 26 })).toBe('from 12 Mar, 22:00 to 13 Mar, 02:00');
    expect(words('minute', 60, { from: 5, to: 20 })).toBe('from 00:05 to 00:20');
  });

  it('are days, weeks and months', () => {
    expect(words('day', 30, { from: 3, to: 4 })).toBe('on 15 Mar');
    expect(words('day', 30, { from: 3, to: 5 })).toBe('on 15 and 16 Mar');
    expect(words('day', 30, { from: 19, to: 21 })).toBe('on 31 Mar and 1 Apr');
    expect(words('day', 30, { from: 3, to: 7 })).toBe('from 15 to 18 Mar');
    expect(words('day', 30, { from: 18, to: 22 })).toBe('from 30 Mar to 2 Apr');
    expect(words('week', 10, { from: 1, to: 2 })).toBe('from 19 to 25 Mar');
    expect(words('month', 6, { from: 0, to: 1 })).toBe('in March');
    expect(words('month', 6, { from: 0, to: 2 })).toBe('in March and April');
    expect(words('month', 6, { from: 0, to: 3 })).toBe('from March to May');
  });

  it('have the year where the period has several of the same name', () => {
    expect(words('month', 20, { from: 0, to: 1 })).toBe('in March 2026');
    expect(words('week', 60, { from: 1, to: 2 })).toBe('from 19 to 25 Mar 2026');
  });

  it('have no end where the gap may go on', () => {
    expect(words('hour', 14, { from: 10, to: 14 }, { includesNow: true })).toBe('since 10:00');
    expect(words('hour', 24, { from: 20, to: 24 })).toBe('from 20:00 on');
    expect(words('day', 30, { from: 28, to: 30 }, { includesNow: true })).toBe('since 9 Apr');
  });

  it('begin no earlier than the period', () => {
    expect(words('week', 10, { from: 0, to: 1 }, { date_from: '2026-03-14' })).toBe('from 14 to 18 Mar');
  });
});
