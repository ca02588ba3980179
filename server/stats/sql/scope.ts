// The scope that all queries share, and their bound values. Text from users is always bound, never part of the SQL.
import type { Bound } from '../../store/pool.ts';
import type { Range } from '../../vocabulary/time/periods.ts';
import { dayOf, startOfDay } from '../../vocabulary/time/time.ts';
import { FURTHEST_MS, instantAt } from '../../vocabulary/time/zones.ts';
import type { SavedFunnel } from '../funnels/funnel-sql.ts';
import type { Goal } from './goals.ts';
import type { Filter } from '../query.ts';

export type Scope = {
  site_id: string;
  range: Range;
  filters: Filter[];
  /** The goals of the site. Only queries about goals need them. */
  goals?: readonly Goal[];
  /** The funnels of the site. Only a filter on those who left one needs them. */
  funnels?: readonly SavedFunnel[];
  currency: string;
  /** True if the question named the currency: orders in others then do not count either. */
  of_currency?: boolean | undefined;
  max_amount: number;
  /** False: without the days that other products counted. */
  imported?: boolean | undefined;
};

/** For a site without a time zone the first part is true, so its queries do not even read the column. */
const ON_DAYS = '({by_day:UInt8} = 0 OR (day >= {first_day:Date} AND day <= {last_day:Date}))';
/** The rows of a range, with the values of `boundsOf`. */
export const IN_RANGE = `site_id = {site_id:String} AND time >= fromUnixTimestamp64Milli({from:Int64}) AND time < fromUnixTimestamp64Milli({to:Int64}) AND ${ON_DAYS}`;
/** The same condition for a range of whole days: some counts are precomputed for each day. */
export const IN_DAYS = `site_id = {site_id:String} AND toDate(time) >= toDate(fromUnixTimestamp64Milli({from:Int64}, 'UTC')) AND toDate(time) < toDate(fromUnixTimestamp64Milli({to:Int64}, 'UTC')) AND ${ON_DAYS}`;
/** All rows of the UTC days that a range touches: at least those of the range. The pages of these days are precomputed. */
export const ON_DAYS_AROUND = `site_id = {site_id:String} AND toDate(time) >= toDate(fromUnixTimestamp64Milli({from:Int64}, 'UTC')) AND toDate(time) <= toDate(fromUnixTimestamp64Milli({to:Int64}, 'UTC'))`;

export type Statement = { sql: string; bound: Bound };

/** Binds a value, and returns its placeholder. */
export type Bind = (value: string | string[] | number) => string;

/**
 * Returns instants between which all events of a range lie. For days of a zone they leave a margin, since another zone may have given
 * earlier events their days. An end within a day is exact.
 */
export function timesOf({ from, to, zone }: Range): { from: number; to: number } {
  if (zone === undefined) return { from, to };
  return { from: from - FURTHEST_MS, to: to === startOfDay(to) ? to + FURTHEST_MS : instantAt(to, zone) };
}

/** SQL for the day towards which an event of a range counts. */
export const dayOfEvents = ({ zone }: Pick<Range, 'zone'>): string => (zone === undefined ? 'toDate(time)' : 'day');

/** The values of IN_RANGE and IN_DAYS. */
export function boundsOf({ site_id, range }: Pick<Scope, 'site_id' | 'range'>): Bound {
  return {
    site_id,
    ...timesOf(range),
    by_day: range.zone === undefined ? 0 : 1,
    first_day: dayOf(range.from),
    last_day: dayOf(range.to - 1),
  };
}

function typeOf(value: string | string[] | number): string {
  if (typeof value === 'number') return 'Int64';
  return Array.isArray(value) ? 'Array(String)' : 'String';
}

export function openBound(scope: Scope): { bound: Bound; bind: Bind } {
  const bound: Bound = {
    ...boundsOf(scope),
    currency: scope.currency,
    all_currencies: scope.of_currency ? 0 : 1,
    max_amount: scope.max_amount,
  };
  const bind: Bind = (value) => {
    const name = `p${Object.keys(bound).length}`;
    bound[name] = value;
    return `{${name}:${typeOf(value)}}`;
  };
  return { bound, bind };
}
