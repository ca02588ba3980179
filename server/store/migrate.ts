// Migrates the event store's schema: runs each file of schema/ once, in the order of their names, and then adds the columns of event.ts that no
// file has. Every statement can run twice (IF NOT EXISTS), so that the next start finishes a migration that was killed half-way.
import { readdir, readFile } from 'node:fs/promises';
import { type EarlierStore, madeByAnotherVersion, NeedsUpgrade } from '../errors.ts';
import { addColumn, COLUMN_STAMPS, missingColumns } from './columns.ts';
import type { Client } from './hosts.ts';

const SCHEMA = new URL('./schema/', import.meta.url);

type Options = { folder?: URL; earlier?: EarlierStore | undefined };

/** Throws a Refusal if a migration that this version does not know was run in the store, which `place` names. */
export async function migrateStore(
  client: Client,
  place: string,
  { folder = SCHEMA, earlier = 'migrate' }: Options = {},
): Promise<void> {
  await client.command({
    query: `CREATE TABLE IF NOT EXISTS migrations (name String, at DateTime('UTC') DEFAULT now()) ENGINE = MergeTree ORDER BY name
      SETTINGS fsync_after_insert = 1`,
  });
  const answer = await client.query({ query: 'SELECT DISTINCT name FROM migrations', format: 'JSONEachRow' });
  const done = new Set((await answer.json<{ name: string }>()).map((row) => row.name));
  const files = await migrationFiles(folder);
  const known = new Set([...files, ...COLUMN_STAMPS]);
  if ([...done].some((name) => !known.has(name))) throw madeByAnotherVersion(place);
  const missing = files.filter((file) => !done.has(file));
  if (earlier !== 'migrate' && done.size > 0) {
    const isEarlier = missing.length > 0 || (await missingColumns(client)).length > 0;
    if (isEarlier && earlier === 'refuse') throw new NeedsUpgrade(place);
    return;
  }
  for (const name of missing) {
    for (const query of await statementsOf(new URL(name, folder))) await client.command({ query });
    await client.insert({ table: 'migrations', values: [{ name }], columns: ['name'], format: 'JSONEachRow' });
  }
  for (const column of await missingColumns(client)) await addColumn(client, column);
}

/** The names of all migrations of this version. */
export async function knownMigrations(): Promise<string[]> {
  return [...(await migrationFiles(SCHEMA)), ...COLUMN_STAMPS];
}

async function migrationFiles(folder: URL): Promise<string[]> {
  return (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort();
}

/** Returns the engine of a table of schema/, with its order and partitions but without settings. The last file that makes it counts. */
export async function engineOf(table: string): Promise<string> {
  let found: string | undefined;
  for (const name of await migrationFiles(SCHEMA))
    for (const sql of await statementsOf(new URL(name, SCHEMA))) {
      const [, created] = /^CREATE TABLE IF NOT EXISTS (\w+) /m.exec(sql) ?? [];
      if (created === table) found = sql.slice(sql.indexOf('\nENGINE = ') + 1, sql.lastIndexOf('\nSETTINGS '));
    }
  if (found === undefined) throw new Error(`No file of schema/ creates ${table}.`);
  return found;
}

/** A statement ends with a semicolon at the end of a line. */
async function statementsOf(file: URL): Promise<string[]> {
  return (await readFile(file, 'utf8'))
    .split(/;\s*$/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement.replaceAll(/^--.*$/gm, '').trim() !== '');
}
