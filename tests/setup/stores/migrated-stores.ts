// Empty stores of today's schema, made once for a whole run: tests copy them instead of migrating, which would take two seconds each time.
// Tests of migrations open stores of their own. As a program, it makes them: node tests/setup/stores/migrated-stores.ts FOLDER
import { execFile } from 'node:child_process';
import { cpSync } from 'node:fs';
import { readdir, readlink, rm, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DIRECTORY_FILE, openDirectory } from '../../../server/directory/open.ts';
import { openStore } from '../../../server/store/open.ts';

/** Set by global.ts for the workers of a run: the folder with the stores. */
const MIGRATED = 'FOOTFALL_TEST_MIGRATED';
const EVENTS = 'events';

/** In a process of its own, since the embedded engine would take memory in this one until the run ends. */
export async function makeMigratedStores(folder: string): Promise<void> {
  await promisify(execFile)(process.execPath, [import.meta.filename, folder]);
  process.env[MIGRATED] = folder;
}

/** Does nothing if `path` has events already, or outside of a run. */
export const copyEvents = (path: string): Promise<void> => copyTo(path, EVENTS);

/** Does nothing if the folder has a directory already, or outside of a run. */
export const copyDirectory = (folder: string): Promise<void> => copyTo(join(folder, DIRECTORY_FILE), DIRECTORY_FILE);

async function copyTo(path: string, name: string): Promise<void> {
  const from = process.env[MIGRATED];
  if (from === undefined || (await isFilled(path))) return;
  const usual = process.umask(0o077); // as server/main.ts does
  cpSync(join(from, name), path, { recursive: true, verbatimSymlinks: true }); // five times as fast as `cp`, for 200 small files
  process.umask(usual);
  if (name === EVENTS) await relink(join(path, 'metadata'), { from: join(from, name), to: path });
}

/** The engine's links to its own folders have their whole path. */
async function relink(folder: string, { from, to }: { from: string; to: string }): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (!entry.isSymbolicLink()) continue;
    const path = join(folder, entry.name);
    const target = await readlink(path);
    await rm(path);
    await symlink(target.replace(from, to), path);
  }
}

async function isFilled(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found !== undefined && (found.isFile() || (await readdir(path)).length > 0);
}

if (process.argv[1] === import.meta.filename) {
  process.umask(0o077); // as server/main.ts does
  const folder = process.argv[2] ?? '';
  const store = await openStore({ url: undefined, path: join(folder, EVENTS) });
  await store.close();
  const directory = await openDirectory({ path: join(folder, DIRECTORY_FILE) });
  await directory.close();
}
