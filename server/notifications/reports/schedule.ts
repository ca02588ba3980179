// Decides which period a report covers, and when it is sent: at the reader's hour, the first time after the period has ended at every site.
// Periods are days of the sites' own calendars, given as wall times, so they do not depend on the length of a day.
import type { Frequency } from '../../vocabulary/settings/reports.ts';
import { DAY_MS, HOUR_MS, startOfDay, startOfMonth } from '../../vocabulary/time/time.ts';
import { instantAt, wallTime } from '../../vocabulary/time/zones.ts';

/** Half-open, in wall times of the sites. */
export type Span = { from: number; to: number };

export type Timing = {
  frequency: Frequency;
  /** The hour of the day at which the readers get the report, by the clock of `timezone`. */
  hour: number;
  timezone: string;
  /** The zones of the sites. Never empty. */
  zones: readonly string[];
};

/** 1970 began on a Thursday. Weeks begin on Monday. */
const FIRST_MONDAY = 4 * DAY_MS;
const WEEK_MS = 7 * DAY_MS;

/** The period that holds a wall time. */
export function spanAt(frequency: Frequency, wall: number): Span {
  switch (frequency) {
    case 'daily':
      return { from: startOfDay(wall), to: startOfDay(wall) + DAY_MS };
    case 'weekly': {
      const from = Math.floor((wall - FIRST_MONDAY) / WEEK_MS) * WEEK_MS + FIRST_MONDAY;
      return { from, to: from + WEEK_MS };
    }
    case 'monthly':
      return { from: startOfMonth(wall), to: startOfMonth(wall, 1) };
  }
}

export const spanBefore = (frequency: Frequency, { from }: Span): Span => spanAt(frequency, from - 1);
export const spanAfter = (frequency: Frequency, { to }: Span): Span => spanAt(frequency, to);

/** The instant at which the report of a period is due. */
export function dueAt({ hour, timezone, zones }: Timing, { to }: Span): number {
  const ended = Math.max(...zones.map((zone) => instantAt(to, zone)));
  const today = startOfDay(wallTime(ended, timezone));
  const atHour = (day: number) => instantAt(day + hour * HOUR_MS, timezone);
  // Near a clock change, the hour of the next day may have passed too: the clock of the reader's zone may skip a whole day.
  let day = today;
  while (atHour(day) < ended) day += DAY_MS;
  return atHour(day);
}

/**
 * Returns the last periods that are due at `now`, oldest first: usually one. When the clocks of the zones change on different days, two
 * periods may be due at the same hour. Earlier periods were due at an earlier hour.
 */
export function lastDue(timing: Timing, now: number): [Span, ...Span[]] {
  const { frequency, zones } = timing;
  let span = spanAt(frequency, Math.max(...zones.map((zone) => wallTime(now, zone))));
  while (dueAt(timing, span) > now) span = spanBefore(frequency, span);
  const due = dueAt(timing, span);
  const spans: [Span, ...Span[]] = [span];
  for (;;) {
    const before = spanBefore(frequency, spans[0]);
    if (dueAt(timing, before) !== due) return spans;
    spans.unshift(before);
  }
}
