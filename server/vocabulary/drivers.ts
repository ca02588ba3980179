// The dimensions whose values can explain why a metric changed. A metric without a row is a mean, a share, or rare: no single value moves it.
import type { Dimension } from './dimensions.ts';
import type { Metric } from './metrics.ts';

const OF_VISITS = ['source', 'utm_campaign', 'entry_page', 'country', 'device'] as const;
const OF_ORDERS = ['source', 'utm_campaign', 'country', 'device'] as const;

/** When several values explain a change equally well, the first dimension wins. */
export const DRIVERS: Partial<Record<Metric, readonly Dimension[]>> = {
  unique_visitors: OF_VISITS,
  visits: OF_VISITS,
  pageviews: ['source', 'page', 'country', 'device'],
  events: ['event', 'source', 'country', 'device'],
  conversions: ['goal', 'source', 'country', 'device'],
  orders: OF_ORDERS,
  revenue: OF_ORDERS,
};
