import { expect, test } from 'vitest';
import { stepped, VITALS } from './vitals.ts';

test('a stored value is at most half a per cent off, in some hundred steps', () => {
  const values = Array.from({ length: 60_000 }, (_, index) => index + 1);
  const isNear = (value: number) =>
    Object.values(VITALS).some(({ good, poor }) => [good, poor].some((limit) => value > limit && value < 1.01 * limit));
  const off = (value: number) => Math.abs(stepped(value) - value) / value;
  // just above a threshold, a value stays above
  expect(values.filter((value) => off(value) > (isNear(value) ? 0.0101 : 0.005_01))).toEqual([]);
  expect(new Set(values.map(stepped)).size).toBeLessThan(1300);
  const steps = [...values, 0.0123, 0.1, 0.1001, 0.25, 0.3].map(stepped);
  expect(steps.map(stepped)).toEqual(steps);
  expect([0, 0.05, 0.1234, 2512.4, 9876, 600_000].map(stepped)).toEqual([0, 0.05, 0.123, 2520, 9900, 600_000]);
});

test('a value is on the same side of each threshold as before', () => {
  for (const { good, poor } of Object.values(VITALS))
    for (const threshold of [good, poor]) {
      expect(stepped(threshold)).toBe(threshold);
      expect(stepped(threshold * 1.0001)).toBeGreaterThan(threshold);
      expect(stepped(threshold * 0.9999)).toBeLessThanOrEqual(threshold);
    }
});
