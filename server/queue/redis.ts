// The queue in Redis Streams. It has one consumer group with one consumer, so that pending entries are delivered again, whichever process
// reads. It is as durable as Redis's file: with `appendonly yes` and `everysec`, a kill loses nothing, and a power cut at most a second.
import { Unavailable } from '../errors.ts';
import type { Recorded } from '../event.ts';
import { createGroup } from '../batching.ts';
import type { Log } from '../log.ts';
import { luaScript, type Redis } from '../redis.ts';
import type { Fence } from './lease.ts';
import { complete, readEntries, readEntry, writeEntry } from './entries.ts';
import { pause } from './pause.ts';
import { type Buried, MAX_BATCH_BYTES, SEEN_MS, type Queue } from './queue.ts';

const GROUP = 'writer';
/** Events in one script call. 500 block Redis for about 3 ms. */
const MAX_GROUP = 500;
const POLL_MS = 100;
/** Events read per step, until a batch is full. */
const READ_STEP = 100;
/** Entries per part of `contents`. */
const PAGE = '5000';

// Each id is stored with the time until which it counts as seen, so that the caller's clock decides and not only Redis's.
const APPEND = luaScript(
  1,
  `local ttl = tonumber(ARGV[2])
   local fresh = {}
   for i = 3, #ARGV, 3 do
     local key, now = ARGV[1] .. ARGV[i], tonumber(ARGV[i + 1])
     local isNew = redis.call('SET', key, now + ttl, 'NX', 'PX', ttl)
     if not isNew and tonumber(redis.call('GET', key)) <= now then
       isNew = redis.call('SET', key, now + ttl, 'PX', ttl)
     end
     if isNew then redis.call('XADD', KEYS[1], '*', 'e', ARGV[i + 2]) end
     fresh[#fresh + 1] = isNew and '1' or '0'
   end
   return table.concat(fresh)`,
);

// Returns false if another process holds the lease, otherwise { group was created, first id, last id, entry… }.
const READ = luaScript(
  2,
  `if ARGV[4] ~= '' and redis.call('GET', KEYS[2]) ~= ARGV[4] then return false end
   local batch, bytes = { 0, '', '' }, 0
   local function read(id, count)
     return redis.pcall('XREADGROUP', 'GROUP', ARGV[1], ARGV[2], 'COUNT', count, 'STREAMS', KEYS[1], id)
   end
   local function take(reply)
     for _, entry in ipairs(reply and reply[1][2] or {}) do
       if entry[2] then
         if batch[2] == '' then batch[2] = entry[1] end
         batch[3] = entry[1]
         batch[#batch + 1] = entry[2][2]
         bytes = bytes + #entry[2][2]
       else -- deleted from outside while it was pending
         redis.call('XACK', KEYS[1], ARGV[1], entry[1])
       end
     end
   end
   local pending = read('0', 1000000)
   if pending.err then
     if not string.find(pending.err, 'NOGROUP') then return pending end
     redis.call('XGROUP', 'CREATE', KEYS[1], ARGV[1], '0', 'MKSTREAM')
     batch[1] = 1
   else
     take(pending)
   end
   if #batch == 3 then
     local left = tonumber(ARGV[3])
     while left > 0 and bytes < ${MAX_BATCH_BYTES} do
       local reply = read('>', math.min(left, ${READ_STEP}))
       if not reply then break end
       take(reply)
       left = left - ${READ_STEP}
     end
   end
   return batch`,
);

// Removes the pending batch only if its first and last id match: acknowledging a batch twice changes nothing.
const ACKNOWLEDGE = luaScript(
  1,
  `local pending = redis.pcall('XPENDING', KEYS[1], ARGV[1], '-', '+', 1000000, ARGV[2])
   if pending.err or #pending == 0 then return 0 end
   if pending[1][1] ~= ARGV[3] or pending[#pending][1] ~= ARGV[4] then return 0 end
   for i = 1, #pending do
     redis.call('XACK', KEYS[1], ARGV[1], pending[i][1])
     redis.call('XDEL', KEYS[1], pending[i][1])
   end
   return #pending`,
);

const REPLAY = luaScript(
  2,
  `local count = 0
   for i = 1, #ARGV, 2 do
     if redis.call('HDEL', KEYS[2], ARGV[i]) == 1 then
       redis.call('XADD', KEYS[1], '*', 'e', ARGV[i + 1])
       count = count + 1
     end
   end
   return count`,
);

type Appended = { recorded: Recorded[]; now: number };

/** Throws an error for the operator if this Redis may evict accepted events. */
export async function openRedisQueue(options: {
  redis: Redis;
  log: Log;
  /** The fence of the writer's lease: reads return nothing while another process holds the lease. */
  fence?: Fence;
  prefix?: string;
}): Promise<Queue> {
  const { redis, log, fence } = options;
  const prefix = options.prefix ?? 'footfall';
  const names = { stream: `${prefix}:queue`, buried: `${prefix}:buried` };
  const { stream } = names;
  await refuseEviction(redis, log);
  await redis.send('queue', ['XGROUP', 'CREATE', stream, GROUP, '0', 'MKSTREAM']).catch(ignoreExistingGroup);

  let isClosed = false;
  const closedError = () => new Unavailable('queue', new Error('The queue is closed.'));

  const appends = openAppends(redis, [stream, `${prefix}:seen:`, String(SEEN_MS)]);
  const length = async () => Number(await redis.send('queue', ['XLEN', stream]));

  return {
    async append(recorded, now) {
      if (isClosed) throw closedError();
      return recorded.length === 0 ? [] : appends.add({ recorded, now });
    },
    async read(limit) {
      if (isClosed) throw closedError();
      const keys = [stream, fence?.key ?? `${prefix}:none`];
      const reply = await redis.run('queue', READ, [...keys, GROUP, GROUP, String(limit), fence?.token ?? '']);
      if (!Array.isArray(reply)) return undefined;
      const [made, first, last, ...entries] = reply as [number, string, string, ...string[]];
      if (made === 1)
        log.error('The queue in Redis was emptied by another program: the events that waited in it are lost.');
      if (entries.length === 0) return undefined;
      return { token: `${first}_${last}`, entries: readEntries(`[${entries.join(',')}]`) };
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
    async acknowledge({ token }) {
      const [first = '', last = ''] = token.split('_');
      await redis.run('queue', ACKNOWLEDGE, [stream, GROUP, GROUP, first, last]);
    },
    ...openBuried(redis, names),
    contents: () => readContents(redis, names),
    erase: () => renewFiles(redis, log),
    status: () => readStatus(redis, names),
    async ping() {
      if (isClosed) throw closedError();
      await redis.send('queue', ['PING']);
    },
    async close() {
      isClosed = true;
      await appends.idle();
    },
  };
}

/** Sends appends that arrive together to Redis in one call, and tells each which of its events are new. */
function openAppends(redis: Redis, keys: string[]) {
  return createGroup<Appended, boolean[]>(
    async (items) => {
      const args = [...keys];
      for (const { recorded, now } of items)
        for (const event of recorded) args.push(event.event_id, String(now), writeEntry(event));
      const fresh = String(await redis.run('queue', APPEND, args));
      let from = 0;
      return items.map(({ recorded }) =>
        Array.from(fresh.slice(from, (from += recorded.length)), (flag) => flag === '1'),
      );
    },
    { maxSize: MAX_GROUP, sizeOf: ({ recorded }) => recorded.length },
  );
}

/**
 * Removes old data from Redis's files. The append-only file holds every command since its last rewrite, and the snapshot everything at the
 * time it was taken. A hosted Redis may forbid both commands; it rewrites its files by itself.
 */
async function renewFiles(redis: Redis, log: Log): Promise<void> {
  const send = (...command: string[]) =>
    redis.send('queue', command).catch((error: unknown) => {
      log.debug({ error }, `Redis refuses ${command[0]} now`);
    });
  await send('BGREWRITEAOF');
  const settings = (await send('CONFIG', 'GET', 'save')) as Record<string, string> | undefined;
  if (settings?.['save']) await send('BGSAVE', 'SCHEDULE'); // runs after the rewrite
}

type Names = { stream: string; buried: string };

/** The buried events, in a hash keyed by event id. */
function openBuried(redis: Redis, { stream, buried }: Names): Pick<Queue, 'bury' | 'replay' | 'forget'> {
  return {
    async bury(entries, reason, now) {
      // Burying the same batch again after a crash changes nothing.
      const fields = entries.flatMap((entry) => [entry.event_id, JSON.stringify({ reason, at: now, entry })]);
      if (fields.length > 0) await redis.send('queue', ['HSET', buried, ...fields]);
    },
    async replay() {
      let count = 0;
      for (let cursor = '0'; ;) {
        const page = (await redis.send('queue', ['HSCAN', buried, cursor, 'COUNT', '200'])) as [string, string[]];
        const args = page[1].map((text, i) => (i % 2 === 0 ? text : writeEntry(readBuried(text).entry)));
        if (args.length > 0) count += Number(await redis.run('queue', REPLAY, [stream, buried, ...args]));
        cursor = page[0];
        if (cursor === '0') return count;
      }
    },
    async forget(siteId) {
      for (let cursor = '0'; ;) {
        const page = (await redis.send('queue', ['HSCAN', buried, cursor, 'COUNT', PAGE])) as [string, string[]];
        const ids = page[1].filter((_id, i) => i % 2 === 0 && isOfSite(page[1][i + 1], siteId));
        if (ids.length > 0) await redis.send('queue', ['HDEL', buried, ...ids]);
        cursor = page[0];
        if (cursor === '0') return;
      }
    },
  };
}

async function* readContents(redis: Redis, { stream, buried }: Names): ReturnType<Queue['contents']> {
  for (let after = '-'; ;) {
    const rows = (await redis.send('queue', ['XRANGE', stream, after, '+', 'COUNT', PAGE])) as [string, string[]][];
    const last = rows.at(-1);
    if (!last) break;
    yield { waiting: rows.map(([, fields]) => readEntry(fields[1] ?? '')), buried: [] };
    if (rows.length < Number(PAGE)) break; // the end: what is appended from now on comes after this moment
    after = `(${last[0]}`;
  }
  for (let cursor = '0'; ;) {
    const page = (await redis.send('queue', ['HSCAN', buried, cursor, 'COUNT', PAGE])) as [string, string[]];
    const texts = page[1].filter((_text, i) => i % 2 === 1);
    yield { waiting: [], buried: texts.map(readBuried) };
    cursor = page[0];
    if (cursor === '0') return;
  }
}

async function readStatus(redis: Redis, { stream, buried }: Names): ReturnType<Queue['status']> {
  const [waiting, oldest, buriedCount] = await Promise.all([
    redis.send('queue', ['XLEN', stream]),
    redis.send('queue', ['XRANGE', stream, '-', '+', 'COUNT', '1']),
    redis.send('queue', ['HLEN', buried]),
  ]);
  const [entry] = oldest as [id: string, fields: string[]][];
  const text = entry?.[1][1];
  return {
    waiting: Number(waiting),
    oldestAt: text === undefined ? undefined : readEntry(text).time,
    buried: Number(buriedCount),
  };
}

function isOfSite(text: string | undefined, siteId: string): boolean {
  return text !== undefined && readBuried(text).entry.site_id === siteId;
}

function readBuried(text: string): Buried {
  const buried = JSON.parse(text) as Buried;
  return { ...buried, entry: complete(buried.entry) };
}

/** Measured: with an evicting policy, Redis dropped 72 % of the entries that it had acknowledged, without an error. */
async function refuseEviction(redis: Redis, log: Log): Promise<void> {
  const info = String(await redis.send('queue', ['INFO'])); // many hosted Redis servers forbid CONFIG
  const policy = /^maxmemory_policy:(.+?)\r?$/m.exec(info)?.[1];
  if (policy !== undefined && policy !== 'noeviction')
    throw new Error(
      `REDIS_URL: this Redis drops data when its memory is full (maxmemory-policy ${policy}), including accepted events; ` +
        'set maxmemory-policy to noeviction.',
    );
  if (/^aof_enabled:0\r?$/m.test(info))
    log.warn('Redis runs without appendonly: when it stops, the events that wait in it are lost.');
}

function ignoreExistingGroup(error: unknown): void {
  if (!String(error instanceof Error && error.cause).includes('BUSYGROUP')) throw error;
}
