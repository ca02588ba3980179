// Showing: the dashboard's procedures and its socket. One function decides who may see what.
import type { IncomingHttpHeaders, IncomingMessage, RequestListener, Server } from 'node:http';
import { currentAccount } from '../accounts/accounts.ts';
import { openAuth } from '../accounts/sign-in/auth.ts';
import { openPayments } from '../accounts/billing/open.ts';
import { ruleFor } from './viewer-rule.ts';
import { listsNowOf } from '../stats/disclosure/link-rules.ts';
import { isLimited } from '../stats/disclosure/rule.ts';
import { toFunnel } from './funnels.ts';
import { openFollowed } from './dashboard/followed.ts';
import { openRoutes } from './routes.ts';
import type { MetricsPage } from './pages/metrics.ts';
import { counter, openIconLimit, openLimiter, openLimits } from './rate-limits.ts';
import type { Services } from './trpc.ts';
import { readViewer } from './viewer.ts';
import { openWrongTokens } from './wrong-tokens.ts';
import { openCollectDoor } from '../collect/doors/handler.ts';
import { parseClient } from '../collect/agents/device.ts';
import { openReportDoor } from '../collect/doors/reports.ts';
import { billingOf, isServedSecurely, mentionBasesOf, oidcOf } from '../config.ts';
import type { Directory } from '../directory/open.ts';
import { openEncryption } from '../directory/encryption.ts';
import { secretOf } from '../directory/server-keys.ts';
import { Refusal } from '../errors.ts';
import type { SiteId } from '../vocabulary/event.ts';
import { showsPart } from '../vocabulary/settings/share-links.ts';
import { type Favicons, openFavicons } from '../integrations/icons/favicons.ts';
import { acceptForwarded } from '../process/http/forwarding.ts';
import { type Hosts, openHosts } from '../process/http/hosts.ts';
import { openPeers, type Peers } from '../process/http/peer.ts';
import { openServer, readTls } from '../process/http/server.ts';
import { openStatic, type StaticFiles } from '../process/http/static.ts';
import { type LiveSocket, openSocket } from '../live/socket.ts';
import type { Schedule } from '../live/throttle.ts';
import { openMail } from '../messages/mail/mail.ts';
import { openReleases } from '../integrations/releases.ts';
import { openMentionSearch } from '../integrations/mentions/search.ts';
import { openOutgoing } from '../process/outgoing/client.ts';
import { INTERNET, type Network } from '../process/outgoing/network.ts';
import { throughProxy } from '../process/outgoing/proxy.ts';
import { openOwnership } from '../sites/checks/ownership.ts';
import { openUnlocked } from '../sites/sharing/unlocked.ts';
import { openPreviews } from '../sites/previews/previews.ts';
import { openReports } from '../notifications/reports/reports.ts';
import { openSearchConsole, openSearchData } from '../integrations/search-console/open.ts';
import { accountFor, siteFor, sitesFor, type Viewer } from '../sites/access.ts';
import { listResolved } from '../sites/definitions/funnels.ts';
import { goals } from '../sites/definitions/goals.ts';
import { listNotes } from '../sites/definitions/notes.ts';
import { importFormats } from '../sites/import-list.ts';
import { keepPackage } from '../sites/packages.ts';
import { openExporting } from '../jobs/exporting/exporting.ts';
import { openCountedGoals } from '../stats/days/counted-goals.ts';
import { type Definitions, openStats } from '../stats/run.ts';
import { openSpeedNow } from '../stats/vitals/now.ts';
import { openWebhooks } from '../messages/webhooks/webhooks.ts';
import type { Desk } from '../collect/workers/desk.ts';
import type { Collecting } from '../collect/open.ts';
import type { Setting } from '../process/setting.ts';
import type { Stores, Writing } from '../jobs/writing.ts';
import { siteById } from '../sites/sites.ts';
import { UTC } from '../vocabulary/time/zones.ts';

export type Showing = {
  server: Server;
  services: Services;
  socket: LiveSocket;
  /** Undefined if this process listens itself. */
  desk: Desk | undefined;
};

type Parts = {
  setting: Setting;
  stores: Stores;
  collecting: Collecting;
  writing: Writing;
  /** Network for outgoing requests; the internet by default. */
  network?: Network | undefined;
  /** Undefined without METRICS_TOKEN. */
  metrics: MetricsPage | undefined;
  /** The folder of the built files; `build/` by default. */
  built?: string | undefined;
  /** True if workers listen, and forward requests to this process. */
  hasWorkers: boolean;
  /** Scheduler of the socket's pushes; timers by default. */
  schedule?: Schedule | undefined;
};

/** Decides which peers are trusted proxies, and which hosts are ours. */
type Entrance = { peers: Peers; hosts: Hosts };

/** A server that listens answers its first requests before it reads the dashboard's files. */
const READING_MS = 200;

const UNTRUSTED_PROXY =
  'a proxy forwards requests, but TRUST_PROXY does not name it: all visitors count as one. Set TRUST_PROXY to its address, or to `loopback`';

export async function openShowing(given: Parts, opened: AsyncDisposableStack): Promise<Showing> {
  const { config, log } = given.setting;
  const { OUTGOING_PROXY: proxy } = config;
  const parts: Parts = proxy ? { ...given, network: throughProxy(given.network ?? INTERNET, proxy) } : given;
  const peers = openPeers(config.TRUST_PROXY, { onUntrustedProxy: () => log.warn(UNTRUSTED_PROXY) });
  const hosts = openHosts({ config, peers, certificate: (await readTls(config))?.cert });
  const services = await openServices(parts, peers, opened);
  const files = await openFiles(parts, opened);
  const listener = listenerOf(parts, services, { peers, hosts, files });
  const server = await openServer(parts.hasWorkers ? {} : config, listener); // workers speak TLS
  server.once('listening', () => setTimeout(files.read, READING_MS).unref());
  const desk = parts.hasWorkers ? parts.collecting.deskFor(peers.foundUntrustedProxy) : undefined;
  if (desk) acceptForwarded(server, (socket) => desk.take(socket));
  return { server, services, socket: openDashboards(parts, services, { server, hosts, version: files.version }), desk };
}

async function openServices(parts: Parts, peers: Peers, opened: AsyncDisposableStack): Promise<Services> {
  const { config, security, now, log } = parts.setting;
  const { directory, redis, store, windows } = parts.stores;
  const { collector, addresses } = parts.collecting;
  const { versionOf, deletion, importing, purging } = parts.writing;
  const mail = opened.adopt(await openMail({ directory, config, now, log }), (mail) => mail.close());
  const webhooks = opened.adopt(
    await openWebhooks({ directory, config, network: parts.network, now, log }),
    (webhooks) => webhooks.close(),
  );
  const mentions = openMentions(parts, opened);
  const outgoing = openOutgoing(parts.network && { network: parts.network });
  const addressHashOf = (request: IncomingMessage) => addresses.of(peers.addressOf(request), now());
  const stats = openStatsOf(parts, opened);
  const encryption = await openEncryption(directory, config.SECRET_KEY, now());
  const searchConsole = openSearchConsole({
    directory,
    config,
    store,
    network: parts.network,
    encryption,
    mail,
    now,
    log,
  });
  const payments = await openPayments(parts.setting, directory);
  const exporting = openExporting({ directory, store, stats, payments, mail, dataDir: config.DATA_DIR, now, log });
  return {
    config,
    directory,
    payments,
    exporting,
    auth: await openAuth({
      directory,
      config,
      baseUrl: config.BASE_URL,
      oidc: oidcOf(config),
      now,
      log,
      security,
      mail,
      agentOf,
      makeCounter: (limit) => counter(redis, limit),
    }),
    mail,
    webhooks,
    stats,
    windows,
    speedNow: openSpeedNow(store),
    collector,
    limiter: openLimiter(config, redis),
    outgoing,
    ownership: openOwnership({
      outgoing,
      network: parts.network ?? INTERNET,
      secret: await secretOf(directory, 'ownership', now()),
    }),
    ...openLimits(redis),
    favicons: await openIcons(parts, opened),
    takeIcon: openIconLimit(redis),
    previews: openPreviews({ now }),
    unlocked: openUnlocked(await secretOf(directory, 'share_links', now()), { isSecure: isServedSecurely(config) }),
    searchConsole,
    searchData: openSearchData({ directory, store, encryption, now, log }, searchConsole),
    mentions,
    releases: openReleases({ directory, config, network: parts.network, log }),
    reports: openReports({ directory, stats, mail, webhooks, config, now, log }),
    peers,
    wrongTokens: openWrongTokens({ redis, security, now }),
    security,
    versionOf,
    addressHashOf,
    requesterOf: requestersOf(peers, addressHashOf),
    deleteSite: deletion.deleteSite,
    importing,
    purging,
    now,
    log,
  };
}

const requestersOf =
  (peers: Peers, addressHashOf: Services['addressHashOf']): Services['requesterOf'] =>
  (request, signal) => ({
    signal,
    addressHash: () => addressHashOf(request),
    address: () => peers.addressOf(request),
  });

function openMentions({ setting, stores, network }: Parts, opened: AsyncDisposableStack) {
  const { config, now, log } = setting;
  const settings = { billing: billingOf(config), bases: mentionBasesOf(config) };
  const mentions = openMentionSearch({ directory: stores.directory, network, now, log, ...settings });
  opened.defer(() => mentions.close());
  return mentions;
}

function openStatsOf({ setting: { now, log }, stores, writing }: Parts, opened: AsyncDisposableStack) {
  const countedGoals = openCountedGoals({
    store: stores.store,
    now,
    onFailed: (error, day) => log.warn({ error, ...day }, 'goals could not be counted: they are read from the events'),
  });
  opened.defer(() => countedGoals.close());
  return openStats(stores.store, writing.recentVersionOf, { ...definitionsIn(stores.directory), countedGoals });
}

/** Browser and system by name, for the list of sessions. */
function agentOf(headers: IncomingHttpHeaders): string | undefined {
  const { browser, os } = parseClient(headers['user-agent'] ?? '', {});
  return browser && os ? `${browser} on ${os}` : browser || os || undefined;
}

/** Icons are small and never urgent, so their requests have tighter limits than others. */
const ICON_LIMITS = { timeoutMs: 5000, maxBytes: 262_144 };

async function openIcons({ setting, stores, network }: Parts, opened: AsyncDisposableStack): Promise<Favicons> {
  const { config, now, log } = setting;
  const { directory } = stores;
  const secret = await secretOf(directory, 'favicons', now());
  const outgoing = openOutgoing({ ...ICON_LIMITS, ...(network && { network }) });
  return opened.adopt(
    openFavicons({ directory, outgoing, secret, isOn: config.FAVICONS === 'on', now, log }),
    (favicons) => favicons.close(),
  );
}

/** The goals, funnels, releases and imports of a site, for the questions that name them. */
const definitionsIn = (directory: Directory): Definitions => ({
  goalsOf: (siteId) => goals.list(directory, { siteId: siteId as SiteId }),
  funnelsOf: async (siteId) => {
    const resolved = await listResolved(directory, { siteId: siteId as SiteId });
    return resolved.map((funnel) => ({ id: funnel.id, ...toFunnel(funnel) }));
  },
  releasesOf: async (siteId) => {
    const [noted, site] = await Promise.all([
      listNotes(directory, { siteId: siteId as SiteId, isShared: false, kind: 'release' }),
      siteById(directory, siteId),
    ]);
    return { noted, zone: site?.timezone ?? UTC };
  },
  formatsOf: (siteId) => importFormats(directory, siteId as SiteId),
});

/** Opens the built files; in development, Vite serves the dashboard from its sources. */
async function openFiles(
  { setting, stores, built: folder }: Parts,
  opened: AsyncDisposableStack,
): Promise<StaticFiles> {
  const built = openStatic(folder);
  if (built.package) await keepPackage(stores.directory, built.package, setting.now());
  if (setting.config.NODE_ENV !== 'development') return built;
  const { openVite } = await import('../process/http/vite.ts');
  return opened.adopt(await openVite(built), (vite) => vite.close());
}

function listenerOf(
  { setting, stores, collecting, metrics }: Parts,
  services: Services,
  { peers, hosts, files }: Entrance & { files: StaticFiles },
): RequestListener {
  const { config, now, log } = setting;
  const { directory, queue, store, windows } = stores;
  const { collector } = collecting;
  const { wrongTokens, addressHashOf } = services;
  const mustBeSecure = isServedSecurely(config);
  const report = openReportDoor({
    directory,
    collector,
    countWrong: (request, token) =>
      wrongTokens.count('ingest_token', { token, addressHash: () => addressHashOf(request) }),
    now,
  });
  return openRoutes({
    services,
    peers,
    hosts,
    collect: openCollectDoor({ collector, report, peers, hosts, mustBeSecure, now, log }),
    files,
    mustBeSecure,
    isWriterOnly: config.ROLE === 'writer',
    stores: { events: store, directory, queue, live: windows },
    metrics,
  });
}

/** Somebody without access to numbers, who has just left the account, or whose plan has ended, has no sites to watch. */
function noSites(error: unknown): [] {
  if (error instanceof Refusal) return [];
  throw error;
}

function openDashboards(
  { setting, stores, writing, schedule }: Parts,
  services: Services,
  { server, hosts, version }: { server: Server; hosts: Hosts; version: string | undefined },
): LiveSocket {
  const { config, now, log } = setting;
  const { directory, redis, windows } = stores;
  const { auth, addressHashOf } = services;
  return openSocket<Viewer>({
    httpServer: server,
    windows,
    redis,
    identify: (headers, request) => readViewer(services, headers, () => addressHashOf(request)),
    accessOf: (viewer, siteId) =>
      siteFor(directory, viewer, { siteId }, 'read', { now: now(), billing: billingOf(config) }).then(
        (access) => {
          const rule = ruleFor(viewer, access);
          const isQuiet = rule?.link !== undefined && !showsPart(rule.link, 'live');
          return { inSteps: isLimited(rule), lists: listsNowOf(rule?.link), isQuiet };
        },
        (refusal: unknown) => {
          if (refusal instanceof Refusal) return { refusal };
          throw refusal;
        },
      ),
    sitesOf: async (viewer) => {
      if (viewer.kind !== 'user') return [];
      const account = await currentAccount(directory, viewer);
      if (!account) return [];
      const options = { now: now(), billing: billingOf(config) };
      return accountFor(directory, viewer, { accountId: account.id }, 'read', options).then(
        async (access) =>
          (await sitesFor(directory, access)).map((site) => ({
            siteId: site.id,
            inSteps: isLimited(ruleFor(viewer, { site, role: access.role })),
          })),
        noSites,
      );
    },
    answers: openFollowed(services),
    isGuest: (viewer) => viewer.kind === 'share',
    maxSockets: config.SOCKETS,
    addressOf: addressHashOf,
    onStoredElsewhere: writing.heard,
    version,
    mayConnect: (request) => hosts.maySignIn(request) && auth.isTrustedOrigin(request.headers),
    now,
    ...(schedule && { schedule }),
    log,
  });
}
