// Time zones, by their IANA names. A wall time is what a zone's clock shows, in milliseconds as if the zone were UTC. Days, weeks and
// months are therefore counted the same way in every zone, and only this file knows the offset of a clock from UTC.
import { DAY_MS, dayOf, HOUR_MS, MINUTE_MS } from './time.ts';

export const UTC = 'UTC';
/** No zone is further from UTC than this: an event's day begins at most this long before or after the UTC day of the same date. */
export const FURTHEST_MS = DAY_MS;

/** The longest day of any zone: clocks go back by at most two hours. No visit lasts longer than a day. */
export const LONGEST_DAY_MS = DAY_MS + 2 * HOUR_MS;

/** Starts with a letter: `Intl` also accepts offsets such as +02:00, which ignore daylight saving time. */
const NAME = /^[A-Za-z][A-Za-z0-9_+\-/]{0,63}$/;

/** Returns the zone's name in its usual case; undefined if there is no such zone. */
export function readZone(name: string): string | undefined {
  if (!NAME.test(name)) return undefined;
  try {
    const known = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
    // Engines may report an older name, such as Asia/Calcutta: the requested name is kept.
    return known.toLowerCase() === name.toLowerCase() ? known : name;
  } catch {
    return undefined;
  }
}

/** `offset` is valid during the minute `minute`: clocks change at full minutes. */
type Clock = { format: Intl.DateTimeFormat; minute: number; offset: number };
const clocks = new Map<string, Clock>();

function openClock(zone: string): Clock {
  const format = new Intl.DateTimeFormat('en-US-u-ca-gregory-nu-latn', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  return { format, minute: Number.NaN, offset: 0 };
}

/** How far the zone's clock is ahead of UTC, in milliseconds. */
function offsetAt(time: number, zone: string): number {
  if (zone === UTC) return 0;
  const clock = clocks.get(zone) ?? openClock(zone);
  clocks.set(zone, clock);
  const minute = Math.floor(time / MINUTE_MS);
  if (clock.minute === minute) return clock.offset;
  const shown: Record<string, number> = {};
  for (const { type, value } of clock.format.formatToParts(minute * MINUTE_MS)) shown[type] = Number(value);
  const { year = 0, month = 1, day, hour, minute: minutes, second } = shown;
  clock.offset = Date.UTC(year, month - 1, day, hour, minutes, second) - minute * MINUTE_MS;
  clock.minute = minute;
  return clock.offset;
}

export function wallTime(time: number, zone: string): number {
  return time + offsetAt(time, zone);
}

/** Returns the zone whose day is the latest now: every day up to it can be asked for. UTC if there are none. */
export const latestZone = (zones: readonly (string | null)[], now: number): string =>
  zones
    .map((zone) => zone ?? UTC)
    .reduce((one, other) => (wallTime(now, other) > wallTime(now, one) ? other : one), zones[0] ?? UTC);

/** The day that the zone's calendar shows, as YYYY-MM-DD. */
export function dayIn(zone: string, time: number): string {
  return dayOf(wallTime(time, zone));
}

/**
 * Returns the instant at which the zone's clock shows a wall time, the earlier one if it shows it twice. A wall time that the clock skips
 * is read with the offset from before the change, so a skipped midnight is the first instant of its day.
 */
export function instantAt(wall: number, zone: string): number {
  const [before, after] = [wall - offsetAt(wall - DAY_MS, zone), wall - offsetAt(wall + DAY_MS, zone)];
  const shown = [Math.min(before, after), Math.max(before, after)].find((at) => wallTime(at, zone) === wall);
  return shown ?? before;
}

/** True for the start of a day that the zone's calendar skipped, as Samoa's did the 30 December 2011 when it changed sides of the date line. */
export const isSkipped = (day: number, zone: string): boolean => dayIn(zone, instantAt(day, zone)) !== dayOf(day);

/** How far a zone's clock is ahead of UTC, from an instant on. In milliseconds. */
export type Offset = { since: number; aheadMs: number };

/** No zone has changed its clock twice within a week since 2001. */
const WEEK_MS = 7 * DAY_MS;

/** The offsets of a zone between two instants, to the minute. The first also holds before `from`. */
export function offsetsBetween(from: number, to: number, zone: string): Offset[] {
  const first = Math.floor(from / MINUTE_MS) * MINUTE_MS;
  let known = { since: first, aheadMs: offsetAt(first, zone) };
  const offsets = [known];
  for (let start = first; start < to; start += WEEK_MS) {
    let [before, after] = [start, start + WEEK_MS];
    const aheadMs = offsetAt(after, zone);
    if (aheadMs === known.aheadMs) continue;
    while (after - before > MINUTE_MS) {
      const middle = before + Math.floor((after - before) / MINUTE_MS / 2) * MINUTE_MS;
      if (offsetAt(middle, zone) === known.aheadMs) before = middle;
      else after = middle;
    }
    known = { since: after, aheadMs };
    offsets.push(known);
  }
  return offsets;
}
