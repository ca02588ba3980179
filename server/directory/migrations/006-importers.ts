// Who imported what, and whether days that an earlier import had keep it. Nobody knows of imports from before: their log entries have the person, but
// not which import they are about.
import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

export const importers: Migration = {
  async up(db: Kysely<never>) {
    await sql`alter table imports add column actor text`.execute(db);
    await sql`alter table imports add column user_id text references users (id) on delete set null`.execute(db);
    await sql`alter table imports add column keeps_others integer not null default 0`.execute(db);
    await sql`create index imports_by on imports (user_id)`.execute(db);
  },
};
