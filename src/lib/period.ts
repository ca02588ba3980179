// Periods as the address names them: their labels and keys, the days they stand for, and the one before and after. UTC days.
import { DAY_MS, dateRange } from './format';

export const PERIODS = [
  { name: 'today', label: 'Today', key: 'D' },
  { name: 'yesterday', label: 'Yesterday', key: 'E' },
  { name: '7d', label: 'Last 7 days', key: 'W' },
  { name: '30d', label: 'Last 30 days', key: 'T' },
  { name: '91d', label: 'Last 91 days', key: '' },
  { name: 'month', label: 'Month to date', key: 'M' },
  { name: 'last_month', label: 'Last month', key: '' },
  { name: 'year', label: 'Year to date', key: 'Y' },
  { name: '12mo', label: 'Last 12 months', key: 'L' },
  { name: 'all', label: 'All time', key: 'A' },
  { name: 'custom', label: 'Custom range', key: 'C' },
] as const;

export type PeriodName = (typeof PERIODS)[number]['name'];
export type Span = { period: PeriodName; date_from?: string | undefined; date_to?: string | undefined };
/** Both days included. */
export type Days = { from: string; to: string };

const FIRST_DAY = '2000-01-01';

export const day = (time: number): string => new Date(time).toISOString().slice(0, 10);
export const addDays = (date: string, days: number): string => day(Date.parse(date) + days * DAY_MS);
export const lengthInDays = ({ from, to }: Days): number =>
  Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1;

/** A real calendar day between 2000 and today. */
export function isDay(text: string | null | undefined, now: number): text is string {
  if (!text || !/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const time = Date.parse(text);
  return !Number.isNaN(time) && day(time) === text && text >= FIRST_DAY && text <= day(now);
}

function monthStart(date: string, months = 0): string {
  const at = new Date(date);
  return day(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + months, 1));
}

/** The days of a period; undefined for all time, which only the server knows. */
export function daysOf(span: Span, now: number): Days | undefined {
  const today = day(now);
  switch (span.period) {
    case 'today':
      return { from: today, to: today };
    case 'yesterday':
      return { from: addDays(today, -1), to: addDays(today, -1) };
    case '7d':
    case '30d':
    case '91d':
      return { from: addDays(today, -Number.parseInt(span.period, 10)), to: addDays(today, -1) };
    case 'month':
      return { from: monthStart(today), to: today };
    case 'last_month':
      return { from: monthStart(today, -1), to: addDays(monthStart(today), -1) };
    case 'year':
      return { from: `${today.slice(0, 4)}-01-01`, to: today };
    case '12mo':
      return { from: monthStart(today, -12), to: addDays(monthStart(today), -1) };
    case 'custom':
      return { from: span.date_from ?? today, to: span.date_to ?? today };
    case 'all':
      return undefined;
  }
}

/** The stretch of the same length just before (-1) or after (1); undefined past today, and for all time. */
export function shift(span: Span, steps: -1 | 1, now: number): Span | undefined {
  const days = daysOf(span, now);
  if (!days) return undefined;
  const today = day(now);
  let moved: Days;
  const isWholeMonth =
    days.from.endsWith('-01') && (span.period === 'month' || addDays(days.to, 1) === monthStart(days.from, 1));
  if (isWholeMonth) {
    const from = monthStart(days.from, steps);
    moved = { from, to: addDays(monthStart(from, 1), -1) };
  } else {
    const length = lengthInDays(days);
    moved = { from: addDays(days.from, steps * length), to: addDays(days.to, steps * length) };
  }
  if (moved.from > today || moved.from < FIRST_DAY) return undefined;
  if (moved.to > today) moved.to = today;
  return spanOf(moved, now);
}

/** The shortest name for some days: today, yesterday, or a custom range. */
export function spanOf(days: Days, now: number): Span {
  for (const period of ['today', 'yesterday', '7d', '30d', 'last_month'] as const) {
    const named = daysOf({ period }, now);
    if (named?.from === days.from && named.to === days.to) return { period };
  }
  return { period: 'custom', date_from: days.from, date_to: days.to };
}

export function spanLabel(span: Span): string {
  if (span.period === 'custom') return dateRange(span.date_from ?? '', span.date_to ?? '') || 'Custom range';
  return PERIODS.find((period) => period.name === span.period)?.label ?? '';
}

export function includesNow(span: Span, now: number): boolean {
  const days = daysOf(span, now);
  return !days || days.to >= day(now);
}

/** True when the range certainly has more than one day: then visitors are a sum of daily ones. */
export function isManyDays(span: Span, now: number): boolean {
  const days = daysOf(span, now);
  return !days || lengthInDays(days) > 1;
}

/** False where nothing was counted yet in the whole time that a period is compared with. */
export const hasCounterpart = (
  answer: { compare: { date_to: string; counted_since: string | null } | null } | undefined,
): boolean => !answer?.compare?.counted_since || answer.compare.counted_since <= answer.compare.date_to;
