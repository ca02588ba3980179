// Saves the directory to files, one per table, and loads it. The format is the same for SQLite and PostgreSQL. Secrets that could harm
// people are left out: with a day's salt, anybody could test every address against that day's visitor ids.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Kysely, sql } from 'kysely';
import { type Directory, openDirectory } from './open.ts';
import { migrationsFor } from './migrations.ts';
import type { Tables } from './schema.ts';
import { ARCHIVED } from './tables.ts';

type Name = keyof Tables;

/** This secret signs session cookies, and sessions are left out. The next start creates a new one. */
const LEFT_OUT_SECRETS = ['sessions'];
/** Rows per statement: SQLite binds at most 32,766 values. */
const CHUNK = 500;

const kept = (Object.keys(ARCHIVED) as Name[]).filter((name) => ARCHIVED[name] === 'kept');

/** Writes a consistent snapshot, one file for each table. Returns the names of the tables and of the database's last migration. */
export async function saveDirectory(
  { db, form }: Directory,
  folder: string,
): Promise<{ tables: Name[]; last: string }> {
  const begun = db.transaction();
  const { rows, migration } = await (form === 'postgres' ? begun.setIsolationLevel('repeatable read') : begun).execute(
    async (trx) => {
      const rows = new Map<Name, object[]>();
      // A database of an earlier version, which is backed up before it is upgraded, may lack some.
      const existing = new Set((await trx.introspection.getTables()).map(({ name }) => name));
      for (const table of kept.filter((name) => existing.has(name))) rows.set(table, await readTable(trx, table));
      const last = await sql<{ name: string }>`select max(name) as name from kysely_migration`.execute(trx);
      return { rows, migration: last.rows[0]?.name ?? '' };
    },
  );
  for (const [table, all] of rows)
    await writeFile(join(folder, `${table}.ndjson`), all.map((row) => `${JSON.stringify(row)}\n`).join(''), {
      mode: 0o600,
    });
  return { tables: [...rows.keys()], last: migration };
}

async function readTable(db: Kysely<Tables>, table: Name): Promise<object[]> {
  if (table === 'secrets')
    return db.selectFrom('secrets').selectAll().where('name', 'not in', LEFT_OUT_SECRETS).execute();
  return db.selectFrom(table).selectAll().execute();
}

/** True if this version of Footfall knows the migration that a backup was made with. */
export function knowsMigration(name: string): boolean {
  return Object.hasOwn(migrationsFor('sqlite'), name);
}

/**
 * Fills a new or empty database from the text of each table's file. Its schema stops at the backup's migration: later migrations run when
 * it is next opened.
 */
export async function loadDirectory(
  place: { databaseUrl?: string | undefined; path: string },
  texts: ReadonlyMap<string, string>,
  migration: string,
): Promise<void> {
  const directory = await openDirectory({ ...place, upTo: migration });
  try {
    await directory.db.transaction().execute(async (trx) => {
      for (const table of kept) {
        const rows = readRows(texts.get(table) ?? ''); // a table that was added after the backup was made has none
        for (let start = 0; start < rows.length; start += CHUNK)
          await trx
            .insertInto(table)
            .values(rows.slice(start, start + CHUNK))
            .execute();
      }
    });
  } finally {
    await directory.close();
  }
}

function readRows(text: string): never[] {
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as never]));
}
