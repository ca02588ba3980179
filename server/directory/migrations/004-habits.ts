// How a person wants numbers and dates to be written, as JSON. Null: as their browser says.
import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

export const habits: Migration = {
  async up(db: Kysely<never>) {
    await sql`alter table users add column habits text`.execute(db);
  },
};
