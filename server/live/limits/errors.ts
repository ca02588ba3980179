// Limits on errors, so that neither a page that fails without end nor somebody who makes errors up fills the store: messages an hour, and shapes a
// day, of a site and of one address. Page views have limits of their own, from which errors take nothing. Processes that share Redis share the
// counts, too. Memory is bounded: what was counted longest ago is forgotten first.
import { bytesFor, createBoundedMap } from '../../process/bounded-memory.ts';
import { partitionOf, tagOf } from '../../process/redis/partitions.ts';
import { luaScript, type Redis } from '../../process/redis/redis.ts';
import type { PageError } from '../../vocabulary/event.ts';
import { ERROR_LIMITS } from '../../vocabulary/limits.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../vocabulary/time/time.ts';

type Limit = (typeof ERROR_LIMITS)[keyof typeof ERROR_LIMITS];
type Counted = Pick<PageError, 'site_id' | 'error_shape' | 'time'>;
const REFUSED = ['too_many_errors', 'too_many_new_errors'] as const;
type Refused = (typeof REFUSED)[number] | undefined;

export type ErrorQuota = {
  /** Returns why an error is dropped; undefined if it may be stored. `sender`: the hash of its address. */
  take(error: Counted, sender: string): Refused | Promise<Refused>;
};

type Shared = (error: Counted, sender: string) => Promise<Refused>;

export function openErrorQuota(shared?: { redis: Redis; prefix: string }): ErrorQuota {
  const own = openOwn();
  if (!shared) return own;
  const ask = openShared(shared);
  return {
    // This process has counted no more messages than all together, so what is over here is over there: a flood asks nothing.
    take: (error, sender) =>
      own.isOver(error, sender)
        ? 'too_many_errors'
        : ask(error, sender).then(
            (refused) => {
              if (!refused) own.take(error, sender);
              return refused;
            },
            () => own.take(error, sender), // while Redis is unavailable, each process counts on its own
          ),
  };
}

/** How much was used in a period. */
type Used = { period: number; count: number };
type Pair = { site: Used; address: Used };
const USED_BYTES = 40;

function openOwn() {
  const counts = createBoundedMap<Used>(bytesFor('errorQuotas'), () => USED_BYTES);
  const usedOf = (key: string, period: number): Used => {
    const known = counts.get(key);
    if (known?.period === period) return known;
    const fresh = { period, count: 0 };
    counts.set(key, fresh);
    return fresh;
  };
  const pairOf = (what: string, period: number, { site_id, sender }: { site_id: string; sender: string }): Pair => ({
    site: usedOf(`${what} ${site_id}`, period),
    address: usedOf(`${what} ${site_id} ${sender}`, period),
  });
  const messagesOf = ({ site_id, time }: Counted, sender: string) =>
    pairOf('messages', Math.floor(time / HOUR_MS), { site_id, sender });
  const isFull = ({ site, address }: Pair, limit: Limit) => site.count >= limit.site || address.count >= limit.address;
  const add = ({ site, address }: Pair) => {
    site.count += 1;
    address.count += 1;
  };
  return {
    isOver: (error: Counted, sender: string) => isFull(messagesOf(error, sender), ERROR_LIMITS.messages),
    take: (error: Counted, sender: string): Refused => {
      const { site_id, error_shape, time } = error;
      const day = Math.floor(time / DAY_MS);
      const messages = messagesOf(error, sender);
      if (isFull(messages, ERROR_LIMITS.messages)) return 'too_many_errors';
      const shape = usedOf(`shape ${site_id} ${error_shape}`, day);
      if (shape.count === 0) {
        const shapes = pairOf('shapes', day, { site_id, sender });
        if (isFull(shapes, ERROR_LIMITS.shapes)) return 'too_many_new_errors';
        add(shapes);
      }
      shape.count += 1;
      add(messages);
      return undefined;
    },
  };
}

/**
 * Two hashes of a site: the messages of an hour, and the shapes of a day. Field `` is the site's count, `a…` that of an address, and `s…` is a
 * known shape. What is refused adds no field, so they have at most 5,001 and 601.
 */
const TAKE = luaScript(
  2,
  `local function isFull(key, site, address)
     return tonumber(redis.call('HGET', key, '') or 0) >= tonumber(site)
       or tonumber(redis.call('HGET', key, 'a' .. ARGV[1]) or 0) >= tonumber(address)
   end
   local function add(key, keepMs)
     redis.call('HINCRBY', key, '', 1)
     redis.call('HINCRBY', key, 'a' .. ARGV[1], 1)
     redis.call('PEXPIRE', key, keepMs)
   end
   if isFull(KEYS[1], ARGV[3], ARGV[4]) then return 1 end
   if redis.call('HEXISTS', KEYS[2], 's' .. ARGV[2]) == 0 then
     if isFull(KEYS[2], ARGV[5], ARGV[6]) then return 2 end
     redis.call('HSET', KEYS[2], 's' .. ARGV[2], 1)
     add(KEYS[2], ARGV[8])
   end
   add(KEYS[1], ARGV[7])
   return 0`,
);
const LIMITS = Object.values(ERROR_LIMITS).flatMap(({ site, address }) => [String(site), String(address)]);
/** A key lives so much longer than its period: messages of workers arrive late. */
const LATE_MS = 10 * MINUTE_MS;

function openShared({ redis, prefix }: { redis: Redis; prefix: string }): Shared {
  return async ({ site_id, error_shape, time }, sender) => {
    const keyOf = (what: string, periodMs: number) =>
      `${prefix}:live:${tagOf(partitionOf(site_id))}:errors:${site_id}:${what}:${Math.floor(time / periodMs)}`;
    const keptFor = (periodMs: number) => String(periodMs - (time % periodMs) + LATE_MS);
    const answer = await redis.run('live', TAKE, [
      keyOf('messages', HOUR_MS),
      keyOf('shapes', DAY_MS),
      sender,
      error_shape,
      ...LIMITS,
      keptFor(HOUR_MS),
      keptFor(DAY_MS),
    ]);
    return REFUSED[Number(answer) - 1];
  };
}
