import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const mentions: Migration = {
  async up(db: Kysely<never>) {
    await db.schema
      .createTable('mention_rules')
      .addColumn('site_id', 'text', (c) => c.primaryKey().references('sites.id').onDelete('cascade'))
      .addColumn('rules', 'text', (c) => c.notNull())
      .execute();
    await db.schema
      .createTable('mention_searches')
      .addColumn('site_id', 'text', (c) => c.notNull().references('sites.id').onDelete('cascade'))
      .addColumn('place', 'text', (c) => c.notNull())
      .addColumn('kind', 'text', (c) => c.notNull())
      .addColumn('query', 'text', (c) => c.notNull())
      .addColumn('next_at', 'bigint', (c) => c.notNull())
      .addColumn('failures', 'integer', (c) => c.notNull())
      .addColumn('asked_at', 'bigint')
      .addColumn('outcome', 'text', (c) => c.notNull())
      .addColumn('etag', 'text')
      .addColumn('last_modified', 'text')
      .addColumn('known_for', 'text')
      .addColumn('skipped', 'integer', (c) => c.notNull())
      .addPrimaryKeyConstraint('mention_searches_once', ['site_id', 'place', 'kind', 'query'])
      .execute();
    await db.schema.createIndex('mention_searches_due').on('mention_searches').columns(['place', 'next_at']).execute();
    await db.schema
      .createTable('mentions')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('site_id', 'text', (c) => c.notNull().references('sites.id').onDelete('cascade'))
      .addColumn('place', 'text', (c) => c.notNull())
      .addColumn('thread', 'text', (c) => c.notNull())
      .addColumn('title', 'text', (c) => c.notNull())
      .addColumn('url', 'text', (c) => c.notNull())
      .addColumn('posted_at', 'bigint', (c) => c.notNull())
      .addColumn('points', 'bigint')
      .addColumn('comments', 'bigint')
      .addColumn('history', 'text', (c) => c.notNull())
      .addColumn('is_muted', 'integer', (c) => c.notNull())
      .addColumn('found_at', 'bigint', (c) => c.notNull())
      .addUniqueConstraint('mentions_once', ['site_id', 'place', 'thread'])
      .execute();
    await db.schema.createIndex('mentions_newest').on('mentions').columns(['site_id', 'posted_at']).execute();
  },
};
