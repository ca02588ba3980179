// The visits of closed days, one row for each: the SQL that answers filtered questions, and those about money and
// reading, from them. write-visits.ts writes them.
import { ENGAGEMENT, PAGEVIEW } from '../../vocabulary/event.ts';
import type { Dimension } from '../../vocabulary/questions/dimensions.ts';
import { isWithinDay } from '../../vocabulary/time/intervals.ts';
import { negatedBy } from '../../vocabulary/questions/operators.ts';
import type { PlainFilter } from '../../vocabulary/questions/segments.ts';
import { FURTHEST_STEP } from '../../vocabulary/questions/furthest-step.ts';
import type { Kind } from '../../vocabulary/questions/sources.ts';
import { splitsVisits } from '../sql/combination.ts';
import { type Columns, columnsFor, type Count, MONEY, type Money, numbersOf, isCountOf } from './day-columns.ts';
import { dimensionSql, type RowSql } from '../sql/dimensions.ts';
import { joinedSql, type OfValues } from '../disclosure/joined-values.ts';
import { allOf, anyOf, condition, isPlain, type OfOne, storedValues } from '../sql/filters.ts';
import { groupedByEach } from '../sql/grouping-sets.ts';
import type { OfLists } from './day-sums.ts';
import { VISITOR_KEYS } from '../sql/metrics.ts';
import { type Grouping, joinedDimension, startOfDays } from '../sql/plan.ts';
import type { Filter } from '../query.ts';
import type { Bind } from '../sql/scope.ts';
import { labelConditions, type Select } from '../sql/sql.ts';
import { derivedFrom, type SummedDay } from './summed-days.ts';

/** The columns of what was seen in a visit, and of its payments. */
export const SEEN = ['name', 'page', 'hostname'] as const;
export const PAID = [...SEEN, 'currency', 'amount', 'confirmed'] as const;

/** Row-level dimensions by their column among those of `SEEN`. Goals and properties need the events. */
const ROW_COLUMNS: Partial<Record<Dimension, (typeof SEEN)[number]>> = {
  page: 'page',
  hostname: 'hostname',
  event: 'name',
};

/** SQL conditions for what was seen in a visit; only events that count are among it. */
const KINDS: Partial<Record<Kind, string>> = {
  pageviews: `name = '${PAGEVIEW}'`,
  events: `name NOT IN ('${PAGEVIEW}', '${ENGAGEMENT}')`,
};

export function isFilterOfVisits(filter: Filter): boolean {
  if (isPlain(filter)) return isPlainOfVisits(filter);
  return filter.segments !== undefined && filter.segments.every((filters) => filters.every(isPlainOfVisits));
}

function isPlainOfVisits({ dimension }: PlainFilter): boolean {
  return dimension !== FURTHEST_STEP && isDimensionOfVisits(dimension);
}

/** `dimension`: one of people. */
const isDimensionOfVisits = (dimension: Dimension): boolean =>
  Object.hasOwn(ROW_COLUMNS, dimension) || !splitsVisits(dimension);

/** A filter on what was seen in a visit. */
type SeenFilter = {
  /** SQL condition for one page view or event, and the columns that it names. */
  matches: string;
  uses: readonly string[];
  narrows: readonly Kind[];
  keepsVisitsWithout: boolean;
};

type VisitFilters = {
  /** SQL conditions for the rows of the matching visits. */
  where: string[];
  /** SQL conditions that narrow a kind, and the columns that they name. */
  narrowing(kind: Kind): { sql: string[]; uses: readonly string[] };
};

function readVisitFilters(filters: readonly Filter[], bind: Bind): VisitFilters {
  const plain = readPlain(filters.filter(isPlain), bind);
  const ofSegments = filters.flatMap((filter) => {
    if (isPlain(filter)) return [];
    const isIn = anyOf((filter.segments ?? []).map((own) => allOf(readPlain(own, bind).where)));
    return negatedBy(filter.operator) ? `NOT (${isIn})` : `(${isIn})`;
  });
  return {
    where: [...plain.where, ...ofSegments],
    narrowing: (kind) => {
      const narrowing = plain.ofSeen.filter(({ narrows }) => narrows.includes(kind));
      return { sql: narrowing.map(({ matches }) => matches), uses: narrowing.flatMap(({ uses }) => uses) };
    },
  };
}

function readPlain(filters: readonly OfOne[], bind: Bind): { where: string[]; ofSeen: SeenFilter[] } {
  const where: string[] = [];
  const ofSeen: SeenFilter[] = [];
  for (const filter of filters) {
    const { operator } = filter;
    const dimension = filter.dimension as Dimension;
    const row = dimensionSql(dimension, bind);
    const values = bind(storedValues(filter));
    if (row.level === 'visit') {
      where.push(condition(joinedSql(row.sql, filter.rare, { day: 'day', bind }), operator, values));
      continue;
    }
    const seen = seenFilter(row, filter, values);
    ofSeen.push(seen);
    const found =
      hasOneValue(filter) && row.sql !== 'name' ? `has(seen.${row.sql}, ${bind(filter.values[0] ?? '')})` : among(seen);
    if (!filter.keepsVisits) where.push(seen.keepsVisitsWithout ? `NOT ${found}` : found);
  }
  return { where, ofSeen };
}

const hasOneValue = ({ operator, values }: PlainFilter): boolean => operator === 'is' && values.length === 1;

function seenFilter(row: RowSql, { operator }: PlainFilter, values: string): SeenFilter {
  const without = row.negativeKeeps === 'visits' ? negatedBy(operator) : undefined;
  const ofKinds = row.sql === 'name' ? [KINDS.events ?? '1'] : [];
  return {
    matches: `(${allOf([...ofKinds, condition(row.sql, without ?? operator, values)])})`,
    uses: [row.sql],
    narrows: without ? [] : row.narrows,
    keepsVisitsWithout: without !== undefined,
  };
}

/** SQL condition for visits in which something was seen that matches. */
const among = ({ matches, uses }: SeenFilter): string => `arrayExists(${overSeen(matches, uses)})`;

/** A function over what was seen, and the arrays of the columns that it uses. */
function overSeen(sql: string, uses: readonly string[]): string {
  const used = SEEN.filter((name) => uses.includes(name));
  return `(${used.join(', ')}) -> ${sql}, ${used.map((name) => `seen.${name}`).join(', ')}`;
}

/** `read`: the columns to count. The others are zero. */
type Reading = { columns: Columns; read: Columns; days: readonly SummedDay[]; bind: Bind };

/** SELECTs whose rows add up to the numbers of the closed days. */
export function visitsOf(select: Select, { columns, read, days, bind }: Reading): string[] {
  const filters = readVisitFilters(select.scope.filters, bind);
  const rows = (more: string[]) => rowsOf(filters, { days, bind, more });
  const { counts, money } = read;
  return [
    ...(counts.length > 0 ? [countsOf(select, { columns, read, filters, where: rows([]), bind })] : []),
    ...(money.length > 0 ? [moneyOf(select, { columns, filters, where: rows(['is_paying = 1']), bind })] : []),
  ];
}

/**
 * SELECTs whose rows, with `part`, add up to several lists by dimension. Those by what all rows of a visit share are counted in one pass, and
 * those by what was seen in it in another. `columns`: of all lists.
 */
export function listsOfVisits(
  selects: readonly (Select & { by: OfValues })[],
  { columns, days, sides, bind }: OfLists,
): string[] {
  const [{ scope }] = selects as [Select];
  const filters = readVisitFilters(scope.filters, bind);
  const where = rowsOf(filters, { days, bind, more: [] });
  const isOfRows = ({ by }: { by: OfValues }) => dimensionSql(by.dimension, bind).level === 'row';
  const [ofRows, ofVisits] = [selects.filter(isOfRows), selects.filter((select) => !isOfRows(select))];
  return [ofVisits, ofRows].flatMap((some) => {
    if (some.length === 0) return [];
    const read = columnsFor(some.flatMap(({ metrics }) => metrics));
    const counting = { sides, columns, read, filters, where, bind };
    const lists = some.map(({ by }) => by);
    if (some === ofVisits) return [visitsByEach(lists, counting)];
    return needsNth(read) ? lists.map((by) => seenByEach([by], counting)) : [seenByEach(lists, counting)];
  });
}

type Counted = CountsPart & Pick<OfLists, 'sides'>;

/** Counts whole visits by each of several dimensions. */
function visitsByEach(lists: readonly OfValues[], { where, ...counting }: Counted): string {
  const numbers = numbersOfSides(counting, (when) => visitCounts(counting.filters, when));
  return byEach(lists, { rows: `day_visits WHERE ${where}`, numbers, bind: counting.bind });
}

/** Counts what was seen in visits by each of several dimensions, or by one if the first row of a visit with each value matters. */
function seenByEach(lists: readonly OfValues[], counting: Counted): string {
  const numbers = numbersOfSides(counting, (when) => seenCounts(counting.filters, when));
  const { bind } = counting;
  // Page views are in no list of events.
  const isListed = (index: number) =>
    lists[index]?.dimension === 'event' ? [`NOT (grouping(key_${index}) = 0 AND key_${index} = '${PAGEVIEW}')`] : [];
  const having = lists.length > 1 ? [...lists.keys()].flatMap(isListed) : [];
  const columns = [...SEEN, ...(needsNth(counting.read) ? ['nth'] : [])];
  return byEach(lists, { rows: seenIn(lists, counting), columns, numbers, bind, having });
}

/** `columns`: those of the rows that `*` leaves out. */
type Each = { rows: string; columns?: readonly string[]; numbers: string[]; bind: Bind; having?: string[] };

function byEach(lists: readonly OfValues[], { rows, columns = [], numbers, bind, having = [] }: Each): string {
  const grouped = lists.map((by) => ({ part: bind(by.dimension), sql: joinedDimension(by, bind, 'day').sql }));
  const { keys, labels, groupBy } = groupedByEach(grouped);
  return `SELECT ${[...labels, ...numbers].join(', ')}
    FROM (SELECT ${['*', ...columns, ...keys].join(', ')} FROM ${rows}) ${groupBy} HAVING ${allOf(having)}`;
}

function numbersOfSides(
  { sides, columns, read }: Pick<Counted, 'sides' | 'columns' | 'read'>,
  countsOn: (when: string | undefined) => Partial<Record<Count, string>>,
): string[] {
  return sides.flatMap(({ prefix, when }) => {
    const sqlOf = countsOn(when);
    return numbersOf(columns, (name) => (isCountOf(read, name) ? sqlOf[name] : undefined), prefix);
  });
}

type Rows = { days: readonly SummedDay[]; bind: Bind; more: string[] };

/** SQL condition for the matching visits of some days. */
const rowsOf = ({ where }: VisitFilters, { days, bind, more }: Rows): string =>
  allOf([derivedFrom(days, bind), ...more, ...where]);

/** A SELECT of the measured page views of closed days that match the filters, in the columns of `measuredViews` in sql.ts. */
export function readOf({ scope }: Select, { days, bind }: { days: readonly SummedDay[]; bind: Bind }): string {
  const filters = readVisitFilters(scope.filters, bind);
  return `SELECT visitor AS visitor_id, read_ms, read_scroll
    FROM (SELECT * FROM day_visits WHERE ${rowsOf(filters, { days, bind, more: ['notEmpty(read.ms)'] })})
    ARRAY JOIN read.page AS page, read.hostname AS hostname, read.ms AS read_ms, read.scroll AS read_scroll
    WHERE ${allOf(filters.narrowing('pageviews').sql)}`;
}

type Part = { columns: Columns; filters: VisitFilters; where: string; bind: Bind };
/** `read`: the columns to count. The others are zero. */
type CountsPart = Part & { read: Columns };

function countsOf(select: Select, { columns, read, filters, where, bind }: CountsPart): string {
  const of = labelOf(select.by, bind);
  const sqlOf = of.ofRows ? seenCounts(filters) : visitCounts(filters);
  const numbers = numbersOf(columns, (name) => (isCountOf(read, name) ? sqlOf[name] : undefined));
  const labels = labelConditions(select, of, bind);
  const from = of.ofRows
    ? `${seenIn([of.ofRows], { read, filters, where, bind })} AND ${allOf(labels)}`
    : `day_visits WHERE ${allOf([where, ...labels])}`;
  return `SELECT ${[...of.columns, ...numbers].join(', ')} FROM ${from} ${of.groupBy}`;
}

const OF_FIRST: readonly Count[] = ['unique_visitors', 'visitor_key', 'visits'];
/** True if a list of what was seen also counts visitors or visits, which have several rows. */
const needsNth = ({ counts }: Columns): boolean => counts.some((name) => OF_FIRST.includes(name));

/**
 * A row for each page view and event of some visits that lists by row-level dimensions show. `nth`: how many of these in the same visit, up to this
 * one, have its value of the only dimension.
 */
function seenIn(lists: readonly OfValues[], { read, filters, where, bind }: Omit<CountsPart, 'columns'>): string {
  const kinds = kindsListed(lists);
  const listed = rowsListed(lists, filters);
  const visits = allOf([where, ...(kinds.includes('pageviews') ? [] : ['events > 0'])]);
  const isNarrowed = kinds.some((kind) => filters.narrowing(kind).sql.length > 0);
  const [values] = lists.map(({ dimension }) => `seen.${dimensionSql(dimension, bind).sql}`);
  const nth = `arrayEnumerateUniq(${isNarrowed ? `arrayMap(${overSeen(listed, SEEN)}), ` : ''}${values}) AS nth`;
  const columns = [...SEEN.map((name) => `seen.${name} AS ${name}`), ...(needsNth(read) ? [nth] : [])];
  return `(SELECT * FROM day_visits WHERE ${visits}) ARRAY JOIN ${columns.join(', ')} WHERE ${listed}`;
}

/** Counts of whole visits, or of what was seen in them and matches. `when`: SQL condition for the days to count. */
function visitCounts({ narrowing }: VisitFilters, when?: string): Partial<Record<Count, string>> {
  const sum = (sql: string) => (when ? `sumIf(${sql}, ${when})` : `sum(${sql})`);
  const matching = (kind: 'pageviews' | 'events') => {
    const { sql, uses } = narrowing(kind);
    if (sql.length === 0) return sum(kind);
    return sum(`arrayCount(${overSeen(allOf([KINDS[kind] ?? '1', ...sql]), ['name', ...uses])})`);
  };
  return {
    ...visitorCounts(when ? [when] : []),
    visits: sum('visits'),
    pageviews: matching('pageviews'),
    events: matching('events'),
    bounces: sum('bounces'),
    visit_ms: sum('visit_ms'),
  };
}

/** Counts of a list whose rows are a part of a visit. */
const seenCounts = ({ narrowing }: VisitFilters, when?: string): Partial<Record<Count, string>> => {
  const count = (kind: Kind) => `countIf(${allOf([ofKind(kind, narrowing), ...(when ? [when] : [])])})`;
  return {
    ...visitorCounts(['nth = 1', ...(when ? [when] : [])]),
    visits: `countIf(${allOf(['visit != 0', 'nth = 1', ...(when ? [when] : [])])})`,
    pageviews: count('pageviews'),
    events: count('events'),
  };
};

/**
 * Visitors and their keys: the remainder of a visitor's number is that of their id. Nine in ten have a single visit on a day. They are counted by
 * adding up, which takes half as long as looking each of them up.
 */
function visitorCounts(conditions: readonly string[]): Pick<Record<Count, string>, 'unique_visitors' | 'visitor_key'> {
  const single = allOf(['is_single = 1', ...conditions]);
  const others = allOf(['is_single = 0', 'visitor != 0', ...conditions]);
  return {
    unique_visitors: `countIf(${single}) + uniqExactIf(visitor, ${others})`,
    visitor_key: `(sumIf(visitor % ${VISITOR_KEYS}, ${single}) + sumDistinctIf(visitor, ${others})) % ${VISITOR_KEYS}`,
  };
}

const ofKind = (kind: Kind, narrowing: VisitFilters['narrowing']): string =>
  allOf([KINDS[kind] ?? '1', ...narrowing(kind).sql]);

/** What lists by row-level dimensions show, as `kindsOf` in plan.ts has it. */
const kindsListed = (lists: readonly OfValues[]): readonly Kind[] =>
  lists.every(({ dimension }) => dimension === 'event') ? ['events'] : ['pageviews', 'events'];

const rowsListed = (lists: readonly OfValues[], { narrowing }: VisitFilters): string =>
  anyOf(kindsListed(lists).map((kind) => ofKind(kind, narrowing)));

function moneyOf(select: Select, { columns, filters, where, bind }: Part): string {
  const of = labelOf(select.by, bind);
  const isMoney = (name: Count | Money): name is Money => columns.money.some((one) => one === name);
  const matching = (amount: string) => allOf([amount, ...filters.narrowing('orders').sql]);
  return `WITH (${matching('abs(amount) <= {max_amount:Int64}')}) AS of_orders, (${matching('abs(amount) > {max_amount:Int64}')}) AS of_implausible_orders
    SELECT ${[...of.columns, ...numbersOf(columns, (name) => (isMoney(name) ? MONEY[name].sql : undefined))].join(', ')}
    FROM (SELECT * FROM day_visits WHERE ${where}) ARRAY JOIN ${PAID.map((name) => `paid.${name} AS ${name}`).join(', ')}
    WHERE ${allOf([...(of.ofRows ? [rowsListed([of.ofRows], filters)] : []), ...labelConditions(select, of, bind)])} ${of.groupBy}`;
}

/** How the rows of visits, or of what was seen in them, are grouped. */
function labelOf(by: Grouping | undefined, bind: Bind) {
  const ofDimension = by && 'dimension' in by ? by.dimension : undefined;
  const row = by && 'dimension' in by ? joinedDimension(by, bind, 'day') : undefined;
  const interval = by && 'interval' in by ? by.interval : undefined;
  const start = interval && !isWithinDay(interval) ? startOfDays(interval, 'day') : undefined;
  const each = by && 'each' in by && by.each && !isWithinDay(by.each) ? startOfDays(by.each, 'day') : undefined;
  const label = row?.sql ?? start;
  const names = [...(label ? ['label'] : []), ...(each ? ['bucket'] : [])];
  return {
    label,
    ofRows: row?.level === 'row' && ofDimension !== undefined ? { dimension: ofDimension } : undefined,
    columns: [...(label ? [`${label} AS label`] : []), ...(each ? [`${each} AS bucket`] : [])],
    groupBy: names.length > 0 ? `GROUP BY ${names.join(', ')}` : '',
  };
}
