import { describe, expect, test } from 'vitest';
import { type Calendar, lastEnd, nextEnd } from './calendar.ts';

const at = (text: string) => Date.parse(`${text}Z`);
const ends = (calendar: Calendar, time: string) =>
  [lastEnd(calendar, at(time)), nextEnd(calendar, at(time))].map((end) => new Date(end).toISOString().slice(0, 16));

describe('a job is due', () => {
  test('at a fixed interval, counted from the epoch', () => {
    expect(ends({ everyMs: 600_000 }, '2026-11-22T10:04:59')).toEqual(['2026-11-22T10:00', '2026-11-22T10:10']);
    expect(ends({ everyMs: 600_000 }, '2026-11-22T10:10')).toEqual(['2026-11-22T10:10', '2026-11-22T10:20']);
  });

  test('daily at a time of day in UTC', () => {
    expect(ends({ daily: '07:30' }, '2026-11-22T07:29:59')).toEqual(['2026-11-21T07:30', '2026-11-22T07:30']);
    expect(ends({ daily: '07:30' }, '2026-11-22T07:30')).toEqual(['2026-11-22T07:30', '2026-11-23T07:30']);
  });

  test('weekly on a weekday', () => {
    const monday: Calendar = { weekly: 'monday', at: '06:00' };
    expect(ends(monday, '2026-11-22T12:00')).toEqual(['2026-11-16T06:00', '2026-11-23T06:00']); // a Sunday
    expect(ends(monday, '2026-11-23T05:59')).toEqual(['2026-11-16T06:00', '2026-11-23T06:00']);
    expect(ends(monday, '2026-11-23T06:00')).toEqual(['2026-11-23T06:00', '2026-11-30T06:00']);
    expect(ends({ weekly: 'sunday', at: '00:00' }, '2026-11-22T00:00')).toEqual([
      '2026-11-22T00:00',
      '2026-11-29T00:00',
    ]);
  });

  test('monthly on a day, or on the last one of a shorter month', () => {
    expect(ends({ monthly: 1, at: '00:00' }, '2026-01-01T00:00')).toEqual(['2026-01-01T00:00', '2026-02-01T00:00']);
    expect(ends({ monthly: 15, at: '08:00' }, '2026-01-15T07:59')).toEqual(['2025-12-15T08:00', '2026-01-15T08:00']);
    expect(ends({ monthly: 31, at: '08:00' }, '2026-03-01T00:00')).toEqual(['2026-02-28T08:00', '2026-03-31T08:00']);
    expect(ends({ monthly: 31, at: '08:00' }, '2028-02-29T07:00')).toEqual(['2028-01-31T08:00', '2028-02-29T08:00']);
  });

  const CALENDARS: Calendar[] = [
    { everyMs: 5_000 },
    { daily: '23:59' },
    { weekly: 'wednesday', at: '12:00' },
    { monthly: 30, at: '00:01' },
  ];
  test.each(CALENDARS)('at the ends of consecutive periods, without a gap: %j', (calendar) => {
    let end = lastEnd(calendar, at('2026-01-31T12:34'));
    for (let step = 0; step < 200; step += 1) {
      const next = nextEnd(calendar, end);
      expect(next).toBeGreaterThan(end);
      expect([lastEnd(calendar, next - 1), lastEnd(calendar, next), nextEnd(calendar, next - 1)]).toEqual([
        end,
        next,
        next,
      ]);
      end = next;
    }
  });
});
