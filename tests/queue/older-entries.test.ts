/** @module-tag fault */
// The queue in Redis after an upgrade: how the entries of an earlier version get into today's partitions.
import { describe, expect, test, vi } from 'vitest';
import type { Event, SiteId } from '../../server/vocabulary/event.ts';
import { openLog } from '../../server/process/log.ts';
import { PARTITIONS } from '../../server/process/redis/partitions.ts';
import { openRedisLease } from '../../server/queue/lease.ts';
import { LAYOUTS, namesOf } from '../../server/queue/redis/layouts.ts';
import type { Buried } from '../../server/queue/queue.ts';
import { openRedisQueue, type RedisQueue } from '../../server/queue/redis/queue.ts';
import { openVisits } from '../../server/queue/writer/visits.ts';
import { openWriter } from '../../server/queue/writer/writer.ts';
import type { Redis } from '../../server/process/redis/redis.ts';
import { NOON } from '../setup/clock.ts';
import { eventually } from '../setup/eventually.ts';
import { sampleEvent, SITE } from '../setup/event.ts';
import { drain, numbers, sitesPerPartition } from '../setup/stores/queue.ts';
import { startQueueWriter } from '../setup/stores/queue-writer.ts';
import { redisOfFile } from '../setup/stores/redis-of-file.ts';
import { testStore } from '../setup/store.ts';

const log = openLog('silent');
const now = () => NOON;
const SITES = sitesPerPartition(2);
const siteOf = (number: number) => SITES[number % SITES.length] as SiteId;

const { server, redis, newPrefix } = await redisOfFile();

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
      store,
      visits: openVisits(store),
      now,
      log,
      onStored: () => undefined,
      lease: { hold: () => Promise.resolve(true), release: () => Promise.resolve() },
      queue: { ...partition, bury: earlier.bury, acknowledge: () => Promise.reject(new Error('it died')) },
    });
    await expect(dying.writeOnce()).rejects.toThrow('it died');
    await earlier.close();

    const { writer, die } = await startQueueWriter({ url: server.url, store, prefix });
    await writer.drain();
    const rows = await store.query<{ event_id: string }>('SELECT hex(event_id) AS event_id FROM events', {});
    expect([rows.length, new Set(rows.map(({ event_id }) => event_id)).size]).toEqual([40, 40]);
    await writer.stop();
    await die();
  });

  test('stay with its writer while that is at work, and are moved once it has ended', async () => {
    const prefix = newPrefix();
    const earlier = await open(prefix, [1]);
    const lease = openRedisLease(redis, { key: namesOf(prefix, 1)[0]?.lease ?? '' });
    expect(await lease.hold()).toBe(true);
    await earlier.append([sampleEvent(1, { site_id: siteOf(3) })], NOON);
    await earlier.bury([sampleEvent(7, { site_id: siteOf(3) })], 'The store refuses it.', NOON);
    const queue = await open(prefix, LAYOUTS);
    // It counts, and is in backups, wherever it waits.
    expect(await queue.status()).toEqual({ waiting: 1, oldestAt: NOON + 1, buried: 1 });
    const contents: Buried['entry'][] = [];
    for await (const { waiting, buried } of queue.contents())
      contents.push(...waiting, ...buried.map(({ entry }) => entry));
    expect(contents).toEqual([1, 7].map((number) => sampleEvent(number, { site_id: siteOf(3) })));
    await earlier.append([sampleEvent(2, { site_id: siteOf(3) })], NOON); // by a process that is still of the earlier version
    await lease.release();
    await eventually(async () => expect(await queue.of(siteOf(3)).waiting()).toBe(2));
    expect(await drain(queue.of(siteOf(3)))).toEqual(
      [1, 2].map((number) => sampleEvent(number, { site_id: siteOf(3) })),
    );
    await Promise.all([earlier.close(), queue.close()]);
  });

  test('are set aside if they cannot be read, and moved otherwise', async () => {
    const prefix = newPrefix();
    const earlier = await open(prefix, [1]);
    await redis.send('queue', ['XADD', `${prefix}:queue`, '*', 'e', '{"kind":"event","browser":undefined}']);
    await earlier.append([sampleEvent(1)], NOON);
    await earlier.close();
    const queue = await open(prefix, LAYOUTS);
    expect(await queue.status()).toEqual({ waiting: 1, oldestAt: NOON + 1, buried: 1 });
    expect((await all(queue)).get(SITE)).toEqual([sampleEvent(1)]);
    await queue.close();
  });

  test('cost one call for all events that arrive together, as long as their ids may come again', async () => {
    const prefix = newPrefix();
    const earlier = await open(prefix, [1]);
    const events = numbers(0, 200).map((number) => sampleEvent(number, { site_id: siteOf(number) }));
    await earlier.append(events.slice(0, 100), NOON);
    const calls: string[] = [];
    const counting: Redis = {
      ...redis,
      send: (...call) => {
        calls.push(call[1][0] ?? '');
        return redis.send(...call);
      },
    };
    const queue = await openRedisQueue({ redis: counting, log, prefix, layouts: LAYOUTS, now });
    calls.length = 0;
    const flags = await Promise.all(events.map((event) => queue.append([event], NOON)));
    expect(flags.flat().filter(Boolean).length).toBe(100);
    expect(calls.filter((name) => name === 'GET' || name === 'MGET')).toEqual(['MGET']);
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
