// Goals as SQL: which rows of `events` reach one. Each such row is one conversion, at the row's time. Funnels and journeys use the same
// conditions for their steps.
import { ENGAGEMENT, PAGEVIEW } from '../event.ts';
import type { GoalDefinition } from '../vocabulary/goals.ts';
import { type Pattern, readPattern } from '../vocabulary/page-patterns.ts';
import { IN_RANGE } from './filters.ts';
import type { Bind } from './scope.ts';

/**
 * SQL condition for the rows of `events` that reach a goal, within a query whose values were bound by `openBound`. An event goal is reached
 * by its event, which may lack a visit; a page goal by a page view. A scroll or time goal is reached once per view of the page: by
 * the first engagement row of the view with which the depth, or the sum of the visible time, gets to the goal.
 */
export function reaches(goal: GoalDefinition, bind: Bind): string {
  switch (goal.kind) {
    case 'event':
      return allOfGoal([
        `name = ${bind(goal.event)}`,
        ...Object.entries(goal.props).map(([key, value]) => hasProperty(bind(key), bind(value))),
      ]);
    case 'page':
      return allOfGoal([`name = '${PAGEVIEW}'`, isOnPage(goal.page, bind)]);
    case 'scroll':
      return firstOfView({
        onPage: isOnPage(goal.page, bind),
        sum: 'arrayMap(row -> row.5, view)',
        least: bind(goal.scroll),
        group: 'max(scroll)',
      });
    case 'time':
      return firstOfView({
        onPage: isOnPage(goal.page, bind),
        sum: 'arrayCumSum(row -> row.4, view)',
        least: bind(goal.seconds * 1000),
        group: 'sum(engaged_ms)',
      });
  }
}

const allOfGoal = (conditions: string[]) => `(${conditions.join(' AND ')})`;

/** A property that was not sent is not the same as an empty one. */
const hasProperty = (key: string, value: string) => `mapContains(props, ${key}) AND props[${key}] = ${value}`;

type Reaching = {
  onPage: string;
  /** What has been reached with each row of a view, as an array. */
  sum: string;
  least: string;
  /** An upper bound of it for all views of a visit: most visits are left out by it. */
  group: string;
};

/**
 * A view of a page lasts from its page view to the visit's next view of the same page. Its engagement is stored in several rows when people
 * leave the tab and come back. At the same moment, engagement comes before a page view: it is that of the page that was left.
 */
function firstOfView({ onPage, sum, least, group }: Reaching): string {
  const rows = `arraySort(groupArray((time, name = '${PAGEVIEW}', event_id, engaged_ms, scroll)))`;
  const first = `view[arrayFirstIndex(reached -> reached >= ${least}, ${sum})].3`;
  return `(name = '${ENGAGEMENT}' AND ${onPage} AND event_id IN (
    SELECT arrayJoin(arrayMap(view -> ${first}, arraySplit(row -> row.2, ${rows}))) FROM events
    WHERE ${IN_RANGE} AND visit_id != 0 AND name IN ('${PAGEVIEW}', '${ENGAGEMENT}') AND ${onPage}
    GROUP BY visit_id, page HAVING ${group} >= ${least}))`;
}

/** SQL condition for the rows on the pages of a pattern: `matchesPattern` of the page without its query. RE2 takes linear time. */
function isOnPage(pattern: string, bind: Bind): string {
  return `match(page, ${bind(regexOf(readPattern(pattern)))})`;
}

/** Slashes at the end do not count, and `**` needs more than these. */
function regexOf({ parts, isOpen }: Pattern): string {
  const segments = parts.map((part) =>
    'text' in part ? literal(part.text) : `${literal(part.before)}[^/?]+${literal(part.after)}`,
  );
  const path = segments.map((segment) => `/${segment}`).join('');
  if (!isOpen) return `^${path}/*(\\?|$)`;
  return segments.length === 0 ? '^/' : `^${path}/[^?]*[^/?]`;
}

const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
