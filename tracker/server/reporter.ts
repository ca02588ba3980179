// Reports requests of AI agents to the Footfall server in the background. The queue is bounded, one batch is sent at a time, and no error
// reaches the site. A report has no field for an address.
import { isAgent } from './agents.ts';

export type Options = {
  /** The site's domain, as in `data-site`. */
  site: string;
  /** Address of Footfall, such as `https://stats.example.com`. */
  server: string;
  /** An ingest token of the site, from its settings. Keep it out of the browser. Without one, a warning is printed and nothing is sent. */
  token: string | undefined;
  /** Called with each failed delivery, and with the warning about the token, which is then not printed. Nothing is ever thrown. */
  onError?: ((error: Error) => void) | undefined;
  /** Replaces the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
};

/** A request, and the status of its response. */
export type Seen = {
  method: string;
  /** `Host`, with or without a port. A host that does not belong to the site, as behind a proxy, counts as the site. */
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

const BATCH = 100; // the most that the server accepts at once
const MAX_WAITING = 1_000; // about 300 kB
const MAX_URL = 2_048;
const MAX_HEADER = 512;
const GATHER_MS = 1_000;
const MAX_PAUSE_MS = 60_000;
const TIMEOUT_MS = 10_000;
/** Reports that have waited longer are dropped; the server refuses those of more than 24 hours. */
const MAX_AGE_MS = 12 * 60 * 60 * 1_000;
/** Files that agents request besides pages. The server recognises other files. */
const FILE =
  /\.(?:css|m?js|map|json|xml|txt|png|jpe?g|gif|svg|webp|avif|ico|woff2?|ttf|mp[34]|webm|pdf|zip|gz|wasm|webmanifest)$/i;

export type Reporter = {
  /** Queues a request if an agent sent it. Returns whether it was queued. Never throws, and never waits. */
  note(seen: Seen): boolean;
  /** Sends the queue. Resolves when it is empty, or when the server cannot be reached now. Never rejects. */
  flush(): Promise<void>;
};

export function openReporter(options: Options): Reporter {
  const { complain, warn } = openComplaints(options.onError);
  const deliver = openDelivery(options, { complain, warn });
  let waiting: Report[] = [];
  let delivery: Promise<void> | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let pauseMs = GATHER_MS;

  if (!options.token)
    warn('no token is set, so nothing is reported: set FOOTFALL_TOKEN to an ingest token of the site');

  function schedule(): void {
    if (timer !== undefined || delivery || waiting.length === 0) return;
    timer = setTimeout(() => void flush(), pauseMs);
    // A process that has nothing else to do may end. Timers of browsers and of Cloudflare have no unref.
    if (typeof timer === 'object' && 'unref' in timer) timer.unref();
  }

  async function deliverAll(): Promise<void> {
    const isYoung = ({ time }: Report) => Date.parse(time) > Date.now() - MAX_AGE_MS;
    while (waiting.length > 0) {
      const batch = waiting.splice(0, BATCH).filter(isYoung);
      if (batch.length > 0 && (await deliver(batch)) === 'later') {
        // The reports keep their ids, so one that did arrive is counted once.
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
        complain('a request could not be queued', error);
        return false;
      }
    },
  };
}

type Complaints = {
  complain: (message: string, cause?: unknown) => void;
  /** Reports a mistake that the site's owner must fix. Called once per message; prints it if there is no `onError`. */
  warn: (message: string) => void;
};

function openComplaints(onError: Options['onError']): Complaints {
  let hasWarned = false;
  const complain = (message: string, cause?: unknown) => {
    try {
      onError?.(new Error(`footfall: ${message}`, { cause }));
    } catch {
      // An error of the site's own handler stays out of the site's requests.
    }
  };
  return {
    complain,
    warn: (message) => {
      if (hasWarned) return;
      hasWarned = true;
      complain(message);
      if (!onError) console.warn(`footfall: ${message}`);
    },
  };
}

/** Sends a batch. Returns `later` if it should be sent again. */
function openDelivery({ token, server, fetch }: Options, { complain, warn }: Complaints) {
  const send = fetch ?? globalThis.fetch;
  return async (batch: Report[]): Promise<'done' | 'later'> => {
    let answer: Response;
    try {
      answer = await send(new URL('/foot', server), {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(batch),
        redirect: 'manual', // the token must not follow a redirect; Cloudflare does not have 'error'
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      await answer.arrayBuffer(); // until the body is read, the connection cannot be reused
    } catch (error) {
      complain('the server cannot be reached', error);
      return 'later';
    }
    if (answer.ok) return 'done';
    if (answer.status === 401) warn('the server refused the token: set FOOTFALL_TOKEN to an ingest token of the site');
    else complain(`the server answered with ${answer.status}`);
    return answer.status === 429 || answer.status >= 500 ? 'later' : 'done';
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
