// The hours of the week in words, and by keyboard. They are those of the site, whose weeks begin on Monday whoever reads them.
import { dateFormat } from '../../../../server/vocabulary/habits/formatters.ts';
import { currentHabits } from '../../../../server/vocabulary/habits/habits.ts';
import { t } from '../../../../server/vocabulary/habits/messages.ts';
import { type Metric, metricRow } from '../../../../server/vocabulary/numbers/metrics.ts';
import { DAY_MS } from '../../../../server/vocabulary/time/time.ts';
import { hourOfDay, withComma } from '../../formats/format';

/** The rows: 0 is Monday. */
export const DAYS = Array.from({ length: 7 }, (_, day) => day);
export const HOURS = Array.from({ length: 24 }, (_, hour) => hour);

const MONDAY = Date.UTC(2024, 0, 1);
const long = dateFormat({ weekday: 'long' });
const short = dateFormat({ weekday: 'short' });
/** `Tuesday`, of the row 1. */
export const dayName = (day: number): string => long.format(MONDAY + day * DAY_MS);
/** `Tue`. */
export const dayMark = (day: number): string => short.format(MONDAY + day * DAY_MS);

/** `Page views by weekday and hour`. */
export const weekName = (metric: Metric): string =>
  t('{metric} by weekday and hour', { metric: metricRow(metric).label });

/** An hour on the axis, where 24 hours need no more than numbers: `14`, `2 PM`. */
export const hourMark = (hour: number): string => (currentHabits().hours === 24 ? `${hour}` : hourOfDay(hour));

/** `Tuesday, 14:00–15:00`. Cell 0 is the first hour of Monday. */
export const hourName = (cell: number): string =>
  withComma(dayName(Math.floor(cell / 24)), `${hourOfDay(cell % 24)}–${hourOfDay((cell + 1) % 24)}`);

/** The cell that a key leads to, within the 7 × 24 cells. Undefined for other keys. */
export function cellAfter(key: string, cell: number): number | undefined {
  const [row, column] = [Math.floor(cell / 24), cell % 24];
  const at = (to: { row?: number; column?: number }) =>
    24 * Math.min(6, Math.max(0, to.row ?? row)) + Math.min(23, Math.max(0, to.column ?? column));
  switch (key) {
    case 'ArrowLeft':
      return at({ column: column - 1 });
    case 'ArrowRight':
      return at({ column: column + 1 });
    case 'ArrowUp':
      return at({ row: row - 1 });
    case 'ArrowDown':
      return at({ row: row + 1 });
    case 'Home':
      return at({ column: 0 });
    case 'End':
      return at({ column: 23 });
    default:
      return undefined;
  }
}
