import { describe, expect, test } from 'vitest';
import { FEWEST } from '../../vocabulary/settings/privacy.ts';
import { changedCount } from './cell-key.ts';
import { changedSteps } from './steps-of-funnels.ts';

const step = (visitors: number, given: { visits?: number; key?: number; median_ms?: number } = {}) => ({
  visitors,
  visits: visitors,
  key: 1,
  median_ms: 0,
  ...given,
});
const shown = (...steps: ReturnType<typeof step>[]) => shownOf(undefined, ...steps);
const shownOf = (everybody: ReturnType<typeof step> | undefined, ...steps: ReturnType<typeof step>[]) =>
  changedSteps(steps, { everybody, fewest: FEWEST }).map(({ visitors, visits }) => [visitors, visits]);
/** A key whose draw leaves the counts as they are. */
const STILL = Array.from({ length: 1000 }, (_, key) => key).find((key) =>
  (['unique_visitors', 'visits'] as const).every(
    (what) => changedCount({ visitors: 100, key }, 100, { what, fewest: FEWEST }) === 100,
  ),
);
const still = (visitors: number, visits = visitors) => step(visitors, { visits, key: STILL ?? 0 });

describe('a step of a funnel', () => {
  test('of fewer than three visitors shows none, and so do those after it', () => {
    expect(shown(step(3), step(0))).toEqual([
      [3, 3],
      [0, 0],
    ]);
    expect(shown(step(2), step(1))).toEqual([
      [0, 0],
      [0, 0],
    ]);
  });

  test('that fewer than three visitors failed to take shows the numbers of the step before', () => {
    expect(shown(still(100, 120), still(98, 99), still(97, 97))).toEqual([
      [100, 120],
      [100, 120],
      [97, 97],
    ]);
    expect(shown(still(100), still(97))).toEqual([
      [100, 100],
      [97, 97],
    ]);
  });

  test('that is the first, and that fewer than three visitors failed to take, shows everybody', () => {
    expect(shownOf(still(100, 120), still(98, 99), still(95))).toEqual([
      [100, 120],
      [95, 95],
    ]);
    expect(shownOf(still(100, 120), still(97, 99))).toEqual([[97, 99]]);
  });

  test('is compared with the last step that has numbers of its own, and shows those of the step before', () => {
    expect(shown(still(100), still(90), still(88))).toEqual([
      [100, 100],
      [90, 90],
      [90, 90],
    ]);
    expect(shown(still(100), still(98), still(96))).toEqual([
      [100, 100],
      [100, 100],
      [96, 96],
    ]);
  });

  test('has no more visitors and visits than the one before, and no fewer visits than visitors', () => {
    for (let key = 0; key < 200; key += 1) {
      const [first, second] = shown(step(10, { key }), step(7, { key: key + 7, visits: 10 }));
      expect((second?.[0] ?? 0) <= (first?.[0] ?? 0) && (second?.[1] ?? 0) <= (first?.[1] ?? 0)).toBe(true);
      expect((second?.[1] ?? 0) >= (second?.[0] ?? 0)).toBe(true);
    }
  });

  test('shows its time in whole seconds', () => {
    const times = [499, 500, 1499, 1500, 86_400_499].map((median_ms) => step(3, { median_ms }));
    expect(
      times.flatMap((one) =>
        changedSteps([one], { everybody: undefined, fewest: FEWEST }).map(({ median_ms }) => median_ms),
      ),
    ).toEqual([0, 1000, 1000, 2000, 86_400_000]);
  });
});
