// Ingest tokens: a site's servers use one to report requests by agents that run no scripts. A token is valid for one site, and cannot read
// anything.
import type { SiteId } from '../vocabulary/event.ts';
import type { Directory } from '../directory/open.ts';
import type { Tables } from '../directory/schema.ts';
import { findSecret, listSecrets, makeSecret, noteUse, revokeSecret, type SecretKind } from '../directory/secrets.ts';
import { message } from '../vocabulary/habits/messages.ts';

/** One in use, the next one while it is being rolled out, and some for separate servers. */
const MAX_LIVE_TOKENS = 5;

const TOKEN: SecretKind<'ingest_tokens'> = {
  table: 'ingest_tokens',
  owner: { table: 'sites', column: 'site_id' },
  idPrefix: 'ingest',
  prefix: 'ft_',
  length: 40,
  limit: MAX_LIVE_TOKENS,
  notesUse: true,
  tooMany: message('A site can have {limit} ingest tokens: revoke one to make another.'),
  unknown: message('There is no such ingest token on this site.'),
};

type IngestToken = Pick<Tables['ingest_tokens'], 'id' | 'prefix' | 'created_at' | 'last_used_at'>;

export async function createIngestToken(
  directory: Directory,
  { siteId }: { siteId: SiteId },
  now: number,
): Promise<IngestToken & { token: string }> {
  const { id, prefix, secret } = await makeSecret(directory, TOKEN, { owner: siteId, details: {}, now });
  return { id, prefix, created_at: now, last_used_at: null, token: secret };
}

export function revokeIngestToken(
  directory: Directory,
  input: { siteId: SiteId; tokenId: string },
  now: number,
): Promise<{ prefix: string }> {
  return revokeSecret(directory, TOKEN, { owner: input.siteId, id: input.tokenId, now });
}

export async function listIngestTokens(directory: Directory, siteId: SiteId): Promise<IngestToken[]> {
  const rows = await listSecrets(directory, TOKEN, siteId);
  return rows.map(({ id, prefix, created_at, last_used_at }) => ({ id, prefix, created_at, last_used_at }));
}

export async function siteOfIngestToken(
  directory: Directory,
  token: string,
  now: number,
): Promise<{ id: SiteId; domain: string } | undefined> {
  const row = await findSecret(directory, TOKEN, token);
  if (!row) return undefined;
  await noteUse(directory, TOKEN, { row, now });
  const sites = directory.db.selectFrom('sites').select(['id', 'domain']);
  return sites.where('id', '=', row.site_id).executeTakeFirst();
}
