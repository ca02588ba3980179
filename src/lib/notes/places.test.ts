import { expect, it } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../../server/vocabulary/time/time.ts';
import { placesOf } from './places';

const MONDAY = Date.UTC(2026, 9, 19);
const note = (day: string) => ({ id: day, day, text: day, is_private: false, kind: 'note' as const });
const every = (step: number, count: number, from: number) => Array.from({ length: count }, (_, n) => from + n * step);
const placed = (days: string[], buckets: Parameters<typeof placesOf>[1], apart = 1) =>
  placesOf(days.map(note), buckets, apart).map(({ index, notes }) => [index, ...notes.map(({ day }) => day)]);

it('puts notes on their days, several of a day together, and leaves out those of other days', () => {
  const days = { starts: every(DAY_MS, 7, MONDAY), interval: 'day' as const, zone: 'Europe/Berlin' };
  expect(placed(['2026-10-26', '2026-10-25', '2026-10-19', '2026-10-25', '2026-10-18'], days)).toEqual([
    [0, '2026-10-19'],
    [6, '2026-10-25', '2026-10-25'],
  ]);
});

it('puts notes together whose pennants would lie on each other', () => {
  const days = { starts: every(DAY_MS, 7, MONDAY), interval: 'day' as const, zone: 'UTC' };
  const noted = ['2026-10-22', '2026-10-19', '2026-10-20', '2026-10-21'];
  expect(placed(noted, days, 2.5)).toEqual([
    [0, '2026-10-19', '2026-10-20', '2026-10-21'],
    [3, '2026-10-22'],
  ]);
  expect(placed(['2026-10-19', '2026-10-22', '2026-10-24'], days, 2.5)).toEqual([
    [0, '2026-10-19'],
    [3, '2026-10-22', '2026-10-24'],
  ]);
});

it('puts notes on the week or the month of their day', () => {
  const weeks = { starts: every(7 * DAY_MS, 2, MONDAY), interval: 'week' as const, zone: 'UTC' };
  expect(placed(['2026-11-01', '2026-10-25', '2026-11-02'], weeks)).toEqual([
    [0, '2026-10-25'],
    [1, '2026-11-01'],
  ]);
  const months = { starts: [Date.UTC(2026, 9), Date.UTC(2026, 10)], interval: 'month' as const, zone: 'UTC' };
  expect(placed(['2026-11-30', '2026-12-01'], months)).toEqual([[1, '2026-11-30']]);
});

it('puts notes on the first hour of their day in the site’s zone, also when its clock was changed', () => {
  // In Berlin, 25 October had 25 hours.
  const hours = { starts: every(HOUR_MS, 49, MONDAY + 5 * DAY_MS - 2 * HOUR_MS), interval: 'hour' as const };
  const days = ['2026-10-24', '2026-10-25', '2026-10-26'];
  expect(placed(days, { ...hours, zone: 'Europe/Berlin' })).toEqual([
    [0, '2026-10-24'],
    [24, '2026-10-25'],
  ]);
  expect(
    placed(days, { ...hours, starts: every(HOUR_MS, 50, MONDAY + 5 * DAY_MS - 2 * HOUR_MS), zone: 'Europe/Berlin' }),
  ).toEqual([
    [0, '2026-10-24'],
    [24, '2026-10-25'],
    [49, '2026-10-26'],
  ]);
});
