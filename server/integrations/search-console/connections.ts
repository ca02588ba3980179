// Which sites are connected with Search Console, and how far each has been read.
import type { Kysely, Selectable } from 'kysely';
import type { Encryption } from '../../directory/encryption.ts';
import { makeId } from '../../directory/ids.ts';
import type { Directory } from '../../directory/open.ts';
import type { Tables } from '../../directory/schema.ts';
import { Refusal } from '../../errors.ts';
import type { SiteId } from '../../vocabulary/event.ts';
import { addWithdrawal, grantOf, type KeptGrant } from '../../sites/search-grants.ts';
import { NO_SUCH_SITE } from '../../sites/sites.ts';
import { BROKEN, type SearchFailure } from '../../vocabulary/settings/search-console.ts';
import { say } from '../../vocabulary/habits/messages.ts';

type Db = Kysely<Tables>;
export type Connection = Selectable<Tables['search_connections']>;

/** The connection as people who may change the site see it. */
type PublicConnection = {
  property: string | null;
  connected_at: number;
  /** Share of the first 16 months that is read, from 0 to 1. */
  progress: number;
  oldest_day: string | null;
  latest_day: string | null;
  read_at: number | null;
  read_days: number;
  read_rows: number;
  next_at: number;
  failure: SearchFailure | null;
  failed_at: number | null;
};

/** Nothing was read yet. */
const UNREAD = {
  pass_from: null,
  pass_to: null,
  next_day: null,
  oldest_day: null,
  latest_day: null,
  read_at: null,
  read_days: 0,
  read_rows: 0,
  failure: null,
  failed_at: null,
};

/** Where a token belongs: it cannot be decrypted for another grant. */
const contextOf = (grantId: string) => `search console ${grantId}`;
export const sealToken = (encryption: Encryption, grantId: string, token: string) =>
  encryption.encrypt(token, contextOf(grantId));
export const openToken = (encryption: Encryption, { id, token }: Pick<KeptGrant, 'id' | 'token'>) =>
  encryption.decrypt(token, contextOf(id));

export async function connectionOf({ db }: Pick<Directory, 'db'>, siteId: SiteId): Promise<Connection | undefined> {
  return db.selectFrom('search_connections').selectAll().where('site_id', '=', siteId).executeTakeFirst();
}

/** `keeps`: the property of the earlier grant that this one may read too. */
type Made = { siteId: SiteId; accountId: string; by: string; grant: KeptGrant; keeps: string | undefined };

/** Saves a new grant, in a transaction. Throws not_found if the site is no longer one of the account. */
export async function saveConnection(
  db: Db,
  { siteId, accountId, by, grant: made, keeps }: Made,
  now: number,
): Promise<void> {
  const sites = db.updateTable('sites').set({ id: siteId }).where('id', '=', siteId); // locks its row until it is connected
  const site = await sites.where('account_id', '=', accountId).returning('id').executeTakeFirst();
  if (!site) throw new Refusal('not_found', say(NO_SUCH_SITE));
  const earlier = await connectionOf({ db }, siteId);
  if (earlier) await addWithdrawal(db, grantOf(earlier), now);
  const grant = {
    connected_by: by,
    token: made.token,
    grant_id: made.id,
    google_account: made.google_account,
    created_at: now,
    next_at: now,
  };
  const fresh = { id: makeId('search'), property: null, ...UNREAD };
  await db
    .insertInto('search_connections')
    .values({ site_id: siteId, ...fresh, ...grant })
    .onConflict((conflict) =>
      conflict
        .column('site_id')
        .doUpdateSet({ ...grant, ...(keeps === undefined ? fresh : { failure: null, failed_at: null }) }),
    )
    .execute();
}

/** Starts to read a property from its beginning. Returns false if the site is not connected any more. */
export async function chooseProperty(db: Db, of: { siteId: SiteId; property: string }, now: number): Promise<boolean> {
  const changed = await db
    .updateTable('search_connections')
    .set({ id: makeId('search'), property: of.property, ...UNREAD, next_at: now })
    .where('site_id', '=', of.siteId)
    .executeTakeFirst();
  return changed.numUpdatedRows > 0n;
}

/** True if only people can mend it. */
export const isBroken = ({ failure }: Pick<Connection, 'failure'>): boolean =>
  failure !== null && BROKEN.includes(failure);

/** The sites among these whose connection only people can mend. */
export async function brokenSites(
  { db }: Pick<Directory, 'db'>,
  siteIds: readonly SiteId[],
): Promise<ReadonlySet<SiteId>> {
  if (siteIds.length === 0) return new Set();
  const broken = db.selectFrom('search_connections').select('site_id').where('failure', 'in', BROKEN);
  return new Set((await broken.where('site_id', 'in', siteIds).execute()).map((row) => row.site_id));
}

export function toPublicConnection(row: Connection, progress: number): PublicConnection {
  const { property, created_at: connected_at, oldest_day, latest_day, read_at, read_days, read_rows } = row;
  const { next_at, failure, failed_at } = row;
  return {
    property,
    connected_at,
    progress,
    oldest_day,
    latest_day,
    read_at,
    read_days,
    read_rows,
    next_at,
    failure,
    failed_at,
  };
}
