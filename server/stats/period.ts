// Periods: which UTC days a question is about. Ranges are half-open, [from, to), in milliseconds.
import { DAY_MS, readDay, startOfDay, startOfMonth } from '../vocabulary/time.ts';

/**
 * `today` runs from midnight to now; `7d`, `30d` and `91d` are that many full days, today left out; `12mo` the twelve full
 * months before this one; `month` and `year` run to date; `all` starts with the site's first event.
 */
export const PERIODS = [
  'today',
  'yesterday',
  '7d',
  '30d',
  '91d',
  'month',
  'last_month',
  'year',
  '12mo',
  'all',
  'custom',
] as const;
export type Period = (typeof PERIODS)[number];

export type Range = { from: number; to: number };

export const COMPARISONS = ['previous', 'year', 'none'] as const;
export type Comparison = (typeof COMPARISONS)[number];

export const INTERVALS = ['minute', 'hour', 'day', 'week', 'month'] as const;
export type Interval = (typeof INTERVALS)[number];

type Asked = { period: Period; date_from?: string | undefined; date_to?: string | undefined };

/** The days of a period. `firstAt` is the time of the site's first event, asked for `all` alone. */
export function resolvePeriod(asked: Asked, now: number, firstAt: number | undefined): Range {
  const today = startOfDay(now);
  const tomorrow = today + DAY_MS;
  switch (asked.period) {
    case 'today':
      return { from: today, to: tomorrow };
    case 'yesterday':
      return { from: today - DAY_MS, to: today };
    case '7d':
    case '30d':
    case '91d':
      return { from: today - Number.parseInt(asked.period) * DAY_MS, to: today };
    case 'month':
      return { from: startOfMonth(now), to: tomorrow };
    case 'last_month':
      return { from: startOfMonth(now, -1), to: startOfMonth(now) };
    case 'year':
      return { from: Date.UTC(new Date(now).getUTCFullYear(), 0, 1), to: tomorrow };
    case '12mo':
      return { from: startOfMonth(now, -12), to: startOfMonth(now) };
    case 'all':
      return { from: startOfDay(Math.min(firstAt ?? now, now)), to: tomorrow };
    case 'custom':
      return { from: readDay(asked.date_from ?? '') ?? today, to: (readDay(asked.date_to ?? '') ?? today) + DAY_MS };
  }
}

/** The range to compare with: as many days just before (whole months and years for those periods), or a year earlier. */
export function resolveComparison(range: Range, period: Period, comparison: Comparison): Range | undefined {
  if (comparison === 'none' || (comparison === 'previous' && period === 'all')) return undefined;
  if (comparison === 'year' || period === 'year' || period === '12mo') return shiftMonths(range, -12);
  if (period === 'month') return shiftMonths(range, -1);
  if (period === 'last_month') return { from: startOfMonth(range.from, -1), to: range.from };
  const length = range.to - range.from;
  return { from: range.from - length, to: range.from };
}

/** The part of a comparison that has a counterpart by now: an unfinished day is compared with the same hours. */
export function untilNow(comparison: Range, range: Range, now: number): Range {
  const elapsed = Math.min(now, range.to) - range.from;
  return now >= range.to
    ? comparison
    : { from: comparison.from, to: Math.min(comparison.to, comparison.from + elapsed) };
}

function shiftMonths(range: Range, months: number): Range {
  const shift = (time: number) => {
    const date = new Date(time);
    const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months + 1, 0)).getUTCDate();
    return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, Math.min(date.getUTCDate(), lastDay));
  };
  return { from: shift(range.from), to: shift(range.to - DAY_MS) + DAY_MS };
}

/** A line of more points than this is noise, and slow to draw. */
const MAX_POINTS = 300;

/** Intervals that a chart of a range can show, in 2 to 300 points each; the first is the one to begin with. */
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

/** A week of minutes, thirty years of days. */
const MAX_STEPS = 12_000;

/** Intervals that a range can be asked in at all, the longest last. */
export function possibleIntervals(range: Range): Interval[] {
  return INTERVALS.filter((interval) => (range.to - range.from) / shortestOf(interval) <= MAX_STEPS);
}

function shortestOf(interval: Interval): number {
  return { ...LENGTH_MS, week: 7 * DAY_MS, month: 28 * DAY_MS }[interval];
}

/** Starts of the buckets that cover a range, in milliseconds; weeks start on Monday (ISO 8601). */
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

const LENGTH_MS = { minute: 60_000, hour: 3_600_000, day: DAY_MS } as const;
