// The SQL that answers several lists of closed days in one statement: see together.ts.
import type { Dimension } from '../vocabulary/dimensions.ts';
import type { Metric } from '../vocabulary/metrics.ts';
import { type Columns, columnsFor, isOfDays, numbersOf, isCountOf } from './day-columns.ts';
import { countedEvents, sumsOfLists } from './day-sums.ts';
import { listsOfVisits } from './day-visits.ts';
import { allOf, anyOf } from './filters.ts';
import { notOn } from './from-days.ts';
import { metricSql, withNeeds } from './metrics.ts';
import { type Bind, openBound, type Statement } from './scope.ts';
import { labelConditions, type Rows, type Select } from './sql.ts';
import { type SummedDay, unsummedRange } from './summed-days.ts';

/** A list by a dimension over the whole range, the largest rows first. */
export type ListSelect = Select & { by: { dimension: Dimension } };

/** Longer lists are asked for alone: those of details and of exports. */
const LONGEST = 300;

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

type OfDays = { days: readonly SummedDay[] };

/**
 * The rows of several lists of closed days, all of the same scope. They are those of `buildFromDays`, with their dimension as `part`. Lists
 * by the same dimension may differ only in their length.
 */
export function buildLists(lists: readonly ListSelect[], { days }: OfDays): Statement {
  const selects = [...new Map(lists.map((select) => [select.by.dimension, select])).values()];
  const [{ scope }] = selects as [ListSelect];
  const rest = unsummedRange(scope.range, days);
  const { bound, bind } = openBound(rest ? { ...scope, range: rest } : scope);
  const metrics = [...new Set(selects.flatMap((select) => withNeeds(select.metrics)))];
  const columns = columnsFor(metrics);
  const ofRest = rest && { ...scope, range: rest };
  const sources = [
    ...(scope.filters.length > 0
      ? listsOfVisits(selects, { columns, days, bind })
      : [
          sumsOfLists(
            selects.map(({ by }) => by.dimension),
            { columns, days, bind },
          ),
        ]),
    ...(ofRest ? selects.map((select) => listOfEvents({ ...select, scope: ofRest }, { columns, days, bind })) : []),
  ];
  const shown = metrics.map((metric) => `${metricSql(metric).ofDays} AS ${metric}`);
  const counted = `SELECT part, label, ${shown.join(', ')} FROM (${sources.join('\nUNION ALL\n')}) GROUP BY part, label`;
  const isListed = (select: ListSelect) =>
    allOf([
      anyOf(select.metrics.map((metric) => `${metric} != 0`)),
      ...labelConditions(select, { label: 'label' }, bind),
    ]);
  const listed = selects.flatMap((select) => [isPart(select, bind), isListed(select)]);
  const sizes = selects.flatMap((select) => [isPart(select, bind), `toFloat64(${select.metrics[0] as Metric})`]);
  // The engine analyses one multiIf far faster than conditions joined by OR.
  return {
    sql: `SELECT *, count() OVER (PARTITION BY part) AS total FROM (${counted}) AS counted WHERE multiIf(${listed.join(', ')}, 0)
      ORDER BY part, multiIf(${sizes.join(', ')}, 0) DESC, label ASC LIMIT ${bind(Math.max(...lists.map(limitOf)))} BY part`,
    bound,
  };
}

const limitOf = ({ limit = 10 }: Select): number => limit;

/** The rows of each list, from those of its `buildLists`. */
export function splitLists(lists: readonly ListSelect[], rows: Rows): Rows[] {
  const byPart = Map.groupBy(rows, ({ part }) => part);
  return lists.map((select) =>
    (byPart.get(select.by.dimension) ?? []).slice(0, limitOf(select)).map(({ part: _part, ...row }) => row),
  );
}

const isPart = ({ by }: ListSelect, bind: Bind): string => `part = ${bind(by.dimension)}`;

/** The rows of days that are not closed, in the columns of all lists. */
function listOfEvents(select: ListSelect, { columns, days, bind }: OfDays & { columns: Columns; bind: Bind }): string {
  const own = columnsFor(select.metrics);
  const counted = countedEvents(select, { columns: own, conditions: notOn(select.scope.range, days, bind), bind });
  const numbers = numbersOf(columns, (name) => (isCountOf(own, name) ? name : undefined));
  return `SELECT ${bind(select.by.dimension)} AS part, label, ${numbers.join(', ')} FROM (${counted})`;
}
