// The SQL that answers several lists of closed days in one statement: see together.ts.
import type { Range } from '../../vocabulary/time/periods.ts';
import { dayOf } from '../../vocabulary/time/time.ts';
import { BEFORE, columnsFor, isOfDays, numbersOf, isCountOf, metricOfSide, type Side } from './day-columns.ts';
import type { OfValues } from '../disclosure/joined-values.ts';
import { countedEvents, type OfLists, sumsOfLists } from './day-sums.ts';
import { listsOfVisits } from './day-visits.ts';
import { allOf, anyOf } from '../sql/filters.ts';
import { withNeeds } from '../sql/metrics.ts';
import { type Bind, openBound, type Statement } from '../sql/scope.ts';
import { labelConditions, type Rows, type Select } from '../sql/sql.ts';
import { notOn, type SummedDay, unsummedRange } from './summed-days.ts';

/**
 * A list by a dimension over the whole range, the largest rows first. `before`: its rows also have their metrics in this range, see
 * `rowBefore`.
 */
export type ListSelect = Select & { by: OfValues; before?: Range | undefined };

/** Longer lists are asked for alone: those of details and of exports. */
export const LONGEST = 300;

export function isList(select: Select): select is ListSelect {
  const { metrics, by, order, offset = 0, limit = 10 } = select;
  return (
    by !== undefined &&
    'dimension' in by &&
    by.each === undefined &&
    order === undefined &&
    offset === 0 &&
    limit <= LONGEST &&
    metrics.every(isOfDays) &&
    columnsFor(metrics).money.length === 0
  );
}

/** The closed days of a range and of the one before, the earliest first. */
type OfDays = { days: readonly SummedDay[] };

/**
 * True if one pass can count the rows of both ranges: none is in both, and at most one range has days that are read from events, whose rows
 * are counted apart.
 */
export const isComparable = ([range, before]: readonly [Range, Range], { days }: OfDays): boolean =>
  range.zone === before.zone &&
  (before.to <= range.from || range.to <= before.from) &&
  !(unsummedRange(range, days) && unsummedRange(before, days));

/** A range, and the one before if there is one. */
function sidesOf({ scope: { range }, before }: ListSelect, bind: Bind): Side[] {
  if (!before) return [{ prefix: '' }];
  const isLater = before.from > range.from;
  const start = bind(dayOf((isLater ? before : range).from));
  const [earlier, later] = [`day < ${start}`, `day >= ${start}`];
  return [
    { prefix: '', when: isLater ? earlier : later },
    { prefix: BEFORE, when: isLater ? later : earlier },
  ];
}

/**
 * The rows of several lists of closed days, all of the same scope and with the same range before. They are those of `buildFromDays`, with
 * their dimension as `part`. Lists by the same dimension may differ only in their length.
 */
export function buildLists(lists: readonly ListSelect[], { days }: OfDays): Statement {
  const selects = [...new Map(lists.map((select) => [select.by.dimension, select])).values()];
  const [first] = selects as [ListSelect];
  const { scope, before } = first;
  const rests = [scope.range, ...(before ? [before] : [])].map((range) => unsummedRange(range, days));
  const ofRest = { ...scope, range: rests.find(Boolean) ?? scope.range };
  const { bound, bind } = openBound(ofRest);
  const sides = sidesOf(first, bind);
  const metrics = [...new Set(selects.flatMap((select) => withNeeds(select.metrics)))];
  const columns = columnsFor(metrics);
  const counting = { columns, days, sides, bind };
  const sources = [
    ...(scope.filters.length > 0
      ? listsOfVisits(selects, counting)
      : [
          sumsOfLists(
            selects.map(({ by }) => by),
            counting,
          ),
        ]),
    ...rests.flatMap((rest, index) =>
      rest
        ? selects.map((select) => listOfEvents({ ...select, scope: ofRest }, { ...counting, own: sides[index] }))
        : [],
    ),
  ];
  const shown = sides.flatMap((side) => metrics.map((metric) => metricOfSide(metric, { ...side, days })));
  const counted = `SELECT part, label, ${shown.join(', ')} FROM (${sources.join('\nUNION ALL\n')}) GROUP BY part, label`;
  const isListed = (select: ListSelect) =>
    allOf([
      anyOf(select.metrics.map((metric) => `${metric} != 0`)),
      ...labelConditions(select, { label: 'label' }, bind),
    ]);
  const listed = selects.flatMap((select) => [isPart(select, bind), isListed(select)]);
  const sizes = selects.flatMap((select) => [isPart(select, bind), `toFloat64(${String(select.metrics[0])})`]);
  // The engine analyses one multiIf far faster than conditions joined by OR.
  return {
    sql: `SELECT *, count() OVER (PARTITION BY part) AS total FROM (${counted}) AS counted WHERE multiIf(${listed.join(', ')}, 0)
      ORDER BY part, multiIf(${sizes.join(', ')}, 0) DESC, label ASC LIMIT ${bind(Math.max(...lists.map(limitOf)))} BY part`,
    bound,
  };
}

/** The numbers of the range before in a row of a list that has one. */
export const rowBefore = (row: Rows[number]): Rows[number] =>
  Object.fromEntries(
    Object.entries(row).flatMap(([name, value]) =>
      name.startsWith(BEFORE) ? [[name.slice(BEFORE.length), value]] : [],
    ),
  );

const limitOf = ({ limit = 10 }: Select): number => limit;

/** The rows of each list, from those of its `buildLists`. */
export function splitLists(lists: readonly ListSelect[], rows: Rows): Rows[] {
  const byPart = Map.groupBy(rows, ({ part }) => part);
  return lists.map((select) =>
    (byPart.get(select.by.dimension) ?? []).slice(0, limitOf(select)).map(({ part: _part, ...row }) => row),
  );
}

const isPart = ({ by }: ListSelect, bind: Bind): string => `part = ${bind(by.dimension)}`;

/** The rows of days that are not closed, in the columns of all lists. `own`: the side on which these days are. */
function listOfEvents(
  select: ListSelect,
  { columns, days, sides, own, bind }: OfLists & { own: Side | undefined },
): string {
  const read = columnsFor(select.metrics);
  const counted = countedEvents(select, { columns: read, conditions: notOn(select.scope.range, days, bind), bind });
  const numbers = sides.flatMap((side) =>
    numbersOf(columns, (name) => (side === own && isCountOf(read, name) ? name : undefined), side.prefix),
  );
  return `SELECT ${bind(select.by.dimension)} AS part, label, ${numbers.join(', ')} FROM (${counted})`;
}
