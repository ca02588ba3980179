// Decides when a job is due. A calendar divides time into consecutive periods, and the job runs at the end of each.
import { DAY_MS, MINUTE_MS, startOfDay, startOfMonth } from '../vocabulary/time/time.ts';

/** A time of day in UTC, such as `07:30`. */
type TimeOfDay = `${number}:${number}`;
type Weekday = (typeof WEEKDAYS)[number];

export type Calendar =
  /** Counted from the epoch, so that all processes agree on the times. */
  | { everyMs: number }
  | { daily: TimeOfDay }
  | { weekly: Weekday; at: TimeOfDay }
  /** A day of the month; a shorter month uses its last day. */
  | { monthly: number; at: TimeOfDay };

/** The time from one end to the next, half-open. */
export type Period = { from: number; to: number };

/** In the order of `Date.getUTCDay`. */
const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'] as const;

/** Returns the last end of a period at or before `time`. */
export function lastEnd(calendar: Calendar, time: number): number {
  if ('everyMs' in calendar) return Math.floor(time / calendar.everyMs) * calendar.everyMs;
  if ('monthly' in calendar) {
    const end = endInMonth(calendar, time, 0);
    return end <= time ? end : endInMonth(calendar, time, -1);
  }
  if ('weekly' in calendar) {
    const daysSince = (new Date(time).getUTCDay() - WEEKDAYS.indexOf(calendar.weekly) + 7) % 7;
    const end = startOfDay(time) - daysSince * DAY_MS + msOf(calendar.at);
    return end <= time ? end : end - 7 * DAY_MS;
  }
  const end = startOfDay(time) + msOf(calendar.daily);
  return end <= time ? end : end - DAY_MS;
}

/** Returns the first end of a period after `time`. */
export function nextEnd(calendar: Calendar, time: number): number {
  const last = lastEnd(calendar, time);
  if ('everyMs' in calendar) return last + calendar.everyMs;
  if ('daily' in calendar) return last + DAY_MS;
  if ('weekly' in calendar) return last + 7 * DAY_MS;
  return endInMonth(calendar, last, 1);
}

function endInMonth(calendar: { monthly: number; at: TimeOfDay }, time: number, plusMonths: number): number {
  const start = startOfMonth(time, plusMonths);
  const days = (startOfMonth(start, 1) - start) / DAY_MS;
  return start + (Math.min(calendar.monthly, days) - 1) * DAY_MS + msOf(calendar.at);
}

function msOf(time: TimeOfDay): number {
  const [hours, minutes] = time.split(':').map(Number);
  return ((hours ?? 0) * 60 + (minutes ?? 0)) * MINUTE_MS;
}
