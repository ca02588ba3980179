// The routes of the server, the busiest first. Paths that are not in this table belong to the dashboard.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Wishes } from '../collect/collector.ts';
import type { CollectDoor } from '../collect/doors/handler.ts';
import { ownOrigin } from '../config.ts';
import { Refusal } from '../errors.ts';
import type { Hosts } from '../process/http/hosts.ts';
import { isPrivateAddress } from '../process/http/private-addresses.ts';
import type { Peers } from '../process/http/peer.ts';
import { HSTS, REPORTS_PATH } from '../process/http/content-policy.ts';
import { sendError, sendJson } from '../process/http/respond.ts';
import { readTarget } from '../process/http/target.ts';
import type { StaticFiles } from '../process/http/static.ts';
import { AUTH_PATH } from '../accounts/sign-in/auth-library.ts';
import { openCsv } from './exports/csv.ts';
import { isDownload, openDownload } from './exports/download.ts';
import { openDocs } from './pages/docs.ts';
import { openFeeds } from './feeds/handler.ts';
import { openIcons } from './pages/icons.ts';
import { openMailPreviews } from './pages/mail-previews.ts';
import { MCP_PATH } from './mcp/address.ts';
import { openMcp } from './mcp/handler.ts';
import { type MetricsPage, openMetricsPage } from './pages/metrics.ts';
import { OIDC_CALLBACK_PATH } from '../accounts/sign-in/single-sign-on/oidc-issuer.ts';
import { OIDC_START_PATH, openOidcRoutes } from './pages/oidc.ts';
import { isPackageAddress, openPackages } from './pages/packages.ts';
import { openPolicyReports } from './pages/policy-reports.ts';
import { openReadiness, type Pinged } from './pages/readiness.ts';
import { openCalls } from './rest/calls.ts';
import { openRest } from './rest/handler.ts';
import { FEEDS_PATH } from '../sites/sharing/feeds.ts';
import { openSearchCallback } from './dashboard/search-console.ts';
import { SEARCH_CALLBACK_PATH } from '../integrations/search-console/google.ts';
import { openSecurityTxt, SECURITY_TXT_PATH } from './pages/security-txt.ts';
import { openStripeWebhook, STRIPE_WEBHOOK_PATH } from './pages/stripe-webhook.ts';
import { openReportPreview, REPORT_PREVIEW_PATH } from './dashboard/reports.ts';
import { openOembed } from './pages/oembed.ts';
import { OEMBED_PATH, openSharePage } from './pages/share-page.ts';
import type { Services } from './trpc.ts';
import { openTrpc } from './trpc-handler.ts';
import { openTagTemplate } from './pages/tag-template.ts';
import { openUnsubscribe } from './pages/unsubscribe.ts';
import manifest from '../../package.json' with { type: 'json' };
import { UNSUBSCRIBE_PATH } from '../messages/mail/unsubscribe.ts';
import { t } from '../vocabulary/habits/messages.ts';

type Options = {
  services: Services;
  peers: Peers;
  hosts: Hosts;
  collect: CollectDoor;
  files: StaticFiles;
  mustBeSecure: boolean;
  /** True for ROLE=writer: the process only answers health checks. */
  isWriterOnly: boolean;
  stores: Pinged;
  /** Undefined without METRICS_TOKEN. */
  metrics: MetricsPage | undefined;
};

/** Paths of pages for people: without TLS they are redirected, not refused. */
const PAGES: ReadonlySet<string> = new Set(['docs', 'oembed', 'oidc', 'search-console', 'share', 'unsubscribe']);

type Handler = (request: IncomingMessage, response: ServerResponse, url: URL) => Promise<void> | void;

export function openRoutes(options: Options): RequestListener {
  const { services, peers, hosts, collect, files } = options;
  const { log } = services;

  const calls = openCalls(services);
  const rest = openRest(services, calls);
  const [csv, download] = [openCsv(services), openDownload(services)];
  const mcp = openMcp(services, calls, checkOrigin);
  const oidc = openOidcRoutes(services);
  const packages = openPackages({ directory: services.directory, newest: files.package?.name });

  /** The address of this server as other people reach it. */
  const originOf = (request: IncomingMessage): string => {
    if (options.mustBeSecure) return hosts.secureOrigin(request);
    return ownOrigin(services.config);
  };

  /** What the site asks for whose page loads the script, so that its owner need not edit the snippet. */
  const wishesOf = async (request: IncomingMessage): Promise<Wishes | undefined> => {
    const page = URL.parse(request.headers.referer ?? '');
    return page ? services.collector.wishesOf(page.hostname, services.now()) : undefined;
  };

  /** Keys are exact paths. A key that ends in a slash stands for every path with that first segment. */
  const routes: Record<string, Handler> = {
    '/foot': collect.foot,
    '/foot.gif': collect.gif,
    '/foot.js': async (request, response) => {
      if (!files.tracker(request, response, await wishesOf(request)))
        throw new Refusal('not_found', t('The tracker is not built: run `npm run build`.'));
    },
    '/footfall.tgz': packages.newest,
    '/footfall-VERSION.tgz': packages.version,
    '/footfall-gtm.tpl': openTagTemplate(files, originOf),
    '/healthz': (_request, response) => sendJson(response, 200, { status: 'ok', version: manifest.version }),
    '/readyz': openReadiness(options.stores),
    '/metrics': openMetricsPage(options.metrics),
    [STRIPE_WEBHOOK_PATH]: openStripeWebhook(services),
    '/trpc/': openTrpc(services, checkOrigin),
    '/v1/': rest,
    [MCP_PATH]: mcp,
    '/export/': (request, response, url) => (isDownload(url) ? download : csv)(request, response, url),
    '/docs/': openDocs(files),
    '/icons/': openIcons(services),
    [FEEDS_PATH]: openFeeds({ services, originOf }),
    [REPORT_PREVIEW_PATH]: openReportPreview(services),
    '/share/': openSharePage({ services, files, originOf }),
    [OEMBED_PATH]: openOembed({ services, originOf }),
    [UNSUBSCRIBE_PATH]: openUnsubscribe({ services, files }),
    ...(services.config.NODE_ENV === 'development' && { '/mails/': openMailPreviews(services.config) }),
    [OIDC_START_PATH]: oidc.start,
    [OIDC_CALLBACK_PATH]: oidc.finish,
    [SEARCH_CALLBACK_PATH]: openSearchCallback(services),
    [REPORTS_PATH]: openPolicyReports(services),
    [SECURITY_TXT_PATH]: openSecurityTxt(services),
    // Programs look here for what a server supports, such as OAuth: the dashboard's page would mislead them.
    '/.well-known/': () => {
      throw new Refusal('not_found', t('There is nothing at this address.'));
    },
    [`${AUTH_PATH}/`]: async (request, response) => {
      checkOrigin(request);
      await services.auth.handler(request, response, () => services.addressHashOf(request));
    },
  };

  /** Paths that pages of sites request, possibly through a proxy of their own. */
  const collecting = new Set(['/foot', '/foot.gif', '/foot.js', '/footfall.tgz']);

  /** Prometheus asks each process by its address in the private network, in plain HTTP. */
  const isInside = (request: IncomingMessage, path: string) =>
    path === '/healthz' || path === '/readyz' || (path === '/metrics' && isPrivateAddress(peers.addressOf(request)));

  /** Requests with a session cookie may come only from our own pages. */
  function checkOrigin(request: IncomingMessage) {
    if (services.auth.isTrustedOrigin(request.headers)) return;
    services.security.note('origin_refused', {});
    throw new Refusal('forbidden', t('Only the dashboard may send this request: open it and try again there.'));
  }

  async function answer(request: IncomingMessage, response: ServerResponse) {
    const url = readTarget(request.url ?? '/');
    if (!url) throw new Refusal('bad_request', t('The address is malformed.'));
    const [, first = ''] = url.pathname.split('/', 2);
    const isPackage = isPackageAddress(url.pathname);
    const handle = isPackage ? packages.version : (routes[url.pathname] ?? routes[`/${first}/`]);
    const inside = isInside(request, url.pathname);
    if (options.isWriterOnly && !inside)
      throw new Refusal('not_found', t('This process only writes events: send requests to a process with ROLE=web.'));
    const collects = isPackage || collecting.has(url.pathname);
    if (!inside) hosts.check(request, { collects });
    // Not on paths that a site's own proxy passes on: HSTS would then force the site's whole domain to HTTPS.
    if (options.mustBeSecure && !collects && peers.isSecure(request)) response.setHeaders(HSTS);
    if (options.mustBeSecure && !inside && !peers.isSecure(request) && handle !== collect.gif) {
      if (handle === rest || handle === mcp) calls.mark(response);
      if (handle && !PAGES.has(first)) throw new Refusal('forbidden', t('This is served only over HTTPS.'));
      const target = new URL(hosts.secureOrigin(request));
      target.pathname = url.pathname; // set, not resolved: `//evil.example` would resolve to another host
      target.search = url.search;
      response.writeHead(308, { location: target.href }).end();
      return;
    }
    if (handle) await handle(request, response, url);
    else files.app(request, response);
  }

  return (request, response) => {
    if (request.url === '/foot' && !options.isWriterOnly) void collect.foot(request, response);
    else answer(request, response).catch((error: unknown) => sendError(response, error, log));
  };
}
