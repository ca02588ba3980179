import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Permissions to withdraw at Google. A grant gets an id of its own, so that its token can still be decrypted once its site is gone. */
export const searchWithdrawals: Migration = {
  async up(db: Kysely<never>) {
    await db.schema.alterTable('search_connections').addColumn('grant_id', 'text').execute();
    await db.schema
      .createTable('search_withdrawals')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('token', 'text', (c) => c.notNull())
      .addColumn('google_account', 'text')
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .addColumn('due_at', 'bigint', (c) => c.notNull())
      .addColumn('attempts', 'integer', (c) => c.notNull())
      .addColumn('claimed_until', 'bigint')
      .execute();
  },
};
