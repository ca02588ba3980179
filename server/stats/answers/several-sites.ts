// Queries over several sites at the same time.
import { HOUR_MS } from '../../vocabulary/time/time.ts';
import type { Range } from '../../vocabulary/time/periods.ts';
import type { Reader } from '../reader.ts';

const HOURS = 24;
/** `hours`: oldest first. */
export type LastDay = { visitors: number; hours: number[] };

/** Counts the visitors of the last 24 hours, in total and by hour. */
export async function askLastDay({ query }: Reader, siteIds: string[], now: number): Promise<Map<string, LastDay>> {
  const rows = await query<{ site_id: string; hour: string | number; visitors: string | number }>(
    `SELECT site_id, if(grouping(hour_ago) = 1, -1, hour_ago) AS hour, uniqExact(visitor_id) AS visitors
    FROM (
      SELECT site_id, visitor_id, intDiv(toUnixTimestamp64Milli(time) - {from:Int64}, 3600000) AS hour_ago FROM events
      WHERE site_id IN {sites:Array(String)} AND visitor_id != 0
        AND time >= fromUnixTimestamp64Milli({from:Int64}) AND time < fromUnixTimestamp64Milli({to:Int64})
    )
    GROUP BY GROUPING SETS ((site_id, hour_ago), (site_id))`,
    { sites: siteIds, from: now - HOURS * HOUR_MS, to: now + 1 },
  );
  const days = new Map(siteIds.map((id) => [id, { visitors: 0, hours: new Array<number>(HOURS).fill(0) }]));
  for (const row of rows) {
    const day = days.get(row.site_id);
    if (!day) continue;
    const hour = Number(row.hour);
    if (hour === -1) day.visitors = Number(row.visitors);
    else day.hours[Math.min(HOURS - 1, hour)] = Number(row.visitors);
  }
  return days;
}

const RECORDED = ['events', 'purged_events'].map(
  (table) => `SELECT site_id, countIf(name != 'engagement') AS events FROM ${table}
      WHERE import_id = '' AND time >= fromUnixTimestamp64Milli({from:Int64}) AND time < fromUnixTimestamp64Milli({to:Int64})`,
);
const ofSites = (condition: string) =>
  RECORDED.map((recorded) => `${recorded} AND ${condition} GROUP BY site_id`).join(' UNION ALL ');

/** Counts page views and custom events in a range, as the monthly quota counts them: purged ones too, since they were recorded, but none of imports. */
export async function askEventCount({ query }: Reader, siteIds: string[], { from, to }: Range): Promise<number> {
  const rows = await query<{ events: string | number }>(ofSites('site_id IN {sites:Array(String)}'), {
    sites: siteIds,
    from,
    to,
  });
  return rows.reduce((sum, { events }) => sum + Number(events), 0);
}

/** The same by site, for every site with any. One query, however many accounts there are. */
export async function askEventCounts({ query }: Reader, { from, to }: Range): Promise<Map<string, number>> {
  const rows = await query<{ site_id: string; events: string | number }>(ofSites('1'), { from, to });
  const counts = new Map<string, number>();
  for (const { site_id, events } of rows)
    if (Number(events) > 0) counts.set(site_id, (counts.get(site_id) ?? 0) + Number(events));
  return counts;
}
