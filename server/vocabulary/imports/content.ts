// By what the files of an import are recognised when they come again: what they hold and what their columns became, not their names.
import type { ImportReport } from './report.ts';

/** As `imports.begin` takes it. Totals come first: of a history of decades, the columns are cut off. */
export function contentOf({ rows, rejected, days, totals, months, columns }: ImportReport): string {
  const byMonth = months.map(({ month, pageviews, visitors }) => [month, pageviews, visitors]);
  const meanings = columns.map(({ column, becomes }) => [column, becomes]);
  return JSON.stringify([rows, rejected, days, totals, byMonth, meanings]).slice(0, MAX_CONTENT);
}

const MAX_CONTENT = 20_000;
