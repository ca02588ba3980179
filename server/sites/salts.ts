// The salts: one random secret per UTC day, from which visitor ids are made. All processes share it, and it is destroyed when the day is
// over. Without it nobody can compute an id from an address and a user agent again.
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { type Directory, emptyLog } from '../directory/open.ts';

const SECRET_BYTES = 32;
const CACHED_DAYS = 2; // today, and yesterday for its last requests
const CACHED_MS = 60_000;

type Cached = { secret: Buffer; checkedAt: number };
const caches = new WeakMap<Directory, Map<string, Cached>>();

/** The 32-byte salt of a day (`YYYY-MM-DD`). The first process to ask makes it. */
export async function saltOf(directory: Directory, day: string, now: number): Promise<Buffer> {
  const cache = cacheOf(directory);
  const cached = cache.get(day);
  if (cached && now - cached.checkedAt < CACHED_MS) return cached.secret;
  // Offers the cached secret, so that a database that lost the row (see the migration) gets the same one back.
  const secret = await insertOrGet(directory, day, { secret: cached?.secret ?? randomBytes(SECRET_BYTES), now });
  cache.set(day, { secret, checkedAt: now });
  for (const oldest of cache.keys()) if (cache.size > CACHED_DAYS) cache.delete(oldest);
  return secret;
}

async function insertOrGet(
  directory: Directory,
  day: string,
  offered: { secret: Buffer; now: number },
): Promise<Buffer> {
  const stored = () => directory.db.selectFrom('salts').select('secret').where('day', '=', day).executeTakeFirst();
  let row = await stored();
  if (!row) {
    await directory.db
      .insertInto('salts')
      .values({ day, secret: offered.secret.toString('hex'), created_at: offered.now })
      .onConflict((conflict) => conflict.column('day').doNothing())
      .execute();
    row = await stored();
  }
  // No row: another process destroyed it between the two statements, because the day is over. Ours ends with this request.
  return row ? Buffer.from(row.secret, 'hex') : offered.secret;
}

/** Destroys the salts of all days before `before`, on disk and in this process. Returns the days. */
export async function destroySalts(directory: Directory, options: { before: string }): Promise<string[]> {
  const cache = cacheOf(directory);
  for (const day of [...cache.keys()]) if (day < options.before) cache.delete(day);
  const destroyed =
    directory.form === 'sqlite' ? await erase(directory, options.before) : await rewrite(directory, options.before);
  return destroyed.sort();
}

/** SQLite: `secure_delete` overwrites the row, but the write-ahead log holds the old page until it is emptied. */
async function erase(directory: Directory, before: string): Promise<string[]> {
  const rows = await directory.db.deleteFrom('salts').where('day', '<', before).returning('day').execute();
  // Runs even without deleted rows: if a reader kept the log busy last time, it is emptied now.
  await emptyLog(directory);
  return rows.map(({ day }) => day);
}

/** PostgreSQL: deleted rows stay in their page. TRUNCATE gives the table a new file and removes the old one. */
async function rewrite({ db }: Directory, before: string): Promise<string[]> {
  return db.transaction().execute(async (trx) => {
    await sql`lock table salts in access exclusive mode`.execute(trx);
    const rows = await trx.selectFrom('salts').selectAll().execute();
    const kept = rows.filter(({ day }) => day >= before);
    if (kept.length === rows.length) return [];
    await sql`truncate salts`.execute(trx);
    if (kept.length > 0) await trx.insertInto('salts').values(kept).execute();
    return rows.flatMap(({ day }) => (day < before ? [day] : []));
  });
}

function cacheOf(directory: Directory): Map<string, Cached> {
  const cache = caches.get(directory) ?? new Map<string, Cached>();
  caches.set(directory, cache);
  return cache;
}
