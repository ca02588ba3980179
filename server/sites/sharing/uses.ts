// How often share links are opened: a number for each day, and the time of the last. Nothing about who opened them.
import { sql } from 'kysely';
import type { Directory } from '../../directory/open.ts';
import type { SiteId } from '../../vocabulary/event.ts';
import { DAY_MS, dayOf } from '../../vocabulary/time/time.ts';

/** `views`: of the last 30 UTC days on which it was opened, oldest first. */
export type Uses = { last_used_at: number | null; views: { day: string; views: number }[] };

const KEPT_DAYS = 400;
const LISTED_DAYS = 30;

/** Counts somebody who opened the dashboard of a link. */
export async function noteView(
  { db }: Pick<Directory, 'db'>,
  { linkId, siteId }: { linkId: string; siteId: SiteId },
  now: number,
): Promise<void> {
  const day = dayOf(now);
  await db.updateTable('share_links').set({ last_used_at: now }).where('id', '=', linkId).execute();
  const counted = await db
    .insertInto('share_views')
    .values({ link_id: linkId, site_id: siteId, day, views: 1 })
    .onConflict((conflict) => conflict.columns(['link_id', 'day']).doUpdateSet({ views: sql`share_views.views + 1` }))
    .returning('views')
    .executeTakeFirstOrThrow();
  if (counted.views > 1) return;
  const old = db.deleteFrom('share_views').where('link_id', '=', linkId);
  await old.where('day', '<', dayOf(now - KEPT_DAYS * DAY_MS)).execute();
}

/** Uses of pieces are noted at most this often, since each note is a write. */
const NOTED_EVERY_MS = 60_000;

/** Notes that a link showed something on the page of somebody else, without counting a view of its dashboard. */
export async function noteUse(
  { db }: Pick<Directory, 'db'>,
  { linkId, last_used_at }: { linkId: string; last_used_at?: number | null },
  now: number,
): Promise<void> {
  if (last_used_at === undefined || (last_used_at !== null && now - last_used_at < NOTED_EVERY_MS)) return;
  await db.updateTable('share_links').set({ last_used_at: now }).where('id', '=', linkId).execute();
}

type Used = { id: string; last_used_at: number | null };

/** Reads the uses of all these links at once. */
export async function usesOf({ db }: Pick<Directory, 'db'>, links: readonly Used[]): Promise<(link: Used) => Uses> {
  const ids = links.map(({ id }) => id);
  const rows =
    ids.length === 0
      ? []
      : await db.selectFrom('share_views').selectAll().where('link_id', 'in', ids).orderBy('day').execute();
  const ofLinks = Map.groupBy(rows, (row) => row.link_id);
  return ({ id, last_used_at }) => ({
    last_used_at,
    views: (ofLinks.get(id) ?? []).slice(-LISTED_DAYS).map(({ day, views }) => ({ day, views })),
  });
}
