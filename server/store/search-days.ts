// Stores the search terms of one day of a site, in place of those that were stored before.
import { randomBytes } from 'node:crypto';
import type { Client } from './hosts.ts';

export type SearchRow = {
  /** '' for what Google withholds. */
  term: string;
  page: string;
  hostname: string;
  country: string;
  device: string;
  clicks: number;
  impressions: number;
  /** The sum of the positions of all impressions. */
  positions: number;
};

/** `connection`: the property that was read. `version`: higher than that of an earlier reading. `isStored`: the day has rows already. */
export type SearchDay = {
  site_id: string;
  connection: string;
  day: string;
  rows: readonly SearchRow[];
  version: number;
  isStored: boolean;
};

const COLUMNS = ['term', 'page', 'hostname', 'country', 'device', 'clicks', 'impressions', 'positions'] as const;

/** The rows count once the day names their reading: a kill before that leaves the earlier rows in force. */
export async function saveSearchDay(writer: Client, { rows, version, isStored, ...of }: SearchDay): Promise<void> {
  if (rows.length === 0 && !isStored) return;
  const reading = randomBytes(6).toString('base64url');
  const { site_id, connection, day } = of;
  if (rows.length > 0)
    await writer.insert({
      table: 'search_rows',
      columns: ['site_id', 'connection', 'day', 'reading', ...COLUMNS],
      values: rows.map((row) => [site_id, connection, day, reading, ...COLUMNS.map((name) => row[name])]),
      format: 'JSONCompactEachRow',
    });
  await writer.insert({
    table: 'search_days',
    columns: ['site_id', 'connection', 'day', 'reading', 'version'],
    values: [[site_id, connection, day, reading, version]],
    format: 'JSONCompactEachRow',
  });
  if (isStored)
    await writer.command({
      // not simply other readings than this one: another process may have stored the day meanwhile
      query: `DELETE FROM search_rows WHERE site_id = {site_id:String} AND connection = {connection:String} AND day = {day:Date}
        AND reading NOT IN (SELECT reading FROM search_days FINAL
          WHERE site_id = {site_id:String} AND connection = {connection:String} AND day = {day:Date})`,
      query_params: of,
    });
}

/** Finds the days that have rows, also rows that a killed run left, and the highest version of any day. */
export const STORED_SEARCHES = `SELECT DISTINCT toString(day) AS day,
    (SELECT max(version) FROM search_days WHERE site_id = {site_id:String} AND connection = {connection:String}) AS version
  FROM search_rows WHERE site_id = {site_id:String} AND connection = {connection:String}`;

/** Deletes what was read for a site, except for the connection that is in force. */
export async function dropSearches(writer: Client, of: { site_id: string; except: string }): Promise<void> {
  for (const table of ['search_rows', 'search_days'])
    await writer.command({
      query: 'DELETE FROM {table:Identifier} WHERE site_id = {site_id:String} AND connection != {except:String}',
      query_params: { ...of, table },
    });
}
