/** @module-tag fault */
// Redis Cluster and Redis Sentinel: all that is kept in Redis works on them, and what was acknowledged outlives a server that dies.
import { createClient } from 'redis';
import { describe, expect, test } from 'vitest';
import type { SiteId, VisitorId } from '../../server/vocabulary/event.ts';
import { openRedisFlood } from '../../server/live/flood.ts';
import { openRedisWindows } from '../../server/live/redis.ts';
import { openLog } from '../../server/process/log.ts';
import { partitionOf } from '../../server/process/redis/partitions.ts';
import { openRedisPartitions } from '../../server/queue/redis/leases.ts';
import { openRedisQueue } from '../../server/queue/redis/queue.ts';
import { readRedisAddress } from '../../server/vocabulary/addresses/redis.ts';
import { openCluster } from '../../server/process/redis/cluster.ts';
import { CONNECT_WITHIN_MS, openConnection } from '../../server/process/redis/connection.ts';
import { openRedis, type Redis } from '../../server/process/redis/redis.ts';
import { slotOf } from '../../server/process/redis/slots.ts';
import { NOON } from '../setup/clock.ts';
import { eventually } from '../setup/eventually.ts';
import { hexId, sampleEvent } from '../setup/event.ts';
import { formsOf, showsSurvived } from '../setup/run/harness.ts';
import { drain, isUnavailable, numbers, sitesPerPartition } from '../setup/stores/queue.ts';
import { askRedis, startRedis } from '../setup/stores/redis.ts';
import { startRedisCluster, startRedisSentinel } from '../setup/stores/redis-groups.ts';

const log = openLog('silent');
const now = () => NOON;
/** One site of each partition. */
const SITES = sitesPerPartition(1);
const siteOf = (number: number) => SITES[number % SITES.length] as SiteId;
const eventOf = (number: number) => sampleEvent(number, { site_id: siteOf(number) });

/** Everything that Footfall keeps in Redis, once. */
async function expectAllWorks(redis: Redis): Promise<void> {
  const place = { redis, prefix: 'all' };
  const { queue, partitions, leave } = await openRedisPartitions({ ...place, log, now });
  expect(await Promise.all(partitions.map(({ lease }) => lease.hold()))).toEqual(partitions.map(() => true));
  const events = numbers(0, 500).map(eventOf);
  expect(await queue.append([...events, eventOf(7)], NOON)).toEqual([...events.map(() => true), false]);
  await queue.bury(events.slice(0, 20), 'The store refuses it.', NOON);
  expect(await queue.status()).toEqual({ waiting: 500, oldestAt: NOON, buried: 20 });
  await queue.forget(siteOf(3));
  expect(await queue.replay(NOON)).toBe(18);
  const kept = (await Promise.all(queue.partitions.map(drain))).flat();
  expect(kept.length).toBe(518);
  await queue.erase();
  await queue.ping();
  await Promise.all(partitions.map(({ lease }) => lease.release()));
  await leave();
  await queue.close();

  const windows = openRedisWindows(place);
  const seen = { time: NOON, name: 'pageview', page: '/', source: '', country: 'DE', engaged_ms: 0 };
  const visitor = (n: number) => ({ site_id: siteOf(n), visitor_id: hexId(n) as VisitorId });
  await Promise.all(numbers(0, 64).map((n) => windows.record({ ...seen, ...visitor(n) })));
  expect(await windows.currentVisitors(SITES, NOON)).toEqual(new Map(SITES.map((site) => [site, 4])));
  expect((await windows.snapshot(siteOf(0), NOON)).countries).toEqual([{ country: 'DE', visitors: 4 }]);
  const view = { ...seen, ...visitor(1) };
  expect([await windows.isRepeat(view), await windows.isRepeat(view)]).toEqual([false, true]);
  await windows.forget(siteOf(0));
  expect((await windows.currentVisitors(SITES, NOON)).get(siteOf(0))).toBe(0);
  await windows.ping();
  const flood = openRedisFlood({ visitorsPerMinute: 8, eventsPerSecond: 8 }, place);
  const passed = await Promise.all(numbers(100, 20).map(async (n) => flood.takeVisitor('address', visitor(n), NOON)));
  expect(passed.filter(Boolean).length).toBe(8);
}

/** The messages between processes: each connection hears what the other says. */
async function expectPushesWork(redis: Redis): Promise<void> {
  const [from, to] = [redis.separate(), redis.separate()];
  await Promise.all([from.connect(), to.connect()]);
  const heard: string[] = [];
  await to.subscribe('told', (message) => heard.push(String(message)));
  await eventually(async () => expect(await from.subscribers('told')).toBe(1));
  await from.publish('told', 'something');
  await eventually(() => expect(heard).toEqual(['something']));
  const id = await from.xAdd('stream', '*', { a: '1' });
  const [read] = ((await to.xRead({ key: 'stream', id: '0' })) ?? []) as { messages: unknown[] }[];
  expect(read?.messages).toEqual([expect.objectContaining({ id, message: { a: '1' } })]);
  from.destroy();
  to.destroy();
}

/**
 * Appends while `die` ends a server. What was accepted before and has reached the replica must be there afterwards; what is sent again is
 * there once.
 */
async function expectNothingLost(redis: Redis, die: () => Promise<void>): Promise<void> {
  const queue = await openRedisQueue({ redis, log, prefix: 'dying' });
  const accepted = new Set<number>();
  const attempt = async (number: number) => {
    await queue.append([eventOf(number)], NOON);
    accepted.add(number);
  };
  await Promise.all(numbers(0, 300).map(attempt));
  for (const site of SITES) await redis.send('queue', ['WAIT', '1', '1000'], `{p${partitionOf(site)}}`);
  const meanwhile = Promise.allSettled(numbers(300, 300).map(attempt));
  await die();
  await meanwhile;
  await eventually(() => Promise.all(numbers(0, 900).map(attempt)), { everyMs: 100 });
  const kept = await eventually(async () => (await Promise.all(queue.partitions.map(drain))).flat());
  expect(kept.map(({ event_id }) => event_id).sort()).toEqual(numbers(0, 900).map(hexId).sort());
  expect(accepted.size).toBe(900);
  await queue.close();
}

describe('Redis Cluster', () => {
  test('keeps everything, carries the pushes, and loses nothing when a master dies', async () => {
    showsSurvived('kill -9 of Redis');
    await using cluster = await startRedisCluster({ replicas: true });
    const redis = await openRedis(cluster.url);
    for (const key of ['a', '{p7}:x', 'foo{}x', 'ü{é}', '{{a}b}', '{', 'x}{y}'])
      expect([key, slotOf(key)]).toEqual([key, await redis.send('queue', ['CLUSTER', 'KEYSLOT', key], key)]);
    await expectAllWorks(redis);
    await expectPushesWork(redis);
    await expectNothingLost(redis, async () => cluster.masters[0]?.kill());
    await redis.close();
  });

  test('gets connections from its masters only, and serves the other sites while one of them is away', async () => {
    await using cluster = await startRedisCluster({ replicas: true });
    const [former, dying, ...others] = cluster.masters;
    const [promoted] = cluster.replicas;
    if (!former || !dying || !promoted) throw new Error('no servers');
    const redis = await openRedis(cluster.url);
    const queue = await openRedisQueue({ redis, log, prefix: 'moved' });
    /** Besides the connection that asks. */
    const callers = async (port: number) =>
      (await askRedis(port, 'CLIENT', 'LIST', 'TYPE', 'normal')).split('\n').length - 1;
    expect([await callers(former.port), await callers(promoted.port)]).toEqual([1, 0]);
    await askRedis(promoted.port, 'CLUSTER', 'FAILOVER');
    let number = 0;
    await eventually(async () => {
      await queue.append(
        SITES.map((site_id) => sampleEvent((number += 1), { site_id })),
        NOON,
      );
      expect([await callers(former.port), await callers(promoted.port)]).toEqual([0, 1]);
    });

    expect(await queue.ping()).toBe(undefined);
    await dying.kill();
    expect(await queue.ping()).toBe('partly');
    await eventually(async () => expect(await queue.ping()).toBe(undefined)); // its replica has taken over
    for (const server of [promoted, ...cluster.replicas, ...others]) await server.kill();
    await former.kill();
    await expect(queue.ping()).rejects.toSatisfy(isUnavailable);
    await queue.close();
    await redis.close();
  });

  test('waits for a fail-over when it is opened during one, and names the masters that stay away', async () => {
    await using cluster = await startRedisCluster({ replicas: true });
    const { masters, replicas } = cluster;
    await masters[0]?.kill(); // its replica is not promoted yet
    const redis = await openRedis(cluster.url);
    expect(await redis.each('queue', ['PING'])).toEqual(['PONG', 'PONG', 'PONG']);
    await redis.close();
    for (const server of [replicas[1], masters[1]]) await server?.kill();
    const opening = openCluster(createClient, readRedisAddress(cluster.url) as never, 1000);
    await expect(opening).rejects.toThrow(`these masters do not answer: 127.0.0.1:${masters[1]?.port}.`);
  });
});

const GROUPS = [
  { form: 'Redis Cluster', start: async () => startRedisCluster({ replicas: true }) },
  {
    form: 'Redis Sentinel',
    start: async () => startRedisSentinel().then((group) => ({ ...group, replicas: [group.replica] })),
  },
];
test.each(formsOf(GROUPS))(
  'a replica in $form that would drop events once it takes over is refused',
  async ({ start }) => {
    showsSurvived('Redis with an evicting policy');
    await using group = await start();
    const redis = await openRedis(group.url);
    await (await openRedisQueue({ redis, log, prefix: 'kept' })).close();
    await askRedis(group.replicas[0]?.port ?? 0, 'CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
    // the servers of a cluster hear of each other's replicas within a second
    const opening = () => openRedisQueue({ redis, log, prefix: 'kept' }).then((queue) => queue.close());
    await eventually(() => expect(opening()).rejects.toThrow('maxmemory-policy allkeys-lru'));
    await redis.close();
  },
);

describe('Redis Sentinel', () => {
  test('keeps everything, carries the pushes, and loses nothing when the master dies', async () => {
    showsSurvived('kill -9 of Redis');
    await using group = await startRedisSentinel();
    await expect(openRedis(group.url.replace('mymaster', 'other'))).rejects.toThrow(
      'REDIS_URL: the Sentinels know no master named other.',
    );
    const redis = await openRedis(group.url);
    await expectAllWorks(redis);
    await expectPushesWork(redis);
    await expectNothingLost(redis, () => group.master.kill());
    await redis.close();
  });
});

test('a connection goes to its own server after another one was opened by its address', async () => {
  await using servers = new AsyncDisposableStack();
  const [first, second] = [servers.use(await startRedis()), servers.use(await startRedis())];
  for (const target of [{ url: first.url }, { host: '127.0.0.1', port: second.port, access: { tls: false } }]) {
    const connection = openConnection(createClient, target);
    servers.defer(() => connection.close());
    expect(await connection.ready(CONNECT_WITHIN_MS)).toBe(true);
    const { port } = 'url' in target ? first : second;
    expect(String(await connection.send(['INFO', 'server']))).toContain(`tcp_port:${port}\r\n`);
  }
});

describe('REDIS_URL', () => {
  const servers = [
    { host: 'a', port: 1 },
    { host: 'b', port: 6379 },
  ];

  test('names one server, a cluster, or Sentinels', () => {
    expect(readRedisAddress('rediss://me:pass@a:1/2')).toEqual({ kind: 'single', url: 'rediss://me:pass@a:1/2' });
    expect(readRedisAddress('rediss+cluster://me:p%40ss@a:1,b')).toEqual({
      kind: 'cluster',
      servers,
      access: { tls: true, username: 'me', password: 'p@ss' },
    });
    // as in the address of one server, only the first : and the last @ mean something
    expect(readRedisAddress('redis://:p@s:s@a:1')).toEqual({ kind: 'single', url: 'redis://:p@s:s@a:1' });
    expect(readRedisAddress('redis+cluster://me:p@s:s@a:1,b')).toEqual({
      kind: 'cluster',
      servers,
      access: { tls: false, username: 'me', password: 'p@s:s' },
    });
    expect(readRedisAddress('redis+sentinel://:pass@a:1,[::1]/main/3?sentinel_password=two')).toEqual({
      kind: 'sentinel',
      name: 'main',
      servers: [servers[0], { host: '::1', port: 26_379 }],
      access: { tls: false, password: 'pass', database: 3 },
      sentinelAccess: { tls: false, password: 'two' },
    });
  });

  test.each([
    'http://a',
    'redis+other://a',
    'redis://a,b',
    'redis+cluster://',
    'redis+cluster://a:x',
    'redis+cluster://a,,b',
    'redis+cluster://a/1',
    'redis+sentinel://a',
    'redis+sentinel://a/x/y',
    'redis+sentinel://a/x?what=1',
  ])('refuses %s with a sentence', (text) => {
    expect(() => readRedisAddress(text)).toThrow(/^(must|names|has) .+/);
  });

  test('does not show what may be a part of a password', () => {
    const address = 'redis+sentinel://:half&secret@a/x?sentinel_password=half&secret';
    expect(() => readRedisAddress(address)).toThrow(/^((?!secret).)*$/);
  });

  test.each(['redis+cluster://user:secret@127.0.0.1:1', 'redis+sentinel://user:secret@127.0.0.1:1/x'])(
    'says that nothing answers at %s, without the password',
    async (url) => {
      await expect(openRedis(url)).rejects.toThrow(
        /^REDIS_URL: no (Redis Cluster|Sentinel) answers at 127\.0\.0\.1:1; start it, or unset REDIS_URL\.$/,
      );
    },
  );
});
