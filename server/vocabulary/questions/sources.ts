// The sources of data. Each source is a table of the store with the same name, and a query reads one of them.

export const SOURCES = {
  /** Page views and events of visitors. */
  events: { label: 'visitors', hasVisitors: true, usualMetric: 'unique_visitors' },
  /** Pages that agents of AI providers read. They never count as visitors. */
  ai_visits: { label: 'AI visits', hasVisitors: false, usualMetric: 'ai_visits' },
} as const satisfies Record<string, { label: string; hasVisitors: boolean; usualMetric: string }>;

export type Source = keyof typeof SOURCES;

/**
 * The kinds of rows that a metric counts, a dimension describes and a filter narrows. A row can be of several kinds: an order is an event
 * too. Level `visit`: the value is the same on all rows of a visit. Level `row`: each row has its own.
 */
export const KINDS = {
  pageviews: { source: 'events', level: 'row' },
  /** Custom events: neither page views nor engagement. */
  events: { source: 'events', level: 'row' },
  /**
   * Events with an amount, in any currency: payments and refunds. Each order is one payment, no matter how often or by whom it is reported.
   */
  orders: { source: 'events', level: 'row' },
  /** Orders above the site's `max_amount`. They exist because anybody can send any amount. */
  implausible_orders: { source: 'events', level: 'row' },
  /** Rows that reach a goal of the site. */
  conversions: { source: 'events', level: 'row' },
  /** Whole visits with all of their rows, engagement included. A filter keeps or drops a visit as a whole. */
  visits: { source: 'events', level: 'visit' },
  ai_visits: { source: 'ai_visits', level: 'row' },
} as const satisfies Record<string, { source: Source; level: 'row' | 'visit' }>;

export type Kind = keyof typeof KINDS;
