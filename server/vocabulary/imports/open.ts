// Opens the files of an export: finds out by their content which product's they are, and reads them row by row, so that memory stays the same for files
// of gigabytes.
import { ImportError, UnmappedError, type ImportBatch, type ImportFile, type RejectReason } from './import.ts';
import type { DumpFormat, Format, JsonFormat, Kind, LogFormat, Mapping, Put, Table } from './formats/format.ts';
import { FORMAT_NAMES, FORMATS, type FormatName } from './formats/formats.ts';
import type { LogLine } from './logs/line.ts';
import { inOrderOfTime, readLog } from './logs/read.ts';
import { MAX_COLUMNS, MAX_RECORD, readCsv, readCsvHead, type CsvHead } from './reading/csv.ts';
import { type DumpRow, readDump } from './reading/dump.ts';
import { readObjects, type JsonObject } from './reading/json.ts';
import { type Lookups, openLookups } from './reading/lookups.ts';
import { encodingOf, readLogText, readStart, readText, withLineFeeds, type Encoding } from './reading/text.ts';
import { SEALED_MARK } from './reading/sealed.ts';
import { hashOf, newSeed } from './values/hash.ts';
import { ARCHIVES, shownName, startsWith, unpack, type OnRead, type Unpacked } from './reading/unpack.ts';

/** A month of a load balancer's logs. */
const MAX_FILES = 10_000;
const MAX_BATCH_ROWS = 2_000;
/** Few, so that they are gone before V8 takes them for objects that stay: the heap would grow to twice its size. */
const MAX_BATCH_HITS = 250;

type Column = { file: string; column: string; becomes: string | null };
export type OpenedImport = {
  format: FormatName;
  product: string;
  kind: Kind;
  columns: Column[];
  /** Files of a zip that hold nothing to import. */
  left_out: string[];
  /** What `onRead` adds up to. */
  bytes: number;
  read(onRead?: OnRead): AsyncGenerator<ImportBatch>;
};

/** `domain`: of the site, if the files are of several. */
type Options = { as?: FormatName; mapping?: Mapping; domain?: string };
type Part = { file: Unpacked; format: FormatName; kind: Kind; columns: Column[]; encoding: Encoding } & (
  { table: Table; head: CsvHead } | { json: JsonFormat } | { dump: DumpFormat } | LogPart
);
type LogPart = { log: LogFormat; startsAt: number; startHash: number };

/** Throws an ImportError for files that cannot be imported, and for those of more than one product. */
export async function openImport(files: readonly ImportFile[], options: Options = {}): Promise<OpenedImport> {
  if (files.length === 0) throw new ImportError({ what: 'no_files' });
  if (files.length > MAX_FILES) throw new ImportError({ what: 'many_files', most: MAX_FILES });
  const parts: Part[] = [];
  const left: { name: string; error: ImportError }[] = [];
  for (const file of files)
    for (const unpacked of await unpack(file)) {
      const found = await recognise(unpacked, options);
      if (!(found instanceof ImportError)) parts.push(found);
      else if (unpacked.isInZip || (found instanceof EmptyError && files.length > 1))
        left.push({ name: unpacked.name, error: found });
      else throw found;
    }
  const own = ofOneSite(withoutLeftovers(parts, left), options.domain);
  const [first] = own;
  if (!first) throw left[0]?.error ?? new ImportError({ what: 'no_files' });
  const other = own.find(({ format, kind }) => format !== first.format || kind !== first.kind);
  if (other) throw mixed(first, other);
  chooseTotals(own);
  refuseSameLogs(own);
  return {
    format: first.format,
    product: FORMATS[first.format].product,
    kind: first.kind,
    columns: own.flatMap(({ columns }) => columns),
    left_out: left.map(({ name }) => name),
    bytes: own.reduce((sum, { file }) => sum + file.size, 0),
    read: (onRead) => readParts(own, onRead),
  };
}

/** Files of a zip that are merely a CSV stay out if others are a product's, as Umami's zip has tables beside its hits. */
function withoutLeftovers(parts: Part[], left: { name: string; error: ImportError }[]): Part[] {
  if (parts.every(({ format }) => format === 'csv')) return parts;
  // Footfall's own export has tables of events, too, which look like those of others.
  const isOurs = parts.some(({ format }) => format === 'footfall');
  return parts.filter(({ format, file }) => {
    const stays = !file.isInZip || (isOurs ? format === 'footfall' : format !== 'csv');
    if (!stays) left.push({ name: file.name, error: unknown(file.name) });
    return stays;
  });
}

/** An export of Footfall has a folder for each site of an account. */
function ofOneSite(parts: Part[], domain: string | undefined): Part[] {
  const folders = [...new Set(parts.flatMap(({ format, file }) => (format === 'footfall' ? [file.folder] : [])))];
  if (folders.length <= 1) return parts;
  if (domain === undefined || !folders.includes(domain))
    throw new ImportError({ what: 'several_sites', sites: folders.slice(0, 5).map(shownName).join(', ') });
  return parts.filter(({ file }) => file.folder === domain);
}

function mixed(first: Part, other: Part): ImportError {
  const recognised = ({ file, format, kind }: Part) => ({ name: file.name, format, kind });
  return new ImportError({ what: 'mixed', first: recognised(first), other: recognised(other) });
}

/** The totals of days come from the files that tell them best. */
function chooseTotals(parts: Part[]) {
  const tables = parts.flatMap((part) => ('table' in part && part.kind === 'sums' ? [part.table] : []));
  const best = Math.min(...tables.map(({ totalsRank }) => totalsRank ?? Infinity));
  for (const table of tables) table.givesTotals = table.totalsRank === best;
}

/** A log that was chosen twice, such as once more as gz, would count its AI visits twice. */
function refuseSameLogs(parts: readonly Part[]): void {
  const names = new Map<number, string>();
  for (const part of parts) {
    if (!('log' in part)) continue;
    const { name } = part.file;
    const other = names.get(part.startHash);
    if (other !== undefined) throw new ImportError({ what: 'same_log', name, other });
    names.set(part.startHash, name);
  }
}

/** A file without a row, as the first of rotated logs often is. */
class EmptyError extends ImportError {}
const isEmpty = (start: string) => start.split(/[\r\n]/).every((line) => line.trim() === '' || line.startsWith('#'));

const unknown = (name: string) => new ImportError({ what: 'unknown', name });

const MARK_BYTES = [...new TextEncoder().encode(SEALED_MARK)];

/** What a file is. Returns the error of a file that is nothing, since a zip may hold some beside others. */
async function recognise(file: Unpacked, { as, mapping }: Options): Promise<Part | ImportError> {
  const { bytes, isWhole } = await readStart(file);
  if (startsWith(bytes, MARK_BYTES))
    throw new ImportError({ what: file.isInZip ? 'sealed_in_zip' : 'sealed', name: file.name });
  if (ARCHIVES.some((mark) => startsWith(bytes, mark)))
    throw new ImportError({ what: file.isInZip ? 'archive_in_zip' : 'archive', name: file.name });
  if (bytes.length === 0) return new EmptyError({ what: 'empty', name: file.name });
  const encoding = encodingOf(bytes);
  const start = new TextDecoder(encoding).decode(bytes, { stream: true });
  if (isWhole && isEmpty(start)) return new EmptyError({ what: 'no_rows', name: file.name });
  const only = as ?? (mapping && 'csv');
  const formats = only ? [only] : FORMAT_NAMES;
  const isJson = /^\s{0,100}[[{]/.test(start);
  const decoded = { start, encoding };
  const found = isJson ? recogniseJson(file, formats, decoded) : recogniseDump(file, formats, decoded);
  const known = found ?? recogniseLog(file, formats, decoded);
  if (known) return known;
  if (only === 'access-log') return new ImportError({ what: 'not_a_log', name: file.name });
  if (isJson) return unknown(file.name);
  if (start.includes('\0')) return unknown(file.name);
  const head = readCsvHead(start, { isWhole });
  if (!head) return unknown(file.name);
  if (head.header.length === 0)
    return new ImportError({ what: 'long_head', name: file.name, kilobytes: MAX_RECORD / 1024 });
  if (head.header.length > MAX_COLUMNS)
    return new ImportError({
      what: 'many_columns',
      name: file.name,
      columns: head.header.length,
      most: MAX_COLUMNS,
    });
  for (const format of formats) {
    const { csv }: Format = FORMATS[format];
    const table = csv?.open(head, { name: file.name, mapping });
    if (!csv || !table) continue;
    const columns = head.header.map((column, index) => ({
      file: file.name,
      column,
      becomes: table.becomes[index] ?? null,
    }));
    return { file, format, kind: table.kind ?? csv.kind, columns, encoding, table, head };
  }
  return only && only !== 'csv'
    ? new ImportError({ what: 'other_product', name: file.name, format: only })
    : unmapped(file, head);
}

const unmapped = (file: Unpacked, head: CsvHead) => new UnmappedError(unknown(file.name).trouble, head.header);

type Start = { start: string; encoding: Encoding };

function recogniseJson(file: Unpacked, formats: readonly FormatName[], { start, encoding }: Start): Part | undefined {
  for (const format of formats) {
    const { json: all }: Format = FORMATS[format];
    const json = all?.find((one) => one.matches(start, file.name));
    if (!json) continue;
    return { file, format, kind: json.kind, columns: columnsOf(file, json), encoding, json };
  }
  return undefined;
}

function recogniseDump(file: Unpacked, formats: readonly FormatName[], { start, encoding }: Start): Part | undefined {
  for (const format of formats) {
    const { dump }: Format = FORMATS[format];
    if (dump?.matches(start, file.name))
      return { file, format, kind: dump.kind, columns: columnsOf(file, dump), encoding, dump };
  }
  return undefined;
}

const SEED = newSeed();

function recogniseLog(file: Unpacked, formats: readonly FormatName[], { start, encoding }: Start): Part | undefined {
  for (const format of formats) {
    const { log }: Format = FORMATS[format];
    const startsAt = log?.startOf(start);
    if (!log || startsAt === undefined) continue;
    return { file, format, kind: log.kind, columns: [], encoding, log, startsAt, startHash: hashOf(start, SEED) };
  }
  return undefined;
}

const columnsOf = ({ name: file }: Unpacked, { becomes: all }: Pick<JsonFormat, 'becomes'>): Column[] =>
  Object.entries(all).map(([column, becomes]) => ({ file, column, becomes }));

type Row = readonly string[] | JsonObject | DumpRow | LogLine;
type Item = { row: Row; line: number } | { reason: RejectReason; line: number };
type Items = { name: string; put: Put<Row>; items: readonly Item[] };

async function* readParts(parts: readonly Part[], onRead?: OnRead): AsyncGenerator<ImportBatch> {
  let batch = newBatch();
  for await (const { name, put, items } of itemsOfAll(parts, onRead))
    for (const item of items) {
      batch.rows += 1;
      const reason = 'row' in item ? put(item.row, batch, item.line) : item.reason;
      if (reason !== undefined) batch.rejected.push({ file: name, line: item.line, reason });
      if (batch.rows < MAX_BATCH_ROWS && batch.hits.length < MAX_BATCH_HITS) continue;
      yield batch;
      batch = newBatch();
    }
  if (batch.rows > 0) yield batch;
}

/** File by file, lookups first, but logs in the order of time. */
async function* itemsOfAll(parts: readonly Part[], onRead?: OnRead): AsyncGenerator<Items> {
  const logs = parts.flatMap((part) => {
    if (!('log' in part)) return [];
    const { file, startsAt, encoding } = part;
    return [{ name: file.name, startsAt, read: () => readLog(withLineFeeds(readLogText(file, encoding, onRead))) }];
  });
  const lookups = openLookups();
  for (const part of parts.toSorted((one, other) => rankOf(one) - rankOf(other))) {
    if ('log' in part) continue;
    const { name } = part.file;
    const put = openPut(part, lookups);
    for await (const items of itemsOf(part, onRead)) yield { name, put, items };
  }
  const log = parts.find((part) => 'log' in part)?.log;
  if (log) for await (const items of inOrderOfTime(logs)) yield { ...items, put: log.put as Put<Row> };
}

function openPut(part: Exclude<Part, LogPart>, lookups: Lookups): Put<Row> {
  const { name } = part.file;
  if ('table' in part) {
    part.table.begin?.();
    return part.table.put as Put<Row>;
  }
  return ('json' in part ? part.json.open({ name, lookups }) : part.dump.open({ name })) as Put<Row>;
}

/** Files that others need come first, and the others in their order. */
const rankOf = (part: Part): number => ('json' in part && part.json.isLookup ? 0 : 1);

const newBatch = (): ImportBatch => ({ rows: 0, hits: [], sums: [], rejected: [] });

async function* itemsOf(part: Exclude<Part, LogPart>, onRead?: OnRead): AsyncGenerator<Item[]> {
  const texts = readText(part.file, part.encoding, onRead);
  if ('dump' in part) {
    for await (const { rows, rejected } of readDump(withLineFeeds(texts), { ...part.dump, name: part.file.name }))
      yield (rows as Item[]).concat(rejected);
    return;
  }
  if ('json' in part) {
    for await (const { objects, rejected } of readObjects(withLineFeeds(texts)))
      yield [...objects.map(({ object, line }) => ({ row: object, line })), ...rejected];
    return;
  }
  const { delimiter, newline, headerLine, hasComments } = part.head;
  for await (const { rows, lines, rejected } of readCsv(texts, { delimiter, newline, name: part.file.name })) {
    const items: Item[] = [];
    rows.forEach((row, index) => {
      const line = lines[index] ?? 0;
      const isRow = line > headerLine && !(hasComments && row[0]?.startsWith('#'));
      if (isRow) items.push({ row, line });
    });
    yield [...items, ...rejected];
  }
}
