import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const segments: Migration = {
  async up(db: Kysely<never>) {
    await db.schema
      .createTable('segments')
      .ifNotExists()
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('site_id', 'text', (c) => c.notNull().references('sites.id').onDelete('cascade'))
      .addColumn('user_id', 'text', (c) => c.references('users.id').onDelete('cascade'))
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('definition', 'text', (c) => c.notNull())
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .execute();
    await db.schema.createIndex('segments_site').ifNotExists().on('segments').column('site_id').execute();
  },
};
