// One metric over time.
import { Refusal } from '../../errors.ts';
import {
  bucketsOf,
  clockOf,
  type Interval,
  intervalsOf,
  nextBucket,
  possibleIntervals,
} from '../../vocabulary/time/intervals.ts';
import type { Range } from '../../vocabulary/time/periods.ts';
import type { TimeseriesQuestion } from '../query.ts';
import { type Metric, metricRow } from '../../vocabulary/numbers/metrics.ts';
import { readDay, spansOfDays } from '../../vocabulary/time/time.ts';
import { askRange } from './ranges.ts';
import { buildUntold } from '../days/day-sums.ts';
import { isOfClosedDays } from '../days/from-days.ts';
import type { SummedDay } from '../days/summed-days.ts';
import type { Reader } from '../reader.ts';
import { mayBeUntold } from '../sql/metrics.ts';
import type { Scope } from '../sql/scope.ts';
import { type Asked, comparisonOf, type Days, daysOf, numberOf, scopeOf } from './values.ts';

/** Null: its days are of other products, none of which tells the number. */
type Point = { time: number; value: number | null };
export type Timeseries = Days & {
  interval: Interval;
  intervals: Interval[];
  points: Point[];
  /** The comparison's points, aligned by index. */
  previous: Point[] | null;
  /** True if the last bucket is not over yet. */
  unfinished: boolean;
  /**
   * The days that were imported from another product, as spans that follow each other, and whether they count here; null without any. `untold`: how many
   * of those that count do not tell the numbers of the metric. `formats`: those of their imports, which name the products: see PRODUCTS.
   */
  imported: { spans: Days[]; is_counted: boolean; formats: string[]; untold?: number } | null;
};
/** `isForChart: false` allows every interval that fits the range, not only those that suit a chart. */
export type AskedTimeseries = TimeseriesQuestion & { isForChart?: boolean };

/** The formats of a site's imports, by their ids. */
export type FormatsOf = (siteId: string) => Promise<ReadonlyMap<string, string>>;

export async function askTimeseries(
  reader: Reader,
  asked: Asked<AskedTimeseries> & { formatsOf: FormatsOf },
): Promise<Timeseries> {
  const { question, now } = asked;
  const range = await askRange(reader, asked);
  const comparison = comparisonOf(asked, range);
  const intervals = intervalsOf(range);
  const allowed = question.isForChart === false ? possibleIntervals(range) : intervals;
  const interval = checkInterval(question.interval ?? intervals[0], allowed);

  const pointsOf = async (scope: Scope): Promise<Point[]> => {
    const rows = await reader.ask({ scope, metrics: [question.metric], by: { interval } });
    const found = new Map(rows.map((row) => [Number(row['label']), numberOf(row[question.metric])]));
    const starts = bucketsUntil(now, scope.range, { interval, seen: [...found.keys()] });
    return starts.map((time) => ({ time, value: found.has(time) ? (found.get(time) ?? null) : 0 }));
  };
  const scope = scopeOf(asked, range);
  const [importedDays, points, previous] = await Promise.all([
    reader.importedDays(scope),
    pointsOf(scope),
    // Uncut, so that its line continues past the current time.
    comparison ? pointsOf({ ...comparison.scope, range: comparison.range }) : null,
  ]);
  const last = points.at(-1);
  // The last of the rolling 24 hours is as long as the others.
  const unfinished =
    last !== undefined &&
    nextBucket(last.time, interval) > clockOf(range, interval, now) &&
    !(range.rolls && interval === 'hour');
  const isCounted =
    scope.imported !== false &&
    (isOfClosedDays({ scope, metrics: [question.metric], by: { interval } }) ||
      // Few imports know of goals.
      (metricRow(question.metric).isOfGoals === true && importedDays.some(({ day }) => valueOn(points, day) > 0)));
  const formats = importedDays.length > 0 ? await asked.formatsOf(question.site_id) : new Map<string, string>();
  const imported = importedOf(importedDays, { formats, is_counted: isCounted && scope.filters.length === 0 });
  const untold = imported?.is_counted
    ? await askUntold(reader, scope, { metric: question.metric, days: importedDays })
    : 0;
  if (imported && untold > 0) imported.untold = untold;
  return { ...daysOf(range), interval, intervals, points, previous, unfinished, imported };
}

type OfImports = { metric: Metric; days: readonly SummedDay[] };
async function askUntold({ remembered }: Reader, scope: Scope, of: OfImports): Promise<number> {
  if (!mayBeUntold(of.metric)) return 0;
  const [row] = await remembered(scope, buildUntold(scope, of), 'nothing about visitors');
  return Number(row?.['untold'] ?? 0);
}

/** The value of the bucket in which a day lies. */
const valueOn = (points: readonly Point[], day: string): number =>
  points.findLast(({ time }) => time <= (readDay(day) ?? NaN))?.value ?? 0;

/** `days`: in their order; of several sites, a day may come again. */
export function importedOf(
  days: readonly SummedDay[],
  { formats, is_counted }: { formats: ReadonlyMap<string, string>; is_counted: boolean },
): Timeseries['imported'] {
  const spans = spansOfDays([...new Set(days.map(({ day }) => day))]).map(([date_from, date_to]) => ({
    date_from,
    date_to,
  }));
  const found = new Set(days.flatMap(({ summing }) => formats.get(summing) ?? []));
  return spans.length > 0 ? { spans, is_counted, formats: [...found].sort() } : null;
}

/** Throws bad_request for an interval that does not fit the range. */
export function checkInterval(interval: Interval, allowed: readonly Interval[]): Interval {
  if (allowed.includes(interval)) return interval;
  throw new Refusal('bad_request', `interval: must be one of ${allowed.join(', ')} for a period of this length.`);
}

/** The buckets of a range up to the current one: future hours must not appear as zeros. `seen`: see `bucketsOf`. */
export function bucketsUntil(
  now: number,
  range: Range,
  { interval, seen }: { interval: Interval; seen: readonly number[] },
): number[] {
  const shown = clockOf(range, interval, now);
  return bucketsOf(range, interval, seen).filter((time) => time <= shown);
}
