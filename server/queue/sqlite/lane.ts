// A table of waiting entries in the queue's SQLite file. The entries of one append are one row, which costs a third of a row for each. They are
// numbered: `seq` is the number of the last one, and no number is ever used again. Entries are removed from the front, so the numbers have no
// gaps.
import type { DatabaseSync } from 'node:sqlite';
import { MAX_BATCH_BYTES } from '../queue.ts';
import type { LaneName } from './token.ts';

/** The small columns come first: SQLite reads a long text to get what comes after it. */
export const laneTable = (name: LaneName): string => `CREATE TABLE IF NOT EXISTS ${name}
  (seq INTEGER PRIMARY KEY AUTOINCREMENT, count INTEGER NOT NULL, entries TEXT NOT NULL) STRICT`;
/** `entries`: one a line, each with a line feed. */
type Row = { seq: number; count: number; bytes: number; entries: string };
type Range = { first: number; last: number };

type Lane = {
  /** The number of the newest entry ever; 0 if there was none. */
  lastSeq(): number;
  /** `lines`: `count` entries, each with a line feed. `last`: the number of the last one. */
  append(lines: string, options: { last: number; count: number }): void;
  /** The number of the oldest entry after this one. */
  firstAfter(seq: number): number | undefined;
  /** The oldest entries after a number and up to another one, as a batch. `isFull`: nothing that is appended later belongs to it. */
  batchAfter(
    after: number,
    options: { upTo: number; limit: number },
  ): (Range & { lines: string; isFull: boolean }) | undefined;
  upTo(last: number): { lines: string };
  /** The rows after a number and up to another one: as few as hold `limit` entries, or all. `last`: the number of the last entry. */
  rowsAfter(after: number, options: { upTo: number; limit: number }): { lines: string; last: number } | undefined;
  oldest(): string | undefined;
  count(): number;
  removeUpTo(last: number): void;
};

export function openLane(db: DatabaseSync, table: LaneName): Lane {
  const statements = {
    lastSeq: db.prepare(`SELECT seq FROM sqlite_sequence WHERE name = '${table}'`),
    append: db.prepare(`INSERT INTO ${table} (seq, count, entries) VALUES (?, ?, ?)`),
    rows: db.prepare(
      `SELECT seq, count, octet_length(entries) AS bytes, entries FROM ${table} WHERE seq > ? ORDER BY seq`,
    ),
    remove: db.prepare(`DELETE FROM ${table} WHERE seq <= ?`),
    first: db.prepare(`SELECT seq, count FROM ${table} WHERE seq > ? ORDER BY seq LIMIT 1`),
    shorten: db.prepare(`UPDATE ${table} SET count = ?, entries = ? WHERE seq = ?`),
    count: db.prepare(
      `SELECT coalesce((SELECT max(seq) FROM ${table}) - (SELECT seq - count FROM ${table} ORDER BY seq LIMIT 1), 0) AS count`,
    ),
  };
  const rows = (after: number) => statements.rows.iterate(after) as Iterable<Row>;
  const firstRow = (after: number) => statements.first.get(after) as { seq: number; count: number } | undefined;

  /** Takes the oldest entries after a number while `takes` agrees to the number of the next one, how many are taken, and its size in bytes. */
  function takeAfter(after: number, takes: (seq: number, taken: number, size: number) => boolean) {
    const lines: string[] = [];
    let first: number | undefined;
    let last = 0;
    for (const row of rows(after)) {
      const inRow = row.entries.split('\n', row.count);
      // Most rows are only ASCII: then the number of characters is that of bytes.
      const isAscii = row.bytes === row.entries.length;
      for (const [index, line] of inRow.entries()) {
        const seq = row.seq - row.count + 1 + index;
        if (seq <= after) continue;
        if (!takes(seq, lines.length, isAscii ? line.length : Buffer.byteLength(line)))
          return { lines: textOf(lines), first, last, isEnd: false };
        first ??= seq;
        last = seq;
        lines.push(line);
      }
    }
    return { lines: textOf(lines), first, last, isEnd: true };
  }

  return {
    lastSeq: () => (statements.lastSeq.get() as { seq: number } | undefined)?.seq ?? 0,
    append: (lines, { last, count }) => void statements.append.run(last, count, lines),
    firstAfter(seq) {
      const row = firstRow(seq);
      return row && Math.max(seq, row.seq - row.count) + 1;
    },
    batchAfter(after, { upTo, limit }) {
      let bytes = 0;
      const { lines, first, last, isEnd } = takeAfter(after, (seq, taken, size) => {
        bytes += size;
        return seq <= upTo && taken < limit && (taken === 0 || bytes <= MAX_BATCH_BYTES);
      });
      return first === undefined ? undefined : { first, last, lines, isFull: !isEnd };
    },
    upTo: (last) => takeAfter(0, (seq) => seq <= last),
    rowsAfter(after, { upTo, limit }) {
      let lines = '';
      let count = 0;
      let last = after;
      for (const row of rows(after)) {
        if (row.seq > upTo || count >= limit) break;
        lines += row.entries;
        last = row.seq;
        count += row.count;
      }
      return count === 0 ? undefined : { lines, last };
    },
    oldest: () => takeAfter(0, (_seq, taken) => taken === 0).lines.slice(0, -1) || undefined,
    count: () => (statements.count.get() as { count: number }).count,
    removeUpTo(last) {
      statements.remove.run(last);
      const row = firstRow(0);
      const done = row ? last - (row.seq - row.count) : 0;
      if (!row || done <= 0) return; // the last entry may be in the middle of a row
      const [{ entries } = { entries: '' }] = rows(row.seq - 1);
      statements.shorten.run(row.count - done, textOf(entries.split('\n', row.count).slice(done)), row.seq);
    },
  };
}

export const textOf = (lines: string[]): string => (lines.length === 0 ? '' : `${lines.join('\n')}\n`);
