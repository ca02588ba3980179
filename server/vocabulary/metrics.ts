// The metrics: one row each, under the public name that SQL, tRPC, REST, CSV, URLs and tests share. Their SQL: stats/metrics.ts.
import { type NameOf, type Parameter, plainNames, readKnownName, readName } from './names.ts';
import { type Kind, KINDS, type Source, SOURCES } from './sources.ts';

export type Unit = 'count' | 'ratio' | 'per_cent' | 'seconds' | 'money';

type MetricRow = {
  label: string;
  /** Short heading of a column, where the label is too long. */
  column?: string;
  unit: Unit;
  /** More of it is bad news. */
  isLessBetter?: true;
  /** Which rows it counts. */
  counts: Kind;
  /** Summed over all rows of a visit: it cannot be split by a dimension of single rows. */
  isOfWholeVisits?: true;
  /** Other metrics that it is made of. */
  needs?: readonly string[];
  /** Shown once there is any: among the figures of a summary, or beside them. All other metrics are always shown. */
  shownIfAny?: 'among' | 'beside';
  /** The full list of a dimension has a column of it when the dimension describes one of these. */
  listedFor: readonly Kind[];
  /** Its name needs a parameter, as in `prop:KEY`. */
  parameter?: Parameter;
};

export const METRICS = {
  /** Different visitor ids: an id lives for one site and one UTC day, so this is the sum of the daily visitors. */
  unique_visitors: {
    label: 'Unique visitors',
    column: 'Visitors',
    unit: 'count',
    counts: 'visits',
    listedFor: ['visits', 'pageviews', 'events'],
  },
  /** A visit ends after 30 minutes without an event, and at UTC midnight. It counts where it starts. */
  visits: {
    label: 'Visits',
    unit: 'count',
    counts: 'visits',
    listedFor: ['visits', 'pageviews'],
  },
  pageviews: {
    label: 'Page views',
    column: 'Views',
    unit: 'count',
    counts: 'pageviews',
    listedFor: ['visits', 'pageviews'],
  },
  /** Page views by visits, both as filtered: under a filter on a page, how often a visit saw that page. */
  views_per_visit: {
    label: 'Views per visit',
    column: 'Views / visit',
    unit: 'ratio',
    counts: 'pageviews',
    needs: ['visits', 'pageviews'],
    listedFor: [],
  },
  /** Share of the visits with one page view and no interactive event. */
  bounce_rate: {
    label: 'Bounce rate',
    unit: 'per_cent',
    isLessBetter: true,
    counts: 'visits',
    isOfWholeVisits: true,
    listedFor: ['visits'],
  },
  /** Mean time from a visit's first to its last event, engagement included. */
  visit_duration: {
    label: 'Visit duration',
    column: 'Duration',
    unit: 'seconds',
    counts: 'visits',
    isOfWholeVisits: true,
    listedFor: ['visits'],
  },
  events: {
    label: 'Events',
    unit: 'count',
    counts: 'events',
    shownIfAny: 'among',
    listedFor: ['events'],
  },
  /** Payments in the site's currency; amounts in others are kept, and not added to it. */
  revenue: {
    label: 'Revenue',
    unit: 'money',
    counts: 'orders',
    shownIfAny: 'among',
    listedFor: ['visits', 'events'],
  },
  /** The part of the revenue that servers of the site sent. Browsers claim the rest. */
  revenue_confirmed: {
    label: 'Confirmed revenue',
    column: 'Confirmed',
    unit: 'money',
    counts: 'orders',
    shownIfAny: 'beside',
    listedFor: ['visits', 'events'],
  },
  /** Payments in any currency. */
  orders: {
    label: 'Orders',
    unit: 'count',
    counts: 'orders',
    shownIfAny: 'among',
    listedFor: ['visits', 'events'],
  },
  /** Payments of more than the site's `max_amount`: neither in `orders` nor in `revenue`. */
  implausible_orders: {
    label: 'Implausible orders',
    column: 'Implausible',
    unit: 'count',
    isLessBetter: true,
    counts: 'implausible_orders',
    shownIfAny: 'beside',
    listedFor: [],
  },
  ai_visits: {
    label: 'AI visits',
    unit: 'count',
    counts: 'ai_visits',
    listedFor: ['ai_visits'],
  },
} as const satisfies Record<string, MetricRow>;

/** A name of the table, or `name:parameter` for a row that has one. */
export type Metric = NameOf<typeof METRICS>;
export const METRIC_NAMES = plainNames(METRICS) as [Metric, ...Metric[]];

export const isMetric = (name: string): name is Metric => readName(METRICS, name) !== undefined;

export function metricRow(metric: Metric): MetricRow {
  return METRICS[readKnownName(METRICS, metric).row];
}

export const columnName = (metric: Metric): string => metricRow(metric).column ?? metricRow(metric).label;

export const sourceOfMetric = (metric: Metric): Source => KINDS[metricRow(metric).counts].source;

/** All metrics of a source: what its summary has. */
export const metricsOf = (source: Source): Metric[] => METRIC_NAMES.filter((name) => sourceOfMetric(name) === source);

/** The metric to ask for where none is named. */
export const usualMetric = (source: Source): Metric => SOURCES[source].usualMetric;
