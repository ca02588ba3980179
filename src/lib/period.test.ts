import { describe, expect, it } from 'vitest';
import { resolvePeriod } from '../../server/stats/period.ts';
import { DAY_MS, dayOf } from '../../server/vocabulary/time.ts';
import { daysOf, includesNow, isDay, isManyDays, PERIODS, shift, spanLabel, spanOf } from './period';

const NOW = Date.UTC(2026, 10, 21, 12);

describe('the days of a period', () => {
  it('are those that the server means', () => {
    for (const { name } of PERIODS) {
      if (name === 'all') continue;
      const custom = name === 'custom' ? { date_from: '2026-10-01', date_to: '2026-10-07' } : {};
      const range = resolvePeriod({ period: name, ...custom }, NOW, undefined);
      const days = daysOf({ period: name, ...custom }, NOW);
      expect(days, name).toEqual({ from: dayOf(range.from), to: dayOf(range.to - DAY_MS) });
    }
  });

  it('are unknown for all time, which includes now', () => {
    expect(daysOf({ period: 'all' }, NOW)).toBeUndefined();
    expect(includesNow({ period: 'all' }, NOW)).toBe(true);
    expect(isManyDays({ period: 'all' }, NOW)).toBe(true);
  });

  it('include now only where today is among them', () => {
    const including = PERIODS.filter(({ name }) => name !== 'custom' && includesNow({ period: name }, NOW));
    expect(including.map(({ name }) => name)).toEqual(['today', 'month', 'year', 'all']);
  });
});

describe('the period before and after', () => {
  it('has the same length', () => {
    expect(shift({ period: '7d' }, -1, NOW)).toEqual({
      period: 'custom',
      date_from: '2026-11-07',
      date_to: '2026-11-13',
    });
  });

  it('goes by its shortest name', () => {
    expect(shift({ period: 'today' }, -1, NOW)).toEqual({ period: 'yesterday' });
    expect(shift({ period: 'yesterday' }, 1, NOW)).toEqual({ period: 'today' });
  });

  it('is a whole month for months', () => {
    expect(shift({ period: 'month' }, -1, NOW)).toEqual({ period: 'last_month' });
    expect(shift({ period: 'last_month' }, -1, NOW)).toEqual({
      period: 'custom',
      date_from: '2026-09-01',
      date_to: '2026-09-30',
    });
  });

  it('never begins after today nor ends after it', () => {
    expect(shift({ period: 'today' }, 1, NOW)).toBeUndefined();
    expect(shift({ period: 'custom', date_from: '2026-11-10', date_to: '2026-11-18' }, 1, NOW)).toEqual({
      period: 'custom',
      date_from: '2026-11-19',
      date_to: '2026-11-21',
    });
  });

  it('does not go before the year 2000, nor beyond all time', () => {
    expect(shift({ period: 'custom', date_from: '2000-01-01', date_to: '2000-01-05' }, -1, NOW)).toBeUndefined();
    expect(shift({ period: 'all' }, -1, NOW)).toBeUndefined();
  });
});

it('takes real days up to today, and nothing else', () => {
  expect(
    ['2026-11-21', '2026-11-22', '2026-02-30', '1999-12-31', '2026-1-1', '', null].map((text) => isDay(text, NOW)),
  ).toEqual([true, false, false, false, false, false, false]);
});

it('names ranges', () => {
  expect(spanLabel({ period: '30d' })).toBe('Last 30 days');
  expect(spanLabel({ period: 'custom', date_from: '2026-11-03', date_to: '2026-11-09' })).toBe('3 – 9 Nov 2026');
  expect(spanOf({ from: '2026-11-14', to: '2026-11-20' }, NOW)).toEqual({ period: '7d' });
});
