// Sends mail: callers queue a mail in their own transaction, and a job sends it. Without SMTP_URL nothing is queued and nobody waits.
import type { Kysely } from 'kysely';
import { z } from 'zod';
import { type Config, ownOrigin } from '../../config.ts';
import type { Directory } from '../../directory/open.ts';
import { makeId } from '../../directory/ids.ts';
import { habitsOfRecipient } from '../../directory/habits.ts';
import type { Tables } from '../../directory/schema.ts';
import { secretOf } from '../../directory/server-keys.ts';
import { Refusal } from '../../errors.ts';
import { inHabits } from '../../process/habits.ts';
import type { Log } from '../../process/log.ts';
import type { Subscription, Topic } from './content.ts';
import { kindOf, type MailData, type MailKind, subscriptionOf } from './kinds.ts';
import { layOut, type Letter } from './layout.ts';
import { addMail, claimMail, dropMails, type Outcome, type QueuedMail, settleMail } from './queue.ts';
import { openSender, type Sender } from './sender.ts';
import { openUnsubscribing, type Unsubscribing } from './unsubscribe.ts';
import { message, t } from '../../vocabulary/habits/messages.ts';

/** Mails that are sent at the same time: one that the server is slow to take does not hold up the others. */
const SENT_AT_ONCE = 4;

export type NewMail<Name extends MailKind = MailKind> = {
  kind: Name;
  /**
   * Names the occasion, such as `trial_ends acct_… 3`. A second mail with the same key is not queued. It holds the ids of the account, site
   * and person that the mail is about, and is deleted with them.
   */
  key: string;
  /** One e-mail address. */
  to: string;
  data: MailData[Name];
};

export type Mail = {
  /** False if no mail server is set up. Callers then show the link, or do without the mail. */
  isOn: boolean;
  /**
   * Queues a mail. `db` is the transaction of what the mail reports, so that neither exists without the other. Returns false if mail is not
   * set up, if there was a mail with this key, or if the recipient has unsubscribed.
   */
  send<Name extends MailKind>(db: Kysely<Tables>, mail: NewMail<Name>): Promise<boolean>;
  /** Removes mails to somebody, mails whose key names an id of `about`, and what people have unsubscribed from. */
  forget(db: Kysely<Tables>, what: { recipients: string[]; about: string[] }): Promise<void>;
  /** Sends what is due. Called by a job. */
  deliver(): Promise<void>;
  /** Sends a test mail at once, past the queue, and returns the mail server's answer. Throws bad_request with it if the mail is refused. */
  sendTest(to: string): Promise<string>;
  /** The path of the address that ends a subscription of `to` by one click. */
  unsubscribePath(to: string, subscription: Subscription): string;
  /** True if `to` has unsubscribed. */
  hasRefused(db: Kysely<Tables>, to: string, subscription: Subscription): Promise<boolean>;
  /** Takes the end of such an address. Throws not_found for a forged one. */
  unsubscribe(token: string): Promise<Topic>;
  /** Takes that back. */
  resubscribe(token: string): Promise<Topic>;
  /** See `Unsubscribing`. */
  moveRefusals: Unsubscribing['moveRefusals'];
  hasRefusedAny: Unsubscribing['hasRefusedAny'];
  accept: Unsubscribing['accept'];
  /** A mail as `to` would get it. */
  write<Name extends MailKind>(mail: Pick<NewMail<Name>, 'kind' | 'to' | 'data'>): Letter;
  /** Ends the attempts that are under way. Their mails stay in the queue. */
  close(): void;
};

type Options = {
  directory: Directory;
  config: Pick<Config, 'SMTP_URL' | 'MAIL_FROM' | 'BASE_URL' | 'TLS_CERT' | 'PORT'>;
  now(): number;
  log: Log;
  /** The longest time that one attempt may take. */
  attemptMs?: number;
};

export async function openMail({ directory, config, now, log, attemptMs }: Options): Promise<Mail> {
  const stop = new AbortController();
  const { SMTP_URL: url, MAIL_FROM: from } = config;
  const unsubscribing = openUnsubscribing(directory, await secretOf(directory, 'mail', now()));
  const timing = { stop: stop.signal, ...(attemptMs !== undefined && { attemptMs }) };
  const sender = url && from ? openSender({ url, from }, timing) : undefined;
  const desk: Desk = { directory, sender, unsubscribing, origin: ownOrigin(config), stop: stop.signal, now, log };

  return {
    isOn: sender !== undefined,
    send: async (db, { kind, key, to, data }) => {
      const known = kindOf(kind);
      if (!sender || !known) return false;
      const subscription = subscriptionOf(known, data);
      if (subscription && (await unsubscribing.hasRefused(db, to, subscription))) return false;
      return addMail(db, { kind, key, recipient: to, data }, now());
    },
    forget: async (db, { recipients, about }) => {
      await dropMails(db, { recipients, about });
      await unsubscribing.forget(db, recipients);
    },
    deliver: () => deliver(desk),
    sendTest: async (to) => {
      if (!sender) throw new Refusal('bad_request', t('Mail is not set up: set SMTP_URL and MAIL_FROM.'));
      const habits = await habitsOfRecipient(directory.db, to);
      const { letter, unsubscribe } = inHabits(habits, () => write(desk, { kind: 'test', recipient: to, data: '{}' }));
      const sent = await sender(letter, { to, id: makeId('mail'), unsubscribe });
      if (!sent.isAccepted)
        throw new Refusal('bad_request', t('The mail server did not take the mail: {answer}', { answer: sent.answer }));
      return sent.answer;
    },
    unsubscribePath: unsubscribing.pathFor,
    hasRefused: unsubscribing.hasRefused,
    unsubscribe: (token) => unsubscribing.unsubscribe(token, now()),
    resubscribe: unsubscribing.resubscribe,
    moveRefusals: unsubscribing.moveRefusals,
    hasRefusedAny: unsubscribing.hasRefusedAny,
    accept: unsubscribing.accept,
    write: ({ kind, to, data }) => write(desk, { kind, recipient: to, data: JSON.stringify(data) }).letter,
    close: () => stop.abort(),
  };
}

type Desk = {
  directory: Directory;
  sender: Sender | undefined;
  unsubscribing: Unsubscribing;
  origin: string;
  stop: AbortSignal;
  now(): number;
  log: Log;
};

async function deliver(desk: Desk): Promise<void> {
  const { directory, sender, stop, now, log } = desk;
  if (!sender) return;
  let trouble: string | undefined;
  const work = async () => {
    while (trouble === undefined && !stop.aborted) {
      const mail = await claimMail(directory, now());
      if (!mail) return;
      const { outcome, isServerTrouble } = await attempt(desk, sender, mail);
      if (isServerTrouble) trouble = outcome.answer;
      if (outcome.state === 'failed') log.warn({ mail_id: mail.id, kind: mail.kind }, 'a mail was given up');
      const isForgotten = kindOf(mail.kind)?.isForgotten === true;
      await settleMail(directory, mail, { ...outcome, isForgotten }, now());
    }
  };
  await Promise.all(Array.from({ length: SENT_AT_ONCE }, work));
  if (trouble !== undefined && !stop.aborted)
    log.warn(
      { detail: trouble },
      'the mail server takes no mail: `manage mail test` shows why. It will be tried again',
    );
}

/** The log of deliveries has these in English. */
const TOO_LATE = message('It was too late to send this mail.');
const UNWRITABLE = message('This mail could not be written.');

type Attempt = { outcome: Outcome; isServerTrouble: boolean };

async function attempt(desk: Desk, sender: Sender, mail: QueuedMail): Promise<Attempt> {
  const failed = (answer: string): Attempt => ({ outcome: { state: 'failed', answer }, isServerTrouble: false });
  const until = mail.created_at + (kindOf(mail.kind)?.usefulForMs ?? 0);
  if (desk.now() >= until) return failed(mail.answer ?? TOO_LATE);
  const habits = await habitsOfRecipient(desk.directory.db, mail.recipient);
  let written: Written;
  try {
    written = inHabits(habits, () => write(desk, mail));
  } catch (error) {
    desk.log.error({ error, mail_id: mail.id, kind: mail.kind }, 'a mail could not be written');
    return failed(UNWRITABLE);
  }
  const sent = await sender(written.letter, { to: mail.recipient, id: mail.id, unsubscribe: written.unsubscribe });
  if (sent.isAccepted) return { outcome: { state: 'sent', answer: sent.answer }, isServerTrouble: false };
  if (sent.isFinal) return failed(sent.answer);
  return { outcome: { state: 'waiting', answer: sent.answer, until }, isServerTrouble: sent.isServerTrouble };
}

type Written = { letter: Letter; unsubscribe: string | undefined };

function write({ unsubscribing, origin }: Desk, mail: Pick<QueuedMail, 'kind' | 'recipient' | 'data'>): Written {
  const kind = kindOf(mail.kind);
  if (!kind) throw new Error('there is no such kind of mail');
  const data = z
    .object({})
    .loose()
    .parse(JSON.parse(mail.data ?? '{}'));
  const subscription = subscriptionOf(kind, data);
  const unsubscribe = subscription && `${origin}${unsubscribing.pathFor(mail.recipient, subscription)}`;
  return { letter: layOut(kind.write(data), { origin, unsubscribe }), unsubscribe };
}
