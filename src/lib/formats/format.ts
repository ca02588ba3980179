// Formats instants and buckets of the chart for people. Hours and minutes are shown in the reader's own time zone. Numbers and days look
// the same in mails: they are in server/vocabulary/numbers/format.ts.
import { date, dateRange } from '../../../server/vocabulary/numbers/format.ts';
import { type Interval, isWithinDay } from '../../../server/vocabulary/time/intervals.ts';
import { DAY_MS, dayOf } from '../../../server/vocabulary/time/time.ts';

export {
  type Change,
  change,
  changeOf,
  date,
  dateRange,
  duration,
  fullNumber,
  isolated,
  metricValue,
  money,
  percent,
  share,
  shortNumber,
} from '../../../server/vocabulary/numbers/format.ts';

const utc = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', ...options });
/** In the reader's own time zone. */
const own = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat('en-GB', options);
const clock = own({ hour: '2-digit', minute: '2-digit' });
const ownDay = own({ day: 'numeric', month: 'short' });
const ownTime = own({ day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' });
const dayMonth = utc({ day: 'numeric', month: 'short' });
const dayLong = utc({ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' });
const monthOnly = utc({ month: 'short' });
const monthYear = utc({ month: 'long', year: 'numeric' });

/** A bucket's label on the chart's axis, and the larger unit it belongs to: the day for hours, otherwise the year. */
export function axisParts(time: number, interval: Interval): { label: string; context: string } {
  const isOfDay = isWithinDay(interval);
  const label = isOfDay ? clock : interval === 'month' ? monthOnly : dayMonth;
  return {
    label: label.format(time),
    context: isOfDay ? ownDay.format(time) : String(new Date(time).getUTCFullYear()),
  };
}

/** A bucket's full name, for the tooltip and the table. */
export function bucketName(time: number, interval: Interval): string {
  switch (interval) {
    case 'minute':
      return `${ownDay.format(time)}, ${clock.format(time)}`;
    case 'hour':
      return `${ownDay.format(time)}, ${clock.format(time)}–${clock.format(time + 3_600_000)}`;
    case 'day':
      return dayLong.format(time);
    case 'week':
      return dateRange(dayOf(time), dayOf(time + 6 * DAY_MS));
    case 'month':
      return monthYear.format(time);
  }
}

/** A bucket's start in a file: `2026-11-20`, or within a day the instant. */
export function bucketStart(time: number, interval: Interval): string {
  const at = new Date(time).toISOString();
  return isWithinDay(interval) ? at : at.slice(0, 10);
}

/** `20 Nov, 13:05 – 21 Nov, 13:05`, from two instants. */
export const timeRange = (from: number, to: number): string => `${ownTime.format(from)} – ${ownTime.format(to)}`;

/** A time zone's name as people read it: `America/Los Angeles`. */
export const zoneName = (zone: string): string => zone.replaceAll('_', ' ');

/** `just now`, `4 minutes ago`, `yesterday`. */
export function ago(time: number, now: number): string {
  const seconds = Math.max(0, Math.round((now - time) / 1000));
  const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
  if (seconds < 45) return 'just now';
  if (seconds < 3600) return relative.format(-Math.round(seconds / 60), 'minute');
  if (seconds < 86_400) return relative.format(-Math.round(seconds / 3600), 'hour');
  if (seconds < 30 * 86_400) return relative.format(-Math.round(seconds / 86_400), 'day');
  return date(time);
}

/** The time of day in the reader's time zone. */
export const clockTime = (time: number): string =>
  new Date(time).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
