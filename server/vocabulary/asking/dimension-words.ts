// Words for dimensions: those to list by, and those in front of a value.
import { DIMENSION_NAMES, DIMENSIONS, type DimensionRowName } from '../questions/dimensions.ts';
import type { Entry, SiteNames } from './meanings.ts';

type Plain = Exclude<DimensionRowName, 'prop'>;

/** [one, several], besides the label and its plural. Separated by bars. */
const OTHERS: Partial<Record<Plain, readonly [one: string, several: string]>> = {
  page: ['path|url|article|post|content|top page', 'paths|urls|articles|posts|page paths|most viewed page'],
  entry_page: [
    'landing page|entry|first page',
    'landing pages|entries|entrances|landings|first pages|pages people land on|pages visits begin on',
  ],
  exit_page: ['exit|last page', 'exits|last pages|leaving pages|pages people leave on|pages visits end on'],
  hostname: ['host|domain|subdomain', 'hosts|domains|subdomains'],
  channel: ['medium of traffic|kind of traffic', 'marketing channels|traffic channels|kinds of traffic'],
  source: ['traffic source|origin|referring site', 'traffic sources|origins|referring sites|where'],
  referrer: ['referer|referring page|link', 'referers|referring pages|backlinks|links'],
  utm_campaign: ['campaign|campaign name', 'campaigns|campaign names'],
  utm_medium: ['medium', 'media|mediums'],
  utm_content: ['campaign content', 'campaign contents'],
  utm_term: ['campaign term', 'campaign terms'],
  country: ['nation|geo|geography', 'nations'],
  region: ['state|province', 'states|provinces'],
  city: ['town', 'towns'],
  language: ['browser language|locale', 'browser languages|locales'],
  browser_version: ['version of browser', 'versions of browsers'],
  os: ['operating system|platform|os', 'operating systems|platforms|oses'],
  os_version: ['os version|operating system version', 'os versions|operating system versions'],
  device: ['device type|device class|form factor', 'device types|device classes'],
  screen: [
    'screen size|window size|resolution|screen width|viewport',
    'screen sizes|window sizes|resolutions|viewports',
  ],
  event: ['custom event|action', 'actions'],
  goal: ['conversion goal', 'conversion goals'],
  ai_provider: ['provider|ai company|ai vendor', 'providers|ai companies|ai vendors'],
  ai_agent: [
    'agent|ai bot|ai crawler|bot|crawler|user agent',
    'agents|ai bots|ai crawlers|bots|crawlers|spiders|robots|scrapers',
  ],
  ai_purpose: ['purpose', 'purposes'],
  ai_page: [
    'ai page',
    'ai pages|pages ai reads|pages read by ai|pages ai agents read|pages read by bots|pages that ai reads',
  ],
  ai_status: ['status|status code|http status|response code', 'statuses|status codes|response codes|http statuses'],
};

const severalOf = (label: string): string =>
  label.endsWith('y') ? `${label.slice(0, -1)}ies` : /(?:s|x|ch)$/.test(label) ? `${label}es` : `${label}s`;

export function dimensionEntries({ properties }: Pick<SiteNames, 'properties'>): Entry[] {
  const own = DIMENSION_NAMES.flatMap((dimension) => {
    const { label } = DIMENSIONS[dimension];
    const [one = '', several = ''] = OTHERS[dimension] ?? [];
    const entries = (phrases: readonly string[], isPlural: boolean, sureness: Entry['sureness']) =>
      phrases
        .filter(Boolean)
        .map((phrase): Entry => ({ phrase, label, meaning: { kind: 'dimension', dimension, isPlural }, sureness }));
    return [
      ...entries([label, dimension.replaceAll('_', ' ')], false, 'own'),
      ...entries([severalOf(label), severalOf(dimension.replaceAll('_', ' '))], true, 'own'),
      ...entries(one.split('|'), false, 'usual'),
      ...entries(several.split('|'), true, 'usual'),
    ];
  });
  const ofSite = properties.map((key): Entry => ({
    phrase: key,
    label: key,
    meaning: { kind: 'dimension', dimension: `prop:${key}`, isPlural: false },
    sureness: 'site',
  }));
  return [...own, ...ofSite];
}
