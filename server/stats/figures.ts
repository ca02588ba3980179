// The SQL that answers the totals and charts of closed days in one statement: see together.ts.
import { isWithinDay } from '../vocabulary/intervals.ts';
import type { Range } from '../vocabulary/periods.ts';
import { startOfDay } from '../vocabulary/time.ts';
import { isOfDays } from './day-columns.ts';
import { type Days, sourcesFromDays } from './from-days.ts';
import { metricSql, withNeeds } from './metrics.ts';
import type { Grouping, OfDays } from './plan.ts';
import { openBound, type Statement } from './scope.ts';
import type { Rows, Select } from './sql.ts';
import { type SummedDay, unsummedRange } from './summed-days.ts';

/** Totals, or a chart by days, weeks or months. */
export type FiguresSelect = Select & { by?: { interval: OfDays } };

const isOfIntervals = (by: Grouping): boolean => 'interval' in by && !isWithinDay(by.interval);

export const isFigures = (select: Select): select is FiguresSelect =>
  (!select.by || isOfIntervals(select.by)) && select.metrics.every(isOfDays);

/**
 * True if the visitors and visits of these buckets add up to the totals: of days that are not closed there may be one at most, because an
 * event may count towards another day than that of its bucket.
 */
export function addUp(range: Range, days: readonly SummedDay[]): boolean {
  const rest = unsummedRange(range, days);
  return !rest || startOfDay(rest.from) === startOfDay(rest.to - 1);
}

/** The numbers of totals and charts of the same scope and interval: a row for each bucket, and one for all (`is_total`). */
export function buildFigures(figures: readonly FiguresSelect[], { days, paid }: Days): Statement {
  const [{ scope }] = figures as [FiguresSelect];
  const by = figures.find((select) => select.by)?.by;
  if (!by) throw new TypeError('One of the figures is a chart.');
  const metrics = [...new Set(figures.flatMap((select) => select.metrics))];
  const rest = unsummedRange(scope.range, days);
  const { bound, bind } = openBound(rest ? { ...scope, range: rest } : scope);
  const sources = sourcesFromDays({ scope, metrics, by }, { rest, days, paid, bind });
  const shown = withNeeds(metrics).map((metric) => `${metricSql(metric).ofDays} AS ${metric}`);
  return {
    sql: `SELECT ${['label', 'grouping(label) AS is_total', ...shown].join(', ')}
      FROM (${sources.join('\nUNION ALL\n')}) GROUP BY GROUPING SETS ((label), ())`,
    bound,
  };
}

/** The rows of each of the figures, from those of their `buildFigures`. */
export function splitFigures(figures: readonly FiguresSelect[], rows: Rows): Rows[] {
  return figures.map(({ by, metrics }) => {
    const names = [...(by ? ['label'] : []), ...withNeeds(metrics)];
    const own = rows.filter((row) => (Number(row['is_total']) === 1) === (by === undefined));
    return own.map((row) => Object.fromEntries(names.map((name) => [name, row[name] ?? 0])));
  });
}
