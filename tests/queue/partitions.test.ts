/** @module-tag fault */
// The partitions of the queue in Redis: how writers share them, take them over, and keep out of each other's way; and how the entries of an
// earlier version get into them.
import { afterAll, describe, expect, test } from 'vitest';
import type { Config } from '../../server/config.ts';
import { Unavailable } from '../../server/errors.ts';
import type { Event, SiteId } from '../../server/vocabulary/event.ts';
import { openLog } from '../../server/process/log.ts';
import { PARTITIONS, partitionOf } from '../../server/process/redis/partitions.ts';
import { openRedisPartitions } from '../../server/queue/redis/leases.ts';
import { openRoom } from '../../server/queue/writer/room.ts';
import { openVisits } from '../../server/queue/writer/visits.ts';
import { openWriter } from '../../server/queue/writer/writer.ts';
import type { Redis } from '../../server/process/redis/redis.ts';
import { openVersions } from '../../server/stats/answer-cache.ts';
import type { EventStore } from '../../server/store/open.ts';
import type { Setting } from '../../server/process/setting.ts';
import { openWriting } from '../../server/jobs/writing.ts';
import { NOON } from '../setup/clock.ts';
import { eventually } from '../setup/eventually.ts';
import { makeEvent, sampleEvent } from '../setup/event.ts';
import { showsSurvived } from '../setup/run/harness.ts';
import { numbers, sitesPerPartition } from '../setup/stores/queue.ts';
import { startQueueWriter, type WriterPlace } from '../setup/stores/queue-writer.ts';
import { redisOfFile } from '../setup/stores/redis-of-file.ts';
import { testStore } from '../setup/store.ts';

const log = openLog('silent');
const now = () => NOON;
/** Two sites of each partition. */
const SITES = sitesPerPartition(2);
const siteOf = (number: number) => SITES[number % SITES.length] as SiteId;

const { server, redis, newPrefix } = await redisOfFile();
const disposed: (() => Promise<void>)[] = [];
/** From the death of a writer until others hold its partitions, on a machine that has time for it. */
const TAKEN_WITHIN_MS = 3000;
afterAll(async () => {
  for (const dispose of disposed) await dispose();
});

type Place = Omit<WriterPlace, 'url'>;

async function startWriter(place: Place) {
  const writer = await startQueueWriter({ ...place, url: server.url });
  disposed.push(writer.die);
  return writer;
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
    /** The longest that this machine took to ask for all leases, which a writer does in each beat. */
    let askedMs = 0;
    await eventually(async () => {
      const askedAt = performance.now();
      const held = await shares();
      askedMs = Math.max(askedMs, performance.now() - askedAt);
      expect(held).toEqual([16]);
    });
    expect(performance.now() - diedAt).toBeLessThan(TAKEN_WITHIN_MS + 2 * askedMs);
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
    const stores: Partial<Parameters<typeof openWriting>[1]> = {
      ...shared,
      queue,
      redis,
      store: NO_STORE,
      versions: openVersions(),
    };
    const serving = openWriting(
      { config, now, log } as Setting,
      stores as Parameters<typeof openWriting>[1],
      () => undefined,
    );
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
          site_id: siteOf(visitor),
          visitor: `v${visitor}`,
          page: `/${number}`,
          time: NOON + number * 60_000,
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
        store,
        lease,
        now,
        log,
        onStored: () => undefined,
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
      rows: 192,
      ids: 192,
      visits: 64,
      bounces: 0,
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

  test('store the event of a site in another partition before a hot backlog, and that of its neighbour with its first batch', async () => {
    await using store = await testStore();
    const [hot, neighbour, other] = SITES as [SiteId, SiteId, SiteId];
    expect([neighbour, other].map((site) => partitionOf(site) === partitionOf(hot))).toEqual([true, false]);
    const inserts: { rows: number; sites: SiteId[] }[] = [];
    const { promise: otherIsStored, resolve: storedOther } = Promise.withResolvers<undefined>();
    const insert: EventStore['insert'] = async (rows, token) => {
      const sites = [...new Set(rows.events.map(({ site_id }) => site_id))];
      // The backlog's second batch waits in the store until the other site's event is stored.
      if (sites.includes(hot) && inserts.some((before) => before.sites.includes(hot))) await otherIsStored;
      await store.insert(rows, token);
      inserts.push({ rows: rows.events.length, sites });
      if (sites.includes(other)) storedOther(undefined);
    };
    const process = await startWriter({ store: { ...store, insert }, prefix: newPrefix() });
    for (let from = 0; from < 20_400; from += 400)
      await process.queue.append(
        numbers(from, 400).map((number) => sampleEvent(number, { site_id: hot })),
        NOON,
      );
    await process.queue.append([sampleEvent(30_000, { site_id: neighbour })], NOON);
    await process.queue.append([sampleEvent(30_001, { site_id: other })], NOON);
    process.writer.start();
    await eventually(async () => expect((await process.queue.status()).waiting).toBe(0));
    expect(inserts.filter(({ sites }) => sites.includes(hot))).toEqual([
      { rows: 10_000, sites: [hot, neighbour] },
      { rows: 10_000, sites: [hot] },
      { rows: 401, sites: [hot] },
    ]);
    expect(inserts.findIndex(({ sites }) => sites.includes(other))).toBeLessThanOrEqual(1);
    const stored = await store.query(
      'SELECT site_id, toUInt32(count()) AS rows, toUInt32(uniqExact(event_id)) AS ids FROM events GROUP BY site_id ORDER BY rows, site_id',
      {},
    );
    expect(stored).toEqual([
      ...[neighbour, other].sort().map((site_id) => ({ site_id, rows: 1, ids: 1 })),
      { site_id: hot, rows: 20_400, ids: 20_400 },
    ]);
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
