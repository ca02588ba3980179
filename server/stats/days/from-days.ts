// Answers questions from closed days: from their sums without filters, from their visits with filters, for money and for reading, and from the events of
// all other days.
import { isWithinDay } from '../../vocabulary/time/intervals.ts';
import type { Range } from '../../vocabulary/time/periods.ts';
import { isOfReading, sourceOfQuestion } from '../sql/combination.ts';
import { type Columns, columnsFor, isOfDays, metricOfDays, numbersOf } from './day-columns.ts';
import { ALL_PAYMENTS, countsOfSets } from './day-goals.ts';
import { countedEvents, sumsOf } from './day-sums.ts';
import { isFilterOfVisits, readOf, visitsOf } from './day-visits.ts';
import { type Column, metricSql, sourceOfColumn, withNeeds } from '../sql/metrics.ts';
import { type Grouping, isOfWholeDays } from '../sql/plan.ts';
import { type Bind, openBound, type Statement } from '../sql/scope.ts';
import { listClauses, measuredViews, type Select } from '../sql/sql.ts';
import { notOn, SUMMED_DIMENSIONS, type SummedDay, unsummedRange, withoutImported } from './summed-days.ts';
import { reachColumns } from '../sql/views.ts';

/** True if closed days can answer at least a part of this question. */
export function isOfClosedDays(select: Select): boolean {
  const { scope, metrics, by } = select;
  const fits = by ? metrics.every(isOfDays) && isGroupingOfDays(by) : metrics.some(isReadable);
  return (
    fits &&
    !isOfKeptPages(select) &&
    metrics.every((metric) => sourceOfColumn(metric) === 'events') &&
    scope.filters.every(isFilterOfVisits) &&
    !(scope.filters.length > 0 && isOfVisitsByEvent(metrics, by))
  );
}

/** The store keeps the page views of each page and day: see `kept` in metrics.ts. They are fewer than the visits. */
const isOfKeptPages = ({ scope: { filters, range }, metrics, by }: Select): boolean =>
  filters.length > 0 &&
  filters.every(({ dimension }) => dimension === 'page') &&
  metrics.every((metric) => metric === 'pageviews') &&
  by !== undefined &&
  'dimension' in by &&
  by.dimension === 'page' &&
  by.each === undefined &&
  isOfWholeDays(range);

const isReadable = (metric: Column): boolean => isOfDays(metric) || isOfReading(metric);

function isGroupingOfDays(by: Grouping): boolean {
  if ('hoursOfWeek' in by) return false;
  if ('interval' in by) return !isWithinDay(by.interval);
  return SUMMED_DIMENSIONS.includes(by.dimension) && !(by.each && isWithinDay(by.each));
}

/** A list of events shows the page views in the visits that have each event. */
const isOfVisitsByEvent = (metrics: readonly Column[], by: Grouping | undefined): boolean =>
  by !== undefined && 'dimension' in by && by.dimension === 'event' && columnsFor(metrics).counts.includes('pageviews');

/** The days whose rows can be read for this question. */
export function readableDays(select: Select, days: readonly SummedDay[]): SummedDay[] {
  const hasFilters = select.scope.filters.length > 0;
  const isAboutReading = select.metrics.some(isOfReading);
  const needsVisits = ({ hasPayments, imported }: SummedDay) =>
    !imported && (hasFilters || isAboutReading || (hasPayments && columnsFor(select.metrics).money.length > 0));
  return (hasFilters ? withoutImported(days) : days).filter((day) => day.hasVisits || !needsVisits(day));
}

/** Returns the question in parts, whose columns together are the answer. */
export function partsOf(select: Select): { ofDays?: Select; ofReading?: Select; ofEvents?: Select } {
  const part = (metrics: Column[]) => (metrics.length > 0 ? { ...select, metrics } : undefined);
  const ofDays = part(select.metrics.filter(isOfDays));
  const ofReading = part(select.metrics.filter(isOfReading));
  const ofEvents = part(select.metrics.filter((metric) => !isReadable(metric)));
  return { ...(ofDays && { ofDays }), ...(ofReading && { ofReading }), ...(ofEvents && { ofEvents }) };
}

/** A list of counts, and one of how the same rows were read. */
export type ReadApart = { counted: Select; read: Select };

/**
 * Returns a list in two: its counts, and how its rows were read, which only events tell. Together they have rows of imported days, too. Undefined for
 * other questions, and for a list in the order of how its rows were read.
 */
export function readApart(select: Select): ReadApart | undefined {
  const { scope, metrics, by, order } = select;
  if (scope.filters.length > 0) return undefined; // imported days know no filters
  const first = order?.by ?? metrics[0] ?? 'name';
  if (!by || !('dimension' in by) || by.each || (first !== 'name' && isOfReading(first))) return undefined;
  const counted = { ...select, metrics: metrics.filter((metric) => !isOfReading(metric)) };
  const { order: _order, search: _search, offset: _offset, ...read } = select;
  if (counted.metrics.length === 0 || counted.metrics.length === metrics.length || !isOfClosedDays(counted))
    return undefined;
  return { counted, read: { ...read, metrics: metrics.filter(isOfReading) } };
}

/** How pages were read on all days. */
export function buildReading(select: Select, days: readonly SummedDay[]): Statement {
  const { scope, metrics } = select;
  sourceOfQuestion({ metrics, filters: scope.filters });
  const range = unsummedRange(scope.range, days);
  const { bound, bind } = openBound(range ? { ...scope, range } : scope);
  bound['fewest_readers'] = select.fewestReaders ?? 0;
  const views = [
    readOf(select, { days, bind }),
    ...(range ? [measuredViews({ ...scope, range }, { conditions: notOn(range, days, bind), bind })] : []),
  ];
  const shown = [
    ...metrics.map((metric) => `${metricSql(metric).sql} AS ${metric}`),
    ...(select.withReach ? reachColumns : []),
  ];
  return {
    sql: `WITH 1 AS of_pageviews, 1 AS is_read SELECT ${shown.join(', ')} FROM (${views.join('\nUNION ALL\n')})`,
    bound,
  };
}

/** Closed days, and those of them whose payments are counted already. */
export type Days = { days: readonly SummedDay[]; paid: readonly SummedDay[] };

/** The same rows as those of `buildSelect`, for a question of `isOfClosedDays` and its readable days. */
export function buildFromDays(select: Select, { days, paid }: Days): Statement {
  const { scope, metrics, by } = select;
  const dimension = by && 'dimension' in by ? by.dimension : undefined;
  sourceOfQuestion({ metrics, dimension, filters: scope.filters });
  const rest = unsummedRange(scope.range, days);
  const { bound, bind } = openBound(rest ? { ...scope, range: rest } : scope);
  const counted = countedFromDays(select, { rest, days, paid, bind });
  if (!dimension) return { sql: counted, bound };
  const list = listClauses(select, { bucket: isOfBuckets(by) ? 'bucket' : undefined }).join('\n');
  const total = isOfBuckets(by) ? '' : ', count() OVER () AS total';
  return { sql: `SELECT *${total} FROM (${counted}) AS counted\n${list}`, bound };
}

/** `rest`: the range that is read from events. */
type Counting = Days & { rest: Range | undefined; bind: Bind };

export function countedFromDays(select: Select, counting: Counting): string {
  const { metrics, by } = select;
  const labels = [...(by ? ['label'] : []), ...(isOfBuckets(by) ? ['bucket'] : [])];
  const shown = withNeeds(metrics).map((metric) => `${metricOfDays(metric, counting)} AS ${metric}`);
  return [
    `SELECT ${[...labels, ...shown].join(', ')}`,
    `FROM (${sourcesFromDays(select, counting).join('\nUNION ALL\n')})`,
    ...(by ? [`GROUP BY ${labels.join(', ')}`] : []),
  ].join('\n');
}

/** SELECTs whose rows add up to the numbers of all days. */
export function sourcesFromDays(select: Select, { rest, days, paid, bind }: Counting): string[] {
  const columns = columnsFor(select.metrics);
  return [
    ...closedRows(select, { columns, days, paid, bind }),
    ...(rest ? [otherRows({ ...select, scope: { ...select.scope, range: rest } }, { columns, days, bind })] : []),
  ];
}

/** Days whose payments this question counts, if they may be counted already. */
export function daysOfPayments({ scope, metrics, by }: Select, days: readonly SummedDay[]): SummedDay[] {
  const isWhole = scope.filters.length === 0 && !(by && 'dimension' in by);
  return isWhole && columnsFor(metrics).money.length > 0 ? days.filter(({ hasPayments }) => hasPayments) : [];
}

const isOfBuckets = (by: Grouping | undefined): boolean =>
  by !== undefined && 'dimension' in by && by.each !== undefined;

type Reading = { columns: Columns; days: readonly SummedDay[]; bind: Bind };

/** The numbers of days without payments need no visits, unless they are filtered. */
function closedRows(select: Select, { columns, days, paid, bind }: Reading & Days): string[] {
  if (select.scope.filters.length > 0) return visitsOf(select, { columns, read: columns, days, bind });
  const { money } = columns;
  const others = days.filter((day) => day.hasPayments && !paid.includes(day));
  const needsSums = columns.counts.length > 0 || money.length === 0 || others.length + paid.length === 0;
  return [
    ...(needsSums ? [sumsOf(select, { columns, days, bind })] : []),
    ...(paid.length > 0 && money.length > 0 ? [paymentsOf(select, { columns, days: paid, bind })] : []),
    ...(others.length > 0 ? visitsOf(select, { columns, read: { counts: [], money }, days: others, bind }) : []),
  ];
}

function paymentsOf(select: Select, { columns, days, bind }: Reading): string {
  const isMoney = (name: string) => columns.money.some((one) => one === name);
  return countsOfSets(select, { columns, isRead: isMoney, sets: [ALL_PAYMENTS], days, bind });
}

function otherRows(select: Select, { columns, days, bind }: Reading): string {
  const conditions = notOn(select.scope.range, days, bind);
  const counted = countedEvents(select, { columns, conditions, bind });
  const labels = [...(select.by ? ['label'] : []), ...(isOfBuckets(select.by) ? ['bucket'] : [])];
  return `SELECT ${[...labels, ...numbersOf(columns, (name) => name)].join(', ')} FROM (${counted})`;
}
