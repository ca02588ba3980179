// Wires all parts together without opening a port, so that tests can use it too.
import type { Server } from 'node:http';
import type { Services } from './api/trpc.ts';
import type { Collector } from './collect/collector.ts';
import type { Geo } from './collect/geo.ts';
import { billingOf, type Config } from './config.ts';
import { prepareDataFolder } from './data-folder.ts';
import { stopServer } from './http/server.ts';
import { openDirectoryLease } from './jobs/lease.ts';
import { openJobs } from './jobs/run.ts';
import { jobsOf } from './jobs/table.ts';
import { restoreWindows } from './live/restore.ts';
import type { Schedule } from './live/throttle.ts';
import type { Log } from './log.ts';
import { openMetrics } from './metrics/metrics.ts';
import type { Network } from './outgoing/network.ts';
import type { Queue } from './queue/queue.ts';
import type { Writer } from './queue/writer.ts';
import { openSecurityLog } from './security-log.ts';
import type { EventStore } from './store/open.ts';
import { openCollecting } from './wiring/collecting.ts';
import { type Setting, warnStale } from './wiring/setting.ts';
import { openShowing, type Showing } from './wiring/showing.ts';
import { openStores } from './wiring/stores.ts';
import { openWriting } from './wiring/writing.ts';

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
  /** True if workers listen for this process: the server then has to listen on a private Unix socket. See workers/. */
  hasWorkers?: boolean;
  log: Log;
};

export async function openApp(options: Options): Promise<App> {
  const { config, now = Date.now, schedule, network, built, hasWorkers = false, log } = options;
  const setting: Setting = { config, security: openSecurityLog({ log, now }), now, log };
  if ((await prepareDataFolder(config.DATA_DIR)).wasOpen)
    log.warn('other users of this machine could read DATA_DIR: they no longer can');

  await using opened = new AsyncDisposableStack(); // closes what is open if a later part fails to open
  const { METRICS_TOKEN: token } = config;
  const metrics = token === undefined ? undefined : await openMetrics(now);
  const stores = await openStores(setting, opened, metrics);
  const collecting = await openCollecting(setting, stores, (event) => showing.socket.arrived(event));
  const writing = openWriting(setting, stores, (siteIds) => showing.socket.stored(siteIds));
  const readings = {
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
  const page = metrics && token !== undefined ? { token, render: () => metrics.render(readings) } : undefined;
  const parts = { setting, stores, collecting, writing, network, schedule, built, hasWorkers, metrics: page };
  const showing: Showing = await openShowing(parts, opened);
  const { server, services, socket, desk } = showing;
  const { collector, flood, geo, overQuota } = collecting;
  const { directory, store, queue, windows } = stores;
  const { writer, deletion, purging, sumDays } = writing;
  const dropsOverQuota = config.QUOTA === 'drop';
  const { stats, mail, webhooks, payments, reports, mentions, searchConsole, searchData } = services;
  const forgetSalts = (time: number) => {
    collecting.salts.forget(time);
    desk?.forgetSalts(time);
  };
  const table = jobsOf({
    ...collecting,
    salts: { forget: forgetSalts },
    directory,
    queue,
    stats,
    mail,
    webhooks,
    reports,
    searchConsole,
    searchData,
    deletion,
    purging,
    sumDays,
    payments,
    billing: billingOf(config),
    mentions,
    dropsOverQuota,
    security: setting.security,
    log,
  });
  const jobs = openJobs(metrics?.counted(table) ?? table, {
    directory,
    lease: openDirectoryLease(directory, { name: 'jobs', now }),
    now,
    log,
  });
  if (!stores.redis) await restoreWindows({ windows, flood, store }, now()); // Redis outlives this process

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
    runJob: jobs.run,
    start: () => {
      if (config.ROLE !== 'web') writer.start();
      jobs.start();
    },
    close: async () => {
      await socket.close(); // dashboards hold connections that the server would otherwise wait for
      desk?.close();
      await stopServer(server);
      // Otherwise a mail server or a webhook's receiver that hangs, a slow Stripe, Google or feed would hold up the jobs.
      mail.close();
      webhooks.close();
      mentions.close();
      payments?.close();
      searchConsole?.close();
      await jobs.stop();
      await collector.flushDrops().catch(warnStale(log, 'drop counts'));
      await jobs.run('touch-sites').catch(warnStale(log, 'sites'));
      if (config.ROLE !== 'web') await writer.stop();
      await toClose.disposeAsync();
    },
  };
}
