// The open form of an export: a ZIP file of tables for people and other programs. The engine writes each table to a file when its turn comes, so that
// one month of one site is on the disk at a time, besides the archive.
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import Papa from 'papaparse';
import { ZipFile } from 'yazl';
import { exportAccount, rowsOfSite } from '../../accounts/account-export.ts';
import type { Directory } from '../../directory/open.ts';
import { goals } from '../../sites/definitions/goals.ts';
import type { Site } from '../../sites/sites.ts';
import { DAY_TABLES, type Month } from '../../stats/answers/exported-days.ts';
import { buildRows, type RowTable } from '../../stats/answers/exported-rows.ts';
import type { Stats } from '../../stats/run.ts';
import type { Statement } from '../../stats/sql/scope.ts';
import type { EventStore } from '../../store/open.ts';
import { FORMULA } from '../../vocabulary/texts/formula.ts';
import { dayIn, UTC } from '../../vocabulary/time/zones.ts';
import { DAY_MS, dayOf, readDay, startOfMonth } from '../../vocabulary/time/time.ts';
import { README, SCHEMA } from './about.ts';

export type FormParts = {
  directory: Directory;
  store: Pick<EventStore, 'copyOut'>;
  stats: Pick<Stats, 'exportedDays' | 'exportedMonths' | 'sealedMonth'>;
};

export type Making = {
  accountId: string;
  sites: readonly Site[];
  /** Null for a whole account. */
  siteId: string | null;
  /** A folder for files that are needed for a while. */
  folder: string;
  /** The file to write. */
  path: string;
  now: number;
  /** Invoices and the like of the account, as JSON. */
  more: readonly [name: string, value: unknown][];
  /** Called with the rows that are written. Rejects if nobody wants the export any more. */
  onWritten(rows: number): Promise<void>;
};

/** A file of the archive. `rows`: what it counts for in the progress. `write`: to a file. */
type Entry = { name: string; rows: number } & ({ text: string } | { write(path: string): Promise<void> });
const FORMATS = ['csv', 'parquet'] as const;

/** What people have set up, as tables. The others are in JSON alone, which has them all. */
const SET_UP = { sites: 'settings', goals: 'goals', funnels: 'funnels', segments: 'segments', notes: 'notes' } as const;

/** Lists the files of an open export, whose `rows` add up to the total of its progress. */
export async function openEntries(parts: FormParts, making: Omit<Making, 'onWritten'>): Promise<Entry[]> {
  const tables = await exportAccount(parts.directory, making.accountId);
  const entries: Entry[] = [
    { name: 'README.txt', rows: 0, text: README },
    { name: 'schema.json', rows: 0, text: `${SCHEMA}\n` },
  ];
  if (making.siteId === null)
    for (const [name, rows] of [...tables, ...making.more]) entries.push(json(`account/${name}`, rows));
  for (const site of making.sites) {
    const own = rowsOfSite(tables, site.id);
    for (const [name, rows] of own) entries.push(json(`${site.domain}/${name}`, rows));
    for (const [name, rows] of own)
      if (name in SET_UP) entries.push(...setUp(parts, `${site.domain}/${SET_UP[name as keyof typeof SET_UP]}`, rows));
    entries.push(...(await numbersOf(parts, site, making.now)));
  }
  return entries;
}

const json = (name: string, value: unknown): Entry => ({
  name: `${name}.json`,
  rows: 0,
  text: `${JSON.stringify(value, null, 2)}\n`,
});

type Row = Record<string, unknown>;

/** Rows of the directory as tables: all of their cells are text. */
function setUp({ store }: FormParts, name: string, rows: readonly Row[]): Entry[] {
  const columns = Object.keys(rows[0] ?? {});
  if (columns.length === 0) return [];
  const cellOf = (value: unknown) => (value === null || typeof value === 'string' ? value : JSON.stringify(value));
  const cells = rows.map((row) => Object.fromEntries(columns.map((column) => [column, cellOf(row[column])])));
  const csv = Papa.unparse(cells, { columns, newline: '\r\n', escapeFormulae: FORMULA });
  const bound = {
    structure: columns.map((column) => `${column} Nullable(String)`).join(', '),
    rows: cells.map((row) => JSON.stringify(row)).join('\n'),
  };
  const sql = 'SELECT * FROM format(JSONEachRow, {structure:String}, {rows:String})';
  return [
    { name: `${name}.csv`, rows: 0, text: `${csv}\r\n` },
    {
      name: `${name}.parquet`,
      rows: 0,
      write: (file) => store.copyOut({ sql, bound }, { file, format: 'parquet' }),
    },
  ];
}

/** The days of a month that are over; undefined if there are none. */
export function closedDays(
  { month }: Month,
  { timezone }: Site,
  now: number,
): { first: string; last: string } | undefined {
  const yesterday = dayOf((readDay(dayIn(timezone ?? UTC, now)) ?? NaN) - DAY_MS);
  const last = lastDayOf(month);
  return month > yesterday ? undefined : { first: month, last: last < yesterday ? last : yesterday };
}

const lastDayOf = (month: string): string => dayOf(startOfMonth(readDay(month) ?? NaN, 1) - DAY_MS);

/** Months in any of the lists, with their rows added up. */
export function allMonths(lists: readonly (readonly Month[])[]): Month[] {
  const rows = new Map<string, number>();
  for (const one of lists.flat()) rows.set(one.month, (rows.get(one.month) ?? 0) + one.rows);
  return [...rows].sort().map(([month, sum]) => ({ month, rows: sum }));
}

/** The months with events, with AI visits, with days that other products counted, with measurements of speed, and with errors on pages. */
export const monthsOf = async (
  { exportedMonths }: Pick<Stats, 'exportedMonths'>,
  { id }: Site,
): Promise<[events: Month[], aiVisits: Month[], importedDays: Month[], measured: Month[], failed: Month[]]> => [
  await exportedMonths('events', id),
  await exportedMonths('ai_visits', id),
  await exportedMonths('imported_days', id),
  await exportedMonths('vitals', id),
  await exportedMonths('errors', id),
];

async function numbersOf({ directory, store, stats }: FormParts, site: Site, now: number): Promise<Entry[]> {
  const [events, agents, imported, measured, failed] = await monthsOf(stats, site);
  const own = await goals.list(directory, { siteId: site.id });
  const siteId = site.id;
  const filesOf = (
    table: string,
    { month, rows }: Month,
    statementOf: (as: (typeof FORMATS)[number]) => Promise<Statement> | Statement,
  ): Entry[] =>
    FORMATS.map((as) => ({
      name: `${site.domain}/${table}/${month.slice(0, 7)}.${as}`,
      rows,
      write: async (file) => store.copyOut(await statementOf(as), { file, format: as }),
    }));
  const ofDays = DAY_TABLES.flatMap((table) =>
    allMonths([events, imported]).flatMap((month) => {
      const days = closedDays(month, site, now);
      return days
        ? filesOf(table, month, (as) => stats.exportedDays(table, { siteId, ...days, site, goals: own, as }))
        : [];
    }),
  );
  const ofRows = (table: RowTable, months: readonly Month[]) =>
    months.flatMap((one) => {
      const days = { first: one.month, last: lastDayOf(one.month) };
      return filesOf(table, one, (as) => buildRows(table, { siteId, ...days }, as));
    });
  return [
    ...ofDays,
    ...ofRows('events', events),
    ...ofRows('ai_visits', agents),
    ...ofRows('vitals', measured),
    ...ofRows('errors', failed),
  ];
}

/** Writes the files one after another into the archive. */
export async function writeZip(entries: readonly Entry[], { folder, path, now, onWritten }: Making): Promise<void> {
  const zip = new ZipFile();
  const output = zip.outputStream as Readable;
  const own = join(folder, 'table');
  for (const entry of entries) {
    // What is compressed already does not become smaller.
    const options = { mtime: new Date(now), compress: !entry.name.endsWith('.parquet') };
    zip.addReadStreamLazy(entry.name, options, (give) => {
      contentOf(entry, own).then(
        (content) => {
          // TRICKY: the library leaves errors of its sources to us. A file that cannot be read to its end must break the archive.
          content.on('error', (error) => output.destroy(error));
          content.on('close', () => void onWritten(entry.rows).catch((error: Error) => output.destroy(error)));
          give(null as never, content);
        },
        (error: Error) => output.destroy(error),
      );
    });
  }
  zip.end();
  await pipeline(output, createWriteStream(path, { mode: 0o600 }));
}

async function contentOf(entry: Entry, path: string): Promise<Readable> {
  if ('text' in entry) return Readable.from([Buffer.from(entry.text)], { objectMode: false });
  await rm(path, { force: true }); // the engine writes new files only
  await entry.write(path);
  const content = createReadStream(path);
  await once(content, 'open');
  await rm(path); // it can still be read
  return content;
}
