// Intervals: the time steps in which a range is shown, and their buckets.
import { instantsOf, type Range } from './periods.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, startOfMonth } from './time.ts';
import { isSkipped, wallTime } from './zones.ts';

export const INTERVALS = ['minute', 'hour', 'day', 'week', 'month'] as const;
export type Interval = (typeof INTERVALS)[number];

/** Hours and minutes start at instants. Days, weeks and months start at wall times of the range's zone. */
export const isWithinDay = (interval: Interval): interval is 'hour' | 'minute' =>
  interval === 'hour' || interval === 'minute';

const LENGTH_MS = { minute: MINUTE_MS, hour: HOUR_MS, day: DAY_MS } as const;

/** Longer ranges are shown by the hour by default. */
const MOST_BY_MINUTE_MS = 3 * HOUR_MS;

/** A line with more points is noise, and slow to draw. */
const MAX_POINTS = 300;

function usualInterval(lengthMs: number): Interval {
  if (lengthMs <= MOST_BY_MINUTE_MS) return 'minute';
  if (lengthMs <= DAY_MS) return 'hour';
  return lengthMs <= 92 * DAY_MS ? 'day' : 'month';
}

/** Returns the intervals that give a chart 2 to 300 points; the first is the default. */
export function intervalsOf(range: Range): [Interval, ...Interval[]] {
  const length = range.to - range.from;
  const usual = usualInterval(length);
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

/**
 * Returns the starts of the buckets that cover a range, in milliseconds. Weeks start on Monday (ISO 8601). Hours are counted from the start
 * of the range, which may be at half past in UTC. The buckets also cover the starts in `seen`: on the day when a site changes its time
 * zone, a day may contain hours from before its midnight. A day that the zone's calendar skipped has none.
 */
export function bucketsOf(range: Range, interval: Interval, seen: readonly number[] = []): number[] {
  const { from, to } = isWithinDay(interval) ? instantsOf(range) : range;
  const starts: number[] = [];
  const first = seen.reduce((least, start) => Math.min(least, start), bucketStart(from, interval));
  const end = seen.reduce((most, start) => Math.max(most, start + 1), to);
  for (let start = first; start < end; start = nextBucket(start, interval)) starts.push(start);
  const { zone } = range;
  return interval === 'day' && zone !== undefined ? starts.filter((start) => !isSkipped(start, zone)) : starts;
}

/** Returns how many minutes past the full hour in UTC a range's hours start: 30 in some zones. */
export function minutesPastHour(range: Range): number {
  return range.pastHour ?? Math.floor((instantsOf(range).from % HOUR_MS) / MINUTE_MS);
}

/** `now` as the interval's buckets measure time: an instant, or a wall time. */
export function clockOf(range: Range, interval: Interval, now: number): number {
  return range.zone === undefined || isWithinDay(interval) ? now : wallTime(now, range.zone);
}

function bucketStart(time: number, interval: Interval): number {
  if (interval === 'month') return startOfMonth(time);
  // The epoch was a Thursday: four days earlier is a Monday.
  if (interval === 'week') return Math.floor((time - 4 * DAY_MS) / (7 * DAY_MS)) * 7 * DAY_MS + 4 * DAY_MS;
  return interval === 'day' ? Math.floor(time / DAY_MS) * DAY_MS : time;
}

export function nextBucket(start: number, interval: Interval): number {
  return interval === 'month'
    ? startOfMonth(start, 1)
    : start + (interval === 'week' ? 7 * DAY_MS : LENGTH_MS[interval]);
}
