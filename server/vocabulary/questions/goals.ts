// Goals and funnels, in the form that the API, the dashboard and the directory share.

export const MAX_GOALS = 100;
export const MAX_FUNNELS = 50;
export const MIN_STEPS = 2;
export const MAX_STEPS = 8;
/** Property conditions of one goal. */
export const MAX_CONDITIONS = 10;
/** One day: no engagement with a page is longer. */
export const MAX_GOAL_SECONDS = 86_400;

/** `page` is a path or a pattern (see texts/page-patterns.ts). */
export type GoalDefinition =
  /** An event with this name and all of these property values. */
  | { kind: 'event'; event: string; props: Record<string, string> }
  /** A view of the page. */
  | { kind: 'page'; page: string }
  /** The page was scrolled to at least `scroll` per cent, 1 to 100. */
  | { kind: 'scroll'; page: string; scroll: number }
  /** The page was visible for at least `seconds` within one view. */
  | { kind: 'time'; page: string; seconds: number };

/** The kinds, each with what its condition consists of. */
export const GOAL_FIELDS: Readonly<Record<GoalDefinition['kind'], readonly string[]>> = {
  event: ['event', 'props'],
  page: ['page'],
  scroll: ['page', 'scroll'],
  time: ['page', 'seconds'],
};
export const GOAL_KINDS = Object.keys(GOAL_FIELDS) as GoalDefinition['kind'][];

/** True if the goal would reveal property values, which a share link may hide. */
export const hasPropertyConditions = (goal: GoalDefinition): boolean =>
  goal.kind === 'event' && Object.keys(goal.props).length > 0;

/** A goal of the site, or a condition of the funnel's own. The condition of a goal that has been deleted keeps the goal's name. */
export type FunnelStep = { goal: string } | (GoalDefinition & { deleted_goal?: string });

/** One visit, or all visits of a visitor on one day. */
export const FUNNEL_SCOPES = ['visit', 'day'] as const;
export type FunnelScope = (typeof FUNNEL_SCOPES)[number];

/**
 * `any_between`: each step comes later than the one before, with anything in between. `strict`: each step comes right after the one before.
 * Any other page view or event in between ends the run; engagement does not. `any`: a step counts once it and all steps before it have been
 * taken, in any order. One page view or event may take several steps.
 */
export const FUNNEL_ORDERS = ['any_between', 'strict', 'any'] as const;
export type FunnelOrder = (typeof FUNNEL_ORDERS)[number];

export type FunnelDefinition = { steps: FunnelStep[]; within: FunnelScope; order: FunnelOrder };

/** A step with its display name and its condition. A step that is a goal has the goal's condition. */
export type ResolvedStep = { name: string; step: FunnelStep; condition: GoalDefinition };

/** Describes a condition in a few words. */
export function describeCondition(condition: GoalDefinition): string {
  switch (condition.kind) {
    case 'event': {
      const values = Object.entries(condition.props).map(([key, value]) => `${key} is ${value}`);
      return [condition.event, ...values].join(', ');
    }
    case 'page':
      return condition.page;
    case 'scroll':
      return `${condition.page} scrolled to ${condition.scroll}%`;
    case 'time':
      return `${condition.page} for ${condition.seconds} s`;
  }
}
