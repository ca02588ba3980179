import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The Google account of a connection. Those that were made before have none until somebody connects again. */
export const googleAccounts: Migration = {
  async up(db: Kysely<never>) {
    await db.schema.alterTable('search_connections').addColumn('google_account', 'text').execute();
  },
};
