// The purges of a site: what was taken out of its numbers, under which name, and until when it can be put back. See `jobs/purging.ts`.
import { isId, makeId } from '../directory/ids.ts';
import { checkName } from '../directory/names.ts';
import type { Directory } from '../directory/open.ts';
import type { Tables } from '../directory/schema.ts';
import { Refusal } from '../errors.ts';
import type { SiteId } from '../vocabulary/event.ts';
import { MAX_PURGES, NOTHING_PURGED, type PurgedCounts, type PurgeState } from '../vocabulary/settings/purges.ts';
import { changeSite, type Db } from './definitions/definitions.ts';
import { t } from '../vocabulary/habits/messages.ts';

/** `first_day`, `last_day`: of the period that was shown. */
export type Purge = {
  id: string;
  site_id: SiteId;
  name: string;
  first_day: string;
  last_day: string;
  state: PurgeState;
  counts: PurgedCounts;
  created_at: number;
};

/** A process that was killed leaves its purge to the others after this time. */
const CLAIM_MS = 10 * 60_000;

type Wish = { siteId: SiteId; name: string; definition: unknown; first_day: string; last_day: string };

/** The latest first, without those that have not begun or were put back. */
export async function listPurges({ db }: Pick<Directory, 'db'>, siteId: SiteId): Promise<Purge[]> {
  const rows = db
    .selectFrom('purges')
    .selectAll()
    .where('site_id', '=', siteId)
    .where('state', 'not in', ['choosing', 'returned']);
  return (await rows.orderBy('created_at', 'desc').orderBy('id').execute()).map(read);
}

export async function allPurges({ db }: Pick<Directory, 'db'>): Promise<Purge[]> {
  return (await db.selectFrom('purges').selectAll().orderBy('created_at').orderBy('id').execute()).map(read);
}

/** Claims a new purge for this process. Throws bad_request above the limit of a site, and while another of its purges is under way. */
export function startPurge(directory: Directory, { siteId, ...wish }: Wish, now: number): Promise<Purge> {
  const name = checkName(wish.name);
  return changeSite(directory, siteId, async (db) => {
    await checkFree(db, siteId, now);
    const own = await db.selectFrom('purges').select('state').where('site_id', '=', siteId).execute();
    if (own.filter(({ state }) => state !== 'returned').length >= MAX_PURGES)
      throw new Refusal(
        'bad_request',
        t('A site can have {MAX_PURGES} purges that can still be undone.', { MAX_PURGES }),
      );
    const row = {
      id: makeId('purge'),
      site_id: siteId,
      name,
      definition: JSON.stringify(wish.definition),
      first_day: wish.first_day,
      last_day: wish.last_day,
      state: 'choosing' as const,
      counts: JSON.stringify(NOTHING_PURGED),
      created_at: now,
      claimed_until: now + CLAIM_MS,
    };
    await db.insertInto('purges').values(row).execute();
    return read(row);
  });
}

/** Claims a purge to put it back. Throws not_found, and bad_request while a purge of the site is under way. */
export function startReturn(
  directory: Directory,
  { siteId, id }: { siteId: SiteId; id: string },
  now: number,
): Promise<Purge> {
  return changeSite(directory, siteId, async (db) => {
    const rows = db.selectFrom('purges').selectAll().where('site_id', '=', siteId).where('state', '=', 'taken');
    const row = isId('purge', id) ? await rows.where('id', '=', id).executeTakeFirst() : undefined;
    if (!row) throw new Refusal('not_found', t('There is no such purge of this site, or it can no longer be undone.'));
    await checkFree(db, siteId, now);
    const changed = { state: 'returning' as const, claimed_until: now + CLAIM_MS };
    await db.updateTable('purges').set(changed).where('id', '=', id).execute();
    return { ...read(row), state: 'returning' };
  });
}

/** Claims a purge for the job. Returns false if another process is at it, or has changed it since it was read. */
export async function claimPurge(
  { db }: Pick<Directory, 'db'>,
  { id, state }: Pick<Purge, 'id' | 'state'>,
  now: number,
): Promise<boolean> {
  const claimed = await db
    .updateTable('purges')
    .set({ claimed_until: now + CLAIM_MS })
    .where('id', '=', id)
    .where('state', '=', state)
    .where((where) => where.or([where('claimed_until', 'is', null), where('claimed_until', '<', now)]))
    .executeTakeFirst();
  return claimed.numUpdatedRows > 0n;
}

/** Notes how far a purge has come. A purge that is `taken` or `returned` is left to other processes. */
export async function notePurge(
  { db }: Pick<Directory, 'db'>,
  { id, state, counts }: Pick<Purge, 'id' | 'state' | 'counts'>,
): Promise<void> {
  const isDone = state === 'taken' || state === 'returned';
  const changed = { state, counts: JSON.stringify(counts), ...(isDone && { claimed_until: null }) };
  await db.updateTable('purges').set(changed).where('id', '=', id).execute();
}

/** Leaves an unfinished purge to the next run of the job. */
export async function releasePurge({ db }: Pick<Directory, 'db'>, id: string): Promise<void> {
  await db.updateTable('purges').set({ claimed_until: null }).where('id', '=', id).execute();
}

export async function forgetPurge({ db }: Pick<Directory, 'db'>, id: string): Promise<void> {
  await db.deleteFrom('purges').where('id', '=', id).execute();
}

async function checkFree(db: Db, siteId: SiteId, now: number): Promise<void> {
  const rows = db.selectFrom('purges').select('id').where('site_id', '=', siteId);
  const busy = await rows.where('claimed_until', '>=', now).executeTakeFirst();
  if (busy) throw new Refusal('bad_request', t('Another purge of this site is under way: wait until it is done.'));
}

function read({ definition: _, claimed_until: __, counts, ...row }: Tables['purges']): Purge {
  return { ...row, counts: JSON.parse(counts) as PurgedCounts };
}
