// What a question can be about. Each source is a table of the store with the same name, and a question is about one of them.

export const SOURCES = {
  /** Page views and events of visitors. */
  events: { label: 'visitors', hasVisitors: true, usualMetric: 'unique_visitors' },
  /** Pages that agents of AI providers read: never in the numbers of visitors. */
  ai_visits: { label: 'AI visits', hasVisitors: false, usualMetric: 'ai_visits' },
} as const satisfies Record<string, { label: string; hasVisitors: boolean; usualMetric: string }>;

export type Source = keyof typeof SOURCES;

/**
 * Kinds of rows: what a metric counts, what a dimension describes, and what a filter narrows. A row can be of more than one kind: an
 * order is an event too. `visit`: the same on all rows of a visit.
 */
export const KINDS = {
  pageviews: { source: 'events', level: 'row' },
  /** Custom events: neither page views nor engagement. */
  events: { source: 'events', level: 'row' },
  /** Events with an amount, in any currency. */
  orders: { source: 'events', level: 'row' },
  /** Orders above the site's `max_amount`: anybody can send any amount. */
  implausible_orders: { source: 'events', level: 'row' },
  /** Whole visits: all of their rows, engagement included. No filter narrows these. */
  visits: { source: 'events', level: 'visit' },
  ai_visits: { source: 'ai_visits', level: 'row' },
} as const satisfies Record<string, { source: Source; level: 'row' | 'visit' }>;

export type Kind = keyof typeof KINDS;
