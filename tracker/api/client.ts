// `footfall/api`: the API, with types, for servers. It needs `fetch` alone. Never use it in a page: the key reads every site of the account.
import { type Operations, OPERATIONS } from './operations.ts';

export type { Operations } from './operations.ts';

export type ApiOptions = {
  /** Address of Footfall, such as `https://stats.example.com`. */
  server: string;
  /** An API key, from the settings. Without one, every call fails with `unauthorized`. */
  key: string | undefined;
  /** For each attempt. */
  timeoutMs?: number | undefined;
  /** At least 1. Requests that may not be repeated are sent again only if they were refused. */
  attempts?: number | undefined;
  /** Replaces the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
  /** Replaces the pause before another attempt. */
  pause?: ((ms: number) => Promise<void>) | undefined;
};

export type CallOptions = {
  /** For events: 1 to 64 visible ASCII characters. The same key counts once within 24 hours, with an order number for ever. Default: a random one for each call. */
  idempotencyKey?: string | undefined;
  signal?: AbortSignal | undefined;
};

type Id = keyof Operations;
export type Sent<Operation extends Id> = Operations[Operation]['sent'];
export type Answer<Operation extends Id> = Operations[Operation]['answer'];

export type Api = {
  [Operation in Id]: Record<string, never> extends Sent<Operation>
    ? (sent?: Sent<Operation>, options?: CallOptions) => Promise<Answer<Operation>>
    : (sent: Sent<Operation>, options?: CallOptions) => Promise<Answer<Operation>>;
};

/** An answer that is no success. `status` is 0, and `code` is `unreachable`, if there was none. */
export class FootfallError extends Error {
  readonly status: number;
  /** A code of the API, such as `too_many_requests`. */
  readonly code: string;

  constructor(message: string, { status, code, cause }: { status: number; code: string; cause?: unknown }) {
    super(message, { cause });
    this.name = 'FootfallError';
    this.status = status;
    this.code = code;
  }
}

const TIMEOUT_MS = 10_000;
const ATTEMPTS = 3;
const FIRST_PAUSE_MS = 500;
/** The longest pause that a server can ask for. A longer one ends with the error. */
const MAX_PAUSE_MS = 30_000;

/** A function for each operation of the API, under its name. Each throws FootfallError. */
export function openApi(options: ApiOptions): Api {
  const calls = Object.entries(OPERATIONS).map(([name, route]) => [
    name,
    (sent: Values = {}, call: CallOptions = {}) => ask(options, requestOf(route, sent, { ...options, ...call })),
  ]);
  return Object.fromEntries(calls) as Api;
}

type Values = Record<string, unknown>;
type Route = { method: string; path: string; isFile?: boolean };
type Asked = { url: URL; init: RequestInit; mayRepeat: boolean; isFile: boolean; signal: AbortSignal | undefined };

function requestOf(
  { method, path, isFile = false }: Route,
  sent: Values,
  { server, key, idempotencyKey, signal }: ApiOptions & CallOptions,
): Asked {
  const given = Object.entries(sent).filter(([, value]) => value !== undefined);
  const isInPath = ([name]: [string, unknown]) => path.includes(`{${name}}`);
  const filled = given.reduce(
    (text, [name, value]) => text.replace(`{${name}}`, encodeURIComponent(String(value))),
    path,
  );
  const others = given.filter((one) => !isInPath(one));
  const headers: Record<string, string> = { authorization: `Bearer ${key ?? ''}` };
  const url = new URL(filled, server);
  if (method !== 'POST') for (const pair of others.flatMap(parametersOf)) url.searchParams.append(...pair);
  const isEvent = path.startsWith('/v1/events');
  if (isEvent) headers['idempotency-key'] = idempotencyKey ?? crypto.randomUUID();
  const init: RequestInit = { method, headers, redirect: 'manual' }; // the key must not follow a redirect
  if (method === 'POST') {
    headers['content-type'] = 'application/json';
    init.body = JSON.stringify(Object.fromEntries(others));
  }
  return { url, init, mayRepeat: isEvent || method !== 'POST', isFile, signal };
}

/** Lists are separated by commas, lists of objects are JSON, and an object is one parameter for each name. */
function parametersOf([name, value]: [string, unknown]): [string, string][] {
  if (Array.isArray(value))
    return [[name, value.some((entry) => typeof entry === 'object') ? JSON.stringify(value) : value.join(',')]];
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).map(([key, inner]) => [`${name}[${key}]`, String(inner)]);
  return [[name, String(value)]];
}

async function ask(options: ApiOptions, asked: Asked): Promise<unknown> {
  const { attempts = ATTEMPTS, pause = wait } = options;
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await attemptOf(options, asked);
    if ('answer' in outcome) return outcome.answer;
    const pauseMs = outcome.retryAfterMs ?? FIRST_PAUSE_MS * 2 ** (attempt - 1);
    if (!outcome.mayRetry || attempt >= attempts || pauseMs > MAX_PAUSE_MS) throw outcome.error;
    await pause(pauseMs);
    asked.signal?.throwIfAborted();
  }
}

type Outcome = { answer: unknown } | { error: FootfallError; mayRetry: boolean; retryAfterMs: number | undefined };

async function attemptOf(
  { timeoutMs = TIMEOUT_MS, fetch = globalThis.fetch }: ApiOptions,
  asked: Asked,
): Promise<Outcome> {
  const { url, init, mayRepeat, isFile, signal } = asked;
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(url, { ...init, signal: signal ? AbortSignal.any([signal, timeout]) : timeout });
    if (response.ok)
      return { answer: isFile ? new Uint8Array(await response.arrayBuffer()) : ((await response.json()) as unknown) };
    const { status } = response;
    const told = Number(response.headers.get('retry-after') ?? Number.NaN);
    return {
      error: errorOf(status, await response.text()),
      mayRetry: status === 429 || (status >= 500 && mayRepeat),
      retryAfterMs: Number.isFinite(told) ? told * 1_000 : undefined,
    };
  } catch (cause) {
    signal?.throwIfAborted();
    const error = new FootfallError('The server cannot be reached.', { status: 0, code: 'unreachable', cause });
    return { error, mayRetry: mayRepeat, retryAfterMs: undefined };
  }
}

function errorOf(status: number, text: string): FootfallError {
  try {
    const { error, message } = JSON.parse(text) as { error: unknown; message: unknown };
    return new FootfallError(String(message), { status, code: String(error) });
  } catch {
    return new FootfallError(`The server answered with ${status}.`, { status, code: 'unknown' });
  }
}

const wait = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));
