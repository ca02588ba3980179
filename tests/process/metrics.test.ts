/** @module-tag attack */
// Tests /metrics: who may read it, that every measurement is there and moves, and that it names nobody.
import { io as connect } from 'socket.io-client';
import { expect, test } from 'vitest';
import { ASKERS, METRICS, openMetrics } from '../../server/process/metrics.ts';
import { PARTITIONS, partitionOf, tagOf } from '../../server/process/redis/partitions.ts';
import { SLOTS, slotOf } from '../../server/process/redis/slots.ts';
import { DROP_REASONS } from '../../server/vocabulary/drops.ts';
import { testApp, type TestApp } from '../setup/app.ts';
import { makeEvent } from '../setup/event.ts';
import { eventually } from '../setup/eventually.ts';
import { askRedis, startRedis } from '../setup/stores/redis.ts';
import { startRedisCluster } from '../setup/stores/redis-groups.ts';
import { serveRoutes } from '../setup/api/routes.ts';

const TOKEN = 'token-of-the-tests-long-enough-to-be-one';
const env = { METRICS_TOKEN: TOKEN };
const authorization = `Bearer ${TOKEN}`;

async function metricsOf({ url }: TestApp): Promise<Map<string, number>> {
  const answer = await fetch(`${url}/metrics`, { headers: { authorization } });
  expect(answer.status).toBe(200);
  const lines = (await answer.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

test('without METRICS_TOKEN there are no metrics, and with it nobody reads them without the token', async () => {
  {
    await using server = await testApp();
    expect((await fetch(`${server.url}/metrics`, { headers: { authorization } })).status).toBe(404);
  }
  await using server = await testApp({ env });
  const wrong = [undefined, 'Bearer ', 'Bearer wrong', `Basic ${TOKEN}`, TOKEN, `${authorization}x`];
  for (const given of wrong) {
    const answer = await fetch(`${server.url}/metrics`, {
      headers: given === undefined ? {} : { authorization: given },
    });
    expect([answer.status, await answer.text()]).toEqual([401, expect.not.stringContaining('footfall_')]);
  }
});

test('metrics are read inside a private network only, or over HTTPS', async () => {
  const more = { BASE_URL: 'https://stats.example.com', TRUST_PROXY: 'loopback' };
  await using server = await testApp({ env: { ...env, ...more } });
  const ask = (headers: Record<string, string>) =>
    fetch(`${server.url}/metrics`, { headers: { authorization, ...headers }, redirect: 'manual' });
  expect((await ask({ 'x-forwarded-for': '10.1.2.3' })).status).toBe(200);
  expect((await ask({ 'x-forwarded-for': '203.0.113.7' })).status).toBeGreaterThanOrEqual(300);
});

test('a process that only writes has metrics too', async () => {
  await using server = await testApp({ env });
  using writer = await serveRoutes(server, {
    isWriterOnly: true,
    metrics: { token: TOKEN, render: () => Promise.resolve('of a writer') },
  });
  const url = `http://127.0.0.1:${writer.port}`;
  const statusOf = async (path: string) => (await fetch(url + path, { headers: { authorization } })).status;
  expect(await Promise.all(['/metrics', '/healthz', '/'].map(statusOf))).toEqual([200, 200, 404]);
});

test('every measurement is there and moves, and none names a site or an address', async () => {
  await using server = await testApp({ env });
  const before = await metricsOf(server);
  const nameOf = (key: string) => key.split('{')[0]?.replace(/_(?:bucket|sum|count)$/, '');
  const names = new Set([...before.keys()].map(nameOf));
  for (const name of [...Object.keys(METRICS), 'process_resident_memory_bytes', 'process_cpu_seconds_total'])
    expect(names).toContain(name);
  for (const reason of DROP_REASONS) expect(before.get(`footfall_events_dropped_total{reason="${reason}"}`)).toBe(0);
  for (const asker of ASKERS) expect(before.has(`footfall_question_seconds_count{asker="${asker}"}`)).toBe(true);

  const site = await server.addSite('own.example');
  const view = { site: 'own.example', name: 'pageview', url: 'https://own.example/secret-page' };
  expect((await server.foot(view)).status).toBe(202);
  await server.foot(view, { 'user-agent': 'Googlebot/2.1 (+http://www.google.com/bot.html)' });
  await server.foot({ ...view, site: 'nobody.example' });
  const { clock, app } = server;
  await app.queue.bury([makeEvent({ site_id: site.id, time: clock.now })], 'refused', clock.now);
  clock.now += 7_000;
  const waiting = await metricsOf(server);
  expect(Object.fromEntries(waiting)).toMatchObject({
    footfall_events_accepted_total: 1,
    'footfall_events_dropped_total{reason="bot_user_agent"}': 1,
    'footfall_events_dropped_total{reason="unknown_site"}': 1,
    footfall_queue_waiting_events: 1,
    footfall_queue_oldest_seconds: 7,
    footfall_queue_refused_events: 1,
    'footfall_partition_waiting_events{partition="0"}': 1,
    'footfall_partition_oldest_seconds{partition="0"}': 7,
    'footfall_partition_held{partition="0"}': 1,
  });

  await server.settle();
  await app.runJob('sum-days');
  await app.store.query('SELECT 1', {}, { lane: 'one' });
  await app.store.query('SELECT 1', {}, { lane: 'one', viewer: 'v' });
  await expect(app.store.query('SELECT nonsense', {}, { lane: 'one' })).rejects.toThrow();
  await expect(
    app.store.insert({ events: [{ ...makeEvent(), time: Number.NaN } as never], ai_visits: [] }, 't'),
  ).rejects.toThrow();
  const after = await metricsOf(server);
  expect(Object.fromEntries(after)).toMatchObject({
    footfall_queue_waiting_events: 0,
    footfall_queue_oldest_seconds: 0,
    footfall_writer_lag_seconds: 7,
    footfall_insert_seconds_count: 1,
    footfall_insert_failures_total: 1,
    'footfall_question_seconds_count{asker="member"}': 1,
    'footfall_question_seconds_count{asker="viewer"}': 1,
    'footfall_question_failures_total{asker="member"}': 1,
    'footfall_job_last_success_timestamp_seconds{job="sum-days"}': clock.now / 1000,
  });
  const answer = await fetch(`${server.url}/metrics`, { headers: { authorization } });
  expect(await answer.text()).not.toMatch(/own\.example|secret-page|127\.0\.0|site_[0-9A-Z]{8}/);
});

test('each partition of the queue in Redis is measured, with who stores it, and workers are counted', async () => {
  await using redis = await startRedis();
  await using server = await testApp({ env: { ...env, REDIS_URL: redis.url }, workers: 2, start: true });
  const site = await server.addSite('own.example');
  const own = `{partition="${partitionOf(site.id)}"}`;
  const sum = (read: Map<string, number>, name: string) =>
    [...read].reduce((total, [key, value]) => total + (key.startsWith(name) ? value : 0), 0);
  await eventually(async () => {
    const read = await metricsOf(server);
    expect(sum(read, 'footfall_partition_held')).toBe(PARTITIONS);
    expect(read.get('footfall_workers')).toBe(2);
    expect([...read.keys()].filter((key) => key.startsWith('footfall_partition')).length).toBe(3 * PARTITIONS);
  });
  const { promise: gate, resolve: open } = Promise.withResolvers<undefined>();
  const held = server.app.writer.between(() => gate); // nothing is stored meanwhile
  const at = server.clock.now - 5_000;
  await server.app.queue.append([makeEvent({ site_id: site.id, time: at })], server.clock.now);
  const read = await metricsOf(server);
  expect(read.get(`footfall_partition_waiting_events${own}`)).toBe(1);
  expect(read.get(`footfall_partition_oldest_seconds${own}`)).toBe(5);
  expect(sum(read, 'footfall_partition_waiting_events')).toBe(1);
  open(undefined);
  await held;
});

test('what a master of Redis Cluster that is away would say is left out, and all else is there', async () => {
  await using cluster = await startRedisCluster();
  const [away, ...others] = cluster.masters;
  // By default a cluster that lacks slots and their replicas serves no slot at all.
  for (const { port } of others) await askRedis(port, 'CONFIG', 'SET', 'cluster-require-full-coverage', 'no');
  await using server = await testApp({ env: { ...env, REDIS_URL: cluster.url } });
  const ofAway = Array.from({ length: PARTITIONS }, (_, partition) => partition).filter(
    (partition) => slotOf(tagOf(partition)) < SLOTS / cluster.masters.length,
  );
  expect([ofAway.length > 0, ofAway.length < PARTITIONS]).toEqual([true, true]);
  const whole = [...(await metricsOf(server)).keys()].filter((key) => key.startsWith('footfall_'));
  const missing = async () => {
    const read = await metricsOf(server);
    return whole.filter((key) => !read.has(key));
  };
  await away?.kill();
  expect((await missing()).sort()).toEqual(
    [
      ...['oldest_seconds', 'refused_events', 'waiting_events'].map((name) => `footfall_queue_${name}`),
      ...ofAway.flatMap((partition) =>
        ['oldest_seconds', 'waiting_events'].map((name) => `footfall_partition_${name}{partition="${partition}"}`),
      ),
    ].sort(),
  );
  await away?.restart();
  await eventually(async () => expect(await missing()).toEqual([]));
});

test('failed jobs and open dashboards are counted', async () => {
  const metrics = await openMetrics(() => 60_000);
  const [fails, works] = metrics.counted([
    { name: 'fails', run: () => Promise.reject(new Error('broken')) },
    { name: 'works', run: () => Promise.resolve() },
  ]);
  await expect(fails?.run()).rejects.toThrow('broken');
  await works?.run();
  const status = () => Promise.resolve({ waiting: 0, oldestAt: undefined, buried: 0 });
  const text = await metrics.render({
    counts: () => ({ accepted: 0, dropped: new Map() }),
    status,
    partitions: () => [],
    workers: () => 2,
    openSockets: () => 3,
  });
  expect(text).toContain('footfall_job_failures_total{job="fails"} 1\n');
  expect(text).toContain('footfall_job_failures_total{job="works"} 0\n');
  expect(text).toContain('footfall_job_last_success_timestamp_seconds{job="fails"} 0\n');
  expect(text).toContain('footfall_job_last_success_timestamp_seconds{job="works"} 60\n');
  expect(text).toContain('footfall_open_sockets 3\n');
  expect(text).toContain('footfall_workers 2\n');

  await using server = await testApp({ env });
  await server.addSite('own.example');
  const extraHeaders = { cookie: await server.logIn('owner@own.example'), origin: server.url };
  const dashboard = connect(server.url, { transports: ['websocket'], extraHeaders });
  await new Promise<void>((resolve) => dashboard.once('connect', resolve));
  expect((await metricsOf(server)).get('footfall_open_sockets')).toBe(1);
  dashboard.close();
});
