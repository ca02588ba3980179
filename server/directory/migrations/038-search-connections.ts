import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const searchConnections: Migration = {
  async up(db: Kysely<never>) {
    await db.schema
      .createTable('search_connections')
      .addColumn('site_id', 'text', (c) => c.primaryKey().references('sites.id').onDelete('cascade'))
      .addColumn('id', 'text', (c) => c.notNull().unique())
      .addColumn('connected_by', 'text', (c) => c.references('users.id').onDelete('set null'))
      .addColumn('token', 'text', (c) => c.notNull())
      .addColumn('property', 'text')
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .addColumn('pass_from', 'text')
      .addColumn('pass_to', 'text')
      .addColumn('next_day', 'text')
      .addColumn('oldest_day', 'text')
      .addColumn('latest_day', 'text')
      .addColumn('next_at', 'bigint', (c) => c.notNull())
      .addColumn('read_at', 'bigint')
      .addColumn('read_days', 'integer', (c) => c.notNull())
      .addColumn('read_rows', 'integer', (c) => c.notNull())
      .addColumn('failure', 'text')
      .addColumn('failed_at', 'bigint')
      .execute();
    await db.schema.createIndex('search_connections_due').on('search_connections').column('next_at').execute();
    await db.schema.createIndex('search_connections_by').on('search_connections').column('connected_by').execute();
  },
};
