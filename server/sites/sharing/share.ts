// Share links: anybody with the token can read one site's dashboard, and nothing else.
import type { SiteId } from '../../vocabulary/event.ts';
import type { Directory } from '../../directory/open.ts';
import { checkName } from '../../directory/names.ts';
import type { Flag } from '../../directory/schema.ts';
import { findSecret, listSecrets, makeSecret, revokeSecret, type SecretKind } from '../../directory/secrets.ts';

const MAX_LIVE_LINKS = 50;

const LINK: SecretKind<'share_links'> = {
  table: 'share_links',
  owner: { table: 'sites', column: 'site_id' },
  idPrefix: 'share',
  prefix: '',
  length: 32, // 190 bits
  limit: MAX_LIVE_LINKS,
  notesUse: false,
  tooMany: `A site can have ${MAX_LIVE_LINKS} share links: revoke one to make another.`,
  unknown: 'There is no such share link on this site.',
};

/**
 * The data that a link shows (see `stats/disclosure/rule.ts`), whether its page says "Counted by Footfall", and whether pages of other websites may
 * show it in a frame.
 */
export type Shows = { properties: boolean; few: boolean; credit: boolean; embedded: boolean };
type ShareLink = { id: string; name: string; created_at: number; shows: Shows };

/** `token` is part of the link's address. */
export async function createShareLink(
  directory: Directory,
  input: { siteId: SiteId; name: string; shows?: Partial<Shows> | undefined },
  now: number,
): Promise<ShareLink & { token: string }> {
  const name = checkName(input.name);
  const shows: Shows = { properties: false, few: false, credit: true, embedded: false, ...input.shows };
  const details = {
    name,
    shows_properties: flagOf(shows.properties),
    shows_few: flagOf(shows.few),
    shows_credit: flagOf(shows.credit),
    may_be_embedded: flagOf(shows.embedded),
  };
  const { id, secret } = await makeSecret(directory, LINK, { owner: input.siteId, details, now });
  return { id, name, created_at: now, shows, token: secret };
}

export function revokeShareLink(
  directory: Directory,
  input: { siteId: SiteId; linkId: string },
  now: number,
): Promise<{ name: string }> {
  return revokeSecret(directory, LINK, { owner: input.siteId, id: input.linkId, now });
}

export async function listShareLinks(directory: Directory, siteId: SiteId): Promise<ShareLink[]> {
  const rows = await listSecrets(directory, LINK, siteId);
  return rows.map(({ id, name, created_at, ...row }) => ({ id, name, created_at, shows: showsOf(row) }));
}

export async function siteOfShareToken(
  directory: Directory,
  token: string,
): Promise<{ linkId: string; siteId: SiteId; shows: Shows } | undefined> {
  const row = await findSecret(directory, LINK, token);
  return row && { linkId: row.id, siteId: row.site_id, shows: showsOf(row) };
}

const flagOf = (value: boolean): Flag => (value ? 1 : 0);

type Flags = { shows_properties: Flag; shows_few: Flag; shows_credit: Flag; may_be_embedded: Flag };

function showsOf({ shows_properties, shows_few, shows_credit, may_be_embedded }: Flags): Shows {
  return {
    properties: shows_properties === 1,
    few: shows_few === 1,
    credit: shows_credit === 1,
    embedded: may_be_embedded === 1,
  };
}
