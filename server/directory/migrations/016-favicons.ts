import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const favicons: Migration = {
  async up(db: Kysely<never>) {
    await db.schema
      .createTable('favicons')
      .ifNotExists()
      .addColumn('key', 'text', (c) => c.primaryKey())
      .addColumn('image', 'text')
      .addColumn('asked_at', 'bigint', (c) => c.notNull())
      .execute();
    await db.schema.createIndex('favicons_asked').ifNotExists().on('favicons').column('asked_at').execute();
  },
};
