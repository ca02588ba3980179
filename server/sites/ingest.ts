// Ingest tokens: with one, the servers of a site tell of the requests of agents that run no script. Good for that site and
// nothing else: it reads nothing. Shown once when made, kept as a hash, live until revoked.
import { Refusal } from '../errors.ts';
import type { SiteId } from '../event.ts';
import type { Directory } from '../directory/open.ts';
import { hashToken, isId, isSameHash, makeId, makeToken } from '../directory/ids.ts';
import type { Tables } from '../directory/schema.ts';

/** One in use, the next one on its way to the servers, and some for servers apart. */
export const MAX_LIVE_TOKENS = 5;
const TOKEN = /^ft_[0-9A-Za-z]{40}$/;
const SHOWN_LENGTH = 8; // `ft_` and 5 characters: enough to tell tokens apart, and 208 bits stay secret
const TOUCH_MS = 60_000;

export type IngestToken = Pick<Tables['ingest_tokens'], 'id' | 'prefix' | 'created_at' | 'last_used_at'>;

/** `token` is to be shown now: it cannot be had again. Throws bad_request past the limit of live tokens. */
export async function createIngestToken(
  directory: Directory,
  input: { siteId: SiteId },
  now: number,
): Promise<IngestToken & { token: string }> {
  const token = `ft_${makeToken(40)}`;
  const made = { id: makeId('ingest'), prefix: token.slice(0, SHOWN_LENGTH), created_at: now, last_used_at: null };
  await directory.db.transaction().execute(async (db) => {
    // Locks the site's row, so that tokens made at the same moment count one another.
    await db.updateTable('sites').set({ id: input.siteId }).where('id', '=', input.siteId).execute();
    if ((await listIngestTokens({ db }, input.siteId)).length >= MAX_LIVE_TOKENS)
      throw new Refusal('bad_request', `A site can have ${MAX_LIVE_TOKENS} ingest tokens: revoke one to make another.`);
    await db
      .insertInto('ingest_tokens')
      .values({ ...made, site_id: input.siteId, hash: hashToken(token), revoked_at: null })
      .execute();
  });
  return { ...made, token };
}

/** Throws not_found for a token that is unknown, of another site, or revoked already. */
export async function revokeIngestToken(
  directory: Directory,
  input: { siteId: SiteId; tokenId: string },
  now: number,
): Promise<void> {
  const revoked =
    isId('ingest', input.tokenId) &&
    (await directory.db
      .updateTable('ingest_tokens')
      .set({ revoked_at: now })
      .where('id', '=', input.tokenId)
      .where('site_id', '=', input.siteId)
      .where('revoked_at', 'is', null)
      .returning('id')
      .executeTakeFirst());
  if (!revoked) throw new Refusal('not_found', 'There is no such ingest token on this site.');
}

/** The live tokens, oldest first. */
export async function listIngestTokens(directory: Pick<Directory, 'db'>, siteId: SiteId): Promise<IngestToken[]> {
  return directory.db
    .selectFrom('ingest_tokens')
    .select(['id', 'prefix', 'created_at', 'last_used_at'])
    .where('site_id', '=', siteId)
    .where('revoked_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

/** The site of a live token, noting its use at most once a minute. Nothing is cached here, so a revocation holds at once. */
export async function siteOfIngestToken(
  directory: Directory,
  token: string,
  now: number,
): Promise<{ id: SiteId; domain: string } | undefined> {
  if (!TOKEN.test(token)) return undefined;
  const hash = hashToken(token);
  const row = await directory.db
    .selectFrom('ingest_tokens')
    .innerJoin('sites', 'sites.id', 'ingest_tokens.site_id')
    .select(['ingest_tokens.id as token_id', 'ingest_tokens.hash', 'ingest_tokens.last_used_at'])
    .select(['sites.id', 'sites.domain'])
    .where('ingest_tokens.hash', '=', hash)
    .where('ingest_tokens.revoked_at', 'is', null)
    .executeTakeFirst();
  if (!row || !isSameHash(row.hash, hash)) return undefined;
  if (row.last_used_at === null || now - row.last_used_at >= TOUCH_MS)
    await directory.db.updateTable('ingest_tokens').set({ last_used_at: now }).where('id', '=', row.token_id).execute();
  return { id: row.id, domain: row.domain };
}
