import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const requiredFactor: Migration = {
  async up(db: Kysely<never>) {
    await db.schema
      .alterTable('accounts')
      .addColumn('requires_factor', 'integer', (c) => c.notNull().defaultTo(0))
      .execute();
  },
};
