import { describe, expect, it, test } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS, readDay } from './time.ts';
import { dayIn, FURTHEST_MS, instantAt, LONGEST_DAY_MS, readZone, UTC, wallTime } from './zones.ts';

/** Zones with clock changes, each with a day around which they happen and the lengths of that day and the next two, in hours. */
const CHANGES = [
  { zone: 'Europe/Berlin', day: '2026-03-28', hours: [24, 23, 24] },
  { zone: 'Europe/Berlin', day: '2026-10-24', hours: [24, 25, 24] },
  { zone: 'America/Los_Angeles', day: '2026-03-07', hours: [24, 23, 24] },
  { zone: 'Asia/Kolkata', day: '2026-03-28', hours: [24, 24, 24] },
  { zone: 'Australia/Lord_Howe', day: '2026-04-04', hours: [24, 24.5, 24] },
  { zone: 'Australia/Lord_Howe', day: '2026-10-03', hours: [24, 23.5, 24] },
  // Clocks go forward at midnight: the day begins at one o'clock.
  { zone: 'Asia/Beirut', day: '2026-03-28', hours: [24, 23, 24] },
  // Samoa crossed the date line: there was no 30th of December.
  { zone: 'Pacific/Apia', day: '2011-12-29', hours: [24, 0, 24] },
];

const midnight = (day: string, plusDays: number) => (readDay(day) ?? 0) + plusDays * DAY_MS;

describe.each(CHANGES)('the days of $zone around $day', ({ zone, day, hours }) => {
  it('are as long as its clock changes make them', () => {
    const starts = [0, 1, 2, 3].map((plus) => instantAt(midnight(day, plus), zone));
    expect(hours.map((_, index) => ((starts[index + 1] ?? 0) - (starts[index] ?? 0)) / HOUR_MS)).toEqual(hours);
  });

  it('contain the instants at which a calendar in the zone shows them', () => {
    const shown = new Intl.DateTimeFormat('sv-SE', { timeZone: zone });
    const from = midnight(day, -1) - FURTHEST_MS;
    for (let time = from; time < from + 6 * DAY_MS; time += 7 * MINUTE_MS + 1)
      expect(dayIn(zone, time), new Date(time).toISOString()).toBe(shown.format(time));
  });

  it('begin at their first instant, at most FURTHEST_MS from UTC, and last at most LONGEST_DAY_MS', () => {
    for (let plus = 0; plus < 4; plus += 1) {
      const start = instantAt(midnight(day, plus), zone);
      const date = dayIn(zone, start);
      expect(date > dayIn(zone, start - 1)).toBe(true);
      expect(Math.abs(start - midnight(date, 0))).toBeLessThanOrEqual(FURTHEST_MS);
      expect(instantAt(midnight(date, 1), zone) - start).toBeLessThanOrEqual(LONGEST_DAY_MS);
    }
  });

  it('have an instant for each wall time that the clock shows', () => {
    const from = instantAt(midnight(day, 0), zone);
    for (let time = from; time < from + 3 * DAY_MS; time += 11 * MINUTE_MS) {
      const wall = wallTime(time, zone);
      expect(wallTime(instantAt(wall, zone), zone)).toBe(wall);
      expect(instantAt(wall, zone)).toBeLessThanOrEqual(time);
    }
  });
});

test('every zone that browsers offer is known, and is at most a day from UTC', () => {
  const now = Date.UTC(2026, 6, 1);
  for (const zone of [UTC, ...Intl.supportedValuesOf('timeZone')]) {
    expect(readZone(zone)).toBe(zone);
    expect(Math.abs(wallTime(now, zone) - now)).toBeLessThan(FURTHEST_MS);
  }
});

test('a zone is an IANA name in any letter case; offsets and any other text are refused', () => {
  expect(readZone('europe/berlin')).toBe('Europe/Berlin');
  expect(readZone('Asia/Kolkata')).toBe('Asia/Kolkata');
  for (const name of [
    '',
    '+02:00',
    '-0800',
    'Mars/Olympus',
    'Europe/Berlin\n',
    ' UTC',
    "UTC'--",
    '__proto__',
    'a'.repeat(80),
  ])
    expect(readZone(name), name).toBeUndefined();
});
