// Sensitive changes come from our own pages, and from somebody who knows the password, or who logged in at the operator's issuer a moment
// ago: people who log in there may have no password.
import type { IncomingHttpHeaders } from 'node:http';
import { Refusal } from '../../errors.ts';
import { MINUTE_MS } from '../../vocabulary/time/time.ts';
import type { Parts } from './auth.ts';
import type { IssuerProof } from './auth-library.ts';
import type { Identity } from './identity.ts';
import { verifyPassword } from './passwords/passwords.ts';
import { t } from '../../vocabulary/habits/messages.ts';

const RECENT_MS = 10 * MINUTE_MS;

/** What a page asks for before a sensitive change. `again`: whether the log-in at the issuer must be repeated first. */
export type ProofNeeded = { by: 'password' } | { by: 'issuer'; again: boolean };

/**
 * Returns who sent the request. An empty password stands for the log-in at the issuer. Throws unauthorized without a session, and
 * bad_request for a wrong password or if the last log-in is too long ago.
 */
export type Prove = (password: string, headers: IncomingHttpHeaders) => Promise<Identity>;

type Options = Parts & {
  identify(headers: IncomingHttpHeaders): Promise<Identity | undefined>;
  checkOrigin(headers: IncomingHttpHeaders): void;
};

export function openProof(parts: Options): Prove {
  return async (password, headers) => {
    parts.checkOrigin(headers);
    const identity = await parts.identify(headers);
    if (!identity) throw new Refusal('unauthorized', t('Log in to do this.'));
    if (password === '') checkRecent(identity, parts.now());
    else await checkPasswordOf(parts, identity.userId, password);
    return identity;
  };
}

/** Returns what `prove` will ask this person for. */
export async function proofNeeded({ directory, now }: Parts, { userId, issuer }: Identity): Promise<ProofNeeded> {
  const credentials = directory.db.selectFrom('credentials').select('id').where('user_id', '=', userId);
  const credential = await credentials.where('password', 'is not', null).limit(1).executeTakeFirst();
  return credential ? { by: 'password' } : { by: 'issuer', again: !isRecent(issuer, now()) };
}

function isRecent(issuer: IssuerProof | undefined, now: number): boolean {
  return issuer !== undefined && now - issuer.provedAt < RECENT_MS;
}

function checkRecent({ issuer }: Identity, now: number): void {
  if (isRecent(issuer, now)) return;
  throw new Refusal(
    'bad_request',
    issuer ? t('Log in again first: your last log-in is too long ago.') : t('Enter your password.'),
  );
}

async function checkPasswordOf(
  { directory, attempts, fairQueue }: Parts,
  userId: string,
  password: string,
): Promise<void> {
  const check = async () => {
    const credential = await directory.db
      .selectFrom('credentials')
      .select('password')
      .where('user_id', '=', userId)
      .where('provider_id', '=', 'credential')
      .executeTakeFirst();
    const hash = credential?.password;
    if (!hash || !(await verifyPassword({ hash, password })))
      throw new Refusal('bad_request', t('The password is wrong.'));
  };
  const tried = { address: '', account: userId, browser: 'session' };
  await attempts.counted(tried, () => fairQueue.take({ name: userId, isKnown: true }, check));
}
