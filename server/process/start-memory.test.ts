import { setImmediate as nextTurn } from 'node:timers/promises';
import { cachedDataVersionTag } from 'node:v8';
import { expect, test } from 'vitest';
import { releaseStartMemory } from './start-memory.ts';

test('collects unreachable objects, and does not change the key of the compile cache', async () => {
  const tag = cachedDataVersionTag();
  const garbage = new WeakRef({});
  await nextTurn(); // a WeakRef keeps its object until the current turn of the event loop ends
  await releaseStartMemory();
  expect(garbage.deref()).toBeUndefined();
  expect(cachedDataVersionTag()).toBe(tag);
});
