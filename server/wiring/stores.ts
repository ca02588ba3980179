// Opens the stores, each in its embedded or its server form.
import { join } from 'node:path';
import { DIRECTORY_FILE, type Directory, openDirectory } from '../directory/open.ts';
import { openMemoryWindows } from '../live/memory.ts';
import { openRedisWindows } from '../live/redis.ts';
import type { Windows } from '../live/windows.ts';
import { openLease, type PartitionLease } from '../queue/lease.ts';
import { openRedisPartitions } from '../queue/leases.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { Partition, Queue } from '../queue/queue.ts';
import { openSqliteQueue } from '../queue/sqlite.ts';
import { openRedis, type Redis } from '../redis/redis.ts';
import { announcing, openVersions, type Versions } from '../stats/answer-cache.ts';
import { type EventStore, openStore } from '../store/open.ts';
import type { Setting } from './setting.ts';

export type Stores = {
  directory: Directory;
  /** State that processes share; undefined if this process runs alone. */
  redis: Redis | undefined;
  queue: Queue;
  /** The parts of the queue, each with the lease of the process that writes from it to the store. */
  partitions: { partition: Partition; lease: PartitionLease }[];
  /** Leaves the partitions to other processes. */
  leave(): Promise<void>;
  store: EventStore;
  /** Which answers of this process are out of date, by what it has stored. */
  versions: Versions;
  windows: Windows;
};

/** Opens all stores, and hands each to `opened`, which closes them in reverse order. */
export async function openStores(
  { config, now, log }: Setting,
  opened: AsyncDisposableStack,
  metrics?: Pick<Metrics, 'measured'>,
): Promise<Stores> {
  const close = async (thing: { close(): Promise<unknown> }) => void (await thing.close());
  const inFolder = (name: string) => join(config.DATA_DIR, name);

  const directory = opened.adopt(
    await openDirectory({ databaseUrl: config.DATABASE_URL, path: inFolder(DIRECTORY_FILE) }),
    close,
  );
  const redis = config.REDIS_URL ? opened.adopt(await openRedis(config.REDIS_URL), close) : undefined;
  const { queue, ...shared } = redis
    ? await openRedisPartitions({ redis, log, now })
    : await alone(openSqliteQueue({ path: inFolder('queue.sqlite') }));
  opened.adopt(queue, close);
  // The queue is opened first: if another process uses the folder, its error message is clearer than the engine's.
  const store = opened.adopt(
    await openStore({ url: config.CLICKHOUSE_URL, cluster: config.CLICKHOUSE_CLUSTER, path: inFolder('events') }),
    close,
  );
  const windows = opened.adopt(redis ? openRedisWindows({ redis }) : openMemoryWindows(), close);
  const versions = openVersions();
  const announced = announcing(metrics?.measured(store) ?? store, versions);
  return { directory, redis, queue, ...shared, store: announced, versions, windows };
}

/** The queue of a process that shares it with no other. */
async function alone(opening: Promise<Queue & Partition>): Promise<Pick<Stores, 'queue' | 'partitions' | 'leave'>> {
  const queue = await opening;
  return { queue, partitions: [{ partition: queue, lease: openLease() }], leave: () => Promise.resolve() };
}
