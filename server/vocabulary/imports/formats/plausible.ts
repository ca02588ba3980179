// The export of Plausible (Site settings, Imports & Exports): a zip with a CSV of daily sums for each table. Columns are read by name, since each
// release added some (plausible/analytics, lib/plausible/imported/csv_importer.ex and lib/plausible/exports.ex).
import { ImportError } from '../import.ts';
import { dayReader } from '../values/dates.ts';
import { isTold, readCount } from '../values/numbers.ts';
import {
  becomesBy,
  hasColumns,
  indexesOf,
  NO_NUMBERS,
  type CsvFormat,
  type Format,
  type Numbers,
  type Table,
} from './format.ts';
import { labelReader, type LabelName } from './labels.ts';
import { sumTable, type SumRow, withEventTotals } from './sums.ts';

type PlausibleTable = {
  /** Columns that tell the table from others. */
  key: readonly string[];
  /** Columns that become labels, beside the key. */
  dimensions: Readonly<Record<string, LabelName>>;
  totalsRank?: number;
};

const UTM = {
  utm_source: 'utm_source',
  utm_medium: 'utm_medium',
  utm_campaign: 'utm_campaign',
  utm_content: 'utm_content',
  utm_term: 'utm_term',
} as const;

/** The first whose key a header has is its table. `visitors` is last: its columns are in others too. */
const TABLES: Readonly<Record<string, PlausibleTable>> = {
  sources: { key: ['source'], dimensions: { source: 'source', referrer: 'referrer', ...UTM }, totalsRank: 2 },
  entry_pages: { key: ['entry_page'], dimensions: { entry_page: 'entry_page' }, totalsRank: 7 },
  exit_pages: { key: ['exit_page'], dimensions: { exit_page: 'exit_page' } },
  pages: { key: ['page'], dimensions: { page: 'page' }, totalsRank: 8 },
  // Cities are numbers of GeoNames.
  locations: { key: ['country'], dimensions: { country: 'country', region: 'region' }, totalsRank: 6 },
  devices: { key: ['device'], dimensions: { device: 'device' }, totalsRank: 3 },
  browsers: { key: ['browser'], dimensions: { browser: 'browser', browser_version: 'browser_version' }, totalsRank: 4 },
  operating_systems: {
    key: ['operating_system'],
    dimensions: { operating_system: 'os', operating_system_version: 'os_version' },
    totalsRank: 5,
  },
  custom_events: { key: ['name', 'events'], dimensions: { name: 'event' } },
  custom_props: { key: ['property', 'value', 'events'], dimensions: {} },
  visitors: { key: ['visits', 'bounces'], dimensions: {}, totalsRank: 1 },
};

/** Columns that only Plausible's tables have. A file that is named as one may do without. */
const MARKS = [
  'visit_duration',
  'entrances',
  'exits',
  'time_on_page',
  'total_scroll_depth',
  'scroll_depth',
  'link_url',
  'property',
];
const NUMBERS: Readonly<Record<string, keyof Numbers>> = {
  visitors: 'visitors',
  visits: 'visits',
  entrances: 'visits',
  exits: 'visits',
  pageviews: 'pageviews',
  events: 'events',
  bounces: 'bounces',
  visit_duration: 'visit_seconds',
};

const csv: CsvFormat = {
  kind: 'sums',
  open({ header }, { name }) {
    refuseDashboard(header, name);
    if (!hasColumns(header, ['date', 'visitors'])) return undefined;
    const isNamed = /(?:^|\/)imported_\w+/.test(name);
    if (!isNamed && !MARKS.some((mark) => hasColumns(header, [mark]))) return undefined;
    const found = Object.entries(TABLES).find(([, { key }]) => hasColumns(header, key));
    if (!found) return undefined;
    const [title, { dimensions, totalsRank }] = found;
    const numbers = Object.fromEntries(
      Object.entries(NUMBERS).filter(([column]) => title !== 'pages' || column !== 'exits'), // exits are not visits there
    );
    if (title === 'custom_props') return leftOut(header);
    const becomes = becomesBy(header, {
      date: 'day',
      ...dimensions,
      ...numbers,
    });
    const dayAt = indexesOf(header, ['date']).date;
    const row = {
      width: header.length,
      needed: becomes.findLastIndex((meaning) => meaning !== null) + 1,
      dayAt,
      readDay: dayReader('day_first'),
      labels: labelsOf(header, dimensions),
      readNumbers: numbersReader(becomes),
    };
    const table = sumTable(row, becomes, totalsRank);
    return title === 'custom_events' ? withEventTotals(table) : table;
  },
};

export const plausible: Format = { product: 'Plausible', csv };

function labelsOf(header: readonly string[], dimensions: PlausibleTable['dimensions']): SumRow['labels'] {
  const indexes = indexesOf(header, Object.keys(dimensions));
  const found = Object.entries(dimensions).filter(([column]) => indexes[column] !== -1);
  const at = Object.fromEntries(found.map(([column, dimension]) => [dimension, indexes[column]]));
  return found.map(([, dimension]) => ({ dimension, read: labelReader(dimension, at) }));
}

function numbersReader(becomes: readonly (string | null)[]) {
  const indexes = (Object.values(NUMBERS) as (keyof Numbers)[]).map((name) => [name, becomes.indexOf(name)] as const);
  const used = [...new Map(indexes.filter(([, index]) => index !== -1))];
  return (cells: readonly string[]): Numbers | undefined => {
    const numbers: Numbers = { ...NO_NUMBERS };
    for (const [name, index] of used) {
      const cell = cells[index] ?? '';
      if (!isTold(cell)) continue;
      const count = readCount(cell);
      if (count === undefined) return undefined;
      numbers[name] = count;
    }
    return numbers;
  };
}

/** Which properties events have says nothing without the events: they are left out. */
const leftOut = (header: readonly string[]): Table => ({ becomes: header.map(() => null), put: () => undefined });

function refuseDashboard(header: readonly string[], name: string) {
  const isList =
    header[0]?.toLowerCase() === 'name' && hasColumns(header, ['visitors']) && !hasColumns(header, ['date']);
  if (!isList && !hasColumns(header, ['date', 'visitors', 'views_per_visit'])) return;
  throw new ImportError({ what: 'plausible_dashboard', name });
}
