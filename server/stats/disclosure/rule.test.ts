import { expect, test } from 'vitest';
import { fewestOf, isLimited } from './rule.ts';

test.each([
  ['a member', undefined, 0],
  ['a viewer who sees every number', 1, 0],
  ['a viewer who sees numbers of two', 2, 2],
  ['a viewer who sees numbers of three', 3, 3],
])('to %s, numbers of fewer than so many are withheld', (_who, fewest, expected) => {
  const rule = fewest === undefined ? undefined : { properties: false, fewest };
  expect([isLimited(rule), fewestOf(rule)]).toEqual([expected > 0, expected]);
});
