// The people of an account: their roles, and the sites that a viewer may see. An account always has an owner.
import type { Kysely } from 'kysely';
import { Refusal } from '../../errors.ts';
import type { SiteId } from '../../vocabulary/event.ts';
import type { Directory } from '../../directory/open.ts';
import type { Tables } from '../../directory/schema.ts';
import type { Role } from '../../vocabulary/accounts/roles.ts';
import { message, say, t } from '../../vocabulary/habits/messages.ts';

export const NOT_ALLOWED = message('Your role in this account does not allow this: ask an owner of the account.');
const NO_SUCH_MEMBER = message('There is no such person in this account.');
const NO_OWNER_LEFT = message('An account needs an owner: make somebody else an owner first.');

/** `siteIds`: the sites that a viewer may see; null for all sites of the account. */
export type Place = { role: Role; siteIds: SiteId[] | null };
export type Member = Place & { userId: string; email: string; joinedAt: number };

/** Somebody who changes the people of an account. */
type By = { accountId: string; by: string };

/** Returns the people of an account, oldest membership first. */
export async function listMembers({ db }: Pick<Directory, 'db'>, accountId: string): Promise<Member[]> {
  const rows = await db
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.user_id')
    .where('account_id', '=', accountId)
    .select(['user_id', 'email', 'role', 'named_sites', 'members.created_at'])
    .orderBy('members.created_at')
    .orderBy('user_id')
    .execute();
  const named = await db.selectFrom('member_sites').selectAll().where('account_id', '=', accountId).execute();
  const sites = Map.groupBy(named, (row) => row.user_id);
  return rows.map(({ user_id, email, role, named_sites, created_at }) => ({
    userId: user_id,
    email,
    role,
    joinedAt: created_at,
    siteIds: named_sites === 1 ? (sites.get(user_id) ?? []).map((row) => row.site_id).sort() : null,
  }));
}

/** Returns the sites that a member may see; null for all sites. */
export async function sitesOfMember(
  { db }: Pick<Directory, 'db'>,
  { accountId, userId }: { accountId: string; userId: string },
): Promise<SiteId[]> {
  const rows = await db
    .selectFrom('member_sites')
    .select('site_id')
    .where('account_id', '=', accountId)
    .where('user_id', '=', userId)
    .execute();
  return rows.map((row) => row.site_id);
}

/** Gives somebody another role or other sites. Throws bad_request if no owner would be left. */
export async function changeMember(
  directory: Directory,
  { accountId, by, userId, place }: By & { userId: string; place: Place },
): Promise<void> {
  await whilePeopleStay(directory, accountId, async (db) => {
    const before = await roleOf(db, accountId, userId);
    await checkMayManage(db, { accountId, by }, [before, place.role]);
    if (before === undefined) throw new Refusal('not_found', say(NO_SUCH_MEMBER));
    await checkPlace(db, accountId, place);
    await setPlace(db, { accountId, userId }, place);
    await checkOwner(db, accountId);
  });
}

/**
 * Gives a member the role that the operator's issuer says. Runs within `whilePeopleStay`. Returns false if nothing changed: they have the
 * role already, belong to the account no more, or are its last owner.
 */
export async function followRole(
  db: Kysely<Tables>,
  who: { accountId: string; userId: string },
  role: Role,
): Promise<boolean> {
  const before = await roleOf(db, who.accountId, who.userId);
  if (before === undefined || before === role) return false;
  if (before === 'owner' && (await countOwners(db, who.accountId)) === 1) return false;
  await setPlace(db, who, { role, siteIds: null });
  return true;
}

async function setPlace(
  db: Kysely<Tables>,
  { accountId, userId }: { accountId: string; userId: string },
  { role, siteIds }: Place,
): Promise<void> {
  const member = db.updateTable('members').set({ role }).where('account_id', '=', accountId);
  await member.where('user_id', '=', userId).execute();
  await nameSites(db, { accountId, userId }, siteIds);
  await dropFeeds(db, { accountId, userId }, role === 'billing' ? [] : siteIds);
  if (!mayInvite(role)) await dropInvitations(db, { accountId, userId });
  else if (role !== 'owner') await dropInvitations(db, { accountId, userId, role: 'owner' });
}

/** Ends somebody's membership, or one's own. Throws bad_request if no owner would be left. */
export async function removeMember(
  directory: Directory,
  { accountId, by, userId }: By & { userId: string },
): Promise<void> {
  await whilePeopleStay(directory, accountId, async (db) => {
    const role = await roleOf(db, accountId, userId);
    if (by !== userId) await checkMayManage(db, { accountId, by }, [role]);
    if (role === undefined) throw new Refusal('not_found', say(NO_SUCH_MEMBER));
    await db.deleteFrom('members').where('account_id', '=', accountId).where('user_id', '=', userId).execute();
    const reports = db.deleteFrom('reports').where('account_id', '=', accountId).where('created_by', '=', userId);
    await reports.where('personal', '=', 1).execute(); // nobody else could see or end them
    await dropInvitations(db, { accountId, userId });
    await dropFeeds(db, { accountId, userId }, []);
    await checkOwner(db, accountId);
  });
}

/** Adds somebody. Throws bad_request for a person who already belongs to the account. */
export async function addMember(
  db: Kysely<Tables>,
  { accountId, userId, place }: { accountId: string; userId: string; place: Place },
  now: number,
): Promise<void> {
  const added = await db
    .insertInto('members')
    .values({ account_id: accountId, user_id: userId, role: place.role, named_sites: 0, created_at: now })
    .onConflict((conflict) => conflict.columns(['account_id', 'user_id']).doNothing())
    .returning('user_id')
    .executeTakeFirst();
  if (!added) throw new Refusal('bad_request', t('You already belong to this account.'));
  await nameSites(db, { accountId, userId }, place.siteIds);
}

/** Runs `work` in a transaction in which nobody else changes the people of the account. */
export function whilePeopleStay<T>(
  { db }: Directory,
  accountId: string,
  work: (db: Kysely<Tables>) => Promise<T>,
): Promise<T> {
  return db.transaction().execute(async (trx) => {
    await trx.updateTable('accounts').set({ id: accountId }).where('id', '=', accountId).execute();
    return work(trx);
  });
}

/**
 * Throws forbidden unless `by` may manage people with these roles: owners manage everybody, admins everybody but owners. The role is read
 * again here, since it may have changed after the request began.
 */
export async function checkMayManage(
  db: Kysely<Tables>,
  { accountId, by }: By,
  roles: readonly (Role | undefined)[],
): Promise<void> {
  const own = await roleOf(db, accountId, by);
  if (own === 'owner' || (own === 'admin' && !roles.includes('owner'))) return;
  throw new Refusal('forbidden', say(NOT_ALLOWED));
}

/** Throws not_found for a site of another account, and bad_request for a role that always sees all sites. */
export async function checkPlace(db: Kysely<Tables>, accountId: string, { role, siteIds }: Place): Promise<void> {
  if (siteIds === null) return;
  if (role !== 'viewer') throw new Refusal('bad_request', t('Only viewers can be limited to some sites.'));
  const own = db.selectFrom('sites').select('id').where('account_id', '=', accountId);
  const found = siteIds.length === 0 ? [] : await own.where('id', 'in', siteIds).execute();
  if (found.length !== new Set(siteIds).size)
    throw new Refusal('not_found', t('There is no such site in this account.'));
}

const mayInvite = (role: Role): boolean => role === 'owner' || role === 'admin';

/** Returns undefined for somebody who does not belong to the account. */
export async function roleOf(db: Kysely<Tables>, accountId: string, userId: string): Promise<Role | undefined> {
  const members = db.selectFrom('members').select('role').where('account_id', '=', accountId);
  return (await members.where('user_id', '=', userId).executeTakeFirst())?.role;
}

async function countOwners(db: Kysely<Tables>, accountId: string): Promise<number> {
  const members = db.selectFrom('members').select('user_id').where('account_id', '=', accountId);
  return (await members.where('role', '=', 'owner').execute()).length;
}

async function checkOwner(db: Kysely<Tables>, accountId: string): Promise<void> {
  if ((await countOwners(db, accountId)) === 0) throw new Refusal('bad_request', say(NO_OWNER_LEFT));
}

/** The invitations of somebody who may no longer invite, or not to this role, end with that right. */
async function dropInvitations(
  db: Kysely<Tables>,
  { accountId, userId, role }: { accountId: string; userId: string; role?: Role },
): Promise<void> {
  const own = db.deleteFrom('invitations').where('account_id', '=', accountId).where('invited_by', '=', userId);
  await (role === undefined ? own : own.where('role', '=', role)).execute();
}

/** The feeds of somebody end with their right to see the site. `siteIds`: those that they may still see; null for all. */
async function dropFeeds(
  db: Kysely<Tables>,
  { accountId, userId }: { accountId: string; userId: string },
  siteIds: readonly SiteId[] | null,
): Promise<void> {
  if (siteIds === null) return;
  const sites = db.selectFrom('sites').select('id').where('account_id', '=', accountId);
  const lost = siteIds.length === 0 ? sites : sites.where('id', 'not in', siteIds);
  await db.deleteFrom('feeds').where('user_id', '=', userId).where('site_id', 'in', lost).execute();
}

async function nameSites(
  db: Kysely<Tables>,
  { accountId, userId }: { accountId: string; userId: string },
  siteIds: SiteId[] | null,
): Promise<void> {
  const whose = { account_id: accountId, user_id: userId };
  await db.deleteFrom('member_sites').where('account_id', '=', accountId).where('user_id', '=', userId).execute();
  const rows = [...new Set(siteIds ?? [])].map((site_id) => ({ ...whose, site_id }));
  if (rows.length > 0) await db.insertInto('member_sites').values(rows).execute();
  await db
    .updateTable('members')
    .set({ named_sites: siteIds === null ? 0 : 1 })
    .where('account_id', '=', accountId)
    .where('user_id', '=', userId)
    .execute();
}
