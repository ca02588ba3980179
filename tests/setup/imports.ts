// Files as other products export them, and all that an import reads from them.
import {
  BlobReader,
  BlobWriter,
  TextReader,
  TextWriter,
  ZipReader,
  ZipWriter,
} from '@zip.js/zip.js/lib/zip-core-custom.js';
import type { EventStore } from '../../server/store/open.ts';
import { ALL_TABLES } from '../../server/store/rows.ts';
import type { ImportBatch, ImportedHit, ImportedSum, ImportFile } from '../../server/vocabulary/imports/import.ts';
import { openImport, type OpenedImport } from '../../server/vocabulary/imports/open.ts';
import { openReport, type ImportReport } from '../../server/vocabulary/imports/report.ts';
import { MINUTE_MS } from '../../server/vocabulary/time/time.ts';
import { IMPORTED_HIT } from './event.ts';

export const fileOf = (name: string, ...parts: BlobPart[]): ImportFile => ({ name, blob: new Blob(parts) });

export async function zipOf(name: string, entries: Record<string, string>): Promise<ImportFile> {
  const writer = new ZipWriter(new BlobWriter(), { useWebWorkers: false });
  for (const [path, text] of Object.entries(entries)) await writer.add(path, new TextReader(text));
  return { name, blob: await writer.close() };
}

/** The texts of the files of a zip, by their paths. */
export async function unzip(archive: Blob): Promise<Record<string, string>> {
  const reader = new ZipReader(new BlobReader(archive), { useWebWorkers: false });
  const files: Record<string, string> = {};
  for (const entry of await reader.getEntries())
    if (!entry.directory) files[entry.filename] = await entry.getData(new TextWriter());
  return files;
}

export async function gzipOf(name: string, text: string): Promise<ImportFile> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('gzip'));
  return { name, blob: await new Response(stream).blob() };
}

type ReadImport = Omit<ImportBatch, 'rows'> & { opened: OpenedImport; report: ImportReport; read: number };

/** `read` is what `onRead` added up to. */
export async function readImport(
  files: ImportFile | ImportFile[],
  options: Parameters<typeof openImport>[1] = {},
): Promise<ReadImport> {
  const opened = await openImport([files].flat(), options);
  const all: ReadImport = { opened, hits: [], sums: [], rejected: [], read: 0, report: openReport(opened).report() };
  const report = openReport(opened);
  for await (const batch of opened.read((bytes) => (all.read += bytes))) {
    report.add(batch);
    all.hits.push(...batch.hits);
    all.sums.push(...batch.sums);
    all.rejected.push(...batch.rejected);
  }
  return { ...all, report: report.report() };
}

/** What each column becomes, in one object. */
export const meaningsOf = ({ columns }: OpenedImport): Record<string, string | null> =>
  Object.fromEntries(columns.map(({ column, becomes }) => [column, becomes]));

/** The tables with rows of a site, and how many. */
export async function rowsOfSite({ query }: Pick<EventStore, 'query'>, site: string): Promise<Record<string, number>> {
  const counted = await Promise.all(
    ALL_TABLES.map(async (table): Promise<[string, number]> => {
      const sql = `SELECT toString(count()) AS n FROM ${table} WHERE site_id = {site:String}`;
      const [row] = await query<{ n: string }>(sql, { site });
      return [table, Number(row?.n)];
    }),
  );
  return Object.fromEntries(counted.filter(([, rows]) => rows > 0));
}

/** When the first minute of `hitAt` is. */
export const HITS_FROM = Date.UTC(2026, 9, 5, 10);
export const hitAt = (minute: number, visitor: string, path: string, more: Partial<ImportedHit> = {}): ImportedHit => ({
  ...IMPORTED_HIT,
  time: HITS_FROM + minute * MINUTE_MS,
  visitor,
  path,
  ...more,
});

/** Ten visitors of a day. */
export const importedSum = (day: string, more: Partial<ImportedSum> = {}): ImportedSum => ({
  day,
  dimension: '',
  label: '',
  visitors: 10,
  visits: 12,
  pageviews: 30,
  events: 1,
  bounces: 6,
  visit_seconds: 600,
  ...more,
});
