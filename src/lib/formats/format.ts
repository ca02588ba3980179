// Formats instants and buckets of the chart for people. Hours and minutes are shown in the reader's own time zone. Numbers and days look
// the same in mails: they are in server/vocabulary/numbers/format.ts.
import { dateFormat, timeAgo } from '../../../server/vocabulary/habits/formatters.ts';
import { t } from '../../../server/vocabulary/habits/messages.ts';
import { date, dateRange } from '../../../server/vocabulary/numbers/format.ts';
import { type Interval, isWithinDay } from '../../../server/vocabulary/time/intervals.ts';
import { DAY_MS, dayOf } from '../../../server/vocabulary/time/time.ts';

export { choiceOf, listOf } from '../../../server/vocabulary/habits/formatters.ts';
export {
  type Change,
  change,
  changeOf,
  conversionRate,
  date,
  dateRange,
  duration,
  fullNumber,
  isolated,
  metricValue,
  money,
  oneDigit,
  percent,
  share,
  shortNumber,
  tenths,
} from '../../../server/vocabulary/numbers/format.ts';

/** In the reader's own time zone. */
const OWN = { timeZone: undefined };
const DAY = { day: 'numeric', month: 'short' } as const;
const CLOCK = { hour: 'numeric', minute: '2-digit' } as const;
const clock = dateFormat({ ...OWN, ...CLOCK });
const fullHour = dateFormat({ ...OWN, hour: 'numeric' });
const ownDay = dateFormat({ ...OWN, ...DAY });
const ownDateTime = dateFormat({ ...OWN, ...DAY, year: 'numeric', ...CLOCK });
const ownTime = dateFormat({ ...OWN, ...DAY, ...CLOCK });
const dayMonth = dateFormat(DAY);
const dayLong = dateFormat({ ...DAY, weekday: 'short', year: 'numeric' });
const monthOnly = dateFormat({ month: 'short' });
const monthYear = dateFormat({ month: 'long', year: 'numeric' });
const monthAlone = dateFormat({ month: 'long' });
const hourAlone = dateFormat({ hour: 'numeric' });

/** `November`. */
export const monthName = (time: number): string => monthAlone.format(time);

/** `27 Oct 2026, 14:05`, by the reader's own clock. */
export const ownDateAndTime = (time: number): string => ownDateTime.format(time);

const whole = dateFormat({ ...DAY, year: 'numeric', ...CLOCK });
/** `27 Oct 2026, 14:05`, by the clock of UTC. */
export const dateAndTime = (time: number): string => whole.format(time);

/** What stands between two sentences: a space, but not after the wide punctuation of Chinese and Japanese. */
export const gapAfter = (text: string): string => (/[\u3000-\u303f\uff00-\uffef]$/.test(text) ? '' : ' ');

/** `Berlin, Germany`: the comma of the reader's language. */
export const withComma = (first: string, second: string): string => t('{first}, {second}', { first, second });

/** `14:00` or `2 PM`, of an hour from 0 to 24 by any clock. */
export const hourOfDay = (hour: number): string => hourAlone.format(hour * 3_600_000);

/** The reader's clock. Full hours are as short as the reader writes them: `2 PM`. */
const shortClock = (time: number): string => (new Date(time).getMinutes() === 0 ? fullHour : clock).format(time);

/** A bucket's label on the chart's axis, and the larger unit it belongs to: the day for hours, otherwise the year. */
export function axisParts(time: number, interval: Interval): { label: string; context: string } {
  const isOfDay = isWithinDay(interval);
  const days = interval === 'month' ? monthOnly : dayMonth;
  return {
    label: isOfDay ? shortClock(time) : days.format(time),
    context: isOfDay ? ownDay.format(time) : String(new Date(time).getUTCFullYear()),
  };
}

/** A bucket's full name, for the tooltip and the table. */
export function bucketName(time: number, interval: Interval): string {
  switch (interval) {
    case 'minute':
      return withComma(ownDay.format(time), clock.format(time));
    case 'hour':
      return withComma(ownDay.format(time), `${shortClock(time)}–${shortClock(time + 3_600_000)}`);
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
  if (seconds < 45) return t('just now');
  if (seconds < 3600) return timeAgo(Math.round(seconds / 60), 'minute');
  if (seconds < 86_400) return timeAgo(Math.round(seconds / 3600), 'hour');
  if (seconds < 30 * 86_400) return timeAgo(Math.round(seconds / 86_400), 'day');
  return date(time);
}

/** The time of day in the reader's time zone. */
export const clockTime = (time: number): string => clock.format(time);
