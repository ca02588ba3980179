// Tells the Footfall server of requests, in the background: a bounded queue, one delivery at a time, and nothing that goes wrong
// here reaches the site. What is told has no place for an address.
import { isAgent } from './agents.ts';

export type Options = {
  /** The site's domain, as in `data-site`. */
  site: string;
  /** Where Footfall is, such as `https://stats.example.com`. */
  server: string;
  /** An ingest token of the site, from its settings: keep it out of the browser. Without one a warning is printed, and nothing is sent. */
  token: string | undefined;
  /** Told of what could not be delivered, in place of a warning on the console about the token. Nothing is ever thrown. */
  onError?: ((error: Error) => void) | undefined;
  /** In place of the global one. */
  fetch?: typeof globalThis.fetch | undefined;
};

/** A request and what it was answered with. */
export type Seen = {
  method: string;
  /** `Host`, with or without a port. A host that is not the site's, as behind a proxy, counts as the site. */
  host: string;
  /** Path and query. */
  path: string;
  userAgent: string;
  signatureAgent?: string | undefined;
  status: number;
};

type Report = {
  site: string;
  url: string;
  user_agent: string;
  status: number;
  signature_agent?: string;
  time: string;
  id: string;
};

const BATCH = 100; // the most that the server takes at once
const MAX_WAITING = 1_000; // some 300 kB
const MAX_URL = 2_048;
const MAX_HEADER = 512;
const GATHER_MS = 1_000;
const MAX_PAUSE_MS = 60_000;
const TIMEOUT_MS = 10_000;
/** Later, the server would not take it. */
const MAX_AGE_MS = 12 * 60 * 60 * 1_000;
/** Not pages: most of what agents ask for beside them. The server knows the rest. */
const FILE =
  /\.(?:css|m?js|map|json|xml|txt|png|jpe?g|gif|svg|webp|avif|ico|woff2?|ttf|mp[34]|webm|pdf|zip|gz|wasm|webmanifest)$/i;

export type Reporter = {
  /** Takes note of a request where an agent sent it, and says whether it did. Never throws, never waits. */
  note(seen: Seen): boolean;
  /** Delivers what waits: resolves when nothing is left, or when it cannot be delivered now. Never rejects. */
  flush(): Promise<void>;
};

export function openReporter(options: Options): Reporter {
  const send = options.fetch ?? globalThis.fetch;
  let waiting: Report[] = [];
  let delivery: Promise<void> | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let pauseMs = GATHER_MS;

  let hasWarned = false;

  const complain = (message: string, cause?: unknown) => {
    try {
      options.onError?.(new Error(`footfall: ${message}`, { cause }));
    } catch {
      // whoever listens for errors must not make one of ours
    }
  };

  /** What the owner of the site has to mend: said once, and on the console where nobody listens for errors. */
  const warn = (message: string) => {
    if (hasWarned) return;
    hasWarned = true;
    complain(message);
    if (!options.onError) console.warn(`footfall: ${message}`);
  };
  if (!options.token)
    warn('no token is set, so nothing is reported: set FOOTFALL_TOKEN to an ingest token of the site');

  function schedule(): void {
    if (timer !== undefined || delivery || waiting.length === 0) return;
    timer = setTimeout(() => void flush(), pauseMs);
    // A process that has nothing else to do may end. In browsers' and Cloudflare's timers there is no such thing.
    if (typeof timer === 'object' && 'unref' in timer) timer.unref();
  }

  async function deliver(batch: Report[]): Promise<'done' | 'later'> {
    let answer: Response;
    try {
      answer = await send(new URL('/foot', options.server), {
        method: 'POST',
        headers: { authorization: `Bearer ${options.token}`, 'content-type': 'application/json' },
        body: JSON.stringify(batch),
        redirect: 'manual', // a token follows nobody; Cloudflare knows no 'error'
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      await answer.arrayBuffer(); // else the connection is not used again
    } catch (error) {
      complain('the server cannot be reached', error);
      return 'later';
    }
    if (answer.ok) return 'done';
    if (answer.status === 401) warn('the server refused the token: set FOOTFALL_TOKEN to an ingest token of the site');
    else complain(`the server answered with ${answer.status}`);
    return answer.status === 429 || answer.status >= 500 ? 'later' : 'done';
  }

  async function deliverAll(): Promise<void> {
    const isYoung = ({ time }: Report) => Date.parse(time) > Date.now() - MAX_AGE_MS;
    while (waiting.length > 0) {
      const batch = waiting.splice(0, BATCH).filter(isYoung);
      if (batch.length > 0 && (await deliver(batch)) === 'later') {
        // The same ids again: what did arrive is counted once.
        waiting = [...batch, ...waiting].slice(0, MAX_WAITING);
        pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS);
        return;
      }
      pauseMs = GATHER_MS;
    }
  }

  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    delivery ??= deliverAll()
      .catch((error: unknown) => complain('a delivery failed', error))
      .finally(() => {
        delivery = undefined;
        schedule();
      });
    return delivery;
  }

  return {
    flush,
    note: (seen) => {
      try {
        if (!options.token || seen.method !== 'GET' || !isAgent(seen.userAgent, seen.signatureAgent)) return false;
        const report = toReport(seen, options.site);
        if (!report || waiting.length >= MAX_WAITING) return false;
        waiting.push(report);
        if (waiting.length >= BATCH && pauseMs === GATHER_MS) void flush();
        else schedule();
        return true;
      } catch (error) {
        complain('a request could not be noted', error);
        return false;
      }
    },
  };
}

function toReport({ host, path, userAgent, signatureAgent, status }: Seen, site: string): Report | undefined {
  const [pathname = '/'] = path.split(/[?#]/, 1);
  if (!path.startsWith('/') || FILE.test(pathname)) return undefined;
  const name = host.replace(/:\d+$/, '').toLowerCase();
  const origin = `https://${name === site || name.endsWith(`.${site}`) ? name : site}`;
  const url = origin + (origin.length + path.length > MAX_URL ? pathname : path);
  if (url.length > MAX_URL) return undefined;
  return {
    site,
    url,
    user_agent: userAgent.slice(0, MAX_HEADER),
    status,
    ...(signatureAgent && { signature_agent: signatureAgent.slice(0, MAX_HEADER) }),
    time: new Date().toISOString(),
    id: crypto.randomUUID(),
  };
}
