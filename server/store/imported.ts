// Stores the sums of days that another product counted: see schema/016-imports.sql.
import type { Client } from './hosts.ts';
import type { EventId, SiteId, VisitedEvent } from '../vocabulary/event.ts';
import type { Bound } from './pool.ts';
import { PURGED_TABLES, storedId, TABLES } from './rows.ts';

const NUMBERS = ['unique_visitors', 'visits', 'pageviews', 'events', 'bounces', 'visit_ms'] as const;

/** The numbers of one value of a dimension on one day. Several rows of the same value and day add up. */
export type ImportedSumRow = { dimension: string; day: string; label: string } & Record<
  (typeof NUMBERS)[number],
  number
>;

type ImportOf = { site_id: string; summing: string };

const COLUMNS = ['site_id', 'summing', 'dimension', 'day', 'label', ...NUMBERS] as const;

/** Nothing counts before its days are published. `token`: a repeated call with the same one changes nothing. */
async function saveImportedSums(
  writer: Client,
  { site_id, summing }: ImportOf,
  { rows, token }: { rows: readonly ImportedSumRow[]; token: string },
): Promise<void> {
  if (rows.length === 0) return;
  await writer.insert({
    table: 'imported_sums',
    columns: [...COLUMNS],
    values: rows.map((row) => [site_id, summing, ...COLUMNS.slice(2).map((name) => row[name as keyof ImportedSumRow])]),
    format: 'JSONCompactEachRow',
    clickhouse_settings: {
      insert_deduplication_token: token,
      insert_deduplicate: 1,
      max_partitions_per_insert_block: '0', // an import spans years
    },
  });
}

/** Keeps events apart, where they count nowhere: see purged.ts. */
async function saveImportedHits(
  writer: Client,
  { site_id, summing }: ImportOf,
  events: readonly VisitedEvent[],
): Promise<void> {
  if (events.length === 0) return;
  const { columns, values } = TABLES.events.toCells(
    events.map((event) => ({ ...event, site_id: site_id as SiteId, import_id: summing })),
  );
  await writer.insert({
    table: PURGED_TABLES.events,
    columns: ['purge', ...columns],
    values: values.map((row) => [summing, ...row]),
    format: 'JSONCompactEachRow',
    clickhouse_settings: { max_partitions_per_insert_block: '0' },
  });
}

/** `change` runs a statement that may take long. */
type Parts = { change(sql: string, bound: Bound): Promise<void> };

/** What other products counted. Nothing counts before it is published. */
export type Imported = {
  save(of: ImportOf, part: { rows: readonly ImportedSumRow[]; token: string }): Promise<void>;
  saveHits(of: ImportOf, events: readonly VisitedEvent[]): Promise<void>;
  dropKept(of: ImportOf, ids: readonly EventId[]): Promise<void>;
  dropOverlap(of: ImportOf): Promise<void>;
  publish(of: ImportOf, how: { replaced: readonly string[]; version: number }): Promise<void>;
  drop(of: ImportOf): Promise<void>;
};

export const openImported = (
  writer: Client,
  parts: Parts,
  track: <T>(work: () => Promise<T>) => Promise<T>,
): Imported => ({
  save: (of, part) => track(() => saveImportedSums(writer, of, part)),
  saveHits: (of, events) => track(() => saveImportedHits(writer, of, events)),
  dropKept: (of, ids) => track(() => dropKept(parts, of, ids)),
  dropOverlap: (of) => track(() => dropOverlap(parts, of)),
  publish: (of, how) => track(() => publishImport(parts, of, how)),
  drop: (of) => track(() => dropImport(parts, of)),
});

/** From now on, the days count that have a row of totals. `replaced`: days whose own events the import takes the place of. */
const publishImport = (
  { change }: Parts,
  of: ImportOf,
  { replaced, version }: { replaced: readonly string[]; version: number },
): Promise<void> =>
  change(
    `INSERT INTO imported_days (site_id, day, summing, replaces, version)
      SELECT DISTINCT site_id, day, summing, toString(day) IN {replaced:Array(String)},
        greatest({version:UInt64}, (SELECT max(version) FROM imported_days WHERE site_id = {site_id:String}) + 1) FROM imported_sums
      WHERE site_id = {site_id:String} AND summing = {summing:String} AND dimension = ''`,
    { ...of, replaced: [...replaced], version },
  );

/** Deletes hits that a killed process may have kept before. */
const dropKept = ({ change }: Parts, { site_id, summing }: ImportOf, ids: readonly EventId[]): Promise<void> =>
  change(
    `DELETE FROM ${PURGED_TABLES.events} WHERE site_id = {site_id:String} AND purge = {summing:String}
      AND toString(event_id) IN {ids:Array(String)}`,
    { site_id, summing, ids: ids.map(storedId) },
  );

/** Leaves out the hits of days that have events which this import did not bring. They are not yet among the events. */
const dropOverlap = ({ change }: Parts, { site_id, summing }: ImportOf): Promise<void> =>
  change(
    `DELETE FROM ${PURGED_TABLES.events} WHERE site_id = {site_id:String} AND purge = {summing:String} AND day IN
      (SELECT day FROM events WHERE site_id = {site_id:String} AND import_id != {summing:String})`,
    { site_id, summing },
  );

/** Takes sums out of all numbers at once, and their rows out of the files. */
async function dropImport({ change }: Parts, of: ImportOf): Promise<void> {
  for (const table of ['imported_days', 'imported_sums'])
    await change(
      `ALTER TABLE ${table} DELETE WHERE site_id = {site_id:String} AND summing = {summing:String} SETTINGS mutations_sync = 1`,
      of,
    );
}
