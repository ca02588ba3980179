// Secrets of the server.
import { sql } from 'kysely';
import type { Words } from './words.ts';

export const secrets = ({ unlogged }: Words) => [
  sql`create table secrets (
    name text primary key,
    value text not null,
    created_at bigint not null
  )`,
  // PostgreSQL's write-ahead log keeps inserted rows for days, even after they are deleted. An unlogged table is not in it. But a crash of
  // PostgreSQL empties the table; `saltOf` then restores the salt from a running process.
  sql`create ${unlogged} table salts (
    zone text not null,
    day text not null,
    secret text not null,
    created_at bigint not null,
    constraint salts_once primary key (zone, day)
  )`,
  // A table of its own, so that it can be unlogged for the same reason as the salts.
  sql`create ${unlogged} table import_secrets (
    import_id text primary key references imports (id) on delete cascade,
    secret text not null,
    created_at bigint not null
  )`,
];
