// Brings the event store's schema up to date: the files of schema/ in the order of their names, each once.
// Every statement may run twice (IF NOT EXISTS), so a start that was killed half-way is finished by the next one.
import { readdir, readFile } from 'node:fs/promises';
import type { ClickHouseClient } from '@clickhouse/client';

const folder = new URL('./schema/', import.meta.url);

export async function migrateStore(client: ClickHouseClient): Promise<void> {
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
}

export async function migrationFiles(): Promise<string[]> {
  return (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort();
}

/** Statements end with a semicolon at a line's end. */
function statements(sql: string): string[] {
  return sql
    .split(/;\s*$/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement.replaceAll(/^--.*$/gm, '').trim() !== '');
}
