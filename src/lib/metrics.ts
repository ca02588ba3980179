// The metrics as the dashboard names them: one row each, under the public name that the server, the address and the tests share.

import type { Metric } from '../../server/stats/metrics.ts';

export type { Metric };
export type MetricKind = 'count' | 'ratio' | 'percent' | 'duration' | 'money';

type MetricRow = {
  label: string;
  /** Short heading of a column. */
  column: string;
  kind: MetricKind;
  /** Whether more of it is good news; nothing is said of the others in colour. */
  better: 'more' | 'less';
};

export const METRICS: Record<Metric, MetricRow> = {
  unique_visitors: { label: 'Unique visitors', column: 'Visitors', kind: 'count', better: 'more' },
  visits: { label: 'Visits', column: 'Visits', kind: 'count', better: 'more' },
  pageviews: { label: 'Page views', column: 'Views', kind: 'count', better: 'more' },
  views_per_visit: { label: 'Views per visit', column: 'Views / visit', kind: 'ratio', better: 'more' },
  bounce_rate: { label: 'Bounce rate', column: 'Bounce rate', kind: 'percent', better: 'less' },
  visit_duration: { label: 'Visit duration', column: 'Duration', kind: 'duration', better: 'more' },
  events: { label: 'Events', column: 'Events', kind: 'count', better: 'more' },
  revenue: { label: 'Revenue', column: 'Revenue', kind: 'money', better: 'more' },
  revenue_confirmed: { label: 'Confirmed revenue', column: 'Confirmed', kind: 'money', better: 'more' },
  orders: { label: 'Orders', column: 'Orders', kind: 'count', better: 'more' },
  implausible_orders: { label: 'Implausible orders', column: 'Implausible', kind: 'count', better: 'less' },
  ai_visits: { label: 'AI visits', column: 'AI visits', kind: 'count', better: 'more' },
};

export const isMetric = (name: string): name is Metric => Object.hasOwn(METRICS, name);
