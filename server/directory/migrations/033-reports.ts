import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const reports: Migration = {
  async up(db: Kysely<never>) {
    await db.schema
      .createTable('reports')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('account_id', 'text', (c) => c.notNull().references('accounts.id').onDelete('cascade'))
      .addColumn('site_id', 'text')
      .addColumn('created_by', 'text', (c) => c.references('users.id').onDelete('set null'))
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('frequency', 'text', (c) => c.notNull())
      .addColumn('hour', 'integer', (c) => c.notNull())
      .addColumn('timezone', 'text', (c) => c.notNull())
      .addColumn('viewed', 'text', (c) => c.notNull())
      .addColumn('paused', 'integer', (c) => c.notNull())
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .addColumn('next_from', 'text', (c) => c.notNull())
      .addColumn('due_at', 'bigint', (c) => c.notNull())
      .addColumn('attempts', 'integer', (c) => c.notNull().defaultTo(0))
      .addColumn('trouble', 'text')
      .execute();
    await db.schema.createIndex('reports_account').on('reports').column('account_id').execute();
    await db.schema.createIndex('reports_due').on('reports').columns(['paused', 'due_at']).execute();
    await db.schema
      .createTable('report_recipients')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('report_id', 'text', (c) => c.notNull().references('reports.id').onDelete('cascade'))
      .addColumn('user_id', 'text', (c) => c.references('users.id').onDelete('cascade'))
      .addColumn('email', 'text')
      .execute();
    await db.schema.createIndex('report_recipients_report').on('report_recipients').column('report_id').execute();
    await db.schema
      .createTable('report_runs')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('key', 'text', (c) => c.notNull().unique())
      .addColumn('report_id', 'text', (c) => c.notNull().references('reports.id').onDelete('cascade'))
      .addColumn('account_id', 'text', (c) => c.notNull())
      .addColumn('date_from', 'text', (c) => c.notNull())
      .addColumn('date_to', 'text', (c) => c.notNull())
      .addColumn('state', 'text', (c) => c.notNull())
      .addColumn('mails', 'integer', (c) => c.notNull())
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .execute();
    await db.schema.createIndex('report_runs_report').on('report_runs').columns(['report_id', 'created_at']).execute();
    await db.schema
      .createIndex('report_runs_account')
      .on('report_runs')
      .columns(['account_id', 'created_at'])
      .execute();
  },
};
