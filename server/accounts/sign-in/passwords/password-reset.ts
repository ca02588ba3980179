// Forgotten passwords: a link, valid for an hour and once, by mail or from the operator. The answer to a request says nothing about whether
// the e-mail address has an account.
import { Refusal } from '../../../errors.ts';
import { makeId } from '../../../directory/ids.ts';
import type { Directory } from '../../../directory/open.ts';
import type { Mail } from '../../../messages/mail/mail.ts';
import { countMails } from '../../../messages/mail/queue.ts';
import { HOUR_MS, MINUTE_MS } from '../../../vocabulary/time/time.ts';
import { recordAction } from '../../account-log.ts';
import { normaliseEmail } from '../../accounts.ts';
import type { Caller, Parts } from '../auth.ts';
import { endEmailChange } from '../../people/email-change.ts';
import { endLinks, makeLink, readLink, takeLink } from '../../one-time-links.ts';
import { checkPassword } from './password-rule.ts';
import { hashPassword } from './passwords.ts';
import { t } from '../../../vocabulary/habits/messages.ts';

const LIVES_MS = HOUR_MS;
/** One mail to each person in this time, however often it is asked for. */
const MAILED_EVERY_MS = 5 * MINUTE_MS;
const KINDS = ['password_reset'] as const;
/** The value of links for addresses without an account. */
const NOBODY = '';

export type PasswordReset = {
  /** Mails a link. Takes the same time and resolves in the same way if nobody has the address. Throws bad_request if mail is not set up. */
  request(input: { email: string }, caller: Caller): Promise<void>;
  /** Sets the password and ends all sessions. Throws not_found for a link that is unknown, used or expired. */
  redeem(input: { token: string; password: string }, caller: Caller): Promise<void>;
};

type Options = Parts & { mail: Pick<Mail, 'isOn' | 'send'> };

export function openPasswordReset(parts: Options): PasswordReset {
  const { directory, attempts, fairQueue, mail, now } = parts;
  return {
    request: async (input, { addressHash }) => {
      if (!mail.isOn)
        throw new Refusal(
          'bad_request',
          t('This server sends no mail: ask the person who runs it for a link to a new password.'),
        );
      const email = normaliseEmail(input.email);
      await attempts.countReset(await addressHash());
      const time = now();
      // One transaction with as many writes either way, so that the time of the answer says nothing.
      await directory.db.transaction().execute(async (db) => {
        const user = await db.selectFrom('users').select('id').where('email', '=', email).executeTakeFirst();
        const token = await makeLink(db, 'reset', { value: user?.id ?? NOBODY, now: time, livesMs: LIVES_MS });
        const sent = await countMails(db, { recipient: email, kinds: KINDS, since: time - MAILED_EVERY_MS });
        const key = `password_reset ${user?.id} ${Math.floor(time / MAILED_EVERY_MS)}`;
        if (user && sent === 0) await mail.send(db, { kind: 'password_reset', key, to: email, data: { email, token } });
        else await makeLink(db, 'reset', { value: NOBODY, now: time, livesMs: LIVES_MS });
      });
    },
    redeem: async ({ token, password }, { addressHash }) => {
      const user = await userOfLink(directory, { token, now: now() });
      await checkPassword(password, user.email);
      const hash = await fairQueue.take({ name: await addressHash(), isKnown: false }, () => hashPassword(password));
      await setPassword(parts, { token, user, hash });
      await recordAction(parts, 'password_reset', { ids: { user_id: user.id } });
    },
  };
}

type LinkUser = { id: string; email: string };

async function userOfLink({ db }: Directory, shown: { token: string; now: number }): Promise<LinkUser> {
  const id = await readLink(db, 'reset', shown);
  const user = await db.selectFrom('users').select(['id', 'email']).where('id', '=', id).executeTakeFirst();
  if (!user) throw new Refusal('not_found', t('There is no such account any more.'));
  return user;
}

async function setPassword(
  { directory, mail, now }: Options,
  { token, user, hash }: { token: string; user: LinkUser; hash: string },
): Promise<void> {
  const time = now();
  const stamps = { created_at: time, updated_at: time };
  await directory.db.transaction().execute(async (db) => {
    await takeLink(db, 'reset', { token, now: time });
    await endLinks(db, 'reset', user.id);
    await endEmailChange(db, user.id);
    await db
      .insertInto('credentials')
      .values({
        id: makeId('cred'),
        provider_id: 'credential',
        account_id: user.id,
        user_id: user.id,
        password: hash,
        ...stamps,
      })
      .onConflict((conflict) =>
        conflict.columns(['provider_id', 'account_id']).doUpdateSet({ password: hash, updated_at: time }),
      )
      .execute();
    await db.deleteFrom('sessions').where('user_id', '=', user.id).execute();
    const key = `password_changed ${user.id} ${time}`;
    await mail.send(db, { kind: 'password_changed', key, to: user.email, data: { email: user.email } });
  });
}

/** For the operator: returns the token of a link to a new password, and whose it is. Throws not_found. */
export async function makeResetLink(
  { db }: Directory,
  email: string,
  now: number,
): Promise<{ token: string; userId: string }> {
  const user = await db.selectFrom('users').select('id').where('email', '=', normaliseEmail(email)).executeTakeFirst();
  if (!user) throw new Refusal('not_found', t('Nobody has the e-mail address {email}.', { email }));
  return { token: await makeLink(db, 'reset', { value: user.id, now, livesMs: LIVES_MS }), userId: user.id };
}
