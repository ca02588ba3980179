// What a viewer may see: somebody with a share link, a reader of reports without an account, or a member of a site that shows its people
// no small numbers. Members of other sites have no rule, and see everything.
import { Refusal } from '../../errors.ts';
import { type GoalDefinition, hasPropertyConditions } from '../../vocabulary/questions/goals.ts';
import type { PlainFilter } from '../../vocabulary/questions/segments.ts';
import type { LinkRules } from '../../vocabulary/settings/share-links.ts';
import type { Filter } from '../query.ts';
import type { Rows } from '../sql/sql.ts';

export type ViewerRule = {
  /** Properties of events, which may contain anything that the site sends. */
  properties: boolean;
  /** Narrowed numbers of fewer visitors are withheld, and what is open advances by at least so many. 1: the viewer sees every number. */
  fewest: number;
  /** What a share link holds its viewers to: see link-rules.ts. */
  link?: LinkRules;
};

/**
 * What a viewer gets of the rows of a statement, which may tell visitors apart. A statement that `ask` does not build does not compile without
 * saying so.
 */
export type ForViewers = 'nothing about visitors' | ((rows: Rows, rule: ViewerRule) => Rows);

/** The fewest visitors that a row of a narrowed list may have; 0 for members. */
export const fewestOf = (rule: ViewerRule | undefined): number => (isLimited(rule) ? rule.fewest : 0);

/** True if numbers are withheld and changed. */
export const isLimited = (rule: ViewerRule | undefined): rule is ViewerRule => rule !== undefined && rule.fewest > 1;

/**
 * A goal with property conditions, or a funnel with such a step, reveals as much as the properties do. Viewers who may not see properties get
 * no figures for it, as if it were unknown.
 */
export function visibleTo<Defined extends GoalDefinition | { steps: readonly GoalDefinition[] }>(
  rule: ViewerRule | undefined,
  all: readonly Defined[],
): readonly Defined[] {
  if (!rule || rule.properties) return all;
  return all.filter((one) => {
    const conditions: readonly GoalDefinition[] = 'steps' in one ? one.steps : [one];
    return !conditions.some(hasPropertyConditions);
  });
}

/** The same for the deleted goals that a segment keeps. */
export function withVisibleGoals(rule: ViewerRule | undefined, filters: readonly Filter[]): Filter[] {
  const visible = <Kept extends PlainFilter | Filter>(filter: Kept): Kept => ({
    ...filter,
    ...('deleted_goals' in filter && { deleted_goals: visibleTo(rule, filter.deleted_goals ?? []) }),
  });
  return filters.map((filter) => ({
    ...visible(filter),
    ...(filter.segments && { segments: filter.segments.map((own) => own.map(visible)) }),
  }));
}

/** Throws forbidden if a step of a funnel has a property condition and the viewer may not see properties. */
export function checkConditions({ properties }: ViewerRule, steps: readonly GoalDefinition[]): void {
  if (!properties && steps.some(hasPropertyConditions)) throw withoutProperties();
}

export function withoutProperties(): Refusal {
  return new Refusal('forbidden', 'This shared dashboard does not show properties of events.');
}
