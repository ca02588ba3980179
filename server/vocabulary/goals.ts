// Goals and funnels, in the form that the API, the dashboard and the directory share.

export const MAX_GOALS = 100;
export const MAX_FUNNELS = 50;
export const MIN_STEPS = 2;
export const MAX_STEPS = 8;
/** Property conditions of one goal. */
export const MAX_CONDITIONS = 10;
/** One day, the longest engagement with a page. */
export const MAX_GOAL_SECONDS = 86_400;

export const GOAL_KINDS = ['event', 'page', 'scroll', 'time'] as const;

/** `page` is a path, or a pattern as `page-patterns.ts` describes it. */
export type GoalDefinition =
  /** An event with this name and all of these property values. */
  | { kind: 'event'; event: string; props: Record<string, string> }
  /** A view of the page. */
  | { kind: 'page'; page: string }
  /** The page was scrolled to at least `scroll` per cent, 1 to 100. */
  | { kind: 'scroll'; page: string; scroll: number }
  /** The page was visible for at least `seconds` within one view. */
  | { kind: 'time'; page: string; seconds: number };

/** True when a goal tells something about the values of properties, which not every viewer of a share link may see. */
export const hasPropertyConditions = (goal: GoalDefinition): boolean =>
  goal.kind === 'event' && Object.keys(goal.props).length > 0;

/** A goal of the site, or a condition of the funnel's own. The condition of a goal that has been deleted keeps the goal's name. */
export type FunnelStep = { goal: string } | (GoalDefinition & { deleted_goal?: string });

export const FUNNEL_SCOPES = ['visit', 'day'] as const;
export const FUNNEL_ORDERS = ['any_between', 'strict', 'any'] as const;

/**
 * `within`: one visit, or all visits of a visitor on one day. `order`: in order with anything between, strictly one after another, or
 * in any order.
 */
export type FunnelDefinition = {
  steps: FunnelStep[];
  within: (typeof FUNNEL_SCOPES)[number];
  order: (typeof FUNNEL_ORDERS)[number];
};
