// How a question is counted: what its rows are grouped by, which rows it reads, and each metric in SQL.
import type { Dimension } from '../vocabulary/dimensions.ts';
import type { Interval } from '../vocabulary/intervals.ts';
import { type Metric, metricRow } from '../vocabulary/metrics.ts';
import type { Range } from '../vocabulary/periods.ts';
import type { Kind } from '../vocabulary/sources.ts';
import { DAY_MS } from '../vocabulary/time.ts';
import { isOfWholeVisits } from './combination.ts';
import { type DimensionSql, dimensionSql } from './dimensions.ts';
import { allOf, type Filters, IN_RANGE, readFilters } from './filters.ts';
import { metricSql, withNeeds } from './metrics.ts';
import type { Bind, Scope } from './scope.ts';

/** What rows are grouped by: a dimension (of the whole range, or with `limit` rows of each day), or a bucket of time. */
export type Grouping = { dimension: Dimension; each?: 'day' } | { interval: Interval };

export type Plan = {
  /** What to group by: the value of a dimension, or the start of a bucket. */
  label: string | undefined;
  dimension: DimensionSql | undefined;
  /** Start of the day, where each day has rows of its own. */
  day: string | undefined;
  /** The metrics asked for, after those that they need, each in SQL. */
  columns: { metric: Metric; sql: string }[];
  /** Which of the rows are of a kind: what `of_KIND` stands for in the metrics. */
  kinds: { kind: Kind; sql: string }[];
  where: string;
  /** Each visit counts in the hour in which it started, which its other rows do not know. */
  needsStarts: boolean;
  /** The rows of each visit to count, where a metric is spread over its visits. */
  spread: string | undefined;
};

const BUCKETS: Record<Interval, (time: 'time' | 'started_at') => string> = {
  minute: (time) => `toStartOfMinute(${time})`,
  hour: (time) => `toStartOfHour(${time})`,
  day: (time) => `toDateTime(toDate(${time}), 'UTC')`,
  week: (time) => `toDateTime(toStartOfWeek(${time}, 1), 'UTC')`,
  month: (time) => `toDateTime(toStartOfMonth(${time}), 'UTC')`,
};

/** The same rows in terms of days, in which some numbers are kept ready. */
const IN_DAYS =
  "site_id = {site_id:String} AND toDate(time) >= toDate(fromUnixTimestamp64Milli({from:Int64}, 'UTC')) AND toDate(time) < toDate(fromUnixTimestamp64Milli({to:Int64}, 'UTC'))";

type Asked = { scope: Scope; metrics: readonly Metric[]; by?: Grouping | undefined };

export function planOf({ scope, metrics: asked, by }: Asked, bind: Bind): Plan {
  const dimension = by && 'dimension' in by ? dimensionSql(by.dimension, bind) : undefined;
  const interval = by && 'interval' in by ? by.interval : undefined;
  const filters = readFilters(scope.filters, bind);
  const metrics = withNeeds(asked);
  const needsWholeVisits = metrics.some(isOfWholeVisits);
  const isWithinDay = interval === 'hour' || interval === 'minute';
  // A visit may cross an hour: its bounce and its length belong to the hour in which it started.
  const needsStarts = isWithinDay && needsWholeVisits;

  const spread = metrics.find((metric) => isSpread(metric, dimension));
  const kept = spread ? undefined : keptSql(asked);
  const { where, hasWholeVisits } = filters.rowsFor(kindsOf(metrics, dimension), {
    anyRow: !isWithinDay && !needsWholeVisits,
  });
  return {
    label: dimension?.sql ?? (interval && startOf(interval, needsStarts ? 'started_at' : 'time')),
    dimension,
    day: by && 'each' in by ? startOf('day', 'time') : undefined,
    columns: metrics.map((metric) => ({ metric, sql: kept ?? columnSql(metric, { hasWholeVisits, dimension }) })),
    kinds: kept ? [] : kindConditions(metrics, filters),
    where: allOf([
      kept && isWholeDays(scope.range) ? IN_DAYS : IN_RANGE,
      ...where,
      ...(dimension?.level === 'row' && dimension.only ? [dimension.only] : []),
    ]),
    needsStarts,
    spread: spread && filters.rowsOf(metricRow(spread).counts),
  };
}

function startOf(interval: Interval, time: 'time' | 'started_at'): string {
  return `toUnixTimestamp(${BUCKETS[interval](time)}) * 1000`;
}

/** One metric alone may be kept ready for each day. */
function keptSql([metric, another]: readonly Metric[]): string | undefined {
  return metric && !another ? metricSql(metric).kept : undefined;
}

function isWholeDays({ from, to }: Range): boolean {
  return from % DAY_MS === 0 && to % DAY_MS === 0;
}

const countedKinds = (metrics: readonly Metric[]) => [...new Set(metrics.map((metric) => metricRow(metric).counts))];

function kindConditions(metrics: readonly Metric[], filters: Filters): Plan['kinds'] {
  const narrowed = countedKinds(metrics).filter((kind) => kind !== 'visits');
  return narrowed.map((kind) => ({ kind, sql: filters.rowsOf(kind) }));
}

/**
 * The kinds of rows that are looked at. A list by something that each row has for itself looks only at rows that have it: the
 * visitors of a page are those of its page views and events.
 */
function kindsOf(metrics: readonly Metric[], dimension: DimensionSql | undefined): readonly Kind[] {
  const counted = countedKinds(metrics);
  if (dimension?.level !== 'row') return counted;
  return counted.every((kind) => dimension.kinds.includes(kind)) ? counted : dimension.kinds;
}

type Counting = { hasWholeVisits: boolean; dimension: DimensionSql | undefined };

function columnSql(metric: Metric, { hasWholeVisits, dimension }: Counting): string {
  const row = metricSql(metric);
  if (row.spread && isSpread(metric, dimension)) return row.spread;
  return hasWholeVisits ? row.sql : (row.distinct ?? row.sql);
}

/** No event is a page view: a list of events has the page views of the visits in which each happened. */
function isSpread(metric: Metric, dimension: DimensionSql | undefined): boolean {
  if (metricSql(metric).spread === undefined || dimension?.level !== 'row') return false;
  return !dimension.kinds.includes(metricRow(metric).counts);
}
