// The sums of closed days: which questions they answer, and the SQL that adds them up with the events of the other days.
import { type Dimension, DIMENSION_NAMES, sourceOf } from '../vocabulary/dimensions.ts';
import { isWithinDay } from '../vocabulary/intervals.ts';
import { type Metric, metricRow, sourceOfMetric } from '../vocabulary/metrics.ts';
import { isOfWholeVisits, splitsVisits } from './combination.ts';
import { metricSql, withNeeds } from './metrics.ts';
import { type Grouping, planOf, startOfDays } from './plan.ts';
import { type Bind, openBound, type Scope, type Statement } from './scope.ts';
import { countedRows, labelConditions, listClauses, type Select } from './sql.ts';
import { daysWithin, type SummedDays, unsummedRange } from './summed-days.ts';

/** The metrics that a day keeps. The other columns of its sums are those of `OF_VISITS`. */
const KEPT = ['unique_visitors', 'visits', 'pageviews', 'events'] as const satisfies Metric[];
/** What metrics of whole visits are computed from, as columns of `events` and of the sums. */
const OF_VISITS = ['bounces', 'visit_ms'] as const;
const COLUMNS = [...KEPT, ...OF_VISITS];

/** The dimensions whose values are summed. Each goal and each property would be a dimension of its own. */
export const SUMMED_DIMENSIONS: readonly Dimension[] = DIMENSION_NAMES.filter(
  (name) => sourceOf(name) === 'events' && name !== 'goal',
);

const isMoney = (metric: Metric): boolean => ['orders', 'implausible_orders'].includes(metricRow(metric).counts);
const isSummed = (metric: Metric): boolean => metricSql(metric).ofDays !== undefined;

/** True if sums can answer at least a part of this question. */
export function isOfSums({ scope, metrics, by, withReach }: Select): boolean {
  return (
    scope.filters.length === 0 &&
    !withReach &&
    metrics.every((metric) => sourceOfMetric(metric) === 'events' && (isSummed(metric) || isMoney(metric))) &&
    (!by || dimensionOfSums(by) !== undefined)
  );
}

/** The dimension under which the rows of a grouping are summed, where '' stands for whole days. */
function dimensionOfSums(by: Grouping | undefined): Dimension | '' | undefined {
  if (!by) return '';
  if ('interval' in by) return isWithinDay(by.interval) ? undefined : '';
  if ('hoursOfWeek' in by || by.each) return undefined;
  return SUMMED_DIMENSIONS.includes(by.dimension) ? by.dimension : undefined;
}

/**
 * Returns the question in parts with different rows to read, whose columns together are the answer. Undefined if the events must be read
 * after all: sums hold no money.
 */
export function partsOfSums(
  select: Select,
  { hasPayments }: SummedDays,
): { ofSums: Select; ofEvents?: Select } | undefined {
  const money = hasPayments ? select.metrics.filter(isMoney) : [];
  if (money.length === 0) return { ofSums: select };
  const rest = select.metrics.filter((metric) => !money.includes(metric));
  if (select.by || rest.length === 0) return undefined;
  return { ofSums: { ...select, metrics: rest }, ofEvents: { ...select, metrics: money } };
}

/** The same rows as those of `buildSelect`, for a question of `isOfSums` without money on the summed days. */
export function buildFromSums(select: Select, summed: SummedDays): Statement {
  const { scope, by } = select;
  const rest = unsummedRange(scope.range, summed);
  const { bound, bind } = openBound(rest ? { ...scope, range: rest } : scope);
  const metrics = withNeeds(select.metrics);
  const columns = columnsFor(metrics);
  const money = metrics.filter(isMoney);
  const hasLabel = by !== undefined;
  const sources = [
    sumsOf(select, { columns, money, summed, bind }),
    ...(rest ? [eventsOf({ ...select, scope: { ...scope, range: rest } }, { columns, money, summed, bind })] : []),
  ];
  const shown = metrics.map(
    (metric) => `${isMoney(metric) ? `sum(n_${metric})` : metricSql(metric).ofDays} AS ${metric}`,
  );
  const counted = [
    `SELECT ${[...(hasLabel ? ['label'] : []), ...shown].join(', ')}`,
    `FROM (${union(sources)})`,
    ...(hasLabel ? ['GROUP BY label'] : []),
  ].join('\n');
  if (!by || !('dimension' in by)) return { sql: counted, bound };
  const list = listClauses(select, { bucket: undefined }).join('\n');
  return { sql: `SELECT *, count() OVER () AS total FROM (${counted}) AS counted\n${list}`, bound };
}

const union = (selects: readonly string[]) => selects.join('\nUNION ALL\n');

type Column = (typeof COLUMNS)[number];

/** The columns of sums that metrics are computed from. */
function columnsFor(metrics: readonly Metric[]): readonly Column[] {
  const isWhole = metrics.some(isOfWholeVisits);
  const kept = KEPT.filter((name) => metrics.includes(name) || (name === 'visits' && isWhole));
  return isWhole ? [...kept, ...OF_VISITS] : kept;
}

type Reading = { columns: readonly Column[]; money: readonly Metric[]; summed: SummedDays; bind: Bind };

function sumsOf(select: Select, { columns, money, summed, bind }: Reading): string {
  const { by } = select;
  const label = by && ('interval' in by && !isWithinDay(by.interval) ? startOfDays(by.interval, 'day') : 'label');
  const numbers = [
    ...columns.map((name) => `toInt64(${name}) AS n_${name}`),
    ...money.map((name) => `toFloat64(0) AS n_${name}`),
  ];
  const where = [
    'site_id = {site_id:String}',
    `dimension = ${bind(dimensionOfSums(by) ?? '')}`,
    `day >= ${bind(summed.days[0] ?? '')} AND day <= ${bind(summed.days.at(-1) ?? '')}`,
    `summing IN ${bind([...summed.summings])}`,
    ...(by && 'dimension' in by ? labelConditions(select, { label: 'label' }, bind) : []),
  ];
  return `SELECT ${[...(label ? [`${label} AS label`] : []), ...numbers].join(', ')} FROM day_sums WHERE ${where.join(' AND ')}`;
}

function eventsOf(select: Select, { columns, money, summed, bind }: Reading): string {
  const { range } = select.scope;
  const within = daysWithin(range, summed);
  const day = range.zone === undefined ? 'toDate(time)' : 'day';
  const without = within.length > 0 ? [`${day} NOT IN ${bind(within)}`] : [];
  const counted = sumsOfEvents(select, { columns, money, conditions: without, bind });
  const numbers = [
    ...columns.map((name) => `toInt64(${name}) AS n_${name}`),
    ...money.map((name) => `toFloat64(${name}) AS n_${name}`),
  ];
  return `SELECT ${[...(select.by ? ['label'] : []), ...numbers].join(', ')} FROM (${counted})`;
}

type Counting = Omit<Reading, 'summed'> & { conditions: readonly string[] };

/** Counts the columns of sums from events. */
function sumsOfEvents(select: Select, { columns, money, conditions, bind }: Counting): string {
  const { scope, by } = select;
  const needsVisits = OF_VISITS.some((name) => columns.includes(name));
  const metrics = [
    ...KEPT.filter((name) => columns.includes(name)),
    ...(needsVisits ? (['bounce_rate'] as const) : []),
    ...money,
  ];
  const plan = planOf({ scope, metrics, by }, bind);
  const kept = { ...plan, columns: plan.columns.filter(({ metric }) => metric !== 'bounce_rate') };
  return countedRows(kept, 'events', {
    conditions: [...labelConditions(select, plan, bind), ...conditions],
    more: needsVisits ? OF_VISITS.map((name) => `sum(${name}) AS ${name}`) : [],
  });
}

/** Writes the sums of a day for each dimension, and for the day itself, under the name of this run. `scope`: the day. */
export function buildSums(scope: Scope, { day, summing }: { day: string; summing: string }): Statement {
  const { bound, bind } = openBound(scope);
  const name = bind(summing);
  const on = bind(day);
  const parts = ['' as const, ...SUMMED_DIMENSIONS].map((dimension) => {
    const columns = dimension !== '' && splitsVisits(dimension) ? KEPT : COLUMNS;
    const by = dimension === '' ? undefined : { dimension };
    const counted = sumsOfEvents({ scope, metrics: [], by }, { columns, money: [], conditions: [], bind });
    const numbers = COLUMNS.map((column) =>
      (columns as readonly Column[]).includes(column) ? column : `0 AS ${column}`,
    );
    return `SELECT {site_id:String} AS site_id, ${bind(dimension)} AS dimension, toDate(${on}) AS day, ${name} AS summing,
      ${[dimension === '' ? "'' AS label" : 'label', ...numbers].join(', ')} FROM (${counted})`;
  });
  const into = ['site_id', 'dimension', 'day', 'summing', 'label', ...COLUMNS];
  return { sql: `INSERT INTO day_sums (${into.join(', ')})\n${union(parts)}`, bound };
}
