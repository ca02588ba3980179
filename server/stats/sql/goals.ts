// Goals as SQL: which rows of `events` reach one. Each such row is one conversion, at the row's time. Funnels and journeys use the same
// conditions for their steps.
import { PAGEVIEW } from '../../vocabulary/event.ts';
import type { GoalDefinition } from '../../vocabulary/questions/goals.ts';
import { IS_COUNTED } from './kinds.ts';
import { isOnPage } from './on-page.ts';
import { bitsOfReading, isOfReading, type ReadingGoal } from './reading-goals.ts';
import type { Bind } from './scope.ts';

type Alone = Exclude<GoalDefinition, ReadingGoal>;

/** The kinds that a row reaches by its own columns. An event goal is reached by its event, which may lack a visit; a page goal by a page view. */
const CONDITIONS: { [Kind in Alone['kind']]: (goal: Extract<Alone, { kind: Kind }>, bind: Bind) => string[] } = {
  event: (goal, bind) => [
    `name = ${bind(goal.event)}`,
    IS_COUNTED,
    ...Object.entries(goal.props).map(([key, value]) => hasProperty(bind(key), bind(value))),
  ],
  page: (goal, bind) => [`name = '${PAGEVIEW}'`, isOnPage(goal.page, bind)],
};

/** SQL condition for the rows of `events` that reach a goal, for a query whose values `openBound` bound. */
export function reaches(goal: GoalDefinition, bind: Bind): string {
  if (isOfReading(goal)) return `(${bitsOfReading([{ goal, bit: 0 }], bind)} != 0)`;
  const conditions = CONDITIONS[goal.kind] as (goal: Alone, bind: Bind) => string[];
  return `(${conditions(goal, bind).join(' AND ')})`;
}

/** A property that was not sent is not the same as an empty one. */
const hasProperty = (key: string, value: string) => `mapContains(props, ${key}) AND props[${key}] = ${value}`;

/** A goal of the site with its id. */
export type Goal = { id: string } & GoalDefinition;
