// The metrics: each defined once, under the public name that SQL, tRPC, REST, CSV, URLs and tests share.
// In the SQL, `of_KIND` is true for the rows of a kind that the question's filters let through (see filters.ts). All rows of the
// visits that they let through are there besides.
import { type Kind, KINDS, type Table } from './kinds.ts';

export type Unit = 'count' | 'ratio' | 'per_cent' | 'seconds' | 'money';

type MetricRow = {
  unit: Unit;
  counts: Kind;
  sql: string;
  /** Of visits: the same number from any rows that hold at least one of each visit. Without it, all rows of a visit are needed. */
  distinct?: string;
  /** In a list whose rows cannot be of its kind: the sum over the visits of a row's own, with each visit's number as `of_visit`. */
  spread?: string;
  /** How it is counted from rows of its kind alone: what store/schema/003-kept-counts.sql keeps ready for each day. */
  kept?: string;
  /** Other metrics whose names the SQL uses. */
  needs?: readonly string[];
};

export const METRICS = {
  /** Different visitor ids: an id lives for one site and one UTC day, so this is the sum of the daily visitors. */
  unique_visitors: {
    unit: 'count',
    counts: 'visits',
    sql: 'uniqExactIf(visitor_id, visitor_id != 0)',
    distinct: 'uniqExactIf(visitor_id, visitor_id != 0)',
    kept: 'uniqExactIf(visitor_id, visitor_id != 0)',
  },
  /** A visit ends after 30 minutes without an event, and at UTC midnight. It counts where it starts. */
  visits: {
    unit: 'count',
    counts: 'visits',
    sql: 'sum(visit_started)',
    distinct: 'uniqExactIf(visit_id, visit_id != 0)',
  },
  pageviews: {
    unit: 'count',
    counts: 'pageviews',
    sql: 'countIf(of_pageviews)',
    spread: 'arraySum(visit -> visit.2, groupUniqArray((visit_id, of_visit)))',
    kept: 'count()',
  },
  /** The page views that are shown over the visits that are shown: under a filter on a page, how often a visit saw that page. */
  views_per_visit: {
    unit: 'ratio',
    counts: 'pageviews',
    sql: 'if(visits = 0, 0, pageviews / visits)',
    needs: ['visits', 'pageviews'],
  },
  /** Share of the visits with one page view and no interactive event. */
  bounce_rate: {
    unit: 'per_cent',
    counts: 'visits',
    sql: 'if(sum(visit_started) = 0, 0, 100 * sum(bounces) / sum(visit_started))',
  },
  /** Mean time from a visit's first to its last event, engagement included. */
  visit_duration: {
    unit: 'seconds',
    counts: 'visits',
    sql: 'if(sum(visit_started) = 0, 0, sum(visit_ms) / sum(visit_started) / 1000)',
  },
  events: { unit: 'count', counts: 'events', sql: 'countIf(of_events)' },
  /** Payments in the site's currency; amounts in others are kept, and not added to it. */
  revenue: {
    unit: 'money',
    counts: 'orders',
    sql: 'toFloat64(sumIf(amount, of_orders AND currency = {currency:String}))',
  },
  /** The part of the revenue that servers of the site sent. Browsers claim the rest. */
  revenue_confirmed: {
    unit: 'money',
    counts: 'orders',
    sql: 'toFloat64(sumIf(amount, of_orders AND currency = {currency:String} AND confirmed = 1))',
  },
  /** Payments in any currency. */
  orders: { unit: 'count', counts: 'orders', sql: 'countIf(of_orders)' },
  /** Payments of more than the site's `max_amount`: neither in `orders` nor in `revenue`. */
  implausible_orders: { unit: 'count', counts: 'implausible_orders', sql: 'countIf(of_implausible_orders)' },
  ai_visits: { unit: 'count', counts: 'ai_visits', sql: 'countIf(of_ai_visits)' },
} as const satisfies Record<string, MetricRow>;

export type Metric = keyof typeof METRICS;
export const METRIC_NAMES = Object.keys(METRICS) as [Metric, ...Metric[]];

export function metricRow(metric: Metric): MetricRow {
  return METRICS[metric];
}

export function tableOf(metric: Metric): Table {
  return KINDS[METRICS[metric].counts].of;
}

/** Metrics with those that their SQL uses, each before the one that needs it. */
export function withNeeds(metrics: readonly Metric[]): Metric[] {
  return [...new Set(metrics.flatMap((metric) => [...((metricRow(metric).needs ?? []) as Metric[]), metric]))];
}

/** It is summed over all rows of a visit, and means nothing for a part of them. */
export function needsWholeVisits(metric: Metric): boolean {
  const { counts, distinct } = metricRow(metric);
  return counts === 'visits' && distinct === undefined;
}
