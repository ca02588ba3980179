// The figures that alerts compare with a limit, of the last hours up to a time: 75th percentiles of vitals, and shares of visits with an error.
import type { Range } from '../../vocabulary/time/periods.ts';
import type { Vital } from '../../vocabulary/numbers/vitals.ts';
import { percentile } from './sql.ts';
import type { LimitHours } from '../../vocabulary/settings/alerts.ts';
import { HOUR_MS } from '../../vocabulary/time/time.ts';
import { shareOf } from '../errors/errors.ts';
import type { Reader } from '../reader.ts';
import { isOnPage } from '../sql/on-page.ts';
import { type Bind, openBound } from '../sql/scope.ts';
import { roundedOf } from './vitals.ts';

/** `page`: a path or a pattern; null for the whole site. */
export type LimitAsked = { siteId: string; hours: LimitHours; what: 'errors' | { vital: Vital; page: string | null } };
/** `of`: the page views that have the vital, or the visits. `value` is null without any: a percentile, or per cent. */
export type Figure = { value: number | null; of: number };

type Row = { value: unknown; counted: string | number };

const NO_SCOPE = { site_id: '', filters: [], currency: '', max_amount: 0 };

function openRows({ siteId }: LimitAsked, { from, to }: Range, bind: Bind): string {
  const instant = (time: number) => `fromUnixTimestamp64Milli(${bind(time)})`;
  return `site_id = ${bind(siteId)} AND time >= ${instant(from)} AND time < ${instant(to)}`;
}

const ofPage = (page: string | null, bind: Bind) => (page === null ? '' : ` AND ${isOnPage(page, bind)}`);
/** Visits are those with a page view. */
const IS_VISITED = "visit_id != 0 AND name = 'pageview'";

function figureOf({ what }: LimitAsked, { value, counted }: Row): Figure {
  const of = Number(counted);
  if (of === 0) return { value: null, of };
  return { value: what === 'errors' ? shareOf(Number(value), of) : roundedOf(what.vital, value), of };
}

/** Asks for several alerts in one statement, by their ids. A measured page view without a visit counts, too. */
export async function askLimited(
  { query }: Reader,
  alerts: readonly (LimitAsked & { id: string })[],
  to: number,
): Promise<Map<string, Figure>> {
  if (alerts.length === 0) return new Map();
  const { bound, bind } = openBound({ ...NO_SCOPE, range: { from: 0, to } });
  const selects = alerts.map((asked) => {
    const rows = openRows(asked, { from: to - asked.hours * HOUR_MS, to }, bind);
    const id = bind(asked.id);
    if (asked.what === 'errors')
      return `SELECT ${id} AS alert, toFloat64((SELECT uniqExact(visit_id) FROM errors WHERE ${rows} AND visit_id != 0)) AS value,
        uniqExact(visit_id) AS counted FROM events WHERE ${rows} AND ${IS_VISITED}`;
    const { vital, page } = asked.what;
    return `SELECT ${id} AS alert, toFloat64(${percentile(vital)}) AS value, count(${vital}) AS counted
      FROM vitals WHERE ${rows}${ofPage(page, bind)}`;
  });
  const rows = await query<Row & { alert: string }>(selects.join('\nUNION ALL\n'), bound);
  const byId = new Map(alerts.map((asked) => [asked.id, asked]));
  return new Map(
    rows.flatMap((row) => {
      const asked = byId.get(row.alert);
      return asked ? [[row.alert, figureOf(asked, row)] as const] : [];
    }),
  );
}

const HOUR = 'intDiv(toUnixTimestamp(time), 3600) AS hour';

/** The same for one alert at the end of each hour of a range. By the number of the hour since the epoch; those without page views are missing. */
export async function askLimitedHours(
  { query }: Reader,
  asked: LimitAsked,
  { from, to }: Range,
): Promise<Map<number, Figure>> {
  const range = { from: from - asked.hours * HOUR_MS, to };
  const { bound, bind } = openBound({ ...NO_SCOPE, range });
  const rows = openRows(asked, range, bind);
  const at = `hour + arrayJoin(range(${asked.hours})) AS at`;
  const { what } = asked;
  const sql =
    what === 'errors'
      ? `SELECT ${at}, uniqExactMerge(failed) AS value, uniqExactMerge(visited) AS counted FROM (
          SELECT ${HOUR}, uniqExactState(visit_id) AS visited, uniqExactStateIf(visit_id, 0) AS failed
          FROM events WHERE ${rows} AND ${IS_VISITED} GROUP BY hour
          UNION ALL
          SELECT ${HOUR}, uniqExactStateIf(visit_id, 0) AS visited, uniqExactState(visit_id) AS failed
          FROM errors WHERE ${rows} AND visit_id != 0 GROUP BY hour
        ) GROUP BY at`
      : `SELECT ${at}, quantileExactWeightedMerge(0.75)(state) AS value, sum(measured) AS counted FROM (
          SELECT ${HOUR}, quantileExactWeightedState(0.75)(${what.vital}, 1) AS state, count(${what.vital}) AS measured
          FROM vitals WHERE ${rows}${ofPage(what.page, bind)} GROUP BY hour
        ) GROUP BY at`;
  const found = await query<Row & { at: string | number }>(sql, bound);
  return new Map(found.map((row) => [Number(row.at), figureOf(asked, row)]));
}
