// The prices of the plans as Stripe has them.
import type { Stripe } from 'stripe';
import type { Log } from '../../process/log.ts';
import { PLANS, type Plan } from '../../vocabulary/accounts/plans.ts';
import { MINUTE_MS } from '../../vocabulary/time/time.ts';
import { toMajorUnits } from './currencies.ts';
import type { StripeClient } from './stripe.ts';
import type { PriceIds } from './subscription.ts';

type Price = {
  /** In whole units of the currency: 9 is nine euros. */
  amount: number;
  /** ISO 4217. */
  currency: string;
  per: 'month' | 'year' | 'week' | 'day';
  /** Whether the amount contains tax, or tax is added to it. Null if Stripe does not say. */
  tax: 'included' | 'added' | null;
};
type Prices = Record<Plan, Price>;

/** Prices hardly ever change, and Stripe allows only so many requests. */
const FRESH_MS = 10 * MINUTE_MS;

export type PriceList = {
  /** Asks Stripe unless the answer is still fresh. */
  current(): Promise<Prices>;
  /** What is known at this moment. Never waits; an old answer is renewed in the background. */
  known(): Prices | undefined;
};

type Parts = { client: StripeClient; prices: PriceIds; now(): number; log: Log };

export function openPrices({ client, prices, now, log }: Parts): PriceList {
  let last: { at: number; prices: Prices } | undefined;
  let underWay: Promise<Prices> | undefined;

  const isFresh = () => last !== undefined && Math.abs(now() - last.at) < FRESH_MS;
  const load = async (): Promise<Prices> => {
    const entries = PLANS.map(async (plan) => {
      const price = await client.ask(client.stripe.prices.retrieve(prices[plan]));
      return [plan, toPrice(price)] as const;
    });
    last = { at: now(), prices: Object.fromEntries(await Promise.all(entries)) as Prices };
    return last.prices;
  };
  const renew = () => (underWay ??= load().finally(() => (underWay = undefined)));

  return {
    current: async () => (last && isFresh() ? last.prices : renew()),
    known: () => {
      if (!isFresh()) void renew().catch((error: unknown) => log.warn({ error }, 'Stripe’s prices could not be read'));
      return last?.prices;
    },
  };
}

function toPrice(price: Stripe.Price): Price {
  if (price.unit_amount === null || !price.recurring)
    throw new Error(`The Stripe price ${price.id} must be a fixed amount that recurs.`);
  const taxes: Record<string, Price['tax']> = { inclusive: 'included', exclusive: 'added' };
  return {
    amount: toMajorUnits(price.unit_amount, price.currency),
    currency: price.currency.toUpperCase(),
    per: price.recurring.interval as Price['per'],
    tax: taxes[price.tax_behavior ?? ''] ?? null,
  };
}
