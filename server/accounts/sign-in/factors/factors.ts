// What logged-in users do with their own second factor: set it up, see it, remove it.
import type { IncomingHttpHeaders } from 'node:http';
import { Refusal } from '../../../errors.ts';
import type { RegistrationResponseJSON } from '@simplewebauthn/server';
import type { SecurityEvents } from '../../../process/security-log.ts';
import { recordAction } from '../../account-log.ts';
import type { Parts } from '../auth.ts';
import type { Identity } from '../identity.ts';
import type { Passkey, Passkeys } from './passkeys.ts';
import { partyOf } from './relying-party.ts';
import type { Prove } from '../proof.ts';
import {
  confirmAuthenticator,
  type Factors,
  hasSecondFactor,
  listFactors,
  makeRecoveryCodes,
  removeAuthenticator,
  removeIdleRecoveryCodes,
  startAuthenticator,
  useCode,
} from './second-factor.ts';
import { message, t } from '../../../vocabulary/habits/messages.ts';

type OwnList = Omit<Factors, 'passkeys'> & { passkeys: Passkey[] };

type FactorKind = SecurityEvents['factor_added']['factor'];
/** As the account's log names them. */
const FACTOR_NAMES: Record<FactorKind, string> = {
  authenticator: message('Authenticator app'),
  passkey: message('Passkey'),
};

export type OwnFactors = {
  list(headers: IncomingHttpHeaders): Promise<OwnList>;
  /** Returns a new secret, which `confirmAuthenticator` makes valid. Throws bad_request for a wrong password. */
  startAuthenticator(
    input: { password: string },
    headers: IncomingHttpHeaders,
  ): Promise<{ secret: string; uri: string }>;
  /** Ends all other sessions of the user. Returns new recovery codes, which cannot be read again. */
  confirmAuthenticator(input: { code: string }, headers: IncomingHttpHeaders): Promise<string[]>;
  removeAuthenticator(input: { password: string; code: string }, headers: IncomingHttpHeaders): Promise<void>;
  /** Returns what the browser needs in order to create a passkey. */
  startPasskey(input: { password: string }, headers: IncomingHttpHeaders): ReturnType<Passkeys['startAdding']>;
  /** Ends all other sessions if this is the first factor. Returns recovery codes if the user had none. */
  addPasskey(
    input: { name: string; response: RegistrationResponseJSON },
    headers: IncomingHttpHeaders,
  ): Promise<string[]>;
  renamePasskey(input: { id: string; name: string }, headers: IncomingHttpHeaders): Promise<void>;
  removePasskey(input: { id: string; password: string }, headers: IncomingHttpHeaders): Promise<void>;
  /** Replaces the recovery codes, used or not. */
  renewRecoveryCodes(input: { password: string }, headers: IncomingHttpHeaders): Promise<string[]>;
};

type Options = Parts & {
  prove: Prove;
  identify(headers: IncomingHttpHeaders): Promise<Identity | undefined>;
  checkOrigin(headers: IncomingHttpHeaders): void;
};

export function openFactors(parts: Options): OwnFactors {
  const { directory, passkeys, attempts, prove, now } = parts;

  async function userOf(headers: IncomingHttpHeaders): Promise<Identity> {
    const identity = await parts.identify(headers);
    if (!identity) throw new Refusal('unauthorized', t('Log in to do this.'));
    return identity;
  }

  const countedCode = <T>(userId: string, attempt: () => Promise<T>) =>
    attempts.countedCode({ account: userId, browser: 'session' }, attempt);

  const noteFactor = (action: 'factor_added' | 'factor_removed', userId: string, factor: FactorKind) =>
    recordAction(parts, action, { ids: { user_id: userId, factor }, name: FACTOR_NAMES[factor] });

  async function endOtherSessions(userId: string, sessionId: string): Promise<void> {
    await directory.db.deleteFrom('sessions').where('user_id', '=', userId).where('id', '!=', sessionId).execute();
  }

  async function newCodes(userId: string): Promise<string[]> {
    const codes = await makeRecoveryCodes(directory, userId);
    await recordAction(parts, 'recovery_codes_made', { ids: { user_id: userId } });
    return codes;
  }

  return {
    list: async (headers) => {
      const { userId } = await userOf(headers);
      return { ...(await listFactors(directory.db, userId)), passkeys: await passkeys.list(userId) };
    },
    startAuthenticator: async ({ password }, headers) =>
      startAuthenticator(parts, await prove(password, headers), now()),
    confirmAuthenticator: async ({ code }, headers) => {
      parts.checkOrigin(headers);
      const { userId, sessionId } = await userOf(headers);
      await countedCode(userId, () => confirmAuthenticator(parts, { userId, code }, now()));
      await noteFactor('factor_added', userId, 'authenticator');
      await endOtherSessions(userId, sessionId);
      return newCodes(userId);
    },
    removeAuthenticator: async ({ password, code }, headers) => {
      const { userId } = await prove(password, headers);
      await countedCode(userId, () => asBadRequest(useCode(parts, { userId, code }, now())));
      await removeAuthenticator(directory, userId);
      await removeIdleRecoveryCodes(directory, userId);
      await noteFactor('factor_removed', userId, 'authenticator');
    },
    startPasskey: async ({ password }, headers) => {
      const user = await prove(password, headers);
      return passkeys.startAdding(user, partyOf(headers), now());
    },
    addPasskey: async ({ name, response }, headers) => {
      parts.checkOrigin(headers);
      const { userId, sessionId } = await userOf(headers);
      const before = await listFactors(directory.db, userId);
      await passkeys.add({ userId, name, response }, partyOf(headers), now());
      await noteFactor('factor_added', userId, 'passkey');
      if (before.authenticator_since === null && before.passkeys === 0) await endOtherSessions(userId, sessionId);
      return before.recovery_codes_left > 0 ? [] : newCodes(userId);
    },
    renamePasskey: async (input, headers) => {
      parts.checkOrigin(headers);
      const { userId } = await userOf(headers);
      await passkeys.rename({ userId, ...input });
    },
    removePasskey: async ({ id, password }, headers) => {
      const { userId } = await prove(password, headers);
      await passkeys.remove({ userId, id });
      await removeIdleRecoveryCodes(directory, userId);
      await noteFactor('factor_removed', userId, 'passkey');
    },
    renewRecoveryCodes: async ({ password }, headers) => {
      const { userId } = await prove(password, headers);
      if (!(await hasSecondFactor(directory.db, userId)))
        throw new Refusal('bad_request', t('Set up an authenticator app or a passkey first.'));
      return newCodes(userId);
    },
  };
}

/** In the settings, unauthorized would mean that the session is over. */
async function asBadRequest<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    throw error instanceof Refusal && error.code === 'unauthorized' ? new Refusal('bad_request', error.message) : error;
  });
}
