// A question becomes one SELECT. Text comes from the metrics and dimensions tables alone; whatever anybody sent is a bound value.
import { Refusal } from '../errors.ts';
import type { Bound } from '../store/pool.ts';
import { DAY_MS } from '../vocabulary/time.ts';
import { type Dimension, type DimensionRow, dimensionRow } from './dimensions.ts';
import { allOf, EXIT_PAGE, IN_RANGE, readFilters } from './filters.ts';
import type { Kind, Table } from './kinds.ts';
import { type Metric, metricRow, needsWholeVisits, tableOf, withNeeds } from './metrics.ts';
import type { Interval } from '../vocabulary/intervals.ts';
import type { Range } from '../vocabulary/periods.ts';
import type { Filter } from './query.ts';

export type Scope = { site_id: string; range: Range; filters: Filter[]; currency: string; max_amount: number };

export type Select = {
  scope: Scope;
  metrics: Metric[];
  /** What rows are grouped by: a dimension (of the whole range, or with `limit` rows of each day), a bucket of time, or nothing. */
  by?: { dimension: Dimension; each?: 'day' } | { interval: Interval };
  search?: string | undefined;
  /** Only rows with these labels. */
  labels?: string[] | undefined;
  order?: { by: Metric | 'name'; direction: 'asc' | 'desc' } | undefined;
  limit?: number;
  offset?: number;
};

export type Statement = { sql: string; bound: Bound };

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

/**
 * Rows come with `label` where grouped, each metric under its name, and `total`, the number of rows before the limit; of each day
 * with `day` in its place.
 */
export function buildSelect(select: Select): Statement {
  const { bound, bind } = openBound(select.scope);
  const dimension = select.by && 'dimension' in select.by ? dimensionRow(select.by.dimension, bind) : undefined;
  const day = select.by && 'each' in select.by ? `toUnixTimestamp(${BUCKETS.day('time')}) * 1000` : undefined;
  const interval = select.by && 'interval' in select.by ? select.by.interval : undefined;
  const from = checkTable(select, dimension);
  const metrics = withNeeds(select.metrics);
  const filters = readFilters(select.scope.filters, bind);

  const [first, another] = select.metrics;
  const spread = metrics.find((metric) => isSpread(metric, dimension));
  const kept = first && !another && !spread ? metricRow(first).kept : undefined;
  const isPartOfDay = interval === 'hour' || interval === 'minute';
  const { where: rows, hasWholeVisits } = filters.rowsFor(kindsOf(metrics, dimension), {
    anyRow: !isPartOfDay && !metrics.some(needsWholeVisits),
  });
  const where = allOf([
    kept && isWholeDays(select.scope.range) ? IN_DAYS : IN_RANGE,
    ...rows,
    ...(dimension?.level === 'row' && dimension.only ? [dimension.only] : []),
  ]);

  // A visit may cross an hour: its bounce and its length belong to the hour in which it started.
  const byStart = isPartOfDay && metrics.some(needsWholeVisits);
  const bucket = interval && `toUnixTimestamp(${BUCKETS[interval](byStart ? 'started_at' : 'time')}) * 1000`;
  const label = dimension?.sql ?? bucket;
  const ofVisit = dimension?.level === 'visit' ? dimension : undefined;
  const skipsEmpty = ofVisit?.skipsEmpty ? [`${label} != ''`] : [];
  const searched = select.search && label ? [`positionCaseInsensitiveUTF8(${label}, ${bind(select.search)}) > 0`] : [];
  const named = select.labels && label ? [`${label} IN ${bind(select.labels)}`] : [];
  const columns = [
    ...(label ? [`${label} AS label`] : []),
    ...metrics.map((metric) => `${kept ?? expression(metric, { hasWholeVisits, dimension })} AS ${metric}`),
    ...(day ? [`${day} AS day`] : dimension ? ['count() OVER () AS total'] : []),
  ];
  const counted = [...new Set(metrics.map((metric) => metricRow(metric).counts))].filter((kind) => kind !== 'visits');
  const aliases = kept ? [] : counted.map((kind) => `(${filters.rowsOf(kind)}) AS of_${kind}`);
  const spreadRows = spread && filters.rowsOf(metricRow(spread).counts);
  return {
    sql: [
      aliases.length > 0 ? `WITH ${aliases.join(', ')}` : '',
      `SELECT ${columns.join(', ')}`,
      `FROM ${source({ from, where, byStart, worked: ofVisit?.worked, spread: spreadRows })}`,
      `WHERE ${[where, ...skipsEmpty, ...searched, ...named].join(' AND ')}`,
      label ? `GROUP BY ${day ? 'day, label' : 'label'}` : '',
      dimension ? `HAVING ${select.metrics.map((metric) => `${metric} != 0`).join(' OR ')}` : '',
      dimension ? `ORDER BY ${day ? 'day, ' : ''}${orderBy(select)}` : '',
      dimension
        ? `LIMIT ${integer(select.limit ?? 10)} ${day ? 'BY day' : `OFFSET ${integer(select.offset ?? 0)}`}`
        : '',
    ]
      .filter(Boolean)
      .join('\n'),
    bound,
  };
}

/**
 * The kinds of rows that are looked at. A list by something that each row has for itself looks only at rows that have it: the
 * visitors of a page are those of its page views and events.
 */
function kindsOf(metrics: readonly Metric[], dimension: DimensionRow | undefined): readonly Kind[] {
  const counted = [...new Set(metrics.map((metric) => metricRow(metric).counts))];
  if (dimension?.level !== 'row') return counted;
  return counted.every((kind) => dimension.kinds.includes(kind)) ? counted : dimension.kinds;
}

/** Rows come with `label`, a key of custom events' properties, and `events`, how many of them carry it. */
export function buildProperties(scope: Scope, limit: number): Statement {
  checkTable({ metrics: ['events'], scope });
  const { bound, bind } = openBound(scope);
  const where = [IN_RANGE, ...readFilters(scope.filters, bind).rowsFor(['events'], { anyRow: true }).where];
  return {
    sql: [
      'SELECT label, count() AS events FROM events ARRAY JOIN mapKeys(props) AS label',
      `WHERE ${where.join(' AND ')}`,
      `GROUP BY label ORDER BY events DESC, label ASC LIMIT ${integer(limit)}`,
    ].join('\n'),
    bound,
  };
}

/** Rows come with `label`, a currency, its `orders` and their `amount`; the most orders first. */
export function buildCurrencies(scope: Scope, limit: number): Statement {
  checkTable({ metrics: ['orders'], scope });
  const { bound, bind } = openBound(scope);
  const where = [IN_RANGE, ...readFilters(scope.filters, bind).rowsFor(['orders'], { anyRow: true }).where];
  return {
    sql: [
      'SELECT currency AS label, count() AS orders, toFloat64(sum(amount)) AS revenue FROM events',
      `WHERE ${where.join(' AND ')}`,
      `GROUP BY label ORDER BY orders DESC, label ASC LIMIT ${integer(limit)}`,
    ].join('\n'),
    bound,
  };
}

function openBound(scope: Scope) {
  const bound: Bound = {
    site_id: scope.site_id,
    from: scope.range.from,
    to: scope.range.to,
    currency: scope.currency,
    max_amount: scope.max_amount,
  };
  const bind = (value: string | string[]) => {
    const name = `p${Object.keys(bound).length}`;
    bound[name] = value;
    return `{${name}:${Array.isArray(value) ? 'Array(String)' : 'String'}}`;
  };
  return { bound, bind };
}

/** The table, or for what cannot be read off single rows, the table with what is worked out of the visits. */
function source(options: {
  from: Table;
  where: string;
  byStart: boolean;
  worked: 'exit_page' | undefined;
  /** Rows of which each visit's number is wanted. */
  spread: string | undefined;
}) {
  if (options.worked)
    return `events INNER JOIN (SELECT visit_id, ${EXIT_PAGE} AS exit_page FROM events WHERE ${IN_RANGE} AND visit_id != 0 GROUP BY visit_id) AS exits USING visit_id`;
  if (options.spread !== undefined)
    return `events LEFT JOIN (SELECT visit_id, countIf(${options.spread}) AS of_visit FROM events WHERE ${IN_RANGE} AND visit_id != 0 GROUP BY visit_id) AS spread USING visit_id`;
  if (options.byStart)
    return `(SELECT *, min(time) OVER (PARTITION BY visit_id) AS started_at FROM events WHERE ${options.where} AND visit_id != 0)`;
  return options.from;
}

type Counting = { hasWholeVisits: boolean; dimension: DimensionRow | undefined };

function expression(metric: Metric, { hasWholeVisits, dimension }: Counting): string {
  const row = metricRow(metric);
  if (row.spread && isSpread(metric, dimension)) return row.spread;
  return hasWholeVisits ? row.sql : (row.distinct ?? row.sql);
}

/** No event is a page view: a list of events has the page views of the visits in which each happened. */
function isSpread(metric: Metric, dimension: DimensionRow | undefined): boolean {
  const { counts, spread } = metricRow(metric);
  return spread !== undefined && dimension?.level === 'row' && !dimension.kinds.includes(counts);
}

function isWholeDays({ from, to }: Range): boolean {
  return from % DAY_MS === 0 && to % DAY_MS === 0;
}

/** The table that all of a question is about. */
function checkTable({ metrics, scope }: Pick<Select, 'metrics' | 'scope'>, dimension?: DimensionRow): Table {
  const [from = 'events'] = metrics.map(tableOf);
  const tables = [
    ...metrics.map(tableOf),
    ...(dimension ? [dimension.of] : []),
    ...scope.filters.map((filter) => dimensionRow(filter.dimension, () => '').of),
  ];
  if (tables.some((table) => table !== from)) throw mixed(from);
  if (dimension?.level === 'row' && metrics.some(needsWholeVisits))
    throw new Refusal(
      'bad_request',
      'metrics: bounce_rate and visit_duration are of whole visits, and cannot be split by a dimension of single events.',
    );
  return from;
}

function mixed(from: Table): Refusal {
  return new Refusal(
    'bad_request',
    from === 'events'
      ? 'dimension: dimensions of AI visits go with the metric ai_visits alone.'
      : 'dimension: ai_visits goes with the dimensions of AI visits alone.',
  );
}

function orderBy(select: Select): string {
  const { by, direction } = select.order ?? { by: select.metrics[0] ?? 'name', direction: 'desc' };
  const way = direction === 'asc' ? 'ASC' : 'DESC';
  return by === 'name' ? `label ${way}` : `${by} ${way}, label ASC`;
}

function integer(value: number): number {
  if (!Number.isSafeInteger(value) || value < 0) throw new TypeError('A limit is a whole number.');
  return value;
}
