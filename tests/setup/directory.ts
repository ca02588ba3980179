// A directory database for one test, of either kind: `await using directory = await testDirectory('postgres')`.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DIRECTORY_FILE, openDirectory, type Directory } from '../../server/directory/open.ts';
import { startPgBouncer, startPostgres } from './stores/postgres.ts';
import { tempFolder } from './folder.ts';

export const FORMS = ['sqlite', 'postgres'] as const;
export type Form = (typeof FORMS)[number];
/** Both, and PostgreSQL behind PgBouncer, where a session lasts no longer than a transaction. */
export const POOLED_FORMS = [...FORMS, 'postgres behind PgBouncer'] as const;

/** The location of a directory, for `openDirectory` and for other processes. */
export type Place = AsyncDisposable & { folder: string; path: string; databaseUrl: string | undefined };
export type TestDirectory = Directory & AsyncDisposable & { place: Place };

export async function directoryPlace(form: (typeof POOLED_FORMS)[number]): Promise<Place> {
  const postgres = form === 'sqlite' ? undefined : await startPostgres();
  const pooled = postgres && form !== 'postgres' ? await startPgBouncer(postgres) : undefined;
  const folder = await tempFolder();
  return {
    folder: folder.path,
    path: join(folder.path, DIRECTORY_FILE),
    databaseUrl: (pooled ?? postgres)?.url,
    async [Symbol.asyncDispose]() {
      await pooled?.[Symbol.asyncDispose]();
      await postgres?.[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

export async function testDirectory(form: (typeof POOLED_FORMS)[number]): Promise<TestDirectory> {
  const place = await directoryPlace(form);
  const directory = await openDirectory(place);
  return {
    ...directory,
    place,
    async [Symbol.asyncDispose]() {
      await directory.close();
      await place[Symbol.asyncDispose]();
    },
  };
}

/** Runs a module's text in another process. `place` is in scope, and its output is returned. */
export async function elsewhere(place: Place, code: string): Promise<string> {
  const server = new URL('../../server/', import.meta.url).href;
  const text = `const server = ${JSON.stringify(server)};
    const place = ${JSON.stringify({ path: place.path, databaseUrl: place.databaseUrl })};
    ${code}`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', text]);
  return stdout;
}
