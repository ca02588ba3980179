// Who is signed in, by e-mail and password: the doors, what they cost whoever tries passwords, and where requests may come from.
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { z } from 'zod';
import { type Config, isLoopbackHost } from '../config.ts';
import { Refusal, Unavailable } from '../errors.ts';
import { readJson } from '../http/body.ts';
import { sendJson } from '../http/respond.ts';
import type { Log } from '../log.ts';
import type { SecurityLog } from '../security-log.ts';
import { createAccount, normaliseEmail } from './accounts.ts';
import { type MakeCounter, openAttempts } from './password-attempts.ts';
import { AUTH_PATH, openLibrary, refusalOf } from './auth-library.ts';
import { openBrowsers } from './known-browsers.ts';
import type { Directory } from '../directory/open.ts';
import { checkPassword, MAX_PASSWORD_LENGTH } from './password-rule.ts';
import { HASHED_AT_ONCE } from './passwords.ts';
import { secretOf } from '../directory/server-keys.ts';
import { openTurns } from './fair-queue.ts';

const MAX_BODY_BYTES = 4_096;
/** Passwords that wait to be looked at: at 60 ms each, those at the end wait for 3 s. */
const TURNS = { atOnce: HASHED_AT_ONCE, waiting: 100, waitingEach: 20 };

/** Whose request it is: its headers, and a keyed hash of the address (see `http/address-hash.ts`). */
export type Asker = { headers: IncomingHttpHeaders; addressHash(): string | Promise<string> };

export type Identity = {
  userId: string;
  email: string;
  name: string;
  sessionId: string;
  /** To be sent with the answer: once a day the session is prolonged. */
  setCookies: string[];
};

export type Credentials = { email: string; password: string };
export type SignedIn = { userId: string; setCookies: string[] };

export type Auth = {
  /** Answers what is under AUTH_PATH; throws Refusals, which the edge turns into answers. */
  handler(request: IncomingMessage, response: ServerResponse, addressHash: Asker['addressHash']): Promise<void>;
  identify(headers: IncomingHttpHeaders): Promise<Identity | undefined>;
  signIn(input: Credentials, asker: Asker): Promise<SignedIn>;
  /** Makes an account on trial; throws forbidden unless SIGNUP=open. */
  signUp(input: Credentials & { name?: string | undefined }, asker: Asker): Promise<SignedIn>;
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
  now(): number;
  log?: Log;
  security: SecurityLog;
  /** For tried passwords; with several processes one that they share. */
  makeCounter?: MakeCounter;
}): Promise<Auth> {
  const { directory, config, log, now, security } = options;
  const base = options.baseUrl === undefined ? undefined : new URL(options.baseUrl);
  const isSecure = base?.protocol === 'https:' || Boolean(config.TLS_CERT);
  const attempts = openAttempts(options.makeCounter ?? ((limit) => new RateLimiterMemory(limit)), security);
  const turns = openTurns(TURNS);
  const browsers = openBrowsers({ secret: await secretOf(directory, 'browsers', now()), isSecure });
  const origin = base?.origin ?? 'http://localhost';

  const library = openLibrary({
    directory,
    origin,
    isSecure,
    secret: await secretOf(directory, 'sessions', now()),
    isTrusted: mayBeOwn,
    log,
  });

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

  async function identify(headers: IncomingHttpHeaders): Promise<Identity | undefined> {
    if (!headers.cookie?.includes('footfall_session')) return undefined;
    const answer = await library.readSession(headers);
    const session = answer.response;
    if (!session) return undefined;
    const setCookies = answer.headers.getSetCookie();
    const { user } = session;
    return { userId: user.id, email: user.email, name: user.name, sessionId: session.session.id, setCookies };
  }

  async function signIn(input: Credentials, { headers, addressHash }: Asker): Promise<SignedIn> {
    checkOrigin(headers);
    const email = normaliseEmail(input.email);
    const browser = browsers.knownTo(email, headers, now());
    const tried = { address: await addressHash(), account: browsers.accountKey(email), browser };
    const who = { name: browser ?? tried.address, isKnown: browser !== undefined };
    const body = { email, password: input.password };
    try {
      const answer = await attempts.counted(tried, async () => {
        if (input.password.length > MAX_PASSWORD_LENGTH) throw refusalOf(401, undefined);
        return turns.take(who, () => library.call({ path: '/sign-in/email', body }, headers));
      });
      const userId = SIGNED_IN.parse(answer.body).user.id;
      security.note('sign_in', { user_id: userId, browser: who.isKnown ? 'known' : 'new' });
      return { userId, setCookies: [...answer.setCookies, browsers.cookieFor(email, now())] };
    } catch (error) {
      if (isUnauthorized(error)) await noteWrongPassword(email);
      throw error;
    }
  }

  async function noteWrongPassword(email: string): Promise<void> {
    const users = directory.db.selectFrom('users').select('id').where('email', '=', email);
    const user = await users.executeTakeFirst().catch(() => undefined); // the line matters more than whose it is
    security.note('sign_in_refused', user ? { user_id: user.id } : {});
  }

  async function signOut(headers: IncomingHttpHeaders): Promise<string[]> {
    checkOrigin(headers);
    const identity = await identify(headers);
    const { setCookies } = await library.call({ path: '/sign-out' }, headers);
    // better-auth answers well also when the row could not be deleted, and then the cookie would still open the door.
    if (await identify(headers)) throw new Unavailable('directory');
    if (identity) security.note('sign_out', { user_id: identity.userId });
    return setCookies;
  }

  return {
    identify,
    signIn,
    signOut,
    isTrustedOrigin,
    async signUp(input, asker) {
      checkOrigin(asker.headers);
      if (config.SIGNUP !== 'open') throw new Refusal('forbidden', 'Signing up is closed on this server.');
      const address = await asker.addressHash();
      await attempts.countSignUp(address);
      const make = () => createAccount(directory, input, now());
      const { account, user } = await turns.take({ name: address, isKnown: false }, make);
      security.note('account_made', { account_id: account.id, user_id: user.id });
      return signIn(input, asker);
    },
    async changePassword({ current, next }, headers) {
      checkOrigin(headers);
      const identity = await identify(headers);
      if (!identity) throw new Refusal('unauthorized', 'Sign in to change the password.');
      const { userId, email } = identity;
      await checkPassword(next, email);
      const body = { currentPassword: current, newPassword: next, revokeOtherSessions: true };
      const tried = { address: '', account: userId, browser: 'session' };
      const change = () => library.call({ path: '/change-password', body }, headers);
      try {
        const { setCookies } = await attempts.counted(tried, () => turns.take({ name: userId, isKnown: true }, change));
        security.note('password_changed', { user_id: userId });
        return { userId, setCookies: [...setCookies, browsers.cookieFor(email, now())] };
      } catch (error) {
        if (error instanceof Refusal && error.code === 'bad_request')
          security.note('password_change_refused', { user_id: userId });
        throw error;
      }
    },
    async handler(request, response, addressHash) {
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
        const { userId, setCookies } = await signIn(credentials.data, {
          headers: request.headers,
          addressHash,
        });
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

function isUnauthorized(error: unknown): boolean {
  return error instanceof Refusal && error.code === 'unauthorized';
}

function usesLoopback(base: URL | undefined): boolean {
  return base === undefined || isLoopbackHost(base.hostname);
}

function isLoopbackOrigin(origin: string): boolean {
  const url = URL.parse(origin);
  return url !== null && /^https?:$/.test(url.protocol) && url.origin === origin && isLoopbackHost(url.hostname);
}
