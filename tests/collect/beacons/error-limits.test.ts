/** @module-tag attack */
// The limits on errors: of a site and of an address, in one process and shared by several through Redis.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openErrorQuota } from '../../../server/live/limits/errors.ts';
import { openRedis, type Redis } from '../../../server/process/redis/redis.ts';
import type { SiteId } from '../../../server/vocabulary/event.ts';
import { ERROR_LIMITS } from '../../../server/vocabulary/limits.ts';
import { DAY_MS, HOUR_MS } from '../../../server/vocabulary/time/time.ts';
import { NOON } from '../../setup/clock.ts';
import { startRedis, type TestRedis } from '../../setup/stores/redis.ts';

const { messages, shapes } = ERROR_LIMITS;
let server: TestRedis;
let redis: Redis;
let prefix = 0;
beforeAll(async () => {
  server = await startRedis();
  redis = await openRedis(server.url);
});
afterAll(async () => {
  await redis.close();
  await server[Symbol.asyncDispose]();
});

type Quotas = ReturnType<typeof openErrorQuota>[];
/** Counts the answers to messages that go to processes in turns. */
async function answersTo(
  quotas: Quotas,
  count: number,
  messageOf: (n: number) => [shape: string, sender: string, time?: number],
) {
  const answers: Record<string, number> = {};
  for (let n = 0; n < count; n += 1) {
    const [error_shape, sender, time = NOON] = messageOf(n);
    const answer = await quotas[n % quotas.length]?.take({ site_id: 'site_a' as SiteId, error_shape, time }, sender);
    answers[answer ?? 'stored'] = (answers[answer ?? 'stored'] ?? 0) + 1;
  }
  return answers;
}

const FORMS = {
  'one process': () => [openErrorQuota()],
  'three processes that share Redis': () => {
    const shared = { redis, prefix: `errors${(prefix += 1)}` };
    return [openErrorQuota(shared), openErrorQuota(shared), openErrorQuota(shared)];
  },
};

describe.each(Object.entries(FORMS))('the limits on errors in %s', (_, open) => {
  test('are one for all messages of an address and of a site, anew each hour', async () => {
    const quotas = open();
    const loud = await answersTo(quotas, messages.address + 100, () => ['a', 'loud']);
    expect(loud).toEqual({ stored: messages.address, too_many_errors: 100 });
    // what the address was refused took nothing from the site
    const left = messages.site - messages.address;
    const others = await answersTo(quotas, left + 50, (n) => ['a', `address ${n % 100}`]);
    expect(others).toEqual({ stored: left, too_many_errors: 50 });
    expect(await answersTo(quotas, 1, () => ['a', 'loud', NOON + HOUR_MS])).toEqual({ stored: 1 });
  });

  test('are one for all new shapes of a day; known shapes pass', async () => {
    const quotas = open();
    const maker = await answersTo(quotas, shapes.address + 20, (n) => [`of one ${n}`, 'maker']);
    expect(maker).toEqual({ stored: shapes.address, too_many_new_errors: 20 });
    const left = shapes.site - shapes.address;
    const others = await answersTo(quotas, left + 20, (n) => [`of others ${n}`, `address ${n}`]);
    expect(others).toEqual({ stored: left, too_many_new_errors: 20 });
    // by the address that may bring no new one, at each process
    expect(await answersTo(quotas, 9, () => ['of others 0', 'maker', NOON + HOUR_MS])).toEqual({ stored: 9 });
    expect(await answersTo(quotas, 1, () => ['new', 'maker', NOON + DAY_MS])).toEqual({ stored: 1 });
  });
});

test('a restart keeps what Redis has, and each process counts by itself while Redis is away', async () => {
  await using own = await startRedis();
  const connection = await openRedis(own.url);
  const shared = { redis: connection, prefix: 'footfall' };
  const before = openErrorQuota(shared);
  expect(await answersTo([before], messages.address, () => ['a', 'one'])).toEqual({ stored: messages.address });
  const restarted = openErrorQuota(shared);
  expect(await answersTo([restarted], 2, () => ['a', 'one'])).toEqual({ too_many_errors: 2 });
  const keys = (await connection.send('live', ['KEYS', '*'])) as string[];
  const kept = await Promise.all(keys.map(async (key) => Number(await connection.send('live', ['PTTL', key]))));
  expect(kept).toHaveLength(2);
  expect(Math.min(...kept)).toBeGreaterThan(0);
  expect(Math.max(...kept)).toBeLessThanOrEqual(DAY_MS);
  await own.kill();
  expect(await answersTo([restarted], 300, () => ['b', 'two'])).toEqual({
    stored: messages.address,
    too_many_errors: 100,
  });
  await connection.close();
});
