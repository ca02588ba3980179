// Versions of Footfall other than this one, as far as their migrations go: a later one, which has one more, and one from before 1.0.0.
import { existsSync } from 'node:fs';
import { cp, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Kysely, sql } from 'kysely';
import manifest from '../../../package.json' with { type: 'json' };
import { type Migrations, migrationsFor } from '../../../server/directory/migrations.ts';
import type { Directory } from '../../../server/directory/open.ts';
import { tempFolder } from '../folder.ts';

/** The value is counted up, so that a second run would show. */
const LATER = [
  'alter table sites add column later integer not null default 0',
  'update sites set later = later + 1',
  'create index sites_later on sites (later)',
];

/** `killedAfter`: so many statements of the new migration. */
export const laterMigrations = (form: Directory['form'], killedAfter?: number): Migrations => ({
  ...migrationsFor(form),
  '900_later': {
    async up(db: Kysely<never>) {
      for (const [index, statement] of LATER.entries()) {
        await sql.raw(statement).execute(db);
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

const NEWEST = "'006_importers': importers,";
const LATER_DIRECTORY = `import { sql } from 'kysely';
export const later = { up: async (db) => {
  for (const statement of ${JSON.stringify(LATER)}) await sql.raw(statement).execute(db);
} };
`;

/** A copy of the program as version 99.0.0: each store has one migration more. Run it with `root`. */
export async function laterProgram(): Promise<AsyncDisposable & { root: string }> {
  const folder = await tempFolder();
  const own = (name: string) => new URL(`../../../${name}`, import.meta.url).pathname;
  const copied = (name: string) => join(folder.path, name);
  await cp(own('server'), copied('server'), { recursive: true });
  for (const name of ['node_modules', 'build', 'static', 'src', 'tracker']) await symlink(own(name), copied(name));
  const change = async (name: string, from: string, to: string) => {
    const before = await readFile(existsSync(copied(name)) ? copied(name) : own(name), 'utf8');
    if (!before.includes(from)) throw new Error(`${name} has changed: ${from}`);
    await writeFile(copied(name), before.replace(from, to));
  };
  await change('package.json', `"version": "${manifest.version}"`, '"version": "99.0.0"');
  await change('server/directory/migrations.ts', NEWEST, `${NEWEST} '900_later': later,`);
  await change(
    'server/directory/migrations.ts',
    'import { firstRelease }',
    "import { later } from './migrations/900-later.ts';\nimport { firstRelease }",
  );
  await writeFile(copied('server/directory/migrations/900-later.ts'), LATER_DIRECTORY);
  await writeFile(copied('server/store/schema/900-later.sql'), LATER_FILE);
  return { ...folder, root: folder.path };
}
