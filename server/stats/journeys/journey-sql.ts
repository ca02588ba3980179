// Journeys as SQL. Each visit with the start becomes a list of its pages and events after the start, or before it. Each prefix of such a
// list is a branch. The events are read once.
import { ENGAGEMENT } from '../../vocabulary/event.ts';
import { FEWEST_VISITS, type JourneyDirection } from '../../vocabulary/questions/journeys.ts';
import { allOf, readFilters } from '../sql/filters.ts';
import { openSaved } from '../funnels/funnel-sql.ts';
import { END } from './journey-branches.ts';
import { KIND_SQL } from '../sql/kinds.ts';
import { VISITOR_KEYS } from '../sql/metrics.ts';
import { inDays } from '../sql/plan.ts';
import { type Bind, IN_RANGE, openBound, type Scope, type Statement } from '../sql/scope.ts';

/** Maps a page to the page that it counts as. */
export type Renamed = ReadonlyMap<string, string>;

export type BranchSelect = {
  scope: Scope;
  /** SQL condition for the rows at which a journey may start. */
  starts: (bind: Bind) => string;
  direction: JourneyDirection;
  /** Includes the start. */
  steps: number;
  renamed: Renamed;
  /** Branches of fewer visitors are left out, and the others have the cell of their visitors. 0 for members. */
  fewest: number;
  limit: number;
};

/**
 * Rows have `branch`, the ids of its nodes without the start, and its `visits`. They are sorted by visits, and a branch comes before those
 * that continue it, so the limit never cuts off the beginning of a branch. The first row has an empty branch and all visits of the journey.
 */
export function buildBranches({ scope, starts, steps, renamed, ...select }: BranchSelect): Statement {
  const { bound, bind } = openBound(scope);
  const { where } = readFilters(scope.filters, bind, openSaved(scope, bind)).rowsFor(['visits'], { anyRow: false });
  const rows = `SELECT visitor_id, visit_id, (${starts(bind)}) AS is_start, ${keySql(nodeSql(renamed, bind))} AS key FROM events
      WHERE ${allOf([IN_RANGE, 'visit_id != 0', ...where])} AND (${KIND_SQL.pageviews} OR ${KIND_SQL.events} OR is_start)`;
  const hasVisitors = select.fewest > 0;
  const cell = `, groupUniqArrayArray(visitors) AS people, length(people) AS unique_visitors, arraySum(people) % ${VISITOR_KEYS} AS visitor_key`;
  return {
    sql: [
      `WITH ${wayOf(select.direction)} AS way,`,
      // Engagement rows that match the start are not nodes, except for the one where the journey starts.
      'arrayPushFront(arrayFilter(node -> node != 0, arraySlice(way, 2)), way[1]) AS nodes,',
      `arraySlice(arrayPushBack(arraySlice(arrayCompact(nodes), 2), ${END}), 1, ${steps - 1}) AS path`,
      'SELECT toJSONString(arrayMap(node -> toString(node), beginning)) AS branch, sum(own) AS visits',
      `${hasVisitors ? cell : ''} FROM (`,
      'SELECT arrayJoin(arrayMap(length -> arraySlice(path, 1, length), range(length(path) + 1))) AS beginning, *',
      `FROM (SELECT path, count() AS own${hasVisitors ? ', groupUniqArray(visitor) AS visitors' : ''}`,
      `FROM (SELECT path, any(visitor_id) AS visitor FROM (${rows}) GROUP BY visit_id HAVING max(is_start))`,
      'GROUP BY path))',
      'GROUP BY beginning',
      `HAVING (visits >= ${FEWEST_VISITS} OR empty(beginning))`,
      hasVisitors ? `AND unique_visitors >= ${select.fewest}` : '',
      `ORDER BY visits DESC, length(beginning), beginning LIMIT ${select.limit}`,
    ].join('\n'),
    bound,
  };
}

/** Rows have `id`, a node of branches, with its name as `label`, and `is_page`. */
export function buildNodeNames(scope: Scope, renamed: Renamed, ids: string[]): Statement {
  const { bound, bind } = openBound(scope);
  return {
    sql: [
      `SELECT toString(${nodeSql(renamed, bind)}) AS id, any(${KIND_SQL.pageviews}) AS is_page,`,
      `any(if(${KIND_SQL.pageviews}, ${pageSql(renamed, bind)}, name)) AS label FROM`,
      `(SELECT name, page FROM events WHERE ${inDays(scope.range)} GROUP BY name, page)`,
      `GROUP BY id HAVING id IN ${bind(ids)}`,
    ].join('\n'),
    bound,
  };
}

/** The sort key of a row, in 128 bits: its time, its rank among rows of the same moment, whether it matches the start, and its node. */
const keySql = (node: string) =>
  `bitOr(bitShiftLeft(toUInt128(toUnixTimestamp64Milli(time)) * 8 + ${PLACE} * 2 + is_start, 64), ${node})`;
/** As for goals, engagement belongs to the page that was left, so it sorts before a page view of the same moment. */
const PLACE = `multiIf(${KIND_SQL.pageviews}, 1, name = '${ENGAGEMENT}', 0, 2)`;
const IS_START = 'key -> toBool(bitAnd(toUInt64(bitShiftRight(key, 64)), 1))';

/** The nodes of a visit from its first match of the start on, or backwards from its last one. A node is the lower half of a key. */
function wayOf(direction: JourneyDirection): string {
  const keys = 'arraySort(groupArray(key)) AS keys';
  const way =
    direction === 'forwards'
      ? `arraySlice(keys, arrayFirstIndex(${IS_START}, keys))`
      : `arrayReverse(arraySlice(keys, 1, arrayLastIndex(${IS_START}, keys)))`;
  return `${keys}, arrayMap(key -> toUInt64(key), ${way})`;
}

/** The id of a page or an event; 0 for engagement. Numbers are compared and grouped faster than names. */
const nodeSql = (renamed: Renamed, bind: Bind) =>
  `multiIf(${KIND_SQL.pageviews}, cityHash64(${pageSql(renamed, bind)}), name = '${ENGAGEMENT}', 0, cityHash64('event', name))`;

function pageSql(renamed: Renamed, bind: Bind): string {
  if (renamed.size === 0) return 'page';
  return `transform(page, ${bind([...renamed.keys()])}, ${bind([...renamed.values()])}, page)`;
}
