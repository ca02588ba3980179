// What is remembered of visitors is bounded by bytes: anyone may send as many of them, with texts as long, as they like.
import { getHeapStatistics } from 'node:v8';

/** Each memory's part of the heap that V8 may have (`--max-old-space-size`). Together less than a third of it. */
const SHARES = {
  visits: 1 / 16,
  windows: 1 / 16,
  clients: 1 / 32,
  knownVisitors: 1 / 64,
  senders: 1 / 64,
  repeats: 1 / 64,
  bots: 1 / 64,
  agents: 1 / 64,
  referrers: 1 / 64,
  storeAnswers: 1 / 64,
  apiAnswers: 1 / 64,
  sources: 1 / 256,
  languages: 1 / 256,
  sites: 1 / 256,
};
export type Memory = keyof typeof SHARES;
export const MEMORIES = Object.keys(SHARES) as Memory[];

/** V8's limit counts the young generation too, which nothing of this lives in. */
const YOUNG_BYTES = 192 * 1024 * 1024;

export function bytesFor(memory: Memory): number {
  const limit = getHeapStatistics().heap_size_limit;
  return Math.floor(Math.max(limit - YOUNG_BYTES, limit / 4) * SHARES[memory]);
}

/** At most what a text takes: V8 holds one with a single character beyond Latin-1 as two bytes each. */
export function bytesOfText(text: string): number {
  return 2 * text.length + 24;
}

/**
 * TRICKY: V8 makes a slice as a view of the whole, and 13 characters of a header then keep all of its 32 KiB alive. What stays
 * in memory longer than its request is copied.
 */
export function copyOfText(text: string): string {
  return Buffer.from(text).toString();
}

/** The key's slot in a Map and what V8 adds to a small value, rounded up. */
const SLOT_BYTES = 120;

export type BoundedMap<Value> = {
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
  delete(key: string): void;
  /** Lets go of what was not used since the last turn. */
  turn(): void;
  readonly bytes: number;
};

/**
 * Two generations stand in for an exact LRU: one lookup on a hit, nothing moved. When the young one holds half of `maxBytes`, the
 * old one is dropped whole: what was not used for longest goes first. A single entry larger than that is not kept.
 */
export function createBoundedMap<Value>(
  maxBytes: number,
  bytesOf: (value: Value) => number = () => 0,
): BoundedMap<Value> {
  let young = new Map<string, Value>();
  let old = new Map<string, Value>();
  let youngBytes = 0;
  let oldBytes = 0;

  const bytesOfEntry = (key: string, value: Value) => SLOT_BYTES + bytesOfText(key) + bytesOf(value);
  const turn = () => {
    [old, oldBytes] = [young, youngBytes];
    [young, youngBytes] = [new Map(), 0];
  };
  const remove = (key: string) => {
    const [inYoung, inOld] = [young.get(key), old.get(key)];
    if (inYoung !== undefined) youngBytes -= bytesOfEntry(key, inYoung);
    if (inOld !== undefined) oldBytes -= bytesOfEntry(key, inOld);
    young.delete(key);
    old.delete(key);
  };
  const set = (key: string, value: Value) => {
    remove(key);
    const bytes = bytesOfEntry(key, value);
    if (bytes > maxBytes / 2) return;
    if (youngBytes + bytes > maxBytes / 2) turn();
    young.set(copyOfText(key), value);
    youngBytes += bytes;
  };

  return {
    get: (key) => {
      const known = young.get(key);
      if (known !== undefined) return known;
      const used = old.get(key);
      if (used !== undefined) set(key, used);
      return used;
    },
    set,
    delete: remove,
    turn,
    get bytes() {
      return youngBytes + oldBytes;
    },
  };
}
