// Groups of sites: a named, ordered choice of sites of one account. A site that is deleted or moves to another account leaves its groups, and a
// group stays when its last site has left.
import type { Kysely } from 'kysely';
import { z } from 'zod';
import { isId, makeId } from '../directory/ids.ts';
import { checkName } from '../directory/names.ts';
import type { Directory } from '../directory/open.ts';
import type { Tables } from '../directory/schema.ts';
import { Refusal } from '../errors.ts';
import type { SiteId } from '../vocabulary/event.ts';
import { MAX_GROUP_SITES, MAX_GROUPS, MIN_GROUP_SITES } from '../vocabulary/settings/groups.ts';
import { MAX_RECORD_ID } from '../vocabulary/limits.ts';
import { type Membership, seesAll, sitesFor } from './access.ts';
import { NO_SUCH_SITE, type Site } from './sites.ts';
import { message, say, t } from '../vocabulary/habits/messages.ts';

const SITES = {
  error: () => t('must be {least} to {most} sites, each once', { least: MIN_GROUP_SITES, most: MAX_GROUP_SITES }),
};
export const groupContent = z.strictObject({
  name: z.string().max(200),
  /** In the order in which the group shows them. */
  site_ids: z
    .array(z.string().max(MAX_RECORD_ID), SITES)
    .min(MIN_GROUP_SITES, SITES)
    .max(MAX_GROUP_SITES, SITES)
    .refine((ids) => new Set(ids).size === ids.length, SITES),
});
type GroupContent = z.output<typeof groupContent>;

/** `sites`: those that the caller may see. */
export type Group = { id: string; name: string; created_at: number; sites: Site[] };
export const NO_SUCH_GROUP = message('There is no such group of sites.');

type Db = Kysely<Tables>;

/** The groups of an account, oldest first. Somebody who sees only some of its sites gets the groups in which they see any. */
export async function listGroups(directory: Directory, member: Membership): Promise<Group[]> {
  const { db } = directory;
  const ofAccount = db.selectFrom('site_groups').selectAll().where('account_id', '=', member.account.id);
  const rows = await ofAccount.orderBy('created_at').orderBy('id').execute();
  if (rows.length === 0) return [];
  const places = db.selectFrom('group_sites').select(['group_id', 'site_id']);
  const ids = rows.map(({ id }) => id);
  const [chosen, sites] = await Promise.all([
    places.where('group_id', 'in', ids).orderBy('position').execute(),
    sitesFor(directory, member),
  ]);
  const bySite = new Map(sites.map((site) => [site.id, site]));
  const byGroup = Map.groupBy(chosen, (row) => row.group_id);
  const groups = rows.map(({ id, name, created_at }) => ({
    id,
    name,
    created_at,
    sites: (byGroup.get(id) ?? []).flatMap((row) => bySite.get(row.site_id) ?? []),
  }));
  return groups.filter(({ sites: seen }) => seen.length > 0 || seesAll(member));
}

/** Throws not_found, also for a group of which the caller sees nothing. */
export async function findGroup(directory: Directory, member: Membership, id: string): Promise<Group> {
  const found = isId('group', id) ? (await listGroups(directory, member)).find((one) => one.id === id) : undefined;
  if (!found) throw new Refusal('not_found', say(NO_SUCH_GROUP));
  return found;
}

/** The ids of a group's sites in their order, for a job that acts for the account. Undefined if the group was deleted. */
export async function sitesOfGroup(
  { db }: { db: Db },
  { accountId, id }: { accountId: string; id: string },
): Promise<{ name: string; siteIds: SiteId[] } | undefined> {
  const groups = db.selectFrom('site_groups').select('name').where('id', '=', id);
  const group = await groups.where('account_id', '=', accountId).executeTakeFirst();
  if (!group) return undefined;
  const chosen = db.selectFrom('group_sites').select('site_id').where('group_id', '=', id);
  return { name: group.name, siteIds: (await chosen.orderBy('position').execute()).map((row) => row.site_id) };
}

type Saved = { member: Membership; content: GroupContent };

/** Throws bad_request above the limit and for a name that another group has, and not_found for a site that the caller does not see. */
export async function createGroup(directory: Directory, { member, content }: Saved, now: number): Promise<Group> {
  const accountId = member.account.id;
  const name = checkName(content.name);
  const sites = await sitesNamed(directory, { member, content });
  const id = makeId('group');
  await directory.db.transaction().execute(async (db) => {
    await lockAccount(db, accountId);
    const others = await db.selectFrom('site_groups').select('name').where('account_id', '=', accountId).execute();
    if (others.length >= MAX_GROUPS)
      throw new Refusal(
        'bad_request',
        t('An account can have {MAX_GROUPS} groups of sites: delete one to make another.', { MAX_GROUPS }),
      );
    checkFree(others, name);
    await db.insertInto('site_groups').values({ id, account_id: accountId, name, created_at: now }).execute();
    await setSites(db, { id, accountId, sites });
  });
  return { id, name, created_at: now, sites };
}

/** Throws as `createGroup` does. */
export async function changeGroup(
  directory: Directory,
  { group, member, content }: Saved & { group: Pick<Group, 'id'> },
): Promise<void> {
  const accountId = member.account.id;
  const name = checkName(content.name);
  const sites = await sitesNamed(directory, { member, content });
  await directory.db.transaction().execute(async (db) => {
    await lockAccount(db, accountId);
    const all = db.selectFrom('site_groups').select('name').where('account_id', '=', accountId);
    checkFree(await all.where('id', '!=', group.id).execute(), name);
    const changed = await db.updateTable('site_groups').set({ name }).where('id', '=', group.id).executeTakeFirst();
    if (changed.numUpdatedRows === 0n) throw new Refusal('not_found', say(NO_SUCH_GROUP));
    await setSites(db, { id: group.id, accountId, sites });
  });
}

/** Its reports are due at once, paused or not: without their group they end, and their owners are told. */
export async function deleteGroup({ db }: Directory, { id }: Pick<Group, 'id'>, now: number): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await trx.deleteFrom('site_groups').where('id', '=', id).execute();
    await trx.updateTable('reports').set({ paused: 0, due_at: now }).where('group_id', '=', id).execute();
  });
}

async function sitesNamed(directory: Directory, { member, content }: Saved): Promise<Site[]> {
  const seen = new Map((await sitesFor(directory, member, content.site_ids)).map((site) => [String(site.id), site]));
  return content.site_ids.map((id) => {
    const site = seen.get(id);
    if (!site) throw new Refusal('not_found', say(NO_SUCH_SITE));
    return site;
  });
}

function checkFree(others: readonly { name: string }[], name: string): void {
  if (others.some((one) => one.name === name))
    throw new Refusal('bad_request', t('name: this account already has a group with that name.'));
}

const lockAccount = (db: Db, accountId: string) =>
  db.updateTable('accounts').set({ id: accountId }).where('id', '=', accountId).execute();

/** A site that has left the account meanwhile is left out. */
async function setSites(db: Db, { id, accountId, sites }: { id: string; accountId: string; sites: Site[] }) {
  await db.deleteFrom('group_sites').where('group_id', '=', id).execute();
  const own = db.selectFrom('sites').select('id').where('account_id', '=', accountId);
  const still = new Set((await own.execute()).map((row) => row.id));
  const rows = sites
    .filter((site) => still.has(site.id))
    .map((site, position) => ({ group_id: id, site_id: site.id, position }));
  if (rows.length > 0) await db.insertInto('group_sites').values(rows).execute();
}
