import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const reportWebhooks: Migration = {
  async up(db: Kysely<never>) {
    await db.schema
      .alterTable('reports')
      .addColumn('webhooks', 'text', (c) => c.notNull().defaultTo('[]'))
      .execute();
  },
};
