// Periods, and what they are compared with, as UTC days. Ranges are half-open, [from, to), in milliseconds.
import { DAY_MS, dayOf, readDay, startOfDay, startOfMonth } from './time.ts';

export type Range = { from: number; to: number };
export type Dates = { date_from?: string | undefined; date_to?: string | undefined };
export type AskedPeriod = { period: Period } & Dates;

/** `firstAt`: the time of the site's first event, for `all`. */
type Given = Dates & { now: number; firstAt: number | undefined };
type PeriodRow = {
  label: string;
  /** The key that chooses it in the dashboard. */
  key: string;
  range(given: Given): Range;
  /** What it is compared with; undefined for nothing. */
  previous(range: Range): Range | undefined;
};

const tomorrow = (now: number) => startOfDay(now) + DAY_MS;
const monthBefore = (range: Range) => shiftMonths(range, -1);
const yearBefore = (range: Range) => shiftMonths(range, -12);
const asManyDaysBefore = ({ from, to }: Range) => ({ from: from - (to - from), to: from });
/** Full days: today is left out. */
const lastDays = (days: number) => ({
  range: ({ now }: Given) => ({ from: startOfDay(now) - days * DAY_MS, to: startOfDay(now) }),
  previous: asManyDaysBefore,
});

export const PERIODS = {
  today: {
    label: 'Today',
    key: 'D',
    range: ({ now }) => ({ from: startOfDay(now), to: tomorrow(now) }),
    previous: asManyDaysBefore,
  },
  yesterday: { label: 'Yesterday', key: 'E', ...lastDays(1) },
  '7d': { label: 'Last 7 days', key: 'W', ...lastDays(7) },
  '30d': { label: 'Last 30 days', key: 'T', ...lastDays(30) },
  '91d': { label: 'Last 91 days', key: '', ...lastDays(91) },
  month: {
    label: 'Month to date',
    key: 'M',
    range: ({ now }) => ({ from: startOfMonth(now), to: tomorrow(now) }),
    previous: monthBefore,
  },
  last_month: {
    label: 'Last month',
    key: '',
    range: ({ now }) => ({ from: startOfMonth(now, -1), to: startOfMonth(now) }),
    previous: ({ from }) => ({ from: startOfMonth(from, -1), to: from }),
  },
  year: {
    label: 'Year to date',
    key: 'Y',
    range: ({ now }) => ({ from: Date.UTC(new Date(now).getUTCFullYear(), 0, 1), to: tomorrow(now) }),
    previous: yearBefore,
  },
  /** The twelve full months before this one. */
  '12mo': {
    label: 'Last 12 months',
    key: 'L',
    range: ({ now }) => ({ from: startOfMonth(now, -12), to: startOfMonth(now) }),
    previous: yearBefore,
  },
  /** From the site's first event on. */
  all: {
    label: 'All time',
    key: 'A',
    range: ({ now, firstAt = now }) => ({ from: startOfDay(Math.min(firstAt, now)), to: tomorrow(now) }),
    previous: () => undefined,
  },
  custom: {
    label: 'Custom range',
    key: 'C',
    range: ({ now, date_from = '', date_to = '' }) => ({
      from: readDay(date_from) ?? startOfDay(now),
      to: (readDay(date_to) ?? startOfDay(now)) + DAY_MS,
    }),
    previous: asManyDaysBefore,
  },
} as const satisfies Record<string, PeriodRow>;

export type Period = keyof typeof PERIODS;
export const PERIOD_NAMES = Object.keys(PERIODS) as [Period, ...Period[]];

/** The days of a period. `firstAt` is needed for `all` alone. */
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

/** The range to compare with: as many days just before (whole months and years for those periods), or a year earlier. */
export function resolveComparison(range: Range, period: Period, comparison: Comparison): Range | undefined {
  switch (comparison) {
    case 'previous':
      return PERIODS[period].previous(range);
    case 'year':
      return yearBefore(range);
    case 'none':
      return undefined;
  }
}

/** The part of a comparison that has a counterpart by now: an unfinished day is compared with the same hours. */
export function untilNow(comparison: Range, range: Range, now: number): Range {
  const elapsed = Math.min(now, range.to) - range.from;
  return now >= range.to
    ? comparison
    : { from: comparison.from, to: Math.min(comparison.to, comparison.from + elapsed) };
}

/** The last day of a shorter month stands for the days that it does not have. */
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

/**
 * What no single field can say: `custom` goes with both dates, in order, from 2000 to today (UTC). Undefined when all is well.
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
