// Queries over several sites at the same time.
import { HOUR_MS } from '../../vocabulary/time/time.ts';
import { type Range, resolvePeriod } from '../../vocabulary/time/periods.ts';
import { fewestOf } from '../disclosure/rule.ts';
import type { Reader } from '../reader.ts';
import type { Rows } from '../sql/sql.ts';

const HOURS = 24;
const SITES_AT_ONCE = 10;
/** `hours`: oldest first. */
export type LastDay = { visitors: number; hours: number[] };

/** Rows of the sites in total, whose hour is -1, and by hour since `begins`. */
const LAST_DAY = `SELECT site_id, if(grouping(hour_ago) = 1, -1, hour_ago) AS hour, uniqExact(visitor_id) AS visitors
    FROM (
      SELECT site_id, visitor_id, intDiv(toUnixTimestamp64Milli(time) - {begins:Int64}, 3600000) AS hour_ago FROM events
      WHERE site_id IN {sites:Array(String)} AND visitor_id != 0
        AND time >= fromUnixTimestamp64Milli({from:Int64}) AND time < fromUnixTimestamp64Milli({to:Int64})
    )
    GROUP BY GROUPING SETS ((site_id, hour_ago), (site_id))`;

/** Counts the visitors of the last 24 hours, in total and by hour. Viewers see them in steps, and no hour of few visitors. */
export async function askLastDay(reader: Reader, siteIds: string[], now: number): Promise<Map<string, LastDay>> {
  const [from, to] = [now - HOURS * HOUR_MS, now + 1];
  const rows = reader.rule
    ? await askDaysInSteps(reader, siteIds, now)
    : await reader.query<Rows[number]>(LAST_DAY, { sites: siteIds, begins: from, from, to });
  const days = new Map(siteIds.map((id) => [id, { visitors: 0, hours: new Array<number>(HOURS).fill(0) }]));
  for (const row of rows) {
    const day = days.get(String(row['site_id']));
    if (!day) continue;
    const [hour, visitors] = [Number(row['hour']), Number(row['visitors'])];
    if (hour === -1) day.visitors = visitors;
    else day.hours[Math.min(HOURS - 1, hour)] = visitors;
  }
  return days;
}

/** A few at once: each site takes three statements, and a requester has room for some hundred. */
async function askDaysInSteps(reader: Reader, siteIds: readonly string[], now: number): Promise<Rows> {
  const rows: Rows[] = [];
  for (let start = 0; start < siteIds.length; start += SITES_AT_ONCE)
    rows.push(
      ...(await Promise.all(siteIds.slice(start, start + SITES_AT_ONCE).map((id) => askDayInSteps(reader, id, now)))),
    );
  return rows.flat();
}

/** The hours are those of the whole range, which the steps only cut. */
async function askDayInSteps(reader: Reader, site_id: string, now: number): Promise<Rows> {
  const whole = resolvePeriod({ period: '24h' }, now);
  const { range } = await reader.whole({ site_id, range: whole, filters: [], currency: '', max_amount: 0 });
  const bound = { sites: [site_id], begins: whole.from, from: range.from, to: range.to };
  return reader.remembered({ site_id, range }, { sql: LAST_DAY, bound }, (rows, rule) =>
    rows.filter((row) => Number(row['visitors']) >= fewestOf(rule)),
  );
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
