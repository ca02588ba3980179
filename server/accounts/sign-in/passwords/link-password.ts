// The passwords of share links: hashed as those of people are, and limited as logging in is.
import { Refusal } from '../../../errors.ts';
import type { Caller, Parts } from '../auth.ts';
import { checkPassword, MAX_PASSWORD_LENGTH } from './password-rule.ts';
import { hashPassword, verifyPassword } from './passwords.ts';
import { t } from '../../../vocabulary/habits/messages.ts';

/** Throws bad_request for a weak one. */
export async function hashLinkPassword(password: string): Promise<string> {
  await checkPassword(password, '');
  return hashPassword(password);
}

type Asked = { linkId: string; hash: string; password: string };

/** Throws bad_request for a wrong password, and too_many_requests after too many. */
export async function checkLinkPassword(
  { attempts, fairQueue, security }: Parts,
  { linkId, hash, password }: Asked,
  { addressHash }: Caller,
): Promise<void> {
  const address = await addressHash();
  const isRight = () =>
    password.length <= MAX_PASSWORD_LENGTH &&
    fairQueue.take({ name: address, isKnown: false }, () => verifyPassword({ hash, password }));
  await attempts.countedLink({ address, link: linkId }, async () => {
    if (await isRight()) return;
    security.note('link_password_refused', { link_id: linkId });
    throw new Refusal('bad_request', t('The password is wrong.'));
  });
}
