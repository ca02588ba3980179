import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const purges: Migration = {
  async up(db: Kysely<never>) {
    await db.schema
      .createTable('purges')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('site_id', 'text', (c) => c.notNull().references('sites.id').onDelete('cascade'))
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('definition', 'text', (c) => c.notNull())
      .addColumn('first_day', 'text', (c) => c.notNull())
      .addColumn('last_day', 'text', (c) => c.notNull())
      .addColumn('state', 'text', (c) => c.notNull())
      .addColumn('counts', 'text', (c) => c.notNull())
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .addColumn('claimed_until', 'bigint')
      .execute();
    await db.schema.createIndex('purges_site').on('purges').column('site_id').execute();
  },
};
