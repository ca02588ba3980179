// `footfall/server`: tells Footfall of the AI agents and bots that ask a site's server for pages and run no script. One function for
// each kind of server; none delays an answer, changes it, or can break it. Types are written out, so that nothing is depended on.
import { openReporter, type Options, type Reporter, type Seen } from './reporter.ts';

export type { Options } from './reporter.ts';

type Flush = Pick<Reporter, 'flush'>;

type NodeRequest = {
  method?: string | undefined;
  url?: string | undefined;
  /** Express: `url` loses what a router is mounted under. */
  originalUrl?: string | undefined;
  headers: Record<string, string | string[] | undefined>;
};
type NodeResponse = { statusCode: number; once(event: 'finish', listener: () => void): unknown };
type NodeMiddleware = (request: NodeRequest, response: NodeResponse, next?: () => void) => void;

/** For Express and Connect `app.use(footfall)`, for `node:http` `footfall(request, response)` first. `flush` belongs into the shutdown. */
export function nodeMiddleware(options: Options): NodeMiddleware & Flush {
  const reporter = openReporter(options);
  const middleware: NodeMiddleware = (request, response, next) => {
    try {
      response.once('finish', () => reporter.note(ofNode(request, response.statusCode)));
    } catch {
      // a response of another kind is none of ours
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

type HandleInput<Event> = { event: Event; resolve(event: Event): Response | Promise<Response> };

/** SvelteKit's `handle` in `src/hooks.server.ts`; beside others by `sequence`. */
export function svelteHandle(options: Options) {
  const reporter = openReporter(options);
  const handle = async <Event extends { request: Request; url: URL }>({
    event,
    resolve,
  }: HandleInput<Event>): Promise<Response> => {
    const response = await resolve(event);
    noteFetch(reporter, event.request, response);
    return response;
  };
  return Object.assign(handle, { flush: reporter.flush });
}

type Context = { waitUntil?(promise: Promise<unknown>): void };
type FetchHandler<Env, C> = (request: Request, env: Env, context: C) => Response | Promise<Response>;

/**
 * For Cloudflare Workers and whatever else is `fetch(request, env, context)`; `options` may be made of `env`, where secrets are.
 * Delivers with `waitUntil`, since nothing runs there after the answer.
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
      if (noteFetch(reporter, request, response)) context?.waitUntil?.(reporter.flush());
    } catch {
      // options that cannot be made: the site goes on
    }
    return response;
  };
}

function noteFetch(reporter: Reporter, request: Request, { status }: Response): boolean {
  try {
    const { host, pathname, search } = new URL(request.url);
    return reporter.note({
      method: request.method,
      host,
      path: pathname + search,
      userAgent: request.headers.get('user-agent') ?? '',
      signatureAgent: request.headers.get('signature-agent') ?? '',
      status,
    });
  } catch {
    return false; // SvelteKit forbids reading headers while it renders pages ahead
  }
}
