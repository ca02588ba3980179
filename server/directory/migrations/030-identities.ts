import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const identities: Migration = {
  async up(db: Kysely<never>) {
    await db.schema
      .createTable('identities')
      .addColumn('issuer', 'text', (c) => c.notNull())
      .addColumn('subject', 'text', (c) => c.notNull())
      .addColumn('user_id', 'text', (c) => c.notNull().references('users.id').onDelete('cascade'))
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .addPrimaryKeyConstraint('identities_once', ['issuer', 'subject'])
      .execute();
    await db.schema.createIndex('identities_user').on('identities').column('user_id').execute();
    await db.schema.alterTable('sessions').addColumn('issuer_proved_at', 'bigint').execute();
    await db.schema
      .alterTable('sessions')
      .addColumn('issuer_proved_factors', 'integer', (c) => c.notNull().defaultTo(0))
      .execute();
  },
};
