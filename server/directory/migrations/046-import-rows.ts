import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Imports of what other products counted are listed, and can be removed. Those of access logs have no days and totals. */
export const importRows: Migration = {
  async up(db: Kysely<never>) {
    for (const [name, blank] of Object.entries({ format: 'access-log', file: '', state: 'done' }))
      await db.schema
        .alterTable('imports')
        .addColumn(name, 'text', (c) => c.notNull().defaultTo(blank))
        .execute();
    for (const name of ['first_day', 'last_day'])
      await db.schema.alterTable('imports').addColumn(name, 'text').execute();
    await db.schema.alterTable('imports').addColumn('claimed_until', 'bigint').execute();
    await db.schema
      .alterTable('imports')
      .addColumn('replaced', 'text', (c) => c.notNull().defaultTo('[]'))
      .execute();
    for (const name of ['days', 'pageviews', 'visitors'])
      await db.schema
        .alterTable('imports')
        .addColumn(name, 'bigint', (c) => c.notNull().defaultTo(0))
        .execute();
  },
};
