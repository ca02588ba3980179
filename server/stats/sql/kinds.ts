// SQL conditions for the rows of each kind.
import type { Kind } from '../../vocabulary/questions/sources.ts';

/**
 * SQL condition for the rows that a better report of the same order replaces: see queue/writer/settle-order.ts. The two extra days on each side
 * cover every time zone. They change nothing else, since ids are unique.
 */
function superseded(which = ''): string {
  const events = `FROM superseded WHERE site_id = {site_id:String} AND superseded.time >= fromUnixTimestamp64Milli({from:Int64}) - INTERVAL 2 DAY AND superseded.time < fromUnixTimestamp64Milli({to:Int64}) + INTERVAL 2 DAY${which}`;
  // Most sites have none: the engine then drops the condition, and does not read the column.
  return `(assumeNotNull((SELECT count() ${events})) > 0 AND order_event IN (SELECT event_id ${events}))`;
}
/** SQL condition for rows that count as events: a better report of the same event has not replaced them. */
export const IS_COUNTED = `NOT ${superseded(' AND replaced = 1')}`;
/** SQL condition for payments and refunds of any amount: no better report of the same order has taken their place. */
export const IS_ORDER = `currency != '' AND NOT ${superseded()}`;

export const KIND_SQL = {
  pageviews: "name = 'pageview'",
  events: `name NOT IN ('pageview', 'engagement') AND ${IS_COUNTED}`,
  orders: `${IS_ORDER} AND abs(amount) <= {max_amount:Int64}`,
  implausible_orders: `${IS_ORDER} AND abs(amount) > {max_amount:Int64}`,
  /** filters.ts adds the condition of the site's goals. */
  conversions: '1',
  visits: '1',
  ai_visits: '1',
} as const satisfies Record<Kind, string>;
