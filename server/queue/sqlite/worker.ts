// The thread that owns the queue's SQLite file. A commit blocks its thread until the disk answers, so it must not run on the event loop.
// The thread handles one request at a time, in order. A failed transaction changes nothing.
import { randomBytes } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { SEPARATOR } from '../entries.ts';
import { SEEN_MS } from '../queue.ts';
import { createSeenIds, type Id } from './seen-ids.ts';
import { HELD, openHeld, WAITS } from './held.ts';
import { laneTable, openLane, textOf } from './lane.ts';
import { type LaneName, rangeOf, tokenOf } from './token.ts';

/** `ids` of 16 hex digits one after the other, and one entry a line: a text is sent to the thread faster than a list. */
export type Append = { ids: string; nows: number[]; entries: string };
export type StoredBatch = { token: string; entries: string };

/** The calls to the thread by name: [input, output]. */
export type Calls = {
  /** `fresh`: for each entry 0 if it was appended before, WAITS or HELD. `last`: the number of the last one that waits. */
  append: [Append, { fresh: Uint8Array; last: number }];
  /** `ahead`: the token of a batch whose entries are known. If it is the next one, its entries are left out. */
  read: [{ limit: number; ahead: string | undefined }, StoredBatch | undefined];
  /** Returns what `read` will return after the present batch is acknowledged; undefined if what is appended meanwhile may belong to it. */
  readAhead: [{ limit: number }, StoredBatch | undefined];
  acknowledge: [{ token: string }, { isEmpty: boolean }];
  bury: [{ ids: string[]; entries: string[]; reason: string; now: number }, undefined];
  replay: [undefined, number];
  /** The number of the newest entry of each lane. */
  newest: [undefined, Record<LaneName, number>];
  /** The rows after a key and up to another one: as few as hold `limit` entries, or all. `last` is the key for the next call. */
  waiting: [
    { lane: LaneName; after: number; upTo: number; limit: number },
    { entries: string; last: number } | undefined,
  ];
  /** At most `limit` rows after a key. */
  buried: [{ after: string; limit: number }, { id: string; entry: string; reason: string; at: number }[]];
  forget: [{ siteId: string }, undefined];
  erase: [undefined, undefined];
  /** `oldest`: of each lane. */
  status: [undefined, { waiting: number; oldest: string[]; buried: number }];
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
/** Bytes of an id in a row: its two halves, and the lower 32 bits of its time. */
const ID_BYTES = 12;

/** `behind`: sites are held back while at least this many entries wait in the usual lane. */
export type Opening = { path: string; idBytes: number; behind: number };
/** New entries are compared in parts of this share of `behind`: those of a batch, by default. */
const PART = 1 / 4;
const { path, idBytes, behind } = workerData as Opening;
const port = parentPort;
if (!port) throw new Error('worker.ts runs as a worker thread.');

const db = openDatabase();
const statements = {
  see: db.prepare('INSERT INTO seen_ids (until, ids) VALUES (?, ?)'),
  check: db.prepare('SELECT seq, until FROM seen_ids WHERE seq > ? ORDER BY seq LIMIT ?'),
  expire: db.prepare('DELETE FROM seen_ids WHERE seq = ?'),
  claimed: db.prepare('SELECT token, last FROM claimed'),
  claim: db.prepare('INSERT INTO claimed (token, last) VALUES (?, ?)'),
  release: db.prepare('DELETE FROM claimed'),
  countBuried: db.prepare('SELECT count(*) AS count FROM buried'),
  buried: db.prepare('SELECT id, entry, reason, at FROM buried WHERE id > ? ORDER BY id LIMIT ?'),
  ping: db.prepare('SELECT 1 FROM file'),
  bury: db.prepare('INSERT OR REPLACE INTO buried (id, entry, reason, at) VALUES (?, ?, ?, ?)'),
  forget: db.prepare("DELETE FROM buried WHERE entry ->> 'site_id' = ?"),
};
const lanes = { waiting: openLane(db, 'waiting'), held: openLane(db, 'held') };
const held = openHeld(db, behind * PART);
let lastRead: LaneName = 'waiting';
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
        statements.see.run(newestOf(added) + SEEN_MS, bytesOf(added));
        last = appendLines(linesOf(added, { entries, count: nows.length }), added, fresh);
        if (appends % CHECK_EVERY === 0) expireIds(nows.at(-1) ?? 0);
      });
      appends += 1;
    } catch (error) {
      for (const { id } of added) seen.remove(id);
      throw error;
    }
    return { fresh, last };
  },
  read({ limit, ahead }) {
    const claim = readClaim();
    if (claim) {
      lastRead = rangeOf(claim.token).lane;
      return { token: claim.token, entries: listOf(lanes[lastRead].upTo(claim.last).lines) };
    }
    const { lane, upTo } = nextLane({ lastRead, done: 0 });
    const known = ahead === undefined ? undefined : rangeOf(ahead);
    const isNext = ahead !== undefined && known?.lane === lane && lanes[lane].firstAfter(0) === known.first;
    const next = isNext ? { token: ahead, last: known.last, entries: '[]' } : batchAfter(lane, 0, { upTo, limit });
    if (!next) return undefined;
    // On disk before the batch is delivered, so that the same events keep their token after a crash.
    statements.claim.run(next.token, next.last);
    lastRead = lane;
    return { token: next.token, entries: next.entries };
  },
  readAhead({ limit }) {
    const claim = readClaim();
    if (!claim) return undefined;
    const from = rangeOf(claim.token).lane;
    const { lane, upTo } = nextLane({ lastRead: from, done: claim.last });
    const next = batchAfter(lane, lane === from ? claim.last : 0, { upTo, limit });
    return next?.isFull ? { token: next.token, entries: next.entries } : undefined;
  },
  acknowledge({ token }) {
    const claim = readClaim();
    if (claim?.token === token)
      transact(() => {
        const { lane, last } = rangeOf(token);
        lanes[lane].removeUpTo(last);
        statements.release.run();
        if (lane === 'held' && isEmpty('held')) held.clear();
      });
    return { isEmpty: isEmpty('waiting') && isEmpty('held') };
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
  newest: () => ({ waiting: lanes.waiting.lastSeq(), held: lanes.held.lastSeq() }),
  waiting({ lane, after, upTo, limit }) {
    const rows = lanes[lane].rowsAfter(after, { upTo, limit });
    return rows && { entries: listOf(rows.lines), last: rows.last };
  },
  buried: ({ after, limit }) =>
    statements.buried.all(after, limit) as { id: string; entry: string; reason: string; at: number }[],
  forget: ({ siteId }) => void statements.forget.run(siteId),
  // the write-ahead log still holds the old pages
  erase: () => void db.exec('PRAGMA wal_checkpoint(TRUNCATE)'),
  status: () => ({
    waiting: lanes.waiting.count() + lanes.held.count(),
    oldest: [lanes.waiting.oldest() ?? [], lanes.held.oldest() ?? []].flat(),
    buried: (statements.countBuried.get() as { count: number }).count,
  }),
  ping: () => void statements.ping.get(),
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
    ${laneTable('waiting')};
    ${laneTable('held')};
    CREATE TABLE IF NOT EXISTS seen_ids (seq INTEGER PRIMARY KEY, until INTEGER NOT NULL, ids BLOB NOT NULL) STRICT;
    CREATE TABLE IF NOT EXISTS claimed (token TEXT NOT NULL, last INTEGER NOT NULL) STRICT;
    CREATE TABLE IF NOT EXISTS buried (id TEXT PRIMARY KEY, entry TEXT NOT NULL, reason TEXT NOT NULL, at INTEGER NOT NULL) STRICT;
    CREATE TABLE IF NOT EXISTS file (id TEXT NOT NULL) STRICT;
    COMMIT`);
  return opened;
}

function readFileId(): string {
  const stored = db.prepare('SELECT id FROM file').get() as { id: string } | undefined;
  if (stored) return stored.id;
  const id = randomBytes(8).toString('hex');
  db.prepare('INSERT INTO file (id) VALUES (?)').run(id);
  return id;
}

const readClaim = () => statements.claimed.get() as { token: string; last: number } | undefined;

/**
 * The lane to read next, and up to which number. The lanes take turns, except that the older events of a busy site are read first. `done`: the
 * entries of `lastRead` up to this number count as removed.
 */
function nextLane({ lastRead, done }: { lastRead: LaneName; done: number }): { lane: LaneName; upTo: number } {
  const usual = { lane: 'waiting', upTo: Infinity } as const;
  if (held.isEmpty()) return usual;
  const first = (lane: LaneName) => lanes[lane].firstAfter(lane === lastRead ? done : 0) ?? Infinity;
  const [firstWaiting, firstHeld] = [first('waiting'), first('held')];
  const upTo = held.readyUpTo(firstWaiting);
  if (firstHeld === Infinity || firstHeld > upTo) return usual;
  return firstWaiting === Infinity || lastRead === 'waiting' ? { lane: 'held', upTo } : usual;
}

const isEmpty = (lane: LaneName) => lanes[lane].firstAfter(0) === undefined;

/** `isFull`: nothing that is appended later belongs to it. */
function batchAfter(lane: LaneName, after: number, options: { upTo: number; limit: number }) {
  const batch = lanes[lane].batchAfter(after, options);
  return batch && { ...batch, token: tokenOf({ ...batch, fileId, lane }), entries: listOf(batch.lines) };
}

/** A JSON list. JSON has no line feeds of its own. */
const listOf = (lines: string) => `[${lines.slice(0, -1).replaceAll('\n', SEPARATOR)}]`;

/** Returns the number of the last entry that waits in the usual lane. */
function appendLines(lines: string, added: Added[], fresh: Uint8Array): number {
  const before = lanes.waiting.lastSeq();
  const isBehind = before + 1 - (lanes.waiting.firstAfter(0) ?? before + 1) >= behind;
  if (!isBehind && held.isEmpty()) {
    for (const { index } of added) fresh[index] = WAITS;
    lanes.waiting.append(lines, { last: before + added.length, count: added.length });
    return before + added.length;
  }
  const all = lines.split('\n', added.length);
  const isHeld = held.sort(all, isBehind);
  for (const [i, { index }] of added.entries()) fresh[index] = isHeld[i] ? HELD : WAITS;
  const append = (name: LaneName, some: string[]) => {
    const last = lanes[name].lastSeq() + some.length;
    if (some.length > 0) lanes[name].append(textOf(some), { last, count: some.length });
    return last;
  };
  const from = lanes.held.lastSeq() + 1;
  append(
    'held',
    all.filter((_line, i) => isHeld[i]),
  );
  const last = append(
    'waiting',
    all.filter((_line, i) => !isHeld[i]),
  );
  held.save({ after: last, from });
  return last;
}

function linesOf(added: Added[], { entries, count }: { entries: string; count: number }): string {
  if (added.length === count) return entries;
  const lines = entries.split('\n');
  return textOf(added.map(({ index }) => lines[index] ?? ''));
}

function transact(work: () => void): void {
  db.exec('BEGIN IMMEDIATE');
  try {
    work();
    db.exec('COMMIT');
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK'); // on a full disk, SQLite has rolled back already
    held.forget();
    throw error;
  }
}

type Added = { id: Id; now: number; index: number };

/** Notes the ids of an append, and adds the new ones to `added`. */
function noteIds(ids: string, nows: number[], added: Added[]): void {
  for (const [index, now] of nows.entries()) {
    const at = 16 * index;
    const id = { high: parseInt(ids.slice(at, at + 8), 16), low: parseInt(ids.slice(at + 8, at + 16), 16) };
    if (seen.add(id, now)) added.push({ index, id, now });
  }
}

function newestOf(added: Added[]): number {
  return added.reduce((newest, { now }) => Math.max(newest, now), 0);
}

function bytesOf(added: Added[]): Uint8Array {
  const bytes = Buffer.allocUnsafe(added.length * ID_BYTES);
  for (const [index, { id, now }] of added.entries()) {
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
