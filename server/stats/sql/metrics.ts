// The metrics in SQL. `of_KIND` is true for the rows of a kind that match the query's filters (see filters.ts). The rows to count may
// include other rows of the matching visits.
import { type Metric, metricRow, METRICS } from '../../vocabulary/numbers/metrics.ts';
import { readKnownName } from '../../vocabulary/questions/names.ts';
import { type Kind, KINDS, type Source } from '../../vocabulary/questions/sources.ts';
import { medianOf } from './views.ts';

type MetricSql = {
  sql: string;
  /** For a metric that counts visits: gives the same number from any selection of rows that has at least one row of each visit. */
  distinct?: string;
  /**
   * For a list whose rows cannot be of the metric's kind: sums the metric over the row's visits. `visit_KIND` is the number of such rows in
   * a visit.
   */
  spread?: string;
  /** The metric adds up: if the rows are split into parts, its values over the parts sum to its value over all rows. */
  isSum?: true;
  /** Needs `everyone`: the visitors who match all filters except those by goal. */
  isOfEveryone?: true;
  /** The metric from the sums of closed days, or of goals on closed days: see day-columns.ts, which defines `n_NAME`. */
  ofDays?: string;
  /** As `ofDays`, where days of other products are among them: a number that these do not tell is NULL. What no row tells is NULL, too. */
  ofImports?: string;
  /** Counts the metric from rows of its kind only. store/schema/001-collected.sql keeps this count up to date for each day. */
  kept?: string;
};

/** Condition for the orders in the currency of the question. */
export const IN_CURRENCY = 'of_orders AND currency = {currency:String}';
/** Condition for the orders that the metric `orders` counts: those in the currency that the question names, or else all. */
export const OF_ORDERS = 'of_orders AND ({all_currencies:UInt8} = 1 OR currency = {currency:String})';
/** Condition for the orders that are no refunds. */
export const IS_PAYMENT = 'amount >= 0';

/** The figures of payments, in SQL. `which`: the rows to count, all in the same currency. */
export const paymentsOf = (which: string) => ({
  revenue: `toFloat64(sumIf(amount, ${which}))`,
  orders: ordersOf(which),
  average_order: `ifNotFinite(toFloat64(avgIf(amount, ${which} AND ${IS_PAYMENT})), 0)`,
  refunds: `toFloat64(sumIf(-amount, ${which} AND NOT ${IS_PAYMENT}))`,
});
const ordersOf = (which: string) => `countIf(${which} AND ${IS_PAYMENT})`;
const { revenue, average_order, refunds } = paymentsOf(IN_CURRENCY);

const CONVERSION_RATE = 'if(everyone = 0, 0, 100 * converted_visitors / everyone)';
type OfVisits = Record<'starts' | 'sum', string>;
const viewsPerVisit = ({ starts, sum }: OfVisits) => `if(${starts} = 0, 0, ${sum} / ${starts})`;
const VIEWS_PER_VISIT = viewsPerVisit({ starts: 'visits', sum: 'pageviews' });
const bounceRate = ({ starts, sum }: OfVisits) => `if(${starts} = 0, 0, 100 * ${sum} / ${starts})`;
const visitDuration = ({ starts, sum }: OfVisits) => `if(${starts} = 0, 0, ${sum} / ${starts} / 1000)`;

/** A rate of the rows that tell both its visits and what it divides by them. */
function rateOfTold(rateOf: (of: OfVisits) => string, column: string): string {
  const isTold = `isNotNull(n_visits) AND isNotNull(${column})`;
  const rate = rateOf({ starts: `sumIf(n_visits, ${isTold})`, sum: `sumIf(${column}, ${isTold})` });
  return `if(countIf(${isTold} AND n_visits > 0) = 0 AND countIf(NOT (${isTold})) > 0, NULL, ${rate})`;
}

/** A sum of the rows that tell the column. */
const sumOfTold = (column: string): string =>
  `if(countIf(isNull(${column})) > 0 AND countIf(${column} > 0) = 0, NULL, ifNull(sum(${column}), 0))`;

const METRIC_SQL: Record<keyof typeof METRICS, MetricSql> = {
  unique_visitors: {
    sql: 'uniqExactIf(visitor_id, visitor_id != 0)',
    distinct: 'uniqExactIf(visitor_id, visitor_id != 0)',
    ofDays: 'sum(n_unique_visitors)',
    kept: 'uniqExactIf(visitor_id, visitor_id != 0)',
  },
  visits: {
    sql: 'sum(visit_started)',
    distinct: 'uniqExactIf(visit_id, visit_id != 0)',
    ofDays: 'sum(n_visits)',
    ofImports: sumOfTold('n_visits'),
  },
  pageviews: {
    sql: 'countIf(of_pageviews)',
    spread: 'arraySum(visit -> visit.2, groupUniqArray((visit_id, visit_pageviews)))',
    ofDays: 'sum(n_pageviews)',
    ofImports: sumOfTold('n_pageviews'),
    kept: 'count()',
  },
  views_per_visit: {
    sql: VIEWS_PER_VISIT,
    ofDays: VIEWS_PER_VISIT,
    ofImports: rateOfTold(viewsPerVisit, 'n_pageviews'),
  },
  bounce_rate: {
    sql: bounceRate({ starts: 'sum(visit_started)', sum: 'sum(bounces)' }),
    ofDays: bounceRate({ starts: 'sum(n_visits)', sum: 'sum(n_bounces)' }),
    ofImports: rateOfTold(bounceRate, 'n_bounces'),
  },
  visit_duration: {
    sql: visitDuration({ starts: 'sum(visit_started)', sum: 'sum(visit_ms)' }),
    ofDays: visitDuration({ starts: 'sum(n_visits)', sum: 'sum(n_visit_ms)' }),
    ofImports: rateOfTold(visitDuration, 'n_visit_ms'),
  },
  time_on_page: { sql: `${medianOf('read_ms')} / 1000` },
  scroll_depth: { sql: medianOf('read_scroll') },
  events: { sql: 'countIf(of_events)', isSum: true, ofDays: 'sum(n_events)' },
  conversions: {
    sql: 'countIf(of_conversions)',
    isSum: true,
    ofDays: 'sum(n_conversions)',
    spread:
      'arraySum(visit -> visit.2, groupUniqArrayIf((visit_id, visit_conversions), visit_id != 0)) + countIf(visit_id = 0 AND of_conversions)',
  },
  converted_visitors: {
    sql: 'uniqExactIf(visitor_id, visitor_id != 0 AND of_conversions)',
    ofDays: 'sum(n_converted_visitors)',
    spread: 'uniqExactIf(visitor_id, visitor_id != 0 AND visit_conversions > 0)',
  },
  conversion_rate: { sql: CONVERSION_RATE, isOfEveryone: true, ofDays: CONVERSION_RATE },
  revenue: { sql: revenue, isSum: true, ofDays: 'toFloat64(sum(n_paid) - sum(n_refunded))' },
  revenue_confirmed: {
    sql: `toFloat64(sumIf(amount, ${IN_CURRENCY} AND confirmed = 1))`,
    isSum: true,
    ofDays: 'toFloat64(sum(n_paid_confirmed))',
  },
  orders: { sql: ordersOf(OF_ORDERS), isSum: true, ofDays: 'sum(n_orders)' },
  average_order: {
    sql: average_order,
    ofDays: 'if(sum(n_payments) = 0, 0, toFloat64(sum(n_paid)) / sum(n_payments))',
  },
  refunds: { sql: refunds, isSum: true, ofDays: 'toFloat64(sum(n_refunded))' },
  implausible_orders: { sql: 'countIf(of_implausible_orders)', ofDays: 'sum(n_implausible_orders)' },
  ai_visits: { sql: 'countIf(of_ai_visits)' },
};

/**
 * Cell keys: the sum of the keys of the visitors that a number counts, which decides how the number is changed for viewers (see
 * disclosure/cell-key.ts). The key of a visitor is their id modulo `VISITOR_KEYS`. No answer contains one.
 */
export const VISITOR_KEYS = 2 ** 16;
const KEY_SQL = {
  visitor_key: {
    sql: 'sumDistinctIf(visitor_id, visitor_id != 0)',
    distinct: 'sumDistinctIf(visitor_id, visitor_id != 0)',
    ofDays: 'sum(n_visitor_key)',
  },
  converted_key: {
    sql: 'sumDistinctIf(visitor_id, visitor_id != 0 AND of_conversions)',
    spread: 'sumDistinctIf(visitor_id, visitor_id != 0 AND visit_conversions > 0)',
    ofDays: 'sum(n_converted_key)',
  },
} as const satisfies Record<string, MetricSql>;
type Key = keyof typeof KEY_SQL;
const KEY_ROWS: Record<Key, { counts: Kind; isOfGoals?: true }> = {
  visitor_key: { counts: 'visits' },
  converted_key: { counts: 'conversions', isOfGoals: true },
};

/** What a statement can count: a metric, or a cell key. */
export type Column = Metric | Key;

const isKey = (column: Column): column is Key => Object.hasOwn(KEY_SQL, column);

export function metricSql(column: Column): MetricSql {
  if (!isKey(column)) return METRIC_SQL[readKnownName(METRICS, column).row];
  const { sql, ...others }: MetricSql = KEY_SQL[column];
  // The sum overflows, so only its remainder means anything.
  const remainder = (of: string) => `${of} % ${VISITOR_KEYS}`;
  return {
    sql: remainder(sql),
    ...(others.distinct && { distinct: remainder(others.distinct) }),
    ...(others.spread && { spread: remainder(others.spread) }),
    ...(others.ofDays && { ofDays: others.ofDays }),
  };
}

/** True for what days of other products may not tell. */
export const mayBeUntold = (metric: Metric): boolean => metricSql(metric).ofImports !== undefined;

type ColumnRow = Pick<
  ReturnType<typeof metricRow>,
  'counts' | 'needs' | 'isOfGoals' | 'isOfReading' | 'isOfWholeVisits'
>;

export const columnRow = (column: Column): ColumnRow => (isKey(column) ? KEY_ROWS[column] : metricRow(column));

export const sourceOfColumn = (column: Column): Source => KINDS[columnRow(column).counts].source;

/** Adds the metrics that others are computed from, each before the metric that needs it. */
export function withNeeds(columns: readonly Column[]): Column[] {
  return [...new Set(columns.flatMap((column) => [...((columnRow(column).needs ?? []) as Metric[]), column]))];
}
