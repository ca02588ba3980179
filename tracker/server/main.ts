// `footfall/server`: events and payments (`events.ts`), and here reports of AI agents and bots that request a site's pages and run no scripts.
// There is one function for each kind of server. None delays, changes or breaks a response. Types are written out, so that the package has
// no dependencies.
import { openReporter, type Options, type Reporter, type Seen } from './reporter.ts';

export { FootfallError } from '../api/client.ts';
export { openEvents } from './events.ts';
export type { Options } from './reporter.ts';

type Flush = Pick<Reporter, 'flush'>;

type NodeRequest = {
  method?: string | undefined;
  url?: string | undefined;
  /** In Express, `url` lacks the path that a router is mounted under. */
  originalUrl?: string | undefined;
  headers: Record<string, string | string[] | undefined>;
};
type NodeResponse = { statusCode: number; once(event: 'finish', listener: () => void): unknown };
type NodeMiddleware = (request: NodeRequest, response: NodeResponse, next?: () => void) => void;

type WaitUntil = (promise: Promise<unknown>) => void;

/** Vercel stops a function once it has answered. This symbol tells Vercel what to wait for, without a package of theirs. */
const VERCEL = Symbol.for('@vercel/request-context');
type VercelContext = { get?(): { waitUntil?: WaitUntil } | undefined };

/** Makes the platform wait for the delivery if it stops functions once they have answered. Elsewhere the reporter's own timer delivers. */
function deliver(reporter: Reporter, context?: { waitUntil?: WaitUntil }): void {
  const platform = context?.waitUntil ? context : (globalThis as { [VERCEL]?: VercelContext })[VERCEL]?.get?.();
  platform?.waitUntil?.(reporter.flush());
}

/** For Express and Connect: `app.use(footfall)`. For `node:http`: call `footfall(request, response)` first. Call `flush` at shutdown. */
export function nodeMiddleware(options: Options): NodeMiddleware & Flush {
  const reporter = openReporter(options);
  const middleware: NodeMiddleware = (request, response, next) => {
    try {
      response.once('finish', () => {
        if (reporter.note(ofNode(request, response.statusCode))) deliver(reporter);
      });
    } catch {
      // not a response of node:http, so there is nothing to report
    }
    next?.();
  };
  return Object.assign(middleware, { flush: reporter.flush });
}

function ofNode({ method = '', originalUrl, url = '/', headers }: NodeRequest, status: number): Seen {
  const header = (name: string) => String(headers[name] ?? '');
  return {
    method,
    host: header('host') || header(':authority'),
    path: originalUrl ?? url,
    userAgent: header('user-agent'),
    signatureAgent: header('signature-agent'),
    status,
  };
}

/** SvelteKit's adapters pass `platform` on. On Cloudflare it has the context of the request, under one of two names. */
type KitEvent = { request: Request; url: URL; platform?: unknown };
type Platform = { ctx?: Context; context?: Context } | undefined;
type HandleInput<Event> = { event: Event; resolve(event: Event): Response | Promise<Response> };

/** For SvelteKit: `handle` in `src/hooks.server.ts`. Use `sequence` to combine it with others. */
export function svelteHandle(options: Options) {
  const reporter = openReporter(options);
  const handle = async <Event extends KitEvent>({ event, resolve }: HandleInput<Event>): Promise<Response> => {
    const response = await resolve(event);
    const platform = event.platform as Platform;
    noteFetch(reporter, event.request, response, platform?.ctx ?? platform?.context);
    return response;
  };
  return Object.assign(handle, { flush: reporter.flush });
}

type Context = { waitUntil?: WaitUntil };
type FetchHandler<Env, C> = (request: Request, env: Env, context: C) => Response | Promise<Response>;

/**
 * For Cloudflare Workers and everything else with `fetch(request, env, context)`. `options` may be a function of `env`, which holds the
 * secrets. Delivers with `waitUntil`, because nothing runs there after the answer.
 */
export function fetchHandler<Env, C extends Context | undefined>(
  handler: FetchHandler<Env, C>,
  options: Options | ((env: Env) => Options),
): FetchHandler<Env, C> {
  let reporter: Reporter | undefined;
  return async (request, env, context) => {
    const response = await handler(request, env, context);
    try {
      reporter ??= openReporter(typeof options === 'function' ? options(env) : options);
      noteFetch(reporter, request, response, context);
    } catch {
      // the options could not be built: the site goes on without reports
    }
    return response;
  };
}

function noteFetch(reporter: Reporter, request: Request, { status }: Response, context?: Context): void {
  try {
    const { host, pathname, search } = new URL(request.url);
    const seen = {
      method: request.method,
      host,
      path: pathname + search,
      userAgent: request.headers.get('user-agent') ?? '',
      signatureAgent: request.headers.get('signature-agent') ?? '',
      status,
    };
    if (reporter.note(seen)) deliver(reporter, context);
  } catch {
    // SvelteKit forbids reading headers while it prerenders pages
  }
}
