// Opens the stores, then collecting, writing and showing, and hands them to each other. It opens no port, so tests can use it too.
import type { Server } from 'node:http';
import { join } from 'node:path';
import { openShowing, type Showing } from './api/open.ts';
import type { Services } from './api/trpc.ts';
import type { Collector } from './collect/collector.ts';
import { type Collecting, openCollecting } from './collect/open.ts';
import type { Geo } from './collect/places/geo.ts';
import { billingOf, type Config } from './config.ts';
import { DIRECTORY_FILE, openDirectory } from './directory/open.ts';
import type { EarlierStore } from './errors.ts';
import { openDirectoryLease } from './jobs/lease.ts';
import { openJobs } from './jobs/run.ts';
import { jobsOf } from './jobs/table.ts';
import { openWriting, type Stores } from './jobs/writing.ts';
import { openMemoryFlood, openRedisFlood } from './live/flood.ts';
import { openMemoryWindows } from './live/memory.ts';
import { openRedisWindows } from './live/redis.ts';
import { restoreWindows } from './live/restore.ts';
import type { Schedule } from './live/throttle.ts';
import { prepareDataFolder } from './process/data-folder.ts';
import { stopServer } from './process/http/server.ts';
import type { Log } from './process/log.ts';
import { type Metrics, openMetrics, type Readings } from './process/metrics.ts';
import type { Network } from './process/outgoing/network.ts';
import { openRedis } from './process/redis/redis.ts';
import { openSecurityLog } from './process/security-log.ts';
import { type Setting, warnStale } from './process/setting.ts';
import { openLease } from './queue/lease.ts';
import type { Partition, Queue } from './queue/queue.ts';
import { openRedisPartitions } from './queue/redis/leases.ts';
import { openSqliteQueue } from './queue/sqlite/queue.ts';
import type { Writer } from './queue/writer/writer.ts';
import { announcing, openVersions } from './stats/answer-cache.ts';
import { type EventStore, openStore } from './store/open.ts';

export type App = {
  server: Server;
  services: Services;
  store: EventStore;
  geo: Geo;
  queue: Queue;
  collector: Collector;
  writer: Writer;
  /** Accounts past their monthly events, if QUOTA=drop. */
  overQuota: Set<string>;
  /** Resolves when the live windows know the visitors that were here before the start. */
  restored: Promise<void>;
  /** Starts the writer (if the role has one) and the jobs. */
  start(): void;
  /** Runs a job of jobs/table.ts now, regardless of its calendar. */
  runJob(name: string): Promise<void>;
  /** Stops in order: refuses new requests, finishes running ones, stores the counts, empties the queue, closes the stores. */
  close(): Promise<void>;
};

type Options = {
  config: Config;
  now?: () => number;
  schedule?: Schedule;
  /** Network for outgoing requests; the internet by default. */
  network?: Network;
  /** The folder of the built dashboard and tracker; `build/` by default. */
  built?: string;
  earlier?: EarlierStore;
  /** True if workers listen for this process: the server then has to listen on a private Unix socket. See collect/workers/. */
  hasWorkers?: boolean;
  log: Log;
};

export async function openApp(options: Options): Promise<App> {
  const { config, now = Date.now, schedule, network, built, earlier, hasWorkers = false, log } = options;
  const setting: Setting = { config, security: openSecurityLog({ log, now }), now, log };
  if ((await prepareDataFolder(config.DATA_DIR)).wasOpen)
    log.warn('other users of this machine could read DATA_DIR: they no longer can');

  await using opened = new AsyncDisposableStack(); // closes what is open if a later part fails to open
  const { METRICS_TOKEN: token } = config;
  const metrics = token === undefined ? undefined : await openMetrics(now);
  const stores = await openStores(setting, { opened, earlier, metrics });
  const collecting = await openCollecting(setting, stores, (event) => showing.socket.arrived(event));
  const writing = openWriting(setting, { ...stores, geo: collecting.geo }, (siteIds) => showing.socket.stored(siteIds));
  const render = (from: Metrics) => from.render(readingsOf({ config, stores, collecting, showing }));
  const page = metrics && token !== undefined ? { token, render: () => render(metrics) } : undefined;
  const parts = { setting, stores, collecting, writing, network, schedule, built, hasWorkers, metrics: page };
  const showing: Showing = await openShowing(parts, opened);
  const { server, services, socket, desk } = showing;
  const { collector, geo, overQuota } = collecting;
  const { directory, store, queue, windows, flood } = stores;
  const { writer } = writing;
  const forgetSalts = (time: number) => {
    collecting.salts.forget(time);
    desk?.forgetSalts(time);
  };
  const table = jobsOf({
    ...services,
    ...writing,
    ...collecting,
    salts: { forget: forgetSalts },
    queue,
    billing: billingOf(config),
    dropsOverQuota: config.QUOTA === 'drop',
    isDemoOpen: config.DEMO === 'on',
  });
  const jobs = openJobs(metrics?.counted(table) ?? table, {
    directory,
    store,
    lease: openDirectoryLease(directory, { name: 'jobs', now }),
    now,
    log,
  });
  // Redis outlives this process. The engine may not have opened its folder yet, and new visitors are counted meanwhile.
  const restored =
    stores.redis || store.isNew
      ? Promise.resolve()
      : restoreWindows({ windows, flood, store }, now()).catch(warnStale(log, 'visitors of the last half hour'));

  const toClose = opened.move();
  return {
    server,
    services,
    store,
    geo,
    queue,
    collector,
    writer,
    overQuota,
    restored,
    runJob: jobs.run,
    start: () => {
      if (config.ROLE !== 'web') writer.start();
      jobs.start();
      void store.query('SELECT 1', {}).catch(() => undefined); // opens the engine before anybody asks
    },
    close: async () => {
      await socket.close(); // dashboards hold connections that the server would otherwise wait for
      desk?.close();
      await stopServer(server);
      stopAsking(services); // a mail server or a receiver that hangs, a slow Stripe, Google or feed would hold up the jobs
      await jobs.stop();
      await collector.flushDrops().catch(warnStale(log, 'drop counts'));
      await jobs.run('touch-sites').catch(warnStale(log, 'sites'));
      if (config.ROLE !== 'web') await writer.stop();
      await toClose.disposeAsync();
    },
  };
}

function readingsOf({
  config,
  stores,
  collecting,
  showing,
}: {
  config: Config;
  stores: Stores;
  collecting: Collecting;
  showing: Showing;
}): Readings {
  return {
    counts: collecting.collector.counts,
    status: stores.queue.status,
    partitions: () =>
      stores.partitions.map(({ partition, lease }) => ({
        status: async () => ({ waiting: await partition.waiting(), oldestAt: await partition.oldestAt() }),
        isHeld: config.ROLE !== 'web' && lease.isHeld(),
      })),
    workers: () => showing.desk?.workers() ?? 0,
    openSockets: () => showing.socket.openSockets(),
  };
}

/** Ends the requests to other servers. */
function stopAsking({ mail, webhooks, mentions, releases, payments, searchConsole }: Services): void {
  for (const one of [mail, webhooks, mentions, releases, payments, searchConsole]) one?.close();
}

type Opening = {
  opened: AsyncDisposableStack;
  earlier: EarlierStore | undefined;
  metrics: Pick<Metrics, 'measured'> | undefined;
};

/** Opens all stores, and hands each to `opened`, which closes them in reverse order. */
async function openStores({ config, now, log }: Setting, { opened, earlier, metrics }: Opening): Promise<Stores> {
  const close = async (thing: { close(): Promise<unknown> }) => void (await thing.close());
  const inFolder = (name: string) => join(config.DATA_DIR, name);

  const directory = opened.adopt(
    await openDirectory({ databaseUrl: config.DATABASE_URL, path: inFolder(DIRECTORY_FILE), earlier }),
    close,
  );
  const redis = config.REDIS_URL ? opened.adopt(await openRedis(config.REDIS_URL), close) : undefined;
  const { queue, ...shared } = redis
    ? await openRedisPartitions({ redis, log, now })
    : await alone(openSqliteQueue({ path: inFolder('queue.sqlite') }));
  opened.adopt(queue, close);
  // The queue is opened first: if another process uses the folder, its error message is clearer than the engine's.
  const store = opened.adopt(
    await openStore({
      url: config.CLICKHOUSE_URL,
      cluster: config.CLICKHOUSE_CLUSTER,
      path: inFolder('events'),
      earlier,
      onFault: (fault) => log.error(fault),
    }),
    close,
  );
  const windows = opened.adopt(redis ? openRedisWindows({ redis }) : openMemoryWindows(), close);
  const budget = { visitorsPerMinute: config.FLOOD_VISITORS, eventsPerSecond: config.FLOOD_EVENTS };
  const flood = redis ? openRedisFlood(budget, { redis }) : openMemoryFlood(budget);
  const versions = openVersions();
  const announced = announcing(metrics?.measured(store) ?? store, versions);
  return { directory, redis, queue, ...shared, store: announced, versions, windows, flood };
}

/** The queue of a process that shares it with no other. */
async function alone(opening: Promise<Queue & Partition>): Promise<Pick<Stores, 'queue' | 'partitions' | 'leave'>> {
  const queue = await opening;
  return { queue, partitions: [{ partition: queue, lease: openLease() }], leave: () => Promise.resolve() };
}
