/** @module-tag attack */
// Rate limits of API keys: exact during bursts, in one process and across several; and the API over plain HTTP.
import { createClient } from 'redis';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { counter, type Limiter, openLimiter } from '../../server/api/rate-limits.ts';
import { openRedis, type Redis } from '../../server/process/redis/redis.ts';
import { createKey } from '../../server/accounts/keys.ts';
import { testApp } from '../setup/app.ts';
import { startRedis } from '../setup/stores/redis.ts';
import { keyFor, restOf } from '../setup/api/rest.ts';
import { showsRefused } from '../setup/run/harness.ts';

const take = async (limiters: [Limiter, ...Limiter[]], count: number, key = 'key_1') => {
  const taken = await Promise.all(
    Array.from({ length: count }, (_, index) => (limiters[index % limiters.length] ?? limiters[0]).take(key)),
  );
  return {
    letIn: taken.filter((turn) => turn.retryAfterSeconds === undefined).length,
    waits: [...new Set(taken.flatMap((turn) => turn.retryAfterSeconds ?? []))],
    lowest: Math.min(...taken.map((turn) => turn.remaining)),
  };
};

describe('a burst', () => {
  const perSecond = { RATE_LIMIT_PER_SECOND: 50, RATE_LIMIT_PER_MINUTE: 600 };
  const perMinute = { RATE_LIMIT_PER_SECOND: 5000, RATE_LIMIT_PER_MINUTE: 600 };
  afterEach(() => void vi.useRealTimers());

  test('is accepted up to the limit of a second, and only accepted requests count towards the minute', async () => {
    showsRefused('rate limits exceeded');
    vi.useFakeTimers(); // the windows follow the real clock, which a slow machine does not stop
    const limiter = openLimiter(perSecond, undefined);
    expect(await take([limiter], 200)).toEqual({ letIn: 50, waits: [1], lowest: 0 });
    expect(await take([limiter], 200, 'key_2')).toMatchObject({ letIn: 50 });
    expect(limiter.full).toEqual({ limit: 600, remaining: 600, resetSeconds: 60 });
    vi.advanceTimersByTime(1000);
    expect((await limiter.take('key_1')).remaining).toBe(549);
  });

  test('is accepted up to the limit of a minute, and then told to wait for the next', async () => {
    showsRefused('rate limits exceeded');
    vi.useFakeTimers();
    const limiter = openLimiter(perMinute, undefined);
    expect(await take([limiter], 2000)).toEqual({ letIn: 600, waits: [60], lowest: 0 });
    vi.advanceTimersByTime(59_001);
    expect(await take([limiter], 1)).toMatchObject({ letIn: 0, waits: [1] });
    vi.advanceTimersByTime(999);
    expect(await take([limiter], 1)).toMatchObject({ letIn: 1 });
  });

  test('on several processes is one burst', async () => {
    showsRefused('rate limits exceeded');
    await using server = await startRedis();
    const clients = await Promise.all([1, 2, 3].map(() => openRedis(server.url)));
    const patient = await Promise.all(clients.map((redis) => withoutDeadline(redis, server.url)));
    const limiters = patient.map(({ redis }) => openLimiter({ ...perMinute, RATE_LIMIT_PER_MINUTE: 60 }, redis));
    expect(await take(limiters as [Limiter, ...Limiter[]], 200)).toMatchObject({ letIn: 60, lowest: 0 });
    const counters = patient.map(({ redis }) => counter(redis, { keyPrefix: 'burst', points: 50, duration: 3600 }));
    expect(await letIn(counters, 200)).toBe(50);
    for (const { close } of patient) close();
    await Promise.all(clients.map((redis) => redis.close()));
  });

  test('without Redis counts separately in each process', async () => {
    await using server = await startRedis();
    const clients = await Promise.all([1, 2, 3].map(() => openRedis(server.url)));
    const counters = clients.map((redis) => counter(redis, { keyPrefix: 'burst', points: 50, duration: 3600 }));
    await server.kill();
    expect(await letIn(counters, 300)).toBe(150);
    await Promise.all(clients.map((redis) => redis.close()));
  });
});

async function letIn(counters: ReturnType<typeof counter>[], count: number): Promise<number> {
  const consumed = Array.from({ length: count }, async (_, n) => counters[n % counters.length]?.consume('key'));
  return (await Promise.allSettled(consumed)).filter(({ status }) => status === 'fulfilled').length;
}

/** The real Redis, awaited however long a busy machine takes: a late answer would be counted in memory. */
async function withoutDeadline(redis: Redis, url: string) {
  const client = createClient({ url });
  await client.connect();
  const run: Redis['run'] = (_store, { text, keys }, args) => client.sendCommand(['EVAL', text, String(keys), ...args]);
  return { redis: { ...redis, run }, close: () => client.destroy() };
}

test('through the server: exact for each key, with headers that count down, before the body is read', async () => {
  showsRefused('rate limits exceeded');
  await using server = await testApp({ env: { RATE_LIMIT_PER_MINUTE: '60', RATE_LIMIT_PER_SECOND: '1000' } });
  const site = await server.addSite();
  const key = await keyFor(server, site);
  const rest = await restOf(server, key);
  const first = await rest.ask('/v1/sites');
  expect(['limit', 'remaining', 'reset'].map((name) => first.headers.get(`ratelimit-${name}`))).toEqual([
    '60',
    '59',
    '60',
  ]);
  const answers = await Promise.all(Array.from({ length: 80 }, () => rest.ask(`/v1/sites/${site.id}`)));
  const counts = Map.groupBy(answers, ({ status }) => status);
  expect([counts.get(200)?.length, counts.get(429)?.length, counts.size]).toEqual([59, 21, 2]);
  for (const { headers } of counts.get(429) ?? []) {
    expect(headers.get('ratelimit-remaining')).toBe('0');
    expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60);
  }
  // Refused before path, method, type and body are checked.
  for (const sent of [
    { body: 'x'.repeat(100_000) },
    { method: 'DELETE' },
    { headers: { 'x-forwarded-for': '192.0.2.1' } },
  ])
    expect((await rest.refused('/v1/nowhere', sent)).status).toBe(429);
  const { key: other } = await createKey(
    server.app.services.directory,
    { accountId: site.account_id, name: 'other' },
    server.clock.now,
  );
  expect((await rest.ask('/v1/sites', { key: other })).status).toBe(200);
});

test('over plain HTTP everything is refused, before the key is looked at, and a page sent to HTTPS', async () => {
  showsRefused('plain HTTP');
  await using server = await testApp({ env: { BASE_URL: 'https://footfall.example.com', TRUST_PROXY: 'loopback' } });
  for (const path of ['/v1/sites', '/v1/openapi.json', '/export/x.csv']) {
    const answer = await fetch(server.url + path, { redirect: 'manual' });
    expect([answer.status, ((await answer.json()) as { error: string }).error], path).toEqual([403, 'forbidden']);
    if (!path.startsWith('/v1/')) continue;
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(['limit', 'remaining', 'reset'].map((name) => answer.headers.get(`ratelimit-${name}`))).toEqual([
      '600',
      '600',
      '60',
    ]);
  }
  const page = await fetch(`${server.url}/docs`, { redirect: 'manual' });
  expect([page.status, page.headers.get('location')]).toEqual([308, 'https://footfall.example.com/docs']);
  const forwarded = await fetch(`${server.url}/v1/sites`, { headers: { 'x-forwarded-proto': 'https' } });
  expect(forwarded.status).toBe(401);
});
