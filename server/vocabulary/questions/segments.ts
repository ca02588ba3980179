// Segments: filters that people saved under a name, in the form that the API, the dashboard and the directory share.
import { type Dimension, isDimension, sourceOf } from './dimensions.ts';
import { FURTHEST_STEP } from './furthest-step.ts';
import type { GoalDefinition } from './goals.ts';
import { type Operator, OPERATOR_NAMES } from './operators.ts';
import type { Source } from './sources.ts';

/** Shared segments of a site. Each person on it may have as many of their own. */
export const MAX_SEGMENTS = 100;
/** Characters of a segment's filters as JSON. The list of segments loads with every dashboard. */
export const MAX_SEGMENT_TEXT = 8_192;
/** Takes the place of a segment's id to compare with all visitors. */
export const ALL_VISITORS = 'all';

/** The dimension of filters by segment. A visit can be in any number of segments, so no list can be broken down by it. */
export const SEGMENT = 'segment';
export type FilterDimension = PlainDimension | typeof SEGMENT;
/** The dimension of a filter on recorded data. */
export type PlainDimension = Dimension | typeof FURTHEST_STEP;

/** A filter on recorded data. Segments consist of these. */
export type PlainFilter = {
  dimension: PlainDimension;
  operator: Operator;
  values: string[];
  /** In a segment: goals that the filter names and that have been deleted since. They keep their conditions. */
  deleted_goals?: DeletedGoal[];
};

export type DeletedGoal = { id: string; name: string } & GoalDefinition;

export const isPlainDimension = (name: string): name is PlainDimension => name === FURTHEST_STEP || isDimension(name);

export const isFilterDimension = (name: string): name is FilterDimension => name === SEGMENT || isPlainDimension(name);

export const sourceOfFilter = (dimension: FilterDimension): Source =>
  isDimension(dimension) ? sourceOf(dimension) : 'events';

/** Segments and funnels are compared by id, so operators on parts of a text make no sense. */
const OF_IDS = ['is', 'is_not'] as const satisfies Operator[];

/** The operators that a filter on a dimension may have. */
export const operatorsOf = (dimension: FilterDimension): readonly Operator[] =>
  isDimension(dimension) ? OPERATOR_NAMES : OF_IDS;
