import { describe, expect, it } from 'vitest';
import { PERIOD_NAMES } from '../../../server/vocabulary/time/periods.ts';
import { daysOf, includesNow, isManyDays, periodLabel, periodOf, shift } from './period';

const NOW = Date.UTC(2026, 10, 21, 12);

describe('the days of a period', () => {
  it('are unknown for all time, which includes now', () => {
    expect(daysOf({ period: 'all' }, NOW)).toBeUndefined();
    expect(includesNow({ period: 'all' }, NOW)).toBe(true);
    expect(isManyDays({ period: 'all' }, NOW)).toBe(true);
  });

  it('include now only if today is among them, or they end now', () => {
    const including = PERIOD_NAMES.filter((period) => period !== 'custom' && includesNow({ period }, NOW));
    expect(including).toEqual(['today', '60m', '24h', 'month', 'year', 'all']);
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

  it('has its shortest name', () => {
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

  it('does not go back before the year 2000, nor beyond all time', () => {
    expect(shift({ period: 'custom', date_from: '2000-01-01', date_to: '2000-01-05' }, -1, NOW)).toBeUndefined();
    expect(shift({ period: 'all' }, -1, NOW)).toBeUndefined();
  });
});

describe('the period of chosen days', () => {
  const named = PERIOD_NAMES.filter((period) => daysOf({ period }, NOW) && period !== 'custom');

  it('is the one that has these days now', () => {
    expect(named).toEqual(['today', 'yesterday', '7d', '30d', '91d', 'month', 'last_month', 'year', '12mo']);
    for (const period of named)
      expect(periodOf(daysOf({ period }, NOW) ?? { from: '', to: '' }, NOW)).toEqual({ period });
  });

  it('is the shortest one where several have them', () => {
    const newYear = Date.UTC(2027, 0, 1, 12);
    expect(periodOf({ from: '2027-01-01', to: '2027-01-01' }, newYear)).toEqual({ period: 'today' });
    expect(periodOf({ from: '2027-01-01', to: '2027-01-02' }, Date.UTC(2027, 0, 2, 12))).toEqual({ period: 'month' });
  });

  it('is a custom range for all other days, and by the clock of the site’s zone', () => {
    const monthToDate = { from: '2026-11-01', to: '2026-11-21' };
    expect(periodOf({ ...monthToDate, to: '2026-11-20' }, NOW)).toMatchObject({ period: 'custom' });
    expect(periodOf(monthToDate, NOW, 'Pacific/Kiritimati')).toMatchObject({ period: 'custom' }); // already the 22nd
  });

  it('is named again on the way back', () => {
    const before = shift({ period: 'month' }, -1, NOW);
    expect(before && shift(before, 1, NOW)).toEqual({ period: 'month' });
  });
});

it('names ranges', () => {
  expect(periodLabel({ period: '30d' })).toBe('Last 30 days');
  expect(periodLabel({ period: 'custom', date_from: '2026-11-03', date_to: '2026-11-09' })).toBe('3 – 9 Nov 2026');
  expect(periodOf({ from: '2026-11-14', to: '2026-11-20' }, NOW)).toEqual({ period: '7d' });
});
