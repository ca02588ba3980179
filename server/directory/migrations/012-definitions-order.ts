import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Goals and funnels can be sorted by hand. */
export const definitionsOrder: Migration = {
  async up(db: Kysely<never>) {
    for (const table of ['goals', 'funnels'])
      await db.schema
        .alterTable(table)
        .addColumn('position', 'integer', (c) => c.notNull().defaultTo(0))
        .execute();
  },
};
