// How many partitions a writer may hold: each of the live writers gets the same share. Writers announce themselves in Redis; one that has
// died counts no longer before its leases expire, so that the others may take them at once.
import { luaScript, type Redis } from '../../process/redis/redis.ts';
import { repeatOnTimer } from '../lease.ts';
import { openMutex } from '../../process/mutex.ts';

/** A writer that has not announced itself for this long does not count. Shorter than a lease. */
const ALIVE_MS = 1500;

/** The answer of Redis about a lease: held by another writer, renewed, or taken now. */
export type Held = 0 | 1 | 2;

export type Share = {
  /** Takes or renews a lease with `take`. Resolves to `surplus` instead if this writer must give it to another. */
  hold(lease: string, take: () => Promise<Held>): Promise<Held | 'surplus'>;
  /** From now on the writer takes no further partitions, and does not count. */
  leave(): Promise<void>;
};

// The clock is Redis's own: all writers are compared by it.
const ANNOUNCE = luaScript(
  1,
  `local time = redis.call('TIME')
   local now = time[1] * 1000 + math.floor(time[2] / 1000)
   redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
   redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1])
   redis.call('PEXPIRE', KEYS[1], ARGV[2])
   return redis.call('ZCARD', KEYS[1])`,
);

type Options = {
  redis: Redis;
  /** The sorted set of live writers. */
  key: string;
  partitions: number;
  token: string;
  aliveMs?: number;
};

export function openShare({ redis, key, partitions, token, aliveMs = ALIVE_MS }: Options): Share {
  const held = new Set<string>();
  let writers = 1;
  let isLeaving = false;
  let announced: Promise<void> | undefined;
  let stop: (() => void) | undefined;

  const fair = () => Math.ceil(partitions / writers);
  const announce = async () => {
    const alive = await redis.run('queue', ANNOUNCE, [key, token, String(aliveMs)]).catch(() => writers);
    writers = Math.max(1, Number(alive));
  };
  const start = async () => {
    await announce();
    if (!isLeaving) stop = repeatOnTimer(announce);
  };

  /** One at a time, so that a partition that another writer holds does not use up the share of one that is free. */
  const exclusively = openMutex();
  const takeNew = (lease: string, take: () => Promise<Held>) =>
    exclusively(async () => {
      if (isLeaving || held.size >= fair()) return 0;
      const got = await take();
      if (got !== 0) held.add(lease);
      return got;
    });

  return {
    async hold(lease, take) {
      if (!isLeaving) await (announced ??= start());
      if (!held.has(lease)) return takeNew(lease, take);
      if (held.size > fair()) {
        held.delete(lease);
        return 'surplus';
      }
      const got = await take();
      if (got === 0) held.delete(lease);
      return got;
    },
    async leave() {
      isLeaving = true;
      stop?.();
      await redis.send('queue', ['ZREM', key, token]).catch(() => undefined);
    },
  };
}
