// Wires everything, and opens no port: tests call this.
import type { IncomingMessage, RequestListener, Server } from 'node:http';
import { join } from 'node:path';
import { openDoors } from './api/routes.ts';
import { MONTHLY_EVENTS } from './api/accounts.ts';
import { counter, openChecks, openLimiter } from './api/rate-limits.ts';
import { readViewer, type Services } from './api/trpc.ts';
import { openWrongTokens } from './api/wrong-tokens.ts';
import { type Collector, openCollector } from './collect/collector.ts';
import { type Geo, openGeo } from './collect/geo.ts';
import { openCollectDoor } from './collect/handler.ts';
import { openReportDoor } from './collect/reports.ts';
import { openSiteSalts } from './collect/visitor.ts';
import { billingOf, type Config } from './config.ts';
import { prepareDataFolder } from './data-folder.ts';
import { openDeletion } from './site-deletion.ts';
import { Refusal } from './errors.ts';
import type { Recorded, SiteId } from './event.ts';
import { openHosts } from './http/hosts.ts';
import { openAddressHash } from './http/address-hash.ts';
import { openPeers } from './http/peer.ts';
import { leavingOf } from './http/respond.ts';
import { openOutgoing } from './outgoing/client.ts';
import type { Network } from './outgoing/network.ts';
import { openServer, readTls, stopServer } from './http/server.ts';
import { openStatic } from './http/static.ts';
import { jobsOf, startJobs } from './jobs.ts';
import { openMemoryFlood, openRedisFlood } from './live/flood.ts';
import { isRecent, restoreWindows } from './live/restore.ts';
import { openMemoryWindows } from './live/memory.ts';
import { openRedisWindows } from './live/redis.ts';
import { openSocket } from './live/socket.ts';
import type { Schedule } from './live/throttle.ts';
import type { Log } from './log.ts';
import type { Queue } from './queue/queue.ts';
import { openLease, openRedisLease } from './queue/lease.ts';
import { openRedisQueue } from './queue/redis.ts';
import { openSqliteQueue } from './queue/sqlite.ts';
import { openVisits } from './queue/visits.ts';
import { openWriter, type Writer } from './queue/writer.ts';
import { openRedis } from './redis.ts';
import { openSecurityLog } from './security-log.ts';
import { siteFor, type Viewer } from './sites/access.ts';
import { accountsOf } from './accounts/accounts.ts';
import { openAuth } from './accounts/auth.ts';
import { proposeCurrency } from './sites/currency.ts';
import { DIRECTORY_FILE, openDirectory } from './directory/open.ts';
import { forgetImports } from './sites/imports.ts';
import { keepPackage } from './sites/packages.ts';
import { forgetReleased } from './sites/released-domains.ts';
import { destroySalts, saltOf } from './sites/salts.ts';
import { forgetSessions } from './accounts/sessions.ts';
import { listSites, sitesUnderQuota } from './sites/sites.ts';
import { openTouches } from './sites/last-events.ts';
import { openVersions } from './stats/answer-cache.ts';
import { openStats } from './stats/run.ts';
import { type EventStore, openStore } from './store/open.ts';
import { startOfMonth } from './time.ts';

export type App = {
  server: Server;
  services: Services;
  store: EventStore;
  geo: Geo;
  queue: Queue;
  collector: Collector;
  writer: Writer;
  /** Accounts past their monthly events, where QUOTA=drop. */
  overQuota: Set<string>;
  /** Starts the writer (where the role says so) and the jobs. */
  start(): void;
  /** Runs a background job of jobs.ts now. */
  runJob(name: string): Promise<void>;
  /** In order: no new requests, requests under way finished, counts flushed, the queue written, stores closed. */
  close(): Promise<void>;
};

/** By then the writer has been through what waited at the start. */
const CATCH_UP_MS = 60_000;

type Options = {
  config: Config;
  now?: () => number;
  schedule?: Schedule;
  /** Where outgoing requests go; the internet unless given. */
  network?: Network;
  log: Log;
};

export async function openApp({ config, now = Date.now, schedule, network, log }: Options): Promise<App> {
  const openedAt = now();
  const security = openSecurityLog({ log, now });
  if ((await prepareDataFolder(config.DATA_DIR)).wasOpen)
    log.warn('other users of this machine could read DATA_DIR: it is closed now');
  const closers: (() => Promise<unknown>)[] = [];
  const opened = <T>(thing: T, close: (thing: T) => Promise<unknown>): T => {
    closers.unshift(() => close(thing));
    return thing;
  };
  const close = async () => {
    for (const closeOne of closers.splice(0)) await closeOne();
  };

  try {
    // The stores, each in its embedded or its server form.
    const directory = opened(
      await openDirectory({ databaseUrl: config.DATABASE_URL, path: join(config.DATA_DIR, DIRECTORY_FILE) }),
      (it) => it.close(),
    );
    const redis = config.REDIS_URL ? opened(await openRedis(config.REDIS_URL), (it) => it.close()) : undefined;
    const redisLease = redis && openRedisLease(redis, { name: 'writer' });
    const queue = opened(
      redis && redisLease
        ? await openRedisQueue({ redis, log, fence: redisLease.fence })
        : await openSqliteQueue({ path: join(config.DATA_DIR, 'queue.sqlite') }),
      (it) => it.close(),
    );
    // After the queue, which says more plainly than the engine when another process has the folder.
    const store = opened(await openStore({ url: config.CLICKHOUSE_URL, path: join(config.DATA_DIR, 'events') }), (it) =>
      it.close(),
    );
    const windows = opened(redis ? openRedisWindows({ redis }) : openMemoryWindows(), (it) => it.close());
    const geo = await openGeo({ ...(config.GEOIP_DB !== undefined && { path: config.GEOIP_DB }), log });
    const versions = openVersions();
    // Where other processes write too, nobody here knows when an answer is out of date.
    const isOnlyWriter = config.ROLE === 'all' && !config.CLICKHOUSE_URL;
    const versionOf = isOnlyWriter ? versions.of : () => undefined;
    const stats = openStats(store, versionOf);

    // Collecting: a hit becomes an anonymous event in the queue.
    const overQuota = new Set<string>();
    const onNew = (recorded: Recorded) => {
      if (recorded.kind === 'event' && recorded.currency !== '')
        void proposeCurrency(directory, recorded).catch(warn('currency'));
      touches.seen(recorded.site_id, recorded.time);
      if (recorded.kind !== 'event' || !isRecent(recorded.time, now())) return;
      void windows.record(recorded).then((source) => socket.arrived({ ...recorded, source }), warn('live windows'));
    };
    const warn = (what: string) => (error: unknown) => log.warn({ error }, `${what}: not brought up to date`);
    const touches = openTouches(directory, warn('sites'));
    const secretOf = (day: string) => saltOf(directory, day, now());
    const salts = openSiteSalts(secretOf);
    const addresses = openAddressHash(secretOf);
    const limits = { visitorsPerMinute: config.FLOOD_VISITORS, eventsPerSecond: config.FLOOD_EVENTS };
    const flood = redis ? openRedisFlood(limits, { redis }) : openMemoryFlood(limits);
    const collector = openCollector({
      directory,
      queue,
      context: {
        geo,
        windows,
        saltOf: salts.of,
        isOverQuota: (site) => overQuota.has(site.account_id),
        flood: { ...flood, addresses, security },
      },
      onNew,
    });

    // Writing: batches from the queue to the store, by one process at a time.
    const writer = openWriter({
      queue,
      store,
      visits: openVisits(store),
      lease: redisLease ?? openLease(),
      now,
      log,
      onStored: (entries) => {
        versions.stored(entries);
        // What waited in the queue when this process started is in no window yet; recording twice changes nothing.
        if (!redis && now() - openedAt < CATCH_UP_MS)
          for (const entry of entries)
            if (entry.kind === 'event' && isRecent(entry.time, now()))
              void windows.record(entry).catch(warn('live windows'));
        socket.stored(new Set(entries.map((entry) => entry.site_id)));
      },
    });

    const deletion = openDeletion({ directory, queue, store, windows, writer, versions, now });

    // Showing: the dashboard's procedures and its socket, behind one decision about who may see what.
    const peers = openPeers(config.TRUST_PROXY, {
      onUntrustedProxy: () =>
        log.warn(
          'a proxy forwards requests, and TRUST_PROXY does not name it: all visitors count as one. Set TRUST_PROXY to its address, or to `loopback`',
        ),
    });
    const hosts = openHosts({ config, peers, certificate: (await readTls(config))?.cert });
    const isSecure = config.BASE_URL?.startsWith('https:') ?? Boolean(config.TLS_CERT);
    const addressHashOf = (request: IncomingMessage) => addresses.of(peers.addressOf(request), now());
    const wrongTokens = openWrongTokens({ redis, security, now });
    const auth = await openAuth({
      directory,
      config,
      baseUrl: config.BASE_URL,
      now,
      log,
      security,
      makeCounter: (limit) => counter(redis, limit),
    });
    const services: Services = {
      config,
      directory,
      auth,
      stats,
      windows,
      collector,
      limiter: openLimiter(config, redis),
      outgoing: openOutgoing(network && { network }),
      takeCheck: openChecks(redis),
      peers,
      wrongTokens,
      security,
      versionOf,
      addressHashOf,
      requesterOf: (request, response) => ({
        signal: leavingOf(response),
        addressHash: () => addressHashOf(request),
      }),
      deleteSite: deletion.deleteSite,
      now,
      log,
    };
    const built = openStatic();
    if (built.package) await keepPackage(directory, built.package, now());
    const files =
      config.NODE_ENV === 'development'
        ? opened(await (await import('./http/vite.ts')).openVite(built), (it) => it.close())
        : built;
    const listener: RequestListener = openDoors({
      services,
      peers,
      hosts,
      collect: openCollectDoor({
        collector,
        reports: openReportDoor({
          directory,
          collector,
          countWrong: (request, token) =>
            wrongTokens.count('ingest_token', { token, addressHash: () => addressHashOf(request) }),
          now,
        }),
        peers,
        hosts,
        mustBeSecure: isSecure,
        now,
        log,
      }),
      files,
      mustBeSecure: isSecure,
      isWriterOnly: config.ROLE === 'writer',
      stores: { events: store, directory, queue, live: windows },
    });
    const server = await openServer(config, listener);
    const refusalOf = (viewer: Viewer, siteId: SiteId) =>
      siteFor(directory, viewer, { siteId }, 'read', { now: now(), billing: billingOf(config) }).then(
        () => undefined,
        (error: unknown) => {
          if (error instanceof Refusal) return error;
          throw error;
        },
      );
    const socket = openSocket<Viewer>({
      httpServer: server,
      windows,
      redis,
      identify: (headers, request) => readViewer(services, headers, () => addressHashOf(request)),
      refusalOf,
      sitesOf: async (viewer) => {
        if (viewer.kind !== 'user') return [];
        const [account] = await accountsOf(directory, viewer.userId);
        return account ? (await listSites(directory, account.id)).map((site) => site.id) : [];
      },
      isGuest: (viewer) => viewer.kind === 'share',
      addressOf: addressHashOf,
      mayConnect: (request) => hosts.maySignIn(request) && auth.isTrustedOrigin(request.headers),
      now,
      ...(schedule && { schedule }),
      log,
    });

    let reportedBuried = 0;
    const jobs = jobsOf({
      flushDrops: () => collector.flushDrops(),
      touchSites: () => touches.flush(),
      refreshQuota: async (time) => {
        if (config.QUOTA !== 'drop') return;
        const range = { from: startOfMonth(time), to: time + 1 };
        for (const [account, siteIds] of await sitesUnderQuota(directory)) {
          if ((await stats.countEvents(siteIds, range)) >= MONTHLY_EVENTS) overQuota.add(account);
          else overQuota.delete(account);
        }
      },
      destroySalts: async (before) => {
        salts.forget(before);
        await destroySalts(directory, { before });
      },
      forgetReleased: (before) => forgetReleased(directory, before),
      forgetImports: (before) => forgetImports(directory, before),
      forgetSessions: (before) => forgetSessions(directory, before),
      eraseDeleted: () => deletion.erase(),
      finishDeletions: (before) => deletion.finish(before),
      oldestWaiting: async () => (await queue.status()).oldestAt,
      reportBuried: async () => {
        const { buried } = await queue.status();
        if (buried > reportedBuried)
          log.warn({ buried }, 'events are put aside that the event store refused: `manage replay` tries them again');
        reportedBuried = buried;
      },
    });
    if (!redis) await restoreWindows({ windows, flood, store }, now()); // Redis outlives this process

    const runJob = async (name: string) => jobs.find((job) => job.name === name)?.run(now());
    let stopJobs: (() => Promise<void>) | undefined;
    return {
      server,
      services,
      store,
      geo,
      queue,
      collector,
      writer,
      overQuota,
      runJob,
      start: () => {
        if (config.ROLE !== 'web') writer.start();
        stopJobs = startJobs(jobs, { now, log });
      },
      close: async () => {
        await socket.close(); // dashboards hold connections that the server would wait for
        await stopServer(server);
        await stopJobs?.();
        await collector.flushDrops().catch(warn('drop counts'));
        await runJob('touch-sites').catch(warn('sites'));
        if (config.ROLE !== 'web') await writer.stop();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}
