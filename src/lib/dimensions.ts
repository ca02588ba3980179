// The dimensions as the dashboard names them: one row each. A new one needs a row here and, to be seen, a tab in panels.ts.
import type { Dimension } from '../../server/stats/dimensions.ts';
import { addressName, domainName } from './domain';
import { countryName, languageName, regionName } from './display-names';

type DimensionRow = {
  label: string;
  /** What an empty value means. */
  empty: string;
  /** Turns the stored value into what people read; the value itself where absent. */
  name?: (value: string) => string;
  group: 'Page' | 'Source' | 'Place' | 'Device' | 'Event' | 'AI';
};

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
const AI_PURPOSES: Record<string, string> = {
  crawler: 'Training crawler',
  search: 'Search index',
  user: 'On a user’s behalf',
};

/** The server's width classes, by the breakpoints it uses. */
const SCREENS: Record<string, string> = {
  XS: 'Under 576 px',
  SM: '576 – 767 px',
  MD: '768 – 991 px',
  LG: '992 – 1199 px',
  XL: '1200 – 1399 px',
  '2XL': '1400 px and more',
};

export type { Dimension };

export const DIMENSIONS: Record<Exclude<Dimension, `prop:${string}`>, DimensionRow> = {
  page: { label: 'Page', empty: 'No page', group: 'Page' },
  entry_page: { label: 'Entry page', empty: 'No page', group: 'Page' },
  exit_page: { label: 'Exit page', empty: 'No page', group: 'Page' },
  hostname: { label: 'Hostname', empty: 'Unknown', group: 'Page', name: domainName },
  channel: { label: 'Channel', empty: 'Direct', group: 'Source' },
  source: { label: 'Source', empty: 'Direct', group: 'Source', name: domainName },
  referrer: { label: 'Referrer', empty: 'Direct', group: 'Source', name: addressName },
  utm_source: { label: 'UTM source', empty: 'None', group: 'Source' },
  utm_medium: { label: 'UTM medium', empty: 'None', group: 'Source' },
  utm_campaign: { label: 'UTM campaign', empty: 'None', group: 'Source' },
  utm_content: { label: 'UTM content', empty: 'None', group: 'Source' },
  utm_term: { label: 'UTM term', empty: 'None', group: 'Source' },
  country: { label: 'Country', empty: 'Unknown', group: 'Place', name: countryName },
  region: { label: 'Region', empty: 'Unknown', group: 'Place', name: regionName },
  city: { label: 'City', empty: 'Unknown', group: 'Place' },
  language: { label: 'Language', empty: 'Unknown', group: 'Place', name: languageName },
  browser: { label: 'Browser', empty: 'Unknown', group: 'Device' },
  browser_version: { label: 'Browser version', empty: 'Unknown', group: 'Device' },
  os: { label: 'System', empty: 'Unknown', group: 'Device' },
  os_version: { label: 'System version', empty: 'Unknown', group: 'Device' },
  device: {
    label: 'Device',
    empty: 'Unknown',
    group: 'Device',
    name: (value) => (value === 'tv' ? 'TV' : capital(value)),
  },
  screen: { label: 'Screen', empty: 'Unknown', group: 'Device', name: (value) => SCREENS[value] ?? value },
  event: { label: 'Event', empty: 'None', group: 'Event' },
  ai_provider: { label: 'AI provider', empty: 'Unknown', group: 'AI' },
  ai_agent: { label: 'AI agent', empty: 'Unknown', group: 'AI' },
  ai_purpose: { label: 'AI purpose', empty: 'Unknown', group: 'AI', name: (value) => AI_PURPOSES[value] ?? value },
  ai_page: { label: 'Page read by AI', empty: 'No page', group: 'AI' },
};

const isNamed = (name: string): name is keyof typeof DIMENSIONS => Object.hasOwn(DIMENSIONS, name);

/** Dimensions whose values are codes, shown under other names than they are stored: these are searched by what is shown. */
export const RENAMED: Dimension[] = ['country', 'region', 'language', 'device', 'screen'];
export const isRenamed = (dimension: string): boolean =>
  dimension === 'ai_purpose' || RENAMED.some((one) => one === dimension);

export const isDimension = (name: string): name is Dimension => isNamed(name) || /^prop:.{1,64}$/su.test(name);

export function dimensionLabel(dimension: string): string {
  if (isNamed(dimension)) return DIMENSIONS[dimension].label;
  return dimension.startsWith('prop:') ? dimension.slice(5) : dimension;
}

/** What people read for a value of a dimension: "Direct" for an empty source, "Germany" for DE. */
export function valueName(dimension: string, value: string): string {
  const row = isNamed(dimension) ? DIMENSIONS[dimension] : undefined;
  if (value === '') return row?.empty ?? '(none)';
  return row?.name?.(value) ?? value;
}
