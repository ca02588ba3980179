// The metrics: one row each, under the public name that SQL, tRPC, REST, CSV, URLs and tests share. Their SQL is in stats/sql/metrics.ts.
import { textsOf } from '../habits/messages.ts';
import { type Dimension, isOfEvents, sourceOf } from '../questions/dimensions.ts';
import { type NameOf, type Parameter, plainNames, readKnownName, readName } from '../questions/names.ts';
import { type Kind, KINDS, type Source, SOURCES } from '../questions/sources.ts';

export type Unit = 'count' | 'ratio' | 'per_cent' | 'seconds' | 'money';

type MetricRow = {
  label: string;
  /** A shorter column heading, when the label is too long. */
  column?: string;
  unit: Unit;
  /** A rise is bad news. */
  isLessBetter?: true;
  /** The kind of rows that the metric counts. */
  counts: Kind;
  /** Computed from all rows of a visit, so a dimension of single rows cannot split it. */
  isOfWholeVisits?: true;
  /** Computed from measured page views. Lists of events leave it out, and a summary includes it only if a filter names one page. */
  isOfReading?: true;
  /** Other metrics that this one is computed from. */
  needs?: readonly string[];
  /** Part of a summary only under a filter by goal: otherwise every goal of the site would be evaluated. */
  isOfGoals?: true;
  /** Shown only if it is not zero: among the main figures of a summary, or beside them. Other metrics are always shown. */
  shownIfAny?: 'among' | 'beside';
  /** Kinds of dimensions whose full list has a column for this metric. */
  listedFor: readonly Kind[];
  /** The metric's name needs a parameter, as in `prop:KEY`. */
  parameter?: Parameter;
};

export const METRICS = textsOf(['label', 'column'], {
  /**
   * Distinct visitor ids. An id is valid for one site on one of its days, so the visitors of a period are the sum of its daily visitors.
   */
  unique_visitors: {
    label: 'Unique visitors',
    column: 'Visitors',
    unit: 'count',
    counts: 'visits',
    listedFor: ['visits', 'pageviews', 'events'],
  },
  /** A visit ends after 30 minutes without an event, and at midnight of the site's day. It counts where it starts. */
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
  /** Page views divided by visits, both filtered. With a filter by page, this is how often a visit saw that page. */
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
  /** Median visible time of the measured page views: those whose script reported engagement. */
  time_on_page: {
    label: 'Time on page',
    unit: 'seconds',
    counts: 'pageviews',
    isOfReading: true,
    shownIfAny: 'among',
    listedFor: ['pageviews'],
  },
  /** Median scroll depth of the measured page views. A page that fits into its window counts as 100 per cent. */
  scroll_depth: {
    label: 'Scroll depth',
    unit: 'per_cent',
    counts: 'pageviews',
    isOfReading: true,
    shownIfAny: 'among',
    listedFor: ['pageviews'],
  },
  events: {
    label: 'Events',
    unit: 'count',
    counts: 'events',
    shownIfAny: 'among',
    listedFor: ['events'],
  },
  /** How often goals were reached. An event that reaches several goals counts once, except in a list of goals. */
  conversions: {
    label: 'Conversions',
    unit: 'count',
    counts: 'conversions',
    isOfGoals: true,
    shownIfAny: 'among',
    listedFor: ['conversions'],
  },
  /** Distinct visitor ids among the conversions. An event from a server has one only once it is tied to a visit. */
  converted_visitors: {
    label: 'Converted visitors',
    column: 'Converted',
    unit: 'count',
    counts: 'conversions',
    isOfGoals: true,
    shownIfAny: 'beside',
    listedFor: ['conversions'],
  },
  /** Converted visitors as a percentage of the visitors who match all filters except those by goal. */
  conversion_rate: {
    label: 'Conversion rate',
    column: 'Rate',
    unit: 'per_cent',
    counts: 'conversions',
    isOfGoals: true,
    needs: ['converted_visitors'],
    shownIfAny: 'among',
    listedFor: ['conversions'],
  },
  /** Payments less refunds, in one currency. Amounts in other currencies have figures of their own: nothing is converted. */
  revenue: {
    label: 'Revenue',
    unit: 'money',
    counts: 'orders',
    shownIfAny: 'among',
    listedFor: ['visits', 'events', 'conversions'],
  },
  /** The part of the revenue that the site's own servers reported. Browsers claim the rest. */
  revenue_confirmed: {
    label: 'Confirmed revenue',
    column: 'Confirmed',
    unit: 'money',
    counts: 'orders',
    shownIfAny: 'beside',
    listedFor: ['visits', 'events'],
  },
  /** Payments in any currency, or in the one that a question names, refunded ones included. An order with an id counts once, no matter how often or by whom it is reported. */
  orders: {
    label: 'Orders',
    unit: 'count',
    counts: 'orders',
    shownIfAny: 'among',
    listedFor: ['visits', 'events', 'conversions'],
  },
  /** Mean payment in one currency, before refunds. */
  average_order: {
    label: 'Average order',
    unit: 'money',
    counts: 'orders',
    shownIfAny: 'among',
    listedFor: ['visits', 'events'],
  },
  /** Refunds that the site's own servers reported, in one currency: a positive number, already subtracted from the revenue. */
  refunds: {
    label: 'Refunds',
    unit: 'money',
    isLessBetter: true,
    counts: 'orders',
    shownIfAny: 'beside',
    listedFor: ['visits', 'events'],
  },
  /** Payments and refunds above the site's `max_amount`. They count neither in `orders` nor in `revenue`. */
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
} as const satisfies Record<string, MetricRow>);

/** A name of the table, or `name:parameter` for a row that has one. */
export type Metric = NameOf<typeof METRICS>;
export const METRIC_NAMES = plainNames(METRICS) as [Metric, ...Metric[]];

export const isMetric = (name: string): name is Metric => readName(METRICS, name) !== undefined;

export function metricRow(metric: Metric): MetricRow {
  return METRICS[readKnownName(METRICS, metric).row];
}

export const columnName = (metric: Metric): string => metricRow(metric).column ?? metricRow(metric).label;

export const sourceOfMetric = (metric: Metric): Source => KINDS[metricRow(metric).counts].source;

/** Returns all metrics of a source, in the order of the table. */
export const metricsOf = (source: Source): Metric[] => METRIC_NAMES.filter((name) => sourceOfMetric(name) === source);

/** The default metric of a source. */
export const usualMetric = (source: Source): Metric => SOURCES[source].usualMetric;

/** The metric that a dimension's list shows by default. */
export const listedMetric = (dimension: Dimension): Metric =>
  dimension === 'goal' ? 'conversions' : isOfEvents(dimension) ? 'events' : usualMetric(sourceOf(dimension));
