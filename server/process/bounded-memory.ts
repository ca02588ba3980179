// Size limits in bytes for caches of visitor data: a stranger can pretend to be any number of visitors, and send texts of any length.
import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { memoryAllowed } from '../config.ts';
import { youngGenerationBytes } from './v8-heap.ts';

const GB = 1024 ** 3;

/** The memory of the machine or container, or as much of it as MEMORY allows, in bytes. */
export function memoryOfMachine(): number {
  return Math.min(memoryAllowed(), process.constrainedMemory() || Infinity, totalmem()); // without a container, the limit is zero or more than there is
}

/** With so little, fewer questions are answered at a time, and V8 collects garbage sooner. */
export const hasLittleMemory = (): boolean => memoryOfMachine() < GB;

/** Each cache's share of V8's heap limit (`--max-old-space-size`), or of a quarter of little memory. Together they take less than a third. */
const SHARES = {
  visits: 1 / 16,
  windows: 1 / 16,
  clients: 1 / 32,
  ids: 1 / 32,
  knownVisitors: 1 / 64,
  senders: 1 / 64,
  repeats: 1 / 64,
  bots: 1 / 64,
  agents: 1 / 64,
  referrers: 1 / 64,
  storeAnswers: 1 / 64,
  summedDays: 1 / 256,
  apiAnswers: 1 / 128,
  recentEvents: 1 / 128,
  followedAnswers: 1 / 256,
  sources: 1 / 256,
  languages: 1 / 512,
  sites: 1 / 256,
  errorQuotas: 1 / 512,
};
type Memory = keyof typeof SHARES;
export const MEMORIES = Object.keys(SHARES) as Memory[];

export function bytesFor(memory: Memory): number {
  // The young generation holds none of these caches.
  const heap = getHeapStatistics().heap_size_limit - youngGenerationBytes();
  return Math.floor(Math.min(heap, hasLittleMemory() ? memoryOfMachine() / 4 : Infinity) * SHARES[memory]);
}

/** An upper bound: V8 uses two bytes per character as soon as one character is outside Latin-1. */
export function bytesOfText(text: string): number {
  return 2 * text.length + 24;
}

/**
 * TRICKY: V8 makes a slice as a view of the whole text, so 13 characters of a header can keep its 32 KiB alive. Copy every text that
 * stays in memory longer than its request.
 */
export function copyOfText(text: string): string {
  return ` ${text}`.slice(1); // A view of a new text that is only one character longer. Three times as fast as a copy through a Buffer.
}

/** The size of a Map slot and V8's overhead for a small value, rounded up. */
const SLOT_BYTES = 120;

export type BoundedMap<Value> = {
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
  delete(key: string): void;
  /** Starts a new generation, and drops the entries that have not been used since the previous one started. */
  turn(): void;
  readonly bytes: number;
};

/**
 * A cheap LRU cache with two generations: a hit in the young one moves nothing. When the young generation reaches half of `maxBytes`, the
 * old one is dropped: its entries have gone unused the longest. An entry larger than a generation is not cached.
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
    const inYoung = young.get(key);
    const inOld = old.get(key);
    if (inYoung !== undefined) {
      youngBytes -= bytesOfEntry(key, inYoung);
      young.delete(key);
    }
    if (inOld !== undefined) {
      oldBytes -= bytesOfEntry(key, inOld);
      old.delete(key);
    }
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
      const value = young.get(key);
      if (value !== undefined) return value;
      const older = old.get(key);
      if (older !== undefined) set(key, older);
      return older;
    },
    set,
    delete: remove,
    turn,
    get bytes() {
      return youngBytes + oldBytes;
    },
  };
}
