// Periods and their comparisons: whole days in UTC or in a site's time zone, or a time span up to now.
import { textsOf } from '../habits/messages.ts';
import {
  addMonths,
  DAY_MS,
  dayOf,
  HOUR_MS,
  MINUTE_MS,
  readDay,
  startOfDay,
  startOfMinute,
  startOfMonth,
} from './time.ts';
import { dayIn, instantAt, UTC, wallTime } from './zones.ts';

/** Half-open, [from, to), in milliseconds. */
export type Range = {
  from: number;
  to: number;
  /**
   * Without a zone, `from` and `to` are instants, and days are UTC days. With one they are its wall times, and the range holds the rows
   * that count towards its days (see `day` in event.ts).
   */
  zone?: string;
  /** The range moves with the clock, so it does not start at midnight. */
  rolls?: true;
  /** How many minutes past the full hour its hours start, if its first one is cut. */
  pastHour?: number;
};
type Dates = { date_from?: string | undefined; date_to?: string | undefined };
export type AskedPeriod = { period: Period } & Dates;

/**
 * `now`: a wall time of the zone, or an instant if the range has none. `firstAt`: day or time of the site's first event, needed by `all`.
 */
type Given = Dates & { now: number; firstAt: number | undefined };
type PeriodRow = {
  label: string;
  /** The keyboard shortcut in the dashboard. */
  key: string;
  range(given: Given): Range;
  /** How to find the previous period: the same length, the same part of the previous month or year, the previous whole month, or none. */
  previous: 'length' | 'month' | 'whole_month' | 'year' | 'nothing';
  /** The range ends now, so its ends and `now` are instants. */
  rolls?: true;
};

const tomorrow = (now: number) => startOfDay(now) + DAY_MS;
/** The last full days, without today. */
const lastDays = (days: number) => ({
  range: ({ now }: Given) => ({ from: startOfDay(now) - days * DAY_MS, to: startOfDay(now) }),
  previous: 'length' as const,
});
/** Ends with the current minute, so that all queries within one minute have the same answer. */
const lastTime = (length: number) => ({
  range: ({ now }: Given) => {
    const to = startOfMinute(now) + MINUTE_MS;
    return { from: to - length, to };
  },
  previous: 'length' as const,
  rolls: true as const,
});

export const PERIODS = textsOf(['label'], {
  today: {
    label: 'Today',
    key: 'D',
    range: ({ now }) => ({ from: startOfDay(now), to: tomorrow(now) }),
    previous: 'length',
  },
  yesterday: { label: 'Yesterday', key: 'E', ...lastDays(1) },
  '60m': { label: 'Last 60 minutes', key: 'N', ...lastTime(HOUR_MS) },
  '24h': { label: 'Last 24 hours', key: 'H', ...lastTime(24 * HOUR_MS) },
  '7d': { label: 'Last 7 days', key: 'W', ...lastDays(7) },
  '30d': { label: 'Last 30 days', key: 'T', ...lastDays(30) },
  '91d': { label: 'Last 91 days', key: 'Q', ...lastDays(91) },
  month: {
    label: 'Month to date',
    key: 'M',
    range: ({ now }) => ({ from: startOfMonth(now), to: tomorrow(now) }),
    previous: 'month',
  },
  last_month: {
    label: 'Last month',
    key: 'P',
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
  /** Starts with the site's first event. */
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
    previous: 'length' as const,
  },
} as const satisfies Record<string, PeriodRow>);

export type Period = keyof typeof PERIODS;
export const PERIOD_NAMES = Object.keys(PERIODS) as [Period, ...Period[]];

/** `zone`: the zone whose days count, UTC by default. Only `all` needs `firstAt`. */
type Place = { zone?: string | undefined; firstAt?: number | undefined };

export function resolvePeriod({ period, ...dates }: AskedPeriod, now: number, { zone, firstAt }: Place = {}): Range {
  const row: PeriodRow = PERIODS[period];
  if (row.rolls) return { ...row.range({ now, firstAt }), rolls: true };
  if (zone === undefined) return row.range({ ...dates, now, firstAt });
  return { ...row.range({ ...dates, now: wallTime(now, zone), firstAt }), zone };
}

export const isRolling = (period: Period): boolean => Object.hasOwn(PERIODS[period], 'rolls');

export const COMPARISONS = textsOf(['label'], {
  previous: { label: 'Previous period' },
  weekdays: { label: 'Previous period, same weekdays' },
  year: { label: 'Same period last year' },
  custom: { label: 'Custom range' },
  none: { label: 'No comparison' },
} as const satisfies Record<string, { label: string }>);

export type Comparison = keyof typeof COMPARISONS;
export const COMPARISON_NAMES = Object.keys(COMPARISONS) as [Comparison, ...Comparison[]];
/** Those that need no dates of their own. */
export const NAMED_COMPARISONS = COMPARISON_NAMES.filter((name) => name !== 'custom');
/** The days of a custom comparison, both included. */
export type ComparedDates = { compare_from?: string | undefined; compare_to?: string | undefined };
type AskedComparison = { period: Period; compare: Comparison } & ComparedDates;

const WEEK_MS = 7 * DAY_MS;

/** Returns the range to compare with; undefined when there is none. */
export function resolveComparison(range: Range, { period, compare, ...dates }: AskedComparison): Range | undefined {
  const { previous }: PeriodRow = PERIODS[period];
  const earlier = (ms: number) => ({ ...range, from: range.from - ms, to: range.to - ms });
  switch (compare === 'previous' ? previous : compare) {
    case 'length':
      return earlier(range.to - range.from);
    case 'weekdays':
      // the fewest whole weeks that keep the two ranges from overlapping
      return previous === 'nothing' ? undefined : earlier(Math.ceil((range.to - range.from) / WEEK_MS) * WEEK_MS);
    case 'month':
      return shiftMonths(range, -1);
    case 'whole_month':
      return { ...range, from: startOfMonth(range.from, -1), to: range.from };
    case 'year':
      return shiftMonths(range, -12);
    case 'custom': {
      const [from, to] = [readDay(dates.compare_from ?? ''), readDay(dates.compare_to ?? '')];
      return from === undefined || to === undefined ? undefined : { ...range, from, to: to + DAY_MS };
    }
    case 'nothing':
    case 'none':
      return undefined;
  }
}

/**
 * Cuts a comparison to the time that has passed in `range`, so that an unfinished day is compared with the same hours. A custom comparison
 * of another length stays whole.
 */
export function untilNow(whole: Range, { range, compare }: { range: Range; compare: Comparison }, now: number): Range {
  const shown = range.zone === undefined ? now : wallTime(now, range.zone);
  const isOtherLength = whole.to - whole.from !== range.to - range.from;
  if (shown >= range.to || (compare === 'custom' && isOtherLength)) return whole;
  return { ...whole, to: Math.min(whole.to, whole.from + shown - range.from) };
}

/** The instants at which a range starts and ends. If the site had another zone before, a day may also hold events from outside them. */
export function instantsOf({ from, to, zone = UTC }: Range): { from: number; to: number } {
  return { from: instantAt(from, zone), to: instantAt(to, zone) };
}

function shiftMonths(range: Range, months: number): Range {
  const from = addMonths(range.from, months);
  const to = range.rolls ? from + range.to - range.from : addMonths(range.to - DAY_MS, months) + DAY_MS;
  return { ...range, from, to };
}

export const FIRST_DAY = Date.UTC(2000, 0, 1);
export const DAY_RULE = 'must be a date that exists, as YYYY-MM-DD';

/** True for an existing date from 2000 up to today in the zone. */
export function isPastDay(text: string, now: number, zone = UTC): boolean {
  const at = readDay(text);
  return at !== undefined && at >= FIRST_DAY && text <= dayIn(zone, now);
}

type DateField = keyof Dates | keyof ComparedDates;

/**
 * Checks the fields together. `custom` needs both dates, in order, between 2000 and today in the zone; other periods take no dates. Returns
 * undefined if all fields are valid.
 */
export function periodProblem(
  asked: { period: string; compare?: string } & Dates & ComparedDates,
  now: number,
  zone = UTC,
): { field: DateField | 'compare'; message: string } | undefined {
  const dates = { first: 'date_from', last: 'date_to', wants: 'period=custom', isCustom: asked.period === 'custom' };
  const compared = {
    first: 'compare_from',
    last: 'compare_to',
    wants: 'compare=custom',
    isCustom: asked.compare === 'custom',
  };
  for (const span of [dates, compared] as Span[]) {
    const problem = spanProblem(asked, span, { zone, today: dayIn(zone, now) });
    if (problem) return problem;
  }
  if (compared.isCustom && Object.hasOwn(PERIODS, asked.period) && isRolling(asked.period as Period))
    return { field: 'compare', message: 'custom is allowed only with periods of whole days' };
  return undefined;
}

type Span = { first: DateField; last: DateField; wants: string; isCustom: boolean };
type AskedDates = Dates & ComparedDates;

function spanProblem(asked: AskedDates, { first, last, wants, isCustom }: Span, days: { zone: string; today: string }) {
  for (const field of [first, last]) {
    const text = asked[field];
    if (!isCustom) {
      if (text !== undefined) return { field, message: `is allowed only with ${wants}` };
      continue;
    }
    if (text === undefined) return { field, message: `is required when ${wants}` };
    const at = readDay(text);
    if (at === undefined) return { field, message: DAY_RULE };
    if (at < FIRST_DAY) return { field, message: `must be ${dayOf(FIRST_DAY)} or later` };
    if (text > days.today) return { field, message: `must be today (${days.today}, ${days.zone}) or earlier` };
  }
  const [from, to] = [asked[first], asked[last]];
  if (from !== undefined && to !== undefined && from > to)
    return { field: last, message: `must be the same as ${first} or later` };
  return undefined;
}
