// Segments: filters that people saved under a name, in the form that the API, the dashboard and the directory share.
import { type Dimension, isDimension, sourceOf } from './dimensions.ts';
import type { Operator } from './operators.ts';
import type { Source } from './sources.ts';

/** Shared segments of a site. Each person on it may have as many of their own. */
export const MAX_SEGMENTS = 100;
/** Characters of a segment's filters as JSON. The list of segments loads with every dashboard. */
export const MAX_SEGMENT_TEXT = 8_192;
/** Takes the place of a segment's id to compare with all visitors. */
export const ALL_VISITORS = 'all';

/** The dimension of filters by segment. A visit can be in any number of segments, so no list can be broken down by it. */
export const SEGMENT = 'segment';
export type FilterDimension = Dimension | typeof SEGMENT;
/** Segments are compared by id, so operators on parts of a text make no sense. */
export const SEGMENT_OPERATORS = ['is', 'is_not'] as const satisfies Operator[];

/** A filter on recorded data. Segments consist of these. */
export type PlainFilter = { dimension: Dimension; operator: Operator; values: string[] };

export const isFilterDimension = (name: string): name is FilterDimension => name === SEGMENT || isDimension(name);

export const sourceOfFilter = (dimension: FilterDimension): Source =>
  dimension === SEGMENT ? 'events' : sourceOf(dimension);
