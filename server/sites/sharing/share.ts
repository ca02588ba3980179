// Share links: anybody with the token can read one site's dashboard, as far as the link's rules go, and nothing else.
import type { Selectable } from 'kysely';
import type { SiteId } from '../../vocabulary/event.ts';
import type { Directory } from '../../directory/open.ts';
import { checkName } from '../../directory/names.ts';
import type { Flag, Tables } from '../../directory/schema.ts';
import { findSecret, listSecrets, makeSecret, revokeSecret, type SecretKind } from '../../directory/secrets.ts';
import { Refusal } from '../../errors.ts';
import { FEWEST } from '../../vocabulary/settings/privacy.ts';
import { type LinkLooks, type LinkRules, NO_RULES, PART_NAMES } from '../../vocabulary/settings/share-links.ts';
import { isoOf } from '../../vocabulary/time/time.ts';
import { dayIn, UTC } from '../../vocabulary/time/zones.ts';
import { arrangementIn } from '../arrangements.ts';
import { changeSite, type Db } from '../definitions/definitions.ts';
import { normaliseFrameHost } from '../domains/domain.ts';
import { inDays } from '../sites.ts';
import { checkRules, lookedUp } from './fixed-filters.ts';
import { checkPublic, findPublicLink, withOnePublic } from './public-links.ts';
import { usesOf, type Uses } from './uses.ts';
import { message, say, t } from '../../vocabulary/habits/messages.ts';

const MAX_LIVE_LINKS = 50;

const LINK: SecretKind<'share_links'> = {
  table: 'share_links',
  owner: { table: 'sites', column: 'site_id' },
  idPrefix: 'share',
  prefix: '',
  length: 32, // 190 bits
  limit: MAX_LIVE_LINKS,
  notesUse: false,
  tooMany: message('A site can have {limit} share links: revoke one to make another.'),
  unknown: message('There is no such share link on this site.'),
};

/**
 * The data that a link shows: properties of events, and narrowed numbers of at least `fewest` visitors (see `stats/disclosure/rule.ts`). Whether its
 * page says "Counted by Footfall", and hosts of the websites that may show it in a frame: see `normaliseFrameHost`.
 */
export type Shows = { properties: boolean; fewest: number; credit: boolean; embedded_on: readonly string[] };
const USUAL: Shows = { properties: false, fewest: FEWEST, credit: true, embedded_on: [] };
export const NO_LOOKS: LinkLooks = { theme: null };

/** What people set on a link. Only members see its name and its note. */
export type LinkContent = {
  name: string;
  note: string;
  shows: Shows;
  rules: LinkRules;
  looks: LinkLooks;
  /** The link is closed from then on. */
  expires_at: number | null;
  paused: boolean;
  /** The site's domain opens the link, too: see public-links.ts. `indexed`: robots may index its page; of a public link alone. */
  public: boolean;
  indexed: boolean;
};
type ShareLink = LinkContent & { id: string; created_at: number; has_password: boolean; uses: Uses };

type Given<Content> = { [Name in keyof Content]?: Content[Name] | undefined };
/** What viewers see, as it is given. */
export type ShownContent = Given<Pick<LinkContent, 'rules'>> & {
  shows?: Given<Shows> | undefined;
  looks?: Given<LinkLooks> | undefined;
};
/** `passwordHash`: null takes the password away. */
type Change = Given<Omit<LinkContent, 'shows' | 'looks'>> & ShownContent & { passwordHash?: string | null };

/** `token` is part of the link's address. */
export async function createShareLink(
  directory: Directory,
  { siteId, ...input }: Change & { siteId: SiteId; name: string },
  now: number,
): Promise<Omit<ShareLink, 'uses'> & { token: string }> {
  const content = await checkedContent(directory, siteId, input);
  const password_hash = input.passwordHash ?? null;
  checkFrame(content, password_hash);
  checkPublic(content, password_hash);
  const details = { ...columnsOf(content, now), password_hash };
  const { id, secret } = await withOnePublic(makeSecret(directory, LINK, { owner: siteId, details, now }));
  return { id, created_at: now, ...content, has_password: password_hash !== null, token: secret };
}

/** Its address stays. Throws not_found, and bad_request for what a link cannot be. */
export function changeShareLink(
  directory: Directory,
  { siteId, linkId, passwordHash, shows, looks, ...given }: Change & { siteId: SiteId; linkId: string },
  now: number,
): Promise<{ name: string }> {
  const changed = changeSite(directory, siteId, async (db) => {
    const row = (await listSecrets({ db }, LINK, siteId)).find(({ id }) => id === linkId);
    if (!row) throw new Refusal('not_found', say(LINK.unknown));
    const before = readContent(row);
    const content = await checkedContent({ db }, siteId, {
      ...withGiven<Omit<LinkContent, 'shows' | 'looks'>>(
        { ...before, indexed: before.indexed && given.public !== false },
        given,
      ),
      shows: withGiven(before.shows, shows ?? {}),
      looks: withGiven(before.looks, looks ?? {}),
    });
    const password_hash = passwordHash === undefined ? row.password_hash : passwordHash;
    checkFrame(content, password_hash);
    checkPublic(content, password_hash);
    const columns = columnsOf(content, row.paused_at ?? now);
    await db
      .updateTable('share_links')
      .set({ ...columns, password_hash })
      .where('id', '=', linkId)
      .execute();
    return { name: content.name };
  });
  return withOnePublic(changed);
}

export function revokeShareLink(
  directory: Directory,
  input: { siteId: SiteId; linkId: string },
  now: number,
): Promise<{ name: string }> {
  return revokeSecret(directory, LINK, { owner: input.siteId, id: input.linkId, now });
}

export async function listShareLinks(directory: Pick<Directory, 'db'>, siteId: SiteId): Promise<ShareLink[]> {
  const rows = await listSecrets(directory, LINK, siteId);
  const uses = await usesOf(directory, rows);
  return rows.map((row) => ({
    id: row.id,
    created_at: row.created_at,
    ...readContent(row),
    has_password: row.password_hash !== null,
    uses: uses(row),
  }));
}

/** Returns the site of an account's link. Throws not_found. */
export async function siteOfShareLink(
  { db }: Pick<Directory, 'db'>,
  { accountId, linkId }: { accountId: string; linkId: string },
): Promise<{ siteId: SiteId; domain: string }> {
  const row = await db
    .selectFrom('share_links')
    .innerJoin('sites', 'sites.id', 'share_links.site_id')
    .where('share_links.id', '=', linkId)
    .where('account_id', '=', accountId)
    .select(['site_id', 'domain'])
    .executeTakeFirst();
  if (!row) throw new Refusal('not_found', say(LINK.unknown));
  return { siteId: row.site_id, domain: row.domain };
}

/** Returns a link as the API and the commands show it. */
export function toPublicLink({ created_at, expires_at, uses, ...link }: ShareLink) {
  return {
    ...link,
    created_at: isoOf(created_at),
    expires_at: isoOf(expires_at),
    last_used_at: isoOf(uses.last_used_at),
    views: uses.views,
  };
}

/** A link as its viewers open it. `closed`: why they may not see anything, a message. `password_hash`: they must know this password. */
export type SharedLink = {
  linkId: string;
  siteId: SiteId;
  shows: Shows;
  rules: LinkRules;
  looks: LinkLooks;
  closed?: string;
  password_hash?: string;
  /** Undefined for drafts and the demo, whose uses nobody counts. */
  last_used_at?: number | null;
  /** The link is public: whether robots may index its page. */
  public?: { indexed: boolean };
};

const EXPIRED = message('This link has expired: ask its owner for a new one.');
const PAUSED = message('This link is paused at the moment: try again later, or ask its owner.');
const LACKING = message('This link cannot be shown at the moment: ask its owner.');

/** The live view shows today, and advances by three visitors at a time: links of other days, or that withhold more, have none. */
export async function rulesOf(
  directory: { db: Db },
  siteId: SiteId,
  { shows, rules, now }: Pick<LinkContent, 'shows' | 'rules'> & { now: number },
): Promise<LinkRules> {
  const isToday = await showsToday(directory, siteId, { rules, now });
  if (shows.fewest <= FEWEST && isToday) return rules;
  return { ...rules, parts: (rules.parts ?? PART_NAMES).filter((part) => part !== 'live') };
}

async function showsToday(
  { db }: { db: Db },
  siteId: SiteId,
  { rules: { period, timezone }, now }: { rules: LinkRules; now: number },
): Promise<boolean> {
  if (!period || 'days' in period) return true;
  const sites = db.selectFrom('sites').select('timezone').where('id', '=', siteId);
  const zone = inDays(await sites.executeTakeFirstOrThrow(), { timezone }).timezone ?? UTC;
  const today = dayIn(zone, now);
  return period.date_from <= today && today <= period.date_to;
}

/** Undefined for a token that no link has, or a revoked one. */
export async function siteOfShareToken(
  directory: Directory,
  token: string,
  now: number,
): Promise<SharedLink | undefined> {
  const row = await findSecret(directory, LINK, token);
  return row && toShared(directory, row, now);
}

/** Undefined unless a site with this domain is public. */
export async function siteOfPublicDomain(
  directory: Directory,
  domain: string,
  now: number,
): Promise<SharedLink | undefined> {
  const row = await findPublicLink(directory, domain);
  return row && toShared(directory, row, now);
}

/** Why nobody can open a link now, a message; undefined if people can. */
export function closingOf(
  { paused, expires_at }: Pick<LinkContent, 'paused' | 'expires_at'>,
  now: number,
): string | undefined {
  if (expires_at !== null && expires_at <= now) return EXPIRED;
  return paused ? PAUSED : undefined;
}

async function toShared(directory: Directory, row: Row, now: number): Promise<SharedLink> {
  const stored = readContent(row);
  const { shows, looks, indexed, ...content } = stored;
  const rules = await rulesOf(directory, row.site_id, { shows, now, ...content });
  const filters = await lookedUp(directory, row.site_id, rules.filters);
  const closed = closingOf(stored, now) ?? (filters ? undefined : LACKING);
  return {
    linkId: row.id,
    siteId: row.site_id,
    shows,
    rules: { ...rules, filters: filters ?? [] },
    looks,
    last_used_at: row.last_used_at,
    ...(closed !== undefined && { closed }),
    ...(row.password_hash !== null && { password_hash: row.password_hash }),
    ...(content.public && { public: { indexed } }),
  };
}

/** Throws bad_request for what a link cannot be. */
export async function checkedContent(
  directory: { db: Db },
  siteId: SiteId,
  { name, shows, ...given }: Change & { name: string },
): Promise<LinkContent> {
  const rules = given.rules ?? NO_RULES;
  await checkRules(directory, siteId, rules);
  return {
    name: checkName(name),
    note: given.note?.trim() ?? '',
    shows: withGiven(USUAL, { ...shows, embedded_on: hostsOf(shows?.embedded_on) }),
    rules,
    looks: withGiven(NO_LOOKS, given.looks ?? {}),
    expires_at: given.expires_at ?? null,
    paused: given.paused ?? false,
    public: given.public ?? false,
    indexed: given.indexed ?? false,
  };
}

const hostsOf = (hosts: readonly string[] | undefined) =>
  hosts && [...new Set(hosts.filter((host) => host.trim() !== '').map(normaliseFrameHost))];

/** Browsers keep no cookie of a frame in another website's page, which would ask for the password again and again. */
function checkFrame({ shows }: LinkContent, passwordHash: string | null): void {
  if (shows.embedded_on.length > 0 && passwordHash !== null)
    throw new Refusal('bad_request', t('password: other websites cannot embed a link with a password.'));
}

/** What is undefined stays as it was. */
const withGiven = <Content extends object>(before: Content, given: Given<Content>): Content => ({
  ...before,
  ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
});

type Row = Selectable<Tables['share_links']>;
const flagOf = (value: boolean): Flag => (value ? 1 : 0);

const columnsOf = (
  { name, note, shows, rules, looks, expires_at, paused, ...content }: LinkContent,
  pausedAt: number,
) => ({
  name,
  note,
  shows_properties: flagOf(shows.properties),
  fewest: shows.fewest,
  shows_credit: flagOf(shows.credit),
  embedded_on: JSON.stringify(shows.embedded_on),
  rules: JSON.stringify(rules),
  theme: looks.theme,
  arrangement: looks.arrangement ? JSON.stringify(looks.arrangement) : null,
  expires_at,
  paused_at: paused ? pausedAt : null,
  is_public: flagOf(content.public),
  is_indexed: flagOf(content.indexed),
});

const readContent = (row: Row): LinkContent => ({
  name: row.name,
  note: row.note,
  shows: {
    properties: row.shows_properties === 1,
    fewest: row.fewest,
    credit: row.shows_credit === 1,
    embedded_on: JSON.parse(row.embedded_on) as string[],
  },
  rules: { ...NO_RULES, ...(JSON.parse(row.rules) as Partial<LinkRules>) },
  looks: {
    theme: row.theme,
    ...(row.arrangement !== null && { arrangement: arrangementIn(JSON.parse(row.arrangement)) }),
  },
  expires_at: row.expires_at,
  paused: row.paused_at !== null,
  public: row.is_public === 1,
  indexed: row.is_indexed === 1,
});
