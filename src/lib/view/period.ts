// The period that the dashboard shows, in days: its name, and the periods before and after it.
import {
  type AskedPeriod,
  FIRST_DAY,
  isRolling,
  type Period,
  PERIOD_NAMES,
  PERIODS,
  type Range,
  resolvePeriod,
} from '../../../server/vocabulary/time/periods.ts';
import { DAY_MS, dayOf, startOfDay, startOfMonth } from '../../../server/vocabulary/time/time.ts';
import { UTC, wallTime } from '../../../server/vocabulary/time/zones.ts';
import { dateRange } from '../formats/format';

export { hasCounterpart } from '../../../server/vocabulary/numbers/figures.ts';

/** Both days included. */
export type Days = { from: string; to: string };

const daysIn = ({ from, to }: Range): Days => ({ from: dayOf(from), to: dayOf(to - DAY_MS) });

/** The days of a period, by the clock of the site's zone. Undefined for all time, whose first day only the server knows, and for a rolling period. */
const rangeOf = (asked: AskedPeriod, now: number, zone: string): Range | undefined =>
  asked.period === 'all' || isRolling(asked.period) ? undefined : resolvePeriod(asked, now, { zone });

export function daysOf(asked: AskedPeriod, now: number, zone = UTC): Days | undefined {
  const range = rangeOf(asked, now, zone);
  return range && daysIn(range);
}

/**
 * The same number of days just before (-1) or after (1), or the whole month. Undefined beyond today, for all time and for rolling periods.
 */
export function shift(asked: AskedPeriod, steps: -1 | 1, now: number, zone = UTC): AskedPeriod | undefined {
  const range = rangeOf(asked, now, zone);
  if (!range) return undefined;
  const { from, to } = range;
  const shown = wallTime(now, zone);
  const isMonth = from === startOfMonth(from) && (asked.period === 'month' || to === startOfMonth(from, 1));
  const moved = isMonth
    ? { from: startOfMonth(from, steps), to: startOfMonth(from, steps + 1) }
    : { from: from + steps * (to - from), to: to + steps * (to - from) };
  if (moved.from > shown || moved.from < FIRST_DAY) return undefined;
  const days = daysIn({ from: moved.from, to: Math.min(moved.to, startOfDay(shown) + DAY_MS) });
  return periodOf(days, now, zone);
}

/** The period that has these days now, such as today or the month to date; otherwise a custom range. */
export function periodOf({ from, to }: Days, now: number, zone = UTC): AskedPeriod {
  const isNamed = (period: Period) => {
    const named = period === 'custom' ? undefined : daysOf({ period }, now, zone);
    return named?.from === from && named.to === to;
  };
  const period = PERIOD_NAMES.find(isNamed);
  return period ? { period } : { period: 'custom', date_from: from, date_to: to };
}

export function periodLabel({ period, date_from = '', date_to = '' }: AskedPeriod): string {
  return (period === 'custom' && dateRange(date_from, date_to)) || PERIODS[period].label;
}

export function includesNow(asked: AskedPeriod, now: number, zone = UTC): boolean {
  const range = rangeOf(asked, now, zone);
  return !range || range.to > wallTime(now, zone);
}

/** True if the range surely spans several days, so that its visitors are a sum of daily counts. */
export function isManyDays(asked: AskedPeriod, now: number): boolean {
  const range = rangeOf(asked, now, UTC);
  return range ? range.to - range.from > DAY_MS : asked.period === 'all';
}
