// What logged-in users do with their own second factor: set it up, see it, remove it.
import type { IncomingHttpHeaders } from 'node:http';
import { Refusal } from '../errors.ts';
import type { Identity, Parts } from './auth.ts';
import { verifyPassword } from './passwords.ts';
import {
  confirmAuthenticator,
  type Factors,
  listFactors,
  makeRecoveryCodes,
  removeAuthenticator,
  startAuthenticator,
  useCode,
} from './second-factor.ts';

export type OwnFactors = {
  list(headers: IncomingHttpHeaders): Promise<Factors>;
  /** Returns a new secret, which `confirmAuthenticator` makes valid. Throws bad_request for a wrong password. */
  startAuthenticator(
    input: { password: string },
    headers: IncomingHttpHeaders,
  ): Promise<{ secret: string; uri: string }>;
  /** Ends all other sessions of the user. Returns the recovery codes, which cannot be read again. */
  confirmAuthenticator(input: { code: string }, headers: IncomingHttpHeaders): Promise<string[]>;
  removeAuthenticator(input: { password: string; code: string }, headers: IncomingHttpHeaders): Promise<void>;
  /** Replaces the recovery codes, used or not. */
  renewRecoveryCodes(input: { password: string }, headers: IncomingHttpHeaders): Promise<string[]>;
};

type Options = Parts & {
  identify(headers: IncomingHttpHeaders): Promise<Identity | undefined>;
  checkOrigin(headers: IncomingHttpHeaders): void;
};

export function openFactors(parts: Options): OwnFactors {
  const { directory, security, attempts, now } = parts;

  async function userOf(headers: IncomingHttpHeaders): Promise<Identity> {
    const identity = await parts.identify(headers);
    if (!identity) throw new Refusal('unauthorized', 'Log in to do this.');
    return identity;
  }

  /** For changes: they come from our own pages, and from somebody who knows the password. */
  async function provedUser(password: string, headers: IncomingHttpHeaders): Promise<Identity> {
    parts.checkOrigin(headers);
    const identity = await userOf(headers);
    await checkPasswordOf(parts, identity.userId, password);
    return identity;
  }

  const countedCode = <T>(userId: string, attempt: () => Promise<T>) =>
    attempts.countedCode({ account: userId, browser: 'session' }, attempt);

  async function newCodes(userId: string): Promise<string[]> {
    const codes = await makeRecoveryCodes(directory, userId);
    security.note('recovery_codes_made', { user_id: userId });
    return codes;
  }

  return {
    list: async (headers) => listFactors(directory.db, (await userOf(headers)).userId),
    startAuthenticator: async ({ password }, headers) =>
      startAuthenticator(parts, await provedUser(password, headers), now()),
    confirmAuthenticator: async ({ code }, headers) => {
      parts.checkOrigin(headers);
      const { userId, sessionId } = await userOf(headers);
      await countedCode(userId, () => confirmAuthenticator(parts, { userId, code }, now()));
      security.note('factor_added', { user_id: userId, factor: 'authenticator' });
      await directory.db.deleteFrom('sessions').where('user_id', '=', userId).where('id', '!=', sessionId).execute();
      return newCodes(userId);
    },
    removeAuthenticator: async ({ password, code }, headers) => {
      const { userId } = await provedUser(password, headers);
      await countedCode(userId, () => asBadRequest(useCode(parts, { userId, code }, now())));
      await removeAuthenticator(directory, userId);
      security.note('factor_removed', { user_id: userId, factor: 'authenticator' });
    },
    renewRecoveryCodes: async ({ password }, headers) => {
      const { userId } = await provedUser(password, headers);
      const { authenticator_since } = await listFactors(directory.db, userId);
      if (authenticator_since === null) throw new Refusal('bad_request', 'Set up an authenticator app first.');
      return newCodes(userId);
    },
  };
}

async function checkPasswordOf({ directory, attempts, turns }: Parts, userId: string, password: string): Promise<void> {
  const check = async () => {
    const credential = await directory.db
      .selectFrom('credentials')
      .select('password')
      .where('user_id', '=', userId)
      .where('provider_id', '=', 'credential')
      .executeTakeFirst();
    const hash = credential?.password;
    if (!hash || !(await verifyPassword({ hash, password })))
      throw new Refusal('bad_request', 'The password is wrong.');
  };
  const tried = { address: '', account: userId, browser: 'session' };
  await attempts.counted(tried, () => turns.take({ name: userId, isKnown: true }, check));
}

/** In the settings, unauthorized would mean that the session is over. */
async function asBadRequest<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    throw error instanceof Refusal && error.code === 'unauthorized' ? new Refusal('bad_request', error.message) : error;
  });
}
