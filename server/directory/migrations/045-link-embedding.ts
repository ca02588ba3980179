import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Pages of share links are shown within pages of other websites only if the link says so. */
export const linkEmbedding: Migration = {
  async up(db: Kysely<never>) {
    await db.schema
      .alterTable('share_links')
      .addColumn('may_be_embedded', 'integer', (c) => c.notNull().defaultTo(0))
      .execute();
  },
};
