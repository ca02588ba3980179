// Versions of Footfall other than this one, as far as their migrations go: a later one, which has one more, and one from before 1.0.0.
import { type Kysely, sql } from 'kysely';
import { type Migrations, migrationsFor } from '../../../server/directory/migrations.ts';
import type { Directory } from '../../../server/directory/open.ts';

/** The value is counted up, so that a second run would show. */
const LATER = [
  sql`alter table sites add column later integer not null default 0`,
  sql`update sites set later = later + 1`,
  sql`create index sites_later on sites (later)`,
];

/** `killedAfter`: so many statements of the new migration. */
export const laterMigrations = (form: Directory['form'], killedAfter?: number): Migrations => ({
  ...migrationsFor(form),
  '002_later': {
    async up(db: Kysely<never>) {
      for (const [index, statement] of LATER.entries()) {
        await statement.execute(db);
        if (index + 1 === killedAfter) process.kill(process.pid, 'SIGKILL');
      }
    },
  },
});

/** As far as the second one. */
export const EARLIEST: Migrations = {
  '001_start': { up: async (db) => void (await sql`create table users (id text primary key)`.execute(db)) },
  '002_imports': { up: async (db) => void (await sql`create table imports (id text primary key)`.execute(db)) },
};
