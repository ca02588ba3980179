// The exports of an account: what was asked for, how far each has come, and until when its file is kept. See jobs/exporting/.
import { isId, makeId } from '../directory/ids.ts';
import type { Directory } from '../directory/open.ts';
import type { Tables } from '../directory/schema.ts';
import { Refusal } from '../errors.ts';
import type { SiteId } from '../vocabulary/event.ts';
import { EXPORT_KEPT_MS, type ExportKind, MAX_EXPORTS } from '../vocabulary/settings/exports.ts';
import { MINUTE_MS } from '../vocabulary/time/time.ts';
import { t } from '../vocabulary/habits/messages.ts';

export type Export = Tables['exports'];
type OfAccount = { accountId: string };
type Db = Pick<Directory, 'db'>;

/** A process that was killed leaves its export to another one after this time. */
const CLAIM_MS = 2 * MINUTE_MS;
const MAX_TRIES = 3;

/** Without those whose file is no longer kept, the latest first. */
export function listExports({ db }: Db, { accountId }: OfAccount, now: number): Promise<Export[]> {
  return db
    .selectFrom('exports')
    .selectAll()
    .where('account_id', '=', accountId)
    .where((where) => where.or([where('ready_at', 'is', null), where('ready_at', '>', now - EXPORT_KEPT_MS)]))
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute();
}

type Wish = OfAccount & { siteId: SiteId | null; userId: string; kind: ExportKind; recipient: string | null };

/** Throws bad_request if the account has too many already. */
export function askExport(directory: Directory, wish: Wish, now: number): Promise<Export> {
  return directory.db.transaction().execute(async (db) => {
    await db.updateTable('accounts').set({ id: wish.accountId }).where('id', '=', wish.accountId).execute(); // locks it
    if ((await listExports({ db }, wish, now)).length >= MAX_EXPORTS)
      throw new Refusal(
        'bad_request',
        t('An account can have {MAX_EXPORTS} exports at a time: delete one first.', { MAX_EXPORTS }),
      );
    const row: Export = {
      id: makeId('export'),
      account_id: wish.accountId,
      site_id: wish.siteId,
      user_id: wish.userId,
      kind: wish.kind,
      recipient: wish.recipient,
      state: 'waiting',
      tries: 0,
      done: 0,
      total: 0,
      bytes: 0,
      claimed_until: null,
      created_at: now,
      ready_at: null,
    };
    await db.insertInto('exports').values(row).execute();
    return row;
  });
}

/** Throws not_found, also once its file is no longer kept. */
export async function getExport({ db }: Db, id: string, now: number): Promise<Export> {
  const row = isId('export', id)
    ? await db.selectFrom('exports').selectAll().where('id', '=', id).executeTakeFirst()
    : undefined;
  if (!row || (row.ready_at ?? now) <= now - EXPORT_KEPT_MS)
    throw new Refusal('not_found', t('There is no such export: a file is kept for a day.'));
  return row;
}

/** The next export to make, which is this process's from now on. One that was given up too often fails. */
export async function claimExport({ db }: Db, now: number): Promise<Export | undefined> {
  const due = await db
    .selectFrom('exports')
    .selectAll()
    .where('state', 'in', ['waiting', 'making'])
    .where((where) => where.or([where('claimed_until', 'is', null), where('claimed_until', '<=', now)]))
    .orderBy('created_at')
    .orderBy('id')
    .executeTakeFirst();
  if (!due) return undefined;
  const changed = {
    state: due.tries < MAX_TRIES ? ('making' as const) : ('failed' as const),
    tries: due.tries + 1,
    done: 0,
    claimed_until: now + CLAIM_MS,
  };
  const claimed = db.updateTable('exports').set(changed).where('id', '=', due.id).where('tries', '=', due.tries);
  const { numUpdatedRows } = await claimed.executeTakeFirst();
  return numUpdatedRows === 1n && changed.state === 'making' ? { ...due, ...changed } : undefined;
}

/** Returns false if the export was deleted meanwhile, or another process makes it. */
export async function noteExported(
  { db }: Db,
  { id, tries }: Pick<Export, 'id' | 'tries'>,
  { done, total, now }: { done: number; total: number; now: number },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('exports')
    .set({ done, total, claimed_until: now + CLAIM_MS })
    .where('id', '=', id)
    .where('tries', '=', tries)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Leaves an export to the next run, as if it had not been begun. */
export async function releaseExport(
  { db }: Db,
  { id, tries }: Pick<Export, 'id' | 'tries'>,
  now: number,
): Promise<void> {
  const released = db.updateTable('exports').set({ claimed_until: now, tries: tries - 1 });
  await released.where('id', '=', id).where('tries', '=', tries).execute();
}

/** Returns false like `noteExported`. */
export async function finishExport(
  db: Db['db'],
  { id, tries }: Pick<Export, 'id' | 'tries'>,
  { bytes, now }: { bytes: number; now: number },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('exports')
    .set({ state: 'ready', bytes, ready_at: now, claimed_until: null })
    .where('id', '=', id)
    .where('tries', '=', tries)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Throws not_found. */
export async function deleteExport({ db }: Db, { accountId, id }: OfAccount & { id: string }): Promise<void> {
  const own = db.deleteFrom('exports').where('id', '=', id).where('account_id', '=', accountId);
  const { numDeletedRows } = await own.executeTakeFirst();
  if (numDeletedRows === 0n) throw new Refusal('not_found', t('There is no such export.'));
}

/** Forgets those whose file is no longer kept, and those that failed long ago. */
export async function forgetExports({ db }: Db, now: number): Promise<void> {
  const before = now - EXPORT_KEPT_MS;
  await db.deleteFrom('exports').where('ready_at', '<=', before).execute();
  await db.deleteFrom('exports').where('state', '=', 'failed').where('created_at', '<=', before).execute();
}

/** The ids of all exports. */
export async function allExportIds({ db }: Db): Promise<string[]> {
  return (await db.selectFrom('exports').select('id').execute()).map(({ id }) => id);
}

/** `created_at`, `ready_at`, `kept_until`: ISO 8601, or null before it is ready. */
export function toPublicExport({ id, site_id, kind, state, done, total, bytes, created_at, ready_at }: Export) {
  const textOf = (time: number | null) => (time === null ? null : new Date(time).toISOString());
  return {
    id,
    site_id,
    kind,
    state,
    done,
    total,
    bytes,
    created_at: new Date(created_at).toISOString(),
    ready_at: textOf(ready_at),
    kept_until: textOf(ready_at === null ? null : ready_at + EXPORT_KEPT_MS),
  };
}
