// What is inside one value of a dimension: the lists that a panel offers once its list is narrowed to that value.
import {
  type Dimension,
  type DimensionRowName,
  DIMENSIONS,
  isDimension,
} from '../../../server/vocabulary/questions/dimensions.ts';
import { readKnownName } from '../../../server/vocabulary/questions/names.ts';

/** `all`: the name of the whole list. `inside`: the first one opens by a click on the only row; without any, that click shows all rows again. */
type InsideRow = { all: string; inside: readonly Dimension[] };

export const INSIDE: Record<DimensionRowName, InsideRow> = {
  page: { all: 'Pages', inside: [] },
  entry_page: { all: 'Entry pages', inside: [] },
  exit_page: { all: 'Exit pages', inside: [] },
  hostname: { all: 'Hostnames', inside: ['page'] },
  channel: { all: 'Channels', inside: ['source'] },
  source: { all: 'Sources', inside: ['referrer', 'entry_page'] },
  referrer: { all: 'Referrers', inside: ['entry_page'] },
  utm_source: { all: 'UTM sources', inside: ['utm_campaign'] },
  utm_medium: { all: 'UTM media', inside: ['utm_source'] },
  utm_campaign: { all: 'Campaigns', inside: ['utm_content'] },
  utm_content: { all: 'UTM contents', inside: [] },
  utm_term: { all: 'UTM terms', inside: [] },
  country: { all: 'Countries', inside: ['region'] },
  region: { all: 'Regions', inside: ['city'] },
  city: { all: 'Cities', inside: [] },
  language: { all: 'Languages', inside: [] },
  browser: { all: 'Browsers', inside: ['browser_version'] },
  browser_version: { all: 'Versions', inside: [] },
  os: { all: 'Systems', inside: ['os_version'] },
  os_version: { all: 'Versions', inside: [] },
  device: { all: 'Devices', inside: [] },
  screen: { all: 'Screens', inside: [] },
  /** Its properties are below it (PropertyKeys.svelte). */
  event: { all: 'Events', inside: [] },
  prop: { all: 'Values', inside: [] },
  goal: { all: 'Goals', inside: [] },
  ai_provider: { all: 'Providers', inside: ['ai_agent'] },
  ai_agent: { all: 'Agents', inside: ['ai_page'] },
  ai_purpose: { all: 'Purposes', inside: ['ai_agent'] },
  ai_page: { all: 'Pages', inside: [] },
  ai_status: { all: 'Statuses', inside: [] },
};

export const insideOf = (dimension: Dimension): InsideRow => INSIDE[readKnownName(DIMENSIONS, dimension).row];

/** In the address: `sources=source.referrer`, the referrers of the one source that the filters name. */
export const writeInside = (of: Dimension, inside: Dimension): string => `${of}.${inside}`;

export function readInside(tab: string): { of: Dimension; inside: Dimension } | undefined {
  const [of = '', name] = tab.split('.');
  const inside = isDimension(of) ? insideOf(of).inside.find((one) => one === name) : undefined;
  return inside && { of: of as Dimension, inside };
}
