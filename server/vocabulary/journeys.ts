// Journeys: the pages and events that visits go through after a start, or before it.

/** Steps of a journey, with its start. */
export const MIN_JOURNEY_STEPS = 2;
export const MAX_JOURNEY_STEPS = 6;
export const USUAL_JOURNEY_STEPS = 4;
/** Different pages and events that a step shows by name. */
export const MAX_JOURNEY_NODES = 6;
/** A branch of fewer visits is summed as "other". */
export const FEWEST_VISITS = 3;

export const JOURNEY_DIRECTIONS = ['forwards', 'backwards'] as const;
export type JourneyDirection = (typeof JOURNEY_DIRECTIONS)[number];

export const JOURNEY_STARTS = ['page', 'event', 'goal'] as const;
/** `value`: a path, the name of an event, or the id of a goal. */
export type JourneyStart = { kind: (typeof JOURNEY_STARTS)[number]; value: string };
