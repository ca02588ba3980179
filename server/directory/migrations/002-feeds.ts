// Secret addresses at which programs read a site's news and notes.
import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

const STATEMENTS = [
  sql`create table feeds (
    id text primary key,
    site_id text not null references sites (id) on delete cascade,
    user_id text not null references users (id) on delete cascade,
    kind text not null,
    prefix text not null,
    hash text not null unique,
    created_at bigint not null,
    last_used_at bigint,
    revoked_at bigint
  )`,
  sql`create index feeds_site on feeds (site_id)`,
  sql`create index feeds_user on feeds (user_id)`,
];

export const feeds: Migration = {
  async up(db: Kysely<never>) {
    for (const statement of STATEMENTS) await statement.execute(db);
  },
};
