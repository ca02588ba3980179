// Builds the batches of a partition in Redis. While much more than a batch waits, each takes half of its events from busy sites (busy-sites.ts).
// Held events are pending for a second consumer. A hash counts them by site.
import { randomUUID } from 'node:crypto';
import { Unavailable } from '../../errors.ts';
import { luaScript, type Redis } from '../../process/redis/redis.ts';
import { BUSY_SHARE, siteOfEntry } from '../busy-sites.ts';
import { readTexts } from '../entries.ts';
import type { Names } from './layouts.ts';
import { type Batch, MAX_BATCH_BYTES } from '../queue.ts';

export const GROUP = 'writer';
/** The consumer of the batch that is being stored. */
export const READER = 'writer';
const HELD_READER = 'held';
/** The field of the hash that has the id of the present read. No site has this id. */
const READ_ID = 'read';

/** Busy sites are held back while more than this many batches wait. */
const BEHIND = 2;
/** Events that are read at once. A batch may be larger than MAX_BATCH_BYTES by these. */
const PART = 100;
/** Parts in one script call: they block Redis for about 5 ms. */
const PARTS_A_CALL = 10;
/** How many events are looked at for one batch. */
const MAX_LOOKED_AT = 500_000;

/** A part of a batch, as a script returns it. `marked`: an entry may be in the store already. */
type Taken = [lookedAt: number, marked: 0 | 1, bytes: number, first: string, last: string, ...entries: string[]];

// The scripts return false if another process holds the lease. ARGV[2] is the id of the read: a call of an earlier read, which was given up and
// arrives late, must not add events to a batch that has been delivered.
const START = `
  if ARGV[1] ~= '' and redis.call('GET', KEYS[2]) ~= ARGV[1] then return false end
  if ARGV[3] and redis.call('HGET', KEYS[3], '${READ_ID}') ~= ARGV[2] then return false end
  local taken = { 0, 0, 0, '', '' }
  local function read(consumer, id, count)
    return redis.pcall('XREADGROUP', 'GROUP', '${GROUP}', consumer, 'COUNT', count, 'STREAMS', KEYS[1], id)
  end
  local function entriesOf(reply)
    taken[1] = taken[1] + (reply and #reply[1][2] or 0)
    return reply and reply[1][2] or {}
  end
  local function take(entry)
    if taken[4] == '' then taken[4] = entry[1] end
    taken[5] = entry[1]
    if entry[2][3] then taken[2] = 1 end
    taken[3] = taken[3] + #entry[2][2]
    taken[#taken + 1] = entry[2][2]
  end
  local function isThere(entry)
    if not entry[2] then redis.call('XACK', KEYS[1], '${GROUP}', entry[1]) end -- deleted from outside while it was pending
    return entry[2]
  end
  local function siteOf(entry)
    return string.match(entry[2][2], '"site_id":"([^"]*)"') or ''
  end
  local function give(consumer, ids)
    if #ids == 0 then return end
    ids[#ids + 1] = 'JUSTID'
    redis.call('XCLAIM', KEYS[1], '${GROUP}', consumer, 0, unpack(ids))
  end`;

// Takes what was delivered and is not acknowledged. Returns { group was created, number of waiting events, some are held back, `taken` }.
// TRICKY: the id is written after the first read: if Redis is full, it refuses a script whose first change is this one.
const TAKE_PENDING = luaScript(
  3,
  `${START}
   local made, reply = 0, read('${READER}', '0', 1000000)
   if reply and reply.err then
     if not string.find(reply.err, 'NOGROUP') then return reply end
     redis.call('XGROUP', 'CREATE', KEYS[1], '${GROUP}', '0', 'MKSTREAM')
     redis.call('DEL', KEYS[3])
     made, reply = 1, false
   end
   for _, entry in ipairs(entriesOf(reply)) do
     if isThere(entry) then take(entry) end
   end
   redis.call('HSET', KEYS[3], '${READ_ID}', ARGV[2])
   local held = redis.call('XPENDING', KEYS[1], '${GROUP}')[1] - (#taken - 5)
   return { made, redis.call('XLEN', KEYS[1]), held > 0 and 1 or 0, taken }`,
);

/** Takes the oldest events that are held back. */
const TAKE_HELD = luaScript(
  3,
  `${START}
   local room, bytes, numbers = tonumber(ARGV[3]), tonumber(ARGV[4]), {}
   for _ = 1, ${PARTS_A_CALL} do
     local count = math.min(room, ${PART})
     if count <= 0 or taken[3] >= bytes then break end
     local entries, ids = entriesOf(read('${HELD_READER}', '0', count)), {}
     if #entries == 0 then
       redis.call('DEL', KEYS[3])
       redis.call('HSET', KEYS[3], '${READ_ID}', ARGV[2])
       return taken
     end
     for _, entry in ipairs(entries) do
       if isThere(entry) then
         local site = siteOf(entry)
         numbers[site] = (numbers[site] or 0) + 1
         ids[#ids + 1] = entry[1]
         take(entry)
       end
     end
     room = room - #entries
     give('${READER}', ids)
   end
   for site, number in pairs(numbers) do
     if redis.call('HINCRBY', KEYS[3], site, -number) <= 0 then redis.call('HDEL', KEYS[3], site) end
   end
   return taken`,
);

/**
 * Takes the oldest events that are new. ARGV[5] is how many a site may have in the batch before it is busy, or nothing. The further arguments
 * are sites with their number of events in the batch so far.
 */
const TAKE_NEW = luaScript(
  3,
  `${START}
   local room, bytes, most = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
   local isHeld, numbers = {}, {}
   for _, site in ipairs(most and redis.call('HKEYS', KEYS[3]) or {}) do isHeld[site] = true end
   for i = 6, #ARGV, 2 do numbers[ARGV[i]] = tonumber(ARGV[i + 1]) end
   for _ = 1, ${PARTS_A_CALL} do
     local count = math.min(room, ${PART})
     if count <= 0 or taken[3] >= bytes then break end
     local entries, held, ids = entriesOf(read('${READER}', '>', count)), {}, {}
     for _, entry in ipairs(entries) do
       local site = most and siteOf(entry)
       if site and not isHeld[site] then
         numbers[site] = (numbers[site] or 0) + 1
         isHeld[site] = numbers[site] > most
       end
       if site and isHeld[site] then
         held[site] = (held[site] or 0) + 1
         ids[#ids + 1] = entry[1]
       else
         room = room - 1
         take(entry)
       end
     end
     give('${HELD_READER}', ids)
     for site, number in pairs(held) do redis.call('HINCRBY', KEYS[3], site, number) end
     if #entries < count then break end
   end
   return taken`,
);

type Run = (script: typeof TAKE_NEW, ...args: string[]) => Promise<unknown>;
type Options = { redis: Redis; names: Names; limit: number; leaseToken: string };

/** Returns no batch if nothing waits or another process holds the lease. `made`: the group was missing, and with it all that had waited. */
export async function readBatch(options: Options): Promise<{ batch: Batch | undefined; made: boolean }> {
  const { redis, names, limit, leaseToken } = options;
  const { stream, lease, held } = names;
  const readId = randomUUID();
  const run: Run = (script, ...args) => redis.run('queue', script, [stream, lease, held, leaseToken, readId, ...args]);
  const reply = (await run(TAKE_PENDING)) as [0 | 1, number, 0 | 1, Taken] | null;
  if (!reply) return { batch: undefined, made: false };
  const [made, waiting, isHolding, pending] = reply;
  const isFair = isHolding === 1 || waiting > BEHIND * limit;
  const parts = sizeOf(pending) > 0 || waiting === 0 ? [pending] : await build(run, { limit, isFair });
  return { batch: toBatch(parts, stream), made: made === 1 };
}

/** Takes events in several calls. If one fails, those that were taken are delivered next, as a batch of their own. */
async function build(run: Run, { limit, isFair }: { limit: number; isFair: boolean }): Promise<Taken[]> {
  const parts: Taken[] = [];
  const takeUpTo = async (most: Size, script: typeof TAKE_NEW, further: () => string[] = () => []) => {
    for (let lookedAt = 0; lookedAt < MAX_LOOKED_AT;) {
      const room = most.events - sum(parts, sizeOf);
      const bytes = most.bytes - sum(parts, ([, , size]) => size);
      if (room <= 0 || bytes <= 0) return;
      const taken = (await run(script, String(room), String(bytes), ...further())) as Taken | null;
      if (!taken) throw new Unavailable('queue', new Error('Another process reads this partition now.'));
      parts.push(taken);
      lookedAt += taken[0];
      if (taken[0] < Math.min(room, PART * PARTS_A_CALL)) return; // nothing is left
    }
  };
  const whole = { events: limit, bytes: MAX_BATCH_BYTES };
  if (!isFair) await takeUpTo(whole, TAKE_NEW);
  else {
    await takeUpTo({ events: Math.ceil(limit / 2), bytes: MAX_BATCH_BYTES / 2 }, TAKE_HELD);
    const numbers = new Map<string, number>();
    let counted = parts.length;
    await takeUpTo(whole, TAKE_NEW, () => {
      for (const part of parts.slice(counted)) countSites(part, numbers);
      counted = parts.length;
      return fairArgs(Math.floor(limit * BUSY_SHARE), numbers);
    });
    await takeUpTo(whole, TAKE_HELD);
  }
  return parts;
}

type Size = { events: number; bytes: number };

function countSites([, , , , , ...entries]: Taken, numbers: Map<string, number>): void {
  for (const entry of entries) {
    const site = siteOfEntry(entry);
    numbers.set(site, (numbers.get(site) ?? 0) + 1);
  }
}

/** `most`: how many events a site may have in the batch. Sites that are far from it are left out, since there may be many. */
function fairArgs(most: number, numbers: Map<string, number>): string[] {
  const many = [...numbers].filter(([, number]) => number > most / 10);
  return [String(most), ...many.flatMap(([site, number]) => [site, String(number)])];
}

function toBatch(parts: Taken[], stream: string): Batch | undefined {
  const texts = parts.flatMap(([, , , , , ...some]) => some);
  if (texts.length === 0) return undefined;
  const { entries, unreadable } = readTexts(texts);
  const ids = parts.flatMap(([, , , first, last]) => [first, last]).sort(byId);
  return {
    // With the name of the stream, since the streams of two partitions may have the same ids. No other batch begins with the same entry.
    token: `${ids.find((id) => id !== '')}_${ids.at(-1)}_${stream}`,
    entries,
    ...(unreadable.length > 0 && { unreadable }),
    ...(parts.some(([, marked]) => marked === 1) && { mayBeStored: true as const }),
  };
}

const sizeOf = ([, , , , , ...entries]: Taken): number => entries.length;
const sum = (parts: Taken[], of: (part: Taken) => number): number => parts.reduce((total, part) => total + of(part), 0);

/** Compares ids such as `1764000000000-12` by time, then by number. */
function byId(one: string, other: string): number {
  const [time = 0, number = 0] = one.split('-').map(Number);
  const [otherTime = 0, otherNumber = 0] = other.split('-').map(Number);
  return time - otherTime || number - otherNumber;
}
