// The scope that all queries share, and their bound values. Text from users is always bound, never part of the SQL.
import type { Bound } from '../store/pool.ts';
import type { Range } from '../vocabulary/periods.ts';
import type { Goal } from './goals.ts';
import type { Filter } from './query.ts';

export type Scope = {
  site_id: string;
  range: Range;
  filters: Filter[];
  /** The goals of the site. Only a question about goals needs them. */
  goals?: readonly Goal[];
  currency: string;
  max_amount: number;
};

export const IN_RANGE =
  'site_id = {site_id:String} AND time >= fromUnixTimestamp64Milli({from:Int64}) AND time < fromUnixTimestamp64Milli({to:Int64})';

export type Statement = { sql: string; bound: Bound };

/** Binds a value, and returns its placeholder. */
export type Bind = (value: string | string[] | number) => string;

export function openBound(scope: Scope): { bound: Bound; bind: Bind } {
  const bound: Bound = {
    site_id: scope.site_id,
    from: scope.range.from,
    to: scope.range.to,
    currency: scope.currency,
    max_amount: scope.max_amount,
  };
  const bind: Bind = (value) => {
    const name = `p${Object.keys(bound).length}`;
    bound[name] = value;
    return `{${name}:${typeof value === 'number' ? 'Int64' : Array.isArray(value) ? 'Array(String)' : 'String'}}`;
  };
  return { bound, bind };
}
