import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const jobs: Migration = {
  async up(db: Kysely<never>) {
    const table = (name: string) => db.schema.createTable(name).addColumn('name', 'text', (c) => c.primaryKey());
    await table('jobs')
      .addColumn('done_until', 'bigint', (c) => c.notNull())
      .execute();
    await table('leases')
      .addColumn('holder', 'text', (c) => c.notNull())
      .addColumn('expires_at', 'bigint', (c) => c.notNull())
      .execute();
  },
};
