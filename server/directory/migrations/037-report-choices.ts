import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The webhooks that get a report, and reports that somebody mails only to themselves. */
export const reportChoices: Migration = {
  async up(db: Kysely<never>) {
    await db.schema
      .alterTable('reports')
      .addColumn('webhooks', 'text', (c) => c.notNull().defaultTo('[]'))
      .execute();
    await db.schema
      .alterTable('reports')
      .addColumn('personal', 'integer', (c) => c.notNull().defaultTo(0))
      .execute();
  },
};
