import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const alerts: Migration = {
  async up(db: Kysely<never>) {
    await db.schema
      .createTable('alerts')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('site_id', 'text', (c) => c.notNull().references('sites.id').onDelete('cascade'))
      .addColumn('kind', 'text', (c) => c.notNull())
      .addColumn('definition', 'text', (c) => c.notNull())
      .addColumn('paused', 'integer', (c) => c.notNull())
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .addColumn('watched_since', 'bigint', (c) => c.notNull())
      .addColumn('counted_from', 'bigint', (c) => c.notNull())
      .addColumn('counted', 'bigint', (c) => c.notNull())
      .addColumn('counted_amount', 'double precision', (c) => c.notNull())
      .addColumn('checked_at', 'bigint', (c) => c.notNull())
      .execute();
    await db.schema.createIndex('alerts_site').on('alerts').column('site_id').execute();
    await db.schema
      .createTable('incidents')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('alert_id', 'text', (c) => c.notNull().references('alerts.id').onDelete('cascade'))
      .addColumn('site_id', 'text', (c) => c.notNull().references('sites.id').onDelete('cascade'))
      .addColumn('key', 'text', (c) => c.notNull())
      .addColumn('started_at', 'bigint', (c) => c.notNull())
      .addColumn('ended_at', 'bigint')
      .addColumn('facts', 'text', (c) => c.notNull())
      .addColumn('told', 'text', (c) => c.notNull())
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .addUniqueConstraint('incidents_once', ['alert_id', 'key'])
      .execute();
    await db.schema.createIndex('incidents_site').on('incidents').columns(['site_id', 'started_at']).execute();
    await db.schema.createIndex('incidents_told').on('incidents').column('told').execute();
  },
};
