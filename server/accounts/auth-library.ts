// better-auth, set up for e-mail and password with its tables in the directory. Nothing of it is reachable but through `auth.ts`.
import type { IncomingHttpHeaders } from 'node:http';
import { betterAuth } from 'better-auth/minimal';
import { z } from 'zod';
import { Refusal, Unavailable } from '../errors.ts';
import type { Log } from '../log.ts';
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from './password-rule.ts';
import { AUTH_MODELS, authStore } from './auth-store.ts';
import { tellingAway } from '../directory/unavailable.ts';
import type { Directory } from '../directory/open.ts';
import { hashPassword, verifyPassword } from './passwords.ts';

export const AUTH_PATH = '/auth';
const SESSION_SECONDS = 30 * 86_400;
const SESSION_REFRESH_SECONDS = 86_400;

type Options = {
  directory: Directory;
  /** Of our own pages. */
  origin: string;
  isSecure: boolean;
  /** Signs the cookies. */
  secret: string;
  /** Whether pages of another origin are ours too: other names of this machine. */
  isTrusted(origin: string): boolean;
  log: Log | undefined;
};

export function openLibrary({ directory, origin, isSecure, secret, isTrusted, log }: Options) {
  const auth = betterAuth({
    appName: 'Footfall',
    baseURL: origin,
    basePath: AUTH_PATH,
    secret,
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
    rateLimit: { enabled: false }, // it counts per address alone, and addresses are not kept; see password-attempts.ts
    telemetry: { enabled: false },
    onAPIError: { throw: true }, // our own Refusal and Unavailable come through as they are
    trustedOrigins: (request) => {
      const asked = request?.headers.get('origin') ?? undefined;
      // Whether it is the origin of the page itself was checked before.
      return asked !== undefined && isTrusted(asked) ? [asked] : [];
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

  /** Throws what the library refuses as a Refusal, and Unavailable while the database is away. */
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

  const readSession = (headers: IncomingHttpHeaders) =>
    tellingAway(() => auth.api.getSession({ headers: passOn(headers), returnHeaders: true })).catch(
      (cause: unknown) => {
        throw cause instanceof Unavailable ? cause : new Error('better-auth could not read a session', { cause });
      },
    );

  return { call, readSession };
}

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

export function refusalOf(status: number, body: unknown): Refusal {
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
