// Goals as SQL: which rows of `events` reach one. Each such row is one conversion, at the row's time. Funnels and journeys use the same
// conditions for their steps.
import { PAGEVIEW } from '../../vocabulary/event.ts';
import type { GoalDefinition } from '../../vocabulary/questions/goals.ts';
import { IS_COUNTED } from './kinds.ts';
import { isOnPage } from './on-page.ts';
import { bitsOfReading } from './reading-goals.ts';
import type { Bind } from './scope.ts';

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
    case 'time':
      return `(${bitsOfReading([{ goal, bit: 0 }], bind)} != 0)`;
  }
}

const allOfGoal = (conditions: string[]) => `(${conditions.join(' AND ')})`;

/** A property that was not sent is not the same as an empty one. */
const hasProperty = (key: string, value: string) => `mapContains(props, ${key}) AND props[${key}] = ${value}`;

/** A goal of the site with its id. */
export type Goal = { id: string } & GoalDefinition;
