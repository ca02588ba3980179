// The parts of a row's card, by its dimension. Each is one query with the row as a filter.
import { type Dimension, dimensionRow, isProperty } from '../../../server/vocabulary/questions/dimensions.ts';
import type { JourneyDirection } from '../../../server/vocabulary/questions/journeys.ts';
import type { Metric } from '../../../server/vocabulary/numbers/metrics.ts';

export type ListPart = {
  kind: 'list';
  title: string;
  /** The dimension that is listed. */
  dimension: Dimension;
  metric: Metric;
  /** The dimension that the row is a filter on, if it is not the row's own. */
  by?: Dimension;
  /** Shown in place of an empty list, if the title does not say it. */
  empty?: string;
};
export type WayPart = { kind: 'way'; title: string; direction: JourneyDirection };
type CardPart = ListPart | WayPart | { kind: 'reading' | 'search'; title: string };

const list = (title: string, dimension: Dimension, metric: Metric = 'unique_visitors'): ListPart => ({
  kind: 'list',
  title,
  dimension,
  metric,
});
const ofAi = (title: string, dimension: Dimension): ListPart => list(title, dimension, 'ai_visits');

const BEFORE: CardPart = { kind: 'way', title: 'Before', direction: 'backwards' };
const AFTER: CardPart = { kind: 'way', title: 'After', direction: 'forwards' };
const READING: CardPart = { kind: 'reading', title: 'How far down people read' };
const SEARCH: CardPart = { kind: 'search', title: 'Search terms' };
const READ_BY_AI: CardPart = {
  ...ofAi('Read by AI agents', 'ai_agent'),
  by: 'ai_page',
  empty: 'No AI agent read this page in this period.',
};
const SOURCES = list('Sources', 'source');
const GOALS = list('Goals reached', 'goal', 'conversions');
const DEVICES = list('Devices', 'device');
const COUNTRIES = list('Countries', 'country');
const PAGES = list('Pages', 'page');
const ENTRY_PAGES = list('Entry pages', 'entry_page');

const OF_GROUP: Record<'Page' | 'Source' | 'Place' | 'Device' | 'Event' | 'AI', CardPart[]> = {
  Page: [SOURCES, GOALS, DEVICES, COUNTRIES],
  Source: [ENTRY_PAGES, GOALS, list('Campaigns', 'utm_campaign'), COUNTRIES, DEVICES],
  Place: [SOURCES, PAGES, GOALS, DEVICES, list('Languages', 'language')],
  Device: [SOURCES, PAGES, GOALS, COUNTRIES, list('Screens', 'screen')],
  Event: [
    list('Pages', 'page', 'events'),
    list('Sources', 'source', 'events'),
    list('Events', 'event', 'events'),
    DEVICES,
  ],
  AI: [
    ofAi('Agents', 'ai_agent'),
    ofAi('Pages', 'ai_page'),
    ofAi('Purposes', 'ai_purpose'),
    ofAi('Response statuses', 'ai_status'),
  ],
};

/** Dimensions whose cards have more, or something else, than those of their group. */
const OF_DIMENSION: Partial<Record<Dimension, CardPart[]>> = {
  page: [BEFORE, AFTER, READING, SEARCH, ...OF_GROUP.Page, READ_BY_AI],
  entry_page: [AFTER, ...OF_GROUP.Page, READ_BY_AI],
  exit_page: [BEFORE, ...OF_GROUP.Page, READ_BY_AI],
  hostname: [PAGES, ...OF_GROUP.Page],
  goal: [
    list('Sources', 'source', 'conversions'),
    list('Entry pages', 'entry_page', 'conversions'),
    list('Countries', 'country', 'conversions'),
    list('Devices', 'device', 'conversions'),
  ],
};

export function cardParts(dimension: Dimension): CardPart[] {
  const row = dimensionRow(dimension);
  const parts = OF_DIMENSION[isProperty(dimension) ? 'event' : dimension] ?? OF_GROUP[row.group];
  return parts.filter((part) => part.kind !== 'list' || part.dimension !== dimension);
}
