// The parts of a row's card, by its dimension. Each is one query with the row as a filter.
import { texts, textsOf } from '../../../server/vocabulary/habits/messages.ts';
import { type Dimension, dimensionRow, isProperty } from '../../../server/vocabulary/questions/dimensions.ts';
import type { JourneyDirection } from '../../../server/vocabulary/questions/journeys.ts';
import type { Metric } from '../../../server/vocabulary/numbers/metrics.ts';

/** The titles of all parts, by the English ones, which are their names on the page for tools. */
export const TITLES = texts({
  Before: 'Before',
  After: 'After',
  'How far down people read': 'How far down people read',
  'Search terms': 'Search terms',
  'Read by AI agents': 'Read by AI agents',
  Sources: 'Sources',
  'Goals reached': 'Goals reached',
  Devices: 'Devices',
  Countries: 'Countries',
  Pages: 'Pages',
  'Entry pages': 'Entry pages',
  Campaigns: 'Campaigns',
  Languages: 'Languages',
  Screens: 'Screens',
  Events: 'Events',
  Agents: 'Agents',
  Purposes: 'Purposes',
  'Response statuses': 'Response statuses',
  'Slowest elements': 'Slowest elements',
  'Slowest to answer': 'Slowest to answer',
  'How the page was opened': 'How the page was opened',
});
export type PartName = keyof typeof TITLES;

export type ListPart = {
  kind: 'list';
  name: PartName;
  /** The dimension that is listed. */
  dimension: Dimension;
  metric: Metric;
  /** The dimension that the row is a filter on, if it is not the row's own. */
  by?: Dimension;
  /** Shown in place of an empty list, if the title does not say it. */
  empty?: string;
};
export type WayPart = { kind: 'way'; name: PartName; direction: JourneyDirection };
type CardPart = ListPart | WayPart | { kind: 'reading' | 'search'; name: PartName };

const list = (name: PartName, dimension: Dimension, metric: Metric = 'unique_visitors'): ListPart => ({
  kind: 'list',
  name,
  dimension,
  metric,
});
const ofAi = (name: PartName, dimension: Dimension): ListPart => list(name, dimension, 'ai_visits');

const BEFORE: CardPart = { kind: 'way', name: 'Before', direction: 'backwards' };
const AFTER: CardPart = { kind: 'way', name: 'After', direction: 'forwards' };
const READING: CardPart = { kind: 'reading', name: 'How far down people read' };
const SEARCH: CardPart = { kind: 'search', name: 'Search terms' };
const READ_BY_AI: CardPart = textsOf(['empty'], {
  kind: 'list',
  name: 'Read by AI agents',
  dimension: 'ai_agent',
  metric: 'ai_visits',
  by: 'ai_page',
  empty: 'No AI agent read this page in this period.',
});
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
