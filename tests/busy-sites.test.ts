/** @module-tag fault */
// A busy site in a partition of the queue in Redis: its backlog holds up no other site, and each site's events still arrive in order, once.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Unavailable } from '../server/errors.ts';
import type { Recorded, SiteId } from '../server/event.ts';
import { openLog } from '../server/log.ts';
import { PARTITIONS, partitionOf } from '../server/partitions.ts';
import { namesOf } from '../server/queue/layouts.ts';
import type { Batch, Partition, Queue } from '../server/queue/queue.ts';
import { openRedisQueue } from '../server/queue/redis.ts';
import { openRedis, type Redis } from '../server/redis/redis.ts';
import { NOON } from './setup/clock.ts';
import { hexId, sampleEvent } from './setup/event.ts';
import { openRandom } from './setup/hostile-input.ts';
import { idsOf, numbers } from './setup/queue.ts';
import { startRedis, type TestRedis } from './setup/redis.ts';

const log = openLog('silent');
/** Sites of one partition. */
const SITES = numbers(0, 10_000)
  .map((number) => `site_${number}` as SiteId)
  .filter((site) => partitionOf(site) === 3)
  .slice(0, 8);
const [BUSY, ...OTHERS] = SITES as [SiteId, ...SiteId[]];

let server: TestRedis;
let redis: Redis;
let lastPrefix = 0;
beforeAll(async () => {
  server = await startRedis();
  redis = await openRedis(server.url);
});
afterAll(async () => {
  await redis.close();
  await server[Symbol.asyncDispose]();
});

type Opened = { queue: Queue; partition: Partition; names: { stream: string; held: string; lease: string } };

async function open(prefix = `busy${(lastPrefix += 1)}`, connection = redis): Promise<Opened & { prefix: string }> {
  const queue = await openRedisQueue({ redis: connection, log, prefix });
  const names = namesOf(prefix, PARTITIONS)[3];
  if (!names) throw new Error('no such partition');
  return { queue, partition: queue.of(BUSY), names, prefix };
}

const of = (site_id: SiteId, from: number, count: number) =>
  numbers(from, count).map((number) => sampleEvent(number, { site_id }));

/** Reads and acknowledges until nothing waits. */
async function readAll(partition: Partition, limit: number): Promise<Batch[]> {
  const batches: Batch[] = [];
  for (let batch = await partition.read(limit); batch; batch = await partition.read(limit)) {
    batches.push(batch);
    await partition.acknowledge(batch);
  }
  return batches;
}

const ofSite = (entries: Recorded[], site: SiteId) => idsOf(entries.filter(({ site_id }) => site_id === site));
const entriesOf = (batches: Batch[]) => batches.flatMap(({ entries }) => entries);

describe('a busy site', () => {
  test('holds up no other site: the first batch has all events of the others, and every batch is full', async () => {
    const { queue, partition, names } = await open();
    await queue.append(of(BUSY, 0, 5_000), NOON);
    for (const [index, site] of OTHERS.entries()) await queue.append(of(site, 10_000 + 100 * index, 5), NOON);
    await queue.append(of(BUSY, 5_000, 1_000), NOON);
    const batches = await readAll(partition, 1_000);
    expect(batches.map(({ entries }) => entries.length)).toEqual([1000, 1000, 1000, 1000, 1000, 1000, 35]);
    for (const [index, site] of OTHERS.entries())
      expect(ofSite(batches[0]?.entries ?? [], site)).toEqual(numbers(10_000 + 100 * index, 5).map(hexId));
    expect(ofSite(entriesOf(batches), BUSY)).toEqual(numbers(0, 6_000).map(hexId));
    expect(await redis.send('queue', ['EXISTS', names.held])).toBe(0);
    expect(await queue.status()).toEqual({ waiting: 0, oldestAt: undefined, buried: 0 });
  });

  test('gets half of each batch as long as others have more to store', async () => {
    const { queue, partition } = await open();
    await queue.append(of(BUSY, 0, 2_000), NOON);
    for (let round = 0; round < 10; round += 1)
      for (const [index, site] of OTHERS.entries())
        await queue.append(of(site, 10_000 + 100 * round + 10 * index, 10), NOON);
    const batches = await readAll(partition, 400);
    // Of the first hundred, 25 are in the first batch. The others' 700 end in the third.
    const shares = batches.map(({ entries }) => ofSite(entries, BUSY).length);
    expect(shares).toEqual([25, 200, 275, 400, 400, 400, 300]);
  });

  test('is not held back while little waits', async () => {
    const { queue, partition, names } = await open();
    await queue.append([...of(BUSY, 0, 1_999), ...of(OTHERS[0] as SiteId, 2_000, 1)], NOON);
    const first = await partition.read(1_000);
    expect(idsOf(first?.entries ?? [])).toEqual(numbers(0, 1_000).map(hexId));
    expect(await redis.send('queue', ['EXISTS', names.held])).toBe(0);
  });

  test('counts as waiting and is in a backup, also what is held back', async () => {
    const { queue, partition } = await open();
    await queue.append([...of(BUSY, 0, 3_000), ...of(OTHERS[0] as SiteId, 4_000, 5)], NOON);
    await partition.read(1_000);
    expect((await queue.status()).waiting).toBe(3_005);
    const waiting: Recorded[] = [];
    for await (const some of queue.contents()) waiting.push(...some.waiting);
    expect(idsOf(waiting).sort()).toEqual([...numbers(0, 3_000), ...numbers(4_000, 5)].map(hexId).sort());
  });

  test('is recognised by its own id, whatever its events say', async () => {
    const { queue, partition } = await open();
    const lie = `","site_id":"${OTHERS[0]}`;
    const props = { site_id: OTHERS[0] ?? '', lie };
    const hostile = numbers(0, 3_000).map((number) =>
      sampleEvent(number, { site_id: BUSY, name: lie, page: lie, props }),
    );
    await queue.append([...hostile, ...of(OTHERS[0] as SiteId, 4_000, 5)], NOON);
    const [first] = await readAll(partition, 1_000);
    expect(ofSite(first?.entries ?? [], OTHERS[0] as SiteId)).toEqual(numbers(4_000, 5).map(hexId));
  });
});

describe('events that are held back', () => {
  test('are delivered again as the same batch, by any process, also by one that reads anew', async () => {
    const { queue, partition, prefix } = await open();
    await queue.append([...of(BUSY, 0, 3_000), ...of(OTHERS[0] as SiteId, 4_000, 5)], NOON);
    const first = await partition.read(1_000);
    for (const again of [await partition.read(1_000), await (await open(prefix)).partition.read(10)]) {
      expect(again?.token).toBe(first?.token);
      expect(idsOf(again?.entries ?? []).sort()).toEqual(idsOf(first?.entries ?? []).sort());
    }
    await partition.acknowledge(first as Batch);
    const rest = await readAll((await open(prefix)).partition, 1_000);
    expect(ofSite([...(first?.entries ?? []), ...entriesOf(rest)], BUSY)).toEqual(numbers(0, 3_000).map(hexId));
  });

  test('are neither lost nor doubled when any call to Redis fails, before or after it was carried out', async () => {
    const events = [...of(BUSY, 0, 1_500), ...of(OTHERS[0] as SiteId, 3_000, 40), ...of(BUSY, 4_000, 300)];
    const failing = { at: 0, isAfter: false, calls: 0 };
    const flaky: Redis = {
      ...redis,
      run: async (store, script, args) => {
        failing.calls += 1;
        const fails = failing.calls === failing.at;
        if (fails && !failing.isAfter) throw new Unavailable('queue', new Error('before'));
        const reply = await redis.run(store, script, args);
        if (fails) throw new Unavailable('queue', new Error('after'));
        return reply;
      },
    };
    const counted = await open(undefined, flaky);
    await counted.queue.append(events, NOON);
    failing.calls = 0;
    await readAll(counted.partition, 500);
    const calls = failing.calls;
    expect(calls).toBeGreaterThan(20);
    for (const isAfter of [false, true])
      for (let at = 1; at <= calls; at += 1) {
        const { queue, partition } = await open(undefined, flaky);
        Object.assign(failing, { at: 0, isAfter });
        await queue.append(events, NOON);
        Object.assign(failing, { calls: 0, at });
        const read: Batch[] = [];
        for (let isOver = false; !isOver;)
          try {
            const batch = await partition.read(500);
            if (batch && !read.some(({ token }) => token === batch.token)) read.push(batch);
            if (batch) await partition.acknowledge(batch);
            isOver = !batch;
          } catch (error) {
            expect(error).toBeInstanceOf(Unavailable);
          }
        expect(ofSite(entriesOf(read), BUSY), `call ${at}`).toEqual(ofSite(events, BUSY));
        expect(ofSite(entriesOf(read), OTHERS[0] as SiteId)).toEqual(ofSite(events, OTHERS[0] as SiteId));
      }
  });

  test('are read by nobody but the holder of the lease, also when it is lost in between', async () => {
    const [prefix, leaseToken] = [`busy${(lastPrefix += 1)}`, 'own'];
    const { names, queue } = await open(prefix);
    await queue.append([...of(BUSY, 0, 3_000), ...of(OTHERS[0] as SiteId, 4_000, 5)], NOON);
    let left = 3;
    const losing: Redis = {
      ...redis,
      run: async (store, script, args) => {
        if (left-- === 0) await redis.send('queue', ['SET', names.lease, 'other']);
        return redis.run(store, script, args);
      },
    };
    const loser = (await openRedisQueue({ redis: losing, log, prefix, leaseToken })).of(BUSY);
    await redis.send('queue', ['SET', names.lease, leaseToken]);
    await expect(loser.read(1_000)).rejects.toThrow(Unavailable);
    expect(await loser.read(1_000)).toBe(undefined);
    const winner = (await openRedisQueue({ redis, log, prefix, leaseToken: 'other' })).of(BUSY);
    expect(ofSite(entriesOf(await readAll(winner, 1_000)), BUSY)).toEqual(numbers(0, 3_000).map(hexId));
  });

  test('do not stop the others when they are deleted from outside, nor when the queue is emptied', async () => {
    const { queue, partition, names } = await open();
    await queue.append([...of(BUSY, 0, 3_000), ...of(OTHERS[0] as SiteId, 4_000, 5)], NOON);
    await partition.acknowledge((await partition.read(1_000)) as Batch);
    await redis.send('queue', ['XTRIM', names.stream, 'MAXLEN', '500']);
    expect(entriesOf(await readAll(partition, 1_000))).toHaveLength(500);
    expect(await redis.send('queue', ['EXISTS', names.held])).toBe(0);
    await queue.append(of(BUSY, 5_000, 3_000), NOON);
    await partition.read(1_000);
    await redis.send('queue', ['DEL', names.stream]);
    expect(await partition.read(1_000)).toBe(undefined);
    await queue.append(of(BUSY, 9_000, 10), NOON);
    expect(ofSite(entriesOf(await readAll(partition, 1_000)), BUSY)).toEqual(numbers(9_000, 10).map(hexId));
  });

  test('arrive in order within each site, once, in batches with tokens of their own, whatever is appended and read when', async () => {
    const random = openRandom(13);
    for (let round = 0; round < 40; round += 1) {
      const opened = await open();
      let { partition } = opened;
      const sent = new Map<SiteId, string[]>();
      const got = new Map<string, Recorded[]>();
      let next = 0;
      const append = async () => {
        const site = random.pick(SITES);
        const events = of(site, next, 1 + random.number(150));
        next += events.length;
        await opened.queue.append(events, NOON);
        sent.set(site, [...(sent.get(site) ?? []), ...idsOf(events)]);
      };
      const take = async (limit: number, isLost: boolean) => {
        const batch = await partition.read(limit);
        if (!batch) return false;
        const before = got.get(batch.token);
        if (before) expect(idsOf(batch.entries).sort()).toEqual(idsOf(before).sort());
        else got.set(batch.token, batch.entries);
        if (isLost) ({ partition } = await open(opened.prefix));
        else await partition.acknowledge(batch);
        return true;
      };
      for (let step = 0; step < 40; step += 1)
        await (random.chance(0.5) ? append() : take(1 + random.number(60), random.chance(0.3)));
      while (await take(40, false));
      const all = [...got.values()].flat();
      expect(all).toHaveLength(next);
      for (const [site, ids] of sent) expect(ofSite(all, site)).toEqual(ids);
      expect(await redis.send('queue', ['EXISTS', opened.names.held])).toBe(0);
    }
  });
});
