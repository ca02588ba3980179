import { describe, expect, test } from 'vitest';
import { FREQUENCY_NAMES } from '../../vocabulary/settings/reports.ts';
import { DAY_MS, dayOf } from '../../vocabulary/time/time.ts';
import { instantAt, wallTime } from '../../vocabulary/time/zones.ts';
import { dueAt, lastDue, spanAfter, spanAt, spanBefore, type Timing } from './schedule.ts';

const at = (text: string) => Date.parse(`${text}Z`);
const minute = (time: number) => new Date(time).toISOString().slice(0, 16);
const days = ({ from, to }: { from: number; to: number }) => `${dayOf(from)} ${dayOf(to - DAY_MS)}`;

test('periods are days, weeks from Monday, and months', () => {
  const sunday = at('2026-03-01T23:59');
  expect(FREQUENCY_NAMES.map((frequency) => days(spanAt(frequency, sunday)))).toEqual([
    '2026-03-01 2026-03-01',
    '2026-02-23 2026-03-01',
    '2026-03-01 2026-03-31',
  ]);
  expect(FREQUENCY_NAMES.map((frequency) => days(spanBefore(frequency, spanAt(frequency, sunday))))).toEqual([
    '2026-02-28 2026-02-28',
    '2026-02-16 2026-02-22',
    '2026-02-01 2026-02-28',
  ]);
});

describe('a report is due at the reader’s hour', () => {
  const ofDay = (timing: Partial<Timing>, day: string) =>
    minute(
      dueAt(
        { frequency: 'daily', hour: 8, timezone: 'Europe/Berlin', zones: ['Europe/Berlin'], ...timing },
        spanAt('daily', at(`${day}T00:00`)),
      ),
    );

  test('through the changes of its clock', () => {
    expect(ofDay({}, '2026-03-27')).toBe('2026-03-28T07:00');
    expect(ofDay({}, '2026-03-28')).toBe('2026-03-29T06:00');
    expect(ofDay({}, '2026-10-24')).toBe('2026-10-25T07:00');
    expect(ofDay({ hour: 2 }, '2026-03-28')).toBe('2026-03-29T01:00'); // the clock skips 2:00 and shows 3:00
    expect(ofDay({ hour: 2 }, '2026-10-24')).toBe('2026-10-25T00:00'); // the clock shows 2:00 twice
  });

  test('once the day has ended at the site, however far away it is', () => {
    expect(ofDay({ zones: ['America/New_York'] }, '2026-11-19')).toBe('2026-11-20T07:00');
    expect(ofDay({ timezone: 'Asia/Tokyo', zones: ['America/New_York'] }, '2026-11-19')).toBe('2026-11-20T23:00');
    expect(ofDay({ timezone: 'America/New_York', zones: ['Asia/Tokyo'] }, '2026-11-19')).toBe('2026-11-20T13:00');
    expect(ofDay({ zones: ['Asia/Tokyo', 'Pacific/Pago_Pago'] }, '2026-11-19')).toBe('2026-11-21T07:00');
    expect(ofDay({ timezone: 'Pacific/Apia', zones: ['UTC'] }, '2011-12-28')).toBe('2011-12-29T18:00');
    expect(ofDay({ timezone: 'Pacific/Apia', zones: ['UTC'] }, '2011-12-29')).toBe('2011-12-30T18:00'); // without 30 December
  });
});

/** Zones that change their clocks on different days or by half an hour, and one at the date line. */
const ZONES = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Pacific/Apia'];
const PLACES = ZONES.flatMap((timezone, one) =>
  ZONES.map((zone, other) => ({ timezone, zones: [zone, 'UTC'], hour: (one * 7 + other * 5) % 24 })),
);

test.each(PLACES)('every period is due once, at the hour, never before it has ended: %j', (place) => {
  const { timezone, zones, hour } = place;
  for (const frequency of ['daily', 'weekly'] as const) {
    const timing: Timing = { ...place, frequency };
    const end = at('2027-01-20T00:00');
    for (let span = spanAt(frequency, at('2026-01-15T00:00')); span.to < end; span = spanAfter(frequency, span)) {
      const due = dueAt(timing, span);
      const found = lastDue(timing, due).map(days);
      expect(found).toContain(days(span));
      const next = spanAfter(frequency, span);
      // Found for as long as it takes to the next hour that is due, so that no period is missed.
      expect(lastDue(timing, dueAt(timing, next) - 1).map(days)).toEqual(
        dueAt(timing, next) === due ? expect.anything() : found,
      );
      expect(lastDue(timing, due - 1).map(days)).not.toContain(days(span));
      for (const zone of zones) expect(due).toBeGreaterThanOrEqual(instantAt(span.to, zone));
      const wall = wallTime(due, timezone);
      const isSkipped = wallTime(due - 1, timezone) + 1 !== wall;
      expect(new Date(wall).getUTCHours() === hour || isSkipped).toBe(true);
    }
  }
});
