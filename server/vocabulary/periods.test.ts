import { describe, expect, it, test } from 'vitest';
import {
  type AskedPeriod,
  isPastDay,
  type Period,
  PERIOD_NAMES,
  periodProblem,
  type Range,
  resolveComparison,
  resolvePeriod,
} from './periods.ts';
import { DAY_MS, dayOf } from './time.ts';

const NOW = Date.UTC(2026, 10, 21, 12);
const FIRST_AT = Date.UTC(2025, 3, 5, 6);
const CUSTOM = { date_from: '2026-10-01', date_to: '2026-10-07' };

/** First and last day of each period and of its comparisons, both included. */
const DAYS: Record<Period, { days: string; previous: string | undefined; year: string }> = {
  today: { days: '2026-11-21 2026-11-21', previous: '2026-11-20 2026-11-20', year: '2025-11-21 2025-11-21' },
  yesterday: { days: '2026-11-20 2026-11-20', previous: '2026-11-19 2026-11-19', year: '2025-11-20 2025-11-20' },
  '7d': { days: '2026-11-14 2026-11-20', previous: '2026-11-07 2026-11-13', year: '2025-11-14 2025-11-20' },
  '30d': { days: '2026-10-22 2026-11-20', previous: '2026-09-22 2026-10-21', year: '2025-10-22 2025-11-20' },
  '91d': { days: '2026-08-22 2026-11-20', previous: '2026-05-23 2026-08-21', year: '2025-08-22 2025-11-20' },
  month: { days: '2026-11-01 2026-11-21', previous: '2026-10-01 2026-10-21', year: '2025-11-01 2025-11-21' },
  last_month: { days: '2026-10-01 2026-10-31', previous: '2026-09-01 2026-09-30', year: '2025-10-01 2025-10-31' },
  year: { days: '2026-01-01 2026-11-21', previous: '2025-01-01 2025-11-21', year: '2025-01-01 2025-11-21' },
  '12mo': { days: '2025-11-01 2026-10-31', previous: '2024-11-01 2025-10-31', year: '2024-11-01 2025-10-31' },
  all: { days: '2025-04-05 2026-11-21', previous: undefined, year: '2024-04-05 2025-11-21' },
  custom: { days: '2026-10-01 2026-10-07', previous: '2026-09-24 2026-09-30', year: '2025-10-01 2025-10-07' },
};

const asked = (period: Period): AskedPeriod => ({ period, ...(period === 'custom' && CUSTOM) });
const daysOf = ({ from, to }: Range) => `${dayOf(from)} ${dayOf(to - DAY_MS)}`;

describe.each(PERIOD_NAMES)('the period %s', (period) => {
  const range = resolvePeriod(asked(period), NOW, FIRST_AT);

  it('consists of whole UTC days', () => {
    expect(daysOf(range)).toBe(DAYS[period].days);
    expect([range.from % DAY_MS, range.to % DAY_MS]).toEqual([0, 0]);
  });

  it('is compared with the one before, with a year earlier, or with nothing', () => {
    const compared = (comparison: 'previous' | 'year' | 'none') => {
      const before = resolveComparison(range, period, comparison);
      return before && daysOf(before);
    };
    expect(compared('previous')).toBe(DAYS[period].previous);
    expect(compared('year')).toBe(DAYS[period].year);
    expect(compared('none')).toBeUndefined();
  });
});

test('a comparison with a shorter month ends with its last day', () => {
  const march = resolvePeriod({ period: 'month' }, Date.UTC(2026, 2, 31, 12));
  expect(daysOf(resolveComparison(march, 'month', 'previous') as Range)).toBe('2026-02-01 2026-02-28');
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
