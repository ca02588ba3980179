// Plans a query: the grouping, the rows to read, and the SQL of each metric.
import { type Interval, isWithinDay, minutesPastHour } from '../../vocabulary/time/intervals.ts';
import type { Range } from '../../vocabulary/time/periods.ts';
import type { Kind } from '../../vocabulary/questions/sources.ts';
import { DAY_MS } from '../../vocabulary/time/time.ts';
import { isOfReading, isOfWholeVisits } from './combination.ts';
import { type DimensionSql, dimensionSql } from './dimensions.ts';
import { allOf, type Filters, readFilters } from './filters.ts';
import { openSaved } from '../funnels/funnel-sql.ts';
import type { StatementGoals } from './goal-bits.ts';
import { type Column, columnRow, metricSql, withNeeds } from './metrics.ts';
import type { Offset } from '../../vocabulary/time/zones.ts';
import { type Bind, IN_DAYS, IN_RANGE, type Scope } from './scope.ts';
import { joinedSql, type OfValues } from '../disclosure/joined-values.ts';

/**
 * Groups rows by a dimension (over the whole range, or `limit` rows for each bucket of time; `rare`: values that count under another one), by buckets alone, or by the hours of the week
 * that a clock with these offsets shows.
 */
export type Grouping = (OfValues & { each?: Interval }) | { interval: Interval } | { hoursOfWeek: readonly Offset[] };

export type Plan = {
  /** The expression to group by: the value of a dimension, the start of a bucket, or the number of an hour of the week. */
  label: string | undefined;
  dimension: DimensionSql | undefined;
  /** Start of the bucket, when each bucket has its own rows. */
  bucket: string | undefined;
  /** The requested metrics in SQL, each after the metrics that it is computed from. */
  columns: { metric: Column; sql: string }[];
  /** SQL conditions for the rows of a kind, called `of_KIND` in the metrics. */
  kinds: { kind: Kind; sql: string }[];
  where: string;
  /** Each visit counts in the hour in which it started, so every row needs the start of its visit. */
  needsStarts: boolean;
  /** Kinds of rows to count in each visit, when a metric is summed over visits: `visit_KIND` in the metrics. */
  spread: { kind: Kind; sql: string }[];
  /** The goals of a list by goal. */
  goals: Pick<StatementGoals, 'bits' | 'idsOf'> | undefined;
  /** SQL conditions for the pages whose measured views are needed; undefined when no metric needs any. */
  readPages: readonly string[] | undefined;
};

type Time = 'time' | 'started_at';
const WITHIN_DAY: Record<'minute' | 'hour', (time: Time, minutesPast: number) => string> = {
  minute: (time) => `toStartOfMinute(${time})`,
  hour: (time, past) =>
    past === 0
      ? `toStartOfHour(${time})`
      : `toStartOfHour(${time} - toIntervalMinute(${past})) + toIntervalMinute(${past})`,
};
export type OfDays = Exclude<Interval, 'minute' | 'hour'>;
/** `day` is SQL for the day towards which a row counts. */
const OF_DAYS: Record<OfDays, (day: string) => string> = {
  day: (day) => `toDateTime(${day}, 'UTC')`,
  week: (day) => `toDateTime(toStartOfWeek(${day}, 1), 'UTC')`,
  month: (day) => `toDateTime(toStartOfMonth(${day}), 'UTC')`,
};

type Asked = { scope: Scope; metrics: readonly Column[]; by?: Grouping | undefined };

export function planOf({ scope, metrics: asked, by }: Asked, bind: Bind): Plan {
  const dimension = by && 'dimension' in by ? joinedDimension(by, bind) : undefined;
  const saved = openSaved(scope, bind);
  const filters = readFilters(scope.filters, bind, saved);
  const metrics = withNeeds(asked);
  const needsWholeVisits = metrics.some(isOfWholeVisits);
  const bucketed = by && intervalOf(by);
  const isOfHours = bucketed !== undefined && isWithinDay(bucketed);
  // A visit may span several hours: its bounce and its duration belong to the hour in which it started.
  const needsStarts = isOfHours && needsWholeVisits;

  const spread = countedKinds(metrics.filter((metric) => isSpread(metric, dimension)));
  const kept = spread.length > 0 ? undefined : keptSql(asked);
  const { where, hasWholeVisits } = filters.rowsFor(kindsOf(metrics, dimension), {
    anyRow: !isOfHours && !needsWholeVisits,
  });
  return {
    label:
      dimension?.sql ?? (by && timeLabel(by, { range: scope.range, time: needsStarts ? 'started_at' : 'time', bind })),
    dimension,
    bucket: by && 'each' in by && by.each ? startOf(by.each, scope.range, 'time') : undefined,
    columns: metrics.map((metric) => ({ metric, sql: kept ?? columnSql(metric, { hasWholeVisits, dimension }) })),
    kinds: kept ? [] : kindConditions(metrics, filters),
    where: allOf([
      kept ? inDays(scope.range) : IN_RANGE,
      ...where,
      ...(dimension?.level === 'row' && dimension.only ? [dimension.only] : []),
    ]),
    needsStarts,
    spread: spread.map((kind) => ({ kind, sql: filters.rowsOf(kind) })),
    goals: by && 'dimension' in by && by.dimension === 'goal' ? saved.goals : undefined,
    readPages: metrics.some(isOfReading) ? filters.ofPages : undefined,
  };
}

/** The dimension in the SQL of events, with rare values as those that they count under. `day`: SQL for the day of a row of another table. */
export function joinedDimension({ dimension, rare }: OfValues, bind: Bind, day?: string): DimensionSql {
  const found = dimensionSql(dimension, bind);
  return found.level === 'row' ? found : { ...found, sql: joinedSql(found.sql, rare, { bind, ...(day && { day }) }) };
}

function intervalOf(by: Grouping): Interval | undefined {
  if ('dimension' in by) return by.each;
  return 'interval' in by ? by.interval : 'hour';
}

function timeLabel(by: Grouping, { range, time, bind }: { range: Range; time: Time; bind: Bind }): string | undefined {
  if ('interval' in by) return startOf(by.interval, range, time);
  return 'hoursOfWeek' in by ? hourOfWeek(by.hoursOfWeek, time, bind) : undefined;
}

/** 1 January 1970 was a Thursday: 72 hours after Monday began. */
const EPOCH_HOUR = 72;

/** 0 is the first hour of Monday. The stores do not know zones, so they get the offsets of the site's clock. */
function hourOfWeek([first, ...others]: readonly Offset[], time: Time, bind: Bind): string {
  const seconds = (ms: number) => bind(Math.round(ms / 1000));
  const at = `toInt64(toUnixTimestamp(${time}))`;
  const later = others.toReversed().flatMap(({ since, aheadMs }) => [`${at} >= ${seconds(since)}`, seconds(aheadMs)]);
  const cases = [...later, seconds(first?.aheadMs ?? 0)].join(', ');
  const ahead = later.length > 0 ? `multiIf(${cases})` : cases;
  return `modulo(intDiv(${at} + ${ahead}, 3600) + ${EPOCH_HOUR}, 168)`;
}

/** SQL for the start of the bucket in which a row lies. */
export function startOf(interval: Interval, range: Range, time: Time): string {
  if (!isWithinDay(interval)) return startOfDays(interval, range.zone === undefined ? `toDate(${time})` : 'day');
  return `toUnixTimestamp(${WITHIN_DAY[interval](time, minutesPastHour(range))}) * 1000`;
}

/** SQL for the start of the day, week or month in which a day lies. */
export const startOfDays = (interval: OfDays, day: string): string =>
  `toUnixTimestamp(${OF_DAYS[interval](day)}) * 1000`;

/** Kept counts can be used only when a single metric is requested. */
function keptSql([metric, another]: readonly Column[]): string | undefined {
  return metric && !another ? metricSql(metric).kept : undefined;
}

export const isOfWholeDays = ({ from, to }: Range): boolean => from % DAY_MS === 0 && to % DAY_MS === 0;

/** SQL condition for the rows in a range. Over whole days it lets the store use the counts that it keeps for each day. */
export const inDays = (range: Range): string => (isOfWholeDays(range) ? IN_DAYS : IN_RANGE);

const countedKinds = (metrics: readonly Column[]) => [...new Set(metrics.map((metric) => columnRow(metric).counts))];

function kindConditions(metrics: readonly Column[], filters: Filters): Plan['kinds'] {
  const narrowed = countedKinds(metrics).filter((kind) => kind !== 'visits');
  return narrowed.map((kind) => ({ kind, sql: filters.rowsOf(kind) }));
}

/**
 * Returns the kinds of rows to read. A list by a row-level dimension reads only rows that have the dimension: the visitors of a page are
 * those with a page view or event on it.
 */
function kindsOf(metrics: readonly Column[], dimension: DimensionSql | undefined): readonly Kind[] {
  const counted = countedKinds(metrics);
  if (dimension?.level !== 'row') return counted;
  return counted.every((kind) => dimension.kinds.includes(kind)) ? counted : dimension.kinds;
}

type Counting = { hasWholeVisits: boolean; dimension: DimensionSql | undefined };

function columnSql(metric: Column, { hasWholeVisits, dimension }: Counting): string {
  const row = metricSql(metric);
  if (row.spread && isSpread(metric, dimension)) return row.spread;
  return hasWholeVisits ? row.sql : (row.distinct ?? row.sql);
}

/**
 * True if the list's rows cannot be of the metric's kind. A list of events, for example, shows the page views in the visits that have the
 * event.
 */
function isSpread(metric: Column, dimension: DimensionSql | undefined): boolean {
  if (metricSql(metric).spread === undefined || dimension?.level !== 'row') return false;
  return ![...dimension.kinds, ...dimension.narrows].includes(columnRow(metric).counts);
}
