// The one way in which the numbers of a site reach a viewer. Unfiltered totals and lists are exact, in steps while a day is open. Every narrowed
// number is withheld if it counts too few visitors, and otherwise changed by its cell key.
import { Refusal } from '../../errors.ts';
import { type Dimension, isProperty } from '../../vocabulary/questions/dimensions.ts';
import { isWithinDay } from '../../vocabulary/time/intervals.ts';
import { isIdentifying } from '../../vocabulary/questions/identifying.ts';
import { isMetric, type Metric, metricRow } from '../../vocabulary/numbers/metrics.ts';
import { byText } from '../../vocabulary/texts/order.ts';
import { SOURCES } from '../../vocabulary/questions/sources.ts';
import { DAY_MS, daysIn, startOfDay, startOfMonth } from '../../vocabulary/time/time.ts';
import { wallTime } from '../../vocabulary/time/zones.ts';
import { LONGEST } from '../days/lists.ts';
import { type Column, columnRow, sourceOfColumn } from '../sql/metrics.ts';
import type { Filter } from '../query.ts';
import type { Scope } from '../sql/scope.ts';
import type { Ask, Rows, Select } from '../sql/sql.ts';
import { convertedOf, countAlmostAll, hasSeveral } from './almost-all.ts';
import { type Cell, changedCount, changedRate, changedSum } from './cell-key.ts';
import { checkFilters, dimensionsOf, settleFilters } from './conditions.ts';
import { cornersOf } from './corners.ts';
import type { OfValues, Rare } from './joined-values.ts';
import { addToKeys, addToRow, type AskRare, type FindRare, keyedBy, openRare } from './rare-values.ts';
import { isLimited, type ViewerRule, withoutProperties } from './rule.ts';
import { type AskMoments, type DayCount, groupsOfDays, rangeInSteps, wholeGroups } from './steps.ts';

/** Most rows to read. Small numbers are withheld here and not in SQL, so longer lists are cut. */
export const MAX_ROWS = 20_000;
/** Lists of panels share one statement, as those of members do. */
const MOST_OF_PANEL = 100;
/** Rows read for each day, of which 100 are shown. */
const MAX_ROWS_A_DAY = 1_000;

/** `now`: an instant. */
type Options = { rule: ViewerRule; askMoments: AskMoments; findRare: FindRare; now: number };

type Disclosure = {
  /** The same questions, answered as the viewer may see it. */
  shown(ask: Ask): Ask;
  /** The scope that is counted for the viewer in place of a narrowed one; undefined if it holds too few visitors. `start`: narrows it, too. */
  narrowed(scope: Scope, start?: Filter): Promise<Scope | undefined>;
  /** The same for numbers that no filter narrows. */
  whole(scope: Scope): Promise<Scope>;
  /** The rare values of a dimension, which a list that `ask` does not answer joins, too. */
  rareOf(scope: Scope, dimension: Dimension): Promise<Rare | undefined>;
  /** The visitors and visits of a scope that was narrowed, with cell keys: all, or by the values of a dimension. */
  cells(scope: Scope, by?: OfValues): Promise<Rows>;
};

/** `ask`: without limits. */
export function openDisclosure(ask: Ask, { rule, ...given }: Options): Disclosure {
  const limits = { fewest: rule.fewest, ...given };
  const checkProperties = ({ filters }: Scope, others: readonly Dimension[] = []) => {
    const asked = filters.filter((filter) => !filter.isFixed).flatMap(dimensionsOf);
    if (!rule.properties && [...asked, ...others].some(isProperty)) throw withoutProperties();
  };
  return {
    shown: (asked) => {
      const answer = isLimited(rule) ? limited(asked, limits) : asked;
      return async (select) => {
        checkProperties(select.scope, dimensionOf(select));
        return answer(select);
      };
    },
    narrowed: async (scope, start) => {
      checkProperties(scope);
      if (!isLimited(rule)) return scope;
      checkPeriod(scope);
      return (await openNarrowing(scope, ask, limits)).narrow(scope.filters, start);
    },
    whole: async (scope) => (isLimited(rule) ? unfilteredScope(scope, limits) : scope),
    rareOf: async (scope, dimension) =>
      isLimited(rule) ? (await openNarrowing(scope, ask, limits)).askRare(dimension) : undefined,
    cells: async (scope, by) => {
      const all: Select = { scope, metrics: [...OF_VISITORS, 'visits'] };
      if (!isLimited(rule)) return [];
      return ask(by ? { ...all, by, limit: MAX_ROWS } : all);
    },
  };
}

type Limits = Omit<Options, 'rule'> & { fewest: number };

function limited(ask: Ask, limits: Limits): Ask {
  return async (select) => {
    const isOfPeople = select.metrics.every((metric) => SOURCES[sourceOfColumn(metric)].hasVisitors);
    if (!isOfPeople) return ask(select);
    const asked = { ...select, fewestReaders: limits.fewest };
    const isFiltered = select.scope.filters.length > 0 || select.metrics.some(isOfGoals);
    if (!isFiltered && !isNarrowed(select))
      return ask({ ...asked, scope: await unfilteredScope(select.scope, limits) });
    if (isFiltered) checkPeriod(select.scope);
    const narrowing = await openNarrowing(select.scope, ask, limits);
    const scope = isFiltered ? await narrowing.narrow(select.scope.filters) : narrowing.everybody;
    if (!scope) return [];
    // Filters that leave out nobody are the same question as none.
    const isWhole = scope.filters.length === 0 && !select.metrics.some(isOfGoals);
    const counted = isWhole ? narrowing.everybody : scope;
    if (!isNarrowed({ ...select, scope: counted })) return ask({ ...asked, scope: counted });
    return narrowedRows({ ...asked, scope: counted }, ask, { ...narrowing, ...limits });
  };
}

const dimensionOf = ({ by }: Select) => (by && 'dimension' in by ? [by.dimension] : []);
const isOfGoals = (column: Column): boolean => columnRow(column).isOfGoals === true;

/** A point of a row's trend is narrowed by the row. Conversions are narrowed by their goals. */
function isNarrowed({ scope, metrics, by, labels }: Select): boolean {
  const isOfTrends = labels !== undefined && by !== undefined && 'each' in by;
  return (
    scope.filters.length > 0 ||
    metrics.some(isOfGoals) ||
    isOfTrends ||
    dimensionOf({ scope, metrics, by }).some(isIdentifying)
  );
}

async function unfilteredScope(scope: Scope, limits: Limits): Promise<Scope> {
  return { ...scope, range: await rangeInSteps(scope, limits) };
}

type Narrowing = {
  /** The scope without filters, but for those that a share link fixes. The steps of the whole site come first, so that what filters leave out moves with these, too. */
  everybody: Scope;
  askRare: AskRare;
  /** The scope that is counted in place of the one with these filters; undefined if it holds too few visitors. `start`: narrows it, too. */
  narrow(filters: readonly Filter[], start?: Filter): Promise<Scope | undefined>;
};

async function openNarrowing(asked: Scope, ask: Ask, limits: Limits): Promise<Narrowing> {
  const { fewest } = limits;
  const everybody = await unfilteredScope(
    { ...asked, filters: asked.filters.filter((filter) => filter.isFixed) },
    limits,
  );
  const askRare = openRare(limits.findRare, {
    scope: everybody,
    groups: async () => groupsOfDays(await askDayCounts(everybody, ask), fewest),
    today: startOfDay(everybody.range.zone === undefined ? limits.now : wallTime(limits.now, everybody.range.zone)),
  });
  /** Counted by day, as `wholeGroups` needs it: both are one question. */
  const countOf = async (filters: Filter[]) => {
    const days = await askDayCounts({ ...everybody, filters }, ask);
    return days.reduce((sum, { day, visitors }) => (day >= everybody.range.from ? sum + visitors : sum), 0);
  };
  return {
    everybody,
    askRare,
    narrow: async (given, start) => {
      checkFilters(given.filter((filter) => !filter.isFixed));
      const all = { ...everybody, filters: [...given, ...(start ? [start] : [])] };
      const filters = await settleFilters({ scope: all, countOf, askRare, ask, fewest });
      if (!filters) return undefined;
      const own = { ...everybody, filters };
      const range = await rangeInSteps(own, limits);
      const days = await askDayCounts({ ...own, range }, ask);
      const groups = wholeGroups(range, groupsOfDays(days, fewest));
      return groups && { ...own, range: { ...range, ...groups } };
    },
  };
}

/** Throws bad_request for a rolling period: narrowed numbers are those of whole days, because groups of visitors begin with a day. */
function checkPeriod({ range }: Scope): void {
  if (range.rolls)
    throw new Refusal('bad_request', 'period: a shared dashboard shows this for whole days only, not up to now.');
}

/** The visitors of each day of a range, and of the days before it in its first month. */
async function askDayCounts({ range, ...scope }: Scope, ask: Ask): Promise<DayCount[]> {
  const whole = { ...scope, range: { ...range, from: startOfMonth(range.from) } };
  const rows = await ask({ scope: whole, metrics: ['unique_visitors'], by: { interval: 'day' } });
  const counts = new Map(rows.map((row) => [Number(row['label']), Number(row['unique_visitors'])]));
  return daysIn(whole.range).map((day) => ({ day, visitors: counts.get(day) ?? 0 }));
}

/** What is counted beside the metrics of a question, to withhold and change them: the visitors of each row, and those who converted. */
const OF_VISITORS: Counted = ['unique_visitors', 'visitor_key'];
const OF_CONVERTED: Counted = ['converted_visitors', 'converted_key'];
type Counted = [visitors: Column, key: Column];

type Narrowed = Pick<Limits, 'fewest'> & Pick<Narrowing, 'askRare'>;

async function narrowedRows(select: Select, ask: Ask, { fewest, askRare }: Narrowed): Promise<Rows> {
  const { metrics, by, limit = 10, offset = 0, order } = select;
  const startOf = startOfRows(select);
  const isGoals = dimensionOf(select).includes('goal');
  const needsOrders = metrics.some((metric) => columnRow(metric).counts === 'orders');
  const counted = [
    ...metrics,
    ...(isGoals ? [] : OF_VISITORS),
    ...(isGoals || metrics.some(isOfGoals) ? OF_CONVERTED : []),
    ...(needsOrders ? (['orders'] as const) : []),
  ];
  const isOfBuckets = by !== undefined && 'each' in by && by.each !== undefined;
  const [dimension] = dimensionOf(select);
  const rare = dimension && (await askRare(dimension));
  const whole: Select = {
    ...select,
    metrics: [...new Set(counted)],
    offset: 0,
    limit: isOfBuckets ? MAX_ROWS_A_DAY : offset + limit <= MOST_OF_PANEL ? LONGEST : MAX_ROWS,
    order: undefined,
    ...(rare && by && 'dimension' in by && { by: { ...by, rare } }),
  };
  const changing = { columns: metrics.filter(isMetric), isGoals, fewest };
  const askRows = async (of: Select) => {
    const [rows, totals] = await Promise.all([
      askAll(of, ask, fewest),
      hasSeveral(dimension) ? ask(totalsOf(of)) : undefined,
    ]);
    const almost = totals
      ? countAlmostAll(rows, totals, { fewest, isGoals })
      : metrics.some(isOfGoals)
        ? rows.map((row) => convertedOf(row, row, fewest))
        : rows;
    const keyed = keyedBy(of.scope.filters);
    return addToKeys(rare ? addToRow(almost, rare, startOf) : almost, keyed, startOf);
  };
  const split = cornersOf(select.scope.filters);
  const askCorners = (split?.corners ?? []).map(async ({ sign, filters }) => {
    const corner = { ...whole, scope: { ...select.scope, filters } };
    const rows = new Map((await askRows(corner)).map((row) => [nameOf(row), row]));
    return { sign, isExact: !isNarrowed(corner), rows };
  });
  const isTotal = split?.addUp && whole.metrics.every(isSum);
  const [corners, asked, totals] = await Promise.all([
    Promise.all(askCorners),
    isTotal ? undefined : askRows(whole),
    dimension && !isGoals ? askShownTotals(select, ask, { fewest, askRare }) : [],
  ]);
  const found = asked ?? totalOf(corners);
  const rows = found.flatMap((row): Rows => {
    const shown = changedRow(row, changing);
    const summed = shown && split ? summedOver(corners, { row, shown, changing }) : shown;
    return summed ? [summed] : [];
  });
  if (!by || 'interval' in by || 'hoursOfWeek' in by) return rows;
  const sorted = withinTotals(rows, totals).toSorted(inOrder(order ?? { by: metrics[0] ?? 'name', direction: 'desc' }));
  if (isOfBuckets)
    return [...Map.groupBy(sorted, (row) => row['bucket']).values()].flatMap((ofBucket) => ofBucket.slice(0, limit));
  return sorted.slice(offset, offset + limit).map((row) => ({ ...row, total: sorted.length }));
}

/** Where rows are of buckets of time: a wall time on the last day of a row's bucket. */
function startOfRows({ by, scope }: Select): ((row: Row) => number) | undefined {
  const interval = by && ('interval' in by ? by.interval : 'each' in by ? by.each : undefined);
  if (!by || !interval) return undefined;
  const { zone } = scope.range;
  const lastDayOf = (start: number) => {
    if (interval === 'month') return startOfMonth(start + 31 * DAY_MS) - DAY_MS;
    if (interval === 'week') return start + 6 * DAY_MS;
    return isWithinDay(interval) && zone !== undefined ? wallTime(start, zone) : start;
  };
  return (row) => lastDayOf(Number(row['interval' in by ? 'label' : 'bucket']));
}

/** What no row of a list has more of than its total. */
const ADDED_UP = ['unique_visitors', 'visits', 'pageviews', 'events'] as const satisfies Metric[];

/** All that the filters of a list leave; for a list of each bucket of time, in each. All lists of a dashboard share this statement. */
function totalsOf({ scope, by }: Select): Select {
  const each = by && 'each' in by ? by.each : undefined;
  return { scope, metrics: [...new Set([...ADDED_UP, ...OF_VISITORS])], ...(each && { by: { interval: each } }) };
}

/** The totals of a list, as a viewer sees them. */
async function askShownTotals(select: Select, ask: Ask, narrowed: Narrowed): Promise<Rows> {
  const totals = totalsOf(select);
  return isNarrowed(totals) ? narrowedRows({ ...totals, metrics: [...ADDED_UP] }, ask, narrowed) : ask(totals);
}

/** Each row is changed by itself, and might otherwise be shown above its total. */
function withinTotals(rows: Rows, totals: Rows): Rows {
  const totalOf = new Map(totals.map((total) => [total['label'], total]));
  return rows.map((row) => {
    const total = totalOf.get(row['bucket']);
    const isIn = (of: Row, column: string) => (of[column] ?? null) !== null;
    const columns = total ? ADDED_UP.filter((column) => isIn(row, column) && isIn(total, column)) : [];
    const within = columns.map((column) => [column, Math.min(numberIn(row, column), numberIn(total ?? row, column))]);
    return { ...row, ...Object.fromEntries(within) };
  });
}

/** The rows of a list that enough visitors may have made: all of them, since they are withheld, changed and sorted here. */
async function askAll(select: Select, ask: Ask, fewest: number): Promise<Rows> {
  const { limit, metrics } = select;
  const rows = await ask(select);
  if (limit !== LONGEST || rows.length < LONGEST) return rows;
  const isOver = rows.some((row) => numberIn(row, metrics[0] ?? '') < fewest); // no later row has more, nor more visitors
  return isOver ? rows : ask({ ...select, limit: MAX_ROWS });
}

type Row = Rows[number];
type Changing = { columns: readonly Metric[]; isGoals: boolean; fewest: number };

const numberIn = (row: Row, column: string): number => Number(row[column] ?? 0);

const cellOf = (row: Row, [visitors, key]: Counted): Cell => ({
  visitors: numberIn(row, visitors),
  key: numberIn(row, key),
});

/** A row as a viewer sees it; undefined if it is withheld. */
function changedRow(row: Row, { columns, isGoals, fewest }: Changing): Row | undefined {
  const converted = cellOf(row, OF_CONVERTED);
  const visitors = isGoals ? converted : cellOf(row, OF_VISITORS);
  const countsGoals = isGoals || columns.some(isOfGoals);
  if (visitors.visitors < fewest || (countsGoals && converted.visitors < fewest)) return undefined;
  const shown: Row = { ...row };
  const cellFor = (column: Column) => (isOfGoals(column) ? converted : visitors);
  const valueOf = (column: string) => numberIn(row, column);
  for (const column of columns) {
    const cell = cellFor(column);
    const { unit } = metricRow(column);
    if (row[column] === null) continue; // not told
    if (unit === 'count') shown[column] = changedCount(cell, valueOf(column), { what: column, fewest });
    else if (unit === 'money')
      shown[column] = changedSum(cell, valueOf(column), { count: valueOf('orders'), what: column, fewest });
    else shown[column] = changedRate(cell, valueOf(column), { unit, what: column, fewest });
  }
  for (const name of Object.keys(row).filter((one) => one === 'read_views' || one.startsWith('reach_')))
    shown[name] = changedCount(visitors, valueOf(name), { what: 'read_views', fewest });
  if (
    columns.includes('visits') &&
    columns.includes('unique_visitors') &&
    valueOf('visits') >= valueOf('unique_visitors')
  )
    shown['visits'] = Math.max(Number(shown['visits']), Number(shown['unique_visitors']));
  if (columns.some((column) => shown[column] !== 0)) return shown;
  return undefined;
}

/** The rows of a statement with cells (`cellSql`) as a viewer sees them. `columns`: counts. `filters`: of the narrowed scope. */
export const changedRows =
  (columns: readonly Metric[], filters: readonly Filter[] = []) =>
  (rows: Rows, rule: ViewerRule): Rows =>
    isLimited(rule)
      ? addToKeys(rows, keyedBy(filters))
          .map((row) => changedRow(row, { columns, isGoals: false, fewest: rule.fewest }))
          .filter((row) => row !== undefined)
      : rows;

/** Rows by their label, or by label and bucket. */
const nameOf = (row: Row): string => JSON.stringify([row['label'], row['bucket']]);

/** True for what adds up: counts, sums of money, and cell keys. */
const isSum = (column: string): boolean =>
  column.endsWith('_key') ||
  (isMetric(column) && column !== 'average_order' && ['count', 'money'].includes(metricRow(column).unit));

type OfCorner = { sign: 1 | -1; isExact: boolean; rows: ReadonlyMap<string, Row> };
/** The sums of corners, where a visitor has one value of each dimension. */
function totalOf(corners: readonly OfCorner[]): Rows {
  const totals = new Map<string, Row>();
  for (const { sign, rows } of corners)
    for (const [name, row] of rows) {
      const total = totals.get(name) ?? {
        ...row,
        ...Object.fromEntries(
          Object.keys(row)
            .filter(isSum)
            .map((column) => [column, 0]),
        ),
      };
      for (const column of Object.keys(row).filter(isSum))
        total[column] = Number(total[column]) + sign * Number(row[column]);
      totals.set(name, total);
    }
  return [...totals.values()];
}

type Summing = { row: Row; shown: Row; changing: Changing };

/**
 * A row under filters with several values, or negative ones, is changed by what its corners are changed by: so it is the sum of the answers for
 * its values, and asking for another union tells no more than these do. Averages and rates have the change of their own visitors.
 */
function summedOver(corners: readonly OfCorner[], { row, shown, changing }: Summing): Row | undefined {
  const summed = { ...shown };
  for (const column of changing.columns.filter(isSum)) {
    const exact = numberIn(row, column);
    let value = exact;
    for (const { sign, isExact, rows } of corners) {
      const own = rows.get(nameOf(row));
      if (isExact || !own) continue;
      value += sign * (numberIn(changedRow(own, changing) ?? {}, column) - numberIn(own, column));
    }
    const rounded = Math.round(value * 100) / 100;
    summed[column] = exact < 0 ? rounded : Math.max(0, rounded); // revenue is negative where more was refunded than paid
  }
  const visitors = changing.isGoals ? 'converted_visitors' : 'unique_visitors';
  const hasFew = changing.columns.includes(visitors) && numberIn(summed, visitors) < changing.fewest;
  return hasFew ? undefined : summed;
}

function inOrder({ by, direction }: NonNullable<Select['order']>) {
  const byName = (one: Row, other: Row) => byText(String(one['label']), String(other['label']));
  const inDirection = (one: Row, other: Row) =>
    by === 'name' ? byName(one, other) : Number(one[by]) - Number(other[by]);
  return (one: Row, other: Row): number =>
    (direction === 'asc' ? inDirection(one, other) : inDirection(other, one)) || byName(one, other);
}
