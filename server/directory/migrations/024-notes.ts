import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const notes: Migration = {
  async up(db: Kysely<never>) {
    await db.schema
      .createTable('notes')
      .ifNotExists()
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('site_id', 'text', (c) => c.notNull().references('sites.id').onDelete('cascade'))
      .addColumn('day', 'text', (c) => c.notNull())
      .addColumn('text', 'text', (c) => c.notNull())
      .addColumn('is_private', 'integer', (c) => c.notNull())
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .execute();
    await db.schema.createIndex('notes_site').ifNotExists().on('notes').column('site_id').execute();
  },
};
