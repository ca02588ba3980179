// One sentence for each metric, and for other figures: what counts and what does not. Not part of metrics.ts, because the dashboard loads
// them only when asked.
import { t, texts } from '../habits/messages.ts';
import type { METRICS } from './metrics.ts';

export const METRIC_EXPLANATIONS: Record<keyof typeof METRICS, string> = texts({
  unique_visitors: 'Different people, counted once a day. Somebody who returns on another day counts again.',
  visits: 'Stays on the site. A visit ends after 30 minutes without activity, and at midnight.',
  pageviews: 'Pages seen, reloads included. The same page twice within half a second counts once.',
  views_per_visit: 'Page views divided by visits. With a filter by page, how often a visit saw that page.',
  bounce_rate: 'Share of the visits with one page view and no event. Reading and scrolling are not events.',
  visit_duration: 'Average time from the first to the last event of a visit. Reading the last page counts.',
  time_on_page: 'Median time that the page was visible. Views without a measurement do not count.',
  scroll_depth: 'Median of how far down the page was seen. Views without a measurement do not count.',
  events: 'Actions sent by name, such as sign-ups, downloads and clicks on links out. Page views do not count.',
  conversions: 'How often goals were reached. An event that reaches several goals counts once.',
  converted_visitors: 'Visitors who reached a goal, counted once a day however often they reached it.',
  conversion_rate: 'Converted visitors as a share of the visitors who match all filters except those by goal.',
  revenue: 'Payments minus refunds, in one currency. Other currencies are neither converted nor included.',
  revenue_confirmed: 'Revenue that your own servers reported. Payments that only a browser reported do not count.',
  orders: 'Payments in any currency, also those refunded later. Two reports of the same order id count once.',
  average_order: 'Average payment in one currency. Refunds are not subtracted.',
  refunds: 'Refunds that your own servers reported, in one currency. The revenue is already reduced by them.',
  implausible_orders:
    'Payments and refunds above the limit in the settings. They count neither as orders nor as revenue.',
  ai_visits: 'Requests by AI crawlers and assistants, errors included. They do not count as visitors or page views.',
});

/** The figures of the chapter on AI that are not metrics. Pages read are the metric `ai_visits`. */
export const AI_EXPLANATIONS = texts({
  trend: 'Pages read by the provider’s agents over the period. The dashed line is the comparison.',
  sent: 'Visits from the answers of AI assistants: people who followed a link to your site.',
  ratio: 'Pages that AI agents read for each visit that their assistants sent back.',
  new_agents: 'AI agents that read this site for the first time in the last 30 days of the period.',
} as const);

export const goalExplanation = (): string =>
  t('How often the goal was reached, and the share of all visitors who reached it.');
