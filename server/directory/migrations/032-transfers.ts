import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const transfers: Migration = {
  async up(db: Kysely<never>) {
    await db.schema.alterTable('sites').addColumn('moved_at', 'bigint').execute();
    await db.schema
      .createTable('transfers')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('site_id', 'text', (c) => c.notNull().unique().references('sites.id').onDelete('cascade'))
      .addColumn('offered_by', 'text', (c) => c.notNull().references('users.id').onDelete('cascade'))
      .addColumn('hash', 'text', (c) => c.notNull().unique())
      .addColumn('email', 'text', (c) => c.notNull())
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .addColumn('expires_at', 'bigint', (c) => c.notNull())
      .execute();
  },
};
