// Paying for a plan, by Stripe. Opened only where Stripe is set up. The dashboard never waits for Stripe, except on the page of the plan.
import { billingOf, type Config } from '../../config.ts';
import type { Subscribed } from './plans.ts';
import type { Directory } from '../../directory/open.ts';
import type { Log } from '../../process/log.ts';
import type { SecurityLog } from '../../process/security-log.ts';
import { type Checkout, openCheckout } from './checkout.ts';
import { customerOf } from './customers.ts';
import { type Invoice, listInvoices } from './invoices.ts';
import { openPrices, type PriceList } from './prices.ts';
import { openReadings, type Readings } from './readings.ts';
import { openStripe } from './stripe.ts';
import { openWebhook, type Webhook } from './webhook.ts';

type KnownSubscription = {
  renewsAt: number | null;
  isCustomer: boolean;
  /** True if there is a subscription that can be changed and cancelled. */
  isSubscribed: boolean;
};

export type Payments = Checkout &
  Pick<Readings, 'readBack' | 'readMissed' | 'close'> &
  Webhook & {
    prices: PriceList;
    invoices(accountId: string): Promise<Invoice[]>;
    /** What is known without asking Stripe. */
    subscription(accountId: string): Promise<KnownSubscription>;
  };

export async function openPayments(
  { config, security, now, log }: { config: Config; security: SecurityLog; now(): number; log: Log },
  directory: Directory,
): Promise<Payments | undefined> {
  if (billingOf(config) !== 'on') return undefined;
  const client = await openStripe(config);
  const prices = { starter: config.STRIPE_PRICE_STARTER ?? '', pro: config.STRIPE_PRICE_PRO ?? '' };
  const parts = { directory, client, prices, security, now, log };
  const readings = openReadings(parts);
  return {
    ...openCheckout(parts, readings),
    ...openWebhook({ ...parts, secret: config.STRIPE_WEBHOOK_SECRET ?? '' }, readings),
    readBack: readings.readBack,
    readMissed: readings.readMissed,
    close: readings.close,
    prices: openPrices(parts),
    invoices: (accountId) => listInvoices(parts, accountId),
    subscription: async (accountId) => {
      const row = await customerOf(directory, accountId);
      const last = row?.subscribed ? (JSON.parse(row.subscribed) as Subscribed) : undefined;
      const isSubscribed = last !== undefined && last.status !== 'expired';
      return { renewsAt: row?.renews_at ?? null, isCustomer: row !== undefined, isSubscribed };
    },
  };
}
