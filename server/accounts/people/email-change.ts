// A new e-mail address for a user. The old and the new mailbox each get a link, and the address changes once both links were opened. So
// neither a stolen session nor a typing mistake moves a login. For a mailbox that cannot be read any more there is `manage account email`.
import type { IncomingHttpHeaders } from 'node:http';
import type { Kysely } from 'kysely';
import { isDuplicate, type Directory } from '../../directory/open.ts';
import type { Tables } from '../../directory/schema.ts';
import { Refusal } from '../../errors.ts';
import type { Mail } from '../../messages/mail/mail.ts';
import { DAY_MS } from '../../vocabulary/time/time.ts';
import { logAction, recordAction } from '../account-log.ts';
import { normaliseEmail } from '../accounts.ts';
import type { Parts } from '../sign-in/auth.ts';
import type { Identity } from '../sign-in/identity.ts';
import { endLinks, linkIsOver, makeLink, readLink, takeLink } from '../one-time-links.ts';
import type { Prove } from '../sign-in/proof.ts';
import { t } from '../../vocabulary/habits/messages.ts';

const LIVES_MS = DAY_MS;

/** The mailboxes that confirm a change. */
const SIDES = ['old', 'new'] as const;
type Side = (typeof SIDES)[number];

type Pending = { email: string; old_confirmed: boolean; new_confirmed: boolean; expires_at: number };

export type EmailChanges = {
  /** The change of this user that waits for its links to be opened. */
  pending(userId: string): Promise<Pending | null>;
  /**
   * Mails a link to both addresses. Answers in the same way if the new address belongs to somebody, who is told. Throws bad_request if mail is
   * not set up, or for a wrong password.
   */
  start(input: { email: string; password: string }, headers: IncomingHttpHeaders): Promise<void>;
  cancel(headers: IncomingHttpHeaders): Promise<void>;
  /** What a link confirms. Throws not_found for a link that is unknown, used or expired. */
  read(token: string): Promise<{ from: string; to: string; side: Side }>;
  /** Confirms one side. `isDone`: both were confirmed, and the address is changed. Throws forbidden for another user's session. */
  confirm(token: string, headers: IncomingHttpHeaders): Promise<{ isDone: boolean; setCookies: string[] }>;
};

type Options = Parts & {
  mail: Pick<Mail, 'isOn' | 'send' | 'moveRefusals'>;
  prove: Prove;
  identify(headers: IncomingHttpHeaders): Promise<Identity | undefined>;
  checkOrigin(headers: IncomingHttpHeaders): void;
};

export function openEmailChanges(parts: Options): EmailChanges {
  const { directory, now } = parts;
  return {
    pending: async (userId) => {
      const change = await changeOf(directory.db, { userId, now: now() });
      if (!change) return null;
      const { email, expires_at } = change;
      return {
        email,
        expires_at,
        old_confirmed: change.old_confirmed === 1,
        new_confirmed: change.new_confirmed === 1,
      };
    },
    start: (input, headers) => start(parts, input, headers),
    cancel: async (headers) => {
      parts.checkOrigin(headers);
      const identity = await parts.identify(headers);
      if (!identity) throw new Refusal('unauthorized', t('Log in to do this.'));
      await directory.db.transaction().execute((db) => endEmailChange(db, identity.userId));
    },
    read: async (token) => {
      const { side, userId } = await sideOf(directory.db, { token, now: now() });
      const change = await changeOf(directory.db, { userId, now: now() });
      if (!change) throw linkIsOver();
      return { from: await emailOf(directory.db, userId), to: change.email, side };
    },
    confirm: async (token, headers) => {
      parts.checkOrigin(headers);
      return confirm(parts, { token, identity: await parts.identify(headers) });
    },
  };
}

async function start(
  parts: Options,
  input: { email: string; password: string },
  headers: IncomingHttpHeaders,
): Promise<void> {
  const { directory, mail, attempts, browsers, security, now } = parts;
  if (!mail.isOn)
    throw new Refusal(
      'bad_request',
      t('This server sends no mail, so it cannot confirm an address: ask the person who runs it.'),
    );
  const to = normaliseEmail(input.email);
  const { userId, email: from } = await parts.prove(input.password, headers);
  if (to === from) throw new Refusal('bad_request', t('This is your e-mail address already.'));
  await attempts.countEmailChange({ user: userId, address: browsers.accountKey(to) });
  const time = now();
  await directory.db.transaction().execute(async (db) => {
    await lockUser(db, userId);
    await endEmailChange(db, userId);
    const row = { email: to, old_confirmed: 0, new_confirmed: 0, expires_at: time + LIVES_MS } as const;
    await db
      .insertInto('email_changes')
      .values({ user_id: userId, ...row })
      .execute();
    const link = (side: Side) => makeLink(db, 'email', { value: `${side} ${userId}`, now: time, livesMs: LIVES_MS });
    const tokens = { old: await link('old'), new: await link('new') };
    const key = (side: Side) => `email_change ${userId} ${side} ${time}`;
    const data = { from, to };
    await mail.send(db, {
      kind: 'email_change_old',
      key: key('old'),
      to: from,
      data: { ...data, token: tokens.old },
    });
    // The holder of a taken address gets no link, so this change can never be completed.
    if (await isTaken(db, to)) await mail.send(db, { kind: 'email_taken', key: key('new'), to, data: { email: to } });
    else await mail.send(db, { kind: 'email_change_new', key: key('new'), to, data: { ...data, token: tokens.new } });
  });
  security.note('email_change_asked', { user_id: userId });
}

async function confirm(
  parts: Options,
  { token, identity }: { token: string; identity: Identity | undefined },
): Promise<{ isDone: boolean; setCookies: string[] }> {
  const { directory, browsers, now } = parts;
  const time = now();
  const done = await directory.db.transaction().execute(async (db) => {
    const { side, userId } = await sideOf(db, { token, now: time });
    if (identity && identity.userId !== userId)
      throw new Refusal('forbidden', t('This link is for another login: log out, then open it again.'));
    await lockUser(db, userId); // so that of two links at the same time the second one sees the first
    await takeLink(db, 'email', { token, now: time });
    const confirmed = side === 'old' ? { old_confirmed: 1 as const } : { new_confirmed: 1 as const };
    await db.updateTable('email_changes').set(confirmed).where('user_id', '=', userId).execute();
    const change = await changeOf(db, { userId, now: time });
    if (!change) throw linkIsOver();
    if (change.old_confirmed === 0 || change.new_confirmed === 0) return undefined;
    const to = change.email;
    const from = await setEmail(
      parts.mail,
      db,
      { userId, to, isConfirmed: true, keptSession: identity?.sessionId },
      time,
    );
    await mailChanged(parts.mail, db, { userId, from, to, now: time });
    return { userId, to };
  });
  if (!done) return { isDone: false, setCookies: [] };
  await recordAction(parts, 'email_changed', { ids: { user_id: done.userId } });
  return { isDone: true, setCookies: identity ? [browsers.cookieFor(done.to, time)] : [] };
}

/** For the operator, if somebody cannot read the old mailbox any more. Logs the user out everywhere. Throws not_found, and bad_request for a taken address. */
export async function changeEmailByOperator(
  { directory, mail }: { directory: Directory; mail: Pick<Mail, 'send' | 'moveRefusals'> },
  addresses: { from: string; to: string },
  now: number,
): Promise<{ userId: string; from: string; to: string }> {
  const [from, to] = [normaliseEmail(addresses.from), normaliseEmail(addresses.to)];
  return directory.db.transaction().execute(async (db) => {
    const user = await db.selectFrom('users').select('id').where('email', '=', from).executeTakeFirst();
    if (!user) throw new Refusal('not_found', t('Nobody has the e-mail address {from}.', { from }));
    const userId = user.id;
    await lockUser(db, userId);
    await setEmail(mail, db, { userId, to, isConfirmed: false, keptSession: undefined }, now);
    await mailChanged(mail, db, { userId, from, to, now });
    const own = await db.selectFrom('members').select('account_id').where('user_id', '=', userId).execute();
    for (const { account_id } of own)
      await logAction(db, { action: 'email_changed', account_id, actor: 'operator', member_id: userId }, now);
    return { userId, from, to };
  });
}

/** Ends a change that is not confirmed yet, with its links. */
export async function endEmailChange(db: Kysely<Tables>, userId: string): Promise<void> {
  await db.deleteFrom('email_changes').where('user_id', '=', userId).execute();
  for (const side of SIDES) await endLinks(db, 'email', `${side} ${userId}`);
}

export async function forgetEmailChanges({ db }: Pick<Directory, 'db'>, before: number): Promise<void> {
  await db.deleteFrom('email_changes').where('expires_at', '<', before).execute();
}

type NewEmail = {
  userId: string;
  to: string;
  /** True if somebody opened a link in a mail to this address. */
  isConfirmed: boolean;
  /** All other sessions end. */
  keptSession: string | undefined;
};

/** Sets the address, and ends what was begun with the old one. Returns the old address. Throws bad_request for a taken address. */
async function setEmail(
  mail: Pick<Mail, 'moveRefusals'>,
  db: Kysely<Tables>,
  { userId, to, ...how }: NewEmail,
  now: number,
): Promise<string> {
  const from = await emailOf(db, userId);
  if (await isTaken(db, to)) throw taken(to);
  const email_verified = how.isConfirmed ? 1 : 0;
  await db
    .updateTable('users')
    .set({ email: to, email_verified, updated_at: now })
    .where('id', '=', userId)
    .execute()
    .catch((error: unknown) => {
      throw isDuplicate(error) ? taken(to) : error; // somebody else took it at the same moment
    });
  await endEmailChange(db, userId);
  await endLinks(db, 'reset', userId);
  const sessions = db.deleteFrom('sessions').where('user_id', '=', userId);
  await (how.keptSession === undefined ? sessions : sessions.where('id', '!=', how.keptSession)).execute();
  await mail.moveRefusals(db, { from, to });
  return from;
}

async function mailChanged(
  mail: Pick<Mail, 'send'>,
  db: Kysely<Tables>,
  { userId, from, to, now }: { userId: string; from: string; to: string; now: number },
): Promise<void> {
  for (const [side, recipient] of Object.entries({ old: from, new: to })) {
    const key = `email_changed ${userId} ${side} ${now}`;
    await mail.send(db, { kind: 'email_changed', key, to: recipient, data: { from, to } });
  }
}

/** Nobody else changes the user's address until the transaction ends. */
async function lockUser(db: Kysely<Tables>, userId: string): Promise<void> {
  await db.updateTable('users').set({ id: userId }).where('id', '=', userId).execute();
}

async function sideOf(
  db: Kysely<Tables>,
  shown: { token: string; now: number },
): Promise<{ side: Side; userId: string }> {
  const [side, userId = ''] = (await readLink(db, 'email', shown)).split(' ');
  return { side: side === 'old' ? 'old' : 'new', userId };
}

async function changeOf(db: Kysely<Tables>, { userId, now }: { userId: string; now: number }) {
  const change = db.selectFrom('email_changes').selectAll().where('user_id', '=', userId);
  return change.where('expires_at', '>', now).executeTakeFirst();
}

async function emailOf(db: Kysely<Tables>, userId: string): Promise<string> {
  const user = db.selectFrom('users').select('email').where('id', '=', userId);
  return (await user.executeTakeFirstOrThrow()).email;
}

async function isTaken(db: Kysely<Tables>, email: string): Promise<boolean> {
  return Boolean(await db.selectFrom('users').select('id').where('email', '=', email).executeTakeFirst());
}

function taken(email: string): Refusal {
  return new Refusal('bad_request', t('Somebody else logs in with {email} now: choose another address.', { email }));
}
