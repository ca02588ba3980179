/** @module-tag fault */
// The partitions of the queue in Redis: how writers share them, take them over, and keep out of each other's way; and how the entries of an
// earlier version get into them.
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Config } from '../server/config.ts';
import { Unavailable } from '../server/errors.ts';
import type { Event, SiteId } from '../server/event.ts';
import { openLog } from '../server/log.ts';
import { PARTITIONS, partitionOf } from '../server/partitions.ts';
import { openRedisLease } from '../server/queue/lease.ts';
import { openRedisPartitions } from '../server/queue/leases.ts';
import { LAYOUTS, namesOf } from '../server/queue/layouts.ts';
import { openRedisQueue, type RedisQueue } from '../server/queue/redis.ts';
import { openRoom } from '../server/queue/room.ts';
import { openVisits } from '../server/queue/visits.ts';
import { openWriter } from '../server/queue/writer.ts';
import { openWriters } from '../server/queue/writers.ts';
import { openRedis, type Redis } from '../server/redis/redis.ts';
import type { EventStore } from '../server/store/open.ts';
import type { Setting } from '../server/wiring/setting.ts';
import type { Stores } from '../server/wiring/stores.ts';
import { openWriting } from '../server/wiring/writing.ts';
import { NOON } from './setup/clock.ts';
import { eventually } from './setup/eventually.ts';
import { makeEvent, sampleEvent } from './setup/event.ts';
import { showsSurvived } from './setup/harness.ts';
import { drain, numbers } from './setup/queue.ts';
import { startRedis, type TestRedis } from './setup/redis.ts';
import { testStore } from './setup/store.ts';

const log = openLog('silent');
const now = () => NOON;
/** Two sites of each partition. */
const SITES = numbers(0, PARTITIONS).flatMap((partition) =>
  numbers(0, 1000)
    .map((number) => `site_${number}` as SiteId)
    .filter((site) => partitionOf(site) === partition)
    .slice(0, 2),
);
const siteOf = (number: number) => SITES[number % SITES.length] as SiteId;

let server: TestRedis;
let redis: Redis;
let lastPrefix = 0;
const connections: Redis[] = [];
/** From the death of a writer until others hold its partitions. */
const TAKEN_WITHIN_MS = 3000;
beforeAll(async () => {
  server = await startRedis();
  redis = await openRedis(server.url);
});
afterAll(async () => {
  for (const connection of [redis, ...connections]) await connection.close();
  await server[Symbol.asyncDispose]();
});
const newPrefix = () => `parts${(lastPrefix += 1)}`;

type Place = { store: EventStore; prefix: string; wrap?: (own: Redis) => Redis };

/** A process that writes: its queue, its leases, and the writers of all partitions. */
async function startWriter({ store, prefix, wrap = (own) => own }: Place) {
  const own = await openRedis(server.url);
  connections.push(own);
  const opened = await openRedisPartitions({ redis: wrap(own), log, now, prefix });
  const visits = openVisits(store);
  const room = openRoom(4);
  const writers = opened.partitions.map(({ partition, lease }, index) =>
    openWriter({
      ...{ store, lease, room, now, log, onStored: () => undefined },
      queue: { ...partition, bury: opened.queue.bury },
      visits: { ...visits, restore: (at) => visits.restore(at, index) },
    }),
  );
  /** How many partitions it holds now. */
  const held = async () => {
    const each = await Promise.all(opened.partitions.map(({ lease }) => lease.hold()));
    return each.filter(Boolean).length;
  };
  return { ...opened, held, writer: openWriters(writers, opened.leave), die: () => own.close() };
}

const NO_STORE = {} as EventStore;

describe('the partitions of a queue', () => {
  test('get the same sites in every version, and every partition gets some', () => {
    expect(numbers(0, 4).map((number) => partitionOf(`site_${number}` as SiteId))).toEqual([7, 1, 11, 13]);
    expect(SITES.length).toBe(2 * PARTITIONS);
  });

  test('are shared evenly by the writers that are there, and follow those that join, leave and die', async () => {
    showsSurvived('writer dead, another one takes over');
    const place = { store: NO_STORE, prefix: newPrefix() };
    const writers = [await startWriter(place)];
    const shares = async () => {
      const held: number[] = [];
      for (const writer of writers) held.push(await writer.held());
      return held;
    };
    expect(await shares()).toEqual([16]);
    writers.push(await startWriter(place), await startWriter(place));
    await eventually(async () => expect(await shares()).toEqual([6, 6, 4]));
    const [first, , third] = writers;
    await first?.writer.stop();
    writers.shift();
    await eventually(async () => expect(await shares()).toEqual([8, 8]));

    // One dies: it announces itself no more, and nobody renews its leases.
    await third?.die();
    writers.pop();
    const diedAt = performance.now();
    await eventually(async () => expect(await shares()).toEqual([16]));
    expect(performance.now() - diedAt).toBeLessThan(TAKEN_WITHIN_MS);
  });

  test('are all held again after calls failed while another writer joined', async () => {
    const prefix = newPrefix();
    let isFailing = false;
    let known = 0;
    const wrap = (own: Redis): Redis => ({
      ...own,
      run: async (store, script, args) => {
        if (isFailing && script.text.includes("'NX'")) throw new Unavailable(store, new Error('no answer'));
        const answer = await own.run(store, script, args);
        if (args[0] === `${prefix}:writers`) known = Number(answer);
        return answer;
      },
    });
    const one = await startWriter({ store: NO_STORE, prefix, wrap });
    expect(await one.held()).toBe(PARTITIONS);
    const other = await startWriter({ store: NO_STORE, prefix });
    isFailing = true;
    expect([await one.held(), await other.held()]).toEqual([0, 0]);
    await eventually(() => expect(known).toBe(2));
    isFailing = false;
    // One asks for its partitions again, and may have half of them: the leases of the others must expire.
    await eventually(async () => expect([await one.held(), await other.held()]).toEqual([8, 8]));
    await Promise.all([one.leave(), other.leave()]);
  });

  test('are left to the writers by a process that only serves, also when it deletes a site', async () => {
    const prefix = newPrefix();
    const writer = await startWriter({ store: NO_STORE, prefix });
    expect(await writer.held()).toBe(PARTITIONS);
    const { queue, ...shared } = await openRedisPartitions({ redis, log, now, prefix });
    const config = { ROLE: 'web', CLICKHOUSE_URL: 'http://localhost' } as Config;
    const stores: Partial<Stores> = { ...shared, queue, redis, store: NO_STORE };
    const serving = openWriting({ config, now, log } as Setting, stores as Stores, () => undefined);
    await serving.writer.drain(); // as each deletion does
    expect(await redis.send('queue', ['ZCARD', `${prefix}:writers`])).toBe(1);
    await Promise.all([writer.leave(), queue.close()]);
  });

  test('are read by the holder of their lease alone', async () => {
    const place = { store: NO_STORE, prefix: newPrefix() };
    const [one, other] = [await startWriter(place), await startWriter(place)];
    await one.queue.append(
      SITES.map((site_id, number) => sampleEvent(number, { site_id })),
      NOON,
    );
    await eventually(async () => expect([await one.held(), await other.held()]).toEqual([8, 8]));
    const readers = await Promise.all(
      numbers(0, PARTITIONS).map(async (partition) => {
        const batches = await Promise.all([one, other].map(async (each) => each.queue.partitions[partition]?.read(10)));
        return batches.map((batch) => batch?.entries.length);
      }),
    );
    expect(readers.map((lengths) => lengths.filter((length) => length === 2).length)).toEqual(
      readers.map(() => 1), // two sites of one event each
    );
    expect(readers.flat().filter((length) => length === undefined).length).toBe(PARTITIONS);
  });
});

describe('writers of partitions', () => {
  test('store everything once and continue each visit when one takes over from another, in the middle of a batch', async () => {
    showsSurvived('kill between inserting a batch and acknowledging it');
    await using store = await testStore();
    const prefix = newPrefix();
    const place = { store, prefix };
    const dying = await startWriter(place);
    /** The page views of visitors of 32 sites, minute by minute. */
    const minute = (number: number): Event[] =>
      numbers(0, 64).map((visitor) =>
        makeEvent({
          ...{ site_id: siteOf(visitor), visitor: `v${visitor}`, page: `/${number}`, time: NOON + number * 60_000 },
          id: `${number}-${visitor}`,
        }),
      );
    await dying.queue.append(minute(0), NOON);
    expect(await dying.writer.writeOnce()).toBe(64);

    // It stores the next minute, and dies before it acknowledges anything.
    await dying.queue.append(minute(1), NOON);
    const unacknowledged = dying.partitions.map(({ partition, lease }, index) => {
      const visits = openVisits(store);
      return openWriter({
        ...{ store, lease, now, log, onStored: () => undefined },
        queue: { ...partition, bury: dying.queue.bury, acknowledge: () => Promise.reject(new Error('it died')) },
        visits: { ...visits, restore: (at) => visits.restore(at, index) },
      });
    });
    const outcomes = await Promise.allSettled(unacknowledged.map((writer) => writer.writeOnce()));
    expect(outcomes.filter(({ status }) => status === 'rejected').length).toBe(PARTITIONS);
    await Promise.all(dying.partitions.map(({ lease }) => lease.release()));
    await dying.leave();

    const heirs = [await startWriter(place), await startWriter(place)];
    await heirs[0]?.queue.append(minute(2), NOON);
    await eventually(async () => {
      for (const { writer } of heirs) await writer.drain();
      expect((await heirs[0]?.queue.status())?.waiting).toBe(0);
    });
    const [sums] = await store.query<Record<string, string | number>>(
      `SELECT count() AS rows, uniqExact(event_id) AS ids, sum(visit_started) AS visits, sum(bounces) AS bounces,
        sum(visit_ms) AS ms FROM events`,
      {},
    );
    expect(Object.fromEntries(Object.entries(sums ?? {}).map(([name, value]) => [name, Number(value)]))).toEqual({
      ...{ rows: 192, ids: 192, visits: 64, bounces: 0 },
      ms: 64 * 120_000,
    });
    for (const { writer } of heirs) await writer.stop();
  });

  test('store the events of other sites while the store is busy with a hot one', async () => {
    await using store = await testStore();
    const hot = siteOf(0);
    const { promise: gate, resolve: release } = Promise.withResolvers<undefined>();
    const insert: EventStore['insert'] = async (rows, token) => {
      if (rows.events.some(({ site_id }) => site_id === hot)) await gate;
      return store.insert(rows, token);
    };
    const process = await startWriter({ store: { ...store, insert }, prefix: newPrefix() });
    await process.queue.append(
      SITES.map((site_id, number) => makeEvent({ site_id, time: NOON, visitor: `h${number}` })),
      NOON,
    );
    const writing = process.writer.writeOnce();
    const stored = async () =>
      (await store.query<{ site_id: string }>('SELECT DISTINCT site_id FROM events', {})).map(({ site_id }) => site_id);
    const others = SITES.filter((site) => partitionOf(site) !== partitionOf(hot));
    await eventually(async () => expect((await stored()).sort()).toEqual([...others].sort()));
    // they are acknowledged a moment after they are stored
    await eventually(async () => expect((await process.queue.status()).waiting).toBe(2));
    release(undefined);
    expect(await writing).toBe(SITES.length);
    expect((await stored()).length).toBe(SITES.length);
    await process.writer.stop();
  });

  test('drain what waits, and do not wait for what arrives meanwhile', async () => {
    await using store = await testStore();
    const site_id = siteOf(0);
    let arrived = 100;
    const insert: EventStore['insert'] = async (rows, token) => {
      await store.insert(rows, token);
      if (arrived < 105) await process.queue.append([sampleEvent((arrived += 1), { site_id })], NOON);
    };
    const process = await startWriter({ store: { ...store, insert }, prefix: newPrefix() });
    await process.queue.append(
      numbers(0, 3).map((number) => sampleEvent(number, { site_id })),
      NOON,
    );
    await process.writer.drain();
    expect([arrived, (await process.queue.status()).waiting]).toEqual([101, 1]);
    await process.writer.stop();
  });

  test('take turns when there is room for one batch only, however much a hot partition has', async () => {
    const room = openRoom(1);
    const order: string[] = [];
    const work = async (name: string, batches: number) => {
      for (let batch = 0; batch < batches; batch += 1)
        await room.enter(async () => {
          order.push(name);
          await Promise.resolve();
        });
    };
    await Promise.all([work('hot', 6), work('a', 2), work('b', 2)]);
    expect(order.slice(0, 6)).toEqual(['hot', 'a', 'b', 'hot', 'a', 'b']);
    expect(order.slice(6)).toEqual(['hot', 'hot', 'hot', 'hot']);
  });
});

describe('entries of an earlier version', () => {
  const CHAINS = [LAYOUTS, [1, 4, PARTITIONS]];
  const open = (prefix: string, layouts: readonly number[]) => openRedisQueue({ redis, log, prefix, layouts, now });
  const all = async (queue: RedisQueue) =>
    Map.groupBy((await Promise.all(queue.partitions.map(drain))).flat(), ({ site_id }) => site_id);

  test.each(CHAINS)(
    'of %i and more partitions are moved in order, with what is buried and what was seen',
    async (...chain) => {
      const prefix = newPrefix();
      const events = numbers(0, 600).map((number) => sampleEvent(number, { site_id: siteOf(number * 7) }));
      let queue = await open(prefix, chain.slice(0, 1));
      const read = await appendAndRead(queue, events);
      await queue.bury(events.slice(0, 2), 'The store refuses it.', NOON);
      await queue.close();
      for (let length = 2; length <= chain.length; length += 1) {
        queue = await open(prefix, chain.slice(0, length));
        expect(await queue.status()).toEqual({ waiting: 600, oldestAt: NOON, buried: 2 });
        expect((await queue.append(events.slice(0, 100), NOON)).filter(Boolean)).toEqual([]);
        if (length < chain.length) await queue.close();
      }
      // What had been delivered before comes first, marked as possibly stored.
      const first = await queue.of(siteOf(0)).read(1000);
      expect(read).toBe(50);
      expect(first?.mayBeStored).toBe(true);
      const bySite = await all(queue);
      for (const site of SITES) expect(bySite.get(site)).toEqual(events.filter(({ site_id }) => site_id === site));
      expect(await queue.append([events[5] as Event, sampleEvent(9999)], NOON)).toEqual([false, true]);
      expect(await queue.replay(NOON)).toBe(2);
      await queue.close();
    },
  );

  /** Returns how many events of the first batch were delivered, and never acknowledged. */
  async function appendAndRead(queue: RedisQueue, events: Event[]): Promise<number> {
    await queue.append(events, NOON);
    return (await queue.partitions[0]?.read(50))?.entries.length ?? 0;
  }

  test('are stored once, even those that its writer stored without acknowledging them', async () => {
    await using store = await testStore();
    const prefix = newPrefix();
    const events = numbers(0, 40).map((number) => sampleEvent(number, { site_id: siteOf(number) }));
    const earlier = await open(prefix, [1]);
    await earlier.append(events, NOON);
    const [partition] = earlier.partitions;
    if (!partition) throw new Error('no partition');
    const dying = openWriter({
      ...{ store, visits: openVisits(store), now, log, onStored: () => undefined },
      lease: { hold: () => Promise.resolve(true), release: () => Promise.resolve() },
      queue: { ...partition, bury: earlier.bury, acknowledge: () => Promise.reject(new Error('it died')) },
    });
    await expect(dying.writeOnce()).rejects.toThrow('it died');
    await earlier.close();

    const { writer } = await startWriter({ store, prefix });
    await writer.drain();
    const rows = await store.query<{ event_id: string }>('SELECT hex(event_id) AS event_id FROM events', {});
    expect([rows.length, new Set(rows.map(({ event_id }) => event_id)).size]).toEqual([40, 40]);
    await writer.stop();
  });

  test('stay with its writer while that is at work, and are moved once it has ended', async () => {
    const prefix = newPrefix();
    const earlier = await open(prefix, [1]);
    const lease = openRedisLease(redis, { key: namesOf(prefix, 1)[0]?.lease ?? '' });
    expect(await lease.hold()).toBe(true);
    await earlier.append([sampleEvent(1, { site_id: siteOf(3) })], NOON);
    const queue = await open(prefix, LAYOUTS);
    expect((await queue.status()).waiting).toBe(0);
    await earlier.append([sampleEvent(2, { site_id: siteOf(3) })], NOON); // by a process that is still of the earlier version
    await lease.release();
    await eventually(async () => expect((await queue.status()).waiting).toBe(2));
    expect(await drain(queue.of(siteOf(3)))).toEqual(
      [1, 2].map((number) => sampleEvent(number, { site_id: siteOf(3) })),
    );
    await Promise.all([earlier.close(), queue.close()]);
  });

  test('leave nothing behind, and no false alarm, when several processes find that their stream is over', async () => {
    const prefix = newPrefix();
    const [names] = namesOf(prefix, 1);
    if (!names) throw new Error('no names');
    const { stream } = names;
    const earlier = openRedisLease(redis, { key: names.lease });
    await earlier.hold();
    await (await open(prefix, [1])).close();
    await redis.send('queue', ['XADD', stream, '1-1', 'e', '{}']); // so long ago that all seen ids have expired
    const alarms: unknown[] = [];
    const alarming = { ...log, error: (...said: unknown[]) => void alarms.push(said) } as typeof log;
    const { promise: gate, resolve: release } = Promise.withResolvers<undefined>();
    let isHeld = false;
    const isDone = vi.fn();
    const late: Redis = {
      ...redis,
      send: async (...call) => {
        if (isHeld) await gate;
        const answer = await redis.send(...call);
        if (call[1][0] === 'DEL') isDone();
        return answer;
      },
      run: async (...call) => {
        if (isHeld) await gate;
        const answer = await redis.run(...call);
        if (call[2][0] === stream && call[1].text.includes("'DEL'")) isDone();
        return answer;
      },
    };
    const options = { log: alarming, prefix, layouts: LAYOUTS, now };
    const queues = [await openRedisQueue({ redis, ...options }), await openRedisQueue({ redis: late, ...options })];
    isHeld = true;
    await redis.send('queue', ['XDEL', stream, '1-1']);
    await earlier.release();
    await eventually(async () => expect(await redis.send('queue', ['EXISTS', stream])).toBe(0));
    release(undefined);
    await eventually(() => expect(isDone).toHaveBeenCalled());
    expect(alarms).toEqual([]);
    await Promise.all(queues.map((queue) => queue.close()));
  });
});
