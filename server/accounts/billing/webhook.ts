// Stripe's events. An event is only a sign that something changed: what changed is read back from Stripe.
import type { Stripe } from 'stripe';
import { Refusal } from '../../errors.ts';
import type { Directory } from '../../directory/open.ts';
import { DAY_MS } from '../../vocabulary/time/time.ts';
import { accountOfCustomer } from './customers.ts';
import type { ReadingParts, Readings } from './readings.ts';
import { t } from '../../vocabulary/habits/messages.ts';

/** The events after which a subscription may be another one. Stripe may send others too: they are accepted and ignored. */
export const EVENTS = [
  'checkout.session.completed',
  'checkout.session.async_payment_succeeded',
  'customer.subscription.created',
  'customer.subscription.updated',
  'customer.subscription.deleted',
  'customer.subscription.paused',
  'customer.subscription.resumed',
  'customer.deleted',
  'invoice.paid',
  'invoice.payment_failed',
] as const;

/** Stripe repeats an event for three days, and people can resend it for 30. Older ones are refused by their signature. */
const KEPT_MS = 60 * DAY_MS;

export type Webhook = {
  /** Checks the signature on the exact bytes that were sent. Throws bad_request for a wrong or an old one. */
  receive(body: Buffer, signature: string): Promise<void>;
  forgetOld(directory: Pick<Directory, 'db'>, now: number): Promise<void>;
};

export function openWebhook(parts: ReadingParts & { secret: string }, readings: Readings): Webhook {
  const { directory, client, secret, now } = parts;

  function verified(body: Buffer, signature: string): Stripe.Event {
    try {
      return client.stripe.webhooks.constructEvent(body, signature, secret, undefined, undefined, now());
    } catch (cause) {
      throw new Refusal('bad_request', t('The signature is missing, wrong or too old.'), { cause });
    }
  }

  return {
    receive: async (body, signature) => {
      const event = verified(body, signature);
      const customerId = customerIn(event);
      const accountId = customerId && (await accountOfCustomer(directory, customerId));
      if (!accountId || (await isKnown(directory, event.id))) return;
      // Noted only afterwards: if this fails, or the process is killed, Stripe sends the event again.
      await readings.readBack(accountId);
      await directory.db
        .insertInto('billing_events')
        .values({ id: event.id, received_at: now() })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    },
    forgetOld: async ({ db }, at) => {
      await db
        .deleteFrom('billing_events')
        .where('received_at', '<', at - KEPT_MS)
        .execute();
    },
  };
}

async function isKnown({ db }: Directory, id: string): Promise<boolean> {
  return Boolean(await db.selectFrom('billing_events').select('id').where('id', '=', id).executeTakeFirst());
}

/** The form of an event depends on the version that the webhook was set up with, so no more than this is read from it. */
function customerIn(event: Stripe.Event): string | undefined {
  if (!(EVENTS as readonly string[]).includes(event.type)) return undefined;
  const { object, id, customer } = event.data.object as { object: string; id?: string; customer?: unknown };
  const named = object === 'customer' ? id : customer;
  return typeof named === 'string' ? named : undefined;
}
