// The queue's contract, run on both forms: SQLite and Redis Streams. The parts that only one form has follow after it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Unavailable } from '../server/errors.ts';
import type { EventId, Recorded } from '../server/event.ts';
import { openLog } from '../server/log.ts';
import { openLease, openRedisLease } from '../server/queue/lease.ts';
import { SEEN_MS, type Queue } from '../server/queue/queue.ts';
import { openRedisQueue } from '../server/queue/redis.ts';
import { openSqliteQueue } from '../server/queue/sqlite.ts';
import { openRedis, type Redis } from '../server/redis.ts';
import { NOON } from './setup/clock.ts';
import { eventually } from './setup/eventually.ts';
import { startRedis, type TestRedis } from './setup/redis.ts';
import { hexId, sampleAiVisit, sampleEvent } from './setup/sample.ts';

const log = openLog('silent');
let server: TestRedis;
let redis: Redis;
beforeAll(async () => {
  server = await startRedis();
  redis = await openRedis(server.url);
});
afterAll(async () => {
  await redis.close();
  await server[Symbol.asyncDispose]();
});

/** One queue that can be opened again, as after a restart; gone at the end. */
type Form = AsyncDisposable & { open: () => Promise<Queue>; childArgs: string[] };
let lastPrefix = 0;

const FORMS: Record<string, () => Promise<Form>> = {
  async SQLite() {
    const folder = await mkdtemp(join(tmpdir(), 'footfall-queue-'));
    const path = join(folder, 'queue.db');
    const opened: Queue[] = [];
    return {
      childArgs: ['sqlite', path, ''],
      async open() {
        for (const queue of opened.splice(0)) await queue.close(); // one process at a time may have it
        const queue = await openSqliteQueue({ path });
        opened.push(queue);
        return queue;
      },
      async [Symbol.asyncDispose]() {
        for (const queue of opened) await queue.close();
        await rm(folder, { recursive: true });
      },
    };
  },
  Redis() {
    const prefix = `test${lastPrefix++}`;
    return Promise.resolve({
      childArgs: ['redis', server.url, prefix],
      open: () => openRedisQueue({ redis, log, prefix }),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    });
  },
};

const numbers = (from: number, count: number) => Array.from({ length: count }, (_, i) => from + i);
const events = (from: number, count: number) => numbers(from, count).map((number) => sampleEvent(number));
const idsOf = (entries: Recorded[]) => entries.map(({ event_id }) => event_id);
const isUnavailable = (error: unknown) => error instanceof Unavailable && error.store === 'queue';

async function drain(queue: Queue): Promise<Recorded[]> {
  const entries: Recorded[] = [];
  for (let batch = await queue.read(1000); batch; batch = await queue.read(1000)) {
    entries.push(...batch.entries);
    await queue.acknowledge(batch);
  }
  return entries;
}

/** The lines that a child says, and the means to end it without goodbye. */
function startChild(args: string[], options: { shell?: string } = {}) {
  const command = [process.execPath, join(import.meta.dirname, 'setup/queue-child.ts'), ...args];
  const child = options.shell
    ? spawn('/bin/sh', ['-c', `${options.shell}; exec "$@"`, 'sh', ...command], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
    : spawn(command[0] ?? '', command.slice(1), { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines: string[] = [];
  const reader = createInterface(child.stdout);
  reader.on('line', (line) => lines.push(line));
  const gone = once(child, 'exit');
  return {
    lines,
    pid: child.pid ?? 0,
    async until(done: (lines: string[]) => boolean) {
      while (!done(lines))
        await Promise.race([once(reader, 'line'), gone.then(() => Promise.reject(new Error('gone')))]);
    },
    async kill() {
      child.kill('SIGKILL');
      await gone;
    },
    [Symbol.dispose]: () => void child.kill('SIGKILL'),
  };
}
const acknowledged = (lines: string[]) =>
  lines.filter((line) => line.startsWith('+ ')).map((line) => Number(line.slice(2)));

describe.each(Object.keys(FORMS))('the queue in %s', (name) => {
  const newForm = () => (FORMS[name] as () => Promise<Form>)();

  test('gives back what was appended, whole and in order, and then nothing', async () => {
    await using form = await newForm();
    const queue = await form.open();
    const odd = sampleEvent(3, {
      page: '/\n"\\ü日本🙂\u2028',
      props: { '': '{}', __proto__x: '0' },
      amount: '12.3400',
    });
    const appended = [sampleEvent(1), sampleAiVisit(2), odd];
    expect(await queue.append(appended, NOON)).toEqual([true, true, true]);
    const batch = await queue.read(10);
    expect(batch?.entries).toEqual(appended);
    await queue.acknowledge(batch ?? { token: '', entries: [] });
    expect(await queue.read(10)).toBeUndefined();
  });

  test('reads at most the limit, oldest first', async () => {
    await using form = await newForm();
    const queue = await form.open();
    await queue.append(events(0, 7), NOON);
    const sizes: number[] = [];
    const seen: Recorded[] = [];
    const tokens = new Set<string>();
    for (let batch = await queue.read(3); batch; batch = await queue.read(3)) {
      sizes.push(batch.entries.length);
      seen.push(...batch.entries);
      tokens.add(batch.token);
      await queue.acknowledge(batch);
    }
    expect(sizes).toEqual([3, 3, 1]);
    expect(seen).toEqual(events(0, 7));
    expect(tokens.size).toBe(3);
  });

  test('delivers an unacknowledged batch again with the same events and token, also after a restart and with more waiting', async () => {
    await using form = await newForm();
    let queue = await form.open();
    await queue.append(events(0, 4), NOON);
    const first = await queue.read(3);
    await queue.append(events(4, 4), NOON);
    expect(await queue.read(100)).toEqual(first);
    queue = await form.open();
    expect(await queue.read(1)).toEqual(first);
    await queue.acknowledge(first ?? { token: '', entries: [] });
    const second = await queue.read(100);
    expect(idsOf(second?.entries ?? [])).toEqual(idsOf(events(3, 5)));
    expect(second?.token).not.toBe(first?.token);
  });

  test('does nothing when a batch is acknowledged twice, or was never delivered', async () => {
    await using form = await newForm();
    const queue = await form.open();
    await queue.append(events(0, 4), NOON);
    const first = (await queue.read(2)) ?? { token: '', entries: [] };
    await queue.acknowledge(first);
    const second = await queue.read(2);
    await queue.acknowledge(first);
    await queue.acknowledge({ token: 'never', entries: [] });
    expect(await queue.read(2)).toEqual(second);
    expect(idsOf(second?.entries ?? [])).toEqual(idsOf(events(2, 2)));
  });

  test('says which ids are repeats, within one call, among calls at once, and after a restart', async () => {
    await using form = await newForm();
    let queue = await form.open();
    expect(await queue.append([...events(0, 2), sampleEvent(0)], NOON)).toEqual([true, true, false]);
    const flags = await Promise.all(numbers(0, 20).map(() => queue.append([sampleEvent(5)], NOON)));
    expect(flags.flat().filter(Boolean)).toEqual([true]);
    queue = await form.open();
    expect(await queue.append([sampleEvent(1), sampleEvent(2)], NOON)).toEqual([false, true]);
    expect(idsOf(await drain(queue))).toEqual([0, 1, 5, 2].map(hexId));
    expect(await queue.append([sampleEvent(2)], NOON)).toEqual([false]); // acknowledged, and still known
  });

  test('knows an id for 24 hours, and counts it anew after them', async () => {
    await using form = await newForm();
    const queue = await form.open();
    expect(await queue.append([sampleEvent(1)], NOON)).toEqual([true]);
    expect(await queue.append([sampleEvent(1)], NOON + SEEN_MS - 1)).toEqual([false]);
    expect(await queue.append([sampleEvent(1)], NOON + SEEN_MS)).toEqual([true]);
    expect(await queue.append([sampleEvent(1)], NOON + SEEN_MS + 1)).toEqual([false]);
    expect((await drain(queue)).length).toBe(2);
  });

  test('keeps ids at the edges of 64 bits apart', async () => {
    await using form = await newForm();
    const queue = await form.open();
    const edges = ['0000000000000000', '0000000000000001', '7fffffffffffffff', '8000000000000000', 'ffffffffffffffff'];
    const appended = edges.map((id) => sampleEvent(1, { event_id: id as EventId }));
    expect(await queue.append(appended, NOON)).toEqual(edges.map(() => true));
    expect(idsOf(await drain(queue))).toEqual(edges);
  });

  test('takes 2,000 appends at once, each exactly once', async () => {
    await using form = await newForm();
    const queue = await form.open();
    const flags = await Promise.all(events(0, 2000).map((event) => queue.append([event], NOON)));
    expect(flags.flat().filter(Boolean).length).toBe(2000);
    expect(await queue.append(events(2000, 3000), NOON)).toEqual(numbers(0, 3000).map(() => true));
    expect(idsOf(await drain(queue))).toEqual(numbers(0, 5000).map(hexId));
  });

  test('appends nothing for nothing', async () => {
    await using form = await newForm();
    const queue = await form.open();
    expect(await queue.append([], NOON)).toEqual([]);
    expect(await queue.status()).toEqual({ waiting: 0, oldestAt: undefined, buried: 0 });
  });

  test('tells how many wait, since when, and how many are buried', async () => {
    await using form = await newForm();
    let queue = await form.open();
    await queue.append(events(7, 5), NOON);
    await queue.append(events(1, 1), NOON);
    expect(await queue.status()).toEqual({ waiting: 6, oldestAt: NOON + 7, buried: 0 });
    const batch = (await queue.read(5)) ?? { token: '', entries: [] };
    await queue.bury(batch.entries.slice(0, 2), 'The store refuses it.', NOON);
    expect((await queue.status()).waiting).toBe(6);
    await queue.acknowledge(batch);
    queue = await form.open();
    expect(await queue.status()).toEqual({ waiting: 1, oldestAt: NOON + 1, buried: 2 });
  });

  test('keeps what was buried until it is replayed, once, also when it was buried twice', async () => {
    await using form = await newForm();
    let queue = await form.open();
    const poison = sampleEvent(1, { page: '/poison' });
    await queue.append([poison, sampleEvent(2)], NOON);
    const batch = (await queue.read(10)) ?? { token: '', entries: [] };
    await queue.bury([poison], 'The store refuses it.', NOON);
    await queue.bury([poison], 'The store refuses it.', NOON);
    await queue.bury([], 'none', NOON);
    await queue.acknowledge(batch);
    queue = await form.open();
    expect((await queue.status()).buried).toBe(1);
    expect(await queue.replay(NOON)).toBe(1);
    expect(await queue.replay(NOON)).toBe(0);
    expect(await drain(queue)).toEqual([poison]);
    expect(await queue.status()).toEqual({ waiting: 0, oldestAt: undefined, buried: 0 });
  });

  test('replays 1,000 buried events whole', async () => {
    await using form = await newForm();
    const queue = await form.open();
    await queue.bury(events(0, 1000), 'The store refuses it.', NOON);
    expect(await queue.replay(NOON)).toBe(1000);
    expect(idsOf(await drain(queue)).sort()).toEqual(numbers(0, 1000).map(hexId).sort());
  });

  test('ends a wait at once when something is there, on an append, after the time, and on abort', async () => {
    await using form = await newForm();
    const queue = await form.open();
    const { signal } = new AbortController();
    await queue.wait(1, signal); // the time ends it
    const waited = queue.wait(60_000, signal);
    await queue.append([sampleEvent(1)], NOON);
    await waited;
    await queue.wait(60_000, signal);
    await drain(queue);
    const controller = new AbortController();
    const aborted = queue.wait(60_000, controller.signal);
    controller.abort();
    await aborted;
    await queue.wait(60_000, controller.signal);
  });

  test('refuses appends and reads once it is closed, after finishing those under way', async () => {
    await using form = await newForm();
    let queue = await form.open();
    const underWay = queue.append([sampleEvent(1)], NOON);
    await queue.close();
    await queue.close();
    expect(await underWay).toEqual([true]);
    await expect(queue.append([sampleEvent(2)], NOON)).rejects.toSatisfy(isUnavailable);
    await expect(queue.read(1)).rejects.toSatisfy(isUnavailable);
    await expect(queue.ping()).rejects.toSatisfy(isUnavailable);
    queue = await form.open();
    await queue.ping();
    expect(idsOf(await drain(queue))).toEqual([hexId(1)]);
  });

  test('loses nothing and doubles nothing through 20 times kill -9 of an appending process', async () => {
    await using form = await newForm();
    const told = new Set<number>();
    for (let round = 0; round < 20; round++) {
      using child = startChild([...form.childArgs, 'append', String(round * 100_000)]);
      await child.until((lines) => acknowledged(lines).length > round * 3); // each dies at another point
      await child.kill();
      for (const number of acknowledged(child.lines)) told.add(number);
    }
    const queue = await form.open();
    const kept = idsOf(await drain(queue));
    expect(new Set(kept).size).toBe(kept.length);
    expect([...told].filter((number) => !kept.includes(hexId(number) as EventId))).toEqual([]);
    // What was kept without an answer is sent again by its sender, and is a repeat then.
    const again = await queue.append(
      kept.map((event_id) => sampleEvent(0, { event_id })),
      NOON,
    );
    expect(again.filter(Boolean)).toEqual([]);
  }, 120_000);

  test('delivers the same batch after 5 times kill -9 between read and acknowledge', async () => {
    await using form = await newForm();
    let queue = await form.open();
    await queue.append(events(0, 12), NOON);
    await queue.close();
    const deliveries = new Set<string>();
    for (let round = 0; round < 5; round++) {
      using child = startChild([...form.childArgs, 'read']);
      await child.until((lines) => lines.some((line) => line.startsWith('read ')));
      await child.kill();
      deliveries.add(child.lines.at(-1) ?? '');
      expect(deliveries.size).toBe(1);
    }
    queue = await form.open();
    const batch = await queue.read(100);
    expect([...deliveries]).toEqual([`read ${batch?.token} 5`]);
    expect(idsOf(batch?.entries ?? [])).toEqual(numbers(0, 5).map(hexId));
  });
});

describe('the queue in SQLite alone', () => {
  test('refuses a second process with a sentence, and leaves the first one unharmed', async () => {
    await using form = await (FORMS['SQLite'] as () => Promise<Form>)();
    const queue = await form.open();
    const [, path = ''] = form.childArgs;
    await expect(openSqliteQueue({ path })).rejects.toThrow(/^Another process uses the queue .*queue\.db/);
    expect(await queue.append([sampleEvent(1)], NOON)).toEqual([true]);
  });

  test('says what is wrong when the folder is not there', async () => {
    await expect(openSqliteQueue({ path: '/nowhere/queue.db' })).rejects.toThrow(
      'The queue /nowhere/queue.db cannot be opened: unable to open database file.',
    );
  });

  test('refuses an id that is not 16 hex digits, and only that append', async () => {
    await using form = await (FORMS['SQLite'] as () => Promise<Form>)();
    const queue = await form.open();
    const wrong = queue.append([sampleEvent(1, { event_id: 'xyz' as EventId })], NOON);
    const right = queue.append([sampleEvent(2)], NOON);
    await expect(wrong).rejects.toThrow('An event_id is 16 hex digits.');
    expect(await right).toEqual([true]);
  });

  test('answers Unavailable while the disk is full, keeps what it accepted, and goes on once there is room', async () => {
    await using form = await (FORMS['SQLite'] as () => Promise<Form>)();
    // A limit on the size of files stands in for a full disk: writes past it fail in the same way.
    using child = startChild([...form.childArgs, 'append'], { shell: "trap '' XFSZ; ulimit -S -f 2000" });
    await child.until((lines) => lines.filter((line) => line === '! queue').length >= 20);
    const before = acknowledged(child.lines).length;
    const lifted = spawn('prlimit', ['--pid', String(child.pid), '--fsize=unlimited:']);
    await once(lifted, 'exit');
    await child.until((lines) => acknowledged(lines).length > before + 50);
    await child.kill();
    const kept = new Set<string>(idsOf(await drain(await form.open())));
    const told = acknowledged(child.lines);
    expect(before).toBeGreaterThan(100);
    expect(told.filter((number) => !kept.has(hexId(number)))).toEqual([]);
    expect(child.lines.filter((line) => line.startsWith('! ') && line !== '! queue')).toEqual([]);
  });

  test('forgets expired ids by and by', async () => {
    await using form = await (FORMS['SQLite'] as () => Promise<Form>)();
    const queue = await form.open();
    await queue.append(events(0, 500), NOON);
    const minute = 60_000;
    for (let i = 0; i < 65; i++) await queue.append([sampleEvent(1000 + i)], NOON + SEEN_MS + i * minute);
    await queue.close();
    const { DatabaseSync } = await import('node:sqlite');
    using db = new DatabaseSync(form.childArgs[1] ?? '');
    expect(db.prepare('SELECT count(*) AS count FROM seen').get()).toEqual({ count: 65 });
  });
});

describe('the queue in Redis alone', () => {
  test.each(['allkeys-lru', 'volatile-lru', 'allkeys-random', 'volatile-ttl'])(
    'refuses a Redis with the evicting policy %s',
    async (policy) => {
      await using evicting = await startRedis({ config: { 'maxmemory-policy': policy } });
      const connection = await openRedis(evicting.url);
      await expect(openRedisQueue({ redis: connection, log })).rejects.toThrow(
        `maxmemory-policy ${policy}), accepted events among it; set maxmemory-policy to noeviction.`,
      );
      await connection.close();
    },
  );

  test('says that nothing answers when there is no Redis, without the password', async () => {
    await expect(openRedis('redis://user:secret@127.0.0.1:1')).rejects.toThrow(
      'REDIS_URL: no Redis answers at 127.0.0.1:1; start it, or unset REDIS_URL.',
    );
  });

  test('makes its group again after FLUSHALL and says that events were lost', async () => {
    await using own = await startRedis();
    const connection = await openRedis(own.url);
    const errors: string[] = [];
    const queue = await openRedisQueue({
      redis: connection,
      log: { ...log, error: (message: unknown) => void errors.push(String(message)) } as typeof log,
    });
    await queue.append(events(0, 3), NOON);
    await connection.send('queue', ['FLUSHALL']);
    expect(await queue.read(10)).toBeUndefined();
    expect(await queue.append([sampleEvent(9)], NOON)).toEqual([true]);
    expect(idsOf((await queue.read(10))?.entries ?? [])).toEqual([hexId(9)]);
    expect(errors).toEqual(['The queue in Redis was emptied from outside: events that waited in it are lost.']);
    await connection.send('queue', ['FLUSHALL']);
    await queue.acknowledge({ token: '1-0_1-0', entries: [] });
    expect(await queue.status()).toEqual({ waiting: 0, oldestAt: undefined, buried: 0 });
    await connection.close();
  });

  test('answers Unavailable within 2 s while Redis is stopped, never hangs, and heals itself', async () => {
    await using own = await startRedis();
    const connection = await openRedis(own.url);
    const queue = await openRedisQueue({ redis: connection, log });
    await queue.append([sampleEvent(0)], NOON);
    own.pause();
    const from = performance.now();
    const asked = [
      ...numbers(1, 20).map((number) => queue.append([sampleEvent(number)], NOON)),
      queue.read(10),
      queue.status(),
      queue.ping(),
    ];
    const outcomes = await Promise.allSettled(asked);
    expect(performance.now() - from).toBeLessThan(2000);
    expect(outcomes.map((outcome) => outcome.status === 'rejected' && isUnavailable(outcome.reason))).toEqual(
      asked.map(() => true),
    );
    await expect(queue.append([sampleEvent(50)], NOON)).rejects.toSatisfy(isUnavailable);
    own.resume();
    const flags = await eventually(() => queue.append(events(0, 60), NOON));
    // The stopped Redis had the first ones in its socket and did them on waking: their senders repeat them, and are told so.
    expect(flags[0]).toBe(false);
    expect(new Set(idsOf(await drain(queue)))).toEqual(new Set(numbers(0, 60).map(hexId)));
    await connection.close();
  });

  test('loses nothing that it acknowledged when Redis itself is killed 10 times under load', async () => {
    await using own = await startRedis();
    const connection = await openRedis(own.url);
    const queue = await openRedisQueue({ redis: connection, log });
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
    await using own = await startRedis({ config: { maxmemory: '3mb' } });
    const connection = await openRedis(own.url);
    const queue = await openRedisQueue({ redis: connection, log });
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

  test('reads on when pending entries were deleted from outside', async () => {
    await using form = await (FORMS['Redis'] as () => Promise<Form>)();
    const queue = await form.open();
    await queue.append(events(0, 4), NOON);
    await queue.read(2);
    await redis.send('queue', ['XTRIM', `${form.childArgs[2]}:queue`, 'MAXLEN', '2']);
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

  test('in Redis has one holder, who renews it; another takes over when it is given up', async () => {
    const [first, second] = [openRedisLease(redis, { name: 'a' }), openRedisLease(redis, { name: 'a' })];
    expect([await first.hold(), await second.hold(), await first.hold()]).toEqual([true, false, true]);
    await second.release(); // not theirs to give up
    expect([await second.hold(), await first.hold()]).toEqual([false, true]);
    await first.release();
    expect([await second.hold(), await first.hold()]).toEqual([true, false]);
    expect(await openRedisLease(redis, { name: 'b' }).hold()).toBe(true);
  });

  test('in Redis runs out when its holder is gone', async () => {
    const [dead, heir] = [1, 2].map(() => openRedisLease(redis, { name: 'c', leaseMs: 50 }));
    expect([await dead?.hold(), await heir?.hold()]).toEqual([true, false]);
    await eventually(async () => expect(await heir?.hold()).toBe(true));
    expect(await dead?.hold()).toBe(false);
  });

  test('is not held while Redis is away', async () => {
    await using own = await startRedis();
    const connection = await openRedis(own.url);
    const lease = openRedisLease(connection, { name: 'a' });
    expect(await lease.hold()).toBe(true);
    await own.kill();
    expect(await lease.hold()).toBe(false);
    await lease.release();
    await own.restart();
    await eventually(async () => expect(await lease.hold()).toBe(true));
    await connection.close();
  });

  test('keeps a process that slept through it from reading beside the new holder, who gets the same batch', async () => {
    const [first, second] = [openRedisLease(redis, { name: 'd' }), openRedisLease(redis, { name: 'd' })];
    const queueOf = ({ fence }: typeof first) => openRedisQueue({ redis, log, fence, prefix: 'leased' });
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
