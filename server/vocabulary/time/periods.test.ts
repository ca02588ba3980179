import { describe, expect, it, test } from 'vitest';
import {
  type AskedPeriod,
  type ComparedDates,
  type Comparison,
  isPastDay,
  isRolling,
  type Period,
  PERIOD_NAMES,
  periodProblem,
  type Range,
  resolveComparison,
  resolvePeriod,
  untilNow,
} from './periods.ts';
import { DAY_MS, dayOf, HOUR_MS, MINUTE_MS, readDay } from './time.ts';
import { instantAt } from './zones.ts';

const NOW = Date.UTC(2026, 10, 21, 12);
const FIRST_AT = Date.UTC(2025, 3, 5, 6);
const CUSTOM = { date_from: '2026-10-01', date_to: '2026-10-07' };

/** First and last day of each period and of its comparisons, both included. */
const DAYS: Record<
  Exclude<Period, '60m' | '24h'>,
  { days: string; previous: string | undefined; weekdays: string | undefined; year: string }
> = {
  today: {
    days: '2026-11-21 2026-11-21',
    previous: '2026-11-20 2026-11-20',
    weekdays: '2026-11-14 2026-11-14',
    year: '2025-11-21 2025-11-21',
  },
  yesterday: {
    days: '2026-11-20 2026-11-20',
    previous: '2026-11-19 2026-11-19',
    weekdays: '2026-11-13 2026-11-13',
    year: '2025-11-20 2025-11-20',
  },
  '7d': {
    days: '2026-11-14 2026-11-20',
    previous: '2026-11-07 2026-11-13',
    weekdays: '2026-11-07 2026-11-13',
    year: '2025-11-14 2025-11-20',
  },
  '30d': {
    days: '2026-10-22 2026-11-20',
    previous: '2026-09-22 2026-10-21',
    weekdays: '2026-09-17 2026-10-16',
    year: '2025-10-22 2025-11-20',
  },
  '91d': {
    days: '2026-08-22 2026-11-20',
    previous: '2026-05-23 2026-08-21',
    weekdays: '2026-05-23 2026-08-21',
    year: '2025-08-22 2025-11-20',
  },
  month: {
    days: '2026-11-01 2026-11-21',
    previous: '2026-10-01 2026-10-21',
    weekdays: '2026-10-11 2026-10-31',
    year: '2025-11-01 2025-11-21',
  },
  last_month: {
    days: '2026-10-01 2026-10-31',
    previous: '2026-09-01 2026-09-30',
    weekdays: '2026-08-27 2026-09-26',
    year: '2025-10-01 2025-10-31',
  },
  year: {
    days: '2026-01-01 2026-11-21',
    previous: '2025-01-01 2025-11-21',
    weekdays: '2025-02-06 2025-12-27',
    year: '2025-01-01 2025-11-21',
  },
  '12mo': {
    days: '2025-11-01 2026-10-31',
    previous: '2024-11-01 2025-10-31',
    weekdays: '2024-10-26 2025-10-25',
    year: '2024-11-01 2025-10-31',
  },
  all: { days: '2025-04-05 2026-11-21', previous: undefined, weekdays: undefined, year: '2024-04-05 2025-11-21' },
  custom: {
    days: '2026-10-01 2026-10-07',
    previous: '2026-09-24 2026-09-30',
    weekdays: '2026-09-24 2026-09-30',
    year: '2025-10-01 2025-10-07',
  },
};

const asked = (period: Period): AskedPeriod => ({ period, ...(period === 'custom' && CUSTOM) });
const daysOf = ({ from, to }: Range) => `${dayOf(from)} ${dayOf(to - DAY_MS)}`;

describe.each(Object.keys(DAYS) as (keyof typeof DAYS)[])('the period %s', (period) => {
  const range = resolvePeriod(asked(period), NOW, { firstAt: FIRST_AT });

  it('consists of whole UTC days', () => {
    expect(daysOf(range)).toBe(DAYS[period].days);
    expect([range.from % DAY_MS, range.to % DAY_MS]).toEqual([0, 0]);
  });

  it('is compared with the one before, the same weekdays before, a year earlier, chosen days, or with nothing', () => {
    const compared = (compare: Comparison, days?: ComparedDates) => {
      const before = resolveComparison(range, { period, compare, ...days });
      return before && daysOf(before);
    };
    expect(compared('previous')).toBe(DAYS[period].previous);
    expect(compared('weekdays')).toBe(DAYS[period].weekdays);
    expect(compared('custom', { compare_from: '2024-02-29', compare_to: '2024-03-01' })).toBe('2024-02-29 2024-03-01');
    expect(compared('year')).toBe(DAYS[period].year);
    expect(compared('none')).toBeUndefined();
  });
});

test('a comparison with a shorter month ends on the last day of that month', () => {
  const march = resolvePeriod({ period: 'month' }, Date.UTC(2026, 2, 31, 12));
  expect(daysOf(resolveComparison(march, { period: 'month', compare: 'previous' }) as Range)).toBe(
    '2026-02-01 2026-02-28',
  );
});

test('a custom period has existing days from 2000 to today, in order', () => {
  const problem = (date_from: string | undefined, date_to: string | undefined) =>
    periodProblem({ period: 'custom', date_from, date_to }, NOW)?.field;
  for (const day of ['2000-01-01', '2026-11-21'])
    expect([problem(day, '2026-11-21'), isPastDay(day, NOW)], day).toEqual([undefined, true]);
  for (const day of ['2026-11-22', '2026-02-30', '1999-12-31', '2026-1-1', ''])
    expect([problem(day, '2026-11-21'), isPastDay(day, NOW)], day).toEqual(['date_from', false]);
  expect(problem(undefined, '2026-11-21')).toBe('date_from');
  expect(problem('2026-11-02', '2026-11-01')).toBe('date_to');
  expect(periodProblem({ period: 'today', date_to: '2026-11-01' }, NOW)?.field).toBe('date_to');
});

test.each(PERIOD_NAMES.filter(isRolling))('the period %s ends with the current minute, whatever the zone', (period) => {
  const now = NOW + 34 * MINUTE_MS + 56_789;
  const range = resolvePeriod({ period }, now, { zone: 'Asia/Kolkata' });
  const length = period === '60m' ? HOUR_MS : DAY_MS;
  expect(range).toEqual({ from: NOW + 35 * MINUTE_MS - length, to: NOW + 35 * MINUTE_MS, rolls: true });
  const compared = (compare: Comparison) => resolveComparison(range, { period, compare });
  const earlier = (ms: number) => ({ ...range, from: range.from - ms, to: range.to - ms });
  expect(compared('previous')).toEqual(earlier(length));
  expect(compared('weekdays')).toEqual(earlier(7 * DAY_MS));
  expect(compared('year')).toEqual(earlier(365 * DAY_MS));
});

test('today is the day of the zone, and is compared with the same hours of its clock', () => {
  const zone = 'America/Los_Angeles';
  // 01:30 in UTC on the day after clocks went back there: 17:30 of the day before.
  const now = Date.UTC(2026, 10, 3, 1, 30);
  const today = resolvePeriod({ period: 'today' }, now, { zone });
  expect([daysOf(today), today.zone]).toEqual(['2026-11-02 2026-11-02', zone]);
  const cut = (compare: Comparison, days?: ComparedDates) => {
    const whole = resolveComparison(today, { period: 'today', compare, ...days }) as Range;
    return untilNow(whole, { range: today, compare }, now);
  };
  expect(instantAt(cut('previous').to, zone)).toBe(now - DAY_MS);
  // A week before, its clock was an hour closer to UTC.
  expect(instantAt(cut('weekdays').to, zone)).toBe(now - 7 * DAY_MS - HOUR_MS);
  expect(cut('custom', { compare_from: '2026-10-01', compare_to: '2026-10-01' }).to % DAY_MS).toBe(17.5 * HOUR_MS);
  expect(cut('custom', { compare_from: '2026-10-01', compare_to: '2026-10-02' }).to).toBe(readDay('2026-10-03'));
});

test('a day is past once it has begun in the zone', () => {
  const now = Date.UTC(2026, 10, 21, 12);
  const last = (zone: string) =>
    ['2026-11-20', '2026-11-21', '2026-11-22'].filter((day) => isPastDay(day, now, zone)).at(-1);
  expect([last('Pacific/Kiritimati'), last('Etc/GMT+12'), last('UTC')]).toEqual([
    '2026-11-22',
    '2026-11-21',
    '2026-11-21',
  ]);
  expect(
    periodProblem({ period: 'custom', date_from: '2026-11-22', date_to: '2026-11-22' }, now, 'Europe/Berlin'),
  ).toEqual({
    field: 'date_from',
    message: 'must be today (2026-11-21, Europe/Berlin) or earlier',
  });
});

test('a custom comparison needs valid days, and a period of whole days', () => {
  const problem = (period: Period, compare: Comparison, days: ComparedDates = {}) =>
    periodProblem({ ...asked(period), compare, ...days }, NOW)?.field;
  const days = { compare_from: '2026-10-01', compare_to: '2026-10-07' };
  for (const period of PERIOD_NAMES)
    expect(problem(period, 'custom', days), period).toBe(isRolling(period) ? 'compare' : undefined);
  expect(problem('7d', 'custom')).toBe('compare_from');
  expect(problem('7d', 'custom', { ...days, compare_to: '2026-09-30' })).toBe('compare_to');
  expect(problem('7d', 'custom', { ...days, compare_to: '2026-11-22' })).toBe('compare_to');
  expect(problem('7d', 'previous', days)).toBe('compare_from');
});
