// A filter with several values, or a negative one, as sums and differences of filters with one value each: its corners. "Germany or France,
// not with Firefox" is Germany, plus France, minus each of them with Firefox.
import { Refusal } from '../../errors.ts';
import { isPlain } from '../sql/filters.ts';
import type { Filter } from '../query.ts';
import { isNegative, isOfRows } from './conditions.ts';

/** `filters`: with one value each. The corner is added, or subtracted. */
type Corner = { sign: 1 | -1; filters: Filter[] };

/** Each corner is a question of its own. */
const MOST_CORNERS = 24;

/** What a visitor has one value of all day: their id comes from the same address and user agent. */
const OF_VISITORS: readonly string[] = [
  'country',
  'region',
  'city',
  'browser',
  'browser_version',
  'os',
  'os_version',
  'device',
];

/** `addUp`: counts of the filters are the sums of those of the corners. */
type Corners = { corners: Corner[]; addUp: boolean };

/** Returns undefined for filters that are one corner by themselves. Throws bad_request for too many. */
export function cornersOf(filters: readonly Filter[]): Corners | undefined {
  const isSplit = (filter: Filter) =>
    isPlain(filter) &&
    !filter.isFixed &&
    !isOfRows(filter) &&
    !filter.isOfPart &&
    (isNegative(filter) || filter.values.length > 1);
  const split = filters.filter(isSplit);
  if (split.length === 0) return undefined;
  const waysOf = (filter: Filter): Corner[] => {
    if (!isSplit(filter)) return [{ sign: 1, filters: [filter] }];
    const each = filter.values.map((value): Filter => ({ ...filter, operator: 'is', values: [value] }));
    if (!isNegative(filter)) return each.map((one) => ({ sign: 1, filters: [one] }));
    return [{ sign: 1, filters: [] }, ...each.map((one): Corner => ({ sign: -1, filters: [one] }))];
  };
  const ways = filters.map(waysOf);
  if (ways.reduce((product, { length }) => product * length, 1) > MOST_CORNERS)
    throw new Refusal('bad_request', 'filters: a shared dashboard can be filtered to fewer values at a time.');
  const corners = ways.reduce<Corner[]>(
    (corners, own) =>
      corners.flatMap((corner) =>
        own.map((way): Corner => ({
          sign: corner.sign === way.sign ? 1 : -1,
          filters: [...corner.filters, ...way.filters],
        })),
      ),
    [{ sign: 1, filters: [] }],
  );
  return { corners, addUp: split.every(({ dimension }) => OF_VISITORS.includes(dimension)) };
}
