import { expect, test } from 'vitest';
import { seriesOf } from './series';

test('a thread keeps its points and comments until they change', () => {
  const history = [
    { at: 0, points: 1, comments: 0 },
    { at: 10, points: 5, comments: 2 },
    { at: 20, points: 4, comments: null },
  ];
  const { points, comments } = seriesOf(history, 23);
  const each = (count: number, value: number) => Array.from({ length: count }, () => value);
  expect(points).toEqual([...each(10, 1), ...each(10, 5), ...each(4, 4)]);
  expect(comments).toEqual([...each(10, 0), ...each(10, 2), ...each(4, 0)]);
});
