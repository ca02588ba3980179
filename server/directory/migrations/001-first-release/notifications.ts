// Reports and alerts.
import { sql } from 'kysely';

export const notifications = [
  sql`create table reports (
    id text primary key,
    account_id text not null references accounts (id) on delete cascade,
    site_id text,
    created_by text references users (id) on delete set null,
    name text not null,
    frequency text not null,
    hour integer not null,
    timezone text not null,
    viewed text not null,
    paused integer not null,
    created_at bigint not null,
    next_from text not null,
    due_at bigint not null,
    attempts integer not null default 0,
    trouble text,
    webhooks text not null default '[]',
    personal integer not null default 0,
    group_id text
  )`,
  sql`create index reports_account on reports (account_id)`,
  sql`create index reports_due on reports (paused, due_at)`,
  sql`create table report_recipients (
    id text primary key,
    report_id text not null references reports (id) on delete cascade,
    user_id text references users (id) on delete cascade,
    email text
  )`,
  sql`create index report_recipients_report on report_recipients (report_id)`,
  sql`create table report_runs (
    id text primary key,
    key text not null unique,
    report_id text not null references reports (id) on delete cascade,
    account_id text not null,
    date_from text not null,
    date_to text not null,
    state text not null,
    mails integer not null,
    created_at bigint not null
  )`,
  sql`create index report_runs_account on report_runs (account_id, created_at)`,
  sql`create index report_runs_report on report_runs (report_id, created_at)`,
  sql`create table alerts (
    id text primary key,
    site_id text not null references sites (id) on delete cascade,
    kind text not null,
    definition text not null,
    paused integer not null,
    created_at bigint not null,
    watched_since bigint not null,
    counted_from bigint not null,
    counted bigint not null,
    counted_amount double precision not null,
    checked_at bigint not null
  )`,
  sql`create index alerts_site on alerts (site_id)`,
  sql`create table incidents (
    id text primary key,
    alert_id text not null references alerts (id) on delete cascade,
    site_id text not null references sites (id) on delete cascade,
    key text not null,
    started_at bigint not null,
    ended_at bigint,
    facts text not null,
    told text not null,
    created_at bigint not null,
    constraint incidents_once unique (alert_id, key)
  )`,
  sql`create index incidents_site on incidents (site_id, started_at)`,
  sql`create index incidents_told on incidents (told)`,
];
