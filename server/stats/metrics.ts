// The metrics: each defined once, under the public name that SQL, tRPC, REST, CSV, URLs and tests share.
// In the SQL, `match` is true for rows that the question's filters let through (see sql.ts).

export type Unit = 'count' | 'ratio' | 'per_cent' | 'seconds' | 'money';

type MetricRow = {
  unit: Unit;
  of: 'events' | 'ai_visits';
  sql: string;
  /** For questions about single rows (a page, an event): what is summed over whole visits must then be counted. */
  rowSql?: string;
  /** How it is counted when nothing else is asked: fewer rows to read, or none at all (see store/schema/003-kept-counts.sql). */
  alone?: { sql: string; only?: string };
  /** Sums over the whole visits that have a matching row; has no meaning for one page of a visit. */
  wholeVisits?: true;
  /** Other metrics whose names the SQL uses. */
  needs?: readonly string[];
};

export const METRICS = {
  /** Different visitor ids: an id lives for one site and one UTC day, so this is the sum of the daily visitors. */
  unique_visitors: {
    unit: 'count',
    of: 'events',
    sql: 'uniqExactIf(visitor_id, match AND visitor_id != 0)',
    alone: { sql: 'uniqExactIf(visitor_id, visitor_id != 0)' },
  },
  /** A visit ends after 30 minutes without an event, and at UTC midnight. It counts where it starts. */
  visits: {
    unit: 'count',
    of: 'events',
    sql: 'sum(visit_started)',
    rowSql: 'uniqExactIf(visit_id, match AND visit_id != 0)',
  },
  pageviews: {
    unit: 'count',
    of: 'events',
    sql: "countIf(match AND name = 'pageview')",
    alone: { sql: 'count()', only: "name = 'pageview'" },
  },
  views_per_visit: {
    unit: 'ratio',
    of: 'events',
    sql: 'if(visits = 0, 0, pageviews / visits)',
    needs: ['visits', 'pageviews'],
  },
  /** Share of the visits with one page view and no interactive event. */
  bounce_rate: {
    unit: 'per_cent',
    of: 'events',
    sql: 'if(sum(visit_started) = 0, 0, 100 * sum(bounces) / sum(visit_started))',
    wholeVisits: true,
  },
  /** Mean time from a visit's first to its last event, engagement included. */
  visit_duration: {
    unit: 'seconds',
    of: 'events',
    sql: 'if(sum(visit_started) = 0, 0, sum(visit_ms) / sum(visit_started) / 1000)',
    wholeVisits: true,
  },
  /** Custom events: neither page views nor engagement. */
  events: { unit: 'count', of: 'events', sql: "countIf(match AND name NOT IN ('pageview', 'engagement'))" },
  /** Payments in the site's currency; amounts in others are kept, and not added to it. */
  revenue: { unit: 'money', of: 'events', sql: 'toFloat64(sumIf(amount, match AND currency = {currency:String}))' },
  /** Payments in any currency. */
  orders: { unit: 'count', of: 'events', sql: "countIf(match AND currency != '')" },
  ai_visits: { unit: 'count', of: 'ai_visits', sql: 'countIf(match)' },
} as const satisfies Record<string, MetricRow>;

export type Metric = keyof typeof METRICS;
export const METRIC_NAMES = Object.keys(METRICS) as [Metric, ...Metric[]];

export function metricRow(metric: Metric): MetricRow {
  return METRICS[metric];
}
