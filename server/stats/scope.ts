// What every question is about, and its bound values: whatever anybody sent stands in a statement as the place of one.
import type { Bound } from '../store/pool.ts';
import type { Range } from '../vocabulary/periods.ts';
import type { Filter } from './query.ts';

export type Scope = { site_id: string; range: Range; filters: Filter[]; currency: string; max_amount: number };

export type Statement = { sql: string; bound: Bound };

/** Takes a value and gives its place in the SQL. */
export type Bind = (value: string | string[]) => string;

export function openBound(scope: Scope): { bound: Bound; bind: Bind } {
  const bound: Bound = {
    site_id: scope.site_id,
    from: scope.range.from,
    to: scope.range.to,
    currency: scope.currency,
    max_amount: scope.max_amount,
  };
  const bind = (value: string | string[]) => {
    const name = `p${Object.keys(bound).length}`;
    bound[name] = value;
    return `{${name}:${Array.isArray(value) ? 'Array(String)' : 'String'}}`;
  };
  return { bound, bind };
}
