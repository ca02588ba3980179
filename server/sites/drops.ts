// Counts of dropped events per site, UTC day and reason, for the settings page. They are written in batches.
import type { Transaction } from 'kysely';
import type { SiteId } from '../vocabulary/event.ts';
import type { Directory } from '../directory/open.ts';
import type { Tables } from '../directory/schema.ts';

export type Drop = Tables['drops'];

const ROWS_PER_STATEMENT = 500;

/** Adds to the stored counts. The same site, day and reason may occur several times. Counts of deleted sites are ignored. */
export async function addDrops({ db }: Directory, drops: Iterable<Drop>): Promise<void> {
  for (const rows of slicesOf(drops)) await db.transaction().execute((trx) => addRows(trx, rows));
}

/** The same, within the caller's transaction. */
export async function addDropsWithin(trx: Transaction<Tables>, drops: Iterable<Drop>): Promise<void> {
  for (const rows of slicesOf(drops)) await addRows(trx, rows);
}

function slicesOf(drops: Iterable<Drop>): Drop[][] {
  const sums = new Map<string, Drop>();
  for (const drop of drops) {
    const key = `${drop.site_id} ${drop.day} ${drop.reason}`;
    sums.set(key, { ...drop, count: drop.count + (sums.get(key)?.count ?? 0) });
  }
  // Sorted, so that two processes lock rows in the same order and cannot deadlock.
  const rows = [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, drop]) => drop);
  return Array.from({ length: Math.ceil(rows.length / ROWS_PER_STATEMENT) }, (_, n) =>
    rows.slice(n * ROWS_PER_STATEMENT, (n + 1) * ROWS_PER_STATEMENT),
  );
}

async function addRows(trx: Transaction<Tables>, rows: Drop[]): Promise<void> {
  const ids = [...new Set(rows.map((row) => row.site_id))];
  const sites = await trx.selectFrom('sites').select('id').where('id', 'in', ids).execute();
  const present = new Set(sites.map(({ id }) => id));
  const values = rows.filter((row) => present.has(row.site_id));
  if (values.length === 0) return;
  await trx
    .insertInto('drops')
    .values(values)
    .onConflict((conflict) =>
      conflict
        .columns(['site_id', 'day', 'reason'])
        .doUpdateSet((eb) => ({ count: eb('drops.count', '+', eb.ref('excluded.count')) })),
    )
    .execute();
}

/** Returns the counts from `fromDay` to `toDay`, both included, oldest day first. */
export async function dropsOf(
  directory: Directory,
  siteId: SiteId,
  fromDay: string,
  toDay: string,
): Promise<Omit<Drop, 'site_id'>[]> {
  return directory.db
    .selectFrom('drops')
    .select(['day', 'reason', 'count'])
    .where('site_id', '=', siteId)
    .where('day', '>=', fromDay)
    .where('day', '<=', toDay)
    .orderBy('day')
    .orderBy('reason')
    .execute();
}

/** Returns how often each reason occurred in the same days, most first. */
export async function countDrops(...asked: Parameters<typeof dropsOf>): Promise<Pick<Drop, 'reason' | 'count'>[]> {
  const counts = new Map<string, number>();
  for (const { reason, count } of await dropsOf(...asked)) counts.set(reason, (counts.get(reason) ?? 0) + count);
  return [...counts].map(([reason, count]) => ({ reason, count })).sort((a, b) => b.count - a.count);
}
