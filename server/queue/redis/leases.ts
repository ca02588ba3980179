// The queue in Redis with the lease of each partition, as a process that may write opens it.
import { randomUUID } from 'node:crypto';
import type { Log } from '../../process/log.ts';
import type { Redis } from '../../process/redis/redis.ts';
import { LAYOUTS, namesOf } from './layouts.ts';
import { openRedisLease, type PartitionLease } from '../lease.ts';
import type { Partition } from '../queue.ts';
import { openRedisQueue, type RedisQueue } from './queue.ts';
import { openShare } from './share.ts';

type Options = {
  redis: Redis;
  log: Log;
  now(): number;
  prefix?: string;
  layouts?: readonly number[];
  /** Times of the leases and heartbeats, of tests. */
  pace?: { leaseMs: number; aliveMs: number };
};

type Opened = {
  queue: RedisQueue;
  partitions: { partition: Partition; lease: PartitionLease }[];
  leave(): Promise<void>;
};

export async function openRedisPartitions(options: Options): Promise<Opened> {
  const { redis, log, now, prefix = 'footfall', layouts = LAYOUTS, pace } = options;
  const token = randomUUID();
  const queue = await openRedisQueue({ redis, log, now, prefix, layouts, leaseToken: token });
  const names = namesOf(prefix, layouts.at(-1) ?? 1);
  const share = openShare({ redis, token, key: `${prefix}:writers`, partitions: names.length, ...pace });
  const leases = names.map(({ lease }) => openRedisLease(redis, { key: lease, token, share, ...pace }));
  return {
    queue,
    partitions: queue.partitions.flatMap((partition, index) => {
      const lease = leases[index];
      return lease ? [{ partition, lease }] : [];
    }),
    leave: share.leave,
  };
}
