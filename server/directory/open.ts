// The directory database holds what people set up: accounts, sites, keys. It is SQLite (embedded) or PostgreSQL, behind one Kysely
// interface. Opening it runs the migrations.
import { setTimeout as pause } from 'node:timers/promises';
import { Kysely, sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import { type EarlierStore, madeByAnotherVersion, NeedsUpgrade, Refusal } from '../errors.ts';
import { type Migrations, migrationsFor } from './migrations.ts';
import type { Tables } from './schema.ts';
import { PERSONAL } from './tables.ts';
import { t } from '../vocabulary/habits/messages.ts';

/** The SQLite file in DATA_DIR. */
export const DIRECTORY_FILE = 'directory.sqlite';

export type Directory = {
  readonly db: Kysely<Tables>;
  readonly form: 'sqlite' | 'postgres';
  /** Resolves if the database answers; rejects with Unavailable if it does not. */
  ping(): Promise<void>;
  close(): Promise<void>;
};

type Options = {
  databaseUrl?: string | undefined;
  path: string;
  /** The last migration to run, for loading rows of an earlier version. The database must have no tables yet. */
  upTo?: string;
  /** Those of this version by default. */
  migrations?: Migrations;
  earlier?: EarlierStore | undefined;
};

/**
 * Opens `databaseUrl` (PostgreSQL), or else the SQLite file at `path`. Several processes may have it open at the same time. Throws a Refusal
 * if a migration that this version does not know was run there.
 */
export async function openDirectory(options: Options): Promise<Directory> {
  const { databaseUrl } = options;
  const form = databaseUrl ? 'postgres' : 'sqlite';
  let db: Kysely<Tables>;
  if (databaseUrl) {
    const { PATIENCE, PATIENCE_AT_START, postgresDialect } = await import('./postgres.ts');
    const first = new Kysely<Tables>({ dialect: postgresDialect(databaseUrl, PATIENCE_AT_START) });
    await migrate(first, form, options).finally(() => first.destroy());
    db = new Kysely<Tables>({ dialect: postgresDialect(databaseUrl, PATIENCE) });
  } else {
    db = new Kysely<Tables>({ dialect: (await import('./sqlite.ts')).sqliteDialect(options.path) });
    await migrate(db, form, options).catch(async (error: unknown) => {
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

async function migrate(db: Kysely<Tables>, form: Directory['form'], options: Options): Promise<void> {
  const { upTo, migrations = migrationsFor(form), earlier = 'migrate' } = options;
  const place = form === 'sqlite' ? `DATA_DIR: ${options.path}` : t('DATABASE_URL: this database');
  if (upTo !== undefined && (await db.introspection.getTables()).length > 0)
    throw new Refusal('bad_request', t('DATABASE_URL: this database already has tables: name an empty one.'));
  const run = async (on: Kysely<Tables>) => {
    const migrator = new Migrator({ db: on, provider: { getMigrations: () => Promise.resolve(migrations) } });
    if (earlier !== 'migrate') {
      const known = await migrator.getMigrations();
      const isUsed = known.some(({ executedAt }) => executedAt);
      const isEarlier = isUsed && known.some(({ executedAt }) => !executedAt);
      if (isEarlier && earlier === 'refuse') throw new NeedsUpgrade(place);
      if (isEarlier) return;
    }
    const { error } = await (upTo === undefined ? migrator.migrateToLatest() : migrator.migrateTo(upTo));
    if (error instanceof Error && UNKNOWN_MIGRATION.test(error.message)) throw madeByAnotherVersion(place);
    if (error) throw error;
  };
  if (form === 'sqlite') return run(db);
  await db.transaction().execute(async (trx) => {
    await lockMigrations.execute(trx);
    await run(trx);
  });
}

/** An error that Kysely throws before it changes anything. */
const UNKNOWN_MIGRATION = /previously executed migration \S+ is missing$/;

/** PostgreSQL: keeps out other processes that start. The lock is of the transaction, since PgBouncer may give each transaction another session. */
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

/** How often tables in use are tried again, for a second in all. */
const [PASSES, PASS_MS] = [5, 250];

/**
 * PostgreSQL. A table that stays in use, and all of them if the database forbids vacuum, keep their dead rows until the next time. Nothing
 * here depends on a session, such as a lock timeout would: PgBouncer may give each statement another one.
 */
async function dropDeadRows({ db, form }: Directory): Promise<void> {
  let left = form === 'postgres' ? PERSONAL : [];
  for (let pass = 0; pass < PASSES && left.length > 0; pass += 1) {
    if (pass > 0) await pause(PASS_MS);
    const tried = left;
    left = [];
    for (const one of tried) if (!(await vacuum(db, one))) left.push(one);
  }
}

/** Returns false if the table was in use. A full vacuum gives the table a new file. */
async function vacuum(db: Kysely<Tables>, table: keyof Tables): Promise<boolean> {
  const facts = async () => {
    const asked = sql<{ bytes: string; file: number }>`
      select pg_total_relation_size(${table}) as bytes, pg_relation_filenode(${table}) as file`;
    return (await asked.execute(db)).rows[0];
  };
  const before = await facts();
  const isLarge = Number(before?.bytes) > MAX_REWRITTEN_BYTES;
  const how = isLarge ? sql`(skip_locked)` : sql`(full, skip_locked)`;
  await sql`vacuum ${how} ${sql.table(table)}`.execute(db).catch(() => undefined);
  return isLarge || (await facts())?.file !== before?.file;
}
