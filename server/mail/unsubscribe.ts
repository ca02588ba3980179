// Unsubscribing by one click (RFC 8058). The address in a mail holds a subscription and a keyed hash of the recipient, both signed, so it
// needs no login, works for ever, and shows nobody's e-mail address.
import { createHmac } from 'node:crypto';
import type { Kysely } from 'kysely';
import { Refusal } from '../errors.ts';
import type { Directory } from '../directory/open.ts';
import { isSameHash } from '../directory/ids.ts';
import type { Tables } from '../directory/schema.ts';
import { type Subscription, type Topic, TOPICS } from './kinds.ts';

export const UNSUBSCRIBE_PATH = '/unsubscribe/';
/** A topic, or a topic and the id of one of its lists; the recipient; the signature. */
const TOKEN = /^(([a-z]{1,30})(?::\w{1,60})?)\.([\w-]{43})\.([\w-]{43})$/;

export type Unsubscribing = {
  /** The path of the address that ends a recipient's subscription. */
  pathFor(recipient: string, subscription: Subscription): string;
  /** True if the recipient has ended the subscription. */
  hasRefused(db: Kysely<Tables>, recipient: string, subscription: Subscription): Promise<boolean>;
  /** Removes what these recipients have refused. */
  forget(db: Kysely<Tables>, recipients: string[]): Promise<void>;
  /** Takes the end of such an address, and returns its topic. Doing it again changes nothing. Throws not_found for a forged token. */
  unsubscribe(token: string, now: number): Promise<Topic>;
};

/** `secret` must be the same in all processes. */
export function openUnsubscribing({ db }: Directory, secret: string): Unsubscribing {
  const hmac = (text: string) => createHmac('sha256', secret).update(text).digest('base64url');
  const hashOf = (recipient: string) => hmac(`recipient ${recipient}`);
  const signatureOf = (subscription: string, recipient: string) => hmac(`unsubscribe ${subscription} ${recipient}`);

  return {
    pathFor: (address, subscription) => {
      const recipient = hashOf(address);
      return `${UNSUBSCRIBE_PATH}${subscription}.${recipient}.${signatureOf(subscription, recipient)}`;
    },
    hasRefused: async (trx, address, subscription) => {
      const refusals = trx.selectFrom('mail_refusals').select('topic').where('recipient', '=', hashOf(address));
      return (await refusals.where('topic', '=', subscription).executeTakeFirst()) !== undefined;
    },
    forget: async (trx, recipients) => {
      if (recipients.length === 0) return;
      await trx.deleteFrom('mail_refusals').where('recipient', 'in', recipients.map(hashOf)).execute();
    },
    unsubscribe: async (token, now) => {
      const [, subscription = '', topic = '', recipient = '', signature = ''] = TOKEN.exec(token) ?? [];
      if (!isTopic(topic) || !isSameHash(signature, signatureOf(subscription, recipient)))
        throw new Refusal('not_found', 'This address is not complete: open it from the mail again.');
      await db
        .insertInto('mail_refusals')
        .values({ recipient, topic: subscription, created_at: now })
        .onConflict((conflict) => conflict.columns(['recipient', 'topic']).doNothing())
        .execute();
      return topic;
    },
  };
}

const isTopic = (text: string): text is Topic => Object.hasOwn(TOPICS, text);
