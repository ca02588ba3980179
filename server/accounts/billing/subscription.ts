// Reads the state of an account out of its Stripe subscriptions. Everything here depends on what Stripe says, and on nothing else.
import type { Stripe } from 'stripe';
import { GRACE_MS, type Subscribed } from './plans.ts';
import { PLANS, type Plan } from '../../vocabulary/accounts/plans.ts';

/** The Stripe price of each plan. */
export type PriceIds = Record<Plan, string>;

/** A subscription to one of our plans. */
export type Reading = {
  subscribed: Subscribed;
  subscriptionId: string;
  itemId: string;
  /** When the next period is paid. Null if the subscription does not renew. */
  renewsAt: number | null;
  /** True if it is not over, so that it can be changed. A second one would be paid twice. */
  isLive: boolean;
  /** What to send to Stripe so that the subscription renews again. */
  renewal: Stripe.SubscriptionUpdateParams;
};

type State = 'none' | 'paid' | 'unpaid' | 'over';

/** `none`: the first payment was never made, so this is not a subscription yet. */
const STATES: Record<string, State> = {
  active: 'paid',
  trialing: 'paid',
  past_due: 'unpaid',
  unpaid: 'unpaid',
  canceled: 'over',
  paused: 'over',
  incomplete: 'none',
  incomplete_expired: 'none',
};

/** Returns the readings of the subscriptions to our plans, the one that counts first: live before over, Pro before Starter, new before old. */
export function readSubscriptions(subscriptions: readonly Stripe.Subscription[], prices: PriceIds): Reading[] {
  return subscriptions
    .toSorted((a, b) => b.created - a.created)
    .flatMap((subscription) => readOne(subscription, prices) ?? [])
    .toSorted((a, b) => rank(b) - rank(a));
}

const rank = ({ isLive, subscribed }: Reading) => (isLive ? 10 + PLANS.indexOf(subscribed.plan) : 0);

function readOne(subscription: Stripe.Subscription, prices: PriceIds): Reading | undefined {
  const [item] = subscription.items.data;
  const plan = item && planOf(subscription, item.price.id, prices);
  if (!plan) return undefined;
  const state = STATES[subscription.status];
  if (!state) throw new Error(`Stripe knows a status that Footfall does not: ${subscription.status}`);
  if (state === 'none') return undefined;
  const periodEnd = item.current_period_end;
  const cancelAt = subscription.cancel_at ?? (subscription.cancel_at_period_end ? periodEnd : null);
  const ends = (at: number) => ({ plan, paidUntil: at * 1000 });
  const read = {
    subscriptionId: subscription.id,
    itemId: item.id,
    renewsAt: null,
    isLive: state !== 'over',
    renewal: subscription.cancel_at_period_end
      ? { cancel_at_period_end: false }
      : subscription.cancel_at === null
        ? {}
        : { cancel_at: '' as const },
  };
  switch (state) {
    case 'over':
      return { ...read, subscribed: { status: 'expired', ...ends(subscription.ended_at ?? periodEnd) } };
    case 'unpaid': {
      const graceEnd = failedAt(subscription) + GRACE_MS / 1000;
      if (cancelAt === null) return { ...read, subscribed: { status: 'past_due', ...ends(graceEnd) } };
      return { ...read, subscribed: { status: 'cancelled', ...ends(Math.min(graceEnd, cancelAt)) } };
    }
    case 'paid':
      if (cancelAt !== null) return { ...read, subscribed: { status: 'cancelled', ...ends(cancelAt) } };
      return { ...read, renewsAt: periodEnd * 1000, subscribed: { status: 'active', plan, paidUntil: null } };
  }
}

/** A subscription keeps its price when the operator sets up a new one, so its plan is also kept in its metadata. */
function planOf(subscription: Stripe.Subscription, priceId: string, prices: PriceIds): Plan | undefined {
  return PLANS.find((plan) => prices[plan] === priceId) ?? PLANS.find((plan) => plan === subscription.metadata['plan']);
}

/** The time of the unpaid invoice: Stripe first tries to collect it when it is finalized. */
function failedAt({ latest_invoice: invoice, items }: Stripe.Subscription): number {
  if (invoice && typeof invoice !== 'string') return invoice.status_transitions.finalized_at ?? invoice.created;
  return items.data[0]?.current_period_start ?? 0;
}
