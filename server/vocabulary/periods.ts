// Periods and their comparisons, in UTC days. Ranges are half-open, [from, to), in milliseconds.
import { DAY_MS, dayOf, readDay, startOfDay, startOfMonth } from './time.ts';

export type Range = { from: number; to: number };
export type Dates = { date_from?: string | undefined; date_to?: string | undefined };
export type AskedPeriod = { period: Period } & Dates;

/** `firstAt`: the time of the site's first event, for `all`. */
type Given = Dates & { now: number; firstAt: number | undefined };
type PeriodRow = {
  label: string;
  /** The keyboard shortcut in the dashboard. */
  key: string;
  range(given: Given): Range;
  /** The previous period: as many days, the same part of the previous month or year, the whole previous month, or nothing. */
  previous: 'days' | 'month' | 'whole_month' | 'year' | 'nothing';
};

const tomorrow = (now: number) => startOfDay(now) + DAY_MS;
/** The last full days, without today. */
const lastDays = (days: number) => ({
  range: ({ now }: Given) => ({ from: startOfDay(now) - days * DAY_MS, to: startOfDay(now) }),
  previous: 'days' as const,
});

export const PERIODS = {
  today: {
    label: 'Today',
    key: 'D',
    range: ({ now }) => ({ from: startOfDay(now), to: tomorrow(now) }),
    previous: 'days',
  },
  yesterday: { label: 'Yesterday', key: 'E', ...lastDays(1) },
  '7d': { label: 'Last 7 days', key: 'W', ...lastDays(7) },
  '30d': { label: 'Last 30 days', key: 'T', ...lastDays(30) },
  '91d': { label: 'Last 91 days', key: '', ...lastDays(91) },
  month: {
    label: 'Month to date',
    key: 'M',
    range: ({ now }) => ({ from: startOfMonth(now), to: tomorrow(now) }),
    previous: 'month',
  },
  last_month: {
    label: 'Last month',
    key: '',
    range: ({ now }) => ({ from: startOfMonth(now, -1), to: startOfMonth(now) }),
    previous: 'whole_month',
  },
  year: {
    label: 'Year to date',
    key: 'Y',
    range: ({ now }) => ({ from: Date.UTC(new Date(now).getUTCFullYear(), 0, 1), to: tomorrow(now) }),
    previous: 'year',
  },
  /** The twelve full months before this one. */
  '12mo': {
    label: 'Last 12 months',
    key: 'L',
    range: ({ now }) => ({ from: startOfMonth(now, -12), to: startOfMonth(now) }),
    previous: 'year',
  },
  /** From the site's first event on. */
  all: {
    label: 'All time',
    key: 'A',
    range: ({ now, firstAt = now }) => ({ from: startOfDay(Math.min(firstAt, now)), to: tomorrow(now) }),
    previous: 'nothing',
  },
  custom: {
    label: 'Custom range',
    key: 'C',
    range: ({ now, date_from = '', date_to = '' }) => ({
      from: readDay(date_from) ?? startOfDay(now),
      to: (readDay(date_to) ?? startOfDay(now)) + DAY_MS,
    }),
    previous: 'days' as const,
  },
} as const satisfies Record<string, PeriodRow>;

export type Period = keyof typeof PERIODS;
export const PERIOD_NAMES = Object.keys(PERIODS) as [Period, ...Period[]];

/** Returns the range of a period. Only `all` needs `firstAt`. */
export function resolvePeriod({ period, ...dates }: AskedPeriod, now: number, firstAt?: number): Range {
  return PERIODS[period].range({ ...dates, now, firstAt });
}

export const COMPARISONS = {
  previous: { label: 'Previous period' },
  year: { label: 'Same period last year' },
  none: { label: 'No comparison' },
} as const satisfies Record<string, { label: string }>;

export type Comparison = keyof typeof COMPARISONS;
export const COMPARISON_NAMES = Object.keys(COMPARISONS) as [Comparison, ...Comparison[]];

/** Returns the range to compare with; undefined when there is none. */
export function resolveComparison(range: Range, period: Period, comparison: Comparison): Range | undefined {
  if (comparison === 'none') return undefined;
  switch (comparison === 'year' ? 'year' : PERIODS[period].previous) {
    case 'days':
      return { from: range.from - (range.to - range.from), to: range.from };
    case 'month':
      return shiftMonths(range, -1);
    case 'whole_month':
      return { from: startOfMonth(range.from, -1), to: range.from };
    case 'year':
      return shiftMonths(range, -12);
    case 'nothing':
      return undefined;
  }
}

/** Cuts a comparison to the time that has passed in `range`: an unfinished day is compared with the same hours. */
export function untilNow(comparison: Range, range: Range, now: number): Range {
  const elapsed = Math.min(now, range.to) - range.from;
  return now >= range.to
    ? comparison
    : { from: comparison.from, to: Math.min(comparison.to, comparison.from + elapsed) };
}

/** Shifts a range by months. A day that the target month does not have becomes its last day. */
function shiftMonths(range: Range, months: number): Range {
  const shift = (time: number) => {
    const date = new Date(time);
    const lastDay = new Date(startOfMonth(time, months + 1) - DAY_MS).getUTCDate();
    return startOfMonth(time, months) + (Math.min(date.getUTCDate(), lastDay) - 1) * DAY_MS;
  };
  return { from: shift(range.from), to: shift(range.to - DAY_MS) + DAY_MS };
}

export const FIRST_DAY = Date.UTC(2000, 0, 1);
export const DAY_RULE = 'must be a date that exists, as YYYY-MM-DD';

/** True for an existing day from 2000 to today (UTC). */
export function isPastDay(text: string, now: number): boolean {
  const at = readDay(text);
  return at !== undefined && at >= FIRST_DAY && at <= now;
}

/**
 * Checks the fields together: `custom` needs both dates, in order, from 2000 to today (UTC), and other periods take none. Undefined when
 * the period is valid.
 */
export function periodProblem(
  { period, ...dates }: { period: string } & Dates,
  now: number,
): { field: keyof Dates; message: string } | undefined {
  for (const field of ['date_from', 'date_to'] as const) {
    const text = dates[field];
    if (period !== 'custom') {
      if (text !== undefined) return { field, message: 'goes with period=custom only' };
      continue;
    }
    if (text === undefined) return { field, message: 'is required when period=custom' };
    const at = readDay(text);
    if (at === undefined) return { field, message: DAY_RULE };
    if (at < FIRST_DAY) return { field, message: `must be ${dayOf(FIRST_DAY)} or later` };
    if (at > now) return { field, message: `must be today (${dayOf(now)}, UTC) or earlier` };
  }
  const { date_from, date_to } = dates;
  if (date_from !== undefined && date_to !== undefined && date_from > date_to)
    return { field: 'date_to', message: 'must be the same as date_from or later' };
  return undefined;
}
