// How cells become the label of a dimension, in Footfall's words.
import { CHANNEL_NAMES } from '../../questions/channels.ts';
import type { DimensionRowName } from '../../questions/dimensions.ts';
import { hostnameOf, pageLabel, referrerLabel } from '../values/addresses.ts';
import { countryOf, regionOf } from '../values/places.ts';
import { browserLabel, browserOf, deviceOf, languageOf, systemLabel, systemOf, valueOf } from '../values/names.ts';
import { eventName } from './events.ts';

const channels: ReadonlySet<string> = new Set(CHANNEL_NAMES);

/** What Google Analytics calls a medium or a campaign of links without tags. */
const UNTAGGED = /^(?:organic|referral|\((?:organic|referral|direct)\))$/i;
const tag = (text: string) => (UNTAGGED.test(text) ? '' : valueOf(text));
/** The source of `google / organic`, or of `Direct / None`. */
const source = (text: string) => {
  const name = valueOf(text.split(' / ')[0] ?? '');
  return /^direct$/i.test(name) ? '' : name;
};
const page = (text: string) => pageLabel(valueOf(text, 4_096));

const PLAIN = {
  page,
  entry_page: page,
  exit_page: page,
  hostname: (text) => hostnameOf(valueOf(text).replace(/^https?:\/\//i, '')),
  channel: (text) => (channels.has(text) ? text : ''),
  source,
  referrer: (text) => referrerLabel(valueOf(text, 4_096)),
  utm_source: tag,
  utm_medium: tag,
  utm_campaign: tag,
  utm_content: tag,
  utm_term: tag,
  country: countryOf,
  city: (text) => (/^\d+$/.test(text) ? '' : valueOf(text)), // an id of GeoNames has no name here
  language: languageOf,
  browser: browserOf,
  os: (text) => systemOf(text).name,
  device: deviceOf,
  event: eventName,
} as const satisfies Partial<Record<DimensionRowName, (text: string) => string>>;

/** A second cell completes these: a region's country, the browser or system of a version. */
const OF_TWO = {
  region: { with: 'country', read: (text, country) => regionOf(text, countryOf(country)) },
  browser_version: { with: 'browser', read: (text, browser) => browserLabel(browser, text) },
  os_version: { with: 'os', read: (text, system) => systemLabel(system, text) },
} as const satisfies Partial<
  Record<DimensionRowName, { with: LabelName; read: (text: string, other: string) => string }>
>;

/** The dimensions that sums can be of. */
export type LabelName = keyof typeof PLAIN | 'region' | 'browser_version' | 'os_version';
export const LABEL_NAMES = [...Object.keys(PLAIN), ...Object.keys(OF_TWO)] as LabelName[];

export type ReadLabel = (cells: readonly string[]) => string;

/** Reads a dimension's label from a row. `at` has the cells of all dimensions in it. */
export function labelReader(dimension: LabelName, at: Partial<Record<LabelName, number>>): ReadLabel {
  const index = at[dimension] ?? -1;
  if (dimension in PLAIN) {
    const read = PLAIN[dimension as keyof typeof PLAIN];
    return (cells) => read(cells[index] ?? '');
  }
  const { with: other, read } = OF_TWO[dimension as keyof typeof OF_TWO];
  const otherIndex = at[other] ?? -1;
  return (cells) => read(cells[index] ?? '', cells[otherIndex] ?? '');
}
