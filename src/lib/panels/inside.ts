// What is inside one value of a dimension: the lists that a panel offers once its list is narrowed to that value.
import { textsOf } from '../../../server/vocabulary/habits/messages.ts';
import {
  type Dimension,
  type DimensionRowName,
  DIMENSIONS,
  isDimension,
} from '../../../server/vocabulary/questions/dimensions.ts';
import { readKnownName } from '../../../server/vocabulary/questions/names.ts';

/**
 * `all`: the name of the whole list. `inside`: the first one opens by a click on the only row; without any, that click shows all rows again.
 * `below`: listed below the only row, after those.
 */
type InsideRow = { all: string; inside: readonly Dimension[]; below?: readonly Dimension[] };

export const INSIDE: Record<DimensionRowName, InsideRow> = textsOf(['all'], {
  page: { all: 'Pages', inside: [], below: ['entry_page', 'exit_page'] },
  entry_page: { all: 'Entry pages', inside: [], below: ['exit_page'] },
  exit_page: { all: 'Exit pages', inside: [], below: ['entry_page'] },
  hostname: { all: 'Hostnames', inside: ['page'] },
  channel: { all: 'Channels', inside: ['source'], below: ['entry_page'] },
  source: { all: 'Sources', inside: ['referrer', 'entry_page'] },
  referrer: { all: 'Referrers', inside: ['entry_page'], below: ['exit_page'] },
  utm_source: { all: 'UTM sources', inside: ['utm_campaign'], below: ['entry_page'] },
  utm_medium: { all: 'UTM media', inside: ['utm_source'], below: ['utm_campaign'] },
  utm_campaign: { all: 'Campaigns', inside: ['utm_content'], below: ['entry_page'] },
  utm_content: { all: 'UTM contents', inside: [], below: ['entry_page'] },
  utm_term: { all: 'UTM terms', inside: [], below: ['entry_page'] },
  country: { all: 'Countries', inside: ['region'], below: ['city'] },
  region: { all: 'Regions', inside: ['city'], below: ['language'] },
  city: { all: 'Cities', inside: [], below: ['language'] },
  language: { all: 'Languages', inside: [], below: ['country'] },
  browser: { all: 'Browsers', inside: ['browser_version'], below: ['os'] },
  browser_version: { all: 'Versions', inside: [], below: ['os', 'screen'] },
  os: { all: 'Systems', inside: ['os_version'], below: ['browser'] },
  os_version: { all: 'Versions', inside: [], below: ['browser', 'screen'] },
  device: { all: 'Devices', inside: [], below: ['os', 'screen'] },
  screen: { all: 'Screens', inside: [], below: ['os', 'browser'] },
  /** Its properties are below it (PropertyKeys.svelte). */
  event: { all: 'Events', inside: [] },
  prop: { all: 'Values', inside: [] },
  goal: { all: 'Goals', inside: [] },
  ai_provider: { all: 'Providers', inside: ['ai_agent'] },
  ai_agent: { all: 'Agents', inside: ['ai_page'] },
  ai_purpose: { all: 'Purposes', inside: ['ai_agent'] },
  ai_page: { all: 'Pages', inside: [] },
  ai_status: { all: 'Statuses', inside: [] },
});

export const insideOf = (dimension: Dimension): InsideRow => INSIDE[readKnownName(DIMENSIONS, dimension).row];

/** The lists below the only row of a list, in their order: two at most. */
export function belowOnly(dimension: Dimension): readonly Dimension[] {
  const { inside, below = [] } = insideOf(dimension);
  return [...inside, ...below];
}

/** In the address: `sources=source.referrer`, the referrers of the one source that the filters name. */
export const writeInside = (of: Dimension, inside: Dimension): string => `${of}.${inside}`;

export function readInside(tab: string): { of: Dimension; inside: Dimension } | undefined {
  const [of = '', name] = tab.split('.');
  const inside = isDimension(of) ? insideOf(of).inside.find((one) => one === name) : undefined;
  return inside && { of: of as Dimension, inside };
}
