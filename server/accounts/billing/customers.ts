// Which Stripe customer an account is, and what was last read about it. Reads and writes the directory alone.
import type { Kysely, Selectable } from 'kysely';
import type { Directory } from '../../directory/open.ts';
import type { Tables } from '../../directory/schema.ts';
import type { Subscribed } from './plans.ts';

type Db = Pick<Directory, 'db'>;
export type CustomerRow = Selectable<Tables['billing_customers']>;

const NOTHING_READ = { subscribed: null, subscription_id: null, renews_at: null, read_at: null } as const;

export async function customerOf({ db }: Db, accountId: string): Promise<CustomerRow | undefined> {
  return db.selectFrom('billing_customers').selectAll().where('account_id', '=', accountId).executeTakeFirst();
}

export async function accountOfCustomer({ db }: Db, customerId: string): Promise<string | undefined> {
  const rows = db.selectFrom('billing_customers').where('customer_id', '=', customerId);
  return (await rows.select('account_id').executeTakeFirst())?.account_id;
}

/** Keeps the customer of an account. Of two at the same time, the first one stays. Returns the one that is kept. */
export async function keepCustomer({ db }: Db, accountId: string, customerId: string): Promise<string> {
  await db
    .insertInto('billing_customers')
    .values({ account_id: accountId, customer_id: customerId, version: 0, ...NOTHING_READ })
    .onConflict((conflict) => conflict.column('account_id').doNothing())
    .execute();
  return (await customerOf({ db }, accountId))?.customer_id ?? customerId;
}

/** Forgets a customer that no longer exists in Stripe, so that the account can get another one. */
export async function dropCustomer({ db }: Db, { account_id, customer_id }: CustomerRow): Promise<void> {
  await db
    .deleteFrom('billing_customers')
    .where('account_id', '=', account_id)
    .where('customer_id', '=', customer_id)
    .execute();
}

type Noted = { subscribed: Subscribed | null; subscriptionId: string | null; renewsAt: number | null };

/** Stores what was read, unless somebody else stored a reading since `row` was selected. Returns false then. */
export async function noteReading(
  db: Kysely<Tables>,
  row: CustomerRow,
  noted: Noted & { at: number },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('billing_customers')
    .set({
      version: row.version + 1,
      subscribed: noted.subscribed && JSON.stringify(noted.subscribed),
      subscription_id: noted.subscriptionId,
      renews_at: noted.renewsAt,
      read_at: noted.at,
    })
    .where('account_id', '=', row.account_id)
    .where('customer_id', '=', row.customer_id)
    .where('version', '=', row.version)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Returns the accounts whose customer was not read since `time`, longest ago first. */
export async function accountsUnreadSince({ db }: Db, time: number): Promise<string[]> {
  const rows = await db
    .selectFrom('billing_customers')
    .select('account_id')
    .where((where) => where.or([where('read_at', 'is', null), where('read_at', '<=', time)]))
    .orderBy('read_at')
    .execute();
  return rows.map((row) => row.account_id);
}
