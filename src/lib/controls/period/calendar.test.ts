import { describe, expect, it } from 'vitest';
import { dayAfter, fullDay, monthOf, monthsLater, weeksOf } from './calendar';

const bounds = { first: '2000-01-01', last: '2026-03-18' };
const after = (day: string, key: string, shiftKey = false) => dayAfter(day, { key, shiftKey }, bounds);

describe('the weeks of a month', () => {
  it('begin on Monday, and have only the days of the month', () => {
    const weeks = weeksOf('2026-03-18');
    expect(weeks).toHaveLength(6);
    expect(weeks[0]).toEqual([...Array<undefined>(6), '2026-03-01']);
    expect(weeks[1]?.[0]).toBe('2026-03-02');
    expect(weeks[5]).toEqual(['2026-03-30', '2026-03-31', ...Array<undefined>(5)]);
  });

  it('are four in a February that begins on Monday', () => {
    expect(weeksOf('2021-02-14').map(([monday]) => monday)).toEqual([
      '2021-02-01',
      '2021-02-08',
      '2021-02-15',
      '2021-02-22',
    ]);
  });

  it('have every day of a leap year once', () => {
    const days = Array.from({ length: 12 }, (_, month) => `2024-${String(month + 1).padStart(2, '0')}-01`)
      .flatMap(weeksOf)
      .flat()
      .filter((day) => day !== undefined);
    expect([days.length, new Set(days).size, days[59], days.at(-1)]).toEqual([366, 366, '2024-02-29', '2024-12-31']);
  });
});

describe('a key', () => {
  it('goes by day, by week, to the ends of the week, by month and by year', () => {
    const from = '2026-02-11'; // a Wednesday
    expect(
      Object.fromEntries(['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown'].map((key) => [key, after(from, key)])),
    ).toEqual({
      ArrowLeft: '2026-02-10',
      ArrowRight: '2026-02-12',
      ArrowUp: '2026-02-04',
      ArrowDown: '2026-02-18',
    });
    expect([after(from, 'Home'), after(from, 'End')]).toEqual(['2026-02-09', '2026-02-15']);
    expect([after(from, 'PageUp'), after(from, 'PageDown')]).toEqual(['2026-01-11', '2026-03-11']);
    expect(after(from, 'PageUp', true)).toBe('2025-02-11');
  });

  it('goes to the last day of a month that lacks the day', () => {
    expect(after('2025-03-31', 'PageUp')).toBe('2025-02-28');
    expect(after('2024-02-29', 'PageUp', true)).toBe('2023-02-28');
  });

  it('stops at the first and the last day that can be chosen', () => {
    expect(['ArrowRight', 'ArrowDown', 'End', 'PageDown'].map((key) => after('2026-03-18', key))).toEqual([
      '2026-03-18',
      '2026-03-18',
      '2026-03-18',
      '2026-03-18',
    ]);
    expect(['ArrowLeft', 'ArrowUp', 'Home', 'PageUp'].map((key) => after('2000-01-01', key))).toEqual([
      '2000-01-01',
      '2000-01-01',
      '2000-01-01',
      '2000-01-01',
    ]);
    expect(monthsLater('2026-01-31', 2, bounds)).toBe('2026-03-18');
  });

  it('that is no key of the calendar leads nowhere', () => {
    expect(['a', 'Tab', 'Escape'].map((key) => after('2026-02-11', key))).toEqual([undefined, undefined, undefined]);
  });
});

it('names days and months in full', () => {
  expect(fullDay('2026-03-05')).toMatch(/^Thursday,? 5 March 2026$/);
  expect(monthOf('2026-03')).toBe('March 2026');
});
