// Which sites are connected with Search Console, and how far each has been read.
import type { Kysely, Selectable } from 'kysely';
import type { Encryption } from '../directory/encryption.ts';
import { makeId } from '../directory/ids.ts';
import type { Directory } from '../directory/open.ts';
import type { Tables } from '../directory/schema.ts';
import type { SiteId } from '../event.ts';
import { BROKEN, type SearchFailure } from '../vocabulary/search-console.ts';

type Db = Kysely<Tables>;
export type Connection = Selectable<Tables['search_connections']>;

/** The connection as people who may change the site see it. */
export type PublicConnection = {
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
  ...{ pass_from: null, pass_to: null, next_day: null, oldest_day: null, latest_day: null },
  ...{ read_at: null, read_days: 0, read_rows: 0, failure: null, failed_at: null },
};

/** Where a token belongs: it cannot be decrypted for another site. */
const contextOf = (siteId: string) => `search console ${siteId}`;
export const sealToken = (encryption: Encryption, siteId: string, token: string) =>
  encryption.encrypt(token, contextOf(siteId));
export const openToken = (encryption: Encryption, { site_id, token }: Pick<Connection, 'site_id' | 'token'>) =>
  encryption.decrypt(token, contextOf(site_id));

export async function connectionOf({ db }: Pick<Directory, 'db'>, siteId: SiteId): Promise<Connection | undefined> {
  return db.selectFrom('search_connections').selectAll().where('site_id', '=', siteId).executeTakeFirst();
}

/** Saves a new grant. `keeps`: the property of the earlier grant that this one may read too. */
export async function saveConnection(
  db: Db,
  { siteId, ...made }: { siteId: SiteId; by: string; token: string; account: string | null; keeps: string | undefined },
  now: number,
): Promise<void> {
  const grant = {
    ...{ connected_by: made.by, token: made.token, google_account: made.account },
    ...{ created_at: now, next_at: now },
  };
  const fresh = { id: makeId('search'), property: null, ...UNREAD };
  await db
    .insertInto('search_connections')
    .values({ site_id: siteId, ...fresh, ...grant })
    .onConflict((conflict) =>
      conflict
        .column('site_id')
        .doUpdateSet({ ...grant, ...(made.keeps === undefined ? fresh : { failure: null, failed_at: null }) }),
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

/**
 * Returns the connection that was deleted, and whether another one may have the same Google account, here or in another account of this
 * server. If Google did not tell one of the two, they may.
 */
export async function deleteConnection(
  db: Db,
  siteId: SiteId,
): Promise<{ connection: Connection; isShared: boolean } | undefined> {
  const deleting = db.deleteFrom('search_connections').where('site_id', '=', siteId).returningAll();
  const connection = await deleting.executeTakeFirst();
  if (!connection) return undefined;
  const { google_account: account } = connection;
  const others = db.selectFrom('search_connections').select('site_id');
  const sharing =
    account === null
      ? others
      : others.where((is) => is.or([is('google_account', 'is', null), is('google_account', '=', account)]));
  return { connection, isShared: (await sharing.executeTakeFirst()) !== undefined };
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
    ...{ property, connected_at, progress, oldest_day, latest_day, read_at, read_days, read_rows },
    ...{ next_at, failure, failed_at },
  };
}
