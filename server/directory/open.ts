// The directory database holds what people set up: accounts, sites, keys. It is SQLite (embedded) or PostgreSQL, behind one Kysely
// interface. Opening it runs the migrations.
import { setTimeout as pause } from 'node:timers/promises';
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
  const run = async (on: Kysely<Tables>) => {
    const migrator = new Migrator({ db: on, provider: migrationsFor(form) });
    const { error } = await (upTo === undefined ? migrator.migrateToLatest() : migrator.migrateTo(upTo));
    if (error) throw error;
  };
  if (form === 'sqlite') return run(db);
  await db.transaction().execute(async (trx) => {
    await lockMigrations.execute(trx);
    await run(trx);
  });
}

/**
 * PostgreSQL: keeps out other processes that start. The lock is of the transaction, since PgBouncer may give each transaction another session.
 * It is the lock that Kysely takes for a session, so that earlier versions of Footfall wait for it, too.
 */
const lockMigrations = sql`select pg_advisory_xact_lock(3853314791062309107)`;

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
  users: { full: sql`vacuum (full, skip_locked) users`, plain: sql`vacuum (skip_locked) users` },
  sessions: { full: sql`vacuum (full, skip_locked) sessions`, plain: sql`vacuum (skip_locked) sessions` },
  credentials: { full: sql`vacuum (full, skip_locked) credentials`, plain: sql`vacuum (skip_locked) credentials` },
  authenticators: {
    full: sql`vacuum (full, skip_locked) authenticators`,
    plain: sql`vacuum (skip_locked) authenticators`,
  },
  recovery_codes: {
    full: sql`vacuum (full, skip_locked) recovery_codes`,
    plain: sql`vacuum (skip_locked) recovery_codes`,
  },
  passkeys: { full: sql`vacuum (full, skip_locked) passkeys`, plain: sql`vacuum (skip_locked) passkeys` },
  verifications: {
    full: sql`vacuum (full, skip_locked) verifications`,
    plain: sql`vacuum (skip_locked) verifications`,
  },
  identities: { full: sql`vacuum (full, skip_locked) identities`, plain: sql`vacuum (skip_locked) identities` },
  email_changes: {
    full: sql`vacuum (full, skip_locked) email_changes`,
    plain: sql`vacuum (skip_locked) email_changes`,
  },
  sign_ups: { full: sql`vacuum (full, skip_locked) sign_ups`, plain: sql`vacuum (skip_locked) sign_ups` },
  accounts: { full: sql`vacuum (full, skip_locked) accounts`, plain: sql`vacuum (skip_locked) accounts` },
  billing_customers: {
    full: sql`vacuum (full, skip_locked) billing_customers`,
    plain: sql`vacuum (skip_locked) billing_customers`,
  },
  members: { full: sql`vacuum (full, skip_locked) members`, plain: sql`vacuum (skip_locked) members` },
  member_sites: { full: sql`vacuum (full, skip_locked) member_sites`, plain: sql`vacuum (skip_locked) member_sites` },
  invitations: { full: sql`vacuum (full, skip_locked) invitations`, plain: sql`vacuum (skip_locked) invitations` },
  account_log: { full: sql`vacuum (full, skip_locked) account_log`, plain: sql`vacuum (skip_locked) account_log` },
  sites: { full: sql`vacuum (full, skip_locked) sites`, plain: sql`vacuum (skip_locked) sites` },
  transfers: { full: sql`vacuum (full, skip_locked) transfers`, plain: sql`vacuum (skip_locked) transfers` },
  api_keys: { full: sql`vacuum (full, skip_locked) api_keys`, plain: sql`vacuum (skip_locked) api_keys` },
  share_links: { full: sql`vacuum (full, skip_locked) share_links`, plain: sql`vacuum (skip_locked) share_links` },
  ingest_tokens: {
    full: sql`vacuum (full, skip_locked) ingest_tokens`,
    plain: sql`vacuum (skip_locked) ingest_tokens`,
  },
  goals: { full: sql`vacuum (full, skip_locked) goals`, plain: sql`vacuum (skip_locked) goals` },
  funnels: { full: sql`vacuum (full, skip_locked) funnels`, plain: sql`vacuum (skip_locked) funnels` },
  segments: { full: sql`vacuum (full, skip_locked) segments`, plain: sql`vacuum (skip_locked) segments` },
  notes: { full: sql`vacuum (full, skip_locked) notes`, plain: sql`vacuum (skip_locked) notes` },
  purges: { full: sql`vacuum (full, skip_locked) purges`, plain: sql`vacuum (skip_locked) purges` },
  mention_rules: {
    full: sql`vacuum (full, skip_locked) mention_rules`,
    plain: sql`vacuum (skip_locked) mention_rules`,
  },
  mention_pauses: {
    full: sql`vacuum (full, skip_locked) mention_pauses`,
    plain: sql`vacuum (skip_locked) mention_pauses`,
  },
  mention_searches: {
    full: sql`vacuum (full, skip_locked) mention_searches`,
    plain: sql`vacuum (skip_locked) mention_searches`,
  },
  mentions: { full: sql`vacuum (full, skip_locked) mentions`, plain: sql`vacuum (skip_locked) mentions` },
  alerts: { full: sql`vacuum (full, skip_locked) alerts`, plain: sql`vacuum (skip_locked) alerts` },
  incidents: { full: sql`vacuum (full, skip_locked) incidents`, plain: sql`vacuum (skip_locked) incidents` },
  search_connections: {
    full: sql`vacuum (full, skip_locked) search_connections`,
    plain: sql`vacuum (skip_locked) search_connections`,
  },
  search_withdrawals: {
    full: sql`vacuum (full, skip_locked) search_withdrawals`,
    plain: sql`vacuum (skip_locked) search_withdrawals`,
  },
  drops: { full: sql`vacuum (full, skip_locked) drops`, plain: sql`vacuum (skip_locked) drops` },
  imports: { full: sql`vacuum (full, skip_locked) imports`, plain: sql`vacuum (skip_locked) imports` },
  import_secrets: {
    full: sql`vacuum (full, skip_locked) import_secrets`,
    plain: sql`vacuum (skip_locked) import_secrets`,
  },
  domain_claims: {
    full: sql`vacuum (full, skip_locked) domain_claims`,
    plain: sql`vacuum (skip_locked) domain_claims`,
  },
  mails: { full: sql`vacuum (full, skip_locked) mails`, plain: sql`vacuum (skip_locked) mails` },
  mail_refusals: {
    full: sql`vacuum (full, skip_locked) mail_refusals`,
    plain: sql`vacuum (skip_locked) mail_refusals`,
  },
  webhooks: { full: sql`vacuum (full, skip_locked) webhooks`, plain: sql`vacuum (skip_locked) webhooks` },
  site_groups: { full: sql`vacuum (full, skip_locked) site_groups`, plain: sql`vacuum (skip_locked) site_groups` },
  group_sites: { full: sql`vacuum (full, skip_locked) group_sites`, plain: sql`vacuum (skip_locked) group_sites` },
  reports: { full: sql`vacuum (full, skip_locked) reports`, plain: sql`vacuum (skip_locked) reports` },
  report_recipients: {
    full: sql`vacuum (full, skip_locked) report_recipients`,
    plain: sql`vacuum (skip_locked) report_recipients`,
  },
  report_runs: { full: sql`vacuum (full, skip_locked) report_runs`, plain: sql`vacuum (skip_locked) report_runs` },
  webhook_deliveries: {
    full: sql`vacuum (full, skip_locked) webhook_deliveries`,
    plain: sql`vacuum (skip_locked) webhook_deliveries`,
  },
} satisfies Record<Exclude<keyof Tables, Impersonal>, { full: RawBuilder<unknown>; plain: RawBuilder<unknown> }>;

/** How often tables in use are tried again, for a second in all. */
const [PASSES, PASS_MS] = [5, 250];

/**
 * PostgreSQL. A table that stays in use, and all of them if the database forbids vacuum, keep their dead rows until the next time. Nothing
 * here depends on a session, such as a lock timeout would: PgBouncer may give each statement another one.
 */
async function dropDeadRows({ db, form }: Directory): Promise<void> {
  let left = form === 'postgres' ? Object.entries(VACUUM) : [];
  for (let pass = 0; pass < PASSES && left.length > 0; pass += 1) {
    if (pass > 0) await pause(PASS_MS);
    const tried = left;
    left = [];
    for (const one of tried) if (!(await vacuum(db, one))) left.push(one);
  }
}

/** Returns false if the table was in use. A full vacuum gives the table a new file. */
async function vacuum(
  db: Kysely<Tables>,
  [table, { full, plain }]: [string, { full: RawBuilder<unknown>; plain: RawBuilder<unknown> }],
): Promise<boolean> {
  const facts = async () => {
    const asked = sql<{ bytes: string; file: number }>`
      select pg_total_relation_size(${table}) as bytes, pg_relation_filenode(${table}) as file`;
    return (await asked.execute(db)).rows[0];
  };
  const before = await facts();
  const isLarge = Number(before?.bytes) > MAX_REWRITTEN_BYTES;
  await (isLarge ? plain : full).execute(db).catch(() => undefined);
  return isLarge || (await facts())?.file !== before?.file;
}
