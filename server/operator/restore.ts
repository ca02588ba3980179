// Restores a backup into an empty Footfall on embedded or server stores, whichever it was made of.
import { createReadStream } from 'node:fs';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { openApp } from '../app.ts';
import type { Config } from '../config.ts';
import { prepareDataFolder, SECURITY_FILE } from '../process/data-folder.ts';
import { knowsMigration, loadDirectory } from '../directory/archive.ts';
import { DIRECTORY_FILE, type Directory } from '../directory/open.ts';
import { Refusal } from '../errors.ts';
import type { Recorded } from '../vocabulary/event.ts';
import { openLog } from '../process/log.ts';
import { settleStored } from '../queue/writer/stored-orders.ts';
import type { Buried, Queue } from '../queue/queue.ts';
import { openRedisQueue } from '../queue/redis/queue.ts';
import { openRedis } from '../process/redis/redis.ts';
import { ARCHIVED } from '../store/archive.ts';
import { knownIds } from '../store/existing-events.ts';
import { type EventStore, openStore } from '../store/open.ts';
import { ALL_TABLES } from '../store/rows.ts';
import { t } from '../vocabulary/habits/messages.ts';
import { type Run, WORK_FOLDER } from './backup.ts';
import {
  backupOfAnotherVersion,
  hashOf,
  type Manifest,
  momentOf,
  type Place,
  readManifest,
  type SavedFile,
} from './backup-place.ts';

const CHUNK = 1_000;
/** Found on every freshly formatted disk, or written by a refused command. */
const IGNORED = ['lost+found', SECURITY_FILE];

const usedRedis = () =>
  new Refusal('bad_request', t('REDIS_URL: this Redis already has events of a Footfall: name an empty one.'));

type Stores = { directory: Directory; store: EventStore; queue: Queue };
type Counts = { made_at: string; sites: number; events: number; ai_visits: number; waiting: number };
type Source = {
  manifest: Manifest;
  /** Calls `work` with the path of a file whose content is the one that was saved. */
  withFile<Value>(file: SavedFile, work: (path: string) => Promise<Value>): Promise<Value>;
};

/** Fills the configured stores, which must be empty, as must DATA_DIR. `at`: the moment of the backup; the last one by default. */
export async function restoreBackup(
  config: Config,
  { place, at }: { place: Place; at?: string | undefined },
  run: Run,
): Promise<Counts> {
  const manifest = await chooseManifest(place, at);
  const dataDir = resolve(config.DATA_DIR);
  if (await isFilled(dataDir))
    throw new Refusal(
      'bad_request',
      t('DATA_DIR: {folder} is not empty: stop the server, and restore into a new folder.', { folder: dataDir }),
    );
  await refuseFilled(config);
  await prepareDataFolder(dataDir);
  const folder = join(dataDir, WORK_FOLDER);
  const source = openSource(place, { manifest, folder });
  try {
    await mkdir(folder, { mode: 0o700 });
    await loadTables(config, source);
    const app = await openApp({ config, log: openLog('warn') });
    try {
      return await fill({ directory: app.services.directory, store: app.store, queue: app.queue }, source, run);
    } finally {
      await app.close();
    }
  } catch (error) {
    for (const name of await readdir(dataDir))
      if (!IGNORED.includes(name)) await rm(join(dataDir, name), { recursive: true, force: true });
    throw error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Rows and waiting events of another Footfall must not mix with those of the backup. Embedded stores are in DATA_DIR, which is empty. */
async function refuseFilled({ CLICKHOUSE_URL: url, CLICKHOUSE_CLUSTER, REDIS_URL, DATA_DIR }: Config): Promise<void> {
  await using opened = new AsyncDisposableStack();
  const close = async (thing: { close(): Promise<unknown> }) => void (await thing.close());
  if (url) {
    const store = opened.adopt(await openStore({ url, cluster: CLICKHOUSE_CLUSTER, path: DATA_DIR }), close);
    for (const table of ALL_TABLES)
      if ((await store.query(`SELECT 1 FROM ${table} LIMIT 1`, {})).length > 0)
        throw new Refusal('bad_request', t('CLICKHOUSE_URL: this database is not empty: name an empty one.'));
  }
  if (REDIS_URL) {
    const redis = opened.adopt(await openRedis(REDIS_URL), close);
    const queue = opened.adopt(await openRedisQueue({ redis, log: openLog('warn') }), close);
    const { waiting, buried } = await queue.status();
    if (waiting + buried > 0) throw usedRedis();
  }
}

async function chooseManifest(place: Place, at: string | undefined): Promise<Manifest> {
  const moments = await place.moments();
  const moment = moments.findLast((one) => at === undefined || one <= momentOf(Date.parse(at)));
  if (moment === undefined)
    throw new Refusal(
      'bad_request',
      at === undefined
        ? t('{place} has no complete backup.', { place: place.label })
        : t('{place} has no complete backup of {time} or before.', { place: place.label, time: at }),
    );
  const manifest = await readManifest(place, moment);
  if (!knowsMigration(manifest.migration)) throw backupOfAnotherVersion();
  return manifest;
}

function openSource(place: Place, { manifest, folder }: { manifest: Manifest; folder: string }): Source {
  return {
    manifest,
    withFile: async ({ name }, work) => {
      const path = await place.fetch(name, folder);
      try {
        const hash = await hashOf(path).catch((error: NodeJS.ErrnoException) => {
          if (error.code === 'ENOENT')
            throw new Refusal('bad_request', t('{place}: {file} is missing.', { place: place.label, file: name }));
          throw error;
        });
        if (!name.startsWith(`${hash}.`))
          throw new Refusal('bad_request', t('{place}: {file} is damaged.', { place: place.label, file: name }));
        return await work(path);
      } finally {
        if (dirname(path) === folder) await rm(path, { force: true });
      }
    },
  };
}

async function loadTables(config: Config, { manifest, withFile }: Source): Promise<void> {
  const place = { databaseUrl: config.DATABASE_URL, path: join(resolve(config.DATA_DIR), DIRECTORY_FILE) };
  const texts = new Map<string, string>();
  for (const [table, file] of Object.entries(manifest.directory))
    texts.set(table, await withFile(file, (path) => readFile(path, 'utf8')));
  await loadDirectory(place, texts, manifest.migration);
}

async function fill({ directory, store, queue }: Stores, source: Source, run: Run): Promise<Counts> {
  const { manifest, withFile } = source;
  await loadRows(store, source, run);
  const sites = await directory.db.selectFrom('sites').select('id').execute();
  const known = new Set<string>(sites.map(({ id }) => id));
  // Sites that were deleted while the backup was made are not restored.
  const stored = await store.query<{ site_id: string }>(
    ARCHIVED.map((table) => `SELECT DISTINCT site_id FROM ${table}`).join(' UNION DISTINCT '),
    {},
  );
  for (const { site_id } of stored) if (!known.has(site_id)) await store.deleteSite(site_id);

  const missing = async <Entry extends Buried['entry']>(entries: Entry[]) => {
    const own = entries.filter(({ site_id }) => site_id === '' || known.has(site_id)); // one that cannot be read may show no site
    const ids = await knownIds(store, own);
    // A batch may be stored whose orders were not settled yet.
    const all: readonly Buried['entry'][] = own;
    const stored = all.filter((entry) => entry.kind === 'event').filter(({ event_id }) => ids.has(event_id));
    await settleStored(store, stored, `restore_${stored[0]?.event_id}`);
    return own.filter(({ event_id }) => !ids.has(event_id));
  };
  await withFile(manifest.waiting, async (file) => {
    for await (const entries of readLines<Recorded>(file)) {
      const appended = await queue.append(await missing(entries), run.now);
      if (appended.includes(false)) throw usedRedis();
    }
  });
  await withFile(manifest.buried, async (file) => {
    for await (const rows of readLines<Buried>(file)) {
      const ids = new Set((await missing(rows.map(({ entry }) => entry))).map(({ event_id }) => event_id));
      for (const { entry, reason, at } of rows) if (ids.has(entry.event_id)) await queue.bury([entry], reason, at);
    }
  });
  run.onProgress({ done: 1, total: 1 });
  const { waiting } = await queue.status();
  return { made_at: manifest.made_at, sites: known.size, ...(await countsOf(store)), waiting };
}

async function countsOf(store: EventStore) {
  const [counts] = await store.query<{ events: string; ai_visits: string }>(
    'SELECT (SELECT count() FROM events) AS events, (SELECT count() FROM ai_visits) AS ai_visits',
    {},
  );
  return { events: Number(counts?.events), ai_visits: Number(counts?.ai_visits) };
}

async function loadRows(store: EventStore, { manifest, withFile }: Source, run: Run): Promise<void> {
  for (const [done, { table, file }] of manifest.rows.entries()) {
    run.onProgress({ done, total: manifest.rows.length });
    await withFile(file, (path) => store.load(table, path));
  }
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
