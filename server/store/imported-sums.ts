// Stores the sums of days that another product counted: see schema/016-imports.sql.
import type { Client } from './hosts.ts';
import type { Bound } from './pool.ts';

const NUMBERS = ['unique_visitors', 'visits', 'pageviews', 'events', 'bounces', 'visit_ms'] as const;

/** The numbers of one value of a dimension on one day. Several rows of the same value and day add up. */
export type ImportedSumRow = { dimension: string; day: string; label: string } & Record<
  (typeof NUMBERS)[number],
  number
>;

export type ImportOf = { site_id: string; summing: string };

const COLUMNS = ['site_id', 'summing', 'dimension', 'day', 'label', ...NUMBERS] as const;

/** Nothing counts before its days are published. `token`: a repeated call with the same one changes nothing. */
export async function saveImportedSums(
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

/** `change` runs a statement that may take long. */
type Parts = { change(sql: string, bound: Bound): Promise<void> };

/** From now on, the days count that have a row of totals. `replaced`: days whose own events the import takes the place of. */
export const publishImport = (
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

/** Takes an import out of all numbers at once, and its rows out of the files. */
export async function dropImport({ change }: Parts, of: ImportOf): Promise<void> {
  for (const table of ['imported_days', 'imported_sums'])
    await change(
      `ALTER TABLE ${table} DELETE WHERE site_id = {site_id:String} AND summing = {summing:String} SETTINGS mutations_sync = 1`,
      of,
    );
}
