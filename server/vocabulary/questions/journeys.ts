// Journeys: the pages and events that visits go through after a start, or before it.

/** Steps of a journey, its start included. */
export const MIN_JOURNEY_STEPS = 2;
export const MAX_JOURNEY_STEPS = 6;
export const USUAL_JOURNEY_STEPS = 4;
/** Most pages and events that one step shows by name. */
export const MAX_JOURNEY_NODES = 6;
/** Branches with fewer visits are added up as "other". */
export const FEWEST_VISITS = 3;

export const JOURNEY_DIRECTIONS = ['forwards', 'backwards'] as const;
export type JourneyDirection = (typeof JOURNEY_DIRECTIONS)[number];

export const JOURNEY_STARTS = ['page', 'event', 'goal'] as const;
/** `value`: a path, the name of an event, or the id of a goal. */
export type JourneyStart = { kind: (typeof JOURNEY_STARTS)[number]; value: string };
