// Who of several processes writes: one holds the lease, the others wait for it to run out.
import { randomUUID } from 'node:crypto';
import { luaScript, type Redis } from '../redis.ts';

export type Lease = {
  /** Takes or renews it: true while this process is the one. False as well when nobody can tell. */
  hold(): Promise<boolean>;
  /** Gives it up, so that another need not wait for it to run out. */
  release(): Promise<void>;
};

/** Embedded stores belong to one process: it is always the one. */
export function openLease(): Lease {
  return { hold: () => Promise.resolve(true), release: () => Promise.resolve() };
}

/** What a queue checks on each read: a process that slept through its lease must not read beside the new holder. */
export type Fence = { key: string; token: string };

/** Renewed well within this time by a working holder; a dead one is replaced after it. */
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
      await redis.run('queue', RELEASE, [fence.key, fence.token]).catch(() => undefined); // it runs out by itself
    },
  };
}
