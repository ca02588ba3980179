// Values that hardly anybody has. If all rare values of a dimension together have fewer visitors than a number must have, whoever takes the other
// values of a narrowed list from its total is left with these visitors. Narrowed numbers therefore count them under the most frequent value.
// This is decided for each day by itself, or for the few days that together have enough visitors, and from its unfiltered list alone: so every
// question about a day counts its visitors alike, however many other days it asks for.
import type { Dimension } from '../../vocabulary/questions/dimensions.ts';
import { FURTHEST_STEP } from '../../vocabulary/questions/furthest-step.ts';
import type { Range } from '../../vocabulary/time/periods.ts';
import type { PlainDimension } from '../../vocabulary/questions/segments.ts';
import { DAY_MS, dayOf } from '../../vocabulary/time/time.ts';
import { dimensionSql } from '../sql/dimensions.ts';
import { isPlain } from '../sql/filters.ts';
import { VISITOR_KEYS } from '../sql/metrics.ts';
import type { Filter } from '../query.ts';
import { dayOfEvents, type Scope } from '../sql/scope.ts';
import type { Rows } from '../sql/sql.ts';
import { hashOfText } from './cell-key.ts';
import type { Joined, Rare } from './joined-values.ts';
import type { Group } from './steps.ts';

/** The rare values of a dimension in a group of days, and the one that their visitors count under. */
export type RareIn = { dimension: Dimension; from: number; values: readonly string[]; into: string };
/** Finds the rare values of all dimensions in the groups of days that a scope without filters consists of. */
export type FindRare = (scope: Scope, groups: readonly Group[]) => Promise<readonly RareIn[]>;
export type AskRare = (dimension: PlainDimension) => Promise<Rare | undefined>;

/** True for a dimension that a visit has one value of. */
const isOfWholeVisit = (dimension: PlainDimension): dimension is Dimension =>
  dimension !== FURTHEST_STEP && dimensionSql(dimension, String).level === 'visit';

type Options = { scope: Scope; groups(): Promise<readonly Group[]>; today: number };

/** Looks for all of them once. `scope`: without filters. `today`: the start of the day that is not over. */
export function openRare(find: FindRare, { scope, groups, today }: Options): AskRare {
  const findAll = async () => {
    const days = await groups();
    const [first, last] = [days[0], days.at(-1)];
    if (!first || !last) return new Map<Dimension, Rare>();
    const range = { ...scope.range, from: first.from, to: Math.min(last.to, scope.range.to) };
    const found = await find({ ...scope, range, filters: [] }, days);
    const of = Map.groupBy(found, ({ dimension }) => dimension);
    return new Map([...of].map(([dimension, some]) => [dimension, rareOf(some, { days, range, today })]));
  };
  let all: ReturnType<typeof findAll> | undefined;
  return async (dimension) => {
    all ??= findAll();
    const found = await all; // also by those that have none, so that all lists of a dashboard go on in the same moment, in one statement
    return isOfWholeVisit(dimension) ? found.get(dimension) : undefined;
  };
}

type Found = { days: readonly Group[]; range: Range; today: number };

function rareOf(some: readonly RareIn[], { days, range, today }: Found): Rare {
  const joined = some.flatMap(({ from, values, into }): Joined[] => {
    const to = days.find((group) => group.from === from)?.to ?? from + DAY_MS;
    return Array.from({ length: Math.ceil((to - from) / DAY_MS) }, (_, index) => {
      return { day: dayOf(from + index * DAY_MS), values, into };
    });
  });
  const open = some.find(({ from }) => (days.find((group) => group.from === from)?.to ?? 0) > today);
  return {
    dayOfEvents: dayOfEvents(range),
    joined,
    ...(open && { open: { into: open.into, from: open.from, key: keyOf(open) } }),
  };
}

/**
 * What rare values of today add to a cell key. A value that is rare now may not be an hour later: numbers before and after that would
 * be equal exactly if its visitors are not among those whom a filter leaves, unless both are changed independently.
 */
const keyOf = ({ values, into }: Pick<RareIn, 'values' | 'into'>): number =>
  (hashOfText(JSON.stringify([into, ...values.toSorted()])) >>> 0) % VISITOR_KEYS;

/** What the rare values of some filters add to the cell keys of what they leave of today. */
export const openedBy = (filters: readonly Filter[]): Opened =>
  filters
    .flatMap((filter): WithRare[] => (isPlain(filter) ? [filter] : (filter.segments ?? []).flat()))
    .flatMap(({ rare, values }) => (rare?.open && values.includes(rare.open.into) ? [rare.open] : []));
type WithRare = Pick<Filter, 'values' | 'rare'>;
type Opened = readonly { from: number; key: number }[];

const isKey = (column: string): boolean => /key(?:_\d+)?$/.test(column);

/** Rows with these added to each of their cell keys. `startOf`: the start of the time that a row is of, if it is not of the whole range. */
export function addToKeys(rows: Rows, opened: Opened, startOf?: (row: Rows[number]) => number): Rows {
  const added = (row: Rows[number]) =>
    opened.reduce((sum, { from, key }) => (startOf && startOf(row) < from ? sum : sum + key), 0);
  return rows.map((row) => {
    const keys = Object.keys(row).filter(isKey);
    return { ...row, ...Object.fromEntries(keys.map((column) => [column, Number(row[column]) + added(row)])) };
  });
}

/**
 * The same for the row of a list that rare values of today count under.
 * TRICKY: it must be changed exactly as a filter by its value is, which counts the same visitors, and if it is the only row as the total is.
 */
export function addToRow(rows: Rows, { open }: Rare, startOf?: (row: Rows[number]) => number): Rows {
  if (!open) return rows;
  const isTotal = (row: Rows[number]) => !rows.some((one) => one !== row && one['bucket'] === row['bucket']);
  return rows.flatMap((row) =>
    row['label'] === open.into && !isTotal(row) ? addToKeys([row], [open], startOf) : [row],
  );
}
