import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const billing: Migration = {
  async up(db: Kysely<never>) {
    await db.schema
      .createTable('billing_customers')
      .ifNotExists()
      .addColumn('account_id', 'text', (c) => c.primaryKey().references('accounts.id').onDelete('cascade'))
      .addColumn('customer_id', 'text', (c) => c.notNull().unique())
      .addColumn('version', 'integer', (c) => c.notNull().defaultTo(0))
      .addColumn('subscribed', 'text')
      .addColumn('subscription_id', 'text')
      .addColumn('renews_at', 'bigint')
      .addColumn('read_at', 'bigint')
      .execute();
    await db.schema
      .createTable('billing_events')
      .ifNotExists()
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('received_at', 'bigint', (c) => c.notNull())
      .execute();
  },
};
