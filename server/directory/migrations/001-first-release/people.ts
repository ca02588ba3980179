// People, and how they sign in.
import { sql } from 'kysely';

export const people = [
  sql`create table users (
    id text primary key,
    name text not null,
    email text not null unique,
    email_verified integer not null default 0,
    image text,
    created_at bigint not null,
    updated_at bigint not null
  )`,
  sql`create table sessions (
    id text primary key,
    token text not null unique,
    user_id text not null references users (id) on delete cascade,
    expires_at bigint not null,
    created_at bigint not null,
    updated_at bigint not null,
    agent text,
    issuer_proved_at bigint,
    issuer_proved_factors integer not null default 0
  )`,
  sql`create index sessions_user on sessions (user_id)`,
  sql`create table credentials (
    id text primary key,
    user_id text not null references users (id) on delete cascade,
    account_id text not null,
    provider_id text not null,
    password text,
    created_at bigint not null,
    updated_at bigint not null,
    constraint credentials_once unique (provider_id, account_id)
  )`,
  sql`create index credentials_user on credentials (user_id)`,
  sql`create table verifications (
    id text primary key,
    identifier text not null,
    value text not null,
    expires_at bigint not null,
    created_at bigint not null,
    updated_at bigint not null
  )`,
  sql`create index verifications_identifier on verifications (identifier)`,
  sql`create table sign_ups (
    email text primary key,
    password text not null,
    expires_at bigint not null
  )`,
  sql`create table email_changes (
    user_id text primary key references users (id) on delete cascade,
    email text not null,
    old_confirmed integer not null,
    new_confirmed integer not null,
    expires_at bigint not null
  )`,
  sql`create table authenticators (
    user_id text primary key references users (id) on delete cascade,
    secret text not null,
    confirmed_at bigint,
    last_step bigint not null,
    created_at bigint not null
  )`,
  sql`create table recovery_codes (
    id text primary key,
    user_id text not null references users (id) on delete cascade,
    hash text not null,
    used_at bigint
  )`,
  sql`create index recovery_codes_user on recovery_codes (user_id)`,
  sql`create table passkeys (
    id text primary key,
    user_id text not null references users (id) on delete cascade,
    name text not null,
    credential_id text not null unique,
    public_key text not null,
    counter bigint not null,
    created_at bigint not null,
    last_used_at bigint
  )`,
  sql`create index passkeys_user on passkeys (user_id)`,
  sql`create table identities (
    issuer text not null,
    subject text not null,
    user_id text not null references users (id) on delete cascade,
    created_at bigint not null,
    constraint identities_once primary key (issuer, subject)
  )`,
  sql`create index identities_user on identities (user_id)`,
  sql`create table first_start (
    token_hash text primary key,
    created_at bigint not null
  )`,
];
