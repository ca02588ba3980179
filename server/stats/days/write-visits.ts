// The SQL that writes the visits of closed days, one row for each: see store/schema/003-closed-days.sql.
import { ENGAGEMENT, PAGEVIEW, WHOLE_VISIT_NAMES } from '../../vocabulary/event.ts';
import { DAY_MS, readDay } from '../../vocabulary/time/time.ts';
import { allOf, anyOf, EXIT_PAGE } from '../sql/filters.ts';
import { IS_ORDER, KIND_SQL } from '../sql/kinds.ts';
import { VISITOR_KEYS } from '../sql/metrics.ts';
import { IN_RANGE, openBound, type Scope, type Statement } from '../sql/scope.ts';
import { isMeasured } from '../sql/views.ts';
import { PAID, SEEN } from './day-visits.ts';

const READ = ['page', 'hostname', 'ms', 'scroll'] as const;

/** Numbers of a day's visits and visitors begin here, so that no number is of two days. Those of visitors end with their key. */
const firstNumber = (day: string): number => ((readDay(day) ?? NaN) / DAY_MS) * NUMBERS_A_DAY;
const NUMBERS_A_DAY = 2 ** 32;

/** The same as the sum of `is_mixed`, for visits that slices have split because their rows are of different visitors. */
export function buildSplitVisits(scope: Scope): Statement {
  const { bound } = openBound(scope);
  return {
    sql: `SELECT count() AS visits FROM (SELECT visit_id FROM events WHERE ${IN_RANGE} AND visit_id != 0
      GROUP BY visit_id HAVING min(visitor_id) != max(visitor_id))`,
    bound,
  };
}

/** The page views and engagement of a visit in the order of views.ts, page after page. */
const VIEW_ROWS = `arraySort(groupArrayIf(((page, time), name = '${PAGEVIEW}', event_id, engaged_ms, scroll, hostname), visit_id != 0 AND name IN ('${PAGEVIEW}', '${ENGAGEMENT}')))`;
const pageOf = (row: string) => `tupleElement(tupleElement(${row}, 1), 1)`;
/** The measured views of a visit, as views.ts has them. The rows are passed once: visits may have thousands of pages. */
const READ_VIEWS = `arrayMap(
    view -> (${pageOf('view[1]')}, view[1].6, arraySum(row -> row.4, view), arrayMax(row -> row.5, view)),
    arrayFilter(view -> ${isMeasured('view')}, arraySplit(
      (row, page_before) -> row.2 OR ${pageOf('row')} != page_before, rows, arrayRotateRight(arrayMap(row -> ${pageOf('row')}, rows), 1))))`;

/** One of `slices` parts of a day, each with all visits of some visitors. */
type Slice = { day: string; summing: string; slice: number; slices: number };

/** Writes the visits of a slice under the name of this run. `scope`: the day. */
export function buildVisits(scope: Scope, { day, summing, slice, slices }: Slice): Statement {
  const { bound, bind } = openBound(scope);
  const first = `toUInt64(${bind(firstNumber(day) + Math.floor((NUMBERS_A_DAY / slices) * slice))})`;
  const isOfSlice = `if(visitor_id = 0, event_id, visitor_id) % ${bind(slices)} = ${bind(slice)}`;
  const listed = (array: string, columns: readonly string[]) =>
    columns.map((name, index): [string, string] => [
      `\`${array}.${name}\``,
      `arrayMap(one -> one.${index + 1}, all_${array})`,
    ]);
  const values: [column: string, sql: string][] = [
    ['site_id', '{site_id:String}'],
    ['is_paying', 'notEmpty(all_paid)'],
    ['day', `toDate(${bind(day)})`],
    ['summing', bind(summing)],
    [
      'visitor',
      `if(one_visitor = 0, 0, (${first} + dense_rank() OVER (ORDER BY one_visitor)) * ${VISITOR_KEYS} + one_visitor % ${VISITOR_KEYS})`,
    ],
    ['visit', `if(one_visit = 0, 0, ${first} + row_number() OVER (ORDER BY one_visitor))`],
    ['is_single', 'one_visitor != 0 AND count() OVER (PARTITION BY one_visitor) = 1'],
    ['is_mixed', 'is_mixed'],
    ...WHOLE_VISIT_NAMES.map((name): [string, string] => [name, `one_${name}`]),
    ['exit_page', "if(one_visit = 0, '', last_page)"],
    ['visits', 'all_visits'],
    ['pageviews', 'all_pageviews'],
    ['events', 'all_events'],
    ['bounces', 'all_bounces'],
    ['visit_ms', 'all_ms'],
    ...listed('seen', SEEN),
    ...listed('paid', PAID),
    ...listed('read', READ),
  ];
  const differs = `cityHash64(visitor_id, ${WHOLE_VISIT_NAMES.join(', ')})`;
  const visits = [
    'visit_id AS one_visit, any(visitor_id) AS one_visitor',
    `min(${differs}) != max(${differs}) AS is_mixed`,
    ...WHOLE_VISIT_NAMES.map((name) => `any(${name}) AS one_${name}`),
    `${EXIT_PAGE} AS last_page, sum(visit_started) AS all_visits, sum(bounces) AS all_bounces, sum(visit_ms) AS all_ms`,
    `countIf(${KIND_SQL.pageviews}) AS all_pageviews, countIf(${KIND_SQL.events}) AS all_events`,
    `groupArrayIf((${SEEN.join(', ')}), ${anyOf([KIND_SQL.pageviews, KIND_SQL.events])}) AS all_seen`,
    `groupArrayIf((${PAID.join(', ')}), ${IS_ORDER}) AS all_paid`,
    `${VIEW_ROWS} AS rows, ${READ_VIEWS} AS all_read`,
  ];
  return {
    sql: `INSERT INTO day_visits (${values.map(([column]) => column).join(', ')}) SELECT ${values.map(([, sql]) => sql).join(', ')}
      FROM (SELECT ${visits.join(', ')} FROM events WHERE ${allOf([IN_RANGE, ...(slices > 1 ? [isOfSlice] : [])])} GROUP BY visit_id, if(visit_id = 0, event_id, 0))`,
    bound,
  };
}
