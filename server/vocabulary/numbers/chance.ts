// Whether a count has moved further than counts do by chance.

const LEAST_DEVIATIONS = 4;

/** `counted`: the counts before and after together, whose square root is the standard deviation of their difference. */
export const isBeyondChance = (moved: number, counted: number): boolean =>
  Math.abs(moved) >= LEAST_DEVIATIONS * Math.sqrt(counted);
