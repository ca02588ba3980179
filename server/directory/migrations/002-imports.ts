import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Directory } from '../open.ts';

export const imports = (form: Directory['form']): Migration => ({
  async up(db: Kysely<never>) {
    const table = (name: string) => db.schema.createTable(name).ifNotExists();
    await table('imports')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('site_id', 'text', (c) => c.notNull().references('sites.id').onDelete('cascade'))
      .addColumn('fingerprint', 'text', (c) => c.notNull())
      .addColumn('lines_done', 'bigint', (c) => c.notNull().defaultTo(0))
      .addColumn('tally', 'text', (c) => c.notNull().defaultTo('{}'))
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .addColumn('finished_at', 'bigint')
      .addUniqueConstraint('imports_once', ['site_id', 'fingerprint'])
      .execute();
    // A table of its own, so that it can be unlogged for the same reason as the salts.
    const secrets = table('import_secrets');
    await (form === 'postgres' ? secrets.modifyFront(sql`unlogged`) : secrets)
      .addColumn('import_id', 'text', (c) => c.primaryKey().references('imports.id').onDelete('cascade'))
      .addColumn('secret', 'text', (c) => c.notNull())
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .execute();
  },
});
