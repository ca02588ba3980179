// The salts: one random secret per day of a time zone, from which visitor ids are derived. All processes share it, and it is destroyed when
// that day is over. Without it, nobody can compute an id from an address and a user agent again.
import { randomBytes } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { type Directory, emptyLog } from '../directory/open.ts';
import type { Tables } from '../directory/schema.ts';
import { dayIn } from '../vocabulary/time/zones.ts';

/** A day (YYYY-MM-DD) of a time zone. Sites in the same zone share its secrets; sites without a zone use those of UTC. */
export type ZoneDay = { zone: string; day: string };

const SECRET_BYTES = 32;
/** Per zone: today, and yesterday for late requests. */
const CACHED_DAYS = 2;
const CACHED_MS = 60_000;

type Cached = { secret: Buffer; checkedAt: number };
/** Zone → day → secret. There are some 600 zone names. */
type Cache = Map<string, Map<string, Cached>>;
const caches = new WeakMap<Directory, Cache>();

/** Returns the 32-byte salt of a day. The first process that needs it creates it. */
export async function saltOf(directory: Directory, of: ZoneDay, now: number): Promise<Buffer> {
  const days = daysOf(directory, of.zone);
  const cached = days.get(of.day);
  if (cached && now - cached.checkedAt < CACHED_MS) return cached.secret;
  // Offers the cached secret, so that a database that lost the row (see directory/migrations/001-first-release/secrets.ts) gets the same one back.
  const secret = await insertOrGet(directory, of, { secret: cached?.secret ?? randomBytes(SECRET_BYTES), now });
  days.set(of.day, { secret, checkedAt: now });
  for (const oldest of days.keys()) if (days.size > CACHED_DAYS) days.delete(oldest);
  return secret;
}

async function insertOrGet(
  { db }: Directory,
  { zone, day }: ZoneDay,
  offered: { secret: Buffer; now: number },
): Promise<Buffer> {
  const stored = () =>
    db.selectFrom('salts').select('secret').where('zone', '=', zone).where('day', '=', day).executeTakeFirst();
  let row = await stored();
  if (!row) {
    await db
      .insertInto('salts')
      .values({ zone, day, secret: offered.secret.toString('hex'), created_at: offered.now })
      .onConflict((conflict) => conflict.columns(['zone', 'day']).doNothing())
      .execute();
    row = await stored();
  }
  // No row: another process destroyed it between the two statements, because the day is over. Our secret is used for this request only.
  return row ? Buffer.from(row.secret, 'hex') : offered.secret;
}

/** Destroys the salts of all days that were over in their zone at `inUseSince`, on disk and in this process. Returns those days. */
export async function destroySalts(directory: Directory, { inUseSince }: { inUseSince: number }): Promise<ZoneDay[]> {
  const isOver = ({ zone, day }: ZoneDay) => day < dayIn(zone, inUseSince);
  for (const [zone, days] of cacheOf(directory))
    for (const day of days.keys()) if (isOver({ zone, day })) days.delete(day);
  return directory.form === 'sqlite' ? erase(directory, isOver) : rewrite(directory, isOver);
}

type IsOver = (day: ZoneDay) => boolean;
const overOf = async (db: Kysely<Tables>, isOver: IsOver) =>
  (await db.selectFrom('salts').select(['zone', 'day']).orderBy('day').orderBy('zone').execute()).filter(isOver);

/** SQLite: `secure_delete` overwrites the row, but the write-ahead log holds the old page until it is emptied. */
async function erase(directory: Directory, isOver: IsOver): Promise<ZoneDay[]> {
  const over = await overOf(directory.db, isOver);
  for (const { zone, day } of over)
    await directory.db.deleteFrom('salts').where('zone', '=', zone).where('day', '=', day).execute();
  // Runs even without deleted rows: if a reader kept the log busy last time, it can be emptied now.
  await emptyLog(directory);
  return over;
}

/** PostgreSQL: deleted rows stay in their page. TRUNCATE gives the table a new file and removes the old one. */
async function rewrite({ db }: Directory, isOver: IsOver): Promise<ZoneDay[]> {
  return db.transaction().execute(async (trx) => {
    await sql`lock table salts in access exclusive mode`.execute(trx);
    const over = await overOf(trx, isOver);
    if (over.length === 0) return [];
    const rows = await trx.selectFrom('salts').selectAll().execute();
    const kept = rows.filter((row) => !isOver(row));
    await sql`truncate salts`.execute(trx);
    if (kept.length > 0) await trx.insertInto('salts').values(kept).execute();
    return over;
  });
}

function cacheOf(directory: Directory): Cache {
  const cache = caches.get(directory) ?? (new Map() as Cache);
  caches.set(directory, cache);
  return cache;
}

function daysOf(directory: Directory, zone: string): Map<string, Cached> {
  const cache = cacheOf(directory);
  const days = cache.get(zone) ?? new Map<string, Cached>();
  cache.set(zone, days);
  return days;
}
