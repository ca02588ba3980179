import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const packages: Migration = {
  async up(db: Kysely<never>) {
    await db.schema
      .createTable('packages')
      .ifNotExists()
      .addColumn('name', 'text', (c) => c.primaryKey())
      .addColumn('archive', 'text', (c) => c.notNull())
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .execute();
  },
};
