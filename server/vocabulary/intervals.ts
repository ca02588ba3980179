// Intervals: the time steps in which a range is shown, and the buckets that they give.
import type { Range } from './periods.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, startOfMonth } from './time.ts';

export const INTERVALS = ['minute', 'hour', 'day', 'week', 'month'] as const;
export type Interval = (typeof INTERVALS)[number];

const LENGTH_MS = { minute: MINUTE_MS, hour: HOUR_MS, day: DAY_MS } as const;

/** A line with more points is noise, and slow to draw. */
const MAX_POINTS = 300;

/** Returns the intervals that give a chart 2 to 300 points; the first is the default. */
export function intervalsOf(range: Range): [Interval, ...Interval[]] {
  const length = range.to - range.from;
  const days = length / DAY_MS;
  const usual = days <= 1 ? 'hour' : days <= 92 ? 'day' : 'month';
  const others = (['month', 'week', 'day', 'hour'] as const).filter(
    (interval) =>
      interval !== usual &&
      length > 1.1 * shortestOf(interval) &&
      length / shortestOf(interval) <= MAX_POINTS &&
      bucketsOf(range, interval).length <= MAX_POINTS,
  );
  return [usual, ...others];
}

/** Enough for a week of minutes, or thirty years of days. */
const MAX_STEPS = 12_000;

/** Returns every interval that a query over the range may use, the longest last. */
export function possibleIntervals(range: Range): Interval[] {
  return INTERVALS.filter((interval) => (range.to - range.from) / shortestOf(interval) <= MAX_STEPS);
}

function shortestOf(interval: Interval): number {
  return { ...LENGTH_MS, week: 7 * DAY_MS, month: 28 * DAY_MS }[interval];
}

/** Returns the starts of the buckets that cover a range, in milliseconds. Weeks start on Monday (ISO 8601). */
export function bucketsOf(range: Range, interval: Interval): number[] {
  const starts: number[] = [];
  for (let start = bucketStart(range.from, interval); start < range.to; start = nextBucket(start, interval))
    starts.push(start);
  return starts;
}

function bucketStart(time: number, interval: Interval): number {
  if (interval === 'month') return startOfMonth(time);
  // The epoch was a Thursday: four days earlier is a Monday.
  if (interval === 'week') return Math.floor((time - 4 * DAY_MS) / (7 * DAY_MS)) * 7 * DAY_MS + 4 * DAY_MS;
  const length = LENGTH_MS[interval];
  return Math.floor(time / length) * length;
}

export function nextBucket(start: number, interval: Interval): number {
  return interval === 'month'
    ? startOfMonth(start, 1)
    : start + (interval === 'week' ? 7 * DAY_MS : LENGTH_MS[interval]);
}
