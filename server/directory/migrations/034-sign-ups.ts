import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const signUps: Migration = {
  async up(db: Kysely<never>) {
    await db.schema
      .createTable('sign_ups')
      .addColumn('email', 'text', (c) => c.primaryKey())
      .addColumn('password', 'text', (c) => c.notNull())
      .addColumn('expires_at', 'bigint', (c) => c.notNull())
      .execute();
    await db.schema.createIndex('mails_recipient').on('mails').columns(['recipient', 'created_at']).execute();
  },
};
