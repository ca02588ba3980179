// Values that hardly anybody has. If all rare values of a dimension together have fewer visitors than a number must have, whoever takes the other
// values of a narrowed list from its total is left with these visitors. Narrowed numbers therefore count them under the most frequent value.
// This is decided for each day by itself, or for the few days that together have enough visitors, and from its unfiltered list alone: so every
// question about a day counts its visitors alike, however many other days it asks for. What is then still rare in the whole range counts under the
// most frequent value of the range.
import type { Dimension } from '../../vocabulary/questions/dimensions.ts';
import { FURTHEST_STEP } from '../../vocabulary/questions/furthest-step.ts';
import type { Range } from '../../vocabulary/time/periods.ts';
import type { PlainDimension } from '../../vocabulary/questions/segments.ts';
import { DAY_MS, dayOf } from '../../vocabulary/time/time.ts';
import { byText } from '../../vocabulary/texts/order.ts';
import { dimensionSql } from '../sql/dimensions.ts';
import { isPlain } from '../sql/filters.ts';
import { VISITOR_KEYS } from '../sql/metrics.ts';
import type { Filter } from '../query.ts';
import { dayOfEvents, type Scope } from '../sql/scope.ts';
import { LONGEST } from '../days/lists.ts';
import type { Ask, Rows, Select } from '../sql/sql.ts';
import { hashOfText } from './cell-key.ts';
import type { Joined, Keyed, Rare } from './joined-values.ts';
import type { Group } from './steps.ts';

/** The rare values of a dimension in a group of days, and the one that their visitors count under. */
export type RareIn = { dimension: Dimension; from: number; values: readonly string[]; into: string };
/** Finds the rare values of all dimensions in the groups of days that a scope without filters consists of. */
export type FindRare = (scope: Scope, groups: readonly Group[]) => Promise<readonly RareIn[]>;
export type AskRare = (dimension: PlainDimension) => Promise<Rare | undefined>;

/** True for a dimension that a visit has one value of. */
const isOfWholeVisit = (dimension: PlainDimension): dimension is Dimension =>
  dimension !== FURTHEST_STEP && dimensionSql(dimension, String).level === 'visit';

type Options = { scope: Scope; ask: Ask; fewest: number; groups(): Promise<readonly Group[]>; today: number };

/** Looks for all of them once. `scope`: without filters. `today`: the start of the day that is not over. */
export function openRare(find: FindRare, { scope, ask, fewest, groups, today }: Options): AskRare {
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
  const findOfRange = async (dimension: Dimension): Promise<Rare | undefined> => {
    all ??= findAll();
    const ofDays = (await all).get(dimension);
    const asked: Select = { scope, metrics: ['unique_visitors'], by: { dimension, ...(ofDays && { rare: ofDays }) } };
    const common = await ask({ ...asked, limit: LONGEST });
    const [first] = common;
    if (!first || common.length < LONGEST) return withRest(ofDays, rareAmong(common, fewest), scope.range);
    // If as many values as a number needs visitors are rare, their visitors are enough.
    const order = { by: 'unique_visitors', direction: 'asc' } as const;
    const rows = [first, ...(await ask({ ...asked, order, limit: fewest }))];
    return withRest(ofDays, rareAmong(rows, fewest), scope.range);
  };
  const known = new Map<Dimension, Promise<Rare | undefined>>();
  const askOnce = (dimension: Dimension) => {
    const asked = known.get(dimension) ?? findOfRange(dimension);
    known.set(dimension, asked);
    return asked;
  };
  return async (dimension) => {
    // All lists of a dashboard go on in the same moment, so that they share one statement.
    const rare = await askOnce(isOfWholeVisit(dimension) ? dimension : 'device');
    return isOfWholeVisit(dimension) ? rare : undefined;
  };
}

type Few = { values: readonly string[]; into: string };

function rareAmong(rows: Rows, fewest: number): Few | undefined {
  const visitorsOf = (row: Rows[number]) => Number(row['unique_visitors']);
  const few = rows.filter((row) => visitorsOf(row) > 0 && visitorsOf(row) < fewest);
  const visitors = few.reduce((sum, row) => sum + visitorsOf(row), 0);
  if (visitors === 0 || visitors >= fewest) return undefined;
  const common = rows.filter((row) => visitorsOf(row) >= fewest);
  const [into] = common.toSorted(
    (one, other) => visitorsOf(other) - visitorsOf(one) || byText(String(one['label']), String(other['label'])),
  );
  return into && { values: few.map((row) => String(row['label'])), into: String(into['label']) };
}

/** Adds values that are rare in a whole range, though others that are on each of its days make a group with them there. */
function withRest(ofDays: Rare | undefined, few: Few | undefined, range: Range): Rare | undefined {
  if (!few) return ofDays;
  const days = Array.from({ length: Math.ceil((range.to - range.from) / DAY_MS) }, (_, index) =>
    dayOf(range.from + index * DAY_MS),
  );
  const isJoined = (day: string, value: string) =>
    ofDays?.joined.some((one) => one.day === day && one.values.includes(value)) ?? false;
  return {
    dayOfEvents: dayOfEvents(range),
    joined: [
      ...(ofDays?.joined ?? []),
      ...days.map((day) => ({ day, values: few.values.filter((value) => !isJoined(day, value)), into: few.into })),
    ],
    keyed: [...(ofDays?.keyed ?? []), { into: few.into, from: range.from, key: keyOf(few) }],
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
    keyed: open ? [{ into: open.into, from: open.from, key: keyOf(open) }] : [],
  };
}

/**
 * What rare values add to a cell key if they are those of today, or of a whole range. A value that is rare now may not be an hour later, nor in another
 * range: two numbers would be equal exactly if its visitors are not among those whom a filter leaves, unless both are changed independently.
 */
const keyOf = ({ values, into }: Pick<RareIn, 'values' | 'into'>): number =>
  (hashOfText(JSON.stringify([into, ...values.toSorted()])) >>> 0) % VISITOR_KEYS;

/** What the rare values of some filters add to cell keys. */
export const openedBy = (filters: readonly Filter[]): Opened =>
  filters
    .flatMap((filter): WithRare[] => (isPlain(filter) ? [filter] : (filter.segments ?? []).flat()))
    .flatMap(({ rare, values }) => rare?.keyed.filter(({ into }) => values.includes(into)) ?? []);
type WithRare = Pick<Filter, 'values' | 'rare'>;
type Opened = readonly Pick<Keyed, 'from' | 'key'>[];

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
 * The same for the row of a list that rare values count under.
 * TRICKY: it must be changed exactly as a filter by its value is, which counts the same visitors, and if it is the only row as the total is.
 */
export function addToRow(rows: Rows, { keyed }: Rare, startOf?: (row: Rows[number]) => number): Rows {
  const isTotal = (row: Rows[number]) => !rows.some((one) => one !== row && one['bucket'] === row['bucket']);
  return rows.flatMap((row) => {
    const own = isTotal(row) ? [] : keyed.filter(({ into }) => into === row['label']);
    return own.length > 0 ? addToKeys([row], own, startOf) : [row];
  });
}
