// Public dashboards: share links that their site's domain opens, too, at /share/DOMAIN. A site has at most one, which an index of the database
// sees to. PUBLIC_DASHBOARDS=off switches all of them off.
import type { Selectable } from 'kysely';
import { effectivePlan } from '../../accounts/billing/plans.ts';
import { billingOf, type Config } from '../../config.ts';
import { type Directory, isDuplicate } from '../../directory/open.ts';
import type { Tables } from '../../directory/schema.ts';
import { Refusal } from '../../errors.ts';
import { readDomain } from '../domains/domain.ts';
import { t } from '../../vocabulary/habits/messages.ts';

/** Whether this server has public dashboards, and lists them. */
export const publicDashboards = ({ PUBLIC_DASHBOARDS, DIRECTORY }: Config): 'off' | 'unlisted' | 'listed' => {
  if (PUBLIC_DASHBOARDS === 'off') return 'off';
  return DIRECTORY === 'on' ? 'listed' : 'unlisted';
};

type Wish = { public?: boolean | undefined; indexed?: boolean | undefined };

/** Throws bad_request for a link that is to be public where the operator has switched that off. */
export function checkOffered(config: Config, wish: Wish): void {
  if (wish.public && publicDashboards(config) === 'off')
    throw new Refusal('bad_request', t('public: the operator of this server has switched public dashboards off.'));
}

/** Throws bad_request for what a public link cannot be. */
export function checkPublic(link: Required<Wish>, passwordHash: string | null): void {
  if (link.indexed && !link.public)
    throw new Refusal('bad_request', t('indexed: search engines can only list a link that is public.'));
  if (link.public && passwordHash !== null)
    throw new Refusal('bad_request', t('password: a public dashboard cannot have one.'));
}

/** Throws bad_request if the site has another public link. */
export async function withOnePublic<Value>(stored: Promise<Value>): Promise<Value> {
  try {
    return await stored;
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    throw new Refusal('bad_request', t('public: another link of this site is public, and only one can be.'));
  }
}

/** Undefined unless a site has this domain, in any spelling, and a public link. */
export async function findPublicLink(
  { db }: Pick<Directory, 'db'>,
  domain: string,
): Promise<Selectable<Tables['share_links']> | undefined> {
  const ascii = readDomain(domain);
  if (ascii === undefined) return undefined;
  return publicLinks(db).where('sites.domain', '=', ascii).selectAll('share_links').executeTakeFirst();
}

/** A site that lost its domain keeps a name that looks like one. */
const publicLinks = (db: Directory['db']) =>
  db
    .selectFrom('share_links')
    .innerJoin('sites', 'sites.id', 'share_links.site_id')
    .where((eb) => eb('share_links.is_public', '=', eb.lit(1))) // as the index says it
    .where('share_links.revoked_at', 'is', null)
    .where('sites.lost_at', 'is', null);

/** Domains on a page of the directory. */
const LISTED = 200;

/** The domains whose dashboards anybody can open now, in the order of the alphabet. `next`: the last one, if more follow. */
export async function listPublic(
  { directory: { db }, config }: { directory: Pick<Directory, 'db'>; config: Config },
  { after, now }: { after: string; now: number },
): Promise<{ domains: string[]; next: string | undefined }> {
  const rows = await publicLinks(db)
    .innerJoin('accounts', 'accounts.id', 'sites.account_id')
    .where('share_links.paused_at', 'is', null)
    .where((eb) => eb.or([eb('share_links.expires_at', 'is', null), eb('share_links.expires_at', '>', now)]))
    .where('sites.domain', '>', after)
    .select(['sites.domain', 'plan', 'status', 'trial_ends_at', 'paid_until', 'accounts.created_at'])
    .orderBy('sites.domain')
    .limit(LISTED + 1)
    .execute();
  const listed = rows.slice(0, LISTED);
  const billing = billingOf(config);
  return {
    domains: listed.filter((row) => effectivePlan(row, now, { billing }).canSeeDashboard).map(({ domain }) => domain),
    next: rows.length > LISTED ? listed.at(-1)?.domain : undefined,
  };
}
