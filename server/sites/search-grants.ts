// Ends a site's connection with Search Console. Its permission at Google is withdrawn later, by integrations/search-console/withdrawals.ts: the row that asks
// for this is written in the transaction that ends the connection, so neither a kill nor a Google that is down loses it.
import type { Kysely } from 'kysely';
import type { Tables } from '../directory/schema.ts';
import type { SiteId } from '../vocabulary/event.ts';

type Db = Kysely<Tables>;

/** What Google gave. `token`: encrypted for `id`, which names no site. */
export type KeptGrant = { id: string; token: string; google_account: string | null };

export const grantOf = ({
  grant_id: id,
  token,
  google_account,
}: Pick<Tables['search_connections'], 'grant_id' | 'token' | 'google_account'>): KeptGrant => ({
  id,
  token,
  google_account,
});

/** To be called in a transaction. Returns the id of the grant, or undefined if the site was not connected. */
export async function endConnection(db: Db, siteId: SiteId, now: number): Promise<string | undefined> {
  const deleting = db.deleteFrom('search_connections').where('site_id', '=', siteId).returningAll();
  const connection = await deleting.executeTakeFirst();
  if (!connection) return undefined;
  const grant = grantOf(connection);
  await addWithdrawal(db, grant, now);
  return grant.id;
}

export async function addWithdrawal(db: Db, grant: KeptGrant, now: number): Promise<void> {
  await db
    .insertInto('search_withdrawals')
    .values({ ...grant, created_at: now, due_at: now, attempts: 0, claimed_until: null })
    .execute();
}
