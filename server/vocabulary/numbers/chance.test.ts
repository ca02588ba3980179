import { expect, test } from 'vitest';
import { type Counted, differenceOfShares } from './chance.ts';

test('two shares differ between the bounds that Newcombe prints for his examples', () => {
  const between = (one: Counted, other: Counted) => {
    const { low = NaN, high = NaN } = differenceOfShares(one, other) ?? {};
    return [low, high].map((bound) => Number(bound.toFixed(4)));
  };
  expect(between({ count: 56, of: 70 }, { count: 48, of: 80 })).toEqual([0.0524, 0.3339]);
  expect(between({ count: 9, of: 10 }, { count: 3, of: 10 })).toEqual([0.1705, 0.809]);
  expect(between({ count: 5, of: 56 }, { count: 0, of: 29 })).toEqual([-0.0381, 0.1926]);
  expect(between({ count: 0, of: 10 }, { count: 0, of: 20 })).toEqual([-0.1611, 0.2775]);
  expect(differenceOfShares({ count: 0, of: 0 }, { count: 1, of: 2 })).toBeNull();
});
