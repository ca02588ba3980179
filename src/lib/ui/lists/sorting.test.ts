import { expect, test } from 'vitest';
import { moved } from './moved';
import { ariaSort, turned } from './sorting';

test('a click on a heading sorts as usual, and the next one the other way round', () => {
  const first = turned({ by: 'name', direction: 'asc' }, 'visits', 'desc');
  expect(first).toEqual({ by: 'visits', direction: 'desc' });
  expect(turned(first, 'visits', 'desc')).toEqual({ by: 'visits', direction: 'asc' });
  expect(turned({ by: 'name', direction: 'asc' }, 'name', 'asc')).toEqual({ by: 'name', direction: 'desc' });
  expect(turned({ by: 'name', direction: 'desc' }, 'name', 'asc')).toEqual({ by: 'name', direction: 'asc' });
  expect(['name', 'visits'].map((by) => ariaSort(first, by))).toEqual(['none', 'descending']);
  expect(ariaSort({ by: 'name', direction: 'asc' }, 'name')).toBe('ascending');
});

test.each([
  [0, 2, 'bca'],
  [2, 0, 'cab'],
  [1, 1, 'abc'],
])('a member that is moved from %i to %i pushes the others aside', (from, to, order) => {
  expect(moved([...'abc'], from, to).join('')).toBe(order);
});
