// Builds one SELECT for a query. The SQL comes only from our tables of metrics and dimensions; text from users is always bound.
import type { Bound } from '../../store/pool.ts';
import { dimensionRow } from '../../vocabulary/questions/dimensions.ts';
import type { Range } from '../../vocabulary/time/periods.ts';
import type { Source } from '../../vocabulary/questions/sources.ts';
import { isOfReading, sourceOfQuestion } from './combination.ts';
import { allOf, EXIT_PAGE, readFilters } from './filters.ts';
import { openSaved } from '../funnels/funnel-sql.ts';
import { countedByBits, isCountedByBits } from './goal-list.ts';
import { type Column, metricSql, paymentsOf, VISITOR_KEYS } from './metrics.ts';
import { type Grouping, isOfWholeDays, type Plan, planOf } from './plan.ts';
import { type Bind, IN_RANGE, openBound, type Scope, type Statement } from './scope.ts';
import { joinReadViews, reachColumns } from './views.ts';

export type Select = {
  scope: Scope;
  metrics: Column[];
  by?: Grouping;
  search?: string | undefined;
  /** Only rows with these labels. */
  labels?: string[] | undefined;
  order?: { by: Column | 'name'; direction: 'asc' | 'desc' } | undefined;
  limit?: number;
  offset?: number;
  /** Withholds metrics of measured views that come from fewer visitors than this. */
  fewestReaders?: number;
  /** Adds the number of measured views, and how many reached each tenth of the page: see `reachColumns`. */
  withReach?: true;
};

/** Null: a rate of imported days that do not tell it. */
export type Rows = Record<string, string | number | null>[];
export type Ask = (select: Select) => Promise<Rows>;
/** Asks the store, without any limit to what the requester may see. */
export type RawQuery = <Row>(sql: string, bound: Bound) => Promise<Row[]>;
export type RunStatement = (about: { site_id: string; range: Range }, statement: Statement) => Promise<Rows>;

/**
 * Rows have each metric under its name, and `label` when grouped. A list by a dimension also has `total`, the number of rows before the
 * limit, or `bucket` when each bucket of time has its own list.
 */
export function buildSelect(select: Select): Statement {
  const { scope, metrics, by } = select;
  const source = sourceOfQuestion({
    metrics,
    dimension: by && 'dimension' in by ? by.dimension : undefined,
    filters: scope.filters,
  });
  const { bound, bind } = openBound(scope);
  if (metrics.some(isOfReading)) bound['fewest_readers'] = select.fewestReaders ?? 0;
  const ofReading = isOfGoals(by) ? metrics.filter(isOfReading) : [];
  const kept = keptApart(select);
  const plan = planOf({ ...select, metrics: withoutThese(metrics, [...ofReading, ...kept]) }, bind);
  const counted = countedRows(plan, source, {
    conditions: labelConditions(select, plan, bind),
    more: select.withReach ? reachColumns : [],
  });
  const needsEveryone = plan.columns.some(isOfEveryone);
  if (!plan.dimension && !needsEveryone && kept.length === 0) return { sql: counted, bound };
  const added = [
    ...(needsEveryone ? plan.columns.filter(isOfEveryone).map(named) : []),
    ...(plan.dimension && !plan.bucket ? ['count() OVER () AS total'] : []),
  ];
  return {
    sql: [
      `SELECT ${['*', ...added].join(', ')}`,
      `FROM (${counted}) AS counted`,
      ...(needsEveryone ? [joinEveryone(select, plan, bind)] : []),
      ...kept.map((metric) => joinKept(scope, metric, bind)),
      ...(ofReading.length > 0 ? [joinGoalReading(select, ofReading, bind)] : []),
      ...(plan.dimension ? listClauses(select, plan) : []),
    ].join('\n'),
    bound,
  };
}

const isOfGoals = (by: Grouping | undefined) => by !== undefined && 'dimension' in by && by.dimension === 'goal';

/** Returns conversions if no metric is left, because a list of goals needs a metric for its rows. */
function withoutThese(metrics: Column[], others: Column[]): Column[] {
  const rest = metrics.filter((metric) => !others.includes(metric));
  return rest.length > 0 ? rest : ['conversions'];
}

/**
 * The visitors of whole days are precomputed, but only for a query that asks for nothing else: see store/schema/001-collected.sql. In the
 * totals of a site they would cost as much as all other metrics together.
 */
function keptApart({ scope, metrics, by }: Select): Column[] {
  const isWhole = !by && scope.filters.length === 0 && isOfWholeDays(scope.range);
  return isWhole && metrics.length > 1 ? metrics.filter((metric) => metric === 'unique_visitors') : [];
}

function joinKept(scope: Scope, metric: Column, bind: Bind): string {
  return `CROSS JOIN (${countedRows(planOf({ scope, metrics: [metric] }, bind), 'events')}) AS kept_${metric}`;
}

/** A SELECT of the measured page views that match the filters. */
export function measuredViews(
  scope: Scope,
  { conditions, bind }: { conditions: readonly string[]; bind: Bind },
): string {
  const { kinds, where, readPages = [] } = planOf({ scope, metrics: ['time_on_page'] }, bind);
  const ofViews = kinds.map(({ sql }) => `(${sql})`);
  return `SELECT visitor_id, read_ms, read_scroll FROM events ${joinReadViews(readPages)}
    WHERE ${allOf([where, ...conditions, ...ofViews, 'is_read'])}`;
}

type PlanColumn = Plan['columns'][number];

const isOfEveryone = ({ metric }: PlanColumn): boolean => metricSql(metric).isOfEveryone === true;
const named = ({ metric, sql }: PlanColumn): string => `${sql} AS ${metric}`;

/** Extra conditions for the rows, and extra columns next to the metrics. */
type Added = { conditions: readonly string[]; more: readonly string[] };

/** Counts the metrics from the rows of the store. */
export function countedRows(
  plan: Plan,
  source: Source,
  { conditions, more }: Added = { conditions: [], more: [] },
): string {
  const { label, bucket, columns, goals, where } = plan;
  const kinds = plan.kinds.map(({ kind, sql }) => `(${sql}) AS of_${kind}`);
  const labels = [...(label ? [`${label} AS label`] : []), ...(bucket ? [`${bucket} AS bucket`] : [])];
  const rows = [rowsOf(plan, source), ...(plan.readPages ? [joinReadViews(plan.readPages)] : [])].join(' ');
  const counted = columns.filter((column) => !isOfEveryone(column));
  if (goals && !bucket && counted.every(isCountedByBits))
    return countedByBits({ kinds, columns: counted, rows, where, goals, conditions });
  return [
    kinds.length > 0 ? `WITH ${kinds.join(', ')}` : '',
    `SELECT ${[...labels, ...counted.map(named), ...more].join(', ')}`,
    `FROM ${goals ? `(SELECT *, arrayJoin(${goals.idsOf(goals.bits())}) AS goal FROM ${rows} WHERE ${where})` : rows}`,
    `WHERE ${allOf([...(goals ? [] : [where]), ...conditions])}`,
    label ? `GROUP BY ${bucket ? 'bucket, label' : 'label'}` : '',
  ]
    .filter(Boolean)
    .join('\n');
}

/**
 * Adds `everyone`: the visitors who match all filters except those by goal. In most lists they are counted per label; in a list of goals
 * each row gets all of them.
 */
function joinEveryone({ scope, by }: Select, { goals, bucket }: Plan, bind: Bind): string {
  const filters = scope.filters.filter(({ dimension }) => dimension !== 'goal');
  const grouping = goals ? undefined : by;
  const plan = planOf({ scope: { ...scope, filters }, metrics: ['unique_visitors'], by: grouping }, bind);
  const keys = grouping ? ['label', ...(bucket ? ['bucket'] : [])] : [];
  const visitors = `(SELECT ${[...keys, 'unique_visitors AS everyone'].join(', ')} FROM (${countedRows(plan, 'events')}))`;
  return grouping
    ? `LEFT JOIN ${visitors} AS visitors USING (${keys.join(', ')})`
    : `CROSS JOIN ${visitors} AS visitors`;
}

/** Adds metrics of measured views to a list of goals: of the page views in the visits that reached each goal. */
function joinGoalReading({ scope }: Select, metrics: Column[], bind: Bind): string {
  const views = planOf({ scope, metrics }, bind);
  const reached = planOf({ scope, metrics: ['conversions'], by: { dimension: 'goal' } }, bind);
  if (!views.readPages || !reached.goals) throw new TypeError('These are metrics of views, and a list of goals.');
  const { bits, idsOf } = reached.goals;
  const kinds = views.kinds.map(({ kind, sql }) => `(${sql}) AS of_${kind}`);
  const visits = `SELECT visit_id, groupBitOr(${bits()}) AS goals FROM events WHERE ${reached.where} AND visit_id != 0 GROUP BY visit_id`;
  const readings = `SELECT visit_id, visitor_id, read_ms, read_scroll, is_read, ${kinds.join(', ')}
    FROM events ${joinReadViews(views.readPages)} WHERE ${views.where}`;
  const ofGoals = `SELECT arrayJoin(${idsOf('goals')}) AS label, * FROM (${readings}) AS views INNER JOIN (${visits}) AS visits USING visit_id`;
  return `LEFT JOIN (SELECT label, ${views.columns.map(named).join(', ')} FROM (${ofGoals}) GROUP BY label) AS reading USING label`;
}

/** The source's table, joined with values that are computed per visit. */
function rowsOf({ dimension, spread, needsStarts, where }: Plan, source: Source): string {
  if (dimension?.level === 'visit' && dimension.computed)
    return `events INNER JOIN (SELECT visit_id, ${EXIT_PAGE} AS exit_page FROM events WHERE ${IN_RANGE} AND visit_id != 0 GROUP BY visit_id) AS exits USING visit_id`;
  if (spread.length > 0) {
    const counts = spread.map(({ kind, sql }) => `countIf(${sql}) AS visit_${kind}`).join(', ');
    return `events LEFT JOIN (SELECT visit_id, ${counts} FROM events WHERE ${IN_RANGE} AND visit_id != 0 GROUP BY visit_id) AS spread USING visit_id`;
  }
  if (needsStarts)
    return `(SELECT *, minIf(time, confirmed = 0) OVER (PARTITION BY visit_id) AS started_at FROM events WHERE ${where} AND visit_id != 0)`;
  return source;
}

/** `label`: the expression of the row's label; undefined if rows have none. */
export function labelConditions({ by, search, labels }: Select, { label }: Pick<Plan, 'label'>, bind: Bind): string[] {
  if (label === undefined) return [];
  return [
    ...(by && 'dimension' in by && dimensionRow(by.dimension).isOptional ? [`${label} != ''`] : []),
    ...(search ? [`positionCaseInsensitiveUTF8(${label}, ${bind(search)}) > 0`] : []),
    ...(labels ? [`${label} IN ${bind(labels)}`] : []),
  ];
}

export function listClauses(select: Select, { bucket }: Pick<Plan, 'bucket'>): string[] {
  const { metrics, limit = 10, offset = 0 } = select;
  return [
    `WHERE ${metrics.map((metric) => `${metric} != 0`).join(' OR ')}`,
    `ORDER BY ${bucket ? 'bucket, ' : ''}${orderBy(select)}`,
    `LIMIT ${integer(limit)} ${bucket ? 'BY bucket' : `OFFSET ${integer(offset)}`}`,
  ];
}

function orderBy({ metrics, order }: Select): string {
  const { by, direction } = order ?? { by: metrics[0] ?? 'name', direction: 'desc' };
  const way = direction === 'asc' ? 'ASC' : 'DESC';
  return by === 'name' ? `label ${way}` : `${by} ${way}, label ASC`;
}

type PropertyKeys = { of: 'events' | 'orders'; limit: number };

/** Rows have `label`, a property key of custom events or of payments, `events`, how many of these have that key, and their visitors. */
export function buildProperties(scope: Scope, { of, limit }: PropertyKeys): Statement {
  const { where, bound } = eventsOf(scope, of);
  return {
    sql: [
      `SELECT label, count() AS events, ${cellSql()} FROM events ARRAY JOIN mapKeys(props) AS label`,
      `WHERE ${where}`,
      'GROUP BY label',
      `ORDER BY events DESC, label ASC LIMIT ${integer(limit)}`,
    ].join('\n'),
    bound,
  };
}

/** The cell of a row for viewers: see disclosure/cell-key.ts. `visitor`: the column of its visitors. */
export const cellSql = (visitor = 'visitor_id', when = `${visitor} != 0`): string =>
  `uniqExactIf(${visitor}, ${when}) AS unique_visitors, sumDistinctIf(${visitor}, ${when}) % ${VISITOR_KEYS} AS visitor_key`;

/** Rows have `label`, a currency, and the figures of `paymentsOf`; the currency with the most orders first. */
export function buildCurrencies(scope: Scope, limit: number): Statement {
  const { where, bound } = eventsOf(scope, 'orders');
  const figures = Object.entries(paymentsOf('1')).map(([name, sql]) => `${sql} AS ${name}`);
  return {
    sql: [
      `SELECT currency AS label, ${figures.join(', ')} FROM events WHERE ${where}`,
      `GROUP BY label ORDER BY orders DESC, label ASC LIMIT ${integer(limit)}`,
    ].join('\n'),
    bound,
  };
}

/** The filtered rows that a metric counts. */
function eventsOf(scope: Scope, metric: 'events' | 'orders') {
  sourceOfQuestion({ metrics: [metric], filters: scope.filters });
  const { bound, bind } = openBound(scope);
  const { where } = readFilters(scope.filters, bind, openSaved(scope, bind)).rowsFor([metric], { anyRow: true });
  return { where: [IN_RANGE, ...where].join(' AND '), bound };
}

function integer(value: number): number {
  if (!Number.isSafeInteger(value) || value < 0) throw new TypeError('A limit is a whole number.');
  return value;
}
