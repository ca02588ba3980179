// The directory database holds what people set up: accounts, sites, keys. It is SQLite (embedded) or PostgreSQL, behind one Kysely
// interface. Opening it runs the migrations.
import { Kysely, type RawBuilder, sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import { Refusal } from '../errors.ts';
import { migrationsFor } from './migrations.ts';
import type { Tables } from './schema.ts';

/** The SQLite file in DATA_DIR. */
export const DIRECTORY_FILE = 'directory.sqlite';

export type Directory = {
  readonly db: Kysely<Tables>;
  readonly form: 'sqlite' | 'postgres';
  /** Resolves if the database answers; rejects with Unavailable if it does not. */
  ping(): Promise<void>;
  close(): Promise<void>;
};

/** Opens `databaseUrl` (PostgreSQL), or else the SQLite file at `path`. Several processes may have it open at the same time. */
export async function openDirectory(options: {
  databaseUrl?: string | undefined;
  path: string;
  /** The last migration to run, for loading rows of an earlier version. The database must have no tables yet. */
  upTo?: string;
}): Promise<Directory> {
  const { databaseUrl, upTo } = options;
  const form = databaseUrl ? 'postgres' : 'sqlite';
  let db: Kysely<Tables>;
  if (databaseUrl) {
    const { PATIENCE, PATIENCE_AT_START, postgresDialect } = await import('./postgres.ts');
    const first = new Kysely<Tables>({ dialect: postgresDialect(databaseUrl, PATIENCE_AT_START) });
    await migrate(first, form, upTo).finally(() => first.destroy());
    db = new Kysely<Tables>({ dialect: postgresDialect(databaseUrl, PATIENCE) });
  } else {
    db = new Kysely<Tables>({ dialect: (await import('./sqlite.ts')).sqliteDialect(options.path) });
    await migrate(db, form, upTo).catch(async (error: unknown) => {
      await db.destroy();
      throw error;
    });
  }
  return {
    db,
    form,
    ping: async () => void (await sql`select 1`.execute(db)),
    close: () => db.destroy(),
  };
}

async function migrate(db: Kysely<Tables>, form: Directory['form'], upTo: string | undefined): Promise<void> {
  if (upTo !== undefined && (await db.introspection.getTables()).length > 0)
    throw new Refusal('bad_request', 'DATABASE_URL: this database already has tables: name an empty one.');
  const migrator = new Migrator({ db, provider: migrationsFor(form) });
  const { error } = await (upTo === undefined ? migrator.migrateToLatest() : migrator.migrateTo(upTo));
  if (error) throw error;
}

/** True if a statement failed because it would have duplicated a unique value. */
export function isDuplicate(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('code' in error && error.code === '23505') return true; // PostgreSQL: unique_violation
  return 'errcode' in error && (error.errcode === 2067 || error.errcode === 1555); // SQLite: unique, primary key
}

/** Removes deleted rows from the database's files, where they would otherwise stay until they are overwritten. */
export async function cleanFiles(directory: Directory): Promise<void> {
  await emptyLog(directory);
  await dropDeadRows(directory);
}

/** Empties SQLite's write-ahead log, which still holds deleted rows after they are overwritten in the database file. */
export async function emptyLog({ db, form }: Directory): Promise<void> {
  if (form === 'sqlite') await sql`pragma wal_checkpoint(truncate)`.execute(db);
}

/** A full vacuum locks its table. Larger tables than this get a plain vacuum, which frees the space of dead rows for new ones. */
const MAX_REWRITTEN_BYTES = 64 * 1024 * 1024;

/** The tables that hold nothing of people and sites. */
type Impersonal =
  | 'salts'
  | 'packages'
  | 'favicons'
  | 'first_start'
  | 'secrets'
  | 'leases'
  | 'jobs'
  | 'billing_events'
  | 'deletions'
  | 'released_domains';

/** How to vacuum each of the others. */
const VACUUM = {
  users: { full: sql`vacuum (full) users`, plain: sql`vacuum users` },
  sessions: { full: sql`vacuum (full) sessions`, plain: sql`vacuum sessions` },
  credentials: { full: sql`vacuum (full) credentials`, plain: sql`vacuum credentials` },
  authenticators: { full: sql`vacuum (full) authenticators`, plain: sql`vacuum authenticators` },
  recovery_codes: { full: sql`vacuum (full) recovery_codes`, plain: sql`vacuum recovery_codes` },
  passkeys: { full: sql`vacuum (full) passkeys`, plain: sql`vacuum passkeys` },
  verifications: { full: sql`vacuum (full) verifications`, plain: sql`vacuum verifications` },
  identities: { full: sql`vacuum (full) identities`, plain: sql`vacuum identities` },
  email_changes: { full: sql`vacuum (full) email_changes`, plain: sql`vacuum email_changes` },
  sign_ups: { full: sql`vacuum (full) sign_ups`, plain: sql`vacuum sign_ups` },
  accounts: { full: sql`vacuum (full) accounts`, plain: sql`vacuum accounts` },
  billing_customers: { full: sql`vacuum (full) billing_customers`, plain: sql`vacuum billing_customers` },
  members: { full: sql`vacuum (full) members`, plain: sql`vacuum members` },
  member_sites: { full: sql`vacuum (full) member_sites`, plain: sql`vacuum member_sites` },
  invitations: { full: sql`vacuum (full) invitations`, plain: sql`vacuum invitations` },
  account_log: { full: sql`vacuum (full) account_log`, plain: sql`vacuum account_log` },
  sites: { full: sql`vacuum (full) sites`, plain: sql`vacuum sites` },
  transfers: { full: sql`vacuum (full) transfers`, plain: sql`vacuum transfers` },
  api_keys: { full: sql`vacuum (full) api_keys`, plain: sql`vacuum api_keys` },
  share_links: { full: sql`vacuum (full) share_links`, plain: sql`vacuum share_links` },
  ingest_tokens: { full: sql`vacuum (full) ingest_tokens`, plain: sql`vacuum ingest_tokens` },
  goals: { full: sql`vacuum (full) goals`, plain: sql`vacuum goals` },
  funnels: { full: sql`vacuum (full) funnels`, plain: sql`vacuum funnels` },
  segments: { full: sql`vacuum (full) segments`, plain: sql`vacuum segments` },
  notes: { full: sql`vacuum (full) notes`, plain: sql`vacuum notes` },
  mention_rules: { full: sql`vacuum (full) mention_rules`, plain: sql`vacuum mention_rules` },
  mention_pauses: { full: sql`vacuum (full) mention_pauses`, plain: sql`vacuum mention_pauses` },
  mention_searches: { full: sql`vacuum (full) mention_searches`, plain: sql`vacuum mention_searches` },
  mentions: { full: sql`vacuum (full) mentions`, plain: sql`vacuum mentions` },
  alerts: { full: sql`vacuum (full) alerts`, plain: sql`vacuum alerts` },
  incidents: { full: sql`vacuum (full) incidents`, plain: sql`vacuum incidents` },
  search_connections: { full: sql`vacuum (full) search_connections`, plain: sql`vacuum search_connections` },
  drops: { full: sql`vacuum (full) drops`, plain: sql`vacuum drops` },
  imports: { full: sql`vacuum (full) imports`, plain: sql`vacuum imports` },
  import_secrets: { full: sql`vacuum (full) import_secrets`, plain: sql`vacuum import_secrets` },
  domain_claims: { full: sql`vacuum (full) domain_claims`, plain: sql`vacuum domain_claims` },
  mails: { full: sql`vacuum (full) mails`, plain: sql`vacuum mails` },
  mail_refusals: { full: sql`vacuum (full) mail_refusals`, plain: sql`vacuum mail_refusals` },
  webhooks: { full: sql`vacuum (full) webhooks`, plain: sql`vacuum webhooks` },
  site_groups: { full: sql`vacuum (full) site_groups`, plain: sql`vacuum site_groups` },
  group_sites: { full: sql`vacuum (full) group_sites`, plain: sql`vacuum group_sites` },
  reports: { full: sql`vacuum (full) reports`, plain: sql`vacuum reports` },
  report_recipients: { full: sql`vacuum (full) report_recipients`, plain: sql`vacuum report_recipients` },
  report_runs: { full: sql`vacuum (full) report_runs`, plain: sql`vacuum report_runs` },
  webhook_deliveries: { full: sql`vacuum (full) webhook_deliveries`, plain: sql`vacuum webhook_deliveries` },
} satisfies Record<Exclude<keyof Tables, Impersonal>, { full: RawBuilder<unknown>; plain: RawBuilder<unknown> }>;

/** PostgreSQL. Waits at most a second for a table in use. Such a table, and a database that forbids vacuum, keep their dead rows until the next time. */
async function dropDeadRows({ db, form }: Directory): Promise<void> {
  if (form !== 'postgres') return;
  await db.connection().execute(async (one) => {
    await sql`set lock_timeout = '1s'`.execute(one);
    for (const [table, { full, plain }] of Object.entries(VACUUM)) {
      const { rows } = await sql<{ bytes: string }>`select pg_total_relation_size(${table}) as bytes`.execute(one);
      const statement = Number(rows[0]?.bytes) > MAX_REWRITTEN_BYTES ? plain : full;
      await statement.execute(one).catch(() => undefined);
    }
    await sql`reset lock_timeout`.execute(one);
  });
}
