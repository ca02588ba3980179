// better-auth, set up for e-mail and password, with its tables in the directory. Only `auth.ts` uses it.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingHttpHeaders } from 'node:http';
import { createAuthEndpoint } from 'better-auth/api';
import { setSessionCookie } from 'better-auth/cookies';
import { betterAuth } from 'better-auth/minimal';
import type { BetterAuthPlugin } from 'better-auth/types';
import { z } from 'zod';
import { Refusal, Unavailable } from '../../errors.ts';
import type { Log } from '../../process/log.ts';
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from './passwords/password-rule.ts';
import { AUTH_MODELS, authStore } from './auth-store.ts';
import { reportUnavailable } from '../../directory/unavailable.ts';
import type { Directory } from '../../directory/open.ts';
import { hashPassword, verifyPassword } from './passwords/passwords.ts';
import { hasSecondFactor } from './factors/second-factor.ts';
import { t } from '../../vocabulary/habits/messages.ts';

export const AUTH_PATH = '/auth';
const SESSION_SECONDS = 30 * 86_400;
const SESSION_REFRESH_SECONDS = 86_400;

type Options = {
  directory: Directory;
  /** The origin of our own pages. */
  origin: string;
  isSecure: boolean;
  /** Signs the cookies. */
  secret: string;
  /** True if another origin is ours too, such as another name of this machine. */
  isTrusted(origin: string): boolean;
  /** Browser and system by name. */
  agentOf(headers: IncomingHttpHeaders): string | undefined;
  now(): number;
  log: Log | undefined;
};

/** Thrown in place of starting a session: the password was right, and the user has a second factor. */
export class SecondFactorNeeded extends Error {
  readonly userId: string;
  constructor(userId: string) {
    super('a second factor is needed');
    this.userId = userId;
  }
}

const ISSUER_FIELDS = {
  issuerProvedAt: { type: 'number', required: false, input: false, fieldName: 'issuer_proved_at', bigint: true },
  issuerProvedFactors: { type: 'number', required: false, input: false, fieldName: 'issuer_proved_factors' },
} as const;

/** Renews the session of somebody who is logged in. */
const CHANGE_PASSWORD = '/change-password';

/** Starts a session of a user who has proved who they are. Cannot be reached through the handler. */
const sessions = {
  id: 'footfall-sessions',
  endpoints: {
    startSession: createAuthEndpoint.serverOnly(
      { method: 'POST', body: z.object({ userId: z.string() }) },
      async (ctx) => {
        const { internalAdapter } = ctx.context;
        const user = await internalAdapter.findUserById(ctx.body.userId);
        const session = user && (await internalAdapter.createSession(user.id));
        if (!session) throw new Refusal('unauthorized', t('This user does not exist any more.'));
        await setSessionCookie(ctx, { session, user });
        return ctx.json({});
      },
    ),
  },
} satisfies BetterAuthPlugin;

/** How the OpenID Connect issuer proved who somebody is, for a session that starts with that. */
export type IssuerProof = { provedAt: number; hasBothFactors: boolean };

export function openLibrary(options: Options) {
  const { origin, agentOf } = options;
  const starting: Starting = { proved: new AsyncLocalStorage(), agents: new AsyncLocalStorage() };
  const { proved, agents } = starting;
  const auth = makeAuth(options, starting);

  /** Calls a better-auth endpoint. Throws a Refusal if it refuses, and Unavailable if the database does not answer. */
  async function call(
    door: { path: string; body?: unknown },
    headers: IncomingHttpHeaders,
  ): Promise<{ body: unknown; setCookies: string[] }> {
    const request = new Request(`${origin}${AUTH_PATH}${door.path}`, {
      method: 'POST',
      headers: passOn(headers),
      body: JSON.stringify(door.body ?? {}),
    });
    const response = await reportUnavailable(
      () => agents.run(agentOf(headers), () => auth.handler(request)),
      ({ status }) => status >= 500,
    );
    const body = (await response.json().catch(() => undefined)) as unknown;
    if (response.ok) return { body, setCookies: response.headers.getSetCookie() };
    if (response.status >= 500)
      throw new Error(`better-auth answered ${response.status} on ${door.path}`, { cause: body });
    throw refusalOf(response.status, body);
  }

  const readSession = (headers: IncomingHttpHeaders) =>
    reportUnavailable(() => auth.api.getSession({ headers: passOn(headers), returnHeaders: true })).catch(
      (cause: unknown) => {
        throw cause instanceof Unavailable ? cause : new Error('better-auth could not read a session', { cause });
      },
    );

  /** Starts a session without a password. The caller has checked both factors. Returns its cookies. */
  async function start(
    userId: string,
    browserHeaders: IncomingHttpHeaders,
    issuer: IssuerProof | undefined,
  ): Promise<string[]> {
    const startSession = () => auth.api.startSession({ body: { userId }, returnHeaders: true });
    const { headers } = await reportUnavailable(() =>
      agents.run(agentOf(browserHeaders), () => proved.run({ userId, issuer }, startSession)),
    );
    return headers.getSetCookie();
  }

  return { call, readSession, start };
}

/** What the session that is being started has besides its user. */
type Starting = {
  /** Users whose session is being started by `start`, after both factors. */
  proved: AsyncLocalStorage<{ userId: string; issuer: IssuerProof | undefined }>;
  /** The name of the browser in which a session is being started. */
  agents: AsyncLocalStorage<string | undefined>;
};

function makeAuth({ directory, origin, isSecure, secret, isTrusted, now, log }: Options, { proved, agents }: Starting) {
  /** The session as it is stored. Throws SecondFactorNeeded if the user has not proved one. */
  async function completed<Session extends { userId: string }>(session: Session, path: string | undefined) {
    const { userId } = session;
    const started = proved.getStore();
    const isProved = started?.userId === userId || path === CHANGE_PASSWORD;
    if (!isProved && (await hasSecondFactor(directory.db, userId))) throw new SecondFactorNeeded(userId);
    const byIssuer = started?.issuer && {
      issuerProvedAt: started.issuer.provedAt,
      issuerProvedFactors: started.issuer.hasBothFactors ? 1 : 0,
    };
    const createdAt = new Date(now());
    return { data: { ...session, createdAt, ipAddress: undefined, userAgent: agents.getStore(), ...byIssuer } };
  }

  return betterAuth({
    plugins: [sessions],
    appName: 'Footfall',
    baseURL: origin,
    basePath: AUTH_PATH,
    secret,
    database: authStore(directory.db),
    user: AUTH_MODELS.user,
    account: AUTH_MODELS.account,
    verification: AUTH_MODELS.verification,
    session: {
      ...AUTH_MODELS.session,
      additionalFields: ISSUER_FIELDS,
      expiresIn: SESSION_SECONDS,
      updateAge: SESSION_REFRESH_SECONDS,
    },
    emailAndPassword: {
      enabled: true,
      disableSignUp: true, // accounts/accounts.ts makes accounts, since a user also needs a membership
      minPasswordLength: MIN_PASSWORD_LENGTH,
      maxPasswordLength: MAX_PASSWORD_LENGTH,
      password: { hash: hashPassword, verify: verifyPassword },
    },
    databaseHooks: {
      // better-auth does not write undefined fields, and the table has no columns for them.
      session: {
        create: {
          before: (session, context) => completed(session, context?.path),
        },
      },
    },
    rateLimit: { enabled: false }, // it would store IP addresses; passwords/password-attempts.ts does the rate limiting
    telemetry: { enabled: false },
    onAPIError: { throw: true }, // passes on our own Refusal and Unavailable unchanged
    trustedOrigins: (request) => {
      const asked = request?.headers.get('origin') ?? undefined;
      // auth.ts has already compared it with the host of the request.
      return asked !== undefined && isTrusted(asked) ? [asked] : [];
    },
    logger: { log: (level, message) => level === 'error' && log?.error({ detail: message }, 'better-auth') },
    advanced: {
      cookiePrefix: 'footfall',
      useSecureCookies: false, // would use the prefix `__Secure-`; our `__Host-` also binds the cookie to this host and path /
      cookies: { session_token: { name: isSecure ? '__Host-footfall_session' : 'footfall_session' } },
      defaultCookieAttributes: { httpOnly: true, sameSite: 'lax', secure: isSecure, path: '/' },
      disableOriginCheck: false, // explicit, because better-auth skips the check under test runners
      disableCSRFCheck: false,
      ipAddress: { disableIpTracking: true },
      trustedProxyHeaders: false,
    },
  });
}

/** The headers that better-auth needs. It never sees the address or the user agent. */
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
  if (code === 'INVALID_PASSWORD') return new Refusal('bad_request', t('The current password is wrong.'));
  if (status === 401) return new Refusal('unauthorized', t('The e-mail address or the password is wrong.'));
  if (status === 403)
    return new Refusal(
      'forbidden',
      t('This request comes from a page of another address. Open Footfall at its own address, the one in BASE_URL.'),
    );
  if (status === 429)
    return new Refusal('too_many_requests', t('Too many requests: try again.'), { retryAfterSeconds: 1 });
  return new Refusal('bad_request', t('The request is malformed.'));
}
