// Counts for the alerts of many sites in one statement each: hours of traffic, conversions and payments, and AI agents.
import type { Range } from '../vocabulary/periods.ts';
import { DAY_MS, dayOf, HOUR_MS } from '../vocabulary/time.ts';
import type { GoalDefinition } from '../vocabulary/goals.ts';
import { reaches } from './goals.ts';
import { KIND_SQL } from './kinds.ts';
import { IS_PAYMENT } from './metrics.ts';
import type { Reader } from './reader.ts';
import { type Bind, openBound } from './scope.ts';

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
};
/** `later…`: the part at `rollTo` or later. `amount`: in the currency of the site. `days`: on how many days of the site. */
export type Count = { count: number; later: number; amount: number; laterAmount: number; days: number };

type CountRow = { alert: string } & Record<
  'found' | 'found_later' | 'total' | 'total_later' | 'on_days',
  string | number
>;

/** Counts events up to `to`, for each alert. */
export async function askCounts(
  { query }: Reader,
  alerts: readonly Counted[],
  { to, rollTo }: { to: number; rollTo: number },
): Promise<Map<string, Count>> {
  const counts = new Map<string, Count>();
  for (const some of chunks(alerts, COUNTED)) {
    const from = Math.min(...some.map((alert) => alert.from));
    const { bound, bind } = openBound({ site_id: '', range: { from, to }, filters: [], currency: '', max_amount: 0 });
    const later = bind(rollTo);
    const selects = some.map((alert) => countOne(alert, later, bind));
    const rows = await query<CountRow>(selects.join('\nUNION ALL\n'), {
      ...bound,
    });
    for (const row of rows)
      counts.set(row.alert, {
        ...{ count: Number(row.found), later: Number(row.found_later), days: Number(row.on_days) },
        ...{ amount: Number(row.total), laterAmount: Number(row.total_later) },
      });
  }
  return counts;
}

function countOne({ id, siteId, what, from }: Counted, later: string, bind: Bind): string {
  const site = bind(siteId);
  const isPayment = 'maxAmount' in what;
  const condition = isPayment ? `${KIND_SQL.orders} AND ${IS_PAYMENT}` : reaches(what.goal, bind);
  const ofSite = condition
    .replaceAll('{site_id:String}', site)
    .replaceAll('{max_amount:Int64}', isPayment ? bind(what.maxAmount) : '0');
  const isLater = `time >= fromUnixTimestamp64Milli(${later})`;
  const currency = isPayment ? `currency = ${bind(what.currency ?? '')}` : '0';
  const sumOf = (which: string) => `toFloat64(sumIf(amount, ${which}))`;
  return `SELECT ${bind(id)} AS alert, count() AS found, countIf(${isLater}) AS found_later,
      ${sumOf(currency)} AS total, ${sumOf(`${currency} AND ${isLater}`)} AS total_later, uniqExact(day) AS on_days
    FROM events WHERE site_id = ${site} AND time >= fromUnixTimestamp64Milli(${bind(from)})
      AND time < fromUnixTimestamp64Milli({to:Int64}) AND ${ofSite}`;
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
