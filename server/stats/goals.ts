// Goals as SQL: which rows of `events` reach one. Each such row is one conversion, at the row's time. Funnels and journeys use the same
// conditions for their steps.
import { ENGAGEMENT, PAGEVIEW } from '../event.ts';
import type { GoalDefinition } from '../vocabulary/goals.ts';
import { namesId } from '../vocabulary/operators.ts';
import { type Pattern, readPattern } from '../vocabulary/page-patterns.ts';
import type { PlainFilter } from '../vocabulary/segments.ts';
import { IS_COUNTED } from './kinds.ts';
import { type Bind, IN_RANGE, type Scope } from './scope.ts';

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
  /** SQL for an array with the depth or visible time reached at each row of a view. */
  sum: string;
  least: string;
  /** Upper bound of `sum` over all views of a visit: it excludes most visits early. */
  group: string;
};

/**
 * A view of a page lasts from its page view to the visit's next view of the same page. Its engagement is stored in several rows if people
 * leave the tab and come back. Engagement sorts before a page view of the same moment: it belongs to the page that was left.
 */
function firstOfView({ onPage, sum, least, group }: Reaching): string {
  const rows = `arraySort(groupArray((time, name = '${PAGEVIEW}', event_id, engaged_ms, scroll)))`;
  const first = `view[arrayFirstIndex(reached -> reached >= ${least}, ${sum})].3`;
  return `(name = '${ENGAGEMENT}' AND ${onPage} AND event_id IN (
    SELECT arrayJoin(arrayMap(view -> ${first}, arraySplit(row -> row.2, ${rows}))) FROM events
    WHERE ${IN_RANGE} AND visit_id != 0 AND name IN ('${PAGEVIEW}', '${ENGAGEMENT}') AND ${onPage}
    GROUP BY visit_id, page HAVING ${group} >= ${least}))`;
}

/** SQL condition for the rows whose page, without its query, matches a pattern as `matchesPattern` does. RE2 takes linear time. */
function isOnPage(pattern: string, bind: Bind): string {
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

/** The goals of one statement, each with its values bound once. */
export type StatementGoals = {
  /** SQL condition for the rows that reach any goal of the site. */
  any(): string;
  /** SQL condition for the rows that reach a goal which a filter names, with "is not" too. Unknown ids match nothing. */
  anyOf(filter: PlainFilter): string;
  /** SQL for an array with the ids of the goals that a row reaches. */
  ids(): string;
};

export function openGoals({ goals = [] }: Pick<Scope, 'goals'>, bind: Bind): StatementGoals {
  const written = new Map<string, string>();
  const conditionOf = (goal: Goal): string => {
    const known = written.get(goal.id) ?? reaches(goal, bind);
    written.set(goal.id, known);
    return known;
  };
  const anyIn = (some: readonly Goal[]) => (some.length === 0 ? '0' : `(${some.map(conditionOf).join(' OR ')})`);
  return {
    any: () => anyIn(goals),
    anyOf: (filter) => anyIn([...goals, ...(filter.deleted_goals ?? [])].filter(({ id }) => namesId(filter, id))),
    ids: () => {
      const all = bind(goals.map(({ id }) => id));
      return `arrayFilter((id, reached) -> reached, ${all}, CAST([${goals.map(conditionOf).join(', ')}] AS Array(UInt8)))`;
    },
  };
}
