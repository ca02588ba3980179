import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const releasedDomains: Migration = {
  async up(db: Kysely<never>) {
    await db.schema
      .createTable('released_domains')
      .ifNotExists()
      .addColumn('domain', 'text', (c) => c.primaryKey())
      .addColumn('account_id', 'text', (c) => c.notNull())
      .addColumn('released_at', 'bigint', (c) => c.notNull())
      .execute();
  },
};
