// The dimensions whose values can explain a change of a metric. Metrics without a row are means, shares or rare: no single value explains
// them.
import type { Dimension } from '../questions/dimensions.ts';
import type { Metric } from './metrics.ts';

const OF_VISITS = ['source', 'utm_campaign', 'entry_page', 'country', 'device'] as const;
const OF_ORDERS = ['source', 'utm_campaign', 'country', 'device'] as const;

/** If several values explain a change equally well, the first dimension wins. */
export const DRIVERS: Partial<Record<Metric, readonly Dimension[]>> = {
  unique_visitors: OF_VISITS,
  visits: OF_VISITS,
  pageviews: ['source', 'page', 'country', 'device'],
  events: ['event', 'source', 'country', 'device'],
  conversions: ['goal', 'source', 'country', 'device'],
  orders: OF_ORDERS,
  revenue: OF_ORDERS,
};
