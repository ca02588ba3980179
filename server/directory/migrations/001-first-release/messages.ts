// Mails and webhooks: what waits to be sent, and the log of what was.
import { sql } from 'kysely';
import type { Words } from './words.ts';

export const messages = ({ bytewise }: Words) => [
  // Mails are found by the first characters of their keys, as a range. That holds only in the order of bytes, which SQLite always has.
  sql`create table mails (
    id text primary key,
    key text ${bytewise} not null unique,
    kind text not null,
    recipient text not null,
    data text,
    state text not null,
    created_at bigint not null,
    due_at bigint not null,
    attempts integer not null default 0,
    answer text,
    ended_at bigint
  )`,
  sql`create index mails_due on mails (state, due_at)`,
  sql`create index mails_recipient on mails (recipient, created_at)`,
  sql`create table mail_refusals (
    recipient text not null,
    topic text not null,
    created_at bigint not null,
    constraint mail_refusals_once primary key (recipient, topic)
  )`,
  sql`create table webhooks (
    id text primary key,
    account_id text not null references accounts (id) on delete cascade,
    name text not null,
    format text not null,
    host text not null,
    url text not null,
    secret text,
    previous_secret text,
    rotated_at bigint,
    disabled_at bigint,
    next_at bigint not null,
    created_at bigint not null
  )`,
  sql`create index webhooks_account on webhooks (account_id)`,
  sql`create table webhook_deliveries (
    id text primary key,
    webhook_id text not null references webhooks (id) on delete cascade,
    site_id text references sites (id) on delete cascade,
    key text not null,
    message text not null,
    state text not null,
    created_at bigint not null,
    queued_at bigint not null,
    due_at bigint not null,
    attempts integer not null,
    attempted_at bigint,
    status integer,
    answer text,
    ended_at bigint,
    constraint webhook_deliveries_once unique (webhook_id, key)
  )`,
  sql`create index webhook_deliveries_due on webhook_deliveries (state, due_at)`,
  sql`create index webhook_deliveries_log on webhook_deliveries (webhook_id, created_at)`,
  sql`create index webhook_deliveries_site on webhook_deliveries (site_id)`,
];
