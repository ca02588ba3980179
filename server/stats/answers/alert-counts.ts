// Counts for the alerts of many sites in one statement each: hours of traffic, conversions and payments, and AI agents.
import type { Range } from '../../vocabulary/time/periods.ts';
import { DAY_MS, dayOf, HOUR_MS } from '../../vocabulary/time/time.ts';
import type { GoalDefinition } from '../../vocabulary/questions/goals.ts';
import { reaches } from '../sql/goals.ts';
import { KIND_SQL } from '../sql/kinds.ts';
import { IS_PAYMENT } from '../sql/metrics.ts';
import type { Reader } from '../reader.ts';
import { type Bind, openBound } from '../sql/scope.ts';
import { OF_ROWS } from '../days/summed-days.ts';

/** Sites per statement: the answer has a limit of rows. */
const SITES = 400;
/** Alerts per statement. */
const COUNTED = 100;

type HourCounts = { unique_visitors: number; pageviews: number };
/** By site, then by the number of the hour since the epoch. Hours without events are missing. */
export type Hours = Map<string, Map<number, HourCounts>>;

type HourRow = { site_id: string; hour: string | number; unique_visitors: string | number; pageviews: string | number };

/** Counts the hours that lie in any of the ranges. A visitor counts once in each hour. */
export async function askHours(
  { query }: Reader,
  siteIds: readonly string[],
  ranges: readonly Range[],
): Promise<Hours> {
  const hours: Hours = new Map(siteIds.map((id) => [id, new Map()]));
  const within = ranges.map(
    (_, index) =>
      `time >= fromUnixTimestamp64Milli({from${index}:Int64}) AND time < fromUnixTimestamp64Milli({to${index}:Int64})`,
  );
  const times = Object.fromEntries(
    ranges.flatMap(({ from, to }, index) => [
      [`from${index}`, from],
      [`to${index}`, to],
    ]),
  );
  for (const sites of chunks(siteIds, SITES)) {
    const rows = await query<HourRow>(
      `SELECT site_id, intDiv(toUnixTimestamp(time), 3600) AS hour, uniqExactIf(visitor_id, visitor_id != 0) AS unique_visitors,
        countIf(name = 'pageview') AS pageviews
      FROM events WHERE site_id IN {sites:Array(String)} AND (${within.map((one) => `(${one})`).join(' OR ')})
      GROUP BY site_id, hour`,
      { sites: [...sites], ...times },
    );
    for (const { site_id, hour, unique_visitors, pageviews } of rows)
      hours.get(site_id)?.set(Number(hour), { unique_visitors: Number(unique_visitors), pageviews: Number(pageviews) });
  }
  return hours;
}

/** By site, then by the number of the UTC day since the epoch. */
export type DayViews = Map<string, Map<number, number>>;

/** Page views of whole UTC days, which the store keeps precomputed. */
export async function askDayViews({ query }: Reader, siteIds: readonly string[], range: Range): Promise<DayViews> {
  const days: DayViews = new Map(siteIds.map((id) => [id, new Map()]));
  for (const sites of chunks(siteIds, SITES)) {
    const rows = await query<{ site_id: string; date: string | number; views: string | number }>(
      `SELECT site_id, toUInt16(toDate(time)) AS date, count() AS views FROM events
      WHERE site_id IN {sites:Array(String)} AND toDate(time) >= {from:Date} AND toDate(time) < {to:Date} AND name = 'pageview'
      GROUP BY site_id, toDate(time)`,
      { sites: [...sites], from: dayOf(range.from), to: dayOf(range.to) },
    );
    for (const { site_id, date, views } of rows) days.get(site_id)?.set(Number(date), Number(views));
  }
  return days;
}

/** What an alert counts from a time on: the conversions of a goal, or payments. */
export type Counted = {
  id: string;
  siteId: string;
  what: { goal: GoalDefinition } | { maxAmount: number; currency: string | null };
  from: number;
  /** From here on, they are also counted apart. */
  laterFrom?: number;
};
/** `later…`: the part from `laterFrom` on. `amount`: in the currency of the site. `days`: on how many days of the site. */
export type Count = { count: number; later: number; amount: number; laterAmount: number; days: number };

type CountRow = { alert: string } & Record<
  'found' | 'found_later' | 'total' | 'total_later' | 'on_days',
  string | number
>;

/** Counts events before `to`, for each alert. */
async function askCounts(
  { query }: Reader,
  { alerts, to }: { alerts: readonly Counted[]; to: number },
): Promise<Map<string, Count>> {
  const counts = new Map<string, Count>();
  const bySite = Map.groupBy(alerts, ({ siteId }) => siteId);
  for (const some of chunks([...bySite.values()].flat(), COUNTED)) {
    const range = { from: earliestOf(some), to };
    const { bound, bind } = openBound({ site_id: '', range, filters: [], currency: '', max_amount: 0 });
    const sites = [...Map.groupBy(some, ({ siteId }) => siteId)];
    const selects = sites.map(([siteId, own]) => countSite(siteId, own, bind));
    const columns = ['alert', 'found', 'found_later', 'total', 'total_later', 'on_days'];
    const named = columns.map((name, index) => `counted.${index + 1} AS ${name}`);
    const rows = await query<CountRow>(`SELECT ${named.join(', ')} FROM (${selects.join('\nUNION ALL\n')})`, bound);
    for (const row of rows)
      counts.set(row.alert, {
        count: Number(row.found),
        later: Number(row.found_later),
        days: Number(row.on_days),
        amount: Number(row.total),
        laterAmount: Number(row.total_later),
      });
  }
  return counts;
}

/** How long before a range rows may still change what is counted in it: those of its first visits, and better reports of an order. */
const AROUND_MS = 2 * DAY_MS;

/** `latest`: the time of the last row, in milliseconds. */
type SiteRows = { text: string; latest: number };

/**
 * Returns `askCounts` with a memory: what was counted stands while the rows of the site are the same. Only the last question is remembered,
 * so an alert that is asked about every minute costs almost nothing on a site without new rows.
 */
export function openCounts(reader: Reader): (alerts: readonly Counted[], to: number) => Promise<Map<string, Count>> {
  let known = new Map<string, Count>();
  return async (alerts, to) => {
    const rows = await askRows(reader, alerts);
    // A row from the future counts once its time has come, without being new.
    const isOver = ({ siteId }: Counted) => (rows.get(siteId)?.latest ?? 0) < to;
    const keyed = alerts.map((alert) => ({ alert, key: JSON.stringify([alert, rows.get(alert.siteId)?.text]) }));
    const fresh = keyed.filter(({ alert, key }) => !isOver(alert) || !known.has(key)).map(({ alert }) => alert);
    const counts = await askCounts(reader, { alerts: fresh, to });
    const found = keyed.flatMap(({ alert, key }) => {
      const count = counts.get(alert.id) ?? known.get(key);
      return count ? [{ alert, key, count }] : [];
    });
    known = new Map(found.filter(({ alert }) => isOver(alert)).map(({ key, count }) => [key, count]));
    return new Map(found.map(({ alert, count }) => [alert.id, count]));
  };
}

/** Resolves to facts about each site that change when rows are added or removed. The store keeps the numbers of each day: see store/schema/001-collected.sql. */
async function askRows({ query }: Reader, alerts: readonly Counted[]): Promise<Map<string, SiteRows>> {
  if (alerts.length === 0) return new Map();
  const rows = await query<{ site_id: string; row_count: string; row_ids: string; latest: string | number }>(
    `SELECT site_id, ${OF_ROWS}, toUnixTimestamp64Milli(max(time)) AS latest
      FROM events WHERE site_id IN {sites:Array(String)} AND toDate(time) >= {first:Date} GROUP BY site_id
    UNION ALL
    SELECT site_id, '', toString(uniqExact(event_id, replaced)), toInt64(0)
      FROM superseded WHERE site_id IN {sites:Array(String)} AND toDate(time) >= {first:Date} GROUP BY site_id`,
    { sites: [...new Set(alerts.map(({ siteId }) => siteId))], first: dayOf(earliestOf(alerts) - AROUND_MS) },
  );
  const bySite = Map.groupBy(rows, ({ site_id }) => site_id);
  const textOf = ({ row_count, row_ids }: (typeof rows)[number]) => `${row_count} ${row_ids}`;
  return new Map(
    [...bySite].map(([siteId, own]) => [
      siteId,
      { text: own.map(textOf).sort().join(), latest: Math.max(...own.map(({ latest }) => Number(latest))) },
    ]),
  );
}

const earliestOf = (alerts: readonly Counted[]) => alerts.reduce((first, { from }) => Math.min(first, from), Infinity);

/** SQL that reads the rows of a site once for all of its alerts. For a single alert the engine reads only the rows that it counts. */
function countSite(siteId: string, alerts: readonly Counted[], bind: Bind): string {
  const site = bind(siteId);
  const isSingle = alerts.length === 1;
  const counted = alerts.map(({ id, what, from, laterFrom }, index) => {
    const isPayment = 'maxAmount' in what;
    const condition = isPayment ? `${KIND_SQL.orders} AND ${IS_PAYMENT}` : reaches(what.goal, bind);
    const ofSite = condition
      .replaceAll('{site_id:String}', site)
      .replaceAll('{max_amount:Int64}', isPayment ? bind(what.maxAmount) : '0');
    const is = isSingle ? '1' : `is_${index}`;
    const isLater = laterFrom !== undefined && `${is} AND time >= fromUnixTimestamp64Milli(${bind(laterFrom)})`;
    const currency = isPayment && `currency = ${bind(what.currency ?? '')}`;
    const countOf = (which: string | false) => (which ? `countIf(${which})` : 'toUInt64(0)');
    const sumOf = (which: string | false) =>
      which && currency ? `toFloat64(sumIf(amount, ${which} AND ${currency}))` : 'toFloat64(0)';
    const numbers = [bind(id), countOf(is), countOf(isLater), sumOf(is), sumOf(isLater), `uniqExactIf(day, ${is})`];
    return { is, which: `time >= fromUnixTimestamp64Milli(${bind(from)}) AND ${ofSite}`, numbers };
  });
  const rows = counted.map(({ numbers }) => `(${numbers.join(', ')})`);
  const named = counted.map(({ which, is }) => `${which} AS ${is}`);
  const since = isSingle
    ? counted.map(({ which }) => which)
    : [`time >= fromUnixTimestamp64Milli(${bind(earliestOf(alerts))})`];
  return `${isSingle ? '' : `WITH ${named.join(', ')}`}
    SELECT arrayJoin([${rows.join(', ')}]) AS counted FROM events
    WHERE site_id = ${site} AND time < fromUnixTimestamp64Milli({to:Int64}) AND ${since.join(' AND ')}`;
}

export type NewAgent = { site_id: string; agent: string; provider: string; first: number };

/** Agents whose first visit to a site ever was in a range. */
export async function askNewAgents({ query }: Reader, siteIds: readonly string[], range: Range): Promise<NewAgent[]> {
  const rows = await query<{ site_id: string; agent: string; provider: string; first: string | number }>(
    `SELECT site_id, ai_agent AS agent, any(ai_provider) AS provider, toUnixTimestamp64Milli(min(time)) AS first FROM ai_visits
    WHERE site_id IN {sites:Array(String)} GROUP BY site_id, ai_agent
    HAVING first >= {from:Int64} AND first < {to:Int64} ORDER BY first, site_id, agent LIMIT 10000`,
    { sites: [...siteIds], from: range.from, to: range.to },
  );
  return rows.map((row) => ({ ...row, first: Number(row.first) }));
}

function* chunks<Item>(items: readonly Item[], size: number): Generator<readonly Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}

export const hourOf = (time: number): number => Math.floor(time / HOUR_MS);
export const dayNumberOf = (time: number): number => Math.floor(time / DAY_MS);
