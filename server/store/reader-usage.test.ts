import { expect, test } from 'vitest';
import { openUsage } from './reader-usage.ts';

test('half of what a viewer has used is forgotten in 30 s, and who has used more than 30 s waits until it is that', () => {
  let now = 0;
  const usage = openUsage(() => now);
  usage.add('ada', 20_000);
  usage.add('ada', 10_000);
  usage.add(undefined, 90_000);
  for (const viewer of ['ada', 'bob', undefined]) expect(() => usage.check(viewer)).not.toThrow();
  usage.add('ada', 30_000);
  expect(() => usage.check('ada')).toThrow(expect.objectContaining({ retryAfterSeconds: 30 }));
  now = 29_500;
  expect(() => usage.check('ada')).toThrow(expect.objectContaining({ retryAfterSeconds: 1 }));
  now = 30_000;
  expect(usage.of('ada')).toBe(30_000);
  expect(() => usage.check('ada')).not.toThrow();
});

test('the 10,000 viewers who asked last are known', () => {
  const usage = openUsage(() => 0);
  for (let viewer = 0; viewer < 10_000; viewer += 1) usage.add(`viewer ${viewer}`, 1);
  usage.add('viewer 0', 1);
  usage.add('another', 1);
  expect(['viewer 0', 'viewer 1', 'viewer 2', 'another'].map(usage.of)).toEqual([2, 0, 1, 1]);
});
