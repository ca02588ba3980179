// Share links: whoever has the token reads one site's dashboard, and nothing else. Kept as a hash, live until revoked.
import { Refusal } from '../errors.ts';
import type { SiteId } from '../event.ts';
import type { Directory } from './directory.ts';
import { hashToken, isId, isSameHash, makeId, makeToken } from './ids.ts';
import { checkName } from './names.ts';

export const MAX_LIVE_LINKS = 50;
const TOKEN_LENGTH = 32; // 190 bits
const TOKEN = /^[0-9A-Za-z]{32}$/;

export type ShareLink = { id: string; name: string; created_at: number };

/** `token` belongs into the link's address and is to be shown now: it cannot be had again. */
export async function createShareLink(
  directory: Directory,
  input: { siteId: SiteId; name: string },
  now: number,
): Promise<ShareLink & { token: string }> {
  const name = checkName(input.name);
  const token = makeToken(TOKEN_LENGTH);
  const link = { id: makeId('share'), name, created_at: now };
  await directory.db.transaction().execute(async (db) => {
    // Locks the site's row, so that links made at the same moment count one another.
    await db.updateTable('sites').set({ id: input.siteId }).where('id', '=', input.siteId).execute();
    if ((await listShareLinks({ db }, input.siteId)).length >= MAX_LIVE_LINKS)
      throw new Refusal('bad_request', `A site can have ${MAX_LIVE_LINKS} share links: revoke one to make another.`);
    await db
      .insertInto('share_links')
      .values({ ...link, site_id: input.siteId, token_hash: hashToken(token), revoked_at: null })
      .execute();
  });
  return { ...link, token };
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
  return directory.db
    .selectFrom('share_links')
    .select(['id', 'name', 'created_at'])
    .where('site_id', '=', siteId)
    .where('revoked_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

export async function siteOfShareToken(
  directory: Directory,
  token: string,
): Promise<{ linkId: string; siteId: SiteId } | undefined> {
  if (!TOKEN.test(token)) return undefined;
  const hash = hashToken(token);
  const row = await directory.db
    .selectFrom('share_links')
    .select(['id', 'site_id', 'token_hash'])
    .where('token_hash', '=', hash)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  return row && isSameHash(row.token_hash, hash) ? { linkId: row.id, siteId: row.site_id } : undefined;
}
