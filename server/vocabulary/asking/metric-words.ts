// Words for metrics.
import { type Metric, METRIC_NAMES, METRICS, metricRow } from '../numbers/metrics.ts';
import type { Entry } from './meanings.ts';

/** What people call a metric, besides its label. Separated by bars. */
const OTHERS: Partial<Record<Metric, string>> = {
  unique_visitors:
    'visitor|uniques|unique visitor|unique users|users|user|people|persons|visitor count|audience|traffic',
  visits: 'visit|sessions|session|arrivals',
  pageviews: 'page view|pageview|pageviews|hits|hit|views|view|impressions|page loads|page hits|page impressions',
  views_per_visit:
    'views per visit|pages per visit|pages per session|page views per visit|pageviews per visit|views per session|depth of visit',
  bounce_rate: 'bounces|bounce|bounced|bouncing',
  visit_duration:
    'time on site|duration|session duration|session length|visit length|visit time|average visit|time spent|length of visit|average session|average visit duration|average session duration|average time on site',
  time_on_page: 'reading time|time per page|time on pages|average time on page|read time|view duration',
  scroll_depth: 'scroll|scrolling|scrolled|scroll rate',
  events: 'custom events|event count|number of events',
  conversions: 'conversion|goal completions|completions|goal conversions|goals reached',
  converted_visitors: 'converted|converters|converting visitors|converted people',
  conversion_rate: 'cr|conversion rates|converting|goal rate|conversion ratio',
  revenue: 'income|earnings|turnover|money|sales|earned',
  revenue_confirmed: 'confirmed sales|confirmed income',
  orders: 'order|purchases|payments|payment|transactions|number of orders',
  average_order: 'aov|average order value|order value|basket|average basket|average payment|average purchase',
  refunds: 'refund|refunded|money back',
  implausible_orders: 'implausible payments|implausible',
  ai_visits:
    'ai|ai visit|ai traffic|ai hits|ai reads|ai requests|bot traffic|bot visits|crawler traffic|crawls|ai crawls|crawler visits',
};

export const metricEntries: readonly Entry[] = METRIC_NAMES.flatMap((metric) => {
  const row = metricRow(metric);
  const meaning = { kind: 'metric', metric } as const;
  const own = [row.label, row.column ?? '', metric.replaceAll('_', ' ')].filter(
    (name) => name !== '' && !name.includes('/'),
  );
  const others = (OTHERS[metric] ?? '').split('|').filter(Boolean);
  return [
    ...[...new Set(own)].map((phrase): Entry => ({ phrase, label: row.label, meaning, sureness: 'own' })),
    ...others.map((phrase): Entry => ({ phrase, label: row.label, meaning, sureness: 'usual' })),
  ].filter(({ phrase }) => phrase !== 'Rate' && phrase !== 'rate');
});

/** Some figures are about AI visits although their words are those of people's. */
export const isCountOf = (metric: Metric): boolean =>
  metric === 'ai_visits' ||
  (METRICS.unique_visitors.unit === metricRow(metric).unit &&
    ['unique_visitors', 'visits', 'pageviews'].includes(metric));
