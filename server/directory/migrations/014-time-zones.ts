import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Directory } from '../open.ts';
import type { Tables } from '../schema.ts';

/** Sites may have a time zone. A day's secret now belongs to a day of a zone; existing ones belong to UTC. */
export const timeZones = (form: Directory['form']): Migration => ({
  async up(db: Kysely<Pick<Tables, 'salts'>>) {
    await db.schema.alterTable('sites').addColumn('timezone', 'text').execute();
    // SQLite cannot change a primary key, so the table is created anew. It is unlogged for the same reason as before.
    await db.schema.alterTable('salts').renameTo('salts_of_utc').execute();
    const table = db.schema.createTable('salts');
    await (form === 'postgres' ? table.modifyFront(sql`unlogged`) : table)
      .addColumn('zone', 'text', (c) => c.notNull())
      .addColumn('day', 'text', (c) => c.notNull())
      .addColumn('secret', 'text', (c) => c.notNull())
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .addPrimaryKeyConstraint('salts_once', ['zone', 'day'])
      .execute();
    await sql`insert into salts (zone, day, secret, created_at)
      select 'UTC', day, secret, created_at from salts_of_utc`.execute(db);
    await db.schema.dropTable('salts_of_utc').execute();
  },
});
