// The lease that decides which of several processes writes to the store. One process holds it; the others wait for it to expire.
import { randomUUID } from 'node:crypto';
import { luaScript, type Redis } from '../redis.ts';

export type Lease = {
  /** Takes or renews the lease. Returns true while this process holds it, and false also if the lease cannot be checked. */
  hold(): Promise<boolean>;
  /** Releases the lease, so that other processes need not wait for it to expire. */
  release(): Promise<void>;
};

/** The lease of embedded stores, which belong to one process: it always holds the lease. */
export function openLease(): Lease {
  return { hold: () => Promise.resolve(true), release: () => Promise.resolve() };
}

/** The queue checks this on each read: a process that slept until its lease expired must not read alongside the new holder. */
export type Fence = { key: string; token: string };

/** A live holder renews the lease well within this time. A dead one is replaced after it. */
const LEASE_MS = 10_000;

const HOLD = luaScript(
  1,
  `if redis.call('GET', KEYS[1]) == ARGV[1] then
     redis.call('PEXPIRE', KEYS[1], ARGV[2])
     return 1
   end
   return redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) and 1 or 0`,
);
const RELEASE = luaScript(1, `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end`);

export function openRedisLease(
  redis: Redis,
  options: { name: string; leaseMs?: number },
): Lease & { readonly fence: Fence } {
  const fence = { key: `footfall:lease:${options.name}`, token: randomUUID() };
  const leaseMs = String(options.leaseMs ?? LEASE_MS);
  return {
    fence,
    hold: () =>
      redis.run('queue', HOLD, [fence.key, fence.token, leaseMs]).then(
        (held) => held === 1,
        () => false,
      ),
    async release() {
      await redis.run('queue', RELEASE, [fence.key, fence.token]).catch(() => undefined); // the lease expires anyway
    },
  };
}
