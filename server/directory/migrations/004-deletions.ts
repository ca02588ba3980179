import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const deletions: Migration = {
  async up(db: Kysely<never>) {
    await db.schema
      .createTable('deletions')
      .ifNotExists()
      .addColumn('site_id', 'text', (c) => c.primaryKey())
      .addColumn('deleted_at', 'bigint', (c) => c.notNull())
      .execute();
  },
};
