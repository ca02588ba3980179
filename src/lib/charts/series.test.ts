import { expect, it } from 'vitest';
import { between, durationTicks, labelled, ticks, times, toColumns } from './series';

const points = [4, 6, 3].map((value, index) => ({ time: index * 1000, value }));
const before = [1, 2, 3, 4, 5].map((value, index) => ({ time: -10_000 + index * 1000, value }));

it('sets the unfinished end apart, joined to the last finished point', () => {
  expect(toColumns(points, null, { unfinished: true })).toEqual([
    [0, 1, 2],
    [4, 6, null],
    [null, 6, 3],
    [null, null, null],
  ]);
  expect(toColumns(points, null, { unfinished: false })[2]).toEqual([null, null, null]);
});

it('goes on as far as the comparison while the range is not over, and no further than itself when it is', () => {
  expect(times(points, before, { unfinished: true })).toEqual([0, 1000, 2000, 3000, 4000]);
  expect(toColumns(points, before, { unfinished: true })[3]).toEqual([1, 2, 3, 4, 5]);
  expect(toColumns(points, before, { unfinished: false })[3]).toEqual([1, 2, 3]);
});

it('moves from one drawing to the next, and jumps where there was nothing', () => {
  const [from, to] = [toColumns(points, null, { unfinished: false }), toColumns(points, before, { unfinished: false })];
  expect(between(from, to, 0.5)[3]).toEqual([1, 2, 3]);
  expect(between([[0], [2], [null], [null]], [[0], [4], [null], [null]], 0.5)[1]).toEqual([3]);
});

it('puts ticks on round numbers that reach the largest value', () => {
  expect(ticks(0, { whole: true })).toEqual([0, 1]);
  expect(ticks(3, { whole: true })).toEqual([0, 1, 2, 3]);
  expect(ticks(97, { whole: true })).toEqual([0, 25, 50, 75, 100]);
  expect(ticks(1.7, { whole: false })).toEqual([0, 0.5, 1, 1.5, 2]);
  expect(durationTicks(154)).toEqual([0, 60, 120, 180]);
  for (const max of [1, 7, 19, 333, 98_765]) expect(ticks(max, { whole: true }).at(-1)).toBeGreaterThanOrEqual(max);
});

it('labels places evenly', () => {
  expect(labelled(24, 12)).toEqual([0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22]);
  expect(labelled(3, 10)).toEqual([0, 1, 2]);
  expect(labelled(0, 5)).toEqual([]);
});
