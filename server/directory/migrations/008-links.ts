import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Options of share links. Existing links get the defaults. */
export const links: Migration = {
  async up(db: Kysely<never>) {
    const flags = ['shows_properties', 'shows_few'];
    for (const name of flags)
      await db.schema
        .alterTable('share_links')
        .addColumn(name, 'integer', (c) => c.notNull().defaultTo(0))
        .execute();
  },
};
