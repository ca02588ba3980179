// SQL conditions for the rows of each kind.
import type { Kind } from '../vocabulary/sources.ts';

export const KIND_SQL = {
  pageviews: "name = 'pageview'",
  events: "name NOT IN ('pageview', 'engagement')",
  orders: "currency != '' AND amount <= {max_amount:Int64}",
  implausible_orders: "currency != '' AND amount > {max_amount:Int64}",
  /** filters.ts adds the condition of the site's goals. */
  conversions: '1',
  visits: '1',
  ai_visits: '1',
} as const satisfies Record<Kind, string>;
