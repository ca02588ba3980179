// Signing in with e-mail and password, and the limits on password attempts.
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { AuthenticationResponseJSON } from '@simplewebauthn/server';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { z } from 'zod';
import type { Config, Oidc } from '../../config.ts';
import { Refusal, Unavailable } from '../../errors.ts';
import type { Log } from '../../process/log.ts';
import type { Mail } from '../../messages/mail/mail.ts';
import type { SecurityLog } from '../../process/security-log.ts';
import { recordAction } from '../account-log.ts';
import { normaliseEmail, prepareAccount, type PreparedUser } from '../accounts.ts';
import { type MakeCounter, openAttempts } from './passwords/password-attempts.ts';
import { type IssuerProof, openLibrary, refusalOf, SecondFactorNeeded } from './auth-library.ts';
import { openAuthRoutes } from './auth-routes.ts';
import { openOwnSessions, type OwnSessions } from './own-sessions.ts';
import { openPasswordReset, type PasswordReset } from './passwords/password-reset.ts';
import { openFactors, type OwnFactors } from './factors/factors.ts';
import { identify, type Identity } from './identity.ts';
import { openBrowsers } from './known-browsers.ts';
import { openOidc, type OidcLogIn } from './single-sign-on/oidc.ts';
import { openIssuer } from './single-sign-on/oidc-issuer.ts';
import { linkPerson } from './single-sign-on/oidc-people.ts';
import { openOidcStates } from './single-sign-on/oidc-states.ts';
import { listFactors, useCode } from './factors/second-factor.ts';
import { type FirstFactor, openSignInChallenges } from './sign-in-challenge.ts';
import { openEncryption } from '../../directory/encryption.ts';
import type { Directory } from '../../directory/open.ts';
import { type EmailChanges, endEmailChange, openEmailChanges } from '../people/email-change.ts';
import { endLinks } from '../one-time-links.ts';
import { checkLinkPassword } from './passwords/link-password.ts';
import { checkPassword, MAX_PASSWORD_LENGTH } from './passwords/password-rule.ts';
import { openPasskeys, type Passkeys } from './factors/passkeys.ts';
import { partyOf } from './factors/relying-party.ts';
import { HASHED_AT_ONCE } from './passwords/passwords.ts';
import { openSignUps, type SignUps } from '../people/sign-up.ts';
import { openProof, type Prove } from './proof.ts';
import { secretOf } from '../../directory/server-keys.ts';
import { openFairQueue } from './passwords/fair-queue.ts';
import { openOrigins } from './trusted-origin.ts';
import { t } from '../../vocabulary/habits/messages.ts';

/** How many password checks may run and wait. At 60 ms each, the last one waits for 3 s. */
const FAIR_QUEUE = { atOnce: HASHED_AT_ONCE, waiting: 100, waitingEach: 20 };

/** The caller: the request's headers, and a keyed hash of its address (see `process/http/address-hash.ts`). */
export type Caller = { headers: IncomingHttpHeaders; addressHash(): string | Promise<string> };

export type Credentials = { email: string; password: string };
/** What a user can answer with, besides a recovery code. */
type SecondFactors = { authenticator: boolean; passkey: boolean };
export type SignedIn = {
  userId: string;
  setCookies: string[];
  /** Set if the password was right, and a second factor is still missing. The cookies then start no session: see `finishSignIn`. */
  needed?: SecondFactors;
};

export type Auth = {
  /** Answers requests under AUTH_PATH. Throws Refusals, which the caller turns into answers. */
  handler(request: IncomingMessage, response: ServerResponse, addressHash: Caller['addressHash']): Promise<void>;
  identify(headers: IncomingHttpHeaders): Promise<Identity | undefined>;
  signIn(input: Credentials, caller: Caller): Promise<SignedIn>;
  /** The second step of `signIn`, with a code of the app or a recovery code. */
  finishSignIn(input: { code: string }, caller: Caller): Promise<SignedIn>;
  /** Returns what the browser needs in order to offer its passkeys. */
  startPasskey(headers: IncomingHttpHeaders): ReturnType<Passkeys['startLogIn']>;
  /** Signs in with nothing else: a passkey is both factors. */
  signInByPasskey(response: AuthenticationResponseJSON, caller: Caller): Promise<SignedIn>;
  /** For sensitive changes; see `proof.ts`. */
  prove: Prove;
  /** Undefined unless the operator has set up single sign-on. */
  oidc: OidcLogIn | undefined;
  factors: OwnFactors;
  passwordReset: PasswordReset;
  emailChanges: EmailChanges;
  sessions: OwnSessions;
  /** Checks and hashes the credentials of a new user, within the limits of signing up. For people who were invited. */
  prepareUser(input: Credentials, caller: Caller): Promise<PreparedUser>;
  signUps: SignUps;
  /** Deletes the session, and returns cookies that clear it in the browser. */
  signOut(headers: IncomingHttpHeaders): Promise<string[]>;
  /** Ends all sessions of the user and starts a new one. */
  changePassword(input: { current: string; next: string }, headers: IncomingHttpHeaders): Promise<SignedIn>;
  /** Throws bad_request for a wrong password of a share link. */
  checkLinkPassword(input: { linkId: string; hash: string; password: string }, caller: Caller): Promise<void>;
  /** See `trusted-origin.ts`. */
  isTrustedOrigin(headers: IncomingHttpHeaders): boolean;
};

type Options = {
  directory: Directory;
  config: Pick<Config, 'SIGNUP' | 'TLS_CERT' | 'SECRET_KEY'>;
  baseUrl: string | undefined;
  /** Single sign-on, if it is set up. */
  oidc?: Oidc | undefined;
  now(): number;
  log?: Log;
  security: SecurityLog;
  mail: Pick<Mail, 'isOn' | 'send' | 'moveRefusals'>;
  /** The browser and the system of a request by name, for the list of sessions. */
  agentOf(headers: IncomingHttpHeaders): string | undefined;
  /** Creates the counters of password attempts. Processes that share Redis share their counters. */
  makeCounter?: MakeCounter;
};

export async function openAuth(options: Options): Promise<Auth> {
  const parts = await openParts(options);
  const { isTrusted: isTrustedOrigin } = parts.origins;
  const checkOrigin = (headers: IncomingHttpHeaders) => {
    if (!isTrustedOrigin(headers)) throw refusalOf(403, undefined);
  };
  const asking = { ...parts, identify: (headers: IncomingHttpHeaders) => identify(parts, headers), checkOrigin };
  const prove = openProof(asking);
  const doors: Omit<Auth, 'handler'> = {
    isTrustedOrigin,
    identify: (headers) => identify(parts, headers),
    signIn: async (input, caller) => {
      checkOrigin(caller.headers);
      return signIn(parts, input, caller);
    },
    finishSignIn: async (input, caller) => {
      checkOrigin(caller.headers);
      return finishSignIn(parts, input, caller);
    },
    startPasskey: async (headers) => {
      checkOrigin(headers);
      return parts.passkeys.startLogIn(partyOf(headers), options.now());
    },
    signInByPasskey: async (response, caller) => {
      checkOrigin(caller.headers);
      return signInByPasskey(parts, response, caller);
    },
    prove,
    factors: openFactors({ ...asking, prove }),
    sessions: openOwnSessions(asking),
    emailChanges: openEmailChanges({ ...asking, prove }),
    oidc: options.oidc && openLogInByIssuer(parts, options.oidc),
    passwordReset: guarded(openPasswordReset(parts), checkOrigin),
    prepareUser: async (input, caller) => {
      checkOrigin(caller.headers);
      return withinLimits(parts, caller, () => prepareAccount(input));
    },
    signUps: openSignUps({
      ...asking,
      isOpen: options.config.SIGNUP === 'open',
      signIn: (input, caller) => signIn(parts, input, caller),
      withinLimits: (caller, work) => withinLimits(parts, caller, work),
    }),
    checkLinkPassword: async (input, caller) => {
      checkOrigin(caller.headers);
      return checkLinkPassword(parts, input, caller);
    },
    signOut: async (headers) => {
      checkOrigin(headers);
      return signOut(parts, headers);
    },
    changePassword: async (passwords, headers) => {
      checkOrigin(headers);
      return changePassword(parts, passwords, headers);
    },
  };
  return { ...doors, handler: openAuthRoutes(doors) };
}

/** Requests that change a password come from our own pages. */
function guarded(reset: PasswordReset, checkOrigin: (headers: IncomingHttpHeaders) => void): PasswordReset {
  return {
    request: async (input, caller) => {
      checkOrigin(caller.headers);
      return reset.request(input, caller);
    },
    redeem: async (input, caller) => {
      checkOrigin(caller.headers);
      return reset.redeem(input, caller);
    },
  };
}

export type Parts = Awaited<ReturnType<typeof openParts>>;

async function openParts({
  directory,
  config,
  baseUrl,
  oidc,
  now,
  log,
  security,
  mail,
  agentOf,
  makeCounter,
}: Options) {
  const base = baseUrl === undefined ? undefined : new URL(baseUrl);
  const hasTls = Boolean(config.TLS_CERT);
  const isSecure = base?.protocol === 'https:' || hasTls;
  const origins = openOrigins({ base, hasTls });
  const library = openLibrary({
    directory,
    origin: base?.origin ?? 'http://localhost',
    isSecure,
    secret: await secretOf(directory, 'sessions', now()),
    isTrusted: origins.mayBeOwn,
    agentOf,
    now,
    log,
  });
  return {
    directory,
    isSecure,
    oidc,
    encryption: await openEncryption(directory, config.SECRET_KEY, now()),
    passkeys: openPasskeys(directory, await secretOf(directory, 'passkeys', now())),
    challenges: openSignInChallenges(directory, isSecure),
    library,
    origins,
    browsers: openBrowsers({ secret: await secretOf(directory, 'browsers', now()), isSecure }),
    attempts: openAttempts(makeCounter ?? ((limit) => new RateLimiterMemory(limit)), security),
    fairQueue: openFairQueue(FAIR_QUEUE),
    security,
    mail,
    now,
  };
}

/** The issuer's answer is a navigation, so it brings no Origin to check: see `api/pages/oidc.ts`. */
function openLogInByIssuer(parts: Parts, oidc: Oidc): OidcLogIn {
  return openOidc({
    parts,
    oidc,
    issuer: openIssuer(oidc, parts),
    states: openOidcStates(parts.directory, parts.isSecure),
    admit: {
      startSession: async (userId, { headers }, person) => {
        const before = await identify(parts, headers);
        const signedIn = await startSession(parts, userId, headers, person);
        // Logging in again renews the session.
        if (before?.userId === userId)
          await parts.directory.db.deleteFrom('sessions').where('id', '=', before.sessionId).execute();
        return signedIn;
      },
      askSecondFactor: (userId, issued) => askSecondFactor(parts, { userId, issued }),
    },
  });
}

async function signIn(parts: Parts, input: Credentials, { headers, addressHash }: Caller): Promise<SignedIn> {
  const { library, browsers, attempts, fairQueue, now } = parts;
  const email = normaliseEmail(input.email);
  const browser = browsers.knownTo(email, headers, now());
  const tried = { address: await addressHash(), account: browsers.accountKey(email), browser };
  const who = { name: browser ?? tried.address, isKnown: browser !== undefined };
  const body = { email, password: input.password };
  try {
    const answer = await attempts.counted(tried, async () => {
      if (input.password.length > MAX_PASSWORD_LENGTH) throw refusalOf(401, undefined);
      return fairQueue.take(who, () => library.call({ path: '/sign-in/email', body }, headers));
    });
    const userId = SIGNED_IN.parse(answer.body).user.id;
    const ids = { user_id: userId, browser: who.isKnown ? 'known' : 'new' } as const;
    await recordAction(parts, 'sign_in', { ids });
    return { userId, setCookies: [...answer.setCookies, browsers.cookieFor(email, now())] };
  } catch (error) {
    if (error instanceof SecondFactorNeeded) return askSecondFactor(parts, { userId: error.userId });
    if (isRefused(error, 'unauthorized')) await noteWrongPassword(parts, email);
    throw error;
  }
}

async function askSecondFactor({ directory, challenges, now }: Parts, first: FirstFactor): Promise<SignedIn> {
  const { authenticator_since, passkeys } = await listFactors(directory.db, first.userId);
  const needed = { authenticator: authenticator_since !== null, passkey: passkeys > 0 };
  return { userId: first.userId, setCookies: [await challenges.start(first, now())], needed };
}

async function finishSignIn(parts: Parts, { code }: { code: string }, { headers }: Caller): Promise<SignedIn> {
  const { directory, challenges, browsers, attempts, security, now } = parts;
  const first = await challenges.firstFactor(headers, now());
  const { userId, issued } = first;
  const email = await emailOf(directory, userId);
  const browser = browsers.knownTo(email, headers, now());
  try {
    const used = await attempts.countedCode({ account: userId, browser }, () =>
      useCode(parts, { userId, code }, now()),
    );
    if (used === 'recovery_code') await recordAction(parts, 'recovery_code_used', { ids: { user_id: userId } });
  } catch (error) {
    if (isRefused(error, 'unauthorized')) security.note('second_factor_refused', { user_id: userId });
    throw error;
  }
  const cleared = await challenges.end(headers);
  await linkIssued(parts, first);
  const signedIn = await startSession(parts, userId, headers, issued);
  return { ...signedIn, setCookies: [...signedIn.setCookies, cleared] };
}

/** The first log-in through the issuer, of a user who has now proved their second factor. */
async function linkIssued(parts: Parts, { userId, issued }: FirstFactor): Promise<void> {
  if (issued && !issued.isLinked && parts.oidc) await linkPerson(parts, parts.oidc, { userId, person: issued });
}

async function signInByPasskey(
  parts: Parts,
  response: AuthenticationResponseJSON,
  { headers, addressHash }: Caller,
): Promise<SignedIn> {
  const { passkeys, attempts, challenges, security, now } = parts;
  const logIn = () => passkeys.logIn(response, partyOf(headers), now());
  try {
    const userId = await attempts.countedPasskey(await addressHash(), logIn);
    const first = await challenges.firstFactor(headers, now()).catch(() => undefined);
    if (first?.userId !== userId) return await startSession(parts, userId, headers);
    const cleared = await challenges.end(headers);
    await linkIssued(parts, first);
    const signedIn = await startSession(parts, userId, headers, first.issued);
    return { ...signedIn, setCookies: [...signedIn.setCookies, cleared] };
  } catch (error) {
    if (isRefused(error, 'unauthorized')) security.note('passkey_refused', {});
    throw error;
  }
}

/** For a user who has proved both factors. */
async function startSession(
  parts: Parts,
  userId: string,
  headers: IncomingHttpHeaders,
  issuer?: IssuerProof,
): Promise<SignedIn> {
  const { directory, library, browsers, now } = parts;
  const email = await emailOf(directory, userId);
  const browser = browsers.knownTo(email, headers, now()) === undefined ? 'new' : 'known';
  const cookies = await library.start(userId, headers, issuer);
  await recordAction(parts, 'sign_in', { ids: { user_id: userId, browser } });
  return { userId, setCookies: [...cookies, browsers.cookieFor(email, now())] };
}

async function emailOf({ db }: Directory, userId: string): Promise<string> {
  const user = db.selectFrom('users').select('email').where('id', '=', userId);
  return (await user.executeTakeFirstOrThrow()).email;
}

async function noteWrongPassword({ directory, security }: Parts, email: string): Promise<void> {
  const users = directory.db.selectFrom('users').select('id').where('email', '=', email);
  const user = await users.executeTakeFirst().catch(() => undefined); // the line is logged even if the user cannot be looked up
  security.note('sign_in_refused', user ? { user_id: user.id } : {});
}

/** Runs what hashes the password of a new user: it is counted for the address, and waits for its turn. */
async function withinLimits<T>({ attempts, fairQueue }: Parts, caller: Caller, make: () => Promise<T>): Promise<T> {
  const address = await caller.addressHash();
  await attempts.countSignUp(address);
  return fairQueue.take({ name: address, isKnown: false }, make);
}

async function signOut(parts: Parts, headers: IncomingHttpHeaders): Promise<string[]> {
  const identity = await identify(parts, headers);
  const { setCookies } = await parts.library.call({ path: '/sign-out' }, headers);
  // better-auth reports success even if it could not delete the row, and the cookie would then still open the session.
  if (await identify(parts, headers)) throw new Unavailable('directory');
  if (identity) parts.security.note('sign_out', { user_id: identity.userId });
  return setCookies;
}

async function changePassword(
  parts: Parts,
  { current, next }: { current: string; next: string },
  headers: IncomingHttpHeaders,
): Promise<SignedIn> {
  const { directory, mail, library, browsers, attempts, fairQueue, security, now } = parts;
  const identity = await identify(parts, headers);
  if (!identity) throw new Refusal('unauthorized', t('Log in to change the password.'));
  const { userId, email } = identity;
  await checkPassword(next, email);
  const body = { currentPassword: current, newPassword: next, revokeOtherSessions: true };
  const tried = { address: '', account: userId, browser: 'session' };
  const change = () => library.call({ path: '/change-password', body }, headers);
  try {
    const { setCookies } = await attempts.counted(tried, () => fairQueue.take({ name: userId, isKnown: true }, change));
    await endLinks(directory.db, 'reset', userId);
    await endEmailChange(directory.db, userId);
    await recordAction(parts, 'password_changed', { ids: { user_id: userId } });
    const key = `password_changed ${userId} ${now()}`;
    await mail.send(directory.db, { kind: 'password_changed', key, to: email, data: { email } });
    return { userId, setCookies: [...setCookies, browsers.cookieFor(email, now())] };
  } catch (error) {
    if (isRefused(error, 'bad_request')) security.note('password_change_refused', { user_id: userId });
    throw error;
  }
}

const USER = z.object({ id: z.string(), email: z.string(), name: z.string() });
const SIGNED_IN = z.object({ user: USER });

function isRefused(error: unknown, code: Refusal['code']): boolean {
  return error instanceof Refusal && error.code === code;
}
