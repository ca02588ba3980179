// The windows in Redis, for any number of processes. Each operation is one script per partition, and every key expires by itself. Redis's memory is
// bounded by bytes: above MAX_MINUTE_BYTES, a site's live windows take no more new visitors in that minute. Their events are stored all the
// same. Nothing is evicted to make room, since a search for the oldest visitors would block Redis for everybody.
import { ENGAGEMENT, type SiteId, VISIT_KEPT_MS, VISIT_MS } from '../vocabulary/event.ts';
import { createGroup } from '../process/batching.ts';
import { PARTITIONS, partitionOf, tagOf } from '../process/redis/partitions.ts';
import { luaScript, type Redis } from '../process/redis/redis.ts';
import { FEWEST } from '../vocabulary/settings/privacy.ts';
import {
  CURRENT_MS,
  isNextStep,
  MINUTES,
  NOBODY,
  REPEAT_MS,
  type Sighting,
  type Snapshot,
  stepOf,
  steppedSnapshot,
  TOP,
  type Windows,
} from './windows.ts';

/** Sightings in one script call. Each takes Redis about 15 µs. */
const MAX_GROUP = 200;
/** Bytes of new visitors per site and minute: 6,000 typical visitors, or 600 with the longest texts. An hour of them takes 120 MB. */
const MAX_MINUTE_BYTES = 2 * 1024 * 1024;
const KEEP_MS = (MINUTES + 2) * 60_000;
/** The keys of current visitors live for as long as their visits may continue. */
const KEEP_CURRENT_MS = VISIT_KEPT_MS + 2 * 60_000;
/** Longer than the hour after which viewers see a snapshot of its own in any case. */
const KEEP_STEPS_MS = 2 * 60 * 60_000;

// Keys of a site. KEYS[1] of each script is what the names of its keys begin with: the hash tag in it decides which server has them.
// - v: visitor → time of their last event.
// - a: visitor → page, source and country of that event (the source is the visit's), and when the visit started.
// - p, s, c: page, source or country → minus its number of current visitors, so that the highest count comes first, ties by name.
// - m:MINUTE: the visitors seen in that minute. m:MINUTE:b: the bytes that they take.
// - g: what viewers see, as JSON (see `steppedSnapshot`), and gm: visitors who have come or moved since, up to FEWEST. gt: the last look for a step.
// - o:VISITOR: first event, last event and source of the visit of a visitor who is no longer current, for as long as the visit may continue.
const FORGET = `
local function forget(base, visitor)
  local said = redis.call('HGET', base .. 'a', visitor)
  if said then
    said = cmsgpack.unpack(said)
    for d = 1, 3 do
      local list = base .. string.sub('psc', d, d)
      if tonumber(redis.call('ZINCRBY', list, 1, said[d])) >= 0 then redis.call('ZREM', list, said[d]) end
    end
  end
  redis.call('HDEL', base .. 'a', visitor)
  redis.call('ZREM', base .. 'v', visitor)
  return said
end
`;

const LEAVE = `${FORGET}
local function leave(base, untilTime, limit)
  local gone = redis.call('ZRANGEBYSCORE', base .. 'v', '-inf', untilTime, 'WITHSCORES', 'LIMIT', 0, limit)
  for i = 1, #gone, 2 do
    local visitor, last = gone[i], tonumber(gone[i + 1])
    local said = forget(base, visitor)
    if said then
      local visit = cmsgpack.pack({ said[4] or last, last, said[2] })
      redis.call('SET', base .. 'o:' .. visitor, visit, 'PX', ${VISIT_KEPT_MS})
    end
  end
  return #gone / 2
end
`;

/** True if the minute has room for the visitor, or counts them already. */
const ROOM = `
local function hasRoom(minute, visitor, texts)
  if redis.call('SISMEMBER', minute, visitor) == 1 then return true end
  local weight = 300 + 2 * texts
  local total = redis.call('INCRBY', minute .. ':b', weight)
  if total == weight then redis.call('PEXPIRE', minute .. ':b', ${KEEP_MS}) end
  return total <= ${MAX_MINUTE_BYTES}
end
`;

const RECORD = luaScript(
  1,
  `${LEAVE}${ROOM}
   local sources = {}
   for i = 1, #ARGV, 8 do
     local base, visitor, time = KEYS[1] .. ARGV[i] .. ':', ARGV[i + 1], tonumber(ARGV[i + 2])
     local page, source, country, isEngagement = ARGV[i + 3], ARGV[i + 4], ARGV[i + 5], ARGV[i + 7] == '1'
     local minute = base .. 'm:' .. math.floor(time / 60000)
     -- A current visitor's visit is in 'a'; 'leave' has moved that of a visitor who left to 'o'.
     local last = redis.call('ZSCORE', base .. 'v', visitor)
     local isCurrent = last and true
     local before = isCurrent and redis.call('HGET', base .. 'a', visitor)
     local old, first, from = {}, false, false
     if before then
       old = cmsgpack.unpack(before)
       last, first, from = tonumber(last), old[4] or tonumber(last), old[2]
     elseif not isCurrent then
       local kept = redis.call('GET', base .. 'o:' .. visitor)
       if kept then first, last, from = unpack(cmsgpack.unpack(kept)) end
     end
     -- continuesVisit of event.ts
     local isKnown = first and time - tonumber(ARGV[i + 6]) - last < ${VISIT_MS} and time > first - ${VISIT_MS}
     local isLate = first and time < last
     if isKnown and time >= first then source = from end
     sources[#sources + 1] = source
     if (isKnown or not isEngagement) and hasRoom(minute, visitor, #page + #source + #country) then
       if redis.call('SADD', minute, visitor) == 1 and redis.call('SCARD', minute) == 1 then
         redis.call('PEXPIRE', minute, ${KEEP_MS})
       end
       local startedAt = isKnown and math.min(first, time) or time
       if isLate and isKnown and not isCurrent then
         redis.call('SET', base .. 'o:' .. visitor, cmsgpack.pack({ startedAt, last, source }), 'PX', ${VISIT_KEPT_MS})
       elseif isKnown or not isLate then
         if not isLate then redis.call('ZADD', base .. 'v', time, visitor) end
         local new = isLate and { old[1], source, old[3], startedAt } or { page, source, country, startedAt }
         local said = cmsgpack.pack(new)
         if before ~= said then
           redis.call('HSET', base .. 'a', visitor, said)
           for d = 1, 3 do
             local name, list = new[d], base .. string.sub('psc', d, d)
             if old[d] ~= name then
               if old[d] and tonumber(redis.call('ZINCRBY', list, 1, old[d])) >= 0 then redis.call('ZREM', list, old[d]) end
               redis.call('ZINCRBY', list, -1, name)
             end
           end
         end
       end
       if redis.call('SCARD', base .. 'gm') < ${FEWEST} then
         redis.call('SADD', base .. 'gm', visitor)
         redis.call('PEXPIRE', base .. 'gm', ${KEEP_STEPS_MS})
       end
       leave(base, time - ${CURRENT_MS}, 10)
       if redis.call('PTTL', base .. 'v') < ${KEEP_CURRENT_MS - 60_000} then
         for _, key in ipairs({ 'v', 'a', 'p', 's', 'c' }) do redis.call('PEXPIRE', base .. key, ${KEEP_CURRENT_MS}) end
       end
     end
   end
   return sources`,
);

const TAKE_SNAPSHOT = `${LEAVE}
   local base, now = KEYS[1], tonumber(ARGV[1])
   while leave(base, now - ${CURRENT_MS}, 1000) == 1000 do end
   local minutes, running = {}, math.floor(now / 60000)
   for i = 1, ${MINUTES} do minutes[i] = redis.call('SCARD', base .. 'm:' .. (running - ${MINUTES} + i)) end
   local function top(list) return redis.call('ZRANGE', base .. list, 0, ${TOP - 1}, 'WITHSCORES') end
   local snapshot = { redis.call('ZCARD', base .. 'v'), minutes, top('p'), top('s'), top('c') }`;
const SNAPSHOT = luaScript(1, `${TAKE_SNAPSHOT}\n   return snapshot`);
/** The snapshot, what viewers see (or ''), how many have moved since, and whether it is time to look for a step. */
const LOOK = luaScript(
  1,
  `${TAKE_SNAPSHOT}
   local looked = redis.call('SET', base .. 'gt', ARGV[2], 'PX', ${KEEP_STEPS_MS}, 'GET')
   return { snapshot, redis.call('GET', base .. 'g') or '', redis.call('SCARD', base .. 'gm'), looked ~= ARGV[2] and 1 or 0 }`,
);
/** Replaces what viewers see, unless another process has just done so. Returns what they see. */
const STEP = luaScript(
  1,
  `local key = KEYS[1] .. 'g'
   local shown = redis.call('GET', key) or ''
   if shown ~= ARGV[1] then return shown end
   redis.call('SET', key, ARGV[2], 'PX', ${KEEP_STEPS_MS})
   redis.call('UNLINK', key .. 'm')
   return ARGV[2]`,
);

const ERASE = luaScript(
  1,
  `${FORGET}
   local base, running = KEYS[1], math.floor(tonumber(ARGV[1]) / 60000)
   for i = 2, #ARGV do
     local visitor = ARGV[i]
     forget(base, visitor)
     redis.call('UNLINK', base .. 'o:' .. visitor, base .. 'g')
     for back = 0, ${MINUTES} do redis.call('SREM', base .. 'm:' .. (running - back), visitor) end
   end`,
);

const CURRENT = luaScript(
  1,
  `local counts = {}
   for i = 2, #ARGV do counts[#counts + 1] = redis.call('ZCOUNT', KEYS[1] .. ARGV[i] .. ':v', '(' .. ARGV[1], '+inf') end
   return counts`,
);

const REPEAT = luaScript(
  1,
  `local repeats = {}
   for i = 1, #ARGV, 3 do
     local key, time, id = KEYS[1] .. ARGV[i], tonumber(ARGV[i + 1]), ARGV[i + 2]
     local lastTime, lastId = string.match(redis.call('GET', key) or '', '^(%S+) (.*)$')
     if lastTime and math.abs(time - tonumber(lastTime)) < ${REPEAT_MS} and (id == '' or id ~= lastId) then
       repeats[#repeats + 1] = '1'
     else
       redis.call('SET', key, ARGV[i + 1] .. ' ' .. id, 'PX', ${2 * REPEAT_MS})
       repeats[#repeats + 1] = '0'
     end
   end
   return table.concat(repeats)`,
);

type SnapshotReply = [current: number, minutes: number[], ...tops: [string[], string[], string[]]];
type LookReply = [snapshot: SnapshotReply, shown: string, moved: number, isTime: number];
type Shown = { snapshot: Snapshot; at: number };

function readSnapshot([current_visitors, minutes, pages, sources, countries]: SnapshotReply): Snapshot {
  return {
    current_visitors,
    minutes,
    pages: pairs(pages).map(([page, visitors]) => ({ page, visitors })),
    sources: pairs(sources).map(([source, visitors]) => ({ source, visitors })),
    countries: pairs(countries).map(([country, visitors]) => ({ country, visitors })),
  };
}
/** As RECORD reads them. */
const argumentsOf = ({ site_id, visitor_id, time, name, engaged_ms, page, source, country }: Sighting): string[] => [
  site_id,
  visitor_id,
  String(time),
  page,
  source,
  country,
  String(engaged_ms),
  name === ENGAGEMENT ? '1' : '0',
];
type View = { key: string; time: number; id: string };

const keysOf = (prefix: string, partition: number) => `${prefix}:live:${tagOf(partition)}:`;
const keysOfSite = (prefix: string, siteId: SiteId) => `${keysOf(prefix, partitionOf(siteId))}${siteId}:`;

/** The sorted set of a site's current visitors. */
export const currentKey = (prefix: string, siteId: SiteId): string => `${keysOfSite(prefix, siteId)}v`;

export function openRedisWindows(options: { redis: Redis; prefix?: string }): Windows {
  const { redis, prefix = 'footfall' } = options;

  const sightings = inPartitions((partition) =>
    createGroup<Sighting, string>(
      async (group) => {
        const args = [keysOf(prefix, partition), ...group.flatMap(argumentsOf)];
        return (await redis.run('live', RECORD, args)) as string[];
      },
      { maxSize: MAX_GROUP, sizeOf: () => 1 },
    ),
  );
  const views = inPartitions((partition) =>
    createGroup<View, boolean>(
      async (group) => {
        const args = group.flatMap(({ key, time, id }) => [key, String(time), id]);
        const flags = String(await redis.run('live', REPEAT, [`${keysOf(prefix, partition)}r:`, ...args]));
        return Array.from(flags, (flag) => flag === '1');
      },
      { maxSize: MAX_GROUP, sizeOf: () => 1 },
    ),
  );

  return {
    async record(sighting) {
      return sighting.visitor_id === '' ? sighting.source : sightings.of(sighting.site_id).add(sighting);
    },
    snapshot: async (siteId, now) =>
      readSnapshot((await redis.run('live', SNAPSHOT, [keysOfSite(prefix, siteId), String(now)])) as SnapshotReply),
    async inSteps(siteId, now) {
      const keys = keysOfSite(prefix, siteId);
      const reply = await redis.run('live', LOOK, [keys, String(now), String(stepOf(now))]);
      const [taken, text, moved, isTime] = reply as LookReply;
      const fresh = readSnapshot(taken);
      const shown: Shown = text === '' ? { snapshot: NOBODY, at: 0 } : (JSON.parse(text) as Shown);
      const isDue = isTime === 1 && isNextStep(shown.snapshot, shown.at, { fresh, moved, now });
      if (!isDue) return steppedSnapshot(shown.snapshot, shown.at, now);
      const next: Shown = { snapshot: fresh, at: now };
      const seen = await redis.run('live', STEP, [keys, text, JSON.stringify(next)]);
      const { snapshot, at } = JSON.parse(String(seen)) as Shown;
      return steppedSnapshot(snapshot, at, now);
    },
    async currentVisitors(siteIds, now) {
      const since = String(now - CURRENT_MS);
      const asked = [...Map.groupBy(siteIds, (siteId) => partitionOf(siteId))].map(async ([partition, some]) => {
        const counts = await redis.run('live', CURRENT, [keysOf(prefix, partition), since, ...some]);
        return some.map((siteId, i) => [siteId, (counts as number[])[i] ?? 0] as const);
      });
      return new Map((await Promise.all(asked)).flat());
    },
    async forgetVisitors(siteId, visitorIds, now) {
      for (let start = 0; start < visitorIds.length; start += MAX_GROUP) {
        const some = visitorIds.slice(start, start + MAX_GROUP);
        await redis.run('live', ERASE, [keysOfSite(prefix, siteId), String(now), ...some]);
      }
    },
    async forget(siteId) {
      const near = keysOfSite(prefix, siteId);
      const pattern = `${near}*`;
      for (let cursor = '0'; ;) {
        const asked = ['SCAN', cursor, 'MATCH', pattern, 'COUNT', '1000'];
        const [next, keys] = (await redis.send('live', asked, near)) as [string, string[]];
        if (keys.length > 0) await redis.send('live', ['UNLINK', ...keys]);
        cursor = next;
        if (cursor === '0') return;
      }
    },
    isRepeat: ({ site_id, visitor_id, page, time, event_id = '' }) =>
      views.of(site_id).add({ key: `${site_id} ${visitor_id} ${page}`, time, id: event_id }),
    ping: () => redis.ping('live'),
    async close() {
      await Promise.all([...sightings.all, ...views.all].map((group) => group.idle()));
    },
  };
}

/** One of something for each partition. */
function inPartitions<Thing>(open: (partition: number) => Thing): { all: Thing[]; of(siteId: SiteId): Thing } {
  const all = Array.from({ length: PARTITIONS }, (_, partition) => open(partition));
  return { all, of: (siteId) => all[partitionOf(siteId)] as Thing };
}

/** Reads a flat reply of names and negative counts. */
function pairs(flat: string[]): [name: string, count: number][] {
  return flat.flatMap((name, i) => (i % 2 === 0 ? [[name, -Number(flat[i + 1])] as [string, number]] : []));
}
