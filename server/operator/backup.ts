// Creates and restores backups. A backup is a folder with the directory, the events and the queue. It is written while the server runs,
// leaves out salts and sessions, and can be restored into an empty Footfall on embedded or server stores.
import { createReadStream } from 'node:fs';
import { chmod, mkdir, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { openApp } from '../app.ts';
import type { Config } from '../config.ts';
import { prepareDataFolder, SECURITY_FILE } from '../data-folder.ts';
import { Refusal } from '../errors.ts';
import type { Recorded } from '../event.ts';
import { openLog } from '../log.ts';
import type { Progress } from '../progress.ts';
import type { Buried, Queue } from '../queue/queue.ts';
import { knowsMigration, loadDirectory, saveDirectory } from '../directory/archive.ts';
import { DIRECTORY_FILE, type Directory } from '../directory/open.ts';
import { knownIds } from '../store/existing-events.ts';
import type { EventStore } from '../store/open.ts';

/** Written last: a folder without it is an incomplete backup. */
const MANIFEST = 'backup.json';
const FORMAT = 1;
const manifest = z.object({ format: z.literal(FORMAT), made_at: z.iso.datetime(), migration: z.string() });

const WAITING = 'waiting.ndjson';
const BURIED = 'buried.ndjson';
const FOLDERS = ['events', 'directory'] as const;
const CHUNK = 1_000;
/** Found on every freshly formatted disk, or written by a refused command. */
const IGNORED = ['lost+found', SECURITY_FILE];

type Stores = { directory: Directory; store: EventStore; queue: Queue };
type Run = { now: number; onProgress(progress: Progress): void; signal?: AbortSignal };
type Counts = { sites: number; events: number; ai_visits: number; waiting: number };

/**
 * TRICKY: the queue is saved first. Events that the writer stores meanwhile are then in both the saved queue and the saved events, and
 * restoring skips those in the queue. The directory is saved last, so that it knows every site that was deleted meanwhile.
 */
export async function makeBackup(
  stores: Stores,
  { folder }: { folder: string },
  run: Run,
): Promise<{ folder: string }> {
  if (await isFilled(folder))
    throw new Refusal('bad_request', `${folder} is not empty: name a folder that is new or empty.`);
  await mkdir(folder, { recursive: true });
  await chmod(folder, 0o700);
  try {
    for (const name of FOLDERS) await mkdir(join(folder, name), { mode: 0o700 });
    await saveQueue(stores.queue, folder);
    await stores.store.save(join(folder, 'events'), (progress) => {
      if (run.signal?.aborted)
        throw new Refusal('service_unavailable', 'The backup was interrupted: run the command again.');
      run.onProgress(progress);
    });
    const migration = await saveDirectory(stores.directory, join(folder, 'directory'));
    const made = { format: FORMAT, made_at: new Date(run.now).toISOString(), migration } satisfies z.input<
      typeof manifest
    >;
    await writeFile(join(folder, MANIFEST), `${JSON.stringify(made)}\n`, { mode: 0o600 });
  } catch (error) {
    for (const name of [...FOLDERS, WAITING, BURIED]) await rm(join(folder, name), { recursive: true, force: true });
    throw error;
  }
  run.onProgress({ done: 1, total: 1 });
  return { folder };
}

async function saveQueue(queue: Queue, folder: string): Promise<void> {
  await using waiting = await open(join(folder, WAITING), 'w', 0o600);
  await using buried = await open(join(folder, BURIED), 'w', 0o600);
  for await (const part of queue.contents()) {
    await waiting.appendFile(linesOf(part.waiting));
    await buried.appendFile(linesOf(part.buried));
  }
}

function linesOf(rows: unknown[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}

/** Fills the configured stores, which must be empty, as must DATA_DIR. */
export async function restoreBackup(config: Config, { folder }: { folder: string }, run: Run): Promise<Counts> {
  const made = await readManifest(folder);
  const dataDir = resolve(config.DATA_DIR);
  if (await isFilled(dataDir))
    throw new Refusal(
      'bad_request',
      `DATA_DIR: ${dataDir} is not empty: stop the server, and restore into a new folder.`,
    );
  await prepareDataFolder(dataDir);
  const place = { databaseUrl: config.DATABASE_URL, path: join(dataDir, DIRECTORY_FILE) };
  try {
    await loadDirectory(place, join(folder, 'directory'), made.migration);
    const app = await openApp({ config, log: openLog('warn') });
    try {
      return await fill({ directory: app.services.directory, store: app.store, queue: app.queue }, folder, run);
    } finally {
      await app.close();
    }
  } catch (error) {
    for (const name of await readdir(dataDir))
      if (!IGNORED.includes(name)) await rm(join(dataDir, name), { recursive: true, force: true });
    throw error;
  }
}

async function readManifest(folder: string) {
  const text = await readFile(join(folder, MANIFEST), 'utf8').catch(() => undefined);
  if (text === undefined)
    throw new Refusal('bad_request', `${folder} is not a complete backup: it has no ${MANIFEST}.`);
  const read = manifest.safeParse(JSON.parse(text));
  if (!read.success || !(await knowsMigration(read.data.migration)))
    throw new Refusal(
      'bad_request',
      'This backup was made by a later version of Footfall: restore it with that version.',
    );
  return read.data;
}

async function fill({ directory, store, queue }: Stores, folder: string, run: Run): Promise<Counts> {
  const [before] = await store.query<{ rows: string }>('SELECT count() AS rows FROM events', {});
  if (Number(before?.rows) > 0)
    throw new Refusal('bad_request', 'CLICKHOUSE_URL: this database already has events: name an empty one.');
  await store.load(join(folder, 'events'), run.onProgress);
  const sites = await directory.db.selectFrom('sites').select('id').execute();
  const known = new Set<string>(sites.map(({ id }) => id));
  // Sites that were deleted while the backup was made are not restored.
  const stored = await store.query<{ site_id: string }>(
    'SELECT DISTINCT site_id FROM events UNION DISTINCT SELECT DISTINCT site_id FROM ai_visits',
    {},
  );
  for (const { site_id } of stored) if (!known.has(site_id)) await store.deleteSite(site_id);

  const isMissing = async (entries: Recorded[]) => {
    const own = entries.filter((entry) => known.has(entry.site_id));
    const ids = await knownIds(store, own);
    return own.filter(({ event_id }) => !ids.has(event_id));
  };
  for await (const entries of readLines<Recorded>(join(folder, WAITING)))
    await queue.append(await isMissing(entries), run.now);
  for await (const rows of readLines<Buried>(join(folder, BURIED))) {
    const missing = new Set((await isMissing(rows.map(({ entry }) => entry))).map(({ event_id }) => event_id));
    for (const { entry, reason, at } of rows) if (missing.has(entry.event_id)) await queue.bury([entry], reason, at);
  }
  run.onProgress({ done: 1, total: 1 });
  const [counts] = await store.query<{ events: string; ai_visits: string }>(
    'SELECT (SELECT count() FROM events) AS events, (SELECT count() FROM ai_visits) AS ai_visits',
    {},
  );
  const { waiting } = await queue.status();
  return { sites: known.size, events: Number(counts?.events), ai_visits: Number(counts?.ai_visits), waiting };
}

async function* readLines<Row>(file: string): AsyncGenerator<Row[]> {
  let rows: Row[] = [];
  for await (const line of createInterface(createReadStream(file))) {
    rows.push(JSON.parse(line) as Row);
    if (rows.length < CHUNK) continue;
    yield rows;
    rows = [];
  }
  yield rows;
}

async function isFilled(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return names.some((name) => !IGNORED.includes(name));
}
