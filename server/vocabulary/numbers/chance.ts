// What is more than chance: whether a count has moved further than counts do, and between which bounds two shares differ.

const LEAST_DEVIATIONS = 4;

/** `counted`: the counts before and after together, whose square root is the standard deviation of their difference. */
export const isBeyondChance = (moved: number, counted: number): boolean =>
  Math.abs(moved) >= LEAST_DEVIATIONS * Math.sqrt(counted);

/** How many of some had something. */
export type Counted = { count: number; of: number };

/** 95 per cent of a normal distribution lie within so many deviations. */
const DEVIATIONS = 1.959964;

/** The bounds of a share: E. B. Wilson, "Probable Inference, the Law of Succession, and Statistical Inference", 1927. */
function boundsOf({ count, of }: Counted): { share: number; low: number; high: number } {
  const [share, square] = [count / of, DEVIATIONS ** 2];
  const centre = share + square / (2 * of);
  const half = DEVIATIONS * Math.sqrt((share * (1 - share)) / of + square / (4 * of * of));
  const whole = 1 + square / of;
  return { share, low: (centre - half) / whole, high: (centre + half) / whole };
}

/**
 * The difference of two shares, and the bounds that hold it with 95 per cent confidence: method 10 of R. G. Newcombe, "Interval Estimation for the
 * Difference between Independent Proportions", 1998. It is right for small counts and for shares near 0, unlike the one of textbooks. Null where
 * one of them counts nothing.
 */
export function differenceOfShares(one: Counted, other: Counted) {
  if (one.of === 0 || other.of === 0) return null;
  const [first, second] = [boundsOf(one), boundsOf(other)];
  const difference = first.share - second.share;
  return {
    difference,
    low: difference - Math.hypot(first.share - first.low, second.high - second.share),
    high: difference + Math.hypot(first.high - first.share, second.share - second.low),
  };
}
