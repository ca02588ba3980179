// The queue in Redis Streams: a stream for each partition of the sites, so that many writers share the work and none waits for another's
// sites. It is as durable as Redis's file: with `appendonly yes` and `everysec`, a kill loses nothing, and a power cut at most a second.
import { Unavailable } from '../../errors.ts';
import type { Recorded, SiteId } from '../../vocabulary/event.ts';
import type { Log } from '../../process/log.ts';
import { partitionOf } from '../../process/redis/partitions.ts';
import type { Redis } from '../../process/redis/redis.ts';
import { buriedOf, readTexts } from '../entries.ts';
import { LAYOUTS, type Names, namesOf } from './layouts.ts';
import { type Older, openOlder } from './older.ts';
import type { Buried, Partition, Queue } from '../queue.ts';
import { type BuriedEvents, openBuried } from './buried.ts';
import { createStream, oldestIn, openPartition, type RedisPartition } from './partition.ts';

/** Entries per part of `contents`. */
const PAGE = '5000';

export type RedisQueue = Queue & {
  /** Each is read only by the process that holds its lease. */
  partitions: Partition[];
  of(siteId: SiteId): Partition;
};

type Options = {
  redis: Redis;
  log: Log;
  /** Shown by the leases of this process: a partition is read only while its lease has this value. Without it, no lease is needed. */
  leaseToken?: string;
  prefix?: string;
  now?: () => number;
  /** LAYOUTS, except in tests. */
  layouts?: readonly number[];
};

type Part = { read: RedisPartition; buried: BuriedEvents };
/** Entries that are read without taking them: the streams and buried events of today's layout, and of earlier ones. */
type Kept = { names: Names; buried: BuriedEvents };

/** Throws an error for the operator if this Redis may evict accepted events. */
export async function openRedisQueue(options: Options): Promise<RedisQueue> {
  const { redis, log, leaseToken = '', prefix = 'footfall', now = Date.now, layouts = LAYOUTS } = options;
  const partitions = layouts.at(-1) ?? 1;
  await refuseEviction(redis, log);
  const parts = namesOf(prefix, partitions).map((names) => ({
    read: openPartition({ redis, log, names, leaseToken }),
    buried: openBuried(redis, names),
  }));
  await Promise.all(parts.map(({ read }) => createStream(redis, read.names)));
  const kept = parts.map(({ read, buried }): Kept => ({ names: read.names, buried }));
  const keptOf = (names: Names): Kept => ({ names, buried: openBuried(redis, names) });
  const of = (siteId: SiteId) => parts[partitionOf(siteId, partitions)] as Part;
  const inParts = <Item>(items: Item[], siteOf: (item: Item) => SiteId) =>
    Map.groupBy(items, (item) => of(siteOf(item)));

  const bury = async (buried: Buried[]) => {
    for (const { entry, reason, at } of buried) await of(entry.site_id).buried.bury([entry], reason, at);
  };
  const older = await openOlder({
    redis,
    log,
    prefix,
    layouts: layouts.slice(0, -1),
    adopt: async ({ entries, unreadable = [] }) => {
      await bury(unreadable.map(buriedOf));
      for (const [part, some] of inParts(entries, (entry) => entry.site_id)) await part.read.adopt(some, now());
    },
    bury,
  });

  let isClosed = false;
  const refuseClosed = () => {
    if (isClosed) throw new Unavailable('queue', new Error('The queue is closed.'));
  };
  const opened = parts.map(({ read }): Partition => ({
    wait: read.wait,
    acknowledge: read.acknowledge,
    waiting: read.waiting,
    oldestAt: read.oldestAt,
    read: async (limit: number) => {
      refuseClosed();
      return read.read(limit);
    },
  }));

  return {
    partitions: opened,
    of: (siteId) => opened[partitionOf(siteId, partitions)] as Partition,
    async append(recorded, at) {
      refuseClosed();
      return recorded.length === 0 ? [] : appendTo(of, { older, recorded, now: at });
    },
    async bury(entries, reason, at) {
      for (const [part, some] of inParts(entries, (entry) => entry.site_id)) await part.buried.bury(some, reason, at);
    },
    async replay() {
      let count = 0;
      for (const { buried } of parts) count += await buried.replay();
      return count;
    },
    forget: (siteId) => of(siteId).buried.forget(siteId),
    // The earlier ones first: what is moved meanwhile is then read twice, and has its id, instead of never.
    contents: () => readContents(redis, [...older.names().map(keptOf), ...kept]),
    erase: () => renewFiles(redis, log),
    status: () => readStatus(redis, [...older.names().map(keptOf), ...kept]),
    async ping() {
      refuseClosed();
      return redis.ping('queue');
    },
    async close() {
      isClosed = true;
      older.close();
      await Promise.all(parts.map(({ read }) => read.idle()));
    },
  };
}

/** Appends each event to its site's partition, and returns for each whether it is new. */
async function appendTo(
  of: (siteId: SiteId) => Part,
  { older, recorded, now }: { older: Older; recorded: Recorded[]; now: number },
): Promise<boolean[]> {
  const known = await older.seen(recorded, now);
  const isNew: boolean[] = recorded.map(() => false);
  const fresh = recorded.flatMap((event, index) => (known.has(event.event_id) ? [] : [{ event, index }]));
  const inParts = Map.groupBy(fresh, ({ event }) => of(event.site_id));
  await Promise.all(
    [...inParts].map(async ([part, some]) => {
      const flags = await part.read.append(
        some.map(({ event }) => event),
        now,
      );
      for (const [i, { index }] of some.entries()) isNew[index] = flags[i] === true;
    }),
  );
  return isNew;
}

/**
 * Removes old data from Redis's files. The append-only file holds every command since its last rewrite, and the snapshot everything at the
 * time it was taken. A hosted Redis may forbid both commands; it rewrites its files by itself.
 */
async function renewFiles(redis: Redis, log: Log): Promise<void> {
  const each = (...command: string[]) =>
    redis.each('queue', command).catch((error: unknown) => {
      log.debug({ error }, `Redis refuses ${command[0]} now`);
      return [];
    });
  await each('BGREWRITEAOF');
  const settings = (await each('CONFIG', 'GET', 'save')) as Record<string, string>[];
  if (settings.some((of) => of['save'])) await each('BGSAVE', 'SCHEDULE'); // runs after the rewrite
}

async function* readContents(redis: Redis, kept: Kept[]): ReturnType<Queue['contents']> {
  for (const { names } of kept)
    for (let after = '-'; ;) {
      const rows = (await redis.send('queue', ['XRANGE', names.stream, after, '+', 'COUNT', PAGE])) as Row[];
      const last = rows.at(-1);
      if (!last) break;
      const texts = rows.map(([, fields]) => fields[1] ?? '');
      const { entries, unreadable } = readTexts(texts);
      yield { waiting: entries, buried: unreadable.map(buriedOf) };
      if (rows.length < Number(PAGE)) break; // the end: what is appended from now on comes after this moment
      after = `(${last[0]}`;
    }
  for (const { buried } of kept) for await (const some of buried.all()) yield { waiting: [], buried: some };
}

type Row = [id: string, fields: string[]];

async function readStatus(redis: Redis, kept: Kept[]): ReturnType<Queue['status']> {
  const each = await Promise.all(
    kept.map(async ({ names, buried }) => {
      const [waiting, oldest, count] = await Promise.all([
        redis.send('queue', ['XLEN', names.stream]),
        oldestIn(redis, names),
        buried.count(),
      ]);
      return { waiting: Number(waiting), oldestAt: oldest ?? [], buried: count };
    }),
  );
  const oldest = each.flatMap(({ oldestAt }) => oldestAt);
  const sum = (name: 'waiting' | 'buried') => each.reduce((total, one) => total + one[name], 0);
  return {
    waiting: sum('waiting'),
    oldestAt: oldest.length === 0 ? undefined : Math.min(...oldest),
    buried: sum('buried'),
  };
}

/** Measured: with an evicting policy, Redis dropped 72 % of the entries that it had acknowledged, without an error. */
async function refuseEviction(redis: Redis, log: Log): Promise<void> {
  // Replicas, too: one that takes over would drop data then. Many hosted Redis servers forbid CONFIG.
  const infos = (await redis.everywhere('queue', ['INFO'])).map(String);
  for (const info of infos) {
    const policy = /^maxmemory_policy:(.+?)\r?$/m.exec(info)?.[1];
    if (policy !== undefined && policy !== 'noeviction')
      throw new Error(
        `REDIS_URL: this Redis drops data when its memory is full (maxmemory-policy ${policy}), including accepted events; ` +
          'set maxmemory-policy to noeviction.',
      );
  }
  if (infos.some((info) => /^aof_enabled:0\r?$/m.test(info)))
    log.warn('Redis runs without appendonly: when it stops, the events that wait in it are lost.');
}
