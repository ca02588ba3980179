import { expect, test } from 'vitest';
import { strengthOf, ticksOf } from './scale';

test.each([
  [0, 100, 0],
  [1, 100, 0.16],
  [10, 100, 0.58],
  [100, 100, 1],
  [200, 100, 1],
  [1, 1, 1],
])('%i of %i is drawn with a strength of %f', (value, largest, strength) => {
  expect(strengthOf(value, largest)).toBeCloseTo(strength, 10);
});

test('the legend has the powers of ten below the largest value, unless they stand too close to it', () => {
  expect(ticksOf(0)).toEqual([{ value: 1, position: 1 }]);
  expect(ticksOf(1000).map(({ value }) => value)).toEqual([1, 10, 100, 1000]);
  expect(ticksOf(150.4).map(({ value }) => value)).toEqual([1, 10, 150]);
  expect(ticksOf(1000).map(({ position }) => position.toFixed(2))).toEqual(['0.00', '0.33', '0.67', '1.00']);
});
