// Sensitive changes come from our own pages, and from somebody who knows the password.
import type { IncomingHttpHeaders } from 'node:http';
import { Refusal } from '../errors.ts';
import type { Identity, Parts } from './auth.ts';
import { verifyPassword } from './passwords.ts';

/** Returns who sent the request. Throws unauthorized without a session, and bad_request for a wrong password. */
export type Prove = (password: string, headers: IncomingHttpHeaders) => Promise<Identity>;

type Options = Parts & {
  identify(headers: IncomingHttpHeaders): Promise<Identity | undefined>;
  checkOrigin(headers: IncomingHttpHeaders): void;
};

export function openProof(parts: Options): Prove {
  return async (password, headers) => {
    parts.checkOrigin(headers);
    const identity = await parts.identify(headers);
    if (!identity) throw new Refusal('unauthorized', 'Log in to do this.');
    await checkPasswordOf(parts, identity.userId, password);
    return identity;
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
