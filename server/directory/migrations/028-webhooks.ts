import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const webhooks: Migration = {
  async up(db: Kysely<never>) {
    await db.schema
      .createTable('webhooks')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('account_id', 'text', (c) => c.notNull().references('accounts.id').onDelete('cascade'))
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('format', 'text', (c) => c.notNull())
      .addColumn('host', 'text', (c) => c.notNull())
      .addColumn('url', 'text', (c) => c.notNull())
      .addColumn('secret', 'text')
      .addColumn('previous_secret', 'text')
      .addColumn('rotated_at', 'bigint')
      .addColumn('disabled_at', 'bigint')
      .addColumn('next_at', 'bigint', (c) => c.notNull())
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .execute();
    await db.schema.createIndex('webhooks_account').on('webhooks').column('account_id').execute();
    await db.schema
      .createTable('webhook_deliveries')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('webhook_id', 'text', (c) => c.notNull().references('webhooks.id').onDelete('cascade'))
      .addColumn('site_id', 'text', (c) => c.references('sites.id').onDelete('cascade'))
      .addColumn('key', 'text', (c) => c.notNull())
      .addColumn('message', 'text', (c) => c.notNull())
      .addColumn('state', 'text', (c) => c.notNull())
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .addColumn('queued_at', 'bigint', (c) => c.notNull())
      .addColumn('due_at', 'bigint', (c) => c.notNull())
      .addColumn('attempts', 'integer', (c) => c.notNull())
      .addColumn('attempted_at', 'bigint')
      .addColumn('status', 'integer')
      .addColumn('answer', 'text')
      .addColumn('ended_at', 'bigint')
      .addUniqueConstraint('webhook_deliveries_once', ['webhook_id', 'key'])
      .execute();
    await db.schema
      .createIndex('webhook_deliveries_due')
      .on('webhook_deliveries')
      .columns(['state', 'due_at'])
      .execute();
    await db.schema
      .createIndex('webhook_deliveries_log')
      .on('webhook_deliveries')
      .columns(['webhook_id', 'created_at'])
      .execute();
    await db.schema.createIndex('webhook_deliveries_site').on('webhook_deliveries').column('site_id').execute();
  },
};
