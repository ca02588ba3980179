// The ids of the last 24 hours, in memory: 16 bytes for each. A table with random keys on disk would cost each commit a page per event.
// Beyond its limit in bytes, the oldest are forgotten.
import { randomInt } from 'node:crypto';
import { SEEN_MS } from '../queue.ts';

/** An event_id as two unsigned 32-bit numbers. */
export type Id = { high: number; low: number };

type SeenIds = {
  /** Notes the id. Returns false if it was noted within the 24 hours before `now`: it then keeps its time. */
  add(id: Id, now: number): boolean;
  /** Notes an id again that was added before a restart. Ids are restored in the order in which they were added. */
  restore(id: Id, addedAt: number): void;
  /** Undoes an `add` that returned true. */
  remove(id: Id): void;
};

/** The slots of a table are doubled up to this number: 25 MB, for 1.5 million ids. */
const MOST_SLOTS = 2 ** 21;
const SLOT_BYTES = 12;
const FEWEST_SLOTS = 2 ** 10;
/** A fuller table has longer searches. */
const FULL = 3 / 4;
/** A table takes no new ids after this time, so that all of its ids expire soon after each other. */
const OPEN_MS = SEEN_MS / 4;
/** Times of a table that are further away than this cannot be told from others by their lower 32 bits. */
const REACH_MS = 2 ** 31 - SEEN_MS;
/** Instead of a time. Ids of exactly these times get a time a millisecond or two later. */
const EMPTY = 0;
const REMOVED = 1;

/** A hash table that is never rebuilt: when it is full, the next one is twice as large. */
type Table = {
  ids: Uint32Array;
  times: Int32Array;
  /** Leaves those upper bits of a 32-bit hash that number the slots. */
  shift: number;
  count: number;
  openedAt: number;
  newestAt: number;
};

/** Odd factors that nobody outside knows: senders can compute ids, and must not be able to choose many of the same slot. */
const FACTORS = { high: 2 * randomInt(2 ** 31) + 1, low: 2 * randomInt(2 ** 31) + 1 };

export function createSeenIds(maxBytes: number): SeenIds {
  /** Small enough that a new table replaces at most a quarter of the ids. */
  const mostSlots = Math.min(MOST_SLOTS, 2 ** Math.floor(Math.log2(maxBytes / 4 / SLOT_BYTES)));
  /** The newest first, since most repeats are recent. */
  let tables: Table[] = [];

  const openTable = (now: number): Table => {
    const [last] = tables;
    const table = newTable(Math.min(last ? slotsAfter(last) : FEWEST_SLOTS, mostSlots), now);
    let bytes = 0;
    tables = [table, ...tables.filter((one) => isCurrent(one, now))].filter(
      ({ times }) => (bytes += times.length * SLOT_BYTES) <= maxBytes,
    );
    return table;
  };

  const put = (id: Id, now: number) => {
    const [last] = tables;
    const table = last && takes(last, now) ? last : openTable(now);
    const slot = slotOf(table, id);
    if (table.times[slot] === EMPTY) table.count += 1;
    table.ids[2 * slot] = id.high;
    table.ids[2 * slot + 1] = id.low;
    table.times[slot] = timeOf(now);
    table.newestAt = Math.max(table.newestAt, now);
  };

  return {
    add(id, now) {
      for (const table of tables) {
        if (!isCurrent(table, now)) continue;
        const time = table.times[slotOf(table, id)] ?? EMPTY;
        if (time !== EMPTY && time !== REMOVED && ((now - time) | 0) < SEEN_MS) return false;
      }
      put(id, now);
      return true;
    },
    restore: put,
    remove(id) {
      for (const table of tables) {
        const slot = slotOf(table, id);
        // The slot stays taken, since searches for other ids pass over it.
        if (table.times[slot] !== EMPTY) table.times[slot] = REMOVED;
      }
    },
  };
}

const newTable = (slots: number, now: number): Table => ({
  ids: new Uint32Array(2 * slots),
  times: new Int32Array(slots),
  shift: 32 - Math.log2(slots),
  count: 0,
  openedAt: now,
  newestAt: now,
});

/** Returns whether ids of the table can still count as seen. The clock may have been wrong, and then set back. */
const isCurrent = ({ newestAt }: Table, now: number): boolean => now - newestAt < SEEN_MS && newestAt - now < REACH_MS;

const takes = ({ count, times, openedAt }: Table, now: number): boolean =>
  count < times.length * FULL && Math.abs(now - openedAt) < OPEN_MS;

/** Returns the lower 32 bits of a time in milliseconds: distinct for 49 days. */
function timeOf(now: number): number {
  const time = now | 0;
  return time === EMPTY || time === REMOVED ? 2 : time;
}

function slotsAfter({ count, times }: Table): number {
  if (count >= times.length * FULL) return 2 * times.length;
  return Math.max(2 ** Math.ceil(Math.log2(count / FULL + 1)), FEWEST_SLOTS);
}

/** Returns the slot of the id, or the empty one where it belongs. */
function slotOf({ ids, times, shift }: Table, { high, low }: Id): number {
  let slot = (Math.imul(high, FACTORS.high) + Math.imul(low, FACTORS.low)) >>> shift;
  while (times[slot] !== EMPTY && (ids[2 * slot + 1] !== low || ids[2 * slot] !== high))
    slot = (slot + 1) % times.length;
  return slot;
}
