// Who is signed in: better-auth with e-mail and password, its tables in the directory, reached through a closed list of doors.
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { betterAuth } from 'better-auth/minimal';
import { RateLimiterMemory, RateLimiterRes, type RateLimiterAbstract } from 'rate-limiter-flexible';
import { z } from 'zod';
import { type Config, isLoopbackHost } from '../config.ts';
import { Refusal, Unavailable } from '../errors.ts';
import { readJson } from '../http/body.ts';
import { sendJson } from '../http/respond.ts';
import type { Log } from '../log.ts';
import { checkPassword, createAccount, MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH, normaliseEmail } from './accounts.ts';
import { AUTH_MODELS, authStore } from './auth-store.ts';
import { tellingAway } from './away.ts';
import type { Directory } from './directory.ts';
import { hashToken } from './ids.ts';
import { hashPassword, verifyPassword } from './passwords.ts';
import { secretOf } from './secrets.ts';

export const AUTH_PATH = '/auth';
const MAX_BODY_BYTES = 4_096;
const SESSION_SECONDS = 30 * 86_400;
const SESSION_REFRESH_SECONDS = 86_400;
/** How many passwords a minute may be tried for one account. */
export const ATTEMPTS_A_MINUTE = 10;

export type Identity = {
  userId: string;
  email: string;
  name: string;
  sessionId: string;
  /** To be sent with the answer: once a day the session is prolonged. */
  setCookies: string[];
};

export type SignedIn = { userId: string; setCookies: string[] };

export type Auth = {
  /** Answers what is under AUTH_PATH; throws Refusals, which the edge turns into answers. */
  handler(request: IncomingMessage, response: ServerResponse): Promise<void>;
  identify(headers: IncomingHttpHeaders): Promise<Identity | undefined>;
  signIn(input: { email: string; password: string }, headers: IncomingHttpHeaders): Promise<SignedIn>;
  /** Makes an account on trial; throws forbidden unless SIGNUP=open. */
  signUp(
    input: { email: string; password: string; name?: string | undefined },
    headers: IncomingHttpHeaders,
    now: number,
  ): Promise<SignedIn>;
  /** Returns the cookies that forget the session, which is gone from the database too. */
  signOut(headers: IncomingHttpHeaders): Promise<string[]>;
  /** Ends all sessions of the user and starts a new one. */
  changePassword(input: { current: string; next: string }, headers: IncomingHttpHeaders): Promise<SignedIn>;
  /**
   * Whether a request that changes something, or a socket, comes from our own pages: its Origin is BASE_URL's, or without
   * BASE_URL the host that it was sent to: over TLS any, else a loopback one. What sends no Origin is no browser, and carries nobody's cookies.
   */
  isTrustedOrigin(headers: IncomingHttpHeaders): boolean;
};

export async function openAuth(options: {
  directory: Directory;
  config: Pick<Config, 'SIGNUP' | 'TLS_CERT'>;
  baseUrl: string | undefined;
  now: number;
  log?: Log;
  /** Counts tried passwords; with several processes one that they share. */
  attempts?: RateLimiterAbstract;
}): Promise<Auth> {
  const { directory, config, log } = options;
  const base = options.baseUrl === undefined ? undefined : new URL(options.baseUrl);
  const isSecure = base?.protocol === 'https:' || Boolean(config.TLS_CERT);
  const attempts = options.attempts ?? new RateLimiterMemory({ points: ATTEMPTS_A_MINUTE, duration: 60 });
  const origin = base?.origin ?? 'http://localhost';

  const auth = betterAuth({
    appName: 'Footfall',
    baseURL: origin,
    basePath: AUTH_PATH,
    secret: await secretOf(directory, 'sessions', options.now),
    database: authStore(directory.db),
    user: AUTH_MODELS.user,
    account: AUTH_MODELS.account,
    verification: AUTH_MODELS.verification,
    session: { ...AUTH_MODELS.session, expiresIn: SESSION_SECONDS, updateAge: SESSION_REFRESH_SECONDS },
    emailAndPassword: {
      enabled: true,
      disableSignUp: true, // accounts are made in accounts.ts, together with what belongs to them
      minPasswordLength: MIN_PASSWORD_LENGTH,
      maxPasswordLength: MAX_PASSWORD_LENGTH,
      password: { hash: hashPassword, verify: verifyPassword },
    },
    databaseHooks: {
      // Undefined fields are not written: the table has no place for an address and a user agent.
      session: {
        create: {
          before: (session) => Promise.resolve({ data: { ...session, ipAddress: undefined, userAgent: undefined } }),
        },
      },
    },
    rateLimit: { enabled: false }, // it counts per address, and addresses are not kept; see `attempts`
    telemetry: { enabled: false },
    onAPIError: { throw: true }, // our own Refusal and Unavailable come through as they are
    trustedOrigins: (request) => {
      const asked = request?.headers.get('origin') ?? undefined;
      // Whether it is the origin of the page itself was checked before.
      return asked !== undefined && mayBeOwn(asked) ? [asked] : [];
    },
    logger: { log: (level, message) => level === 'error' && log?.error({ detail: message }, 'better-auth') },
    advanced: {
      cookiePrefix: 'footfall',
      useSecureCookies: false, // would add `__Secure-`; `__Host-` also binds the cookie to this host and to the whole path
      cookies: { session_token: { name: isSecure ? '__Host-footfall_session' : 'footfall_session' } },
      defaultCookieAttributes: { httpOnly: true, sameSite: 'lax', secure: isSecure, path: '/' },
      disableOriginCheck: false, // said, since better-auth leaves it out under test runners
      disableCSRFCheck: false,
      ipAddress: { disableIpTracking: true },
      trustedProxyHeaders: false,
    },
  });

  async function call(
    door: { path: string; body?: unknown },
    headers: IncomingHttpHeaders,
  ): Promise<{ body: unknown; setCookies: string[] }> {
    const request = new Request(`${origin}${AUTH_PATH}${door.path}`, {
      method: 'POST',
      headers: passOn(headers),
      body: JSON.stringify(door.body ?? {}),
    });
    const response = await tellingAway(
      () => auth.handler(request),
      ({ status }) => status >= 500,
    );
    const body = (await response.json().catch(() => undefined)) as unknown;
    if (response.ok) return { body, setCookies: response.headers.getSetCookie() };
    if (response.status >= 500)
      throw new Error(`better-auth answered ${response.status} on ${door.path}`, { cause: body });
    throw refusalOf(response.status, body);
  }

  function checkOrigin(headers: IncomingHttpHeaders): void {
    if (!isTrustedOrigin(headers)) throw refusalOf(403, undefined);
  }

  function isTrustedOrigin(headers: IncomingHttpHeaders): boolean {
    if (headers.origin === undefined) return headers['sec-fetch-site'] !== 'cross-site';
    if (headers.origin === base?.origin) return true;
    return mayBeOwn(headers.origin) && URL.parse(headers.origin)?.host === headers.host?.toLowerCase();
  }

  /** Without BASE_URL a page of any name comes from here where it came over TLS: the browser has checked the certificate. */
  function mayBeOwn(asked: string): boolean {
    const isOverTls = base === undefined && config.TLS_CERT !== undefined && asked.startsWith('https:');
    return isOverTls || (usesLoopback(base) && isLoopbackOrigin(asked));
  }

  /** Counts the try before the password is looked at, so that a burst cannot slip through; a right one is not counted. */
  async function counted<T>(who: string, attempt: () => Promise<T>): Promise<T> {
    const key = hashToken(who);
    try {
      await attempts.consume(key);
    } catch (reason) {
      if (!(reason instanceof RateLimiterRes)) throw reason;
      const retryAfterSeconds = Math.max(1, Math.ceil(reason.msBeforeNext / 1_000));
      throw new Refusal('too_many_requests', 'Too many passwords were tried for this account: wait a minute.', {
        retryAfterSeconds,
      });
    }
    const result = await attempt();
    await attempts.reward(key);
    return result;
  }

  async function identify(headers: IncomingHttpHeaders): Promise<Identity | undefined> {
    if (!headers.cookie?.includes('footfall_session')) return undefined;
    const asked = { headers: passOn(headers), returnHeaders: true } as const;
    const answer = await tellingAway(() => auth.api.getSession(asked)).catch((cause: unknown) => {
      throw cause instanceof Unavailable ? cause : new Error('better-auth could not read a session', { cause });
    });
    const session = answer.response;
    if (!session) return undefined;
    const setCookies = answer.headers.getSetCookie();
    const { user } = session;
    return { userId: user.id, email: user.email, name: user.name, sessionId: session.session.id, setCookies };
  }

  async function signIn(input: { email: string; password: string }, headers: IncomingHttpHeaders): Promise<SignedIn> {
    checkOrigin(headers);
    const email = normaliseEmail(input.email);
    if (input.password.length > MAX_PASSWORD_LENGTH) throw refusalOf(401, undefined);
    const answer = await counted(email, () =>
      call({ path: '/sign-in/email', body: { email, password: input.password } }, headers),
    );
    return { userId: SIGNED_IN.parse(answer.body).user.id, setCookies: answer.setCookies };
  }

  async function signOut(headers: IncomingHttpHeaders): Promise<string[]> {
    checkOrigin(headers);
    const { setCookies } = await call({ path: '/sign-out' }, headers);
    // better-auth answers well also when the row could not be deleted, and then the cookie would still open the door.
    if (await identify(headers)) throw new Unavailable('directory');
    return setCookies;
  }

  return {
    identify,
    signIn,
    signOut,
    isTrustedOrigin,
    async signUp(input, headers, now) {
      checkOrigin(headers);
      if (config.SIGNUP !== 'open') throw new Refusal('forbidden', 'Signing up is closed on this server.');
      await createAccount(directory, input, now);
      return signIn(input, headers);
    },
    async changePassword({ current, next }, headers) {
      checkOrigin(headers);
      const identity = await identify(headers);
      if (!identity) throw new Refusal('unauthorized', 'Sign in to change the password.');
      checkPassword(next, identity.email);
      const body = { currentPassword: current, newPassword: next, revokeOtherSessions: true };
      const { setCookies } = await counted(identity.userId, () => call({ path: '/change-password', body }, headers));
      return { userId: identity.userId, setCookies };
    },
    async handler(request, response) {
      const path = URL.parse(request.url ?? '', origin)?.pathname.slice(AUTH_PATH.length) ?? '';
      const door = DOORS.get(path);
      if (!door) throw new Refusal('not_found', 'There is nothing at this address.');
      if (request.method !== door) {
        response.setHeader('allow', door);
        throw new Refusal('method_not_allowed', `The method must be ${door}.`);
      }
      if (path === '/get-session') {
        const identity = await identify(request.headers);
        const user = identity && { id: identity.userId, email: identity.email, name: identity.name };
        sendJson(response, 200, { data: user ?? null }, { 'set-cookie': identity?.setCookies ?? [] });
      } else if (path === '/sign-out') {
        const setCookies = await signOut(request.headers);
        sendJson(response, 200, { data: { signed_out: true } }, { 'set-cookie': setCookies });
      } else {
        const json = await readJson(request, { maxBytes: MAX_BODY_BYTES, types: ['application/json'] });
        const credentials = CREDENTIALS.safeParse(json);
        if (!credentials.success)
          throw new Refusal('bad_request', 'The body must be an object with `email` and `password`, both strings.');
        const { userId, setCookies } = await signIn(credentials.data, request.headers);
        sendJson(response, 200, { data: { id: userId } }, { 'set-cookie': setCookies });
      }
    },
  };
}

/** All of better-auth that can be reached from outside. */
const DOORS = new Map<string, 'GET' | 'POST'>([
  ['/sign-in/email', 'POST'],
  ['/sign-out', 'POST'],
  ['/get-session', 'GET'],
]);

const CREDENTIALS = z.object({ email: z.string(), password: z.string() });
const USER = z.object({ id: z.string(), email: z.string(), name: z.string() });
const SIGNED_IN = z.object({ user: USER });

/** What better-auth needs to see of a request. Address and user agent are not among it. */
const PASSED_ON = ['cookie', 'origin', 'sec-fetch-site', 'sec-fetch-mode', 'sec-fetch-dest'] as const;

function passOn(headers: IncomingHttpHeaders): Headers {
  const passed = new Headers({ 'content-type': 'application/json' });
  for (const name of PASSED_ON) {
    const value = headers[name];
    if (typeof value === 'string') passed.set(name, value);
  }
  return passed;
}

function usesLoopback(base: URL | undefined): boolean {
  return base === undefined || isLoopbackHost(base.hostname);
}

function isLoopbackOrigin(origin: string): boolean {
  const url = URL.parse(origin);
  return url !== null && /^https?:$/.test(url.protocol) && url.origin === origin && isLoopbackHost(url.hostname);
}

function refusalOf(status: number, body: unknown): Refusal {
  const code = z.object({ code: z.string() }).safeParse(body).data?.code;
  if (code === 'INVALID_PASSWORD') return new Refusal('bad_request', 'The current password is wrong.');
  if (status === 401) return new Refusal('unauthorized', 'The e-mail address or the password is wrong.');
  if (status === 403)
    return new Refusal(
      'forbidden',
      'This request comes from a page of another address. Open Footfall under its own address, the one in BASE_URL.',
    );
  if (status === 429)
    return new Refusal('too_many_requests', 'Too many requests: try again.', { retryAfterSeconds: 1 });
  return new Refusal('bad_request', 'The request is malformed.');
}
