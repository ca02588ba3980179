// Goals as SQL: which rows of `events` reach one. Each such row is one conversion, at the row's time. Funnels and journeys use the same
// conditions for their steps.
import { ENGAGEMENT, PAGEVIEW } from '../event.ts';
import type { GoalDefinition } from '../vocabulary/goals.ts';
import { type Pattern, readPattern } from '../vocabulary/page-patterns.ts';
import { IS_COUNTED } from './kinds.ts';
import { type Bind, IN_RANGE } from './scope.ts';

/**
 * SQL condition for the rows of `events` that reach a goal, for a query whose values `openBound` bound. An event goal is reached by its
 * event, which may lack a visit; a page goal by a page view. A scroll or time goal is reached once per page view, by the first engagement
 * row at which the depth, or the total visible time so far, is enough.
 */
export function reaches(goal: GoalDefinition, bind: Bind): string {
  switch (goal.kind) {
    case 'event':
      return allOfGoal([
        `name = ${bind(goal.event)}`,
        IS_COUNTED,
        ...Object.entries(goal.props).map(([key, value]) => hasProperty(bind(key), bind(value))),
      ]);
    case 'page':
      return allOfGoal([`name = '${PAGEVIEW}'`, isOnPage(goal.page, bind)]);
    case 'scroll':
      return firstOfView({
        onPage: isOnPage(goal.page, bind),
        least: bind(goal.scroll),
        value: 'scroll',
        reached: 'arrayMap(row -> row.4, view)',
        severalRows: (least) => `countIf(scroll >= ${least}) > 1`,
      });
    case 'time':
      return firstOfView({
        onPage: isOnPage(goal.page, bind),
        least: bind(goal.seconds * 1000),
        value: 'engaged_ms',
        reached: 'arrayCumSum(row -> row.4, view)',
        severalRows: (least) => `count() > 1 AND sum(engaged_ms) >= ${least}`,
      });
  }
}

const allOfGoal = (conditions: string[]) => `(${conditions.join(' AND ')})`;

/** A property that was not sent is not the same as an empty one. */
const hasProperty = (key: string, value: string) => `mapContains(props, ${key}) AND props[${key}] = ${value}`;

type Reaching = {
  onPage: string;
  least: string;
  /** The column of an engagement row that is compared with `least`. */
  value: string;
  /** SQL for an array with the depth or visible time reached at each row of a view. */
  reached: string;
  /** SQL condition, over the engagement of a visit with a page, that its rows must be followed one by one. */
  severalRows: (least: string) => string;
};

/**
 * A view of a page lasts from its page view to the visit's next view of the same page. Its engagement is stored in several rows if people
 * leave the tab and come back. Engagement sorts before a page view of the same moment: it belongs to the page that was left.
 *
 * Most views have one such row, and its own value tells whether it reaches the goal. Only visits with several rows on a page are followed
 * row by row, to find the exceptions: rows after the first that reached the goal, and rows that reach it together with earlier ones.
 */
function firstOfView({ onPage, least, value, reached, severalRows }: Reaching): string {
  const isRead = `${IN_RANGE} AND visit_id != 0 AND ${onPage}`;
  const visits = `SELECT visit_id FROM events WHERE ${isRead} AND name = '${ENGAGEMENT}' GROUP BY visit_id, page HAVING ${severalRows(least)}`;
  const rows = `arraySort(groupArray((time, name = '${PAGEVIEW}', event_id, ${value})))`;
  const views = `SELECT arrayJoin(arraySplit(row -> row.2, ${rows})) AS view, view[arrayFirstIndex(value -> value >= ${least}, ${reached})].3 AS first
    FROM events WHERE ${isRead} AND name IN ('${PAGEVIEW}', '${ENGAGEMENT}') AND visit_id IN (${visits}) GROUP BY visit_id, page`;
  const exceptions = `SELECT arrayJoin(arrayFilter(row -> (row.4 >= ${least}) != (row.3 = first), view)).3 FROM (${views})`;
  return `(name = '${ENGAGEMENT}' AND visit_id != 0 AND ${onPage} AND (${value} >= ${least}) != (event_id IN (${exceptions})))`;
}

/** SQL condition for the rows whose page, without its query, matches a pattern as `matchesPattern` does. RE2 takes linear time. */
export function isOnPage(pattern: string, bind: Bind): string {
  return `match(page, ${bind(regexOf(readPattern(pattern)))})`;
}

/** Trailing slashes are ignored, and do not count as a segment for `**`. */
function regexOf({ parts, isOpen }: Pattern): string {
  const segments = parts.map((part) =>
    'text' in part ? literal(part.text) : `${literal(part.before)}[^/?]+${literal(part.after)}`,
  );
  const path = segments.map((segment) => `/${segment}`).join('');
  if (!isOpen) return `^${path}/*(\\?|$)`;
  return segments.length === 0 ? '^/' : `^${path}/[^?]*[^/?]`;
}

const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** A goal of the site with its id. */
export type Goal = { id: string } & GoalDefinition;
