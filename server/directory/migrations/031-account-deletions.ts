import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const accountDeletions: Migration = {
  async up(db: Kysely<never>) {
    await db.schema.alterTable('accounts').addColumn('deletes_at', 'bigint').execute();
  },
};
