// Accounts, their members, keys and bills, and the domains that they want or have left.
import { sql } from 'kysely';

export const accounts = [
  sql`create table accounts (
    id text primary key,
    name text not null,
    plan text not null,
    status text not null,
    trial_ends_at bigint,
    paid_until bigint,
    created_at bigint not null,
    kind text not null default 'customer',
    requires_factor integer not null default 0,
    deletes_at bigint
  )`,
  sql`create table members (
    account_id text not null references accounts (id) on delete cascade,
    user_id text not null references users (id) on delete cascade,
    role text not null,
    created_at bigint not null,
    named_sites integer not null default 0,
    constraint members_once primary key (account_id, user_id)
  )`,
  sql`create index members_user on members (user_id)`,
  sql`create table invitations (
    id text primary key,
    account_id text not null references accounts (id) on delete cascade,
    invited_by text not null references users (id) on delete cascade,
    hash text not null unique,
    role text not null,
    site_ids text,
    email text,
    created_at bigint not null,
    expires_at bigint not null
  )`,
  sql`create index invitations_account on invitations (account_id)`,
  sql`create index invitations_inviter on invitations (invited_by)`,
  sql`create table account_log (
    id text primary key,
    account_id text not null references accounts (id) on delete cascade,
    actor text not null,
    user_id text references users (id) on delete set null,
    action text not null,
    member_id text references users (id) on delete set null,
    name text,
    domain text,
    created_at bigint not null
  )`,
  sql`create index account_log_account on account_log (account_id, created_at)`,
  sql`create index account_log_member_id on account_log (member_id)`,
  sql`create index account_log_time on account_log (created_at)`,
  sql`create index account_log_user_id on account_log (user_id)`,
  sql`create table api_keys (
    id text primary key,
    account_id text not null references accounts (id) on delete cascade,
    name text not null,
    prefix text not null,
    hash text not null unique,
    created_at bigint not null,
    last_used_at bigint,
    revoked_at bigint
  )`,
  sql`create index api_keys_account on api_keys (account_id)`,
  sql`create table billing_customers (
    account_id text primary key references accounts (id) on delete cascade,
    customer_id text not null unique,
    version integer not null default 0,
    subscribed text,
    subscription_id text,
    renews_at bigint,
    read_at bigint
  )`,
  sql`create table billing_events (
    id text primary key,
    received_at bigint not null
  )`,
  sql`create table domain_claims (
    domain text not null,
    account_id text not null references accounts (id) on delete cascade,
    created_at bigint not null,
    constraint domain_claims_key primary key (domain, account_id)
  )`,
  sql`create table released_domains (
    domain text primary key,
    account_id text not null,
    released_at bigint not null
  )`,
];
