// Tables about what other servers know of a site.
import { sql } from 'kysely';

export const integrations = [
  sql`create table search_connections (
    site_id text primary key references sites (id) on delete cascade,
    id text not null unique,
    connected_by text references users (id) on delete set null,
    token text not null,
    property text,
    created_at bigint not null,
    pass_from text,
    pass_to text,
    next_day text,
    oldest_day text,
    latest_day text,
    next_at bigint not null,
    read_at bigint,
    read_days integer not null,
    read_rows integer not null,
    failure text,
    failed_at bigint,
    google_account text,
    grant_id text not null
  )`,
  sql`create index search_connections_by on search_connections (connected_by)`,
  sql`create index search_connections_due on search_connections (next_at)`,
  sql`create table search_withdrawals (
    id text primary key,
    token text not null,
    google_account text,
    created_at bigint not null,
    due_at bigint not null,
    attempts integer not null,
    claimed_until bigint
  )`,
  sql`create table mention_rules (
    site_id text primary key references sites (id) on delete cascade,
    rules text not null
  )`,
  sql`create table mention_searches (
    site_id text not null references sites (id) on delete cascade,
    place text not null,
    kind text not null,
    query text not null,
    next_at bigint not null,
    failures integer not null,
    asked_at bigint,
    outcome text not null,
    etag text,
    last_modified text,
    known_for text,
    skipped integer not null,
    constraint mention_searches_once primary key (site_id, place, kind, query)
  )`,
  sql`create index mention_searches_due on mention_searches (place, next_at)`,
  sql`create table mention_pauses (
    place text primary key,
    until bigint not null
  )`,
  sql`create table mentions (
    id text primary key,
    site_id text not null references sites (id) on delete cascade,
    place text not null,
    thread text not null,
    title text not null,
    url text not null,
    posted_at bigint not null,
    points bigint,
    comments bigint,
    history text not null,
    is_muted integer not null,
    found_at bigint not null,
    constraint mentions_once unique (site_id, place, thread)
  )`,
  sql`create index mentions_newest on mentions (site_id, posted_at)`,
  sql`create table favicons (
    key text primary key,
    image text,
    asked_at bigint not null
  )`,
  sql`create index favicons_asked on favicons (asked_at)`,
];
