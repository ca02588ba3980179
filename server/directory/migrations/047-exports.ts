import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Directory } from '../open.ts';

/** Files that are made for a download: of a site or of a whole account. Where processes share a database, it keeps the files, too. */
export const exports = (form: Directory['form']): Migration => ({
  async up(db: Kysely<never>) {
    await db.schema
      .createTable('exports')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('account_id', 'text', (c) => c.notNull().references('accounts.id').onDelete('cascade'))
      .addColumn('site_id', 'text', (c) => c.references('sites.id').onDelete('cascade'))
      .addColumn('user_id', 'text', (c) => c.notNull())
      .addColumn('kind', 'text', (c) => c.notNull())
      .addColumn('recipient', 'text')
      .addColumn('state', 'text', (c) => c.notNull())
      .addColumn('tries', 'bigint', (c) => c.notNull().defaultTo(0))
      .addColumn('done', 'bigint', (c) => c.notNull().defaultTo(0))
      .addColumn('total', 'bigint', (c) => c.notNull().defaultTo(0))
      .addColumn('bytes', 'bigint', (c) => c.notNull().defaultTo(0))
      .addColumn('claimed_until', 'bigint')
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .addColumn('ready_at', 'bigint')
      .execute();
    await db.schema.createIndex('exports_account').on('exports').column('account_id').execute();
    await db.schema
      .createTable('export_parts')
      .addColumn('export_id', 'text', (c) => c.notNull().references('exports.id').onDelete('cascade'))
      .addColumn('part', 'bigint', (c) => c.notNull())
      .addColumn('content', form === 'postgres' ? 'bytea' : 'blob', (c) => c.notNull())
      .addPrimaryKeyConstraint('export_parts_key', ['export_id', 'part'])
      .execute();
  },
});
