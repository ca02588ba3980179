// Reads the state of a subscription back from Stripe and lets the account follow it. Events and our own changes only say that it is time to
// read: so it does not matter if they are lost, repeated, late or out of order.
import { followSubscription, type Subscribed } from './plans.ts';
import { Refusal } from '../../errors.ts';
import type { Directory } from '../../directory/open.ts';
import type { Log } from '../../process/log.ts';
import type { SecurityLog } from '../../process/security-log.ts';
import { DAY_MS } from '../../vocabulary/time/time.ts';
import { accountsUnreadSince, type CustomerRow, customerOf, noteReading } from './customers.ts';
import type { StripeClient } from './stripe.ts';
import { type PriceIds, type Reading, readSubscriptions } from './subscription.ts';
import { t } from '../../vocabulary/habits/messages.ts';

const MAX_TRIES = 5;
/** Stripe returns at most this many at once, newest first. Nobody has more than a few. */
const MAX_SUBSCRIPTIONS = 100;

export type Readings = {
  /** Asks Stripe for the subscriptions of a customer, the one that counts first. */
  ofCustomer(customerId: string): Promise<Reading[]>;
  /** Asks Stripe and updates the account. Does nothing for accounts without a customer. */
  readBack(accountId: string): Promise<void>;
  /** Reads back every account that was not read for a day. Stops if Stripe does not answer, and goes on there the next time. */
  readMissed(): Promise<void>;
  /** Ends `readMissed` after the account that is being read. */
  close(): void;
};

export type ReadingParts = {
  directory: Directory;
  client: StripeClient;
  prices: PriceIds;
  security: SecurityLog;
  now(): number;
  log: Log;
};

export function openReadings({ directory, client, prices, security, now, log }: ReadingParts): Readings {
  const { stripe, find } = client;
  let isClosed = false;

  async function ofCustomer(customer: string): Promise<Reading[]> {
    const wanted = { customer, status: 'all', limit: MAX_SUBSCRIPTIONS, expand: ['data.latest_invoice'] } as const;
    const list = await find(stripe.subscriptions.list({ ...wanted, expand: [...wanted.expand] }));
    const readings = readSubscriptions(list?.data ?? [], prices);
    const live = readings.filter(({ isLive }) => isLive).map(({ subscriptionId }) => subscriptionId);
    if (live.length > 1) log.warn({ customer, subscriptions: live }, 'a customer pays for several subscriptions');
    return readings;
  }

  /** Returns false if somebody else has stored a reading meanwhile: theirs may be newer, so this one is dropped. */
  async function readOnce(row: CustomerRow): Promise<boolean> {
    const [reading] = await ofCustomer(row.customer_id);
    const at = now();
    const last = row.subscribed === null ? null : (JSON.parse(row.subscribed) as Subscribed);
    const subscribed = reading ? sameGrace(last, reading.subscribed) : afterAll(last, at);
    const noted = { subscribed, subscriptionId: reading?.subscriptionId ?? null, renewsAt: reading?.renewsAt ?? null };
    return directory.db.transaction().execute(async (db) => {
      if (!(await noteReading(db, row, { ...noted, at }))) return false;
      // What the operator has set since the last change in Stripe stays.
      const isNews = subscribed !== null && JSON.stringify(subscribed) !== row.subscribed;
      if (isNews) {
        await followSubscription({ db }, { accountId: row.account_id, subscribed }, at);
        const { status, plan } = subscribed;
        security.note('subscription_changed', { account_id: row.account_id, status, plan });
      }
      return true;
    });
  }

  async function readBack(accountId: string): Promise<void> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const row = await customerOf(directory, accountId);
      if (!row || (await readOnce(row))) return;
    }
    throw new Refusal('service_unavailable', t('The plan is changing at this moment: try again in a few seconds.'), {
      retryAfterSeconds: 5,
    });
  }

  return {
    ofCustomer,
    readBack,
    close: () => {
      isClosed = true;
    },
    readMissed: async () => {
      for (const accountId of await accountsUnreadSince(directory, now() - DAY_MS))
        try {
          if (isClosed) return;
          await readBack(accountId);
        } catch (error) {
          if (error instanceof Refusal && error.code === 'service_unavailable') throw error;
          log.error({ error, account_id: accountId }, 'a subscription could not be read back from Stripe');
        }
    },
  };
}

/** The next month's invoice gives no further days to somebody who has still not paid the one before. */
function sameGrace(last: Subscribed | null, next: Subscribed): Subscribed {
  if (last?.status !== 'past_due' || next.status !== 'past_due') return next;
  return { ...next, paidUntil: Math.min(last.paidUntil ?? Infinity, next.paidUntil ?? Infinity) };
}

/** A subscription that has vanished, together with its customer, is over. */
function afterAll(last: Subscribed | null, now: number): Subscribed | null {
  return last && last.status !== 'expired' ? { status: 'expired', plan: last.plan, paidUntil: now } : last;
}
