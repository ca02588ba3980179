import { expect, test } from 'vitest';
import { openFairQueue } from './fair-queue.ts';

/** Tasks that end when the test says so, and a record of the order in which they started. */
function openWork(limits: Parameters<typeof openFairQueue>[0]) {
  const fairQueue = openFairQueue(limits);
  const begun: string[] = [];
  const refused: string[] = [];
  const ends: (() => void)[] = [];
  const take = (name: string, label = name, isKnown = false) => {
    const work = () => {
      begun.push(label);
      return new Promise<void>((resolve) => ends.push(resolve));
    };
    return fairQueue.take({ name, isKnown }, work).catch(() => void refused.push(label));
  };
  const endOne = async () => {
    ends.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { take, begun, refused, endOne };
}

test('everybody who is waiting gets one turn before anybody gets a second', async () => {
  const work = openWork({ atOnce: 1, waiting: 100, waitingEach: 20 });
  for (let n = 0; n < 40; n += 1) void work.take('flood', `flood ${n}`);
  void work.take('ada');
  void work.take('bob');
  await work.endOne();
  expect(work.refused).toHaveLength(19); // one is running, 20 wait
  await work.endOne();
  await work.endOne();
  await work.endOne();
  expect(work.begun).toEqual(['flood 0', 'flood 1', 'ada', 'bob', 'flood 2']);
});

test('known browsers go first, and their queue has room of its own', async () => {
  const work = openWork({ atOnce: 1, waiting: 4, waitingEach: 2 });
  for (let n = 0; n < 40; n += 1) void work.take(`robot ${n}`);
  void work.take('ada', 'ada', true);
  for (let n = 0; n < 5; n += 1) await work.endOne();
  expect(work.begun).toEqual(['robot 0', 'ada', 'robot 1', 'robot 2', 'robot 3', 'robot 4']);
  expect(work.refused).toHaveLength(35);
});

test('a full queue drops the last task of the name with the most waiting tasks', async () => {
  const work = openWork({ atOnce: 1, waiting: 4, waitingEach: 4 });
  void work.take('running');
  for (let n = 0; n < 4; n += 1) void work.take('flood', `flood ${n}`);
  void work.take('ada');
  void work.take('bob');
  void work.take('cleo');
  void work.take('dora');
  for (let n = 0; n < 5; n += 1) await work.endOne();
  expect(work.refused).toEqual(['flood 3', 'flood 2', 'flood 1', 'dora']);
  expect(work.begun).toEqual(['running', 'flood 0', 'ada', 'bob', 'cleo']);
});

test('a failed task frees its place', async () => {
  const fairQueue = openFairQueue({ atOnce: 1, waiting: 1, waitingEach: 1 });
  const who = { name: 'ada', isKnown: false };
  await expect(fairQueue.take(who, () => Promise.reject(new Error('wrong')))).rejects.toThrow('wrong');
  expect(await fairQueue.take(who, () => Promise.resolve('right'))).toBe('right');
});
