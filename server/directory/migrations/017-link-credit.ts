import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Pages of share links say "Counted by Footfall" unless the link says otherwise. */
export const linkCredit: Migration = {
  async up(db: Kysely<never>) {
    await db.schema
      .alterTable('share_links')
      .addColumn('shows_credit', 'integer', (c) => c.notNull().defaultTo(1))
      .execute();
  },
};
