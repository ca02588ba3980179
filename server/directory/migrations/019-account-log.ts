import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const accountLog: Migration = {
  async up(db: Kysely<never>) {
    await db.schema
      .createTable('account_log')
      .ifNotExists()
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('account_id', 'text', (c) => c.notNull().references('accounts.id').onDelete('cascade'))
      .addColumn('actor', 'text', (c) => c.notNull())
      .addColumn('user_id', 'text', (c) => c.references('users.id').onDelete('set null'))
      .addColumn('action', 'text', (c) => c.notNull())
      .addColumn('member_id', 'text', (c) => c.references('users.id').onDelete('set null'))
      .addColumn('name', 'text')
      .addColumn('domain', 'text')
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .execute();
    const index = (name: string) => db.schema.createIndex(name).ifNotExists().on('account_log');
    await index('account_log_account').columns(['account_id', 'created_at']).execute();
    await index('account_log_time').column('created_at').execute();
    for (const column of ['user_id', 'member_id']) await index(`account_log_${column}`).column(column).execute();
  },
};
