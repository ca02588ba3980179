// Filters as SQL. A filter keeps the matching rows of the kinds that it narrows, and all rows of other kinds in visits with a matching row.
// With several filters, a visit must have a match for each, but not necessarily on the same row. An event without a visit (sent by a
// server) counts as a visit with a single row. A visit is in a segment if it has a match for every filter of the segment. A filter by
// segment keeps whole visits and narrows no rows, so that "is" and "is not" add up to everything, in every metric.
import { FURTHEST_STEP } from '../../vocabulary/questions/furthest-step.ts';
import { negatedBy, type Operator } from '../../vocabulary/questions/operators.ts';
import { type PlainFilter, SEGMENT } from '../../vocabulary/questions/segments.ts';
import type { Kind } from '../../vocabulary/questions/sources.ts';
import { storedSources } from '../../vocabulary/questions/spellings.ts';
import { dimensionSql, NARROWED_BY_EVENTS, type RowSql } from './dimensions.ts';
import type { StatementGoals } from './goal-bits.ts';
import { joinedSql } from '../disclosure/joined-values.ts';
import { KIND_SQL } from './kinds.ts';
import type { Filter } from '../query.ts';
import { type Bind, IN_RANGE } from './scope.ts';

export const EXIT_PAGE = "argMaxIf(page, time, name = 'pageview')";

type RowFilter = {
  matches: string;
  /** Kinds of rows that the filter narrows; empty if it keeps the visits without a match. */
  narrows: readonly Kind[];
  keepsVisitsWithout: boolean;
  /** Visits need no match: see `Filter`. */
  keepsVisits?: true | undefined;
  isOfGoals?: true;
};

export type Filters = {
  /** SQL conditions that the filters set on a row's page, for a subquery that needs no other pages. */
  ofPages: readonly string[];
  /** SQL condition for the rows of a kind that match the filters. */
  rowsOf(kind: Kind): string;
  /** SQL conditions for the rows to read when counting some kinds. `anyRow`: any one row of each visit is enough. */
  rowsFor(kinds: readonly Kind[], options: { anyRow: boolean }): { where: string[]; hasWholeVisits: boolean };
};

/** The goals and funnels of the site that the filters of one statement name. */
export type Saved = {
  goals: StatementGoals;
  /** SQL condition for the visits with this furthest step of a funnel. */
  atStep(value: string): string;
};

export function readFilters(filters: readonly Filter[], bind: Bind, saved: Saved): Filters {
  const plain = readPlain(filters.filter(isPlain), bind, saved);
  const { ofRows } = plain;
  const { goals } = saved;
  const ofSegments = filters.flatMap((filter) => (isPlain(filter) ? [] : segmentCondition(filter, bind, saved)));

  const rowsOf = (kind: Kind) => {
    const narrowing = ofRows.filter(({ narrows }) => narrows.includes(kind));
    return allOf([kindSql(kind, narrowing, goals), ...narrowing.map(({ matches }) => matches)]);
  };

  return {
    ofPages: plain.ofPages,
    rowsOf,
    rowsFor: (kinds, { anyRow }) => {
      const narrowed = kinds.filter((kind) => kind !== 'visits');
      const isOfVisits = narrowed.length < kinds.length;
      const narrowsAll = ({ narrows }: RowFilter) => narrowed.every((kind) => narrows.includes(kind));
      // A filter's matching rows include at least one row of each matching visit: reading only these saves a lookup of the visits.
      const ofVisits = ofRows.filter((one) => !one.keepsVisits);
      const lead =
        isOfVisits && anyRow ? ofVisits.find((one) => !one.keepsVisitsWithout && narrowsAll(one)) : undefined;
      const where = [
        ...plain.ofVisits,
        ...plain.ofFunnels,
        ...ofSegments,
        ...(isOfVisits ? [] : [anyOf(narrowed.map(rowsOf))]),
        ...(lead ? [lead.matches] : []),
        ...inVisits(
          ofVisits.filter((one) => one !== lead && (isOfVisits || !narrowsAll(one))),
          plain,
        ),
      ];
      return { where, hasWholeVisits: isOfVisits && !lead };
    },
  };
}

/** `ofFunnels` keep whole visits, as `ofVisits` do, but are not repeated in subqueries, because each reads the events again. */
type Plain = { ofVisits: string[]; ofFunnels: string[]; ofRows: RowFilter[]; ofPages: string[] };

function readPlain(filters: readonly OfOne[], bind: Bind, { goals, atStep }: Saved): Plain {
  const read: Plain = { ofVisits: [], ofFunnels: [], ofRows: [], ofPages: [] };
  for (const filter of filters) {
    const { dimension, operator, values } = filter;
    if (dimension === 'goal') {
      read.ofRows.push({ ...goalFilter(goals, filter), keepsVisits: filter.keepsVisits });
      continue;
    }
    if (dimension === FURTHEST_STEP) {
      const there = anyOf(values.map(atStep));
      read.ofFunnels.push(negatedBy(operator) ? `NOT (${there})` : there);
      continue;
    }
    const row = dimensionSql(dimension, bind);
    const bound = bind(storedValues(filter));
    if (dimension === 'page') read.ofPages.push(condition('page', operator, bound));
    if (row.level === 'row') read.ofRows.push({ ...rowFilter(row, operator, bound), keepsVisits: filter.keepsVisits });
    else if (row.computed) read.ofVisits.push(exitCondition(filter, bound, bind));
    else read.ofVisits.push(condition(joinedSql(row.sql, filter.rare, { bind }), operator, bound));
  }
  return read;
}

/** SQL conditions for the rows of the visits that match all of these filters. The visits are looked up once for all of them. */
function inVisits(filters: readonly RowFilter[], { ofVisits }: Plain): string[] {
  const [first, another] = filters;
  if (!first) return [];
  const rows = `FROM events WHERE ${allOf([IN_RANGE, ...ofVisits])}`;
  const anyMatch = anyOf(filters.map(({ matches }) => matches));
  if (filters.every(({ keepsVisitsWithout }) => keepsVisitsWithout))
    return [
      `visit_id NOT IN (SELECT visit_id ${rows} AND visit_id != 0 AND ${anyMatch})`,
      `NOT (visit_id = 0 AND ${anyMatch})`,
    ];
  if (!another)
    return [`visit_id IN (SELECT visit_id ${rows} AND ${first.matches})`, `(visit_id != 0 OR ${first.matches})`];
  const columns = filters.map(({ matches }, index) => `(${matches}) AS match_${index}`);
  const names = filters.map((_, index) => `match_${index}`);
  const wanted = filters.map(
    ({ keepsVisitsWithout }, index) => `${keepsVisitsWithout ? 'NOT ' : ''}max(match_${index})`,
  );
  const visits = `SELECT visit_id FROM (SELECT visit_id, ${columns.join(', ')} ${rows} AND visit_id != 0)
    WHERE ${anyOf(names)} GROUP BY visit_id HAVING ${allOf(wanted)}`;
  const alone = filters.map(({ matches, keepsVisitsWithout }) => (keepsVisitsWithout ? `NOT (${matches})` : matches));
  return [`(visit_id IN (${visits}) OR (visit_id = 0 AND ${allOf(alone)}))`];
}

/** The values as the store has them. */
export const storedValues = ({ dimension, values }: PlainFilter): string[] =>
  dimension === 'source' ? storedSources(values) : values;

/** A filter by one dimension. */
export type OfOne = PlainFilter & Pick<Filter, 'keepsVisits' | 'isOfPart' | 'rare' | 'isFixed'>;

export const isPlain = (filter: Filter): filter is OfOne => filter.dimension !== SEGMENT;

/** SQL condition for the rows of the visits that are in one of the segments, or in none of them. */
function segmentCondition({ operator, segments }: Filter, bind: Bind, saved: Saved): string {
  if (!segments) throw new TypeError('The filters of a segment must be looked up before the query.');
  const isIn = anyOf(
    segments.map((filters) => {
      const plain = readPlain(filters, bind, saved);
      return allOf([...plain.ofVisits, ...plain.ofFunnels, ...inVisits(plain.ofRows, plain)]);
    }),
  );
  return negatedBy(operator) ? `NOT (${isIn})` : `(${isIn})`;
}

/** A row that matches a filter by goal reaches a goal, so it needs no other condition. */
function kindSql(kind: Kind, narrowing: readonly RowFilter[], goals: StatementGoals): string {
  const needsGoals = kind === 'conversions' && !narrowing.some(({ isOfGoals }) => isOfGoals);
  return needsGoals ? goals.any() : KIND_SQL[kind];
}

/** "is not A" keeps the visits that did not reach A, as with events. */
function goalFilter(goals: StatementGoals, filter: PlainFilter): RowFilter {
  const without = negatedBy(filter.operator);
  return {
    matches: goals.anyOf(filter),
    narrows: without ? [] : NARROWED_BY_EVENTS,
    keepsVisitsWithout: without !== undefined,
    isOfGoals: true,
  };
}

function rowFilter(row: RowSql, operator: Operator, values: string): RowFilter {
  const without = row.negativeKeeps === 'visits' ? negatedBy(operator) : undefined;
  return {
    matches: `(${allOf([hasValue(row), condition(row.sql, without ?? operator, values)])})`,
    narrows: without ? [] : row.narrows,
    keepsVisitsWithout: without !== undefined,
  };
}

/** SQL condition for the rows that have a value of a dimension. */
export function hasValue({ kinds, only = '1' }: RowSql): string {
  return allOf([anyOf(kinds.map((kind) => KIND_SQL[kind])), only]);
}

/** The exit page is '' for a visit without a page view, and for an event without a visit. */
function exitCondition({ operator, rare }: OfOne, values: string, bind: Bind): string {
  const exit = joinedSql(EXIT_PAGE, rare, { bind, ...(rare && { day: `any(${rare.dayOfEvents})` }) });
  const visits = `SELECT visit_id FROM events WHERE ${IN_RANGE} AND visit_id != 0 GROUP BY visit_id HAVING ${condition(exit, operator, values)}`;
  return `(visit_id IN (${visits}) OR (visit_id = 0 AND ${condition("''", operator, values)}))`;
}

export function condition(sql: string, operator: Operator, values: string): string {
  const contains = `arrayExists(value -> positionCaseInsensitiveUTF8(${sql}, value) > 0, ${values})`;
  switch (operator) {
    case 'is':
      return `${sql} IN ${values}`;
    case 'is_not':
      return `${sql} NOT IN ${values}`;
    case 'contains':
      return contains;
    case 'contains_not':
      return `NOT ${contains}`;
  }
}

export function allOf(conditions: readonly string[]): string {
  return conditions.filter((one) => one !== '1').join(' AND ') || '1';
}

export function anyOf(conditions: readonly string[]): string {
  return conditions.length === 1 ? allOf(conditions) : `(${conditions.map((one) => `(${one})`).join(' OR ')})`;
}
