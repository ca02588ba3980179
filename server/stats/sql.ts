// A question becomes one SELECT. Text comes from the metrics and dimensions tables alone; whatever anybody sent is a bound value.
import { Refusal } from '../errors.ts';
import type { Bound } from '../store/pool.ts';
import { DAY_MS } from '../time.ts';
import { type Dimension, DIMENSIONS, dimensionRow } from './dimensions.ts';
import { type Metric, metricRow } from './metrics.ts';
import type { Interval, Range } from './period.ts';
import type { Filter } from './query.ts';

export type Scope = { site_id: string; range: Range; filters: Filter[]; currency: string };

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

const IN_RANGE =
  'site_id = {site_id:String} AND time >= fromUnixTimestamp64Milli({from:Int64}) AND time < fromUnixTimestamp64Milli({to:Int64})';
/** The same rows in terms of days, in which some numbers are kept ready. */
const IN_DAYS =
  "site_id = {site_id:String} AND toDate(time) >= toDate(fromUnixTimestamp64Milli({from:Int64}, 'UTC')) AND toDate(time) < toDate(fromUnixTimestamp64Milli({to:Int64}, 'UTC'))";
const EXIT_PAGE = "argMaxIf(page, time, name = 'pageview')";

/**
 * Rows come with `label` where grouped, each metric under its name, and `total`, the number of rows before the limit; of each day
 * with `day` in its place.
 */
export function buildSelect(select: Select): Statement {
  const { bound, bind } = openBound(select.scope);
  const dimension = select.by && 'dimension' in select.by ? dimensionRow(select.by.dimension, bind) : undefined;
  const day = select.by && 'each' in select.by ? `toUnixTimestamp(${BUCKETS.day('time')}) * 1000` : undefined;
  const interval = select.by && 'interval' in select.by ? select.by.interval : undefined;
  const from = sourceOf(select.metrics);
  const { ofVisits, ofRows } = readFilters(select.scope.filters, from, bind);
  if (dimension && dimension.of !== from) throw mixed(from);

  const whole = select.metrics.some((metric) => metricRow(metric).wholeVisits);
  if (whole && dimension?.level === 'row')
    throw new Refusal(
      'bad_request',
      'metrics: bounce_rate and visit_duration are of whole visits, and cannot be split by a dimension of single events.',
    );
  const rowwise = ofRows.length > 0 || dimension?.level === 'row';

  const [first, another] = select.metrics;
  const alone = first && !another ? metricRow(first).alone : undefined;
  const inRange = alone && isWholeDays(select.scope.range) ? IN_DAYS : IN_RANGE;
  const only = [dimension?.only, alone?.only].flatMap((condition) => condition ?? []);
  const base = [inRange, ...ofVisits, ...only];
  const match = ofRows.length > 0 ? ofRows.map((condition) => `(${condition})`).join(' AND ') : '1';
  const matching = [...base, ...(ofRows.length > 0 ? [`(${match})`] : [])].join(' AND ');
  const where =
    whole && ofRows.length > 0
      ? `${base.join(' AND ')} AND visit_id IN (SELECT visit_id FROM events WHERE ${matching} AND visit_id != 0)`
      : matching;

  // A visit may cross an hour: its bounce and its length belong to the hour in which it started.
  const byStart = whole && (interval === 'hour' || interval === 'minute');
  const bucket = interval && `toUnixTimestamp(${BUCKETS[interval](byStart ? 'started_at' : 'time')}) * 1000`;
  const label = dimension?.sql ?? bucket;
  const skipsEmpty = dimension?.skipsEmpty ? [`${label} != ''`] : [];
  const searched = select.search && label ? [`positionCaseInsensitiveUTF8(${label}, ${bind(select.search)}) > 0`] : [];
  const named = select.labels && label ? [`${label} IN ${bind(select.labels)}`] : [];
  const columns = [
    ...(label ? [`${label} AS label`] : []),
    ...withNeeds(select.metrics).map((metric) => `${alone?.sql ?? expression(metric, { rowwise })} AS ${metric}`),
    ...(day ? [`${day} AS day`] : dimension ? ['count() OVER () AS total'] : []),
  ];
  return {
    sql: [
      `WITH (${match}) AS match SELECT ${columns.join(', ')}`,
      `FROM ${source({ from, where, byStart, worked: dimension?.worked })}`,
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

/** Rows come with `label`, a key of custom events' properties, and `events`, how many of them carry it. */
export function buildProperties(scope: Scope, limit: number): Statement {
  const { bound, bind } = openBound(scope);
  const { ofVisits, ofRows } = readFilters(scope.filters, 'events', bind);
  const where = [IN_RANGE, DIMENSIONS.event.only, ...ofVisits, ...ofRows.map((condition) => `(${condition})`)];
  return {
    sql: [
      'SELECT label, count() AS events FROM events ARRAY JOIN mapKeys(props) AS label',
      `WHERE ${where.join(' AND ')}`,
      `GROUP BY label ORDER BY events DESC, label ASC LIMIT ${integer(limit)}`,
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
  };
  const bind = (value: string | string[]) => {
    const name = `p${Object.keys(bound).length}`;
    bound[name] = value;
    return `{${name}:${Array.isArray(value) ? 'Array(String)' : 'String'}}`;
  };
  return { bound, bind };
}

/** The table, or for what cannot be read off single rows, the visits worked out of it. */
function source(options: { from: string; where: string; byStart: boolean; worked: string | undefined }) {
  if (options.worked)
    return `events INNER JOIN (SELECT visit_id, ${EXIT_PAGE} AS exit_page FROM events WHERE ${IN_RANGE} AND visit_id != 0 GROUP BY visit_id) AS exits USING visit_id`;
  if (options.byStart)
    return `(SELECT *, min(time) OVER (PARTITION BY visit_id) AS started_at FROM events WHERE ${options.where} AND visit_id != 0)`;
  return options.from;
}

function expression(metric: Metric, { rowwise }: { rowwise: boolean }): string {
  const row = metricRow(metric);
  return (rowwise && row.rowSql) || row.sql;
}

function isWholeDays({ from, to }: Range): boolean {
  return from % DAY_MS === 0 && to % DAY_MS === 0;
}

function withNeeds(metrics: Metric[]): Metric[] {
  return [...new Set(metrics.flatMap((metric) => [...((metricRow(metric).needs ?? []) as Metric[]), metric]))];
}

function sourceOf(metrics: Metric[]): 'events' | 'ai_visits' {
  const sources = new Set(metrics.map((metric) => metricRow(metric).of));
  const [from = 'events', other] = sources;
  if (other) throw mixed(from);
  return from;
}

function mixed(from: 'events' | 'ai_visits'): Refusal {
  return new Refusal(
    'bad_request',
    from === 'events'
      ? 'dimension: dimensions of AI visits go with the metric ai_visits alone.'
      : 'dimension: ai_visits goes with the dimensions of AI visits alone.',
  );
}

function readFilters(filters: Filter[], from: 'events' | 'ai_visits', bind: (value: string | string[]) => string) {
  const ofVisits: string[] = [];
  const ofRows: string[] = [];
  for (const filter of filters) {
    const row = dimensionRow(filter.dimension, bind);
    if (row.of !== from) throw mixed(from);
    const values = bind(filter.values);
    if (row.worked)
      ofVisits.push(
        `visit_id IN (SELECT visit_id FROM events WHERE ${IN_RANGE} AND visit_id != 0 GROUP BY visit_id HAVING ${condition(EXIT_PAGE, filter.operator, values)})`,
      );
    else {
      const text = condition(row.sql, filter.operator, values);
      (row.level === 'visit' ? ofVisits : ofRows).push(row.only ? `${row.only} AND ${text}` : text);
    }
  }
  return { ofVisits, ofRows };
}

function condition(sql: string, operator: Filter['operator'], values: string): string {
  const contains = `arrayExists(value -> positionCaseInsensitiveUTF8(${sql}, value) > 0, ${values})`;
  switch (operator) {
    case 'is':
      return `${sql} IN ${values}`;
    case 'is_not':
      return `${sql} NOT IN ${values}`;
    case 'contains':
      return contains;
    case 'contains_not':
      return `NOT ${contains}`;
  }
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
