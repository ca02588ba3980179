// Sites, who may see them, and what people set up on them.
import { sql } from 'kysely';

export const sites = [
  sql`create table sites (
    id text primary key,
    account_id text not null references accounts (id) on delete cascade,
    domain text not null unique,
    created_at bigint not null,
    paused integer not null default 0,
    extra_hosts text not null default '[]',
    respects_gpc integer not null default 0,
    currency text,
    settings text not null default '{}',
    first_event_at bigint,
    last_event_at bigint,
    expected_currency text,
    proposed_currency text,
    max_amount bigint not null default 100000,
    timezone text,
    verified_at bigint,
    lost_at bigint,
    moved_at bigint
  )`,
  sql`create index sites_account on sites (account_id, created_at)`,
  sql`create table member_sites (
    account_id text not null,
    user_id text not null,
    site_id text not null references sites (id) on delete cascade,
    constraint member_sites_member foreign key (account_id, user_id) references members (account_id, user_id) on delete cascade,
    constraint member_sites_once primary key (account_id, user_id, site_id)
  )`,
  sql`create index member_sites_site on member_sites (site_id)`,
  sql`create table site_groups (
    id text primary key,
    account_id text not null references accounts (id) on delete cascade,
    name text not null,
    created_at bigint not null,
    constraint site_groups_name unique (account_id, name)
  )`,
  sql`create table group_sites (
    group_id text not null references site_groups (id) on delete cascade,
    site_id text not null references sites (id) on delete cascade,
    position integer not null,
    constraint group_sites_once primary key (group_id, site_id)
  )`,
  sql`create index group_sites_site on group_sites (site_id)`,
  sql`create table transfers (
    id text primary key,
    site_id text not null unique references sites (id) on delete cascade,
    offered_by text not null references users (id) on delete cascade,
    hash text not null unique,
    email text not null,
    created_at bigint not null,
    expires_at bigint not null
  )`,
  sql`create table share_links (
    id text primary key,
    site_id text not null references sites (id) on delete cascade,
    hash text not null unique,
    name text not null,
    created_at bigint not null,
    revoked_at bigint,
    shows_properties integer not null default 0,
    fewest integer not null default 3,
    shows_credit integer not null default 1,
    embedded_on text not null default '[]',
    is_public integer not null default 0,
    is_indexed integer not null default 0,
    note text not null default '',
    rules text not null default '{}',
    theme text,
    arrangement text,
    password_hash text,
    expires_at bigint,
    paused_at bigint,
    last_used_at bigint
  )`,
  sql`create index share_links_site on share_links (site_id)`,
  // at most one public link a site
  sql`create unique index share_links_public on share_links (site_id) where is_public = 1 and revoked_at is null`,
  sql`create table share_views (
    link_id text not null references share_links (id) on delete cascade,
    site_id text not null references sites (id) on delete cascade,
    day text not null,
    views bigint not null,
    constraint share_views_once primary key (link_id, day)
  )`,
  sql`create index share_views_site on share_views (site_id)`,
  sql`create table share_drafts (
    site_id text not null references sites (id) on delete cascade,
    user_id text not null references users (id) on delete cascade,
    hash text not null unique,
    content text not null,
    changed_at bigint not null,
    constraint share_drafts_once primary key (site_id, user_id)
  )`,
  sql`create index share_drafts_user on share_drafts (user_id)`,
  sql`create table arrangements (
    user_id text not null references users (id) on delete cascade,
    site_id text not null references sites (id) on delete cascade,
    content text not null,
    constraint arrangements_once primary key (user_id, site_id)
  )`,
  sql`create index arrangements_site on arrangements (site_id)`,
  sql`create table ingest_tokens (
    id text primary key,
    site_id text not null references sites (id) on delete cascade,
    prefix text not null,
    hash text not null unique,
    created_at bigint not null,
    last_used_at bigint,
    revoked_at bigint
  )`,
  sql`create index ingest_tokens_site on ingest_tokens (site_id)`,
  sql`create table goals (
    id text primary key,
    site_id text not null references sites (id) on delete cascade,
    name text not null,
    definition text not null,
    created_at bigint not null,
    position integer not null default 0
  )`,
  sql`create index goals_site on goals (site_id)`,
  sql`create table funnels (
    id text primary key,
    site_id text not null references sites (id) on delete cascade,
    name text not null,
    definition text not null,
    created_at bigint not null,
    position integer not null default 0
  )`,
  sql`create index funnels_site on funnels (site_id)`,
  sql`create table segments (
    id text primary key,
    site_id text not null references sites (id) on delete cascade,
    user_id text references users (id) on delete cascade,
    name text not null,
    definition text not null,
    created_at bigint not null
  )`,
  sql`create index segments_site on segments (site_id)`,
  sql`create table notes (
    id text primary key,
    site_id text not null references sites (id) on delete cascade,
    day text not null,
    text text not null,
    is_private integer not null,
    created_at bigint not null
  )`,
  sql`create index notes_site on notes (site_id)`,
  sql`create table purges (
    id text primary key,
    site_id text not null references sites (id) on delete cascade,
    name text not null,
    definition text not null,
    first_day text not null,
    last_day text not null,
    state text not null,
    counts text not null,
    created_at bigint not null,
    claimed_until bigint
  )`,
  sql`create index purges_site on purges (site_id)`,
  sql`create table drops (
    site_id text not null,
    day text not null,
    reason text not null,
    count bigint not null,
    constraint drops_once primary key (site_id, day, reason)
  )`,
  sql`create table deletions (
    site_id text primary key,
    deleted_at bigint not null
  )`,
];
