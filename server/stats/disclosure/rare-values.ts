// Values that hardly anybody has. If all rare values of a dimension together have fewer visitors than a number must have, whoever takes the other
// values of a narrowed list from its total is left with these visitors. Narrowed numbers therefore count them under the most frequent value.
// This is decided for each day by itself, or for the few days that together have enough visitors, and from its unfiltered list alone: so every
// question about a day counts its visitors alike, however many other days it asks for. What is then still rare in the whole range counts under the
// most frequent value of the range.
import type { Dimension } from '../../vocabulary/questions/dimensions.ts';
import { FURTHEST_STEP } from '../../vocabulary/questions/furthest-step.ts';
import type { Range } from '../../vocabulary/time/periods.ts';
import type { PlainDimension } from '../../vocabulary/questions/segments.ts';
import { DAY_MS, dayOf, daysIn, startOfMonth } from '../../vocabulary/time/time.ts';
import { dimensionSql } from '../sql/dimensions.ts';
import { isPlain } from '../sql/filters.ts';
import { VISITOR_KEYS } from '../sql/metrics.ts';
import type { Filter } from '../query.ts';
import { dayOfEvents, type Scope } from '../sql/scope.ts';
import type { Rows } from '../sql/sql.ts';
import { hashOfText } from './cell-key.ts';
import type { Joined, Keyed, Rare } from './joined-values.ts';
import type { Group } from './steps.ts';

/** Rare values, and the one that their visitors count under. */
export type Few = { values: readonly string[]; into: string };
/** The rare values of a dimension: of groups of days, by their start, and those that are then still rare in the range. */
export type RareIn = { dimension: Dimension; ofDays: readonly (Few & { from: number })[]; ofRange: Few | undefined };
/**
 * Finds the rare values of all dimensions. `scope`: without filters but for those of a link, from the first day of a month on. `groups`: of its days. `since`: the start of the
 * range.
 */
export type FindRare = (scope: Scope, asked: { groups: readonly Group[]; since: number }) => Promise<readonly RareIn[]>;
export type AskRare = (dimension: PlainDimension) => Promise<Rare | undefined>;

/** True for a dimension that a visit has one value of. */
const isOfWholeVisit = (dimension: PlainDimension): dimension is Dimension =>
  dimension !== FURTHEST_STEP && dimensionSql(dimension, String).level === 'visit';

type Options = { scope: Scope; groups(): Promise<readonly Group[]>; today: number };

/** Looks for all of them once. `scope`: without filters but for those of a link. `today`: the start of the day that is not over. */
export function openRare(find: FindRare, { scope, groups, today }: Options): AskRare {
  const findAll = async () => {
    const { range } = scope;
    const all = await groups();
    const fixed = scope.filters.filter((filter) => filter.isFixed);
    const whole = { ...scope, range: { ...range, from: startOfMonth(range.from) }, filters: fixed };
    const found = await find(whole, { groups: all, since: range.from });
    return new Map(found.map((one) => [one.dimension, rareOf(one, { groups: all, range, today })]));
  };
  let known: ReturnType<typeof findAll> | undefined;
  return async (dimension) => {
    known ??= findAll();
    const found = await known; // by all lists of a dashboard, so that they go on in the same moment, in one statement
    return isOfWholeVisit(dimension) ? found.get(dimension) : undefined;
  };
}

type Found = { groups: readonly Group[]; range: Range; today: number };

function rareOf({ ofDays, ofRange }: RareIn, { groups, range, today }: Found): Rare {
  const endOf = (from: number) => groups.find((group) => group.from === from)?.to ?? from + DAY_MS;
  const joined = ofDays.flatMap(({ from, values, into }): Joined[] =>
    daysIn({ from, to: endOf(from) }).map((day) => ({ day: dayOf(day), values, into })),
  );
  const open = ofDays.filter(({ from }) => endOf(from) > today);
  const rest = ofRange ? [{ ...ofRange, from: range.from }] : [];
  return {
    dayOfEvents: dayOfEvents(range),
    joined: [...joined, ...rest.flatMap((few) => joinedInRange(few, joined, range))],
    keyed: [...open, ...rest].map(({ from, ...few }) => ({ into: few.into, from, key: keyOf(few) })),
  };
}

/** Values that are rare in the whole range, though others that are on each of its days make a group with them there. */
function joinedInRange({ values, into }: Few, ofDays: readonly Joined[], range: Range): Joined[] {
  const known = new Map(ofDays.map((one) => [one.day, one.values]));
  return daysIn(range).map((start) => {
    const day = dayOf(start);
    return { day, values: values.filter((value) => !known.get(day)?.includes(value)), into };
  });
}

/**
 * What rare values add to a cell key if they are those of today, or of a whole range. A value that is rare now may not be an hour later, nor in another
 * range: two numbers would be equal exactly if its visitors are not among those whom a filter leaves, unless both are changed independently.
 */
const keyOf = ({ values, into }: Few): number =>
  (hashOfText(JSON.stringify([into, ...values.toSorted()])) >>> 0) % VISITOR_KEYS;

/** What the rare values of some filters add to cell keys. */
export const keyedBy = (filters: readonly Filter[]): Keys =>
  filters
    .flatMap((filter): WithRare[] => (isPlain(filter) ? [filter] : (filter.segments ?? []).flat()))
    .flatMap(({ rare, values }) => rare?.keyed.filter(({ into }) => values.includes(into)) ?? []);
type WithRare = Pick<Filter, 'values' | 'rare'>;
type Keys = readonly Pick<Keyed, 'from' | 'key'>[];

const isKey = (column: string): boolean => /key(?:_\d+)?$/.test(column);

/** Rows with these added to each of their cell keys. `startOf`: the start of the time that a row is of, if it is not of the whole range. */
export function addToKeys(rows: Rows, keyed: Keys, startOf?: (row: Rows[number]) => number): Rows {
  const added = (row: Rows[number]) =>
    keyed.reduce((sum, { from, key }) => (startOf && startOf(row) < from ? sum : sum + key), 0);
  return rows.map((row) => {
    const keys = Object.keys(row).filter(isKey);
    return { ...row, ...Object.fromEntries(keys.map((column) => [column, Number(row[column]) + added(row)])) };
  });
}

/**
 * The same for the row of a list that rare values count under.
 * TRICKY: it must be changed exactly as a filter by its value is, which counts the same visitors, and if it is the only row as the total is.
 */
export function addToRow(rows: Rows, { keyed }: Rare, startOf?: (row: Rows[number]) => number): Rows {
  const isTotal = (row: Rows[number]) => !rows.some((one) => one !== row && one['bucket'] === row['bucket']);
  const ownOf = (row: Rows[number]) => (isTotal(row) ? [] : keyed.filter(({ into }) => into === row['label']));
  return rows.flatMap((row) => addToKeys([row], ownOf(row), startOf));
}
