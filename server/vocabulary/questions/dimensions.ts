// The dimensions: one row each, under the public name that SQL, tRPC, REST, CSV, URLs and tests share. Their SQL is in stats/sql/dimensions.ts.
import { textsOf } from '../habits/messages.ts';
import { MAX_KEY } from '../limits.ts';
import { type NameOf, type Parameter, plainNames, readKnownName, readName } from './names.ts';
import { type Kind, KINDS, type Source } from './sources.ts';

type DimensionRow = {
  label: string;
  /** The rows that the dimension describes: whole visits, or rows of one kind that each have their own value. */
  of: Kind;
  group: 'Page' | 'Source' | 'Place' | 'Device' | 'Event' | 'AI';
  /** The label of an empty value; "Unknown" by default. */
  empty?: string;
  /** Not every visit has a value: lists leave out the empty one. */
  isOptional?: true;
  /** The dimension's name needs a parameter, as in `prop:KEY`. */
  parameter?: Parameter;
};

export const DIMENSIONS = textsOf(['label', 'empty'], {
  page: { label: 'Page', of: 'pageviews', group: 'Page', empty: 'No page' },
  entry_page: { label: 'Entry page', of: 'visits', group: 'Page', empty: 'No page', isOptional: true },
  exit_page: { label: 'Exit page', of: 'visits', group: 'Page', empty: 'No page', isOptional: true },
  hostname: { label: 'Hostname', of: 'pageviews', group: 'Page' },
  channel: { label: 'Channel', of: 'visits', group: 'Source', empty: 'Direct', isOptional: true },
  source: { label: 'Source', of: 'visits', group: 'Source', empty: 'Direct' },
  referrer: { label: 'Referrer', of: 'visits', group: 'Source', empty: 'Direct', isOptional: true },
  utm_source: { label: 'UTM source', of: 'visits', group: 'Source', empty: 'None', isOptional: true },
  utm_medium: { label: 'UTM medium', of: 'visits', group: 'Source', empty: 'None', isOptional: true },
  utm_campaign: { label: 'UTM campaign', of: 'visits', group: 'Source', empty: 'None', isOptional: true },
  utm_content: { label: 'UTM content', of: 'visits', group: 'Source', empty: 'None', isOptional: true },
  utm_term: { label: 'UTM term', of: 'visits', group: 'Source', empty: 'None', isOptional: true },
  country: { label: 'Country', of: 'visits', group: 'Place' },
  region: { label: 'Region', of: 'visits', group: 'Place', isOptional: true },
  city: { label: 'City', of: 'visits', group: 'Place', isOptional: true },
  language: { label: 'Language', of: 'visits', group: 'Place' },
  browser: { label: 'Browser', of: 'visits', group: 'Device' },
  browser_version: { label: 'Browser version', of: 'visits', group: 'Device' },
  os: { label: 'System', of: 'visits', group: 'Device' },
  os_version: { label: 'System version', of: 'visits', group: 'Device' },
  device: { label: 'Device', of: 'visits', group: 'Device' },
  screen: { label: 'Screen', of: 'visits', group: 'Device' },
  event: { label: 'Event', of: 'events', group: 'Event', empty: 'None' },
  /** A property of page views and events. */
  prop: {
    label: 'Property',
    of: 'events',
    group: 'Event',
    empty: '(none)',
    parameter: { word: 'KEY', pattern: `.{1,${MAX_KEY}}` },
  },
  /** The ids of the site's goals. A row can reach several. */
  goal: { label: 'Goal', of: 'conversions', group: 'Event' },
  ai_provider: { label: 'AI provider', of: 'ai_visits', group: 'AI' },
  ai_agent: { label: 'AI agent', of: 'ai_visits', group: 'AI' },
  ai_purpose: { label: 'AI purpose', of: 'ai_visits', group: 'AI' },
  ai_page: { label: 'Page read by AI', of: 'ai_visits', group: 'AI', empty: 'No page' },
  /** The HTTP status that the agent received, as a number. Unknown for visits that the snippet or the image reported. */
  ai_status: { label: 'Status sent to AI', of: 'ai_visits', group: 'AI' },
} as const satisfies Record<string, DimensionRow>);

/** A name of the table, or `prop:KEY`. */
export type Dimension = NameOf<typeof DIMENSIONS>;
export const DIMENSION_NAMES = plainNames(DIMENSIONS);

export type DimensionRowName = keyof typeof DIMENSIONS;

export const isDimension = (name: string): name is Dimension => readName(DIMENSIONS, name) !== undefined;

export const dimensionRow = (dimension: Dimension): DimensionRow =>
  DIMENSIONS[readKnownName(DIMENSIONS, dimension).row];

export const sourceOf = (dimension: Dimension): Source => KINDS[dimensionRow(dimension).of].source;

export const isOfEvents = (dimension: Dimension): boolean => dimensionRow(dimension).of === 'events';

/** The key of `prop:KEY`; undefined for any other dimension. */
export function propertyKey(dimension: string): string | undefined {
  const read = readName(DIMENSIONS, dimension);
  return read?.row === 'prop' ? read.parameter : undefined;
}

export const isProperty = (name: string): name is `prop:${string}` => propertyKey(name) !== undefined;

type NamedFilter = { dimension: string; operator: string; values: readonly string[] };

/** The page that the filters name, if they name exactly one. */
export const onePageOf = (filters: readonly NamedFilter[]): string | undefined => oneValueOf(filters, 'page');

/** The one value that the filters allow a dimension to have. */
export function oneValueOf(filters: readonly NamedFilter[], dimension: Dimension): string | undefined {
  const named = filters.filter((filter) => filter.dimension === dimension && filter.operator === 'is');
  return named.length === 1 && named[0]?.values.length === 1 ? named[0].values[0] : undefined;
}
