// CSV (RFC 4180) whose cells a spreadsheet never runs as formulas.
import { FORMULA } from './formula.ts';

export type Cell = string | number;

export const toCsv = (rows: readonly (readonly Cell[])[]): string =>
  rows.map((row) => `${row.map(written).join(',')}\r\n`).join('');

function written(value: Cell): string {
  if (typeof value === 'number') return String(value);
  // What visitors send may begin like a formula (OWASP, CSV injection).
  const safe = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
