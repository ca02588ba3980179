// Empty embedded stores of today's schema, made once for a run. Tests copy them: to migrate their own takes 0.3 s of CPU each. Tests of a first start
// open programs or stores of their own. As a program, it makes them: node tests/setup/stores/migrated-stores.ts FOLDER
import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { DIRECTORY_FILE, openDirectory } from '../../../server/directory/open.ts';
import { openStore } from '../../../server/store/open.ts';
import { askShared } from '../run/made-once.ts';

const EVENTS = 'events';

/** Copies the event store to a path where there is nothing yet. */
export const copyEvents = (path: string): Promise<void> => copyTo(path, EVENTS);

/** Copies the directory into a folder that has none yet. */
export const copyDirectory = (folder: string): Promise<void> => copyTo(join(folder, DIRECTORY_FILE), DIRECTORY_FILE);

async function copyTo(path: string, name: string): Promise<void> {
  if (existsSync(path)) return;
  const from = await askShared('stores');
  if (from === undefined) return;
  const usual = process.umask(0o077); // as server/main.ts does
  cpSync(join(from, name), path, { recursive: true, verbatimSymlinks: true }); // five times as fast as `cp`, for 200 small files
  process.umask(usual);
}

if (process.argv[1] === import.meta.filename) {
  process.umask(0o077); // as server/main.ts does
  const folder = process.argv[2] ?? '';
  const store = await openStore({ url: undefined, path: join(folder, EVENTS) });
  await store.query('SELECT 1', {}); // once the store has its tables
  await store.close();
  await (await openDirectory({ path: join(folder, DIRECTORY_FILE) })).close();
}
