import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const people: Migration = {
  async up(db: Kysely<never>) {
    await db.schema
      .alterTable('members')
      .addColumn('named_sites', 'integer', (c) => c.notNull().defaultTo(0))
      .execute();
    await db.schema
      .createTable('member_sites')
      .addColumn('account_id', 'text', (c) => c.notNull())
      .addColumn('user_id', 'text', (c) => c.notNull())
      .addColumn('site_id', 'text', (c) => c.notNull().references('sites.id').onDelete('cascade'))
      .addPrimaryKeyConstraint('member_sites_once', ['account_id', 'user_id', 'site_id'])
      .addForeignKeyConstraint(
        'member_sites_member',
        ['account_id', 'user_id'],
        'members',
        ['account_id', 'user_id'],
        (c) => c.onDelete('cascade'),
      )
      .execute();
    await db.schema.createIndex('member_sites_site').on('member_sites').column('site_id').execute();
    await db.schema
      .createTable('invitations')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('account_id', 'text', (c) => c.notNull().references('accounts.id').onDelete('cascade'))
      .addColumn('invited_by', 'text', (c) => c.notNull().references('users.id').onDelete('cascade'))
      .addColumn('hash', 'text', (c) => c.notNull().unique())
      .addColumn('role', 'text', (c) => c.notNull())
      .addColumn('site_ids', 'text')
      .addColumn('email', 'text')
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .addColumn('expires_at', 'bigint', (c) => c.notNull())
      .execute();
    await db.schema.createIndex('invitations_account').on('invitations').column('account_id').execute();
    await db.schema.createIndex('invitations_inviter').on('invitations').column('invited_by').execute();
  },
};
