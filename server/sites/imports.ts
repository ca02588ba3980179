// Records how far each import of an access log has come, so that an interrupted import can continue and a finished one is not repeated. The
// secret behind an import's visitor ids exists only while the import runs, and is destroyed like a day's salt.
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { Refusal } from '../errors.ts';
import type { SiteId } from '../vocabulary/event.ts';
import { type Directory, emptyLog } from '../directory/open.ts';
import { type Drop, addDropsWithin } from './drops.ts';
import { makeId } from '../directory/ids.ts';
import { t } from '../vocabulary/habits/messages.ts';

const SECRET_BYTES = 32;

/** What an import begins with, whatever it imports. */
export const NEW = {
  file: '',
  lines_done: 0,
  tally: '{}',
  first_day: null,
  last_day: null,
  days: 0,
  pageviews: 0,
  visitors: 0,
  replaced: '[]',
  keeps_others: 0,
  claimed_until: null,
  finished_at: null,
} as const;

type Import = {
  id: string;
  site_id: SiteId;
  lines_done: number;
  /** JSON from the last `advanceImport`. */
  tally: string;
  /** Null while the import is running. */
  finished_at: number | null;
};

/** Returns the import of this content into this site. Creates one if there is none yet. */
export async function startImport(
  directory: Directory,
  input: { siteId: SiteId; fingerprint: string },
  now: number,
): Promise<Import> {
  const { db } = directory;
  const { siteId, fingerprint } = input;
  await db
    .insertInto('imports')
    .values({
      ...NEW,
      id: makeId('import'),
      site_id: siteId,
      fingerprint,
      format: 'access-log',
      actor: 'operator',
      state: 'done',
      created_at: now,
    })
    .onConflict((conflict) => conflict.columns(['site_id', 'fingerprint']).doNothing())
    .execute();
  return db
    .selectFrom('imports')
    .select(['id', 'site_id', 'lines_done', 'tally', 'finished_at'])
    .where('site_id', '=', siteId)
    .where('fingerprint', '=', fingerprint)
    .executeTakeFirstOrThrow();
}

/**
 * Returns the secret for the visitor ids of a running import. If the old secret was destroyed, it creates a new one, and visitors of the
 * day at which the import continues are counted twice.
 */
export async function importSecret({ db }: Directory, importId: string, now: number): Promise<Buffer> {
  const stored = () =>
    db.selectFrom('import_secrets').select('secret').where('import_id', '=', importId).executeTakeFirst();
  let row = await stored();
  if (!row) {
    await db
      .insertInto('import_secrets')
      .values({ import_id: importId, secret: randomBytes(SECRET_BYTES).toString('hex'), created_at: now })
      .onConflict((conflict) => conflict.column('import_id').doNothing())
      .execute();
    row = await stored();
  }
  if (!row) throw new Error('The secret of the import was destroyed while it was being created.');
  return Buffer.from(row.secret, 'hex');
}

/**
 * Records that the lines up to `to` are done, together with their drops, in one transaction. Throws bad_request if the import is no longer
 * where the caller left it: another process is working on it, or its site was deleted.
 */
export async function advanceImport(
  { db }: Directory,
  progress: { id: string; from: number; to: number; tally: string; drops: Drop[] },
): Promise<void> {
  const { id, from, to, tally, drops } = progress;
  await db.transaction().execute(async (trx) => {
    const imports = trx.updateTable('imports').set({ lines_done: to, tally });
    const { numUpdatedRows } = await imports
      .where('id', '=', id)
      .where('lines_done', '=', from)
      .where('finished_at', 'is', null)
      .executeTakeFirst();
    if (numUpdatedRows === 0n)
      throw new Refusal('bad_request', t('Another process is importing this file, or its site was deleted.'));
    await addDropsWithin(trx, drops);
  });
}

/** Destroys the secret of an import. */
export async function endImport(directory: Directory, id: string): Promise<void> {
  await destroySecrets(directory, (secret) => secret.import_id === id);
}

export async function finishImport(directory: Directory, id: string, now: number): Promise<void> {
  await endImport(directory, id); // first, so that no finished import has a secret even if this is interrupted
  await directory.db.updateTable('imports').set({ finished_at: now }).where('id', '=', id).execute();
}

/** Destroys the secrets of imports that started before `before` and never finished. */
export async function forgetImports(directory: Directory, before: number): Promise<void> {
  await destroySecrets(directory, (secret) => secret.created_at < before);
}

type Secret = { import_id: string; created_at: number };

async function destroySecrets(directory: Directory, isOver: (secret: Secret) => boolean): Promise<void> {
  const { db, form } = directory;
  const secrets = await db.selectFrom('import_secrets').select(['import_id', 'created_at']).execute();
  const over = secrets.filter(isOver).map((secret) => secret.import_id);
  if (form === 'sqlite') {
    if (over.length > 0) await db.deleteFrom('import_secrets').where('import_id', 'in', over).execute();
    await emptyLog(directory); // even without destroyed secrets, because deleting a site deletes its secrets too
    return;
  }
  // PostgreSQL keeps deleted rows in their page. TRUNCATE gives the table a new file.
  await db.transaction().execute(async (trx) => {
    await sql`lock table import_secrets in access exclusive mode`.execute(trx);
    const kept = (await trx.selectFrom('import_secrets').selectAll().execute()).filter((secret) => !isOver(secret));
    await sql`truncate import_secrets`.execute(trx);
    if (kept.length > 0) await trx.insertInto('import_secrets').values(kept).execute();
  });
}
