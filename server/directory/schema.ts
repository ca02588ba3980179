// What the directory database holds, table by table. Instants are milliseconds since the epoch (UTC), flags are 0 or 1,
// lists and settings are JSON text, so that SQLite and PostgreSQL hand out the same values.
import type { Selectable } from 'kysely';
import type { SiteId } from '../event.ts';

export const ROLES = ['owner', 'admin', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

export const PLANS = ['starter', 'pro'] as const;
export type Plan = (typeof PLANS)[number];

export const STATUSES = ['trialing', 'active', 'cancelled', 'expired'] as const;
export type Status = (typeof STATUSES)[number];

/** `operator`: made on the first-start page. `demo`: made by `manage seed`. Only a `customer` has a trial and a quota. */
export const KINDS = ['customer', 'operator', 'demo'] as const;
export type Kind = (typeof KINDS)[number];

export type Flag = 0 | 1;
type Json = string;

export type Tables = {
  users: {
    id: string;
    name: string;
    email: string;
    email_verified: Flag;
    image: string | null;
    created_at: number;
    updated_at: number;
  };
  /** No columns for address and user agent: what has no place cannot be kept. */
  sessions: {
    id: string;
    /** SHA-256 of the token in the cookie. */
    token: string;
    user_id: string;
    expires_at: number;
    created_at: number;
    updated_at: number;
  };
  credentials: {
    id: string;
    user_id: string;
    account_id: string;
    provider_id: string;
    password: string | null;
    created_at: number;
    updated_at: number;
  };
  verifications: {
    id: string;
    identifier: string;
    value: string;
    expires_at: number;
    created_at: number;
    updated_at: number;
  };
  accounts: {
    id: string;
    name: string;
    kind: Kind;
    plan: Plan;
    status: Status;
    /** Null for a trial that began with the account: it ends after TRIAL_MS where there is billing, and never elsewhere. */
    trial_ends_at: number | null;
    paid_until: number | null;
    created_at: number;
  };
  members: { account_id: string; user_id: string; role: Role; created_at: number };
  sites: {
    id: SiteId;
    account_id: string;
    domain: string;
    created_at: number;
    paused: Flag;
    extra_hosts: Json;
    respects_gpc: Flag;
    /** Chosen by the owner. */
    currency: string | null;
    /** That of the first payment seen. */
    proposed_currency: string | null;
    max_amount: number;
    settings: Json;
    last_event_at: number | null;
  };
  api_keys: {
    id: string;
    account_id: string;
    name: string;
    prefix: string;
    hash: string;
    created_at: number;
    last_used_at: number | null;
    revoked_at: number | null;
  };
  share_links: {
    id: string;
    site_id: SiteId;
    token_hash: string;
    name: string;
    created_at: number;
    revoked_at: number | null;
    /** The properties of events; numbers made by fewer than three visitors. */
    shows_properties: Flag;
    shows_few: Flag;
  };
  /** What the servers of a site send with; see `ingest.ts`. */
  ingest_tokens: {
    id: string;
    site_id: SiteId;
    prefix: string;
    hash: string;
    created_at: number;
    last_used_at: number | null;
    revoked_at: number | null;
  };
  goals: { id: string; site_id: SiteId; name: string; definition: Json; created_at: number };
  funnels: { id: string; site_id: SiteId; name: string; definition: Json; created_at: number };
  /** One random secret for each UTC day, destroyed when the day is over. */
  salts: { day: string; secret: string; created_at: number };
  drops: { site_id: SiteId; day: string; reason: string; count: number };
  /** Access logs that were imported, or are being so, each known by its content. */
  imports: {
    id: string;
    site_id: SiteId;
    fingerprint: string;
    /** Lines that are in the queue or were left out for good. */
    lines_done: number;
    /** What became of them. */
    tally: Json;
    created_at: number;
    finished_at: number | null;
  };
  /** What the visitor ids of an unfinished import are made from; gone once it is finished. */
  import_secrets: { import_id: string; secret: string; created_at: number };
  /** Sites that are gone, until nothing of them can still be on its way into the store. */
  deletions: { site_id: SiteId; deleted_at: number };
  /** Every version of the package `footfall` that was served, in base64; see `packages.ts`. */
  packages: { name: string; archive: string; created_at: number };
  /** See `released.ts`. The account may be gone. */
  released_domains: { domain: string; account_id: string; released_at: number };
  first_start: { token_hash: string; created_at: number };
  /** Random keys of the server itself, made once. */
  secrets: { name: string; value: string; created_at: number };
};

export type Account = Selectable<Tables['accounts']>;
export type User = Selectable<Tables['users']>;
