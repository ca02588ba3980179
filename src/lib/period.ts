// The period that the dashboard shows, in days: its name, and the periods before and after it.
import { type AskedPeriod, FIRST_DAY, PERIODS, type Range, resolvePeriod } from '../../server/vocabulary/periods.ts';
import { DAY_MS, dayOf, startOfDay, startOfMonth } from '../../server/vocabulary/time.ts';
import { dateRange } from './format';

/** Both days included. */
export type Days = { from: string; to: string };

const daysIn = ({ from, to }: Range): Days => ({ from: dayOf(from), to: dayOf(to - DAY_MS) });

/** undefined for all time, whose first day only the server knows. */
const rangeOf = (asked: AskedPeriod, now: number): Range | undefined =>
  asked.period === 'all' ? undefined : resolvePeriod(asked, now);

export function daysOf(asked: AskedPeriod, now: number): Days | undefined {
  const range = rangeOf(asked, now);
  return range && daysIn(range);
}

/** The same number of days just before (-1) or after (1), or the whole month. Undefined past today, and for all time. */
export function shift(asked: AskedPeriod, steps: -1 | 1, now: number): AskedPeriod | undefined {
  const range = rangeOf(asked, now);
  if (!range) return undefined;
  const { from, to } = range;
  const isMonth = from === startOfMonth(from) && (asked.period === 'month' || to === startOfMonth(from, 1));
  const moved = isMonth
    ? { from: startOfMonth(from, steps), to: startOfMonth(from, steps + 1) }
    : { from: from + steps * (to - from), to: to + steps * (to - from) };
  if (moved.from > now || moved.from < FIRST_DAY) return undefined;
  return periodOf(daysIn({ from: moved.from, to: Math.min(moved.to, startOfDay(now) + DAY_MS) }), now);
}

/** The shortest name for some days: today, yesterday, or a custom range. */
export function periodOf({ from, to }: Days, now: number): AskedPeriod {
  for (const period of ['today', 'yesterday', '7d', '30d', 'last_month'] as const) {
    const named = daysOf({ period }, now);
    if (named?.from === from && named.to === to) return { period };
  }
  return { period: 'custom', date_from: from, date_to: to };
}

export function periodLabel({ period, date_from = '', date_to = '' }: AskedPeriod): string {
  return (period === 'custom' && dateRange(date_from, date_to)) || PERIODS[period].label;
}

export function includesNow(asked: AskedPeriod, now: number): boolean {
  const range = rangeOf(asked, now);
  return !range || range.to > now;
}

/** True when the range certainly has more than one day: its visitors are then a sum of daily ones. */
export function isManyDays(asked: AskedPeriod, now: number): boolean {
  const range = rangeOf(asked, now);
  return !range || range.to - range.from > DAY_MS;
}

/** False when nothing had been counted yet in the whole period of comparison. */
export const hasCounterpart = (
  answer: { compare: { date_to: string; counted_since: string | null } | null } | undefined,
): boolean => !answer?.compare?.counted_since || answer.compare.counted_since <= answer.compare.date_to;
