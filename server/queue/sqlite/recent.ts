// The newest waiting events of a queue, kept in memory, so that the writer need not read back from the file what this process has just
// appended. Their numbers are those of the file, and have no gaps.
import { bytesFor } from '../../process/bounded-memory.ts';
import type { Recorded } from '../../vocabulary/event.ts';
import { MAX_BATCH_BYTES } from '../queue.ts';

/** Measured size of an entry without its texts, rounded up. */
const ENTRY_BYTES = 400;

type Recent = {
  /** Call this in the order of the appends. `last`: the number of the last entry. `bytes`: their size in the file. */
  add(entries: Recorded[], options: { last: number; bytes: number }): void;
  /** Returns the oldest ones, at most `limit`, and at most a batch. Returns undefined if the file has to be read. */
  oldest(limit: number): { first: number; last: number; entries: Recorded[] } | undefined;
  /** Does nothing if they are forgotten already, or if `last` is no number. */
  forgetUpTo(last: number): void;
};

/** The entries of one append, or those that are left of them. */
type Run = { entries: Recorded[]; bytes: number };

/** V8 keeps a text in two bytes per character if one of them is outside Latin-1. */
const memoryOf = ({ entries, bytes }: Run): number => ENTRY_BYTES * entries.length + 2 * bytes;

/**
 * Beyond `maxBytes`, all are forgotten and read from the file. The default holds 28,000 usual events on a machine with 16 GB: at 15,000 a
 * second, 11,000 wait while a batch is gathered and stored.
 */
export function openRecent(maxBytes = bytesFor('recentEvents')): Recent {
  let runs: Run[] = [];
  /** The numbers of the first entry, and of the next one to add. */
  let first = 0;
  let next = 0;
  let memory = 0;

  return {
    add(entries, { last, bytes }) {
      const run = { entries, bytes };
      const from = last - entries.length + 1;
      if (from !== next || memory + memoryOf(run) > maxBytes) {
        runs = [];
        first = from;
        memory = 0;
      }
      next = last + 1;
      if (memoryOf(run) > maxBytes) {
        first = next;
        return;
      }
      memory += memoryOf(run);
      runs.push(run);
    },
    oldest(limit) {
      const taken: Recorded[] = [];
      let bytes = 0;
      for (const run of runs) {
        bytes += run.bytes;
        if (bytes > MAX_BATCH_BYTES || taken.length === limit) break;
        taken.push(...run.entries.slice(0, limit - taken.length));
      }
      return taken.length === 0 ? undefined : { first, last: first + taken.length - 1, entries: taken };
    },
    forgetUpTo(last) {
      for (let [run] = runs; run && first <= last; [run] = runs) {
        memory -= memoryOf(run);
        const left = run.entries.slice(last - first + 1);
        first += run.entries.length - left.length;
        runs.shift();
        if (left.length === 0) continue;
        const rest = { entries: left, bytes: (run.bytes * left.length) / run.entries.length };
        memory += memoryOf(rest);
        runs.unshift(rest);
      }
    },
  };
}
