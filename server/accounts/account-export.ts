// What the directory holds about an account, for the export that its owners download. Never a secret, nor the hash of one.
import type { Directory } from '../directory/open.ts';
import type { Tables } from '../directory/schema.ts';

type Name = keyof Tables;
type Row = Record<string, unknown>;

/** `of`: which rows belong to an account. `without`: columns that hold secrets, or what only the server itself can use. */
type Exported = { of: 'account' | 'site'; without?: readonly string[] };

/** Says for each table whether an export includes its rows, and if not, why. */
export const EXPORTED: Record<Name, Exported | { not: string }> = {
  accounts: { of: 'account' },
  sites: { of: 'account' },
  goals: { of: 'site' },
  funnels: { of: 'site' },
  segments: { of: 'site' },
  notes: { of: 'site' },
  purges: { of: 'site', without: ['claimed_until'] },
  mention_rules: { of: 'site' },
  mention_searches: { of: 'site', without: ['etag', 'last_modified', 'known_for'] },
  mentions: { of: 'site' },
  alerts: { of: 'site' },
  incidents: { of: 'site' },
  search_connections: { of: 'site', without: ['token', 'grant_id', 'google_account'] },
  drops: { of: 'site' },
  imports: { of: 'site', without: ['fingerprint'] },
  exports: { not: 'files for a download' },
  export_parts: { not: 'files for a download' },
  share_links: { of: 'site', without: ['hash', 'password_hash'] },
  share_views: { of: 'site' },
  share_drafts: { not: 'a link that was never made' },
  arrangements: { not: 'belongs to its person' },
  feeds: { not: 'belongs to its person' },
  transfers: { of: 'site', without: ['hash'] },
  ingest_tokens: { of: 'site', without: ['hash'] },
  api_keys: { of: 'account', without: ['hash'] },
  members: { of: 'account' },
  member_sites: { of: 'account' },
  site_groups: { of: 'account' },
  group_sites: { of: 'site' },
  invitations: { of: 'account', without: ['hash'] },
  account_log: { of: 'account' },
  billing_customers: { of: 'account', without: ['version'] },
  webhooks: { of: 'account', without: ['url', 'secret', 'previous_secret'] },
  webhook_deliveries: { of: 'site' },
  reports: { of: 'account' },
  report_runs: { of: 'account' },
  report_recipients: { not: 'a recipient’s address belongs to the recipient' },
  domain_claims: { of: 'account' },
  released_domains: { of: 'account' },
  users: { not: 'each person exports their own; members have the e-mail address' },
  credentials: { not: 'secrets of persons' },
  authenticators: { not: 'secrets of persons' },
  recovery_codes: { not: 'secrets of persons' },
  passkeys: { not: 'secrets of persons' },
  identities: { not: 'belongs to its person' },
  email_changes: { not: 'belongs to its person' },
  sign_ups: { not: 'belongs to its person' },
  sessions: { not: 'secrets of persons' },
  verifications: { not: 'secrets of persons' },
  mails: { not: 'a mail belongs to its recipient' },
  mail_refusals: { not: 'belongs to its recipient' },
  search_withdrawals: { not: 'a secret' },
  import_secrets: { not: 'a secret' },
  salts: { not: 'a secret' },
  secrets: { not: 'a secret' },
  first_start: { not: 'a secret' },
  billing_events: { not: 'of the server' },
  deletions: { not: 'of the server' },
  packages: { not: 'of the server' },
  releases: { not: 'of the server' },
  favicons: { not: 'of the server' },
  leases: { not: 'of the server' },
  jobs: { not: 'of the server' },
  mention_pauses: { not: 'of the server' },
};

const TEXT_OF_JSON: readonly string[] = [
  'definition',
  'counts',
  'rules',
  'history',
  'settings',
  'viewed',
  'webhooks',
  'extra_hosts',
  'site_ids',
  'tally',
  'subscribed',
];
const INSTANT = /_(at|until)$/;

/** Returns the rows of each exported table of an account as people can read them. */
export async function exportAccount(directory: Directory, accountId: string): Promise<[name: string, rows: Row[]][]> {
  const files: [string, Row[]][] = [];
  for (const [table, how] of Object.entries(EXPORTED) as [Name, Exported | { not: string }][])
    if ('of' in how)
      files.push([table, (await rowsOf(directory, { table, how, accountId })).map((row) => shown(row, how))]);
  return files;
}

/** The rows of some tables that belong to one site, and its own row. */
export function rowsOfSite(all: readonly [name: string, rows: Row[]][], siteId: string): [name: string, rows: Row[]][] {
  return all.flatMap(([name, rows]): [string, Row[]][] => {
    const how = EXPORTED[name as Name];
    if (name === 'sites') return [[name, rows.filter(({ id }) => id === siteId)]];
    return 'of' in how && how.of === 'site' ? [[name, rows.filter(({ site_id }) => site_id === siteId)]] : [];
  });
}

/** Tables whose rows name a person of the account, who is given with their e-mail address. */
const WITH_PEOPLE: readonly Name[] = ['members', 'account_log', 'imports'];

async function rowsOf(
  directory: Directory,
  { table, how, accountId }: { table: Name; how: Exported; accountId: string },
): Promise<Row[]> {
  const { db } = directory;
  const rows = await selected(directory, { table, how, accountId });
  if (!WITH_PEOPLE.includes(table) || rows.length === 0) return rows; // no form of SQL has an empty list
  const people = await db.selectFrom('users').select(['id', 'email']).where('id', 'in', idsIn(rows)).execute();
  const emails = new Map(people.map(({ id: userId, email }) => [userId, email]));
  return rows.map((row) => ({ ...row, email: emails.get(String(row['user_id'])) ?? null }));
}

/** The compiler sees the tables of each kind as one of them. */
async function selected(
  { db }: Directory,
  { table, how, accountId }: { table: Name; how: Exported; accountId: string },
): Promise<Row[]> {
  if (table === 'accounts') return db.selectFrom('accounts').selectAll().where('id', '=', accountId).execute();
  const personal = db.selectFrom('reports').where('personal', '=', 1);
  if (table === 'reports')
    return db.selectFrom('reports').selectAll().where('account_id', '=', accountId).where('personal', '=', 0).execute();
  if (table === 'report_runs')
    return db
      .selectFrom('report_runs')
      .selectAll()
      .where('account_id', '=', accountId)
      .where('report_id', 'not in', personal.select('id'))
      .execute();
  if (how.of === 'account')
    return db
      .selectFrom(table as 'api_keys')
      .selectAll()
      .where('account_id', '=', accountId)
      .execute();
  const sites = db.selectFrom('sites').select('id').where('account_id', '=', accountId);
  const own = db
    .selectFrom(table as 'segments')
    .selectAll()
    .where('site_id', 'in', sites);
  // Segments of persons are theirs alone, as personal reports are.
  return table === 'segments' ? own.where('user_id', 'is', null).execute() : own.execute();
}

const idsIn = (rows: Row[]) => [...new Set(rows.map((row) => String(row['user_id'])))];

function shown(row: Row, { without = [] }: Exported): Row {
  const entries = Object.entries(row).filter(([name]) => !without.includes(name));
  return Object.fromEntries(entries.map(([name, value]) => [name, readable(name, value)]));
}

function readable(name: string, value: unknown): unknown {
  if (value === null) return null;
  if (TEXT_OF_JSON.includes(name)) return JSON.parse(String(value));
  return INSTANT.test(name) ? new Date(Number(value)).toISOString() : value;
}
