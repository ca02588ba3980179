// Builds one SELECT for a query. Its SQL comes only from our tables of metrics and dimensions, and text from users is always bound.
import { dimensionRow } from '../vocabulary/dimensions.ts';
import type { Metric } from '../vocabulary/metrics.ts';
import type { Source } from '../vocabulary/sources.ts';
import { sourceOfQuestion } from './combination.ts';
import { EXIT_PAGE, IN_RANGE, readFilters } from './filters.ts';
import { type Grouping, type Plan, planOf } from './plan.ts';
import { type Bind, openBound, type Scope, type Statement } from './scope.ts';

export type Select = {
  scope: Scope;
  metrics: Metric[];
  by?: Grouping;
  search?: string | undefined;
  /** Only rows with these labels. */
  labels?: string[] | undefined;
  order?: { by: Metric | 'name'; direction: 'asc' | 'desc' } | undefined;
  limit?: number;
  offset?: number;
};

export type Rows = Record<string, string | number>[];
export type Ask = (select: Select) => Promise<Rows>;

/**
 * Rows have each metric under its name, and `label` when grouped. A list by a dimension also has `total`, the number of rows before the
 * limit, or `day` when each day has its own list.
 */
export function buildSelect(select: Select): Statement {
  const { scope, metrics, by } = select;
  const source = sourceOfQuestion({
    metrics,
    dimension: by && 'dimension' in by ? by.dimension : undefined,
    filters: scope.filters,
  });
  const { bound, bind } = openBound(scope);
  const plan = planOf(select, bind);
  const kinds = plan.kinds.map(({ kind, sql }) => `(${sql}) AS of_${kind}`);
  return {
    sql: [
      kinds.length > 0 ? `WITH ${kinds.join(', ')}` : '',
      `SELECT ${columnsOf(plan).join(', ')}`,
      `FROM ${rowsOf(plan, source)}`,
      `WHERE ${[plan.where, ...labelConditions(select, plan, bind)].join(' AND ')}`,
      plan.label ? `GROUP BY ${plan.day ? 'day, label' : 'label'}` : '',
      ...(plan.dimension ? listClauses(select, plan) : []),
    ]
      .filter(Boolean)
      .join('\n'),
    bound,
  };
}

function columnsOf({ label, day, dimension, columns }: Plan): string[] {
  return [
    ...(label ? [`${label} AS label`] : []),
    ...columns.map(({ metric, sql }) => `${sql} AS ${metric}`),
    ...(day ? [`${day} AS day`] : dimension ? ['count() OVER () AS total'] : []),
  ];
}

/** The source's table, joined with values of the visit that its single rows do not have. */
function rowsOf({ dimension, spread, needsStarts, where }: Plan, source: Source): string {
  if (dimension?.level === 'visit' && dimension.worked)
    return `events INNER JOIN (SELECT visit_id, ${EXIT_PAGE} AS exit_page FROM events WHERE ${IN_RANGE} AND visit_id != 0 GROUP BY visit_id) AS exits USING visit_id`;
  if (spread !== undefined)
    return `events LEFT JOIN (SELECT visit_id, countIf(${spread}) AS of_visit FROM events WHERE ${IN_RANGE} AND visit_id != 0 GROUP BY visit_id) AS spread USING visit_id`;
  if (needsStarts)
    return `(SELECT *, min(time) OVER (PARTITION BY visit_id) AS started_at FROM events WHERE ${where} AND visit_id != 0)`;
  return source;
}

function labelConditions({ by, search, labels }: Select, { label }: Plan, bind: Bind): string[] {
  if (label === undefined) return [];
  return [
    ...(by && 'dimension' in by && dimensionRow(by.dimension).isOptional ? [`${label} != ''`] : []),
    ...(search ? [`positionCaseInsensitiveUTF8(${label}, ${bind(search)}) > 0`] : []),
    ...(labels ? [`${label} IN ${bind(labels)}`] : []),
  ];
}

function listClauses(select: Select, { day }: Plan): string[] {
  const { metrics, limit = 10, offset = 0 } = select;
  return [
    `HAVING ${metrics.map((metric) => `${metric} != 0`).join(' OR ')}`,
    `ORDER BY ${day ? 'day, ' : ''}${orderBy(select)}`,
    `LIMIT ${integer(limit)} ${day ? 'BY day' : `OFFSET ${integer(offset)}`}`,
  ];
}

function orderBy({ metrics, order }: Select): string {
  const { by, direction } = order ?? { by: metrics[0] ?? 'name', direction: 'desc' };
  const way = direction === 'asc' ? 'ASC' : 'DESC';
  return by === 'name' ? `label ${way}` : `${by} ${way}, label ASC`;
}

/** Rows have `label`, a property key of custom events, and `events`, the number of events with that key. */
export function buildProperties(scope: Scope, limit: number): Statement {
  const { where, bound } = eventsOf(scope, 'events');
  return {
    sql: [
      'SELECT label, count() AS events FROM events ARRAY JOIN mapKeys(props) AS label',
      `WHERE ${where}`,
      `GROUP BY label ORDER BY events DESC, label ASC LIMIT ${integer(limit)}`,
    ].join('\n'),
    bound,
  };
}

/** Rows have `label`, a currency, with the number of its `orders` and their `revenue`; most orders first. */
export function buildCurrencies(scope: Scope, limit: number): Statement {
  const { where, bound } = eventsOf(scope, 'orders');
  return {
    sql: [
      'SELECT currency AS label, count() AS orders, toFloat64(sum(amount)) AS revenue FROM events',
      `WHERE ${where}`,
      `GROUP BY label ORDER BY orders DESC, label ASC LIMIT ${integer(limit)}`,
    ].join('\n'),
    bound,
  };
}

/** The filtered rows that a metric counts. */
function eventsOf(scope: Scope, metric: 'events' | 'orders') {
  sourceOfQuestion({ metrics: [metric], filters: scope.filters });
  const { bound, bind } = openBound(scope);
  const { where } = readFilters(scope.filters, bind).rowsFor([metric], { anyRow: true });
  return { where: [IN_RANGE, ...where].join(' AND '), bound };
}

function integer(value: number): number {
  if (!Number.isSafeInteger(value) || value < 0) throw new TypeError('A limit is a whole number.');
  return value;
}
