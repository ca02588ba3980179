// The SQL of web vitals: the measured page views that filters leave, and what is counted of them.
// Rows of closed days stay as they are, at 29 bytes a view: 15 of them are ids and instants, 6 the values, 8 what filters ask for. Tried with the
// 5 million views of bench/speed.ts: rows of page, device, country, browser and connection alone take 7.4 bytes, of which the values are 6.1, and lose
// the filters by visit, source, city, entry page and goal. Sums of such rows save nothing: 5 million views lie in 3.5 million cells, and in 5.0 million
// with one value. Sums by page alone have 11 million numbers a month. As a projection by page and day, with the figures of each, these take 8 bytes a
// view more once all parts are merged and 11 before: names then take 10 to 15 ms of CPU in place of 59, but the figures of eight pages 72 to 113 in
// place of 131, since the engine also reads those of the pages beside them.
// Other codecs and types save 2 %: entry_page as LowCardinality 0.5 bytes, time with T64 after Delta 0.1; more of ZSTD, Delta for ids, differences
// of the times and values without LowCardinality save nothing or cost. Only event_id has more to give, with 8 of the 29.
import { type Interval, isWithinDay } from '../../vocabulary/time/intervals.ts';
import type { Range } from '../../vocabulary/time/periods.ts';
import { isDimension } from '../../vocabulary/questions/dimensions.ts';
import {
  poorOf,
  type Vital,
  VITAL_NAMES,
  VITALS,
  type VITALS_ORDERS,
  type VitalsSplit,
} from '../../vocabulary/numbers/vitals.ts';
import { sourceOfQuestion } from '../sql/combination.ts';
import { dimensionSql } from '../sql/dimensions.ts';
import { allOf, condition, isPlain, type OfOne, readFilters, storedValues } from '../sql/filters.ts';
import { openSaved } from '../funnels/funnel-sql.ts';
import { isOfWholeDays, startOf, startOfDays } from '../sql/plan.ts';
import type { Filter } from '../query.ts';
import { type Bind, IN_RANGE, type Scope } from '../sql/scope.ts';

/** The share of a page view's own columns and those of its visit: a filter by them reads no events. */
type Sorted = { ofRow: OfOne[]; ofVisit: Filter[]; others: Filter[] };

function sortFilters(filters: readonly Filter[], bind: Bind): Sorted {
  const sorted: Sorted = { ofRow: [], ofVisit: [], others: [] };
  for (const filter of filters) {
    if (!isPlain(filter) || !isDimension(filter.dimension)) sorted.others.push(filter);
    else if (filter.dimension === 'page' || filter.dimension === 'hostname') sorted.ofRow.push(filter);
    else {
      const row = dimensionSql(filter.dimension, bind);
      (row.level === 'visit' && !row.computed ? sorted.ofVisit : sorted.others).push(filter);
    }
  }
  return sorted;
}

/**
 * The day of a row, which takes a fraction of the time that reading its instant does. Days of UTC are those of the instants, also for whoever asks in UTC
 * about a site with a zone. Where no row there lies on another day, as for a site without a zone, it is the same: the store knows that from
 * what it keeps of each day, and then reads no instant. For 5 million views that is 92 ms of CPU in place of 182.
 */
const UTC_DAY = `if((SELECT count() = 0 FROM vitals WHERE site_id = {site_id:String}
  AND toDate(time) >= {first_day:Date} - 1 AND toDate(time) <= {last_day:Date} + 1 AND day != toDate(time)), day, toDate(time))`;
const dayOfMeasured = ({ zone }: Range): string => (zone === undefined ? UTC_DAY : 'day');

/** Whole days. A row may lie on a neighbouring day of UTC. A view from a time when the site had another zone stays on the day that it had then. */
const inDaysOf = (
  day: string,
): string => `site_id = {site_id:String} AND ${day} >= {first_day:Date} AND ${day} <= {last_day:Date}
  AND indexHint(toDate(time) >= {first_day:Date} - 1 AND toDate(time) <= {last_day:Date} + 1)`;

/** SQL for the start of the bucket of a measured row. */
export const bucketOf = (interval: Interval, range: Range): string =>
  isWithinDay(interval) ? startOf(interval, range, 'time') : startOfDays(interval, dayOfMeasured(range));

/** SQL condition for the measured page views in a scope: those of the pages that filters name, in the visits that match the other filters. */
export const measuredRows = (scope: Scope, bind: Bind): string => rowsOn(dayOfMeasured(scope.range), scope, bind);

/** The same of a table with the columns of their visits. `day`: SQL for the day of a row. */
export function rowsOn(day: string, scope: Scope, bind: Bind): string {
  const { filters, range } = scope;
  sourceOfQuestion({ metrics: ['pageviews'], filters });
  const { ofRow, ofVisit, others } = sortFilters(filters, bind);
  const saved = openSaved(scope, bind);
  const visits = (some: Filter[], anyRow: boolean) => readFilters(some, bind, saved).rowsFor(['visits'], { anyRow });
  return allOf([
    isOfWholeDays(range) ? inDaysOf(day) : IN_RANGE,
    ...(ofVisit.length > 0 ? visits(ofVisit, false).where : []),
    ...ofRow.map((filter) => condition(filter.dimension, filter.operator, bind(storedValues(filter)))),
    ...(others.length > 0
      ? [
          `visit_id IN (SELECT visit_id FROM events WHERE ${allOf([IN_RANGE, 'visit_id != 0', ...visits(others, true).where])})`,
        ]
      : []),
  ]);
}

/** SQL for the 75th percentile of the values that are stored: few, so that counting each is as fast as a digest, and exact. */
export const percentile = (vital: Vital): string => `quantileExactWeighted(0.75)(${vital}, isNotNull(${vital}))`;

/**
 * The figures of each vital: its 75th percentile, and how many views have it, with a good and with a poor value. They are written as in
 * store/schema/008-vitals-by-visitor.sql, which keeps those of each day. The columns are 32-bit numbers, in which 0.1 is more than 0.1.
 */
export const figuresSql = (): string =>
  VITAL_NAMES.flatMap((vital) => [
    `${percentile(vital)} AS ${vital}_p75`,
    `count(${vital}) AS ${vital}_views`,
    `countIf(${vital} <= toFloat32(${VITALS[vital].good})) AS ${vital}_good`,
    `countIf(${vital} > toFloat32(${VITALS[vital].poor})) AS ${vital}_poor`,
  ]).join(', ');

/**
 * The same of some views, of which nothing is kept, in 70 % of the time: without NULL in what is summed.
 * `names`: a column that is not read takes no time, and reading them takes most of it.
 */
export const figuresOfSome = (names: readonly Vital[] = VITAL_NAMES): string =>
  names
    .flatMap((vital) => [
      `sum(isNotNull(${vital})) AS ${vital}_views`,
      `if(${vital}_views = 0, NULL, quantileExactWeighted(0.75)(assumeNotNull(${vital}), isNotNull(${vital}))) AS ${vital}_p75`,
      `sum(ifNull(${vital} <= toFloat32(${VITALS[vital].good}), 0)) AS ${vital}_good`,
      `sum(ifNull(${vital} > toFloat32(${VITALS[vital].poor}), 0)) AS ${vital}_poor`,
    ])
    .join(', ');

/** SQL for what a list is sorted by. Rows without the vital come last. */
export function orderSql(by: (typeof VITALS_ORDERS)[number] | 'name'): string {
  const slow = VITAL_NAMES.find((vital) => poorOf(vital) === by);
  if (slow) return `if(count(${slow}) = 0, NULL, countIf(${slow} > toFloat32(${VITALS[slow].poor})) / count(${slow}))`;
  const vital = VITAL_NAMES.find((one) => one === by);
  return vital ? percentile(vital) : 'count()';
}

/** SQL for the value of a row that a list is split by. `only`: condition for the rows that have one. */
export function splitSql(split: VitalsSplit, bind: Bind): { label: string; only: string } {
  if (split === 'page_group') return { label: "concat('/', splitByChar('/', toString(page))[2])", only: '1' };
  if (!isDimension(split)) return { label: split, only: `${split} != ''` };
  return { label: dimensionSql(split, bind).sql, only: '1' };
}
