// Background work, and what the server keeps for itself.
import { sql } from 'kysely';
import type { Words } from './words.ts';

export const jobs = ({ bytes }: Words) => [
  sql`create table jobs (
    name text primary key,
    done_until bigint not null
  )`,
  sql`create table leases (
    name text primary key,
    holder text not null,
    expires_at bigint not null
  )`,
  sql`create table imports (
    id text primary key,
    site_id text not null references sites (id) on delete cascade,
    fingerprint text not null,
    lines_done bigint not null default 0,
    tally text not null default '{}',
    created_at bigint not null,
    finished_at bigint,
    format text not null default 'access-log',
    file text not null default '',
    state text not null default 'done',
    first_day text,
    last_day text,
    claimed_until bigint,
    replaced text not null default '[]',
    days bigint not null default 0,
    pageviews bigint not null default 0,
    visitors bigint not null default 0,
    constraint imports_once unique (site_id, fingerprint)
  )`,
  sql`create table exports (
    id text primary key,
    account_id text not null references accounts (id) on delete cascade,
    site_id text references sites (id) on delete cascade,
    user_id text not null,
    kind text not null,
    recipient text,
    state text not null,
    tries bigint not null default 0,
    done bigint not null default 0,
    total bigint not null default 0,
    bytes bigint not null default 0,
    claimed_until bigint,
    created_at bigint not null,
    ready_at bigint
  )`,
  sql`create index exports_account on exports (account_id)`,
  sql`create table export_parts (
    export_id text not null references exports (id) on delete cascade,
    part bigint not null,
    content ${bytes} not null,
    constraint export_parts_key primary key (export_id, part)
  )`,
  sql`create table packages (
    name text primary key,
    archive text not null,
    created_at bigint not null
  )`,
];
