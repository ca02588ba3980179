// Giving a site to another account: an owner offers it to somebody's e-mail address by a link, valid for seven days and once, and that person
// chooses the account that takes it. What is counted, defined and shared for the site moves along; what belongs to people of the old account
// ends.
import type { Kysely } from 'kysely';
import { logAction } from '../accounts/account-log.ts';
import { normaliseEmail } from '../accounts/accounts.ts';
import { checkMayManage, NOT_ALLOWED, roleOf, whilePeopleStay } from '../accounts/people/people.ts';
import { effectivePlan } from '../accounts/billing/plans.ts';
import type { Billing } from '../config.ts';
import { hashToken, isToken, makeId, makeToken } from '../directory/ids.ts';
import type { Directory } from '../directory/open.ts';
import type { Tables } from '../directory/schema.ts';
import { Refusal } from '../errors.ts';
import type { SiteId } from '../vocabulary/event.ts';
import { DAY_MS, startOfMonth } from '../vocabulary/time/time.ts';
import { endConnection } from './search-grants.ts';
import { leftOutIn, withoutNetwork } from './left-out.ts';
import { endWholeExports, NO_SUCH_SITE } from './sites.ts';
import { message, say, t } from '../vocabulary/habits/messages.ts';

const OFFER_MS = 7 * DAY_MS;
const TOKEN_LENGTH = 32; // 190 bits
export const OFFER_OVER = message(
  'This offer is not valid: it was used or withdrawn, or its seven days are over. Ask for a new one.',
);

/** What becomes of each table with rows of a site when the site moves. */
export const MOVES: Partial<Record<keyof Tables, 'moves' | 'ends' | 'stays with people of the new account'>> = {
  share_links: 'moves',
  share_views: 'moves',
  share_drafts: 'ends',
  arrangements: 'ends',
  feeds: 'ends',
  ingest_tokens: 'moves',
  goals: 'moves',
  funnels: 'moves',
  notes: 'moves',
  purges: 'moves',
  mention_rules: 'ends', // its words and feeds can be private, and the new account chooses which places learn of the site
  mention_searches: 'ends',
  mentions: 'moves',
  drops: 'moves',
  imports: 'moves', // without who imported them
  exports: 'ends', // a file for owners of the old account, or for the key of their other server
  segments: 'stays with people of the new account',
  member_sites: 'ends',
  group_sites: 'ends',
  webhook_deliveries: 'ends',
  reports: 'ends',
  alerts: 'ends',
  incidents: 'ends',
  search_connections: 'ends',
  transfers: 'ends',
};

type Offered = { siteId: SiteId; accountId: string; by: string };
type Offer = { id: string; email: string; expiresAt: number };

/** Replaces an earlier offer of the site. Says nothing about whether anybody has the e-mail address. */
export async function offerSite(
  directory: Directory,
  input: Offered & {
    email: string;
    /** Runs in the transaction, to mail the link. */
    notify(db: Kysely<Tables>, made: { id: string; token: string; email: string }): Promise<unknown>;
  },
  now: number,
): Promise<{ id: string; token: string }> {
  const { siteId, accountId, by } = input;
  const email = normaliseEmail(input.email);
  const [id, token] = [makeId('transfer'), makeToken(TOKEN_LENGTH)];
  await whilePeopleStay(directory, accountId, async (db) => {
    await checkMayManage(db, { accountId, by }, ['owner']);
    await checkSite(db, { siteId, accountId });
    await db.deleteFrom('transfers').where('site_id', '=', siteId).execute();
    await db
      .insertInto('transfers')
      .values({
        id,
        site_id: siteId,
        offered_by: by,
        hash: hashToken(token),
        email,
        created_at: now,
        expires_at: now + OFFER_MS,
      })
      .execute();
    await input.notify(db, { id, token, email });
  });
  return { id, token };
}

/** Returns the offer of a site that can still be accepted. */
export async function openOffer(
  { db }: Pick<Directory, 'db'>,
  siteId: SiteId,
  now: number,
): Promise<Offer | undefined> {
  const offers = db.selectFrom('transfers').selectAll().where('site_id', '=', siteId);
  const row = await offers.where('expires_at', '>', now).executeTakeFirst();
  return row && { id: row.id, email: row.email, expiresAt: row.expires_at };
}

/** Returns false if the site was not offered to anybody. */
export async function withdrawOffer(directory: Directory, { siteId, accountId, by }: Offered): Promise<boolean> {
  return whilePeopleStay(directory, accountId, async (db) => {
    await checkMayManage(db, { accountId, by }, ['owner']);
    await checkSite(db, { siteId, accountId });
    const deleting = db.deleteFrom('transfers').where('site_id', '=', siteId).returning('id');
    return (await deleting.executeTakeFirst()) !== undefined;
  });
}

/** Returns what a link offers, or undefined if it is not valid. */
export async function offerOf(
  { db }: Pick<Directory, 'db'>,
  token: string,
  now: number,
): Promise<{ domain: string; account: string; email: string; expiresAt: number } | undefined> {
  const row = await findOffer(db, token, now);
  return row && { domain: row.domain, account: row.account, email: row.email, expiresAt: row.expires_at };
}

type Taking = { token: string; userId: string; email: string; accountId: string };
type Limits = { maxSites: number; billing: Billing };

/**
 * Moves the site into the account. Of several people at the same time, one gets it. Throws not_found if the offer is not valid, forbidden
 * if it is for another address or the person does not own the account, and bad_request if the account cannot take another site, or if the site
 * moved this month.
 */
export async function acceptSite(
  directory: Directory,
  { token, userId, email, accountId }: Taking,
  { now, ...limits }: Limits & { now: number },
): Promise<{ siteId: SiteId; domain: string; from: string }> {
  return directory.db.transaction().execute(async (db) => {
    const offer = await findOffer(db, token, now);
    if (!offer) throw over();
    if (offer.email !== email)
      throw new Refusal('forbidden', t('This offer is for another e-mail address: log in with that one.'));
    const { site_id: siteId, account_id: from, domain } = offer;
    for (const id of [from, accountId].sort())
      // in one order, so that two moves cannot wait for each other
      await db.updateTable('accounts').set({ id }).where('id', '=', id).execute();
    const used = db.deleteFrom('transfers').where('id', '=', offer.id).returning('id');
    if (
      !(await used.executeTakeFirst()) ||
      !(await stillOffered(db, { siteId, accountId: from, by: offer.offered_by }))
    )
      throw over();
    await checkTaker(db, { accountId, userId, from }, { now, ...limits });
    // Its events of this month before a move count for nobody any more, so moving to and fro would make them free.
    if (offer.moved_at !== null && offer.moved_at >= startOfMonth(now))
      throw new Refusal(
        'bad_request',
        t('This site came from another account this month: it can move again next month.'),
      );
    await db
      .updateTable('sites')
      .set({ account_id: accountId, moved_at: now, verified_at: null, settings: withoutGivers(offer.settings) })
      .where('id', '=', siteId)
      .execute();
    await endForOthers(db, { siteId, domain, accountId }, now);
    await endWholeExports(db, from);
    const entry = { actor: 'person', user_id: userId, domain } as const;
    await logAction(db, { ...entry, action: 'site_given', account_id: from }, now);
    await logAction(db, { ...entry, action: 'site_taken_over', account_id: accountId }, now);
    return { siteId, domain, from };
  });
}

/**
 * The own visits of the people who give the site away are those of strangers from then on. The page for visitors names their contact, so it is off
 * until the taker switches it on.
 */
function withoutGivers(text: string): string {
  const { transparency: _, ...settings } = JSON.parse(text) as Record<string, unknown>;
  return JSON.stringify(leftOutIn(settings) ? withoutNetwork(settings) : settings);
}

export async function forgetOffers({ db }: Pick<Directory, 'db'>, before: number): Promise<void> {
  await db.deleteFrom('transfers').where('expires_at', '<', before).execute();
}

async function findOffer(db: Kysely<Tables>, token: string, now: number) {
  if (!isToken(token, TOKEN_LENGTH)) return undefined;
  return db
    .selectFrom('transfers')
    .innerJoin('sites', 'sites.id', 'site_id')
    .innerJoin('accounts', 'accounts.id', 'sites.account_id')
    .where('hash', '=', hashToken(token))
    .where('expires_at', '>', now)
    .select([
      'transfers.id',
      'site_id',
      'sites.account_id',
      'offered_by',
      'email',
      'expires_at',
      'domain',
      'moved_at',
      'settings',
    ])
    .select('accounts.name as account')
    .executeTakeFirst();
}

/** An offer ends when its site leaves the account, when the person who made it is no longer an owner, and when the account is deleted. */
async function stillOffered(db: Kysely<Tables>, { siteId, accountId, by }: Offered): Promise<boolean> {
  const sites = db
    .selectFrom('sites')
    .innerJoin('accounts', 'accounts.id', 'account_id')
    .where('sites.id', '=', siteId);
  const row = await sites.where('account_id', '=', accountId).select('deletes_at').executeTakeFirst();
  return row !== undefined && row.deletes_at !== 0 && (await roleOf(db, accountId, by)) === 'owner';
}

async function checkTaker(
  db: Kysely<Tables>,
  { accountId, userId, from }: { accountId: string; userId: string; from: string },
  { maxSites, billing, now }: Limits & { now: number },
): Promise<void> {
  const role = await roleOf(db, accountId, userId);
  if (role === undefined) throw new Refusal('not_found', t('There is no such account.'));
  if (role !== 'owner') throw new Refusal('forbidden', say(NOT_ALLOWED));
  if (accountId === from)
    throw new Refusal('bad_request', t('The site is in this account already: choose another one.'));
  const account = await db.selectFrom('accounts').selectAll().where('id', '=', accountId).executeTakeFirstOrThrow();
  if (account.deletes_at !== null)
    throw new Refusal('bad_request', t('This account is going to be deleted: keep it first, or choose another one.'));
  if (!effectivePlan(account, now, { billing }).canSeeDashboard)
    throw new Refusal(
      'bad_request',
      t('The plan of this account has ended: renew it first, or choose another account.'),
    );
  const counted = db.selectFrom('sites').select((eb) => eb.fn.countAll<number>().as('count'));
  const own = await counted.where('account_id', '=', accountId).executeTakeFirstOrThrow();
  if (Number(own.count) >= maxSites)
    throw new Refusal(
      'bad_request',
      t('An account can have {maxSites} sites: delete one to add another.', { maxSites }),
    );
}

async function endForOthers(
  db: Kysely<Tables>,
  { siteId, domain, accountId }: { siteId: SiteId; domain: string; accountId: string },
  now: number,
): Promise<void> {
  const people = db.selectFrom('members').select('user_id').where('account_id', '=', accountId);
  await endConnection(db, siteId, now);
  await db.deleteFrom('member_sites').where('site_id', '=', siteId).execute();
  const ending = [
    'share_drafts',
    'arrangements',
    'feeds',
    'group_sites',
    'reports',
    'alerts',
    'webhook_deliveries',
    'mention_rules',
    'mention_searches',
    'exports',
  ] as const;
  for (const table of ending) await db.deleteFrom(table).where('site_id', '=', siteId).execute();
  const personal = db.deleteFrom('segments').where('site_id', '=', siteId).where('user_id', 'is not', null);
  await personal.where('user_id', 'not in', people).execute();
  const imported = db.updateTable('imports').set({ user_id: null }).where('site_id', '=', siteId);
  await imported.where('user_id', 'not in', people).execute();
  await db.deleteFrom('domain_claims').where('domain', '=', domain).where('account_id', '=', accountId).execute();
}

async function checkSite(db: Kysely<Tables>, { siteId, accountId }: Omit<Offered, 'by'>): Promise<void> {
  const sites = db.selectFrom('sites').select('id').where('id', '=', siteId).where('account_id', '=', accountId);
  if (!(await sites.executeTakeFirst())) throw new Refusal('not_found', say(NO_SUCH_SITE));
}

const over = () => new Refusal('not_found', say(OFFER_OVER));
