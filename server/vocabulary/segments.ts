// Segments: filters that people saved under a name, in the form that the API, the dashboard and the directory share.
import { type Dimension, isDimension, sourceOf } from './dimensions.ts';
import type { Operator } from './operators.ts';
import type { Source } from './sources.ts';

/** Segments of a site, and beside these of each person on it. */
export const MAX_SEGMENTS = 100;
/** Characters of a segment's filters as JSON. The list of segments is loaded with each dashboard. */
export const MAX_SEGMENT_TEXT = 8_192;
/** In place of a segment's id: compare with all visitors. */
export const ALL_VISITORS = 'all';

/** The dimension of filters by segment. Visits are in any number of segments, so nothing can be listed by it. */
export const SEGMENT = 'segment';
export type FilterDimension = Dimension | typeof SEGMENT;
/** A segment is looked up as a whole: part of its id says nothing. */
export const SEGMENT_OPERATORS = ['is', 'is_not'] as const satisfies Operator[];

/** A filter on what was recorded. Segments consist of these. */
export type PlainFilter = { dimension: Dimension; operator: Operator; values: string[] };

export const isFilterDimension = (name: string): name is FilterDimension => name === SEGMENT || isDimension(name);

export const sourceOfFilter = (dimension: FilterDimension): Source =>
  dimension === SEGMENT ? 'events' : sourceOf(dimension);
