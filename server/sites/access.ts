// The one place that decides who may see or change a site. Unknown sites and other accounts' sites get exactly the same answer.
import type { Billing } from '../config.ts';
import { Refusal } from '../errors.ts';
import type { SiteId } from '../vocabulary/event.ts';
import type { Directory } from '../directory/open.ts';
import { isId } from '../directory/ids.ts';
import { effectivePlan, hasBilling, type Standing } from '../accounts/billing/plans.ts';
import { NOT_ALLOWED, sitesOfMember } from '../accounts/people/people.ts';
import type { Account } from '../directory/schema.ts';
import type { Role } from '../vocabulary/accounts/roles.ts';
import { limitsMembers } from './sharing/member-limits.ts';
import type { SharedLink } from './sharing/share.ts';
import { inDays, listSites, NO_SUCH_SITE, type Site, siteByDomain, siteById } from './sites.ts';
import { message, say, t } from '../vocabulary/habits/messages.ts';

/**
 * An authenticated caller: a session, a share link or an API key. `lacksFactor`: the user must first set up a second factor, which an
 * account of theirs requires.
 */
export type Viewer =
  /** `accountId`: the account that the person switched to, if they still belong to it. */
  | { kind: 'user'; userId: string; accountId?: string; lacksFactor?: boolean }
  | ({ kind: 'share' } & Pick<SharedLink, 'siteId' | 'linkId' | 'shows' | 'rules'>)
  | { kind: 'key'; accountId: string };

/**
 * `read`: see numbers. `own`: keep personal things such as segments, which only people who log in have. `admin`: change sites and their
 * settings, and invite people. `plan`: see and change the plan. `owner`: manage the account, its keys and its owners.
 */
export const NEEDS = ['read', 'own', 'admin', 'plan', 'owner'] as const;
export type Need = (typeof NEEDS)[number];

type AccessOptions = {
  now: number;
  billing: Billing;
  /** Also admits members of an expired account: they may still see their plan and export their data. */
  evenExpired?: boolean;
};

/** `siteIds`: the only sites that the person may see; null for all sites. */
export type Membership = { account: Account; role: Role; siteIds: readonly SiteId[] | null };
export type AccountAccess = Membership & { plan: Standing };
export type SiteAccess = AccountAccess & { site: Site };

const GRANTS: Record<Role, readonly Need[]> = {
  owner: ['read', 'own', 'admin', 'plan', 'owner'],
  admin: ['read', 'own', 'admin'],
  billing: ['plan'],
  viewer: ['read', 'own'],
};

export const mayDo = (role: Role, need: Need): boolean => GRANTS[role].includes(need);

/** True for people who see the numbers of the site as the viewers of a share link do. */
export const isLimitedMember = (role: Role, { settings }: Pick<Site, 'settings'>): boolean =>
  limitsMembers(settings) && !mayDo(role, 'admin');

/** For permissions that depend on more than the site: a shared segment needs `admin`, a personal one does not. Throws forbidden. */
export function checkGranted(viewer: Viewer, role: Role, need: Need): void {
  const isRefused = need === 'own' && viewer.kind !== 'user';
  if (isRefused || !mayDo(role, need)) throw new Refusal('forbidden', say(DENIALS[viewer.kind]));
}

/** Throws forbidden for somebody who still lacks a second factor that an account of theirs requires. */
function checkFactor(viewer: Viewer): void {
  if (viewer.kind === 'user' && viewer.lacksFactor) throw new Refusal('forbidden', say(FACTOR_NEEDED));
}

/** Returns the site and the viewer's role in its account. Throws not_found, or forbidden with a sentence that says what to do. */
export async function siteFor(
  directory: Directory,
  viewer: Viewer,
  which: { siteId: string } | { domain: string },
  need: Need,
  options: AccessOptions,
): Promise<SiteAccess> {
  checkFactor(viewer);
  // A key's plan is checked before the site, so that a plan without the API does not reveal whether a site exists.
  const ofKey = viewer.kind === 'key' ? await accountFor(directory, viewer, viewer, 'read', options) : undefined;
  const site = await ('siteId' in which ? siteById(directory, which.siteId) : siteByDomain(directory, which.domain));
  if (!site) throw new Refusal('not_found', say(NO_SUCH_SITE));
  if (viewer.kind === 'share' && viewer.siteId !== site.id) throw new Refusal('not_found', say(NO_SUCH_SITE));
  const member = ofKey ?? (await memberOf(directory, viewer, site.account_id));
  if (!member || member.account.id !== site.account_id || !seesSite(member, site.id))
    throw new Refusal('not_found', say(NO_SUCH_SITE));
  return { site: viewer.kind === 'share' ? inDays(site, viewer.rules) : site, ...admit(viewer, member, need, options) };
}

/** Returns the sites of an account that the caller may see, oldest first. `among`: only those with one of these ids. */
export async function sitesFor(
  directory: Directory,
  { account, role, siteIds }: Membership,
  among?: readonly string[],
): Promise<Site[]> {
  if (!mayDo(role, 'read')) return [];
  return (await listSites(directory, account.id, among)).filter((site) => seesSite({ siteIds }, site.id));
}

/** True if the person may see the numbers of the whole account. */
export function seesAll({ role, siteIds }: Membership): boolean {
  return mayDo(role, 'read') && siteIds === null;
}

const seesSite = ({ siteIds }: Pick<Membership, 'siteIds'>, siteId: SiteId) =>
  siteIds === null || siteIds.includes(siteId);

/** The same for a whole account: adding a site, keys, the plan. */
export async function accountFor(
  directory: Directory,
  viewer: Viewer,
  which: { accountId: string },
  need: Need,
  options: AccessOptions,
): Promise<AccountAccess> {
  checkFactor(viewer);
  const member = viewer.kind === 'share' ? undefined : await memberOf(directory, viewer, which.accountId);
  if (!member) throw new Refusal('not_found', t('There is no such account.'));
  return admit(viewer, member, need, options);
}

/** Share links and keys have the role `viewer`: they never change settings. Recording events with a key needs no other role. */
export async function memberOf(
  directory: Directory,
  viewer: Viewer,
  accountId: string,
): Promise<Membership | undefined> {
  if (!isId('acct', accountId)) return undefined;
  const accounts = directory.db.selectFrom('accounts').where('accounts.id', '=', accountId);
  if (viewer.kind === 'user') {
    const row = await accounts
      .innerJoin('members', 'members.account_id', 'accounts.id')
      .where('members.user_id', '=', viewer.userId)
      .selectAll('accounts')
      .select(['role', 'named_sites'])
      .executeTakeFirst();
    if (!row) return undefined;
    const { role, named_sites, ...account } = row;
    const siteIds = named_sites === 1 ? await sitesOfMember(directory, { accountId, userId: viewer.userId }) : null;
    return { account, role, siteIds };
  }
  if (viewer.kind === 'key' && viewer.accountId !== accountId) return undefined;
  const account = await accounts.selectAll().executeTakeFirst();
  return account && { account, role: 'viewer', siteIds: null };
}

const FACTOR_NEEDED = message('Your account requires a second factor: set one up in the settings, under Security.');

function admit(viewer: Viewer, member: Membership, need: Need, options: AccessOptions): AccountAccess {
  const plan = effectivePlan(member.account, options.now, options);
  if (viewer.kind === 'key' && plan.status !== 'expired' && !plan.includesApi)
    throw new Refusal(
      'forbidden',
      t('The plan of this account does not include the API, which is part of the Pro plan.'),
    );
  checkGranted(viewer, member.role, need);
  if (!plan.canSeeDashboard && !(options.evenExpired && viewer.kind === 'user'))
    throw new Refusal('forbidden', say((hasBilling(member.account, options) ? ENDED : EXPIRED)[viewer.kind]));
  return { ...member, plan };
}

/** Those of keys stay English, as the API is. */
const DENIALS: Record<Viewer['kind'], string> = {
  user: NOT_ALLOWED,
  share: message('A shared dashboard is read-only: log in to change it.'),
  key: 'An API key cannot change this: use the dashboard.',
};

const UNAVAILABLE = message('This dashboard is not available at the moment.');

/** Where people can pay for the account. */
const ENDED: Record<Viewer['kind'], string> = {
  user: message(
    'The plan of this account has ended. You can still export its data. To see the dashboard again, subscribe in the settings.',
  ),
  share: UNAVAILABLE,
  key: 'The plan of this account has ended: to use the API again, subscribe in the settings of the dashboard.',
};

const EXPIRED: Record<Viewer['kind'], string> = {
  user: message(
    'The plan of this account has ended. You can still export its data. To see the dashboard again, ask the operator of this server to renew the plan.',
  ),
  share: UNAVAILABLE,
  key: 'The plan of this account has ended: to use the API again, ask the operator of this server to renew the plan.',
};
