// The lease that decides which of several processes writes a partition's events to the store. One process holds it; the others wait for it
// to expire.
import { randomUUID } from 'node:crypto';
import { luaScript, type Redis } from '../process/redis/redis.ts';
import type { Held, Share } from './redis/share.ts';

export type Lease = {
  /**
   * Takes or renews the lease. Returns true while this process holds it, and false also if the lease cannot be checked. After a time in which
   * it expired, the first call returns false: another process may have had it.
   */
  hold(): Promise<boolean>;
  /** Releases the lease, so that other processes need not wait for it to expire. */
  release(): Promise<void>;
};

/** The lease of a partition. */
export type PartitionLease = Lease & {
  /** Whether this process held it when it last asked. */
  isHeld(): boolean;
};

/** The lease of embedded stores, which belong to one process: it always holds the lease. */
export function openLease(): PartitionLease {
  return { hold: () => Promise.resolve(true), release: () => Promise.resolve(), isHeld: () => true };
}

/** The queue checks this on each read: a process that slept until its lease expired must not read alongside the new holder. */
type Fence = { key: string; token: string };

/** A dead holder is replaced after this time. A live one renews the lease every BEAT_MS, however long its insert takes. */
const LEASE_MS = 2200;
/** Five beats fit into the lease, so one slow reply of Redis or a busy event loop does not lose it. */
const BEAT_MS = 400;
/** A holder that has not asked for the lease for this long is stuck, and stops renewing. */
const STUCK_MS = 60_000;

const HOLD = luaScript(
  1,
  `if redis.call('GET', KEYS[1]) == ARGV[1] then
     redis.call('PEXPIRE', KEYS[1], ARGV[2])
     return 1
   end
   return redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) and 2 or 0`,
);
const RENEW = luaScript(
  1,
  `return redis.call('GET', KEYS[1]) == ARGV[1] and redis.call('PEXPIRE', KEYS[1], ARGV[2]) or 0`,
);
const RELEASE = luaScript(1, `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end`);

type Options = {
  key: string;
  /** Identifies the process; the same for all of its leases. */
  token?: string;
  /** Limits how many partitions this process holds. */
  share?: Share;
  leaseMs?: number;
  now?: () => number;
  /** Calls `run` again and again; the returned function stops it. Tests pass one of their own. */
  repeat?: (run: () => Promise<void>) => () => void;
};

export function openRedisLease(redis: Redis, options: Options): PartitionLease & { readonly fence: Fence } {
  const { key, share, now = () => performance.now(), repeat = repeatOnTimer } = options;
  const fence = { key, token: options.token ?? randomUUID() };
  const leaseMs = String(options.leaseMs ?? LEASE_MS);
  let askedAt = 0;
  let wasHeld = false;
  let stopBeats: (() => void) | undefined;

  const stop = () => {
    stopBeats?.();
    stopBeats = undefined;
  };
  const beat = async () => {
    if (now() - askedAt > STUCK_MS) return stop();
    const renewed = await redis.run('queue', RENEW, [fence.key, fence.token, leaseMs]).catch(() => undefined);
    if (renewed === 0) stop(); // another process has the lease
  };

  const release = async () => {
    stop();
    wasHeld = false;
    await redis.run('queue', RELEASE, [fence.key, fence.token]).catch(() => undefined); // the lease expires anyway
  };

  return {
    fence,
    async hold() {
      askedAt = now();
      const take = () => redis.run('queue', HOLD, [fence.key, fence.token, leaseMs]).catch(() => 0) as Promise<Held>;
      const held = share ? await share.hold(key, take) : await take();
      if (held === 'surplus') {
        await release();
        return false;
      }
      const wasLost = held === 2 && wasHeld;
      wasHeld = held !== 0 && !wasLost;
      if (held !== 0) stopBeats ??= repeat(beat);
      else stop(); // after a failed call, the share may be full without this lease: it must expire, for others to take it
      return wasHeld;
    },
    release,
    isHeld: () => wasHeld,
  };
}

export function repeatOnTimer(run: () => Promise<void>): () => void {
  const timer = setInterval(() => void run(), BEAT_MS);
  timer.unref();
  return () => clearInterval(timer);
}
