// The hours of the week in words, and by keyboard. They are those of the site, whose weeks begin on Monday whoever reads them.
import { currentHabits, WEEKDAYS } from '../../../../server/vocabulary/habits/habits.ts';
import { hourOfDay } from '../../formats/format';

export const HOURS = Array.from({ length: 24 }, (_, hour) => hour);

/** An hour on the axis, where 24 hours need no more than numbers: `14`, `2 PM`. */
export const hourMark = (hour: number): string => (currentHabits().hours === 24 ? `${hour}` : hourOfDay(hour));

/** `Tuesday, 14:00–15:00`. Cell 0 is the first hour of Monday. */
export const hourName = (cell: number): string =>
  `${WEEKDAYS[Math.floor(cell / 24)] ?? ''}, ${hourOfDay(cell % 24)}–${hourOfDay((cell + 1) % 24)}`;

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
