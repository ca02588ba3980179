// The thread that owns the queue's SQLite file. A commit blocks its thread until the disk answers, so it must not run on the event loop.
// The thread handles one request at a time, in order. A failed transaction changes nothing.
import { randomBytes } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { MAX_BATCH_BYTES, SEEN_MS } from './queue.ts';
import { createSeenIds, type Id } from './seen-ids.ts';
import { rangeOf, tokenOf } from './sqlite-token.ts';

/** `ids` of 16 hex digits one after the other, and one entry a line: a text is sent to the thread faster than a list. */
export type Append = { ids: string; nows: number[]; entries: string };
export type StoredBatch = { token: string; entries: string };

/** The calls to the thread by name: [input, output]. */
export type Calls = {
  /** `last`: the number of the last new entry. */
  append: [Append, { fresh: Uint8Array; last: number }];
  /** `ahead`: the token of a batch whose entries are known. If it is the next one, its entries are left out. */
  read: [{ limit: number; ahead: string | undefined }, StoredBatch | undefined];
  /** Returns what `read` will return after the present batch is acknowledged; undefined if what is appended meanwhile may belong to it. */
  readAhead: [{ limit: number }, StoredBatch | undefined];
  acknowledge: [{ token: string }, { isEmpty: boolean }];
  bury: [{ ids: string[]; entries: string[]; reason: string; now: number }, undefined];
  replay: [undefined, number];
  /** The rows after a key: as few as hold `limit` entries, or all. `last` is the key for the next call. */
  waiting: [{ after: number; limit: number }, { entries: string; last: number; isEnd: boolean } | undefined];
  /** At most `limit` rows after a key. */
  buried: [{ after: string; limit: number }, { id: string; entry: string; reason: string; at: number }[]];
  forget: [{ siteId: string }, undefined];
  erase: [undefined, undefined];
  status: [undefined, { waiting: number; oldest: string | undefined; buried: number }];
  ping: [undefined, undefined];
  close: [undefined, undefined];
};
export type CallName = keyof Calls;
export type Request = { id: number; name: CallName; input: unknown };
export type Answer = { id: number; output: unknown } | { id: number; error: string };
/** The output of the first message, which answers no request. */
export type Started = { waiting: number; fileId: string };

/** Every so many appends check so many rows of ids for expiry. Each append adds one row, so all rows are checked within six hours. */
const CHECK_EVERY = 64;
const CHECKED_ROWS = 4 * CHECK_EVERY;
/** Ids in one row, when they are taken over from an earlier version. */
const TAKEN_OVER = 1000;
/** Bytes of an id in a row: its two halves, and the lower 32 bits of its time. */
const ID_BYTES = 12;

/**
 * The entries of one append are one row, which costs a third of a row for each. They are numbered: `seq` is the number of the last one, and
 * no number is ever used again. The small columns come first: SQLite reads a long text to get what comes after it.
 */
const WAITING = `CREATE TABLE IF NOT EXISTS waiting
  (seq INTEGER PRIMARY KEY AUTOINCREMENT, count INTEGER NOT NULL, entries TEXT NOT NULL) STRICT`;
/** `entries`: one a line, each with a line feed. */
type Row = { seq: number; count: number; bytes: number; entries: string };

const { path, idBytes } = workerData as { path: string; idBytes: number };
const port = parentPort;
if (!port) throw new Error('sqlite-worker.ts runs as a worker thread.');

const db = openDatabase();
const statements = {
  see: db.prepare('INSERT INTO seen_ids (until, ids) VALUES (?, ?)'),
  check: db.prepare('SELECT seq, until FROM seen_ids WHERE seq > ? ORDER BY seq LIMIT ?'),
  expire: db.prepare('DELETE FROM seen_ids WHERE seq = ?'),
  lastSeq: db.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'waiting'"),
  append: db.prepare('INSERT INTO waiting (seq, count, entries) VALUES (?, ?, ?)'),
  claimed: db.prepare('SELECT token, last FROM claimed'),
  rows: db.prepare(
    'SELECT seq, count, octet_length(entries) AS bytes, entries FROM waiting WHERE seq > ? ORDER BY seq',
  ),
  claim: db.prepare('INSERT INTO claimed (token, last) VALUES (?, ?)'),
  remove: db.prepare('DELETE FROM waiting WHERE seq <= ?'),
  first: db.prepare('SELECT seq, count FROM waiting ORDER BY seq LIMIT 1'),
  shorten: db.prepare('UPDATE waiting SET count = ?, entries = ? WHERE seq = ?'),
  release: db.prepare('DELETE FROM claimed'),
  count: db.prepare(
    // Entries are numbered without gaps and removed from the front, so nothing needs to be counted.
    `SELECT coalesce((SELECT max(seq) FROM waiting) - (SELECT seq - count FROM waiting ORDER BY seq LIMIT 1), 0) AS waiting,
      (SELECT count(*) FROM buried) AS buried`,
  ),
  buried: db.prepare('SELECT id, entry, reason, at FROM buried WHERE id > ? ORDER BY id LIMIT ?'),
  any: db.prepare('SELECT 1 FROM waiting LIMIT 1'),
  bury: db.prepare('INSERT OR REPLACE INTO buried (id, entry, reason, at) VALUES (?, ?, ?, ?)'),
  forget: db.prepare("DELETE FROM buried WHERE entry ->> 'site_id' = ?"),
};
const seen = createSeenIds(idBytes);
loadIds();
/** Makes this file's tokens unique, even if the file is deleted and created again. */
const fileId = readFileId();

const calls: { [Name in CallName]: (input: Calls[Name][0]) => Calls[Name][1] } = {
  append({ ids, nows, entries }) {
    const fresh = new Uint8Array(nows.length);
    const added: Added[] = [];
    let last = 0;
    try {
      noteIds(ids, nows, added);
      if (added.length === 0) return { fresh, last };
      transact(() => {
        last = lastSeq() + added.length;
        statements.see.run(newestOf(added) + SEEN_MS, bytesOf(added));
        statements.append.run(last, added.length, linesOf(added, { entries, count: nows.length }));
        if (appends % CHECK_EVERY === 0) expireIds(nows.at(-1) ?? 0);
      });
      appends += 1;
    } catch (error) {
      for (const { id } of added) seen.remove(id);
      throw error;
    }
    for (const { index } of added) fresh[index] = 1;
    return { fresh, last };
  },
  read({ limit, ahead }) {
    const claim = readClaim();
    if (claim) return { token: claim.token, entries: listOf(takeAfter(0, (seq) => seq <= claim.last).lines) };
    const known = ahead === undefined ? undefined : rangeOf(ahead);
    const isNext = ahead !== undefined && known !== undefined && firstSeq() === known.first;
    const next = isNext ? { token: ahead, last: known.last, entries: '[]' } : batchAfter(0, limit);
    if (!next) return undefined;
    // On disk before the batch is delivered, so that the same events keep their token after a crash.
    statements.claim.run(next.token, next.last);
    return { token: next.token, entries: next.entries };
  },
  readAhead({ limit }) {
    const claim = readClaim();
    const next = claim && batchAfter(claim.last, limit);
    return next?.isFull ? { token: next.token, entries: next.entries } : undefined;
  },
  acknowledge({ token }) {
    const claim = readClaim();
    if (claim?.token === token)
      transact(() => {
        removeUpTo(claim.last);
        statements.release.run();
      });
    return { isEmpty: statements.any.get() === undefined };
  },
  bury({ ids, entries, reason, now }) {
    transact(() => {
      for (const [i, id] of ids.entries()) statements.bury.run(id, entries[i] ?? '', reason, now);
    });
    return undefined;
  },
  replay() {
    let replayed = 0;
    transact(() => {
      replayed = Number(
        db.prepare('INSERT INTO waiting (count, entries) SELECT 1, entry || char(10) FROM buried ORDER BY at, id').run()
          .changes,
      );
      db.exec('DELETE FROM buried');
    });
    return replayed;
  },
  waiting({ after, limit }) {
    let lines = '';
    let count = 0;
    let last = after;
    for (const row of rowsAfter(after)) {
      lines += row.entries;
      last = row.seq;
      count += row.count;
      if (count >= limit) return { entries: listOf(lines), last, isEnd: false };
    }
    return count === 0 ? undefined : { entries: listOf(lines), last, isEnd: true };
  },
  buried: ({ after, limit }) =>
    statements.buried.all(after, limit) as { id: string; entry: string; reason: string; at: number }[],
  forget: ({ siteId }) => void statements.forget.run(siteId),
  // the write-ahead log still holds the old pages
  erase: () => void db.exec('PRAGMA wal_checkpoint(TRUNCATE)'),
  status() {
    const { waiting, buried } = statements.count.get() as { waiting: number; buried: number };
    const oldest = takeAfter(0, (_seq, taken) => taken === 0).lines.slice(0, -1);
    return { waiting, buried, oldest: oldest === '' ? undefined : oldest };
  },
  ping: () => void statements.any.get(),
  close: () => db.close() as undefined,
};

function openDatabase(): DatabaseSync {
  const opened = new DatabaseSync(path, { timeout: 0 });
  // EXCLUSIVE: SQLite itself admits only one process, and needs no shared-memory file. FULL: a commit is on disk when it returns.
  opened.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  // SQLite overwrites deleted rows with zeros: a deleted site must not remain in any file.
  opened.exec('PRAGMA secure_delete = ON');
  // Checkpoints at 16 MB instead of SQLite's 4: most events are deleted again before, and their pages are then written once.
  opened.exec('PRAGMA wal_autocheckpoint = 4000; PRAGMA journal_size_limit = 16000000');
  opened.exec('PRAGMA cache_size = -16000; PRAGMA temp_store = MEMORY');
  opened.exec(`BEGIN IMMEDIATE;
    ${WAITING};
    CREATE TABLE IF NOT EXISTS seen_ids (seq INTEGER PRIMARY KEY, until INTEGER NOT NULL, ids BLOB NOT NULL) STRICT;
    CREATE TABLE IF NOT EXISTS claimed (token TEXT NOT NULL, last INTEGER NOT NULL) STRICT;
    CREATE TABLE IF NOT EXISTS buried (id TEXT PRIMARY KEY, entry TEXT NOT NULL, reason TEXT NOT NULL, at INTEGER NOT NULL) STRICT;
    CREATE TABLE IF NOT EXISTS file (id TEXT NOT NULL) STRICT;
    COMMIT`);
  takeOverIds(opened);
  takeOverWaiting(opened);
  return opened;
}

/** Earlier versions had one row for each entry, without a line feed. They cannot open the file any more, since they would misread it. */
function takeOverWaiting(opened: DatabaseSync): void {
  const isOld = opened.prepare("SELECT 1 FROM pragma_table_info('waiting') WHERE name = 'entry'").get();
  if (!isOld) return;
  opened.exec(`BEGIN IMMEDIATE;
    ALTER TABLE waiting RENAME TO old_waiting;
    ${WAITING};
    INSERT INTO waiting (seq, count, entries) SELECT seq, 1, entry || char(10) FROM old_waiting ORDER BY seq;
    DELETE FROM sqlite_sequence WHERE name = 'waiting';
    UPDATE sqlite_sequence SET name = 'waiting' WHERE name = 'old_waiting';
    DROP TABLE old_waiting;
    COMMIT`);
}

/** Earlier versions had one row for each id, in the order of the ids. */
function takeOverIds(opened: DatabaseSync): void {
  const hasOldTable = opened.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'seen'").get();
  if (!hasOldTable) return;
  opened.exec('BEGIN IMMEDIATE');
  const insert = opened.prepare('INSERT INTO seen_ids (until, ids) VALUES (?, ?)');
  const rows = opened.prepare('SELECT id, until FROM seen ORDER BY until');
  rows.setReadBigInts(true);
  let noted: Noted[] = [];
  const write = () => insert.run(newestOf(noted) + SEEN_MS, bytesOf(noted));
  for (const { id, until } of rows.iterate() as Iterable<{ id: bigint; until: bigint }>) {
    const halves = { high: Number(BigInt.asUintN(32, id >> 32n)), low: Number(BigInt.asUintN(32, id)) };
    if (noted.push({ id: halves, now: Number(until) - SEEN_MS }) < TAKEN_OVER) continue;
    write();
    noted = [];
  }
  if (noted.length > 0) write();
  opened.exec('DROP TABLE seen; COMMIT');
}

function readFileId(): string {
  const stored = db.prepare('SELECT id FROM file').get() as { id: string } | undefined;
  if (stored) return stored.id;
  const id = randomBytes(8).toString('hex');
  db.prepare('INSERT INTO file (id) VALUES (?)').run(id);
  return id;
}

const readClaim = () => statements.claimed.get() as { token: string; last: number } | undefined;

/** `isFull`: nothing that is appended later belongs to it. */
function batchAfter(after: number, limit: number) {
  let bytes = 0;
  const { lines, first, last, isEnd } = takeAfter(after, (_seq, taken, size) => {
    bytes += size;
    return taken < limit && (taken === 0 || bytes <= MAX_BATCH_BYTES);
  });
  if (first === undefined) return undefined;
  return { token: tokenOf({ fileId, first, last }), last, entries: listOf(lines), isFull: !isEnd };
}

/** Takes the oldest entries after a number while `takes` agrees to the number of the next one, how many are taken, and its size in bytes. */
function takeAfter(after: number, takes: (seq: number, taken: number, size: number) => boolean) {
  const lines: string[] = [];
  let first: number | undefined;
  let last = 0;
  for (const row of rowsAfter(after)) {
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

const rowsAfter = (seq: number) => statements.rows.iterate(seq) as Iterable<Row>;
const textOf = (lines: string[]) => (lines.length === 0 ? '' : `${lines.join('\n')}\n`);
/** A JSON list. JSON has no line feeds of its own. */
const listOf = (lines: string) => `[${lines.slice(0, -1).replaceAll('\n', ',')}]`;

function lastSeq(): number {
  return (statements.lastSeq.get() as { seq: number } | undefined)?.seq ?? 0;
}

function linesOf(added: Added[], { entries, count }: { entries: string; count: number }): string {
  if (added.length === count) return entries;
  const lines = entries.split('\n');
  return textOf(added.map(({ index }) => lines[index] ?? ''));
}

const firstRow = () => statements.first.get() as { seq: number; count: number } | undefined;

/** The number of the oldest entry. */
function firstSeq(): number | undefined {
  const row = firstRow();
  return row && row.seq - row.count + 1;
}

/** The last entry may be in the middle of a row. */
function removeUpTo(last: number): void {
  statements.remove.run(last);
  const row = firstRow();
  const done = row ? last - (row.seq - row.count) : 0;
  if (!row || done <= 0) return;
  const [{ entries } = { entries: '' }] = rowsAfter(row.seq - 1);
  statements.shorten.run(row.count - done, textOf(entries.split('\n', row.count).slice(done)), row.seq);
}

function transact(work: () => void): void {
  db.exec('BEGIN IMMEDIATE');
  try {
    work();
    db.exec('COMMIT');
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK'); // on a full disk, SQLite has rolled back already
    throw error;
  }
}

type Noted = { id: Id; now: number };
type Added = Noted & { index: number };

/** Notes the ids of an append, and adds the new ones to `added`. */
function noteIds(ids: string, nows: number[], added: Added[]): void {
  for (const [index, now] of nows.entries()) {
    const at = 16 * index;
    const id = { high: parseInt(ids.slice(at, at + 8), 16), low: parseInt(ids.slice(at + 8, at + 16), 16) };
    if (seen.add(id, now)) added.push({ index, id, now });
  }
}

function newestOf(noted: Noted[]): number {
  return noted.reduce((newest, { now }) => Math.max(newest, now), 0);
}

function bytesOf(noted: Noted[]): Uint8Array {
  const bytes = Buffer.allocUnsafe(noted.length * ID_BYTES);
  for (const [index, { id, now }] of noted.entries()) {
    const at = index * ID_BYTES;
    bytes.writeUInt32LE(id.high, at);
    bytes.writeUInt32LE(id.low, at + 4);
    bytes.writeInt32LE(now | 0, at + 8);
  }
  return bytes;
}

function loadIds(): void {
  const rows = db.prepare('SELECT until, ids FROM seen_ids ORDER BY seq').iterate() as Iterable<{
    until: number;
    ids: Uint8Array;
  }>;
  const id: Id = { high: 0, low: 0 };
  for (const { until, ids } of rows) {
    const view = new DataView(ids.buffer, ids.byteOffset, ids.byteLength);
    const newest = until - SEEN_MS;
    for (let at = 0; at < view.byteLength; at += ID_BYTES) {
      id.high = view.getUint32(at, true);
      id.low = view.getUint32(at + 4, true);
      seen.restore(id, newest - ((newest - view.getInt32(at + 8, true)) | 0));
    }
  }
}

let appends = 0;
let checked = 0;

/** Deletes some of the rows whose ids have all expired, starting where the last call ended. */
function expireIds(now: number): void {
  const rows = statements.check.all(checked, CHECKED_ROWS) as { seq: number; until: number }[];
  for (const { seq, until } of rows) if (until <= now) statements.expire.run(seq);
  checked = rows.length < CHECKED_ROWS ? 0 : (rows.at(-1)?.seq ?? 0);
}

port.on('message', ({ id, name, input }: Request) => {
  let answer: Answer;
  try {
    answer = { id, output: calls[name](input as never) };
  } catch (error) {
    answer = { id, error: error instanceof Error ? error.message : String(error) };
  }
  port.postMessage(answer);
  if (name === 'close') port.close();
});
port.postMessage({ id: 0, output: { waiting: calls.status(undefined).waiting, fileId } satisfies Started });
