import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Groups of sites, and reports of them. */
export const siteGroups: Migration = {
  async up(db: Kysely<never>) {
    await db.schema
      .createTable('site_groups')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('account_id', 'text', (c) => c.notNull().references('accounts.id').onDelete('cascade'))
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .addUniqueConstraint('site_groups_name', ['account_id', 'name'])
      .execute();
    await db.schema
      .createTable('group_sites')
      .addColumn('group_id', 'text', (c) => c.notNull().references('site_groups.id').onDelete('cascade'))
      .addColumn('site_id', 'text', (c) => c.notNull().references('sites.id').onDelete('cascade'))
      .addColumn('position', 'integer', (c) => c.notNull())
      .addPrimaryKeyConstraint('group_sites_once', ['group_id', 'site_id'])
      .execute();
    await db.schema.createIndex('group_sites_site').on('group_sites').column('site_id').execute();
    await db.schema.alterTable('reports').addColumn('group_id', 'text').execute();
  },
};
