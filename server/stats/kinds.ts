// The kinds of rows: what a metric counts, and what a filter narrows. A row can be of more than one kind: an order is an event too.

type KindRow = { of: 'events' | 'ai_visits'; sql: string };

export const KINDS = {
  pageviews: { of: 'events', sql: "name = 'pageview'" },
  /** Custom events: neither page views nor engagement. */
  events: { of: 'events', sql: "name NOT IN ('pageview', 'engagement')" },
  /** Events with an amount, in any currency. */
  orders: { of: 'events', sql: "currency != '' AND amount <= {max_amount:Int64}" },
  /** Above what the site's owner takes for possible: anybody can send any amount. */
  implausible_orders: { of: 'events', sql: "currency != '' AND amount > {max_amount:Int64}" },
  /** Whole visits: all of their rows, engagement included. No filter narrows these. */
  visits: { of: 'events', sql: '1' },
  ai_visits: { of: 'ai_visits', sql: '1' },
} as const satisfies Record<string, KindRow>;

export type Kind = keyof typeof KINDS;
export type Table = KindRow['of'];
