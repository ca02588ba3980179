// Signing up where anybody may. With mail, a link confirms the address before there is an account, and the form gives the same answer for an
// address that somebody has already. Without mail nothing can be confirmed, and the account is made at once.
import type { Directory } from '../../directory/open.ts';
import { Refusal } from '../../errors.ts';
import type { Mail } from '../../messages/mail/mail.ts';
import { countMails } from '../../messages/mail/queue.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../vocabulary/time/time.ts';
import { insertAccount, nameFrom, prepareAccount } from '../accounts.ts';
import type { Caller, Credentials, Parts, SignedIn } from '../sign-in/auth.ts';
import { endLinks, linkIsOver, makeLink, readLink, takeLink } from '../one-time-links.ts';
import { MAX_PASSWORD_LENGTH } from '../sign-in/passwords/password-rule.ts';
import { verifyPassword } from '../sign-in/passwords/passwords.ts';
import { isThrowaway } from './throwaway-domains.ts';
import { t } from '../../vocabulary/habits/messages.ts';

const LIVES_MS = 48 * HOUR_MS;
/** Mails to one address, whoever asks for them: one in five minutes, and five in a day. */
const MAILED = [
  { withinMs: 5 * MINUTE_MS, most: 1 },
  { withinMs: DAY_MS, most: 5 },
];

export type SignUps = {
  /**
   * Creates an account on trial and signs in, or mails a link that does so: then it returns undefined, and takes the same time, if the address
   * is taken. Throws bad_request for a weak password, and forbidden unless SIGNUP=open.
   */
  request(input: Credentials, caller: Caller): Promise<SignedIn | undefined>;
  /** Returns the address that a link confirms. Throws not_found for a link that is unknown, used or expired. */
  read(token: string): Promise<string>;
  /** Creates the account and signs in. Asks for the password again, since anybody may have signed up with this address. */
  confirm(input: { token: string; password: string }, caller: Caller): Promise<SignedIn>;
};

type Options = Parts & {
  isOpen: boolean;
  mail: Pick<Mail, 'isOn' | 'send'>;
  checkOrigin(headers: Caller['headers']): void;
  signIn(input: Credentials, caller: Caller): Promise<SignedIn>;
  /** Runs what hashes the password of a new user, within the limits of signing up. */
  withinLimits<T>(caller: Caller, work: () => Promise<T>): Promise<T>;
};

export function openSignUps(parts: Options): SignUps {
  const { directory, mail, security, now } = parts;
  const check = (caller: Caller) => {
    parts.checkOrigin(caller.headers);
    if (!parts.isOpen) throw new Refusal('forbidden', t('Signing up is closed on this server.'));
  };
  return {
    request: async (input, caller) => {
      check(caller);
      const prepared = await parts.withinLimits(caller, () => prepareAccount(input));
      if (mail.isOn) return noteSignUp(parts, prepared);
      const made = await directory.db.transaction().execute((db) => insertAccount(db, prepared, now()));
      security.note('account_made', { account_id: made.account.id, user_id: made.user.id });
      return parts.signIn(input, caller);
    },
    read: async (token) => (await pendingOf(directory, { token, now: now() })).email,
    confirm: async (input, caller) => {
      check(caller);
      return confirm(parts, input, caller);
    },
  };
}

/** As many writes either way, so that the time of the answer says nothing. */
async function noteSignUp(
  { directory, mail, now }: Options,
  { email, passwordHash }: { email: string; passwordHash: string },
): Promise<undefined> {
  const time = now();
  const isSent = !(await isThrowaway(email));
  await directory.db.transaction().execute(async (db) => {
    const row = { password: passwordHash, expires_at: time + LIVES_MS };
    await db
      .insertInto('sign_ups')
      .values({ email, ...row })
      .onConflict((conflict) => conflict.column('email').doUpdateSet(row))
      .execute();
    for (const { withinMs, most } of MAILED) {
      const kinds = ['sign_up', 'sign_up_taken'] as const;
      if ((await countMails(db, { recipient: email, kinds, since: time - withinMs })) >= most) return;
    }
    const token = await makeLink(db, 'sign_up', { value: email, now: time, livesMs: LIVES_MS });
    const user = await db.selectFrom('users').select('id').where('email', '=', email).executeTakeFirst();
    const queued = { key: `sign_up ${email} ${time}`, to: email };
    if (!isSent) return;
    if (user) await mail.send(db, { kind: 'sign_up_taken', ...queued, data: { email } });
    else await mail.send(db, { kind: 'sign_up', ...queued, data: { email, token } });
  });
}

async function confirm(
  parts: Options,
  { token, password }: { token: string; password: string },
  caller: Caller,
): Promise<SignedIn> {
  const { directory, attempts, browsers, fairQueue, security, now } = parts;
  const pending = await pendingOf(directory, { token, now: now() });
  const { email } = pending;
  const address = await caller.addressHash();
  const tried = { address, account: browsers.accountKey(`sign-up ${email}`), browser: undefined };
  await attempts.counted(tried, async () => {
    const isRight = () => verifyPassword({ hash: pending.password, password });
    if (password.length > MAX_PASSWORD_LENGTH || !(await fairQueue.take({ name: address, isKnown: false }, isRight)))
      throw new Refusal('bad_request', t('The password is wrong: enter the one that you chose when you signed up.'));
  });
  const time = now();
  const { account, user } = await directory.db.transaction().execute(async (db) => {
    await takeLink(db, 'sign_up', { token, now: time });
    await endLinks(db, 'sign_up', email);
    // Another sign-up with this address may have replaced the password that was checked.
    const used = db.deleteFrom('sign_ups').where('email', '=', email).where('password', '=', pending.password);
    if ((await used.executeTakeFirst()).numDeletedRows === 0n) throw linkIsOver();
    const prepared = { email, name: nameFrom(email), passwordHash: pending.password, isConfirmed: true };
    return insertAccount(db, prepared, time);
  });
  security.note('account_made', { account_id: account.id, user_id: user.id });
  return parts.signIn({ email, password }, caller);
}

async function pendingOf(
  { db }: Directory,
  shown: { token: string; now: number },
): Promise<{ email: string; password: string }> {
  const email = await readLink(db, 'sign_up', shown);
  const pending = db.selectFrom('sign_ups').select(['email', 'password']).where('email', '=', email);
  const row = await pending.where('expires_at', '>', shown.now).executeTakeFirst();
  if (!row) throw linkIsOver();
  return row;
}

export async function forgetSignUps({ db }: Pick<Directory, 'db'>, before: number): Promise<void> {
  await db.deleteFrom('sign_ups').where('expires_at', '<', before).execute();
}
