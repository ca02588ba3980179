// The thread that owns the queue's SQLite file. A commit blocks its thread until the disk answers, so it must not run on the event loop.
// The thread handles one request at a time, in order. A failed transaction changes nothing.
import { randomBytes } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { MAX_BATCH_BYTES, SEEN_MS } from './queue.ts';

/** Plain lists: typed arrays take twice as long to send to the thread. */
export type Append = { ids: bigint[]; nows: number[]; entries: string[] };
export type StoredBatch = { token: string; entries: string };

/** The calls to the thread by name: [input, output]. */
export type Calls = {
  append: [Append, Uint8Array];
  read: [{ limit: number }, StoredBatch | undefined];
  acknowledge: [{ token: string }, { isEmpty: boolean }];
  bury: [{ ids: string[]; entries: string[]; reason: string; now: number }, undefined];
  replay: [undefined, number];
  /** At most `limit` rows after a key; `last` is the key for the next call. */
  waiting: [{ after: number; limit: number }, { entries: string; last: number } | undefined];
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

const PRUNE_EVERY_MS = 60_000;
/** One slice of the ids is pruned per minute: an expired id is removed within about an hour, and a slice takes only milliseconds. */
const PRUNE_SLICES = 64;

const { path } = workerData as { path: string };
const port = parentPort;
if (!port) throw new Error('sqlite-worker.ts runs as a worker thread.');

const db = openDatabase();
const statements = {
  see: db.prepare(
    'INSERT INTO seen (id, until) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET until = excluded.until WHERE until <= ?',
  ),
  append: db.prepare('INSERT INTO waiting (entry) VALUES (?)'),
  claimed: db.prepare('SELECT token, last FROM claimed'),
  next: db.prepare('SELECT seq, octet_length(entry) AS bytes FROM waiting ORDER BY seq LIMIT ?'),
  claim: db.prepare('INSERT INTO claimed (token, last) VALUES (?, ?)'),
  entries: db.prepare('SELECT entry FROM waiting WHERE seq <= ? ORDER BY seq'),
  remove: db.prepare('DELETE FROM waiting WHERE seq <= ?'),
  release: db.prepare('DELETE FROM claimed'),
  count: db.prepare('SELECT (SELECT count(*) FROM waiting) AS waiting, (SELECT count(*) FROM buried) AS buried'),
  oldest: db.prepare('SELECT entry FROM waiting ORDER BY seq LIMIT 1'),
  waiting: db.prepare('SELECT seq, entry FROM waiting WHERE seq > ? ORDER BY seq LIMIT ?'),
  buried: db.prepare('SELECT id, entry, reason, at FROM buried WHERE id > ? ORDER BY id LIMIT ?'),
  any: db.prepare('SELECT 1 FROM waiting LIMIT 1'),
  bury: db.prepare('INSERT OR REPLACE INTO buried (id, entry, reason, at) VALUES (?, ?, ?, ?)'),
  forget: db.prepare("DELETE FROM buried WHERE entry ->> 'site_id' = ?"),
  prune: db.prepare('DELETE FROM seen WHERE id BETWEEN ? AND ? AND until <= ?'),
};
/** Makes this file's tokens unique, even if the file is deleted and created again. */
const fileId = readFileId();

const calls: { [Name in CallName]: (input: Calls[Name][0]) => Calls[Name][1] } = {
  append({ ids, nows, entries }) {
    const fresh = new Uint8Array(entries.length);
    transact(() => {
      for (const [i, entry] of entries.entries()) {
        const now = nows[i] ?? 0;
        if (statements.see.run(ids[i] ?? 0n, now + SEEN_MS, now).changes === 0) continue;
        statements.append.run(entry);
        fresh[i] = 1;
      }
    });
    appendedAt = nows.at(-1) ?? appendedAt;
    return fresh;
  },
  read({ limit }) {
    const claim = (statements.claimed.get() as { token: string; last: number } | undefined) ?? claimNext(limit);
    if (!claim) return undefined;
    const rows = statements.entries.all(claim.last) as { entry: string }[];
    return { token: claim.token, entries: `[${rows.map(({ entry }) => entry).join(',')}]` };
  },
  acknowledge({ token }) {
    const claim = statements.claimed.get() as { token: string; last: number } | undefined;
    if (claim?.token === token)
      transact(() => {
        statements.remove.run(claim.last);
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
        db.prepare('INSERT INTO waiting (entry) SELECT entry FROM buried ORDER BY at, id').run().changes,
      );
      db.exec('DELETE FROM buried');
    });
    return replayed;
  },
  waiting({ after, limit }) {
    const rows = statements.waiting.all(after, limit) as { seq: number; entry: string }[];
    const last = rows.at(-1)?.seq;
    return last === undefined ? undefined : { last, entries: `[${rows.map(({ entry }) => entry).join(',')}]` };
  },
  buried: ({ after, limit }) =>
    statements.buried.all(after, limit) as { id: string; entry: string; reason: string; at: number }[],
  forget: ({ siteId }) => void statements.forget.run(siteId),
  // the write-ahead log still holds the old pages
  erase: () => void db.exec('PRAGMA wal_checkpoint(TRUNCATE)'),
  status() {
    const { waiting, buried } = statements.count.get() as { waiting: number; buried: number };
    return { waiting, buried, oldest: (statements.oldest.get() as { entry: string } | undefined)?.entry };
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
  // Checkpoints at 16 MB instead of SQLite's 4. Ids are random, so many commits change the same page, and a rarer checkpoint writes it less
  // often.
  opened.exec('PRAGMA wal_autocheckpoint = 4000; PRAGMA journal_size_limit = 16000000');
  opened.exec('PRAGMA cache_size = -16000; PRAGMA temp_store = MEMORY');
  opened.exec(`BEGIN IMMEDIATE;
    CREATE TABLE IF NOT EXISTS waiting (seq INTEGER PRIMARY KEY AUTOINCREMENT, entry TEXT NOT NULL) STRICT;
    CREATE TABLE IF NOT EXISTS seen (id INTEGER PRIMARY KEY, until INTEGER NOT NULL) STRICT;
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

/** Claims the next batch. The claim is on disk before the batch is delivered, so the same events keep their token after a crash. */
function claimNext(limit: number): { token: string; last: number } | undefined {
  let first: number | undefined;
  let last = 0;
  let total = 0;
  for (const { seq, bytes } of statements.next.iterate(limit) as Iterable<{ seq: number; bytes: number }>) {
    total += bytes;
    if (first !== undefined && total > MAX_BATCH_BYTES) break;
    first ??= seq;
    last = seq;
  }
  if (first === undefined) return undefined;
  const token = `${fileId}_${first}_${last}`;
  statements.claim.run(token, last);
  return { token, last };
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

let appendedAt = 0;
let prunedAt = 0;
let nextSlice = 0;

/** Deletes expired ids. It runs after the answer has been sent, so that nobody waits for it. */
function pruneNowAndThen(): void {
  if (Math.abs(appendedAt - prunedAt) < PRUNE_EVERY_MS) return;
  prunedAt = appendedAt;
  const width = 2n ** 64n / BigInt(PRUNE_SLICES);
  const from = -(2n ** 63n) + BigInt(nextSlice) * width;
  nextSlice = (nextSlice + 1) % PRUNE_SLICES;
  try {
    statements.prune.run(from, from + width - 1n, appendedAt);
  } catch {
    // The disk may be full: the slice's next turn tries again, and only disk space depends on it.
  }
}

port.on('message', ({ id, name, input }: Request) => {
  let answer: Answer;
  try {
    answer = { id, output: calls[name](input as never) };
  } catch (error) {
    answer = { id, error: error instanceof Error ? error.message : String(error) };
  }
  port.postMessage(answer);
  if (name === 'append') pruneNowAndThen();
  if (name === 'close') port.close();
});
port.postMessage({ id: 0, output: calls.status(undefined).waiting });
