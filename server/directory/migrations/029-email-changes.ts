import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const emailChanges: Migration = {
  async up(db: Kysely<never>) {
    await db.schema
      .createTable('email_changes')
      .addColumn('user_id', 'text', (c) => c.primaryKey().references('users.id').onDelete('cascade'))
      .addColumn('email', 'text', (c) => c.notNull())
      .addColumn('old_confirmed', 'integer', (c) => c.notNull())
      .addColumn('new_confirmed', 'integer', (c) => c.notNull())
      .addColumn('expires_at', 'bigint', (c) => c.notNull())
      .execute();
  },
};
