// Migrates the event store's schema: runs each file of schema/ once, in the order of their names, and then adds the columns of event.ts that no
// file has. Every statement can run twice (IF NOT EXISTS), so that the next start finishes a migration that was killed half-way.
import { readdir, readFile } from 'node:fs/promises';
import { addColumns } from './columns.ts';
import type { Client } from './hosts.ts';

const folder = new URL('./schema/', import.meta.url);

export async function migrateStore(client: Client): Promise<void> {
  await client.command({
    query: `CREATE TABLE IF NOT EXISTS migrations (name String, at DateTime('UTC') DEFAULT now()) ENGINE = MergeTree ORDER BY name
      SETTINGS fsync_after_insert = 1`,
  });
  const answer = await client.query({ query: 'SELECT DISTINCT name FROM migrations', format: 'JSONEachRow' });
  const done = new Set((await answer.json<{ name: string }>()).map((row) => row.name));
  for (const name of (await migrationFiles()).filter((file) => !done.has(file))) {
    for (const query of statements(await readFile(new URL(name, folder), 'utf8'))) await client.command({ query });
    await client.insert({ table: 'migrations', values: [{ name }], columns: ['name'], format: 'JSONEachRow' });
  }
  await addColumns(client);
}

export async function migrationFiles(): Promise<string[]> {
  return (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort();
}

/** Returns the engine of a table of schema/, with its order and partitions but without settings. */
export async function engineOf(table: string): Promise<string> {
  for (const name of await migrationFiles())
    for (const sql of statements(await readFile(new URL(name, folder), 'utf8'))) {
      const [, created] = /^CREATE TABLE IF NOT EXISTS (\w+) /m.exec(sql) ?? [];
      if (created === table) return sql.slice(sql.indexOf('\nENGINE = ') + 1, sql.lastIndexOf('\nSETTINGS '));
    }
  throw new Error(`No file of schema/ creates ${table}.`);
}

/** Splits SQL into statements. A statement ends with a semicolon at the end of a line. */
function statements(sql: string): string[] {
  return sql
    .split(/;\s*$/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement.replaceAll(/^--.*$/gm, '').trim() !== '');
}
