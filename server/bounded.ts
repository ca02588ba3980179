// What is remembered of visitors is bounded by bytes: anyone may send as many of them, with texts as long, as they like.
import { getHeapStatistics } from 'node:v8';

/** Each memory's part of the heap that V8 may have (`--max-old-space-size`). Together less than a third of it. */
const SHARES = {
  visits: 1 / 16,
  windows: 1 / 16,
  knownVisitors: 1 / 32,
  senders: 1 / 64,
  repeats: 1 / 64,
  answers: 1 / 32,
};

export function bytesFor(memory: keyof typeof SHARES): number {
  return Math.floor(getHeapStatistics().heap_size_limit * SHARES[memory]);
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

  const turn = () => {
    [old, oldBytes] = [young, youngBytes];
    [young, youngBytes] = [new Map(), 0];
  };
  const set = (key: string, value: Value) => {
    const bytes = SLOT_BYTES + bytesOfText(key) + bytesOf(value);
    if (bytes > maxBytes / 2) return;
    const replaced = young.get(key);
    if (replaced !== undefined) {
      young.delete(key);
      youngBytes -= SLOT_BYTES + bytesOfText(key) + bytesOf(replaced);
    }
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
    turn,
    get bytes() {
      return youngBytes + oldBytes;
    },
  };
}
