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

/** Empties SQLite's write-ahead log, which still holds deleted rows after they are overwritten in the database file. */
export async function emptyLog({ db, form }: Directory): Promise<void> {
  if (form === 'sqlite') await sql`pragma wal_checkpoint(truncate)`.execute(db);
}

/** A full vacuum locks its table. Larger tables than this get a plain vacuum, which frees the space of dead rows for new ones. */
const MAX_REWRITTEN_BYTES = 64 * 1024 * 1024;

/** How to vacuum each table that holds rows of sites. */
const VACUUM = {
  sites: { full: sql`vacuum (full) sites`, plain: sql`vacuum sites` },
  share_links: { full: sql`vacuum (full) share_links`, plain: sql`vacuum share_links` },
  ingest_tokens: { full: sql`vacuum (full) ingest_tokens`, plain: sql`vacuum ingest_tokens` },
  goals: { full: sql`vacuum (full) goals`, plain: sql`vacuum goals` },
  funnels: { full: sql`vacuum (full) funnels`, plain: sql`vacuum funnels` },
  drops: { full: sql`vacuum (full) drops`, plain: sql`vacuum drops` },
  imports: { full: sql`vacuum (full) imports`, plain: sql`vacuum imports` },
  webhook_deliveries: { full: sql`vacuum (full) webhook_deliveries`, plain: sql`vacuum webhook_deliveries` },
} satisfies Partial<Record<keyof Tables, { full: RawBuilder<unknown>; plain: RawBuilder<unknown> }>>;

/**
 * Removes deleted rows from PostgreSQL's files, where they otherwise stay until they are overwritten. It waits at most a second for a table
 * in use. Such a table, and a database that forbids vacuum, keep their dead rows until the next time.
 */
export async function dropDeadRows({ db, form }: Directory): Promise<void> {
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
