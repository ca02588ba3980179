// Every address of the server, the busiest first: what is not in this table is the dashboard's, or is not there.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { nodeHTTPRequestHandler } from '@trpc/server/adapters/node-http';
import type { CollectDoor } from '../collect/handler.ts';
import { Refusal, type Unavailable } from '../errors.ts';
import type { Hosts } from '../http/hosts.ts';
import type { Peers } from '../http/peer.ts';
import { HSTS, REPORTS_PATH } from '../http/content-policy.ts';
import { sendError, sendJson } from '../http/respond.ts';
import type { StaticFiles } from '../http/static.ts';
import { AUTH_PATH } from '../accounts/auth-library.ts';
import { openCsv } from './csv.ts';
import { openDocs } from './docs.ts';
import { isPackageAddress, openPackages } from './packages.ts';
import { openPolicyReports } from './policy-reports.ts';
import { openRest } from './rest/handler.ts';
import { appRouter } from './router.ts';
import { openSecurityTxt, SECURITY_TXT_PATH } from './security-txt.ts';
import { readViewer, retryHeaders, type Services } from './trpc.ts';

type Store = { ping(): Promise<void> };

type Options = {
  services: Services;
  peers: Peers;
  hosts: Hosts;
  collect: CollectDoor;
  files: StaticFiles;
  mustBeSecure: boolean;
  /** A process that only writes answers for its health alone. */
  isWriterOnly: boolean;
  stores: Record<Unavailable['store'], Store>;
};

type Door = (request: IncomingMessage, response: ServerResponse, url: URL) => Promise<void> | void;

/** The largest thing that a procedure takes is a list of filters. */
const MAX_TRPC_BYTES = 64 * 1024;
/** A dashboard's panels ask for some 15 things at once; each costs a query. */
const MAX_TRPC_BATCH = 50;

export function openDoors(options: Options): RequestListener {
  const { services, peers, hosts, collect, files } = options;
  const { log } = services;

  const rest = openRest(services);
  const packages = openPackages({ directory: services.directory, newest: files.package?.name });

  /** By exact path, by first segment where it ends in a slash, or by the pattern of a package's versions. */
  const doors: Record<string, Door> = {
    '/foot': collect.foot,
    '/foot.gif': collect.gif,
    '/foot.js': (request, response) => {
      if (!files.tracker(request, response))
        throw new Refusal('not_found', 'The tracker is not built: run `npm run build`.');
    },
    '/footfall.tgz': packages.newest,
    '/footfall-VERSION.tgz': packages.version,
    '/healthz': (_request, response) => sendJson(response, 200, { status: 'ok' }),
    '/readyz': readiness,
    '/trpc/': trpc,
    '/v1/': rest.door,
    '/export/': openCsv(services),
    '/docs/': openDocs(),
    [REPORTS_PATH]: openPolicyReports(services),
    [SECURITY_TXT_PATH]: openSecurityTxt(services),
    [`${AUTH_PATH}/`]: async (request, response) => {
      checkOrigin(request);
      await services.auth.handler(request, response, () => services.addressHashOf(request));
    },
  };

  /** What pages of sites load and send to, also through a proxy of their own. */
  const collecting = new Set(['/foot', '/foot.gif', '/foot.js', '/footfall.tgz']);

  async function readiness(_request: IncomingMessage, response: ServerResponse) {
    const entries = await Promise.all(
      Object.entries(options.stores).map(async ([name, store]) => {
        const answers = await store.ping().then(
          () => true,
          () => false,
        );
        return [name, answers ? 'ok' : 'unreachable'] as const;
      }),
    );
    const ready = entries.every(([, state]) => state === 'ok');
    sendJson(response, ready ? 200 : 503, {
      status: ready ? 'ok' : 'unreachable',
      stores: Object.fromEntries(entries),
    });
  }

  async function trpc(request: IncomingMessage, response: ServerResponse, url: URL) {
    const { method = '' } = request;
    if (!['GET', 'HEAD', 'POST'].includes(method)) {
      response.setHeader('allow', 'GET, HEAD, POST');
      throw new Refusal('method_not_allowed', 'The method must be GET or POST.');
    }
    if (method === 'POST') {
      checkOrigin(request);
      // tRPC would take forms and bytes as well, which no procedure wants.
      if (!/^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? ''))
        throw new Refusal('unsupported_media_type', 'The content type must be application/json.');
    }
    response.setHeader('cache-control', 'no-store');
    const cookies: string[] = [];
    await nodeHTTPRequestHandler({
      router: appRouter,
      req: request,
      res: response,
      path: url.pathname.slice('/trpc/'.length),
      maxBodySize: MAX_TRPC_BYTES,
      maxBatchSize: MAX_TRPC_BATCH,
      responseMeta: ({ errors }) => ({ headers: retryHeaders(errors) }),
      createContext: async () => ({
        ...services,
        headers: request.headers,
        setCookies: (more: string[]) => {
          cookies.push(...more);
          if (cookies.length > 0 && !response.headersSent) response.setHeader('set-cookie', cookies);
        },
        ...(await whoAsks(request, response)),
      }),
    });
  }

  async function whoAsks(request: IncomingMessage, response: ServerResponse) {
    const requester = services.requesterOf(request, response);
    return readViewer(services, request.headers, requester.addressHash).then(
      (viewer) => ({ viewer, requester }),
      (trouble: unknown) => ({ viewer: undefined, requester, trouble }),
    );
  }

  /** What carries the session may be sent by our own pages alone. */
  function checkOrigin(request: IncomingMessage) {
    if (services.auth.isTrustedOrigin(request.headers)) return;
    services.security.note('origin_refused', {});
    throw new Refusal('forbidden', 'This can be done from the dashboard only.');
  }

  async function answer(request: IncomingMessage, response: ServerResponse) {
    const url = readUrl(request.url ?? '/');
    if (!url) throw new Refusal('bad_request', 'The address is malformed.');
    const [, first = ''] = url.pathname.split('/', 2);
    const isPackage = isPackageAddress(url.pathname);
    const door = isPackage ? packages.version : (doors[url.pathname] ?? doors[`/${first}/`]);
    const isHealth = url.pathname === '/healthz' || url.pathname === '/readyz';
    if (options.isWriterOnly && !isHealth)
      throw new Refusal('not_found', 'This process writes events and serves no pages.');
    const collects = isPackage || collecting.has(url.pathname);
    if (!isHealth) hosts.check(request, { collects });
    // Not for what a site's own proxy passes on: its whole domain would be held to HTTPS.
    if (options.mustBeSecure && !collects && peers.isSecure(request)) response.setHeaders(HSTS);
    if (options.mustBeSecure && !isHealth && !peers.isSecure(request) && door !== collect.gif) {
      if (door === rest.door) rest.mark(response);
      if (door && first !== 'docs') throw new Refusal('forbidden', 'This is served over HTTPS only.');
      const target = new URL(hosts.secureOrigin(request));
      target.pathname = url.pathname; // set, not resolved: `//evil.example` would be another host
      target.search = url.search;
      response.writeHead(308, { location: target.href }).end();
      return;
    }
    if (door) await door(request, response, url);
    else files.app(request, response);
  }

  return (request, response) => {
    if (request.url === '/foot' && !options.isWriterOnly) void collect.foot(request, response);
    else answer(request, response).catch((error: unknown) => sendError(response, error, log));
  };
}

/** Path and query of a request: also of the absolute form, and of a path that begins with two slashes, which is no host. */
function readUrl(text: string): URL | null {
  return URL.parse(text.startsWith('/') ? `http://host${text}` : text, 'http://host');
}
