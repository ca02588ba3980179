// Versions of Footfall other than this one, as far as their migrations go: a later one, which has one more, and one from before 1.0.0.
import { cp, writeFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { type Kysely, sql } from 'kysely';
import { type Migrations, migrationsFor } from '../../../server/directory/migrations.ts';
import type { Directory } from '../../../server/directory/open.ts';
import { tempFolder } from '../folder.ts';

/** The value is counted up, so that a second run would show. */
const LATER = [
  sql`alter table sites add column later integer not null default 0`,
  sql`update sites set later = later + 1`,
  sql`create index sites_later on sites (later)`,
];

/** `killedAfter`: so many statements of the new migration. */
export const laterMigrations = (form: Directory['form'], killedAfter?: number): Migrations => ({
  ...migrationsFor(form),
  '002_later': {
    async up(db: Kysely<never>) {
      for (const [index, statement] of LATER.entries()) {
        await statement.execute(db);
        if (index + 1 === killedAfter) process.kill(process.pid, 'SIGKILL');
      }
    },
  },
});

/** As far as the second one. */
export const EARLIEST: Migrations = {
  '001_start': { up: async (db) => void (await sql`create table users (id text primary key)`.execute(db)) },
  '002_imports': { up: async (db) => void (await sql`create table imports (id text primary key)`.execute(db)) },
};

const LATER_FILE = `ALTER TABLE ai_visits ADD COLUMN IF NOT EXISTS later UInt8 DEFAULT 7;

CREATE TABLE IF NOT EXISTS later (site_id LowCardinality(String))
ENGINE = MergeTree
ORDER BY site_id
SETTINGS fsync_after_insert = 1;

ALTER TABLE later ADD COLUMN IF NOT EXISTS number UInt8;
`;
/** Folders with the migrations of the event store. */
export async function versionsOfStore(): Promise<AsyncDisposable & { today: URL; later: URL }> {
  const folder = await tempFolder();
  const [today, later] = [new URL('../../../server/store/schema/', import.meta.url), pathToFileURL(`${folder.path}/`)];
  await cp(today, later, { recursive: true });
  await writeFile(new URL('900-later.sql', later), LATER_FILE);
  return { ...folder, today, later };
}
