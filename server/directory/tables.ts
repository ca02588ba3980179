// What the rest of the directory needs to know about each table: whether a backup includes it, and whether it is about people and sites.
import type { Tables } from './schema.ts';

/** Says for each table whether a backup includes it. Tables come after those that they refer to. */
export const ARCHIVED: Record<keyof Tables, 'kept' | 'left out'> = {
  users: 'kept',
  credentials: 'kept',
  identities: 'kept',
  authenticators: 'kept',
  recovery_codes: 'kept',
  passkeys: 'kept',
  accounts: 'kept',
  billing_customers: 'kept',
  billing_events: 'kept',
  members: 'kept',
  account_log: 'kept',
  sites: 'kept',
  member_sites: 'kept',
  site_groups: 'kept',
  group_sites: 'kept',
  api_keys: 'kept',
  share_links: 'kept',
  share_views: 'kept',
  share_drafts: 'left out',
  arrangements: 'kept',
  ingest_tokens: 'kept',
  feeds: 'kept',
  goals: 'kept',
  funnels: 'kept',
  segments: 'kept',
  notes: 'kept',
  purges: 'kept',
  mention_rules: 'kept',
  mention_searches: 'kept',
  mention_pauses: 'kept',
  mentions: 'kept',
  webhooks: 'kept',
  reports: 'kept',
  report_recipients: 'kept',
  report_runs: 'kept',
  alerts: 'kept',
  incidents: 'kept',
  drops: 'kept',
  imports: 'kept',
  exports: 'left out', // their files are, too
  export_parts: 'left out',
  deletions: 'kept',
  released_domains: 'kept',
  domain_claims: 'kept',
  secrets: 'kept',
  packages: 'kept',
  jobs: 'kept',
  mail_refusals: 'kept',
  mails: 'left out', // a mail may hold a link that gives access, and a restored one would be sent a second time
  webhook_deliveries: 'left out', // a restored one would be sent a second time
  search_connections: 'left out', // the event store's rows of it are, too: connecting again reads 16 months
  search_withdrawals: 'left out', // holds tokens of connections that have ended
  salts: 'left out',
  import_secrets: 'left out',
  sessions: 'left out',
  verifications: 'left out',
  email_changes: 'left out',
  sign_ups: 'left out',
  invitations: 'left out',
  transfers: 'left out',
  favicons: 'left out',
  first_start: 'left out',
  releases: 'left out',
  leases: 'left out',
};

const IMPERSONAL: readonly (keyof Tables)[] = [
  'salts',
  'packages',
  'favicons',
  'first_start',
  'releases',
  'secrets',
  'leases',
  'jobs',
  'billing_events',
  'deletions',
  'released_domains',
];

/** The tables that hold something of people and sites. */
export const PERSONAL = (Object.keys(ARCHIVED) as (keyof Tables)[]).filter((name) => !IMPERSONAL.includes(name));
