import { expect, test } from 'vitest';
import { remember } from './cache.ts';

test('an answer is computed once while it is in use, and memory stays bounded', () => {
  const asked: string[] = [];
  const find = remember(
    (key: string) => {
      asked.push(key);
      return { key };
    },
    2 * 2 * (120 + 400 + 2 * (2 + 24)) + 8,
  );
  expect(find('a')).toBe(find('a'));
  find('b');
  find('c'); // a and b are in the old generation now
  expect(find('a')).toEqual({ key: 'a' });
  expect(asked).toEqual(['a', 'b', 'c']);
  for (const key of ['d', 'e', 'f', 'g']) find(key);
  find('a');
  expect(asked.filter((key) => key === 'a')).toHaveLength(2);
});
