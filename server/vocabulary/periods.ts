// Periods and their comparisons, in days of UTC or of a site's time zone, or rolling up to now.
import { DAY_MS, dayOf, HOUR_MS, MINUTE_MS, readDay, startOfDay, startOfMinute, startOfMonth } from './time.ts';
import { dayIn, instantAt, UTC, wallTime } from './zones.ts';

/** Half-open, [from, to), in milliseconds. */
export type Range = {
  from: number;
  to: number;
  /**
   * `from` and `to` are wall times of this zone, and the range holds what counts on its days (see `day` in event.ts). Without a zone they
   * are instants, and days are UTC days.
   */
  zone?: string;
  /** The range moves on with the clock, and so does not begin with a day. */
  rolls?: true;
};
export type Dates = { date_from?: string | undefined; date_to?: string | undefined };
export type AskedPeriod = { period: Period } & Dates;

/** `now` is what the clock of the days shows. `firstAt`: the day, or the time, of the site's first event, for `all`. */
type Given = Dates & { now: number; firstAt: number | undefined };
type PeriodRow = {
  label: string;
  /** The keyboard shortcut in the dashboard. */
  key: string;
  range(given: Given): Range;
  /** The previous period: just as long, the same part of the previous month or year, the whole previous month, or nothing. */
  previous: 'length' | 'month' | 'whole_month' | 'year' | 'nothing';
  /** The range ends now: it is made of instants, and `now` is one too. */
  rolls?: true;
};

const tomorrow = (now: number) => startOfDay(now) + DAY_MS;
/** The last full days, without today. */
const lastDays = (days: number) => ({
  range: ({ now }: Given) => ({ from: startOfDay(now) - days * DAY_MS, to: startOfDay(now) }),
  previous: 'length' as const,
});
/** Up to the end of the running minute, so that all questions of one minute have the same answer. */
const lastTime = (length: number) => ({
  range: ({ now }: Given) => {
    const to = startOfMinute(now) + MINUTE_MS;
    return { from: to - length, to };
  },
  previous: 'length' as const,
  rolls: true as const,
});

export const PERIODS = {
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
    previous: 'length' as const,
  },
} as const satisfies Record<string, PeriodRow>;

export type Period = keyof typeof PERIODS;
export const PERIOD_NAMES = Object.keys(PERIODS) as [Period, ...Period[]];

/** The zone whose days are asked for, UTC unless given. Only `all` needs `firstAt`. */
type Place = { zone?: string | undefined; firstAt?: number | undefined };

export function resolvePeriod({ period, ...dates }: AskedPeriod, now: number, { zone, firstAt }: Place = {}): Range {
  const row: PeriodRow = PERIODS[period];
  if (row.rolls) return { ...row.range({ now, firstAt }), rolls: true };
  if (zone === undefined) return row.range({ ...dates, now, firstAt });
  return { ...row.range({ ...dates, now: wallTime(now, zone), firstAt }), zone };
}

export const isRolling = (period: Period): boolean => Object.hasOwn(PERIODS[period], 'rolls');

export const COMPARISONS = {
  previous: { label: 'Previous period' },
  weekdays: { label: 'Previous period, same weekdays' },
  year: { label: 'Same period last year' },
  custom: { label: 'Custom range' },
  none: { label: 'No comparison' },
} as const satisfies Record<string, { label: string }>;

export type Comparison = keyof typeof COMPARISONS;
export const COMPARISON_NAMES = Object.keys(COMPARISONS) as [Comparison, ...Comparison[]];
/** The days of a custom comparison, both included. */
export type ComparedDates = { compare_from?: string | undefined; compare_to?: string | undefined };
export type AskedComparison = { period: Period; compare: Comparison } & ComparedDates;

const WEEK_MS = 7 * DAY_MS;

/** Returns the range to compare with; undefined when there is none. */
export function resolveComparison(range: Range, { period, compare, ...dates }: AskedComparison): Range | undefined {
  const { previous }: PeriodRow = PERIODS[period];
  const earlier = (ms: number) => ({ ...range, from: range.from - ms, to: range.to - ms });
  switch (compare === 'previous' ? previous : compare) {
    case 'length':
      return earlier(range.to - range.from);
    case 'weekdays':
      // The least number of whole weeks after which the two do not overlap.
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
 * Cuts a comparison to the time that has passed in `range`: an unfinished day is compared with the same hours. Only chosen days of another
 * number stay whole.
 */
export function untilNow(whole: Range, { range, compare }: { range: Range; compare: Comparison }, now: number): Range {
  const shown = range.zone === undefined ? now : wallTime(now, range.zone);
  const isOtherLength = whole.to - whole.from !== range.to - range.from;
  if (shown >= range.to || (compare === 'custom' && isOtherLength)) return whole;
  return { ...whole, to: Math.min(whole.to, whole.from + shown - range.from) };
}

/** The instants between which a range lies. The days of a zone hold only events from between them, unless its site had another zone. */
export function instantsOf({ from, to, zone = UTC }: Range): { from: number; to: number } {
  return { from: instantAt(from, zone), to: instantAt(to, zone) };
}

/** Shifts a range by months. A day that the target month does not have becomes its last day. */
function shiftMonths(range: Range, months: number): Range {
  const shift = (time: number) => {
    const date = new Date(time);
    const lastDay = new Date(startOfMonth(time, months + 1) - DAY_MS).getUTCDate();
    const day = startOfMonth(time, months) + (Math.min(date.getUTCDate(), lastDay) - 1) * DAY_MS;
    return day + time - startOfDay(time);
  };
  const from = shift(range.from);
  return { ...range, from, to: range.rolls ? from + range.to - range.from : shift(range.to - DAY_MS) + DAY_MS };
}

export const FIRST_DAY = Date.UTC(2000, 0, 1);
export const DAY_RULE = 'must be a date that exists, as YYYY-MM-DD';

/** True for an existing day from 2000 to today in the zone. */
export function isPastDay(text: string, now: number, zone = UTC): boolean {
  const at = readDay(text);
  return at !== undefined && at >= FIRST_DAY && text <= dayIn(zone, now);
}

type DateField = keyof Dates | keyof ComparedDates;

/**
 * Checks the fields together: `custom` needs both of its dates, in order, from 2000 to today in the zone, and others take none. Undefined
 * when all are valid.
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
    return { field: 'compare', message: 'custom goes with periods of days only' };
  return undefined;
}

type Span = { first: DateField; last: DateField; wants: string; isCustom: boolean };
type AskedDates = Dates & ComparedDates;

function spanProblem(asked: AskedDates, { first, last, wants, isCustom }: Span, days: { zone: string; today: string }) {
  for (const field of [first, last]) {
    const text = asked[field];
    if (!isCustom) {
      if (text !== undefined) return { field, message: `goes with ${wants} only` };
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
