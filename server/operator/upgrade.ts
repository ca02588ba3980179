// The start of a version on stores that an earlier one has used: they are backed up before they are migrated, since no earlier version opens them
// again. The tables of the earlier version are read as they are.
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { DIRECTORY_FILE, openDirectory } from '../directory/open.ts';
import { type EarlierStore, NeedsUpgrade } from '../errors.ts';
import { openDirectoryLease } from '../jobs/lease.ts';
import type { Log } from '../process/log.ts';
import { openRedis } from '../process/redis/redis.ts';
import { openRedisQueue } from '../queue/redis/queue.ts';
import { openSqliteQueue } from '../queue/sqlite/queue.ts';
import { type EventStore, openStore } from '../store/open.ts';
import { makeBackup } from './backup.ts';
import { openPlace } from './backup-place.ts';

type Context = { config: Config; log: Log };

/** The folder in DATA_DIR, unless UPGRADE_BACKUP names another place. */
const FOLDER = 'upgrade-backup';
/** So many events are saved in a second: measured with 225,000 of 45 days, on one of two busy cores. */
const EVENTS_A_SECOND = 50_000;

/** Opens stores with `open`, and before that, if they need it, makes the backup that the upgrade can be undone with. */
export async function upgradeFirst<T>(
  { config, log }: Context,
  open: (earlier: EarlierStore) => Promise<T>,
): Promise<T> {
  if (config.UPGRADE_BACKUP === 'off') return open('migrate');
  try {
    return await open('refuse');
  } catch (error) {
    if (!(error instanceof NeedsUpgrade)) throw error;
  }
  await backUp({ config, log });
  return open('migrate');
}

async function backUp({ config, log }: Context): Promise<void> {
  await using opened = new AsyncDisposableStack();
  const own = <Store extends { close(): Promise<unknown> }>(store: Store) =>
    opened.adopt(store, async () => void (await store.close()));
  const inFolder = (name: string) => join(config.DATA_DIR, name);
  const earlier = 'keep';
  const directory = own(
    await openDirectory({ databaseUrl: config.DATABASE_URL, path: inFolder(DIRECTORY_FILE), earlier }),
  );
  const redis = config.REDIS_URL ? own(await openRedis(config.REDIS_URL)) : undefined;
  const queue = own(
    redis ? await openRedisQueue({ redis, log }) : await openSqliteQueue({ path: inFolder('queue.sqlite') }),
  );
  const { CLICKHOUSE_URL: url, CLICKHOUSE_CLUSTER: cluster } = config;
  const store = own(await openStore({ url, cluster, path: inFolder('events'), earlier }));

  const to = config.UPGRADE_BACKUP ?? inFolder(FOLDER);
  const seconds = Math.ceil((await eventsIn(store)) / EVENTS_A_SECOND);
  log.info({ to }, `an earlier version has used these stores: they are backed up first, in some ${seconds} s`);
  const writer = { between: <T>(work: () => Promise<T>) => work() }; // nothing is written yet
  const lease = openDirectoryLease(directory, { name: 'backup', now: Date.now });
  const { made_at } = await makeBackup(
    { directory, store, queue, writer, lease, dataDir: config.DATA_DIR },
    // Other backups in a place that the operator has named are theirs.
    { place: await openPlace(to, config), keep: config.UPGRADE_BACKUP === undefined ? 1 : undefined },
    { now: Date.now(), onProgress: () => undefined },
  );
  log.info(
    { to, made_at },
    'they are backed up, and upgraded now: restore the backup to go back to the earlier version',
  );
}

async function eventsIn(store: EventStore): Promise<number> {
  const [row] = await store.query<{ rows: string }>('SELECT toString(count()) AS rows FROM events', {});
  return Number(row?.rows ?? 0);
}
