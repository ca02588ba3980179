// The sums of closed days: the SQL that writes them, and the SQL that reads them in place of the days' events.
import { isIdentifying } from '../../vocabulary/questions/identifying.ts';
import { isWithinDay } from '../../vocabulary/time/intervals.ts';
import { splitsVisits } from '../sql/combination.ts';
import type { Metric } from '../../vocabulary/numbers/metrics.ts';
import {
  type Columns,
  columnsFor,
  COUNTS,
  KEPT,
  MONEY,
  numbersOf,
  OF_VISITS,
  REACHED,
  isCountOf,
  type Side,
} from './day-columns.ts';
import { anyOf } from '../sql/filters.ts';
import { joinedSql, type OfValues } from '../disclosure/joined-values.ts';
import { type Grouping, planOf, startOfDays } from '../sql/plan.ts';
import { type Bind, openBound, type Scope, type Statement } from '../sql/scope.ts';
import { countedRows, labelConditions, type Select } from '../sql/sql.ts';
import { derivedFrom, notOn, SUMMED_DIMENSIONS, type SummedDay, sumsTable } from './summed-days.ts';

type OfSums = { columns: Columns; days: readonly SummedDay[]; bind: Bind };
/** Several lists, of one range or of two. */
export type OfLists = OfSums & { sides: readonly Side[] };

/** Reads the sums of days without filters. `columns`: the sums hold no money. */
export function sumsOf(select: Select, { columns, days, bind }: OfSums): string {
  const { by } = select;
  const where = [
    derivedFrom(days, bind),
    `dimension = ${bind(by && 'dimension' in by ? by.dimension : '')}`,
    ...(by && 'dimension' in by ? labelConditions(select, { label: 'label' }, bind) : []),
  ];
  return `SELECT ${[...labelsOfSums(by, bind), ...sumNumbers(columns)].join(', ')} FROM ${sumsTable(days)} WHERE ${where.join(' AND ')}`;
}

/** Reads the sums of days for lists by several dimensions: rows have `part`, the dimension. */
export function sumsOfLists(lists: readonly OfValues[], { columns, days, sides, bind }: OfLists): string {
  const numbers = sides.flatMap((side) => sumNumbers(columns, side));
  const joined = lists.flatMap((by) => (by.rare ? [`dimension = ${bind(by.dimension)}`, joinedLabel(by, bind)] : []));
  const label = joined.length > 0 ? `multiIf(${joined.join(', ')}, ${LABEL}) AS label` : 'label';
  return `SELECT ${['dimension AS part', label, ...numbers].join(', ')} FROM ${sumsTable(days)}
    WHERE ${derivedFrom(days, bind)} AND dimension IN ${bind(lists.map(({ dimension }) => dimension))}`;
}

const LABEL = 'day_sums.label';
const joinedLabel = ({ rare }: Pick<OfValues, 'rare'>, bind: Bind): string =>
  joinedSql(LABEL, rare, { day: 'day', bind });

function sumNumbers(columns: Columns, { prefix, when }: Side = { prefix: '' }): string[] {
  const sqlOf = (name: string) => (when ? `if(${when}, ${name}, 0)` : name);
  return numbersOf(columns, (name) => (isCountOf(columns, name) ? sqlOf(name) : undefined), prefix);
}

function labelsOfSums(by: Grouping | undefined, bind: Bind): string[] {
  if (!by || 'hoursOfWeek' in by) return [];
  if ('interval' in by) return isWithinDay(by.interval) ? [] : [`${startOfDays(by.interval, 'day')} AS label`];
  const label = by.rare ? `${joinedLabel(by, bind)} AS label` : 'label';
  return by.each && !isWithinDay(by.each) ? [label, `${startOfDays(by.each, 'day')} AS bucket`] : [label];
}

/**
 * Counts the days that other products counted without telling a number which the metric needs, if there are such numbers. `days`: those days. Rows have
 * `untold`.
 */
export function buildUntold(scope: Scope, { metric, days }: { metric: Metric; days: readonly SummedDay[] }): Statement {
  const { bound, bind } = openBound(scope);
  const isUntold = anyOf(columnsFor([metric]).counts.map((name) => `isNull(${name})`));
  return {
    sql: `SELECT uniqExact(day) AS untold FROM imported_sums WHERE ${derivedFrom(days, bind)} AND dimension = '' AND ${isUntold}`,
    bound,
  };
}

type Counting = { columns: Columns; conditions: readonly string[]; bind: Bind };

/** Counts the columns of closed days from events. */
export function countedEvents(select: Select, { columns, conditions, bind }: Counting): string {
  const { scope, by } = select;
  const { counts, money } = columns;
  const ofVisits = OF_VISITS.filter((name) => counts.includes(name));
  const kept = [...KEPT, ...REACHED].filter((name) => counts.includes(name));
  const metrics = [
    ...kept,
    ...(ofVisits.length > 0 ? (['bounce_rate'] as const) : []),
    ...(money.length > 0 ? (['orders', 'implausible_orders'] as const) : []),
  ];
  const plan = planOf({ scope, metrics, by }, bind);
  const shown = { ...plan, columns: plan.columns.filter(({ metric }) => kept.some((name) => name === metric)) };
  return countedRows(shown, 'events', {
    conditions: [...labelConditions(select, plan, bind), ...conditions],
    more: [
      ...ofVisits.map((name) => `sum(${name}) AS ${name}`),
      ...money.map((name) => `${MONEY[name].sql} AS ${name}`),
    ],
  });
}

/** What days are summed by: '' is for the totals of a day. */
const SUMMED = ['' as const, ...SUMMED_DIMENSIONS];

const countsOf = (dimension: (typeof SUMMED)[number]): (typeof COUNTS)[number][] =>
  (dimension !== '' && splitsVisits(dimension) ? KEPT : COUNTS).filter(
    (name) => name !== 'visitor_key' || (dimension !== '' && isIdentifying(dimension)), // nothing else is changed for viewers
  );

/** Writes the sums of a day for each dimension, and for the day itself, under the name of this run. `scope`: the day. */
export function buildSums(scope: Scope, { day, summing }: { day: string; summing: string }): Statement {
  const { bound, bind } = openBound(scope);
  const name = bind(summing);
  const on = bind(day);
  const parts = SUMMED.map((dimension) => {
    const counts = countsOf(dimension);
    const by = dimension === '' ? undefined : { dimension };
    const columns = { counts, money: [] };
    const counted = countedEvents({ scope, metrics: [], by }, { columns, conditions: [], bind });
    const numbers = COUNTS.map((column) => (counts.includes(column) ? column : `0 AS ${column}`));
    return `SELECT {site_id:String} AS site_id, ${bind(dimension)} AS dimension, toDate(${on}) AS day, ${name} AS summing,
      ${[dimension === '' ? "'' AS label" : 'label', ...numbers].join(', ')} FROM (${counted})`;
  });
  const into = ['site_id', 'dimension', 'day', 'summing', 'label', ...COUNTS];
  return { sql: `INSERT INTO day_sums (${into.join(', ')})\n${parts.join('\nUNION ALL\n')}`, bound };
}

/**
 * Counts the days of a range for an export, those that other products counted too. Rows have `date`, `dimension` ('' for the totals), `value` and
 * the numbers. `imported`: the days of other products. `textOf`: SQL for a text.
 */
export function buildDailySums(
  scope: Scope,
  { imported, textOf }: { imported: readonly SummedDay[]; textOf: (sql: string) => string },
): Statement {
  const { bound, bind } = openBound(scope);
  const counted = SUMMED.map((dimension) => {
    const counts = countsOf(dimension).filter((name) => name !== 'visitor_key');
    const by = dimension === '' ? { interval: 'day' as const } : { dimension, each: 'day' as const };
    const of = { columns: { counts, money: [] }, conditions: notOn(scope.range, imported, bind), bind };
    const numbers = EXPORTED_COUNTS.map((name) => `toInt64(${counts.includes(name) ? name : '0'}) AS ${name}`);
    const [at, value] = dimension === '' ? ['label', "''"] : ['bucket', 'toString(label)'];
    return `SELECT toDate(fromUnixTimestamp64Milli(${at}, 'UTC')) AS date, ${bind(dimension)} AS dimension, ${[`${value} AS value`, ...numbers].join(', ')}
      FROM (${countedEvents({ scope, metrics: [], by }, of)})`;
  });
  const ofOthers = EXPORTED_COUNTS.map((name) => `toInt64(${sumOfOthers(name)}) AS ${name}`);
  const others =
    imported.length === 0
      ? []
      : [
          `SELECT day AS date, toString(dimension), label AS value, ${ofOthers.join(', ')} FROM imported_sums
            WHERE ${derivedFrom(imported, bind)} AND dimension != 'goal' GROUP BY day, dimension, label`,
        ];
  const shown = EXPORTED_COUNTS.map((name) => EXPORTED_AS[name as keyof typeof EXPORTED_AS] ?? name);
  return {
    sql: `SELECT date, dimension, ${[`${textOf('value')} AS value`, ...shown].join(', ')} FROM (${[...counted, ...others].join('\nUNION ALL\n')}) AS days
      WHERE dimension = '' OR days.value != '' OR unique_visitors + ifNull(pageviews, 0) + events > 0
      ORDER BY date, dimension, days.value`,
    bound,
  };
}

/** A part of the bounces, beside all visits, would be another rate: then they are not told. */
const sumOfOthers = (name: (typeof COUNTS)[number]): string =>
  OF_VISITS.some((one) => one === name)
    ? `if(countIf(isNull(imported_sums.${name})) > 0, NULL, sum(imported_sums.${name}))`
    : `sum(imported_sums.${name})`;

const EXPORTED_COUNTS = COUNTS.filter((name) => name !== 'visitor_key');
/** The row that ends a bounce may be of another value than the one that began it. */
const EXPORTED_AS = {
  bounces: 'if(days.bounces < 0, 0, days.bounces) AS bounces',
  visit_ms: 'visit_ms / 1000 AS visit_seconds',
};
