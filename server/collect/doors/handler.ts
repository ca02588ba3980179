// POST /foot and GET /foot.gif. These are the busiest routes, so they do only what they must.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Refusal } from '../../errors.ts';
import { readJson } from '../../process/http/body.ts';
import type { Hosts } from '../../process/http/hosts.ts';
import type { Peers } from '../../process/http/peer.ts';
import { sendError } from '../../process/http/respond.ts';
import type { Log } from '../../process/log.ts';
import type { Collector } from '../collector.ts';
import { type Door, type Hit, PLAIN_VIEW } from '../hit.ts';
import { MAX_BODY_BYTES, MAX_SITE, type Payload, payload, problemOf } from './payload.ts';
import { bearerOf, type ReportDoor } from './reports.ts';
import { parsePage } from '../../vocabulary/texts/url.ts';
import { ADDRESS_RULE } from '../../vocabulary/limits.ts';

/** Pages of any origin may send events, but without credentials. */
const CORS = { 'access-control-allow-origin': '*', 'cross-origin-resource-policy': 'cross-origin' } as const;
/** Answer to the preflight request that a browser makes before it sends JSON. */
const PREFLIGHT = {
  ...CORS,
  'access-control-allow-methods': 'POST, OPTIONS',
  'access-control-allow-headers': 'content-type',
  'access-control-max-age': '86400',
} as const;
const ACCEPTED = { ...CORS, 'content-length': '0', 'cache-control': 'no-store' } as const;
const TYPES = ['text/plain', 'application/json'] as const;

/** Returns the headers that HTTP requires for the error's status. */
function errorHeadersOf(error: unknown): Record<string, string> {
  if (!(error instanceof Refusal)) return {};
  if (error.code === 'method_not_allowed') return { allow: 'POST, OPTIONS' };
  return error.code === 'unauthorized' ? { 'www-authenticate': 'Bearer' } : {};
}

const GIF = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

export type CollectDoor = {
  foot(request: IncomingMessage, response: ServerResponse): Promise<void>;
  gif(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void>;
};

type Options = {
  collector: Pick<Collector, 'collect'>;
  /** Answers a request with an ingest token. */
  report: ReportDoor;
  peers: Peers;
  hosts: Hosts;
  mustBeSecure: boolean;
  now(): number;
  log: Log;
};

export function openCollectDoor(options: Options): CollectDoor {
  const { collector, report, peers, hosts, mustBeSecure, now, log } = options;
  const senderOf = (request: IncomingMessage) => ({
    address: peers.addressOf(request),
    userAgent: request.headers['user-agent'] ?? '',
    headers: request.headers as Hit['headers'],
  });
  return {
    foot: async (request, response) => {
      try {
        if (request.method === 'OPTIONS') {
          response.writeHead(204, PREFLIGHT).end();
          return;
        }
        hosts.check(request, { collects: true });
        if (mustBeSecure && !peers.isSecure(request)) throw new Refusal('forbidden', 'Events must be sent over HTTPS.');
        if (request.method !== 'POST') throw new Refusal('method_not_allowed', 'Send events with POST.');
        const token = bearerOf(request);
        if (token !== undefined) {
          await report(request, response, token);
          return;
        }
        const parsed = payload.safeParse(await readJson(request, { maxBytes: MAX_BODY_BYTES, types: TYPES }));
        if (!parsed.success) throw new Refusal('bad_request', problemOf(parsed.error));
        const page = parsePage(parsed.data.url);
        if (!page) throw new Refusal('bad_request', `url: ${ADDRESS_RULE}.`);
        const hit = hitOf(parsed.data, { page, time: now(), ...senderOf(request) });
        await collector.collect({ hit, site: parsed.data.site }, hit.time);
        // Dropped hits get the same answer, so that filters stay hidden.
        response.writeHead(202, ACCEPTED).end();
      } catch (error) {
        sendError(response, error, log, { ...CORS, ...errorHeadersOf(error) });
      }
    },

    /** For agents that load images but run no scripts. It counts only AI visits: people are counted by the script. */
    gif: async (request, response, url) => {
      try {
        const page = parsePage(url.searchParams.get('url') ?? request.headers.referer ?? '');
        const site = url.searchParams.get('site') ?? '';
        if (site && site.length <= MAX_SITE && page && !(mustBeSecure && !peers.isSecure(request))) {
          const time = now();
          const hit: Hit = { door: 'image', page, time, ...PLAIN_VIEW, ...senderOf(request) };
          await collector.collect({ hit, site }, time);
        }
        response.writeHead(200, {
          'content-type': 'image/gif',
          'content-length': GIF.length,
          'cache-control': 'no-store',
          'cross-origin-resource-policy': 'cross-origin',
        });
        response.end(request.method === 'HEAD' ? undefined : GIF);
      } catch (error) {
        sendError(response, error, log);
      }
    },
  };
}

function doorOf({ vitals, error }: Payload): Door {
  if (vitals) return 'vitals';
  return error ? 'errors' : 'script';
}

function hitOf(sent: Payload, request: Pick<Hit, 'page' | 'time' | 'address' | 'userAgent' | 'headers'>): Hit {
  return {
    door: doorOf(sent),
    name: sent.name,
    target: '',
    id: sent.id,
    referrer: sent.referrer ?? '',
    previousUrl: sent.from ?? '',
    props: sent.props ?? {},
    revenue: sent.revenue,
    order: sent.order_id ?? '',
    interactive: sent.interactive ?? true,
    engagedMs: sent.engaged ?? 0,
    scroll: sent.scroll ?? 0,
    width: sent.width,
    touchPoints: sent.touch,
    webdriver: sent.webdriver ?? false,
    status: 0,
    ...(sent.vitals && { vitals: sent.vitals }),
    ...(sent.error && { error: sent.error }),
    ...request,
  };
}
