import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Every kind of secret has its hash in a column of the same name. */
export const shareLinkHashes: Migration = {
  async up(db: Kysely<never>) {
    await db.schema.alterTable('share_links').renameColumn('token_hash', 'hash').execute();
  },
};
