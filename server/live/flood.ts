// Rate limits per address: events per second, new visitors per minute, and errors (see limits/errors.ts). There are two implementations (memory of one process, Redis).
// Addresses arrive as keyed hashes and are forgotten after minutes. Memory is bounded: the addresses and visitors that were seen longest
// ago are forgotten first, and count as new if they return.
import { type BoundedMap, bytesFor, createBoundedMap } from '../process/bounded-memory.ts';
import type { SiteId, VisitorId } from '../vocabulary/event.ts';
import { luaScript, type Redis } from '../process/redis/redis.ts';
import { MINUTE_MS } from '../vocabulary/time/time.ts';
import { type ErrorQuota, openErrorQuota } from './limits/errors.ts';
import { currentKey } from './redis.ts';

type FloodLimits = { visitorsPerMinute: number; eventsPerSecond: number };
type Newcomer = { site_id: SiteId; visitor_id: VisitorId };
type Verdict = boolean | Promise<boolean>;

export type Flood = {
  /** Returns true if the address may send one more event in this second. */
  takeEvent(address: string, now: number): Verdict;
  /** Returns true if the visitor may be counted: they are known already, or within the address's limit of new visitors for this minute. */
  takeVisitor(address: string, visitor: Newcomer, now: number): Verdict;
  takeError: ErrorQuota['take'];
  /** Marks a visitor from before this process started as known. */
  know(visitor: VisitorId): void;
};

/** A visitor stays known for at least this long after their last event, and for at most twice as long. */
const KNOWN_MS = 30 * MINUTE_MS;
/** Each process that shares Redis grants the first eighth of a budget without asking, so that few addresses ever cost a round trip. */
const FREE_PART = 8;

type Spent = { window: number; used: number; granted: number; isOver: boolean; asking: Promise<void> | undefined };
type Rule = { perWindow: number; windowMs: number; free: number };

export function openMemoryFlood(limits: FloodLimits): Flood {
  return openFlood(limits, openErrorQuota());
}

export function openRedisFlood(
  limits: FloodLimits,
  { redis, prefix = 'footfall' }: { redis: Redis; prefix?: string },
): Flood {
  return openFlood(limits, openErrorQuota({ redis, prefix }), openShared(redis, prefix));
}

/** The counts that all processes share. Throws Unavailable. */
type Shared = {
  /** Adds events of the address in this window. Resolves to the total of all processes. */
  addEvents(address: string, window: number, events: number): Promise<number>;
  /** Counts the visitor for the address in this minute, unless another process knows them already. Resolves to false above the limit. */
  addVisitor(address: string, window: number, visitor: Newcomer & { untold: number; limit: number }): Promise<boolean>;
};

const ADD = luaScript(
  1,
  `local total = redis.call('INCRBY', KEYS[1], ARGV[1])
   redis.call('PEXPIRE', KEYS[1], ARGV[2])
   return total`,
);

function openShared(redis: Redis, prefix: string): Shared {
  const add = async (key: string, count: number, keepMs: number) =>
    Number(await redis.run('live', ADD, [`${prefix}:live:${key}`, String(count), String(keepMs)]));
  // A command of its own, since the site's live windows may be on another server than the address's count.
  const isSeen = async ({ site_id, visitor_id }: Newcomer) =>
    (await redis.send('live', ['ZSCORE', currentKey(prefix, site_id), visitor_id])) !== null;
  return {
    addEvents: (address, window, events) => add(`e:${address}:${window}`, events, 10_000),
    addVisitor: async (address, window, { untold, limit, ...visitor }) => {
      const count = (visitors: number) => add(`n:${address}:${window}`, visitors, 2 * MINUTE_MS);
      // At once, so that it is counted before the visitors that are asked for after this one, whose windows may be on a faster server.
      const told = untold > 0 && count(untold);
      const [isKnown] = await Promise.all([isSeen(visitor), told]);
      return isKnown || (await count(1)) <= limit;
    },
  };
}

function openFlood({ visitorsPerMinute, eventsPerSecond }: FloodLimits, errors: ErrorQuota, shared?: Shared): Flood {
  const ruleOf = (perWindow: number, windowMs: number): Rule => ({
    perWindow,
    windowMs,
    free: shared ? Math.ceil(perWindow / FREE_PART) : perWindow,
  });
  const events = { rule: ruleOf(eventsPerSecond, 1000), spent: openSpent() };
  const visitors = { rule: ruleOf(visitorsPerMinute, MINUTE_MS), spent: openSpent() };
  const known = createBoundedMap<true>(bytesFor('knownVisitors'));
  let turnedAt = 0;

  const turnKnown = (now: number) => {
    if (Math.abs(now - turnedAt) < KNOWN_MS) return;
    turnedAt = now;
    known.turn();
  };

  // While Redis is unavailable, each process counts on its own, so the limit is less strict.
  const askForEvents = async (ask: Shared['addEvents'], address: string, spent: Spent) => {
    const { perWindow, free } = events.rule;
    const untold = spent.granted === free ? free : 0; // the first request also reports the events granted without asking
    const total = await ask(address, spent.window, untold + free).catch(() => spent.granted + free);
    const room = Math.min(free, perWindow - (total - free));
    spent.granted += Math.max(0, room);
    spent.isOver = room <= 0;
  };

  const takeEvent = (address: string, now: number): Verdict => {
    const spent = spentOf(events, address, now);
    if (spent.used < spent.granted) {
      spent.used += 1;
      return true;
    }
    if (!shared || spent.isOver) return false;
    spent.asking ??= askForEvents(shared.addEvents, address, spent).finally(() => (spent.asking = undefined));
    return spent.asking.then(() => takeEvent(address, now));
  };

  return {
    takeEvent,
    takeError: errors.take,
    takeVisitor: (address, visitor, now) => {
      turnKnown(now);
      if (known.get(visitor.visitor_id)) return true;
      const spent = spentOf(visitors, address, now);
      const admit = (isAdmitted: boolean) => {
        if (isAdmitted) known.set(visitor.visitor_id, true);
        return isAdmitted;
      };
      if (spent.used < spent.granted) {
        spent.used += 1;
        return admit(true);
      }
      if (!shared) return false;
      const { perWindow: limit, free } = visitors.rule;
      const untold = spent.used === free ? free : 0;
      spent.used += 1;
      const alone = spent.used <= limit;
      return shared.addVisitor(address, spent.window, { ...visitor, untold, limit }).then(admit, () => admit(alone));
    },
    know: (visitor) => known.set(visitor, true),
  };
}

/** Twice the measured size of a Spent. */
const SPENT_BYTES = 120;
/** Events of several workers arrive this many windows late at most. Later ones mean that the clock was set back. */
const LATE_WINDOWS = 2;

function openSpent(): BoundedMap<Spent> {
  return createBoundedMap<Spent>(bytesFor('senders') / 2, () => SPENT_BYTES);
}

function spentOf({ rule, spent }: { rule: Rule; spent: BoundedMap<Spent> }, address: string, now: number): Spent {
  const window = Math.floor(now / rule.windowMs);
  const known = spent.get(address);
  // A late event spends the newest window's budget: otherwise events of two windows in turns would each start a new one.
  if (known && window <= known.window && window >= known.window - LATE_WINDOWS) return known;
  const fresh: Spent = { window, used: 0, granted: rule.free, isOver: false, asking: undefined };
  spent.set(address, fresh);
  return fresh;
}
