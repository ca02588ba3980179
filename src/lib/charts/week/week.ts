// The hours of the week in words, and by keyboard.

export const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const;
export const HOURS = Array.from({ length: 24 }, (_, hour) => hour);

const clock = (hour: number) => `${String(hour % 24).padStart(2, '0')}:00`;

/** `Tuesday, 14:00–15:00`. Cell 0 is the first hour of Monday. */
export const hourName = (cell: number): string =>
  `${WEEKDAYS[Math.floor(cell / 24)] ?? ''}, ${clock(cell)}–${clock(cell + 1)}`;

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
