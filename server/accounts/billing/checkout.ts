// What people do with their subscription: buy it, change it, cancel it, take the cancellation back.
import type { Stripe } from 'stripe';
import { Refusal } from '../../errors.ts';
import type { Plan } from '../../vocabulary/accounts/plans.ts';
import { customerOf, dropCustomer, keepCustomer } from './customers.ts';
import type { ReadingParts, Readings } from './readings.ts';
import type { Reading } from './subscription.ts';
import { t } from '../../vocabulary/habits/messages.ts';

/** The address of the page that people come back to, below the origin of the dashboard. */
const BACK = '/settings/plan';

type Payer = { accountId: string; name: string; email: string };
/** Where to send the browser; null if everything is done. */
type Next = { url: string | null };

export type Checkout = {
  /** Buys a plan, changes to it at once with the difference in price settled, or takes a cancellation back. */
  choose(payer: Payer, wish: { plan: Plan; origin: string }): Promise<Next>;
  /** At the end of the paid period. Throws bad_request without a subscription. */
  cancel(accountId: string): Promise<void>;
  /** The page of Stripe where people change cards, addresses and tax ids, and pay what is due. */
  portal(accountId: string, options: { origin: string }): Promise<Next>;
  /** Deletes the customer of an account from Stripe, which also ends its subscription. For accounts that are deleted. */
  forget(accountId: string): Promise<void>;
};

export function openCheckout(parts: ReadingParts, readings: Readings): Checkout {
  const { directory, client, prices } = parts;
  const { stripe, ask, find } = client;
  const exclusively = openMutexes();

  async function customerFor({ accountId, name, email }: Payer): Promise<string> {
    const row = await customerOf(directory, accountId);
    if (row) {
      const customer = await find(stripe.customers.retrieve(row.customer_id));
      if (customer && !customer.deleted) return row.customer_id;
      await readings.readBack(accountId); // notes that its subscription is over, which the row alone knows of
      await dropCustomer(directory, row);
    }
    const made = await ask(stripe.customers.create({ email, name, metadata: { account_id: accountId } }));
    return keepCustomer(directory, accountId, made.id);
  }

  /** An abandoned Checkout page that stays open could be paid later, besides the new one. */
  async function closeCheckouts(customer: string): Promise<void> {
    const { data } = await ask(stripe.checkout.sessions.list({ customer, status: 'open', limit: 100 }));
    for (const { id } of data) await ask(stripe.checkout.sessions.expire(id));
  }

  async function change(reading: Reading, plan: Plan): Promise<void> {
    await ask(stripe.subscriptions.update(reading.subscriptionId, changeOf(reading, plan, prices[plan])));
  }

  async function liveOne(accountId: string): Promise<Reading> {
    const row = await customerOf(directory, accountId);
    const [reading] = row ? await readings.ofCustomer(row.customer_id) : [];
    if (!reading?.isLive) throw new Refusal('bad_request', t('This account has no subscription.'));
    return reading;
  }

  async function portal(accountId: string, { origin }: { origin: string }): Promise<Next> {
    const row = await customerOf(directory, accountId);
    if (!row) throw new Refusal('bad_request', t('This account has never had a subscription.'));
    const wish = { customer: row.customer_id, return_url: `${origin}${BACK}?from=stripe` };
    return { url: (await ask(stripe.billingPortal.sessions.create(wish))).url };
  }

  return {
    choose: (payer, { plan, origin }) =>
      exclusively(payer.accountId, async () => {
        const customer = await customerFor(payer);
        await closeCheckouts(customer);
        const [reading] = await readings.ofCustomer(customer);
        if (reading?.isLive) {
          const { status, plan: current } = reading.subscribed;
          if (status === 'past_due' && current === plan) return portal(payer.accountId, { origin });
          if (status !== 'active' || current !== plan) await change(reading, plan);
          await readings.readBack(payer.accountId);
          return { url: null };
        }
        const wish = checkoutOf({ customer, accountId: payer.accountId, plan, price: prices[plan], origin });
        return { url: (await ask(stripe.checkout.sessions.create(wish))).url };
      }),
    cancel: (accountId) =>
      exclusively(accountId, async () => {
        const { subscriptionId } = await liveOne(accountId);
        await ask(stripe.subscriptions.update(subscriptionId, { cancel_at_period_end: true }));
        await readings.readBack(accountId);
      }),
    portal,
    forget: (accountId) =>
      exclusively(accountId, async () => {
        const row = await customerOf(directory, accountId);
        if (!row) return;
        await find(stripe.customers.del(row.customer_id));
        await dropCustomer(directory, row);
      }),
  };
}

function changeOf(
  { subscribed, itemId, renewal }: Reading,
  plan: Plan,
  price: string,
): Stripe.SubscriptionUpdateParams {
  return {
    ...renewal,
    ...(subscribed.plan !== plan && {
      items: [{ id: itemId, price }],
      metadata: { plan },
      // The difference is charged or credited now: a cancelled subscription would never settle it.
      proration_behavior: 'always_invoice',
      payment_behavior: 'error_if_incomplete',
    }),
  };
}

type Sale = { customer: string; accountId: string; plan: Plan; price: string; origin: string };

function checkoutOf({ customer, accountId, plan, price, origin }: Sale): Stripe.Checkout.SessionCreateParams {
  return {
    mode: 'subscription',
    customer,
    client_reference_id: accountId,
    line_items: [{ price, quantity: 1 }],
    success_url: `${origin}${BACK}?from=stripe`,
    cancel_url: `${origin}${BACK}`,
    automatic_tax: { enabled: true },
    tax_id_collection: { enabled: true },
    // Stripe Tax needs the address, and a tax id needs the name that goes with it.
    customer_update: { address: 'auto', name: 'auto' },
    billing_address_collection: 'required',
    subscription_data: { metadata: { account_id: accountId, plan } },
  };
}

/** Two clicks at the same time follow each other, so the second sees what the first has done. */
function openMutexes() {
  const last = new Map<string, Promise<unknown>>();
  return <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const turn = (last.get(key) ?? Promise.resolve()).then(work, work);
    last.set(key, turn);
    const forget = () => {
      if (last.get(key) === turn) last.delete(key);
    };
    turn.then(forget, forget);
    return turn;
  };
}
