// The 75th percentiles that alerts watch, of the last hours up to a time.
import type { Range } from '../../vocabulary/time/periods.ts';
import type { Vital } from '../../vocabulary/numbers/vitals.ts';
import type { SpeedHours } from '../../vocabulary/settings/alerts.ts';
import { HOUR_MS } from '../../vocabulary/time/time.ts';
import type { Reader } from '../reader.ts';
import { isOnPage } from '../sql/on-page.ts';
import { type Bind, openBound } from '../sql/scope.ts';
import { roundedOf } from './vitals.ts';

/** `page`: a path or a pattern; null for the whole site. */
type SpeedAsked = { siteId: string; vital: Vital; page: string | null; hours: SpeedHours };
/** `p75` is null without views. `views`: those that have the vital. */
export type Measured = { p75: number | null; views: number };

type Row = { p75: unknown; views: string | number };

const NO_SCOPE = { site_id: '', filters: [], currency: '', max_amount: 0 };

function rowsOf({ siteId, page }: SpeedAsked, { from, to }: Range, bind: Bind): string {
  const instant = (time: number) => `fromUnixTimestamp64Milli(${bind(time)})`;
  return [
    `site_id = ${bind(siteId)} AND time >= ${instant(from)} AND time < ${instant(to)}`,
    ...(page === null ? [] : [isOnPage(page, bind)]),
  ].join(' AND ');
}

const measuredOf = (vital: Vital, { p75, views }: Row): Measured => ({
  p75: Number(views) === 0 ? null : roundedOf(vital, p75),
  views: Number(views),
});

/** Asks for several alerts in one statement, by their ids. A page view without a visit counts, too. */
export async function askSpeeds(
  { query }: Reader,
  alerts: readonly (SpeedAsked & { id: string })[],
  to: number,
): Promise<Map<string, Measured>> {
  if (alerts.length === 0) return new Map();
  const { bound, bind } = openBound({ ...NO_SCOPE, range: { from: 0, to } });
  const selects = alerts.map(({ id, ...asked }) => {
    const { vital, hours } = asked;
    return `SELECT ${bind(id)} AS alert, quantileTDigest(0.75)(${vital}) AS p75, count(${vital}) AS views
      FROM vitals WHERE ${rowsOf(asked, { from: to - hours * HOUR_MS, to }, bind)}`;
  });
  const rows = await query<Row & { alert: string }>(selects.join('\nUNION ALL\n'), bound);
  const vitals = new Map(alerts.map(({ id, vital }) => [id, vital]));
  return new Map(rows.map((row) => [row.alert, measuredOf(vitals.get(row.alert) ?? 'lcp', row)]));
}

/** The same for one alert at the end of each hour of a range. By the number of the hour since the epoch; those without measurements are missing. */
export async function askSpeedHours(
  { query }: Reader,
  asked: SpeedAsked,
  { from, to }: Range,
): Promise<Map<number, Measured>> {
  const { vital, hours } = asked;
  const range = { from: from - hours * HOUR_MS, to };
  const { bound, bind } = openBound({ ...NO_SCOPE, range });
  const rows = await query<Row & { at: string | number }>(
    `SELECT hour + arrayJoin(range(${hours})) AS at, quantileTDigestMerge(0.75)(state) AS p75, sum(counted) AS views FROM (
      SELECT intDiv(toUnixTimestamp(time), 3600) AS hour, quantileTDigestState(0.75)(${vital}) AS state, count(${vital}) AS counted
      FROM vitals WHERE ${rowsOf(asked, range, bind)} GROUP BY hour
    ) GROUP BY at`,
    bound,
  );
  return new Map(rows.map((row) => [Number(row.at), measuredOf(vital, row)]));
}
