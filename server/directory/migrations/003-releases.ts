// The releases of Footfall that this server knows of, where its operator wants to be told.
import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

export const releases: Migration = {
  async up(db: Kysely<never>) {
    await sql`create table releases (
      version text primary key,
      page text not null,
      found_at bigint not null
    )`.execute(db);
  },
};
