// What a format of an export has to say. A format is a row of FORMATS; nothing else knows its columns.
import type { ImportBatch, ImportedHit, ImportedSum, RejectReason } from '../import.ts';
import type { LogLine } from '../logs/line.ts';
import type { CsvHead } from '../reading/csv.ts';
import type { DumpRow } from '../reading/dump.ts';
import type { JsonObject } from '../reading/json.ts';
import type { Lookups } from '../reading/lookups.ts';

export type Kind = 'hits' | 'sums';

/** Puts what a row holds into the batch, or returns why the row, or a part of it, is not taken. */
export type Put<Row> = (row: Row, batch: ImportBatch, line: number) => RejectReason | undefined;

/** A file of the format, after its header was read. */
export type Table = {
  /** What each column of the header becomes; null for one that is left out. */
  becomes: (string | null)[];
  put: Put<readonly string[]>;
  /** If it is not that of its format's other files. */
  kind?: Kind;
  /** Called each time before the rows are read. A table whose rows depend on those before them forgets these. */
  begin?(): void;
  /** For sums: how well the file tells the totals of days. Files with the lowest rank do, by `givesTotals`; undefined: this one cannot. */
  totalsRank?: number | undefined;
  givesTotals?: boolean;
};

export type CsvFormat = {
  kind: Kind;
  /** Undefined if the header is not one of this format. Throws an ImportError for exports that it knows and cannot use. */
  open(head: CsvHead, file: { name: string; mapping: Mapping | undefined }): Table | undefined;
};

export type JsonFormat = {
  kind: Kind;
  /** Decides by the start of the file, and by its name where two are alike. Throws an ImportError for exports that it knows and cannot use. */
  matches(start: string, name: string): boolean;
  becomes: Readonly<Record<string, string | null>>;
  /** Other files need what it tells, so it is read before them. */
  isLookup?: true;
  open(file: { name: string; lookups: Lookups }): Put<JsonObject>;
};

/** A dump of PostgreSQL whose tables belong together. */
export type DumpFormat = {
  kind: Kind;
  /** Throws an ImportError for dumps in another form. */
  matches(start: string, name: string): boolean;
  becomes: Readonly<Record<string, string | null>>;
  /** Those that are read, and the one without which there is nothing to import. */
  tables: readonly string[];
  needed: string;
  open(file: { name: string }): Put<DumpRow>;
};

export type LogFormat = {
  kind: Kind;
  /** The time of the first request; undefined if the file does not begin with lines of this format. */
  startOf(start: string): number | undefined;
  put: Put<LogLine>;
};

export type Format = {
  product: string;
  csv?: CsvFormat;
  json?: readonly JsonFormat[];
  dump?: DumpFormat;
  log?: LogFormat;
};

/** Columns of an unknown file, by hand: its name and what it becomes, '' for nothing. */
export type Mapping = Readonly<Record<string, string>>;

export const BLANK_HIT: Readonly<ImportedHit> = Object.freeze({
  time: 0,
  visitor: '',
  name: '',
  hostname: '',
  path: '',
  referrer: '',
  country: '',
  region: '',
  city: '',
  browser: '',
  browser_version: '',
  os: '',
  os_version: '',
  device: 'other',
  language: '',
  screen_width: 0,
});

export type Numbers = Omit<ImportedSum, 'day' | 'dimension' | 'label'>;
/** Of a row that tells none. */
export const NO_NUMBERS: Readonly<Numbers> = Object.freeze({
  visitors: 0,
  visits: null,
  pageviews: null,
  events: 0,
  bounces: null,
  visit_seconds: null,
});
export const NUMBER_NAMES = ['visitors', 'visits', 'pageviews', 'events', 'bounces', 'visit_seconds'] as const;
/** The numbers that rates are of: a row which does not tell one must not count as 0. */
export const OF_RATES = ['pageviews', 'visits', 'bounces', 'visit_seconds'] as const satisfies (keyof Numbers)[];

/** Where a header has each of the named columns, by lower case. The first of doubled columns counts. */
export function indexesOf<Name extends string>(
  header: readonly string[],
  names: readonly Name[],
): Record<Name, number> {
  const lower = header.map((column) => column.trim().toLowerCase());
  return Object.fromEntries(names.map((name) => [name, lower.indexOf(name)])) as Record<Name, number>;
}

/** Names are in lower case. */
export const hasColumns = (header: readonly string[], names: readonly string[]): boolean => {
  const lower = new Set(header.map((column) => column.trim().toLowerCase()));
  return names.every((name) => lower.has(name));
};

const TAGS = ['utm_source', 'utm_medium', 'utm_campaign', 'utm_content', 'utm_term'] as const;
type Tag = (typeof TAGS)[number];
/** The columns of the tags of campaigns, which become the query of a page: tables of meanings spread them. */
export const TAGS_IN_PATH = Object.fromEntries(TAGS.map((tag) => [tag, 'path'])) as Record<Tag, 'path'>;
export function taggedQuery(cell: (column: Tag) => string): string {
  const tags = TAGS.map((tag) => [tag, cell(tag)]).filter(([, value]) => value !== '');
  return tags.length === 0 ? '' : new URLSearchParams(tags).toString();
}

type Meanings = Readonly<Record<string, string | null>>;
/** A file may have a column of any name, such as `constructor`. */
export const meaningIn = (meanings: Meanings, name: string): string | null =>
  Object.hasOwn(meanings, name) ? (meanings[name] ?? null) : null;

/** `becomes` of a table from a list by column name. */
export const becomesBy = (header: readonly string[], meanings: Meanings): (string | null)[] => {
  const seen = new Set<string>();
  return header.map((column) => {
    const name = column.trim().toLowerCase();
    const meaning = seen.has(name) ? null : meaningIn(meanings, name);
    seen.add(name);
    return meaning;
  });
};
