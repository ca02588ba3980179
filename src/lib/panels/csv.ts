// CSV (RFC 4180) whose cells a spreadsheet never runs as formulas.
import { FORMULA } from '../../../server/vocabulary/texts/formula.ts';

export function toCsv(rows: (string | number)[][]): string {
  return rows.map((row) => row.map(cell).join(',') + '\r\n').join('');
}

function cell(value: string | number): string {
  if (typeof value === 'number') return String(value);
  // What visitors send may begin like a formula (OWASP, CSV injection).
  const safe = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function saveCsv(name: string, rows: (string | number)[][]): void {
  // The byte order mark tells spreadsheets that the text is UTF-8.
  saveFile(name, new Blob(['\ufeff', toCsv(rows)], { type: 'text/csv' }));
}

export function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
