/** @module-tag fault */
// The parts that only the queue in Redis has: a server that is stopped, killed, full, emptied or wrongly configured, and the writer's
// lease.
import { describe, expect, test } from 'vitest';
import { openLog } from '../../server/process/log.ts';
import { openLease, openRedisLease } from '../../server/queue/lease.ts';
import { namesOf } from '../../server/queue/redis/layouts.ts';
import { openRedisQueue } from '../../server/queue/redis/queue.ts';
import { PARTITIONS, partitionOf } from '../../server/process/redis/partitions.ts';
import { openRedis } from '../../server/process/redis/redis.ts';
import { NOON } from '../setup/clock.ts';
import { eventually } from '../setup/eventually.ts';
import { drain, events, idsOf, isUnavailable, numbers, ofSample, redisForm } from '../setup/stores/queue.ts';
import { startRedis } from '../setup/stores/redis.ts';
import { redisOfFile } from '../setup/stores/redis-of-file.ts';
import { hexId, sampleEvent, SITE } from '../setup/event.ts';
import { showsSurvived } from '../setup/run/harness.ts';

const log = openLog('silent');
const { server, redis } = await redisOfFile();

describe('the queue in Redis alone', () => {
  test.each(['allkeys-lru', 'volatile-lru', 'allkeys-random', 'volatile-ttl'])(
    'refuses a Redis with the evicting policy %s',
    async (policy) => {
      showsSurvived('Redis with an evicting policy');
      await using evicting = await startRedis({ config: { 'maxmemory-policy': policy } });
      const connection = await openRedis(evicting.url);
      await expect(openRedisQueue({ redis: connection, log })).rejects.toThrow(
        `maxmemory-policy ${policy}), including accepted events; set maxmemory-policy to noeviction.`,
      );
      await connection.close();
    },
  );

  test('says that nothing answers when there is no Redis, without the password', async () => {
    await expect(openRedis('redis://user:secret@127.0.0.1:1')).rejects.toThrow(
      'REDIS_URL: no Redis answers at 127.0.0.1:1; start it, or unset REDIS_URL.',
    );
  });

  test('creates its group again after FLUSHALL, and says that events were lost', async () => {
    showsSurvived('Redis flushed, or its consumer group deleted');
    await using own = await startRedis();
    const connection = await openRedis(own.url);
    const errors: string[] = [];
    const queue = ofSample(
      await openRedisQueue({
        redis: connection,
        log: { ...log, error: (message: unknown) => void errors.push(String(message)) } as typeof log,
      }),
    );
    await queue.append(events(0, 3), NOON);
    await connection.send('queue', ['FLUSHALL']);
    expect(await queue.read(10)).toBeUndefined();
    expect(await queue.append([sampleEvent(9)], NOON)).toEqual([true]);
    expect(idsOf((await queue.read(10))?.entries ?? [])).toEqual([hexId(9)]);
    expect(errors).toEqual([
      'The queue in Redis was emptied by another program: the events that waited in it are lost.',
    ]);
    await connection.send('queue', ['FLUSHALL']);
    await queue.acknowledge({ token: '1-0_1-0', entries: [] });
    expect(await queue.status()).toEqual({ waiting: 0, oldestAt: undefined, buried: 0 });
    await connection.close();
  });

  test('answers Unavailable while Redis is stopped, never hangs, and recovers', async () => {
    showsSurvived('Redis stopped for 30 seconds');
    await using own = await startRedis();
    const connection = await openRedis(own.url);
    const queue = ofSample(await openRedisQueue({ redis: connection, log }));
    await queue.append([sampleEvent(0)], NOON);
    own.pause();
    const asked = [
      ...numbers(1, 20).map((number) => queue.append([sampleEvent(number)], NOON)),
      queue.read(10),
      queue.status(),
      queue.ping(),
    ];
    const outcomes = await Promise.allSettled(asked);
    expect(outcomes.map((outcome) => outcome.status === 'rejected' && isUnavailable(outcome.reason))).toEqual(
      asked.map(() => true),
    );
    await expect(queue.append([sampleEvent(50)], NOON)).rejects.toSatisfy(isUnavailable);
    own.resume();
    const flags = await eventually(() => queue.append(events(0, 60), NOON));
    // The stopped Redis had the first ones in its socket, and ran them when it continued. Their senders send them again, and hear that they
    // are repeats.
    expect(flags[0]).toBe(false);
    expect(new Set(idsOf(await drain(queue)))).toEqual(new Set(numbers(0, 60).map(hexId)));
    await connection.close();
  });

  test('loses nothing that it acknowledged when Redis is killed 10 times under load', async () => {
    showsSurvived('kill -9 of Redis');
    await using own = await startRedis();
    const connection = await openRedis(own.url);
    const queue = ofSample(await openRedisQueue({ redis: connection, log }));
    const told = new Set<string>();
    let next = 0;
    for (let round = 0; round < 10; round++) {
      const appends = numbers(next, 300).map((number) =>
        queue.append([sampleEvent(number)], NOON).then(() => told.add(hexId(number))),
      );
      const settled = Promise.allSettled(appends);
      next += 300;
      if (round % 2 === 0) await appends[0];
      await own.kill();
      await settled;
      await expect(queue.append([sampleEvent(1e6)], NOON)).rejects.toSatisfy(isUnavailable);
      await own.restart();
      await eventually(() => queue.ping());
    }
    const kept: string[] = idsOf(await drain(queue));
    expect(new Set(kept).size).toBe(kept.length);
    expect([...told].filter((id) => !kept.includes(id))).toEqual([]);
    await connection.close();
  });

  test('answers Unavailable when Redis is full, and keeps what it accepted', async () => {
    showsSurvived('Redis full');
    await using own = await startRedis({ config: { maxmemory: '3mb' } });
    const connection = await openRedis(own.url);
    const queue = ofSample(await openRedisQueue({ redis: connection, log }));
    let accepted = 0;
    const fill = async () => {
      for (;;) accepted += (await queue.append(events(accepted, 50), NOON)).filter(Boolean).length;
    };
    await expect(fill()).rejects.toSatisfy(isUnavailable);
    expect(accepted).toBeGreaterThan(100);
    expect((await queue.status()).waiting).toBe(accepted);
    await connection.send('queue', ['CONFIG', 'SET', 'maxmemory', '0']);
    expect(idsOf(await drain(queue))).toEqual(numbers(0, accepted).map(hexId));
    await connection.close();
  });

  test('continues reading when pending entries were deleted from outside', async () => {
    await using form = redisForm(server, redis);
    const queue = await form.open();
    await queue.append(events(0, 4), NOON);
    await queue.read(2);
    const { stream = '' } = namesOf(form.childArgs[2] ?? '', PARTITIONS)[partitionOf(SITE)] ?? {};
    await redis.send('queue', ['XTRIM', stream, 'MAXLEN', '2']);
    expect(idsOf((await queue.read(10))?.entries ?? [])).toEqual([2, 3].map(hexId));
  });
});

describe('the lease', () => {
  test('of embedded stores is always held', async () => {
    const lease = openLease();
    expect(await lease.hold()).toBe(true);
    await lease.release();
    expect(await lease.hold()).toBe(true);
  });

  test('in Redis has one holder, who renews it; another takes over when it is released', async () => {
    const [first, second] = [openRedisLease(redis, { key: 'lease-a' }), openRedisLease(redis, { key: 'lease-a' })];
    expect([await first.hold(), await second.hold(), await first.hold()]).toEqual([true, false, true]);
    await second.release(); // not theirs to release
    expect([await second.hold(), await first.hold()]).toEqual([false, true]);
    await first.release();
    expect([await second.hold(), await first.hold()]).toEqual([true, false]);
    expect(await openRedisLease(redis, { key: 'lease-b' }).hold()).toBe(true);
  });

  test('in Redis expires when its holder is gone', async () => {
    const beats = silentBeats();
    const [dead, heir] = [1, 2].map(() =>
      openRedisLease(redis, { key: 'lease-c', leaseMs: 60_000, repeat: beats.repeat }),
    );
    expect([await dead?.hold(), await heir?.hold()]).toEqual([true, false]);
    const key = dead?.fence.key ?? '';
    expect(Number(await redis.send('queue', ['PTTL', key]))).toBeGreaterThan(0);
    await redis.send('queue', ['PEXPIRE', key, '50']); // the minute is almost over
    await eventually(async () => expect(await heir?.hold()).toBe(true));
    expect(await dead?.hold()).toBe(false);
  });

  test('in Redis is renewed while its holder works on a slow batch, but not for one that is stuck', async () => {
    const beats = silentBeats();
    let now = 0;
    const lease = openRedisLease(redis, { key: 'lease-e', leaseMs: 60_000, now: () => now, repeat: beats.repeat });
    const left = async () => Number(await redis.send('queue', ['PTTL', lease.fence.key]));
    const almostOver = () => redis.send('queue', ['PEXPIRE', lease.fence.key, '30000']);
    await beats.run();
    expect(await left()).toBe(-2); // a beat takes no lease

    expect(await lease.hold()).toBe(true);
    await almostOver();
    now = 59_000;
    await beats.run();
    expect(await left()).toBeGreaterThan(30_000);

    await almostOver();
    now = 61_000;
    await beats.run();
    expect(await left()).toBeLessThanOrEqual(30_000);
    expect(beats.running).toBe(0);

    expect(await lease.hold()).toBe(true);
    expect(beats.running).toBe(1);
    await lease.release();
    expect([beats.running, await left()]).toEqual([0, -2]);
  });

  test('in Redis tells its holder once that it was lost in between, although nobody has it now', async () => {
    const beats = silentBeats();
    const [first, second] = [1, 2].map(() => openRedisLease(redis, { key: 'lease-g', repeat: beats.repeat }));
    expect(await first?.hold()).toBe(true);
    await redis.send('queue', ['DEL', first?.fence.key ?? '']);
    expect(await second?.hold()).toBe(true);
    await second?.release();
    expect([await first?.hold(), await first?.hold()]).toEqual([false, true]);
  });

  test('in Redis is not renewed by a process that has lost it', async () => {
    const beats = silentBeats();
    const [first, second] = [1, 2].map(() =>
      openRedisLease(redis, { key: 'lease-f', leaseMs: 60_000, repeat: beats.repeat }),
    );
    await first?.hold();
    await redis.send('queue', ['DEL', first?.fence.key ?? '']);
    expect(await second?.hold()).toBe(true);
    await redis.send('queue', ['PEXPIRE', second?.fence.key ?? '', '30000']);
    const [ofFirst] = beats.all();
    await ofFirst?.();
    expect(beats.running).toBe(1);
    expect(Number(await redis.send('queue', ['PTTL', second?.fence.key ?? '']))).toBeLessThanOrEqual(30_000);
  });

  test('is not held while Redis is away', async () => {
    await using own = await startRedis();
    const connection = await openRedis(own.url);
    const lease = openRedisLease(connection, { key: 'lease-a' });
    expect(await lease.hold()).toBe(true);
    await own.kill();
    expect(await lease.hold()).toBe(false);
    await lease.release();
    await own.restart();
    await eventually(async () => expect(await lease.hold()).toBe(true));
    await connection.close();
  });

  test('stops a process that was suspended beyond it from reading alongside the new holder, who gets the same batch', async () => {
    showsSurvived('writer dead, another one takes over');
    const key = namesOf('leased', PARTITIONS)[partitionOf(SITE)]?.lease ?? '';
    const [first, second] = [openRedisLease(redis, { key }), openRedisLease(redis, { key })];
    const queueOf = async ({ fence: { token } }: typeof first) =>
      ofSample(await openRedisQueue({ redis, log, leaseToken: token, prefix: 'leased' }));
    const [sleeper, heir] = [await queueOf(first), await queueOf(second)];
    await sleeper.append(events(0, 4), NOON);
    expect(await sleeper.read(2)).toBeUndefined(); // nobody has it yet
    await first.hold();
    const batch = await sleeper.read(2);
    expect(batch?.entries.length).toBe(2);
    expect(await heir.read(2)).toBeUndefined();
    await first.release();
    await second.hold();
    expect(await heir.read(4)).toEqual(batch);
    expect(await sleeper.read(2)).toBeUndefined();
    await heir.acknowledge(batch ?? { token: '', entries: [] });
    await sleeper.acknowledge(batch ?? { token: '', entries: [] });
    expect(idsOf((await heir.read(4))?.entries ?? [])).toEqual([2, 3].map(hexId));
  });
});

/** Heartbeats that only happen when the test runs them. */
function silentBeats() {
  const beats = new Set<() => Promise<void>>();
  return {
    repeat: (run: () => Promise<void>) => {
      beats.add(run);
      return () => void beats.delete(run);
    },
    all: () => [...beats],
    run: async () => void (await Promise.all([...beats].map((beat) => beat()))),
    get running() {
      return beats.size;
    },
  };
}
