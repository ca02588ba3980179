// The dimensions: one row each, under the public name that SQL, tRPC, REST, CSV, URLs and tests share. Their SQL: stats/dimensions.ts.
import { MAX_KEY } from './limits.ts';
import { type NameOf, type Parameter, plainNames, readName } from './names.ts';
import { type Kind, KINDS, type Source } from './sources.ts';

export type DimensionRow = {
  label: string;
  /** The rows that it describes: visits as a whole, or rows of one kind, each with a value of its own. */
  of: Kind;
  group: 'Page' | 'Source' | 'Place' | 'Device' | 'Event' | 'AI';
  /** What an empty value means, for people. */
  empty: string;
  /** Its name needs a parameter, as in `prop:KEY`. */
  parameter?: Parameter;
};

export const DIMENSIONS = {
  page: { label: 'Page', of: 'pageviews', group: 'Page', empty: 'No page' },
  entry_page: { label: 'Entry page', of: 'visits', group: 'Page', empty: 'No page' },
  exit_page: { label: 'Exit page', of: 'visits', group: 'Page', empty: 'No page' },
  hostname: { label: 'Hostname', of: 'pageviews', group: 'Page', empty: 'Unknown' },
  channel: { label: 'Channel', of: 'visits', group: 'Source', empty: 'Direct' },
  source: { label: 'Source', of: 'visits', group: 'Source', empty: 'Direct' },
  referrer: { label: 'Referrer', of: 'visits', group: 'Source', empty: 'Direct' },
  utm_source: { label: 'UTM source', of: 'visits', group: 'Source', empty: 'None' },
  utm_medium: { label: 'UTM medium', of: 'visits', group: 'Source', empty: 'None' },
  utm_campaign: { label: 'UTM campaign', of: 'visits', group: 'Source', empty: 'None' },
  utm_content: { label: 'UTM content', of: 'visits', group: 'Source', empty: 'None' },
  utm_term: { label: 'UTM term', of: 'visits', group: 'Source', empty: 'None' },
  country: { label: 'Country', of: 'visits', group: 'Place', empty: 'Unknown' },
  region: { label: 'Region', of: 'visits', group: 'Place', empty: 'Unknown' },
  city: { label: 'City', of: 'visits', group: 'Place', empty: 'Unknown' },
  language: { label: 'Language', of: 'visits', group: 'Place', empty: 'Unknown' },
  browser: { label: 'Browser', of: 'visits', group: 'Device', empty: 'Unknown' },
  browser_version: { label: 'Browser version', of: 'visits', group: 'Device', empty: 'Unknown' },
  os: { label: 'System', of: 'visits', group: 'Device', empty: 'Unknown' },
  os_version: { label: 'System version', of: 'visits', group: 'Device', empty: 'Unknown' },
  device: { label: 'Device', of: 'visits', group: 'Device', empty: 'Unknown' },
  screen: { label: 'Screen', of: 'visits', group: 'Device', empty: 'Unknown' },
  event: { label: 'Event', of: 'events', group: 'Event', empty: 'None' },
  /** A property of page views and events. */
  prop: {
    label: 'Property',
    of: 'events',
    group: 'Event',
    empty: '(none)',
    parameter: { word: 'KEY', pattern: `.{1,${MAX_KEY}}` },
  },
  ai_provider: { label: 'AI provider', of: 'ai_visits', group: 'AI', empty: 'Unknown' },
  ai_agent: { label: 'AI agent', of: 'ai_visits', group: 'AI', empty: 'Unknown' },
  ai_purpose: { label: 'AI purpose', of: 'ai_visits', group: 'AI', empty: 'Unknown' },
  ai_page: { label: 'Page read by AI', of: 'ai_visits', group: 'AI', empty: 'No page' },
} as const satisfies Record<string, DimensionRow>;

/** A name of the table, or `prop:KEY`. */
export type Dimension = NameOf<typeof DIMENSIONS>;
export const DIMENSION_NAMES = plainNames(DIMENSIONS);

export const isDimension = (name: string): name is Dimension => readName(DIMENSIONS, name) !== undefined;

/** The row of a dimension, and the parameter of its name. */
export function readDimension(dimension: Dimension): {
  row: keyof typeof DIMENSIONS;
  parameter?: string;
} {
  const read = readName(DIMENSIONS, dimension);
  if (!read) throw new TypeError(`${dimension} is no dimension.`);
  return read;
}

export const kindOf = (dimension: Dimension): Kind => DIMENSIONS[readDimension(dimension).row].of;
export const sourceOf = (dimension: Dimension): Source => KINDS[kindOf(dimension)].source;

/** `prop:KEY` for a key; undefined for any other dimension. */
export const propertyOf = (dimension: string): string | undefined => {
  const read = readName(DIMENSIONS, dimension);
  return read?.row === 'prop' ? read.parameter : undefined;
};
