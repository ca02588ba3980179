import { setImmediate as nextTurn } from 'node:timers/promises';
import { cachedDataVersionTag } from 'node:v8';
import { expect, test } from 'vitest';
import { releaseStartMemory } from './start-memory.ts';

test('collects what nothing refers to, and leaves the key of the compile cache as it was', async () => {
  const tag = cachedDataVersionTag();
  const garbage = new WeakRef({});
  await nextTurn(); // a WeakRef keeps its object for the turn that made it
  await releaseStartMemory();
  expect(garbage.deref()).toBeUndefined();
  expect(cachedDataVersionTag()).toBe(tag);
});
