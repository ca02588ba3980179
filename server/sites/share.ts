// Share links: whoever has the token reads one site's dashboard, and nothing else. Kept as a hash, live until revoked.
import { Refusal } from '../errors.ts';
import type { SiteId } from '../event.ts';
import type { Directory } from '../directory/open.ts';
import { hashToken, isId, isSameHash, makeId, makeToken } from '../directory/ids.ts';
import { checkName } from '../directory/names.ts';
import type { Flag } from '../directory/schema.ts';

export const MAX_LIVE_LINKS = 50;
const TOKEN_LENGTH = 32; // 190 bits
const TOKEN = /^[0-9A-Za-z]{32}$/;

/** What a link shows: see `stats/small-numbers.ts`. */
export type Shows = { properties: boolean; few: boolean };
export type ShareLink = { id: string; name: string; created_at: number; shows: Shows };

/** `token` belongs into the link's address and is to be shown now: it cannot be had again. */
export async function createShareLink(
  directory: Directory,
  input: { siteId: SiteId; name: string; shows?: Partial<Shows> | undefined },
  now: number,
): Promise<ShareLink & { token: string }> {
  const name = checkName(input.name);
  const token = makeToken(TOKEN_LENGTH);
  const shows: Shows = { properties: false, few: false, ...input.shows };
  const link = { id: makeId('share'), name, created_at: now };
  await directory.db.transaction().execute(async (db) => {
    // Locks the site's row, so that links made at the same moment count one another.
    await db.updateTable('sites').set({ id: input.siteId }).where('id', '=', input.siteId).execute();
    if ((await listShareLinks({ db }, input.siteId)).length >= MAX_LIVE_LINKS)
      throw new Refusal('bad_request', `A site can have ${MAX_LIVE_LINKS} share links: revoke one to make another.`);
    await db
      .insertInto('share_links')
      .values({
        ...link,
        site_id: input.siteId,
        token_hash: hashToken(token),
        revoked_at: null,
        shows_properties: shows.properties ? 1 : 0,
        shows_few: shows.few ? 1 : 0,
      })
      .execute();
  });
  return { ...link, shows, token };
}

/** Throws not_found for a link that is unknown, of another site, or revoked already. */
export async function revokeShareLink(
  directory: Directory,
  input: { siteId: SiteId; linkId: string },
  now: number,
): Promise<void> {
  const revoked =
    isId('share', input.linkId) &&
    (await directory.db
      .updateTable('share_links')
      .set({ revoked_at: now })
      .where('id', '=', input.linkId)
      .where('site_id', '=', input.siteId)
      .where('revoked_at', 'is', null)
      .returning('id')
      .executeTakeFirst());
  if (!revoked) throw new Refusal('not_found', 'There is no such share link on this site.');
}

/** The live links, oldest first. */
export async function listShareLinks(directory: Pick<Directory, 'db'>, siteId: SiteId): Promise<ShareLink[]> {
  const rows = await directory.db
    .selectFrom('share_links')
    .select(['id', 'name', 'created_at', 'shows_properties', 'shows_few'])
    .where('site_id', '=', siteId)
    .where('revoked_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return rows.map(({ id, name, created_at, ...row }) => ({ id, name, created_at, shows: showsOf(row) }));
}

export async function siteOfShareToken(
  directory: Directory,
  token: string,
): Promise<{ linkId: string; siteId: SiteId; shows: Shows } | undefined> {
  if (!TOKEN.test(token)) return undefined;
  const hash = hashToken(token);
  const row = await directory.db
    .selectFrom('share_links')
    .select(['id', 'site_id', 'token_hash', 'shows_properties', 'shows_few'])
    .where('token_hash', '=', hash)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  if (!row || !isSameHash(row.token_hash, hash)) return undefined;
  return { linkId: row.id, siteId: row.site_id, shows: showsOf(row) };
}

function showsOf(row: { shows_properties: Flag; shows_few: Flag }): Shows {
  return { properties: row.shows_properties === 1, few: row.shows_few === 1 };
}
