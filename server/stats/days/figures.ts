// The SQL that answers the totals and charts of closed days in one statement: see together.ts.
import { isWithinDay } from '../../vocabulary/time/intervals.ts';
import type { Range } from '../../vocabulary/time/periods.ts';
import { startOfDay } from '../../vocabulary/time/time.ts';
import { isOfDays, metricOfDays } from './day-columns.ts';
import { type Days, sourcesFromDays } from './from-days.ts';
import { withNeeds } from '../sql/metrics.ts';
import { type Grouping, type OfDays, startOfDays } from '../sql/plan.ts';
import { openBound, type Statement } from '../sql/scope.ts';
import type { Rows, Select } from '../sql/sql.ts';
import { unsummedRange } from './summed-days.ts';

/** Totals, or a chart by days, weeks or months. */
export type FiguresSelect = Select & { by?: { interval: OfDays }; before?: undefined };

const isOfIntervals = (by: Grouping): boolean => 'interval' in by && !isWithinDay(by.interval);

export const isFigures = (select: Select): select is FiguresSelect =>
  (!select.by || isOfIntervals(select.by)) && select.metrics.every(isOfDays);

/** Figures of one range, and the days that it may be read from. */
type Period = Days & { figures: readonly FiguresSelect[] };

const rangeOf = ({ figures: [first] }: Period): Range => (first as FiguresSelect).scope.range;

/**
 * True if the visitors and visits of days add up to the totals: of days that are not closed there may be one at most, because an event may
 * count towards another day than that on which it came.
 */
export function addsUp(period: Period): boolean {
  const rest = unsummedRange(rangeOf(period), period.days);
  return !rest || startOfDay(rest.from) === startOfDay(rest.to - 1);
}

/** True if the rows of both lie side by side, as those of a range and of its comparison, and are those of closed days. */
export function isNext(period: Period, before: Period): boolean {
  return (
    rangeOf(before).to === rangeOf(period).from &&
    rangeOf(before).zone === rangeOf(period).zone &&
    [period, before].every((one) => unsummedRange(rangeOf(one), one.days) === undefined)
  );
}

/**
 * The numbers of figures whose charts all have one interval. `periods`: one, or several that follow each other. Rows have the `period`, and
 * are of a bucket (`label`) or of all (`is_total`).
 */
export function buildFigures(periods: readonly Period[]): Statement {
  const figures = periods.flatMap((period) => period.figures);
  const [first, last] = [periods[0], periods.at(-1)] as [Period, Period];
  const [{ scope }] = figures as [FiguresSelect];
  const range = { ...scope.range, from: rangeOf(first).from, to: rangeOf(last).to };
  const [days, paid] = [periods.flatMap((period) => period.days), periods.flatMap((period) => period.paid)];
  const rest = unsummedRange(range, days);
  const { bound, bind } = openBound({ ...scope, range: rest ?? range });
  const metrics = [...new Set(figures.flatMap((select) => select.metrics))];
  const ofDays = { scope: { ...scope, range }, metrics, by: { interval: 'day' as const } };
  const sources = sourcesFromDays(ofDays, { rest, days, paid, bind });
  const interval = figures.find((select) => select.by)?.by?.interval;
  const day = "toDate(toDateTime(intDiv(label, 1000), 'UTC'), 'UTC')";
  const bucket = interval && `, ${startOfDays(interval, day)} AS bucket`;
  const starts = periods.slice(1).map((period) => `(label >= ${bind(rangeOf(period).from)})`);
  const numbers = withNeeds(metrics).map((metric) => `${metricOfDays(metric, { days })} AS ${metric}`);
  const labels = interval ? 'period, bucket AS label, grouping(bucket) AS is_total' : 'period, 1 AS is_total';
  return {
    sql: `SELECT ${[labels, ...numbers].join(', ')}
      FROM (SELECT *, ${['0', ...starts].join(' + ')} AS period${bucket ?? ''} FROM (${sources.join('\nUNION ALL\n')}))
      GROUP BY ${interval ? 'GROUPING SETS ((period, bucket), (period))' : 'period'}`,
    bound,
  };
}

/** The rows of the figures of each period, from those of their `buildFigures`. */
export function splitFigures(periods: readonly Period[], rows: Rows): Rows[] {
  return periods.flatMap(({ figures }, index) => {
    const ofPeriod = rows.filter((row) => Number(row['period']) === index);
    return figures.map(({ by, metrics }) => {
      const names = [...(by ? ['label'] : []), ...withNeeds(metrics)];
      const own = ofPeriod.filter((row) => (Number(row['is_total']) === 1) === (by === undefined));
      // Totals of nothing are zero, as without a grouping.
      const found = own.length === 0 && !by ? [{}] : own;
      return found.map((row: Rows[number]) =>
        Object.fromEntries(names.map((name) => [name, row[name] === undefined ? 0 : row[name]])),
      );
    });
  });
}

type Question = Days & { select: FiguresSelect };

/** Questions about one range. Those that count no payments know of no day on which these are counted. */
export function periodOf(questions: readonly Question[]): Period {
  const [{ days, paid }] = questions.toSorted((one, other) => other.paid.length - one.paid.length) as [Question];
  return { figures: questions.map(({ select }) => select), days, paid };
}
