// Unsubscribing by one click (RFC 8058). The address in a mail holds a subscription and a keyed hash of the recipient, both signed, so it
// needs no login, works for ever, and shows nobody's e-mail address.
import { createHmac } from 'node:crypto';
import type { Kysely } from 'kysely';
import { Refusal } from '../../errors.ts';
import type { Directory } from '../../directory/open.ts';
import { isSameHash } from '../../directory/ids.ts';
import type { Tables } from '../../directory/schema.ts';
import { type Subscription, type Topic, TOPICS } from './content.ts';
import { t } from '../../vocabulary/habits/messages.ts';

export const UNSUBSCRIBE_PATH = '/unsubscribe/';
/** A topic, or a topic and the id of one of its lists; the recipient; the signature. */
const TOKEN = /^(([a-z]{1,30})(?::\w{1,80})?)\.([\w-]{43})\.([\w-]{43})$/;

export type Unsubscribing = {
  /** The path of the address that ends a recipient's subscription. */
  pathFor(recipient: string, subscription: Subscription): string;
  /** True if the recipient has ended the subscription. */
  hasRefused(db: Kysely<Tables>, recipient: string, subscription: Subscription): Promise<boolean>;
  /** Gives a recipient's new address what the old one has refused. */
  moveRefusals(db: Kysely<Tables>, addresses: { from: string; to: string }): Promise<void>;
  /** Removes what these recipients have refused. */
  forget(db: Kysely<Tables>, recipients: string[]): Promise<void>;
  /** Takes the end of such an address, and returns its topic. Doing it again changes nothing. Throws not_found for a forged token. */
  unsubscribe(token: string, now: number): Promise<Topic>;
  /** Takes that back. Only the recipient has the address. */
  resubscribe(token: string): Promise<Topic>;
  /** Takes it back for somebody who is known to be the recipient. */
  accept(db: Kysely<Tables>, recipient: string, subscription: Subscription): Promise<void>;
  /** True if the recipient has ended a subscription that begins with these characters. */
  hasRefusedAny(db: Kysely<Tables>, recipient: string, prefix: `${Topic}:${string}`): Promise<boolean>;
};

/** `secret` must be the same in all processes. */
export function openUnsubscribing({ db }: Directory, secret: string): Unsubscribing {
  const hmac = (text: string) => createHmac('sha256', secret).update(text).digest('base64url');
  const hashOf = (recipient: string) => hmac(`recipient ${recipient}`);
  const signatureOf = (subscription: string, recipient: string) => hmac(`unsubscribe ${subscription} ${recipient}`);

  /** Throws not_found for a forged token. */
  function read(token: string): { topic: Topic; refused: { recipient: string; topic: string } } {
    const [, subscription = '', topic = '', recipient = '', signature = ''] = TOKEN.exec(token) ?? [];
    if (!isTopic(topic) || !isSameHash(signature, signatureOf(subscription, recipient)))
      throw new Refusal('not_found', t('This address is not complete: open it from the mail again.'));
    return { topic, refused: { recipient, topic: subscription } };
  }

  return {
    pathFor: (address, subscription) => {
      const recipient = hashOf(address);
      return `${UNSUBSCRIBE_PATH}${subscription}.${recipient}.${signatureOf(subscription, recipient)}`;
    },
    hasRefused: async (trx, address, subscription) => {
      const refusals = trx.selectFrom('mail_refusals').select('topic').where('recipient', '=', hashOf(address));
      return (await refusals.where('topic', '=', subscription).executeTakeFirst()) !== undefined;
    },
    moveRefusals: async (trx, { from, to }) => {
      const refusals = trx.selectFrom('mail_refusals').where('recipient', '=', hashOf(from));
      await trx
        .insertInto('mail_refusals')
        .columns(['recipient', 'topic', 'created_at'])
        .expression(refusals.select((eb) => [eb.val(hashOf(to)).as('recipient'), 'topic', 'created_at']))
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      await trx.deleteFrom('mail_refusals').where('recipient', '=', hashOf(from)).execute();
    },
    forget: async (trx, recipients) => {
      if (recipients.length === 0) return;
      await trx.deleteFrom('mail_refusals').where('recipient', 'in', recipients.map(hashOf)).execute();
    },
    hasRefusedAny: async (trx, address, prefix) => {
      const refusals = trx.selectFrom('mail_refusals').select('topic').where('recipient', '=', hashOf(address));
      return (await refusals.execute()).some(({ topic }) => topic.startsWith(prefix));
    },
    unsubscribe: async (token, now) => {
      const { topic, refused } = read(token);
      await db
        .insertInto('mail_refusals')
        .values({ ...refused, created_at: now })
        .onConflict((conflict) => conflict.columns(['recipient', 'topic']).doNothing())
        .execute();
      return topic;
    },
    resubscribe: async (token) => {
      const { topic, refused } = read(token);
      await takeBack(db, refused);
      return topic;
    },
    accept: (trx, address, subscription) => takeBack(trx, { recipient: hashOf(address), topic: subscription }),
  };
}

async function takeBack(
  db: Kysely<Tables>,
  { recipient, topic }: Record<'recipient' | 'topic', string>,
): Promise<void> {
  await db.deleteFrom('mail_refusals').where('recipient', '=', recipient).where('topic', '=', topic).execute();
}

const isTopic = (text: string): text is Topic => Object.hasOwn(TOPICS, text);
