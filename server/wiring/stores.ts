// Opens the stores, each in its embedded or its server form.
import { join } from 'node:path';
import { DIRECTORY_FILE, type Directory, openDirectory } from '../directory/open.ts';
import { openMemoryWindows } from '../live/memory.ts';
import { openRedisWindows } from '../live/redis.ts';
import type { Windows } from '../live/windows.ts';
import { type Lease, openLease, openRedisLease } from '../queue/lease.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { Queue } from '../queue/queue.ts';
import { openRedisQueue } from '../queue/redis.ts';
import { openSqliteQueue } from '../queue/sqlite.ts';
import { openRedis, type Redis } from '../redis.ts';
import { type EventStore, openStore } from '../store/open.ts';
import type { Setting } from './setting.ts';

export type Stores = {
  directory: Directory;
  /** State that processes share; undefined if this process runs alone. */
  redis: Redis | undefined;
  queue: Queue;
  /** Held by the process that writes from the queue to the store. */
  lease: Lease;
  store: EventStore;
  windows: Windows;
};

/** Opens all stores, and hands each to `opened`, which closes them in reverse order. */
export async function openStores(
  { config, log }: Setting,
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
  const redisLease = redis && openRedisLease(redis, { name: 'writer' });
  const queue = opened.adopt(
    redis && redisLease
      ? await openRedisQueue({ redis, log, fence: redisLease.fence })
      : await openSqliteQueue({ path: inFolder('queue.sqlite') }),
    close,
  );
  // The queue is opened first: if another process uses the folder, its error message is clearer than the engine's.
  const store = opened.adopt(await openStore({ url: config.CLICKHOUSE_URL, path: inFolder('events') }), close);
  const windows = opened.adopt(redis ? openRedisWindows({ redis }) : openMemoryWindows(), close);
  const lease = redisLease ?? openLease();
  return { directory, redis, queue, lease, store: metrics?.measured(store) ?? store, windows };
}
