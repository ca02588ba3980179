// Unsubscribing by one click (RFC 8058). The address in a mail holds a topic and a keyed hash of the recipient, both signed, so it needs no
// login, works for ever, and shows nobody's e-mail address.
import { createHmac } from 'node:crypto';
import type { Kysely } from 'kysely';
import { Refusal } from '../errors.ts';
import type { Directory } from '../directory/open.ts';
import { isSameHash } from '../directory/ids.ts';
import type { Tables } from '../directory/schema.ts';
import { type Topic, TOPICS } from './kinds.ts';

export const UNSUBSCRIBE_PATH = '/unsubscribe/';
const TOKEN = /^([a-z]{1,30})\.([\w-]{43})\.([\w-]{43})$/;

export type Unsubscribing = {
  /** The path of the address that unsubscribes a recipient from a topic. */
  pathFor(recipient: string, topic: Topic): string;
  /** True if the recipient wants no mails about the topic. */
  hasRefused(db: Kysely<Tables>, recipient: string, topic: Topic): Promise<boolean>;
  /** Takes the end of such an address. Doing it again changes nothing. Throws not_found for a forged token. */
  unsubscribe(token: string, now: number): Promise<Topic>;
};

/** `secret` must be the same in all processes. */
export function openUnsubscribing({ db }: Directory, secret: string): Unsubscribing {
  const hmac = (text: string) => createHmac('sha256', secret).update(text).digest('base64url');
  const hashOf = (recipient: string) => hmac(`recipient ${recipient}`);
  const signatureOf = (topic: string, recipient: string) => hmac(`unsubscribe ${topic} ${recipient}`);

  return {
    pathFor: (address, topic) => {
      const recipient = hashOf(address);
      return `${UNSUBSCRIBE_PATH}${topic}.${recipient}.${signatureOf(topic, recipient)}`;
    },
    hasRefused: async (trx, address, topic) => {
      const refusals = trx.selectFrom('mail_refusals').select('topic').where('recipient', '=', hashOf(address));
      return (await refusals.where('topic', '=', topic).executeTakeFirst()) !== undefined;
    },
    unsubscribe: async (token, now) => {
      const [, topic = '', recipient = '', signature = ''] = TOKEN.exec(token) ?? [];
      if (!isTopic(topic) || !isSameHash(signature, signatureOf(topic, recipient)))
        throw new Refusal('not_found', 'This address is not complete: open it from the mail again.');
      await db
        .insertInto('mail_refusals')
        .values({ recipient, topic, created_at: now })
        .onConflict((conflict) => conflict.columns(['recipient', 'topic']).doNothing())
        .execute();
      return topic;
    },
  };
}

const isTopic = (text: string): text is Topic => Object.hasOwn(TOPICS, text);
