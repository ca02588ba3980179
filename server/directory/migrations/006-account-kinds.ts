import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Before this every account was a customer's, so the operator's own account lost its dashboard after the trial. */
export const accountKinds: Migration = {
  async up(db: Kysely<never>) {
    await db.schema
      .alterTable('accounts')
      .addColumn('kind', 'text', (c) => c.notNull().defaultTo('customer'))
      .execute();
    // The operator's account is the oldest one with a trial: accounts created by `manage` have none. The demo account may be older.
    await sql`update accounts set kind = 'demo' where id in (
      select members.account_id from members
      join users on users.id = members.user_id
      join sites on sites.account_id = members.account_id
      where users.email = 'demo@example.com' and sites.settings like '%"seed"%'
    )`.execute(db);
    await sql`update accounts
      set kind = 'operator', plan = 'pro', status = 'active', trial_ends_at = null, paid_until = null
      where trial_ends_at is not null
      and id = (select id from accounts where kind = 'customer' order by created_at, id limit 1)`.execute(db);
    // For sign-ups, null now means the default trial, whose length depends on whether there is billing.
    await sql`update accounts set trial_ends_at = null
      where status = 'trialing' and trial_ends_at = created_at + 1209600000`.execute(db);
  },
};
