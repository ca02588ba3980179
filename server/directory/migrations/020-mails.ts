import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const mails: Migration = {
  async up(db: Kysely<never>) {
    await db.schema
      .createTable('mails')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('key', 'text', (c) => c.notNull().unique())
      .addColumn('kind', 'text', (c) => c.notNull())
      .addColumn('recipient', 'text', (c) => c.notNull())
      .addColumn('data', 'text')
      .addColumn('state', 'text', (c) => c.notNull())
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .addColumn('due_at', 'bigint', (c) => c.notNull())
      .addColumn('attempts', 'integer', (c) => c.notNull().defaultTo(0))
      .addColumn('answer', 'text')
      .addColumn('ended_at', 'bigint')
      .execute();
    await db.schema.createIndex('mails_due').on('mails').columns(['state', 'due_at']).execute();
    await db.schema
      .createTable('mail_refusals')
      .addColumn('recipient', 'text', (c) => c.notNull())
      .addColumn('topic', 'text', (c) => c.notNull())
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .addPrimaryKeyConstraint('mail_refusals_once', ['recipient', 'topic'])
      .execute();
  },
};
