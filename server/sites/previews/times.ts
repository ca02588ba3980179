// The times of a chart's points in words.
import { dateFormat } from '../../vocabulary/habits/formatters.ts';
import { type Interval, isWithinDay } from '../../vocabulary/time/intervals.ts';
import { UTC } from '../../vocabulary/time/zones.ts';

/** Hours are instants, and are said as in the site's zone. Days are midnights of it, as if they were UTC. */
export function timesOf(interval: Interval, timezone: string | null | undefined): (time: number) => string {
  const isShort = isWithinDay(interval);
  const { format } = dateFormat({
    timeZone: isShort ? (timezone ?? UTC) : 'UTC',
    ...(isShort
      ? { hour: 'numeric', minute: '2-digit' }
      : interval === 'month'
        ? { month: 'short', year: 'numeric' }
        : { day: 'numeric', month: 'short' }),
  });
  return format;
}
