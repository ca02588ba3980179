// The scope that all queries share, and their bound values. Text from users is always bound, never part of the SQL.
import type { Bound } from '../store/pool.ts';
import type { Range } from '../vocabulary/periods.ts';
import type { Filter } from './query.ts';

export type Scope = { site_id: string; range: Range; filters: Filter[]; currency: string; max_amount: number };

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
