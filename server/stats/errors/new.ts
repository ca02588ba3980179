// Errors that a site had never seen before, for the alerts about them.
import type { Range } from '../../vocabulary/time/periods.ts';
import { DAY_MS } from '../../vocabulary/time/time.ts';
import type { Reader } from '../reader.ts';

type NewError = { site_id: string; shape: string; message: string; path: string; first: number; visits: number };

/** A site that has just begun to record errors sees all of them for the first time. */
const LEARNS_MS = DAY_MS;
const MOST = 1000;

/** The shapes that were first seen in a range, oldest first, with the visits that had them in it. */
export async function askNewErrors({ query }: Reader, siteIds: readonly string[], range: Range): Promise<NewError[]> {
  const from = 'fromUnixTimestamp64Milli({from:Int64})';
  const ofSites = 'site_id IN {sites:Array(String)}';
  const rows = await query<Omit<NewError, 'first' | 'visits'> & Record<'first' | 'visits', string | number>>(
    `SELECT site_id, error_shape AS shape, any(error_message) AS message, any(error_file) AS path,
      toUnixTimestamp64Milli(min(time)) AS first, uniqExactIf(visit_id, visit_id != 0) AS visits
    FROM errors WHERE ${ofSites} AND time >= ${from} AND time < fromUnixTimestamp64Milli({to:Int64})
      AND (site_id, error_shape) NOT IN (SELECT site_id, error_shape FROM errors WHERE ${ofSites}
        GROUP BY site_id, error_shape HAVING min(time) < ${from})
    GROUP BY site_id, error_shape ORDER BY first, site_id, shape LIMIT ${MOST}`,
    { sites: [...siteIds], from: range.from, to: range.to },
  );
  if (rows.length === 0) return [];
  const began = await query<{ site_id: string; first: string | number }>(
    `SELECT site_id, toUnixTimestamp64Milli(min(time)) AS first FROM errors WHERE ${ofSites} GROUP BY site_id`,
    { sites: [...new Set(rows.map(({ site_id }) => site_id))] },
  );
  const learnt = new Map(began.map(({ site_id, first }) => [site_id, Number(first) + LEARNS_MS]));
  return rows
    .map((row) => ({ ...row, first: Number(row.first), visits: Number(row.visits) }))
    .filter(({ site_id, first }) => first >= (learnt.get(site_id) ?? Infinity));
}
