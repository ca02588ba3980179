// Matomo's reports by day as CSV: a day, a label whose dimension no column names, and numbers. What the label is of is told by the file's name (such as
// `UserCountry.getCountry`), or by the segment of each row (such as `countryCode==de`; matomo-org/matomo, tests/PHPUnit/System/expected).
import { ImportError } from '../../import.ts';
import type { CsvHead } from '../../reading/csv.ts';
import { openColumns, proposeColumns } from '../columns.ts';
import { hasColumns, indexesOf, type Mapping, type Table } from '../format.ts';
import type { Target } from '../headings.ts';
import { withEventTotals } from '../sums.ts';

type Dimension =
  | 'country'
  | 'region'
  | 'city'
  | 'browser'
  | 'os'
  | 'device'
  | 'language'
  | 'page'
  | 'entry_page'
  | 'exit_page'
  | 'source'
  | 'utm_campaign'
  | 'event';

/** By the API's method, or by the title of the report in English. */
const BY_NAME: readonly [RegExp, Dimension][] = [
  [/getCountry(?![A-Za-z])|[ _]Country[ _.]/, 'country'],
  [/getRegion(?![A-Za-z])|[ _]Region[ _.]/, 'region'],
  [/getCity(?![A-Za-z])|[ _]City[ _.]/, 'city'],
  [/getBrowsers(?![A-Za-z])/, 'browser'],
  [/getOsFamilies(?![A-Za-z])/, 'os'],
  [/DevicesDetection\.getType(?![A-Za-z])/, 'device'],
  [/getLanguageCode(?![A-Za-z])/, 'language'],
  [/getPageUrls(?![A-Za-z])/, 'page'],
  [/getEntryPageUrls(?![A-Za-z])/, 'entry_page'],
  [/getExitPageUrls(?![A-Za-z])/, 'exit_page'],
  [/Referrers\.get(?:Websites|SearchEngines|Socials)(?![A-Za-z])/, 'source'],
  [/Referrers\.getCampaigns(?![A-Za-z])/, 'utm_campaign'],
  [/Events\.getAction(?![A-Za-z])/, 'event'],
];
/** By all of a segment's names. Those of versions have another one, and are no dimension here: they would double that of the names. */
const BY_SEGMENT: ReadonlyMap<string, Dimension> = new Map(
  Object.entries({
    countryCode: 'country',
    'regionCode;countryCode': 'region',
    'city;regionCode;countryCode': 'city',
    browserCode: 'browser',
    browserName: 'browser',
    operatingSystemCode: 'os',
    operatingSystemName: 'os',
    deviceType: 'device',
    languageCode: 'language',
    pageUrl: 'page',
    entryPageUrl: 'entry_page',
    exitPageUrl: 'exit_page',
    referrerName: 'source',
    'referrerType;referrerName': 'source',
    eventAction: 'event',
  }),
);
/** The lists of where visits came from and of events do not have every visit, nor do those of pages that a visit left. */
const PARTIAL: ReadonlySet<Dimension> = new Set(['source', 'utm_campaign', 'event', 'exit_page']);
const PAGES: ReadonlySet<Dimension> = new Set(['page', 'entry_page', 'exit_page']);

/** Their columns have other numbers than the site's. All others' mean what their headings say. */
const OWN_NUMBERS: Partial<Record<Dimension, Readonly<Record<string, Target>>>> = {
  page: { nb_uniq_visitors: 'visitors', nb_visits: 'visits', nb_hits: 'pageviews' },
  entry_page: {
    entry_nb_uniq_visitors: 'visitors',
    entry_nb_visits: 'visits',
    entry_nb_actions: 'pageviews',
    entry_bounce_count: 'bounces',
    entry_sum_visit_length: 'visit_seconds',
  },
  exit_page: { exit_nb_uniq_visitors: 'visitors', exit_nb_visits: 'visits' },
  event: { nb_uniq_visitors: 'visitors', nb_events: 'events' },
};

const NUMBERS = /^(?:nb_(?:visits|actions|hits|events|uniq_visitors)|(?:entry|exit)_nb_visits)$/i;
const DETAILS = [
  'label',
  'metadata_code',
  'metadata_region',
  'metadata_country',
  'metadata_city_name',
  'metadata_url',
  'metadata_segment',
] as const;
type Cell = (column: (typeof DETAILS)[number]) => string;

/** Undefined for what is no report of Matomo. Throws an ImportError for lists of what Footfall has no dimension for. */
export function openReport(head: CsvHead, file: { name: string; mapping: Mapping | undefined }): Table | undefined {
  const { header, sample } = head;
  if (file.mapping || !hasColumns(header, ['date'])) return undefined;
  const at = indexesOf(header, DETAILS);
  // The interface translates the headings of numbers, but not those of segments.
  const isList = at.label !== -1 && (at.metadata_segment !== -1 || BY_NAME.some(([name]) => name.test(file.name)));
  if (!isList && !header.some((column) => NUMBERS.test(column))) return undefined;
  if (at.label === -1) return sumsOf(openColumns(head, proposeColumns(head, undefined)));
  const segments = sample.map((row) => row[at.metadata_segment] ?? '');
  const dimension = dimensionOf(file.name, segments);
  if (dimension === undefined) throw new ImportError({ what: 'unknown', name: file.name });
  const own = OWN_NUMBERS[dimension];
  const columns = own
    ? header.map((column) => (column.toLowerCase() === 'date' ? 'date' : (own[column.toLowerCase()] ?? null)))
    : proposeColumns(head, undefined);
  const table = openColumns(
    head,
    columns.map((target, index) => (index === at.label ? dimension : target)),
  );
  if (!table) throw new ImportError({ what: 'unknown', name: file.name });
  const { put } = table;
  if (PARTIAL.has(dimension)) table.totalsRank = undefined;
  table.put = (cells, batch, line) => {
    if (cells.length <= at.label) return put(cells, batch, line);
    const label = labelOf(dimension, (column) => cells[at[column]] ?? '');
    if (label === '' && PAGES.has(dimension)) return 'no_page'; // a folder, which has the sums of its pages
    return put(cells.with(at.label, label), batch, line);
  };
  return sumsOf(dimension === 'event' ? withEventTotals(table) : table);
}

/** The same table, since what decides about its totals is written into it. */
const sumsOf = (table: Table | undefined): Table | undefined =>
  table && Object.assign(table, { kind: 'sums' as const });

function dimensionOf(name: string, segments: readonly string[]): Dimension | undefined {
  const named = BY_NAME.find(([pattern]) => pattern.test(name));
  if (named) return named[1];
  const segment = segments.find((text) => text.includes('=='));
  if (segment === undefined) return undefined;
  if (segment.startsWith('referrerType==campaign;')) return 'utm_campaign';
  const names = segment.split(';').map((part) => part.split('==')[0]);
  return BY_SEGMENT.get(names.join(';'));
}

function labelOf(dimension: Dimension, cell: Cell): string {
  const label = cell('label');
  switch (dimension) {
    case 'country':
      return cell('metadata_code') || label;
    case 'region':
      return `${cell('metadata_country')}-${cell('metadata_region')}`.toUpperCase();
    case 'city':
      return cell('metadata_city_name') || (label.split(', ')[0] ?? '');
    case 'language':
      return /languageCode==([\w-]+)/.exec(cell('metadata_segment'))?.[1] ?? /\(([\w-]+)\)$/.exec(label)?.[1] ?? '';
    case 'page':
    case 'entry_page':
    case 'exit_page':
      return cell('metadata_url') || (label.startsWith('/') ? label : '');
    case 'browser':
    case 'os':
    case 'device':
    case 'source':
    case 'utm_campaign':
    case 'event':
      return label;
  }
}
