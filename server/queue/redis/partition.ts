// One partition of the queue in Redis: a stream with one consumer group. Its consumers are the same in each process, so that pending entries
// are delivered again, whichever process reads.
import { createGroup } from '../../process/batching.ts';
import type { Recorded } from '../../vocabulary/event.ts';
import type { Log } from '../../process/log.ts';
import { luaScript, type Redis } from '../../process/redis/redis.ts';
import { readEntry, writeEntry } from '../entries.ts';
import type { Names } from './layouts.ts';
import { pause } from '../pause.ts';
import { type Partition, SEEN_MS } from '../queue.ts';
import { GROUP, READER, readBatch } from './batch.ts';

/** Events in one script call. 500 block Redis for about 3 ms. */
const MAX_GROUP = 500;
const POLL_MS = 100;

// Each id is stored with the time until which it counts as seen, so that the caller's clock decides and not only Redis's. ARGV[3] marks
// entries that may be in the store already.
const APPEND = luaScript(
  1,
  `local ttl = tonumber(ARGV[2])
   local fresh = {}
   for i = 4, #ARGV, 3 do
     local key, now = ARGV[1] .. ARGV[i], tonumber(ARGV[i + 1])
     local isNew = redis.call('SET', key, now + ttl, 'NX', 'PX', ttl)
     if not isNew and tonumber(redis.call('GET', key)) <= now then
       isNew = redis.call('SET', key, now + ttl, 'PX', ttl)
     end
     if isNew then
       if ARGV[3] == '' then redis.call('XADD', KEYS[1], '*', 'e', ARGV[i + 2])
       else redis.call('XADD', KEYS[1], '*', 'e', ARGV[i + 2], 'stored', ARGV[3]) end
     end
     fresh[#fresh + 1] = isNew and '1' or '0'
   end
   return table.concat(fresh)`,
);

// Removes the pending batch only if it has the same first and last id, and as many entries: acknowledging a batch twice changes nothing.
const ACKNOWLEDGE = luaScript(
  1,
  `local pending = redis.pcall('XPENDING', KEYS[1], ARGV[1], '-', '+', 1000000, ARGV[2])
   if pending.err or #pending == 0 or #pending ~= tonumber(ARGV[5]) then return 0 end
   if pending[1][1] ~= ARGV[3] or pending[#pending][1] ~= ARGV[4] then return 0 end
   for from = 1, #pending, 1000 do
     local ids = {}
     for i = from, math.min(from + 999, #pending) do ids[#ids + 1] = pending[i][1] end
     redis.call('XACK', KEYS[1], ARGV[1], unpack(ids))
     redis.call('XDEL', KEYS[1], unpack(ids))
   end
   return #pending`,
);

type Appended = { recorded: Recorded[]; now: number };

export type RedisPartition = Partition & {
  names: Names;
  append(recorded: Recorded[], now: number): Promise<boolean[]>;
  /** Appends entries that another layout delivered: they may be in the store already. */
  adopt(recorded: Recorded[], now: number): Promise<void>;
  /** Resolves when no append is running. */
  idle(): Promise<void>;
};

type Options = { redis: Redis; log: Log; names: Names; /** Only the holder of the lease reads. */ leaseToken: string };

export function openPartition({ redis, log, names, leaseToken }: Options): RedisPartition {
  const { stream } = names;
  const send = async (items: Appended[], mark: string) => {
    const args = [stream, names.seen, String(SEEN_MS), mark];
    for (const { recorded, now } of items)
      for (const event of recorded) args.push(event.event_id, String(now), writeEntry(event));
    return String(await redis.run('queue', APPEND, args));
  };
  /** Appends that arrive together are sent in one call; each is told which of its events are new. */
  const appends = createGroup<Appended, boolean[]>(
    async (items) => {
      const fresh = await send(items, '');
      let from = 0;
      return items.map(({ recorded }) =>
        Array.from(fresh.slice(from, (from += recorded.length)), (flag) => flag === '1'),
      );
    },
    { maxSize: MAX_GROUP, sizeOf: ({ recorded }) => recorded.length },
  );
  const length = async () => Number(await redis.send('queue', ['XLEN', stream]));

  return {
    names,
    append: (recorded, now) => appends.add({ recorded, now }),
    adopt: async (recorded, now) => {
      for (let from = 0; from < recorded.length; from += MAX_GROUP)
        await send([{ recorded: recorded.slice(from, from + MAX_GROUP), now }], 'maybe');
    },
    async read(limit) {
      const { batch, made } = await readBatch({ redis, names, limit, leaseToken });
      if (made) log.error('The queue in Redis was emptied by another program: the events that waited in it are lost.');
      return batch;
    },
    async wait(timeoutMs, signal) {
      const until = performance.now() + timeoutMs;
      // Polls, since another process may append: a blocking read would need a connection of its own.
      while (!signal.aborted && (await length().catch(() => 0)) === 0) {
        const left = until - performance.now();
        if (left <= 0) return;
        await pause(Math.min(left, POLL_MS), signal);
      }
    },
    async acknowledge({ token, entries, unreadable = [] }) {
      const [first = '', last = ''] = token.split('_');
      await redis.run('queue', ACKNOWLEDGE, [
        stream,
        GROUP,
        READER,
        first,
        last,
        String(entries.length + unreadable.length),
      ]);
    },
    waiting: length,
    oldestAt: () => oldestIn(redis, names),
    idle: () => appends.idle(),
  };
}

/** The time of the first event of a stream, or when it was queued if that cannot be read. */
export async function oldestIn(redis: Redis, { stream }: Names): Promise<number | undefined> {
  const rows = (await redis.send('queue', ['XRANGE', stream, '-', '+', 'COUNT', '1'])) as [string, string[]][];
  const [id, [, text = ''] = []] = rows[0] ?? [];
  return id === undefined ? undefined : readEntry(text).time || Number.parseInt(id, 10);
}

/** Creates the stream and its group, unless they exist. */
export async function createStream(redis: Redis, { stream }: Names): Promise<void> {
  await redis.send('queue', ['XGROUP', 'CREATE', stream, GROUP, '0', 'MKSTREAM'], stream).catch((error: unknown) => {
    if (!String(error instanceof Error && error.cause).includes('BUSYGROUP')) throw error;
  });
}
