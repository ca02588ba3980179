import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const ingestTokens: Migration = {
  async up(db: Kysely<never>) {
    await db.schema
      .createTable('ingest_tokens')
      .ifNotExists()
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('site_id', 'text', (c) => c.notNull().references('sites.id').onDelete('cascade'))
      .addColumn('prefix', 'text', (c) => c.notNull())
      .addColumn('hash', 'text', (c) => c.notNull().unique())
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .addColumn('last_used_at', 'bigint')
      .addColumn('revoked_at', 'bigint')
      .execute();
    await db.schema.createIndex('ingest_tokens_site').ifNotExists().on('ingest_tokens').column('site_id').execute();
  },
};
