import { describe, expect, test } from 'vitest';
import type { Stripe } from 'stripe';
import { toMajorUnits } from './currencies.ts';
import { readSubscriptions } from './subscription.ts';

const PRICES = { starter: 'price_s', pro: 'price_p' };
const START = 1_800_000_000;
const END = START + 2_592_000;
const FAILED = START + 3600;
const DAY = 86_400;

type Changes = { id?: string; status?: string; price?: string; created?: number } & Record<string, unknown>;

/** A subscription as Stripe sends it, with what is read of it. */
function subscription({ price = 'price_p', ...changes }: Changes = {}): Stripe.Subscription {
  const item = { id: 'si_1', price: { id: price }, current_period_start: START, current_period_end: END };
  const invoice = { created: START, status_transitions: { finalized_at: FAILED } };
  const whole = {
    id: 'sub_1',
    status: 'active',
    created: START,
    cancel_at: null,
    cancel_at_period_end: false,
    ended_at: null,
    metadata: {},
    latest_invoice: invoice,
    items: { data: [item] },
    ...changes,
  };
  return whole as unknown as Stripe.Subscription;
}
const read = (...all: Stripe.Subscription[]) => readSubscriptions(all, PRICES)[0];
const CANCELS = { cancel_at_period_end: true, cancel_at: END };

describe('the state of an account follows from its subscription', () => {
  const paid = { status: 'active', plan: 'pro', paidUntil: null };
  const unpaid = { status: 'past_due', plan: 'pro', paidUntil: (FAILED + 14 * DAY) * 1000 };
  const over = { status: 'expired', plan: 'pro', paidUntil: END * 1000 };
  const leaving = { status: 'cancelled', plan: 'pro', paidUntil: END * 1000 };
  const STATUSES: Record<string, { stays: unknown; leaves: unknown }> = {
    active: { stays: paid, leaves: leaving },
    trialing: { stays: paid, leaves: leaving },
    past_due: { stays: unpaid, leaves: { ...unpaid, status: 'cancelled' } },
    unpaid: { stays: unpaid, leaves: { ...unpaid, status: 'cancelled' } },
    canceled: { stays: over, leaves: over },
    paused: { stays: over, leaves: over },
    incomplete: { stays: undefined, leaves: undefined },
    incomplete_expired: { stays: undefined, leaves: undefined },
  };

  test.each(Object.keys(STATUSES))('of the status %s', (status) => {
    expect(read(subscription({ status }))?.subscribed).toEqual(STATUSES[status]?.stays);
    expect(read(subscription({ status, ...CANCELS }))?.subscribed).toEqual(STATUSES[status]?.leaves);
  });

  test('a status of a later version of Stripe is an error, not a guess', () => {
    expect(() => read(subscription({ status: 'dormant' }))).toThrow('dormant');
  });

  test('an active one renews at the end of its period, and one that ends does not', () => {
    expect(read(subscription())).toMatchObject({ renewsAt: END * 1000, isLive: true, renewal: {} });
    const leaves = read(subscription(CANCELS));
    expect(leaves).toMatchObject({ renewsAt: null, isLive: true, renewal: { cancel_at_period_end: false } });
    const onDate = read(subscription({ cancel_at: START + 5 * DAY }));
    expect(onDate?.subscribed).toMatchObject({ status: 'cancelled', paidUntil: (START + 5 * DAY) * 1000 });
    expect(onDate?.renewal).toEqual({ cancel_at: '' });
    expect(read(subscription({ status: 'canceled', ended_at: START + DAY }))).toMatchObject({
      isLive: false,
      renewsAt: null,
      subscribed: { paidUntil: (START + DAY) * 1000 },
    });
  });

  test('a cancelled one that is unpaid ends with its paid period, if that is earlier', () => {
    const cancel_at = FAILED + DAY;
    expect(read(subscription({ status: 'past_due', cancel_at }))?.subscribed.paidUntil).toBe(cancel_at * 1000);
  });

  test('its plan is that of its price, or of its metadata if the operator has replaced the price', () => {
    expect(read(subscription({ price: 'price_s', metadata: { plan: 'pro' } }))?.subscribed.plan).toBe('starter');
    expect(read(subscription({ price: 'price_old', metadata: { plan: 'starter' } }))?.subscribed.plan).toBe('starter');
    expect(read(subscription({ price: 'price_of_another_product' }))).toBeUndefined();
  });

  test('of several, a live one counts, then Pro, then the newest', () => {
    const old = subscription({ id: 'sub_old', status: 'canceled', created: START + 9 });
    const starter = subscription({ id: 'sub_starter', price: 'price_s', created: START + 5 });
    const pro = subscription({ id: 'sub_pro' });
    const ids = readSubscriptions([old, starter, pro], PRICES).map(({ subscriptionId }) => subscriptionId);
    expect(ids).toEqual(['sub_pro', 'sub_starter', 'sub_old']);
    const older = subscription({ id: 'sub_older', status: 'canceled' });
    expect(read(older, old)?.subscriptionId).toBe('sub_old');
    expect(read()).toBeUndefined();
  });
});

test('amounts have the decimals that Stripe counts in', () => {
  expect([toMajorUnits(900, 'eur'), toMajorUnits(1250, 'jpy'), toMajorUnits(1500, 'kwd')]).toEqual([9, 1250, 1.5]);
  expect([toMajorUnits(50_000, 'isk'), toMajorUnits(1999, 'USD')]).toEqual([500, 19.99]);
});
