// Paying by Stripe: the official library against a local server that answers as Stripe does. On both directory databases.
import { describe, expect, test } from 'vitest';
import { type CreatedAccount, createAccount } from '../../server/accounts/accounts.ts';
import { effectivePlan, GRACE_MS, setPlan } from '../../server/accounts/billing/plans.ts';
import { openPayments, type Payments } from '../../server/accounts/billing/open.ts';
import { EVENTS } from '../../server/accounts/billing/webhook.ts';
import { readConfig } from '../../server/config.ts';
import type { Directory } from '../../server/directory/open.ts';
import { openLog } from '../../server/process/log.ts';
import { openSecurityLog } from '../../server/process/security-log.ts';
import { NOON } from '../setup/clock.ts';
import { FORMS, type Form, testDirectory } from '../setup/directory.ts';
import { outcome } from '../setup/outcome.ts';
import { startStripe, type StripeServer, type StripeSubscription } from '../setup/internet/stripe.ts';

const DAY = 86_400_000;
const ORIGIN = 'https://stats.example.com';
const PERIOD = 30 * DAY;

/** An account on trial, whose owner can pay at a local Stripe. */
async function makeShop(form: Form) {
  const stack = new AsyncDisposableStack();
  const directory = stack.use(await testDirectory(form));
  const clock = { now: NOON };
  const now = () => clock.now;
  const stripe = stack.use(await startStripe({ now }));
  const lines: string[] = [];
  const log = openLog('info', { write: (line) => lines.push(line) });
  const setting = { config: readConfig(stripe.env), security: openSecurityLog({ log, now }), now, log };
  const payments = (await openPayments(setting, directory)) as Payments;
  const person = { email: 'ada@example.com', password: 'correct horse' };
  const { account } = await createAccount(directory, person, NOON);
  const payer = { accountId: account.id, name: account.name, email: person.email };
  return {
    directory,
    clock,
    stripe,
    payments,
    payer,
    account,
    lines,
    choose: (plan: 'starter' | 'pro') => payments.choose(payer, { plan, origin: ORIGIN }),
    standing: () => standingOf(directory, account, clock.now),
    /** Subscribes through Checkout, as the webhook tells. */
    subscribe: async (plan: 'starter' | 'pro') => {
      await payments.choose(payer, { plan, origin: ORIGIN });
      stripe.pay(openSessions(stripe)[0] ?? '');
      await payments.readBack(account.id);
      return onlyLive(stripe);
    },
    deliver: (event: object, options?: { secret?: string; at?: number }) => {
      const { payload, signature } = stripe.signed(event, options);
      return payments.receive(Buffer.from(payload), signature);
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

async function standingOf(directory: Directory, { id }: CreatedAccount['account'], now: number): Promise<string> {
  const account = await directory.db.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  const { status, plan, endsAt } = effectivePlan(account, now, { billing: 'on' });
  return `${status} ${plan}${endsAt === null ? '' : ` to day ${(endsAt - NOON) / DAY}`}`;
}

const openSessions = ({ sessions }: StripeServer) =>
  [...sessions.values()].filter(({ status }) => status === 'open').map(({ id }) => id);

function lastEvent({ events }: StripeServer) {
  const event = events.at(-1);
  if (!event) throw new Error('There is no event yet.');
  return event;
}

function onlyLive({ subscriptions }: StripeServer): StripeSubscription {
  const [one, ...more] = [...subscriptions.values()].filter(({ status }) => status !== 'canceled');
  if (!one || more.length > 0) throw new Error(`There are ${more.length} subscriptions too many.`);
  return one;
}

describe.each(FORMS)('paying in %s', (form) => {
  test('goes through Checkout, a change of plan, a cancellation and its withdrawal, each by one call', async () => {
    await using shop = await makeShop(form);
    const { stripe, payments, payer, account } = shop;
    expect(await shop.standing()).toBe('trialing pro to day 14');
    const { url } = await shop.choose('starter');
    expect(url).toMatch(new RegExp(`^${stripe.url}/c/pay/cs_`));
    expect(await shop.standing()).toBe('trialing pro to day 14'); // nothing is paid yet
    expect(stripe.pay(openSessions(stripe)[0] ?? '')).toBe(`${ORIGIN}/settings/plan?from=stripe`);
    await payments.readBack(account.id);
    expect(await shop.standing()).toBe('active starter');
    expect(await payments.subscription(account.id)).toEqual({
      renewsAt: NOON + PERIOD,
      isCustomer: true,
      isSubscribed: true,
    });

    expect(await shop.choose('pro')).toEqual({ url: null });
    expect(await shop.standing()).toBe('active pro');
    expect(onlyLive(stripe).metadata).toEqual({ account_id: account.id, plan: 'pro' });
    const invoices = await payments.invoices(account.id);
    expect(invoices.map(({ total, currency, state }) => [total, currency, state])).toEqual([
      [10, 'EUR', 'paid'], // the difference
      [9, 'EUR', 'paid'],
    ]);

    await payments.cancel(account.id);
    expect(await shop.standing()).toBe('cancelled pro to day 30');
    expect(await payments.subscription(account.id)).toEqual({ renewsAt: null, isCustomer: true, isSubscribed: true });
    expect(await shop.choose('pro')).toEqual({ url: null });
    expect(await shop.standing()).toBe('active pro');
    await payments.cancel(account.id);
    expect(await shop.choose('starter')).toEqual({ url: null });
    expect(await shop.standing()).toBe('active starter');

    // Already so: nothing to change, and nothing to pay.
    const before = stripe.requests.length;
    expect(await shop.choose('starter')).toEqual({ url: null });
    expect(stripe.requests.slice(before).filter((request) => /POST .*subscriptions/.test(request))).toEqual([]);
    expect((await payments.portal(account.id, { origin: ORIGIN })).url).toContain('/p?back=');
    expect(payer.accountId).toBe(account.id);
  });

  test('a payment that fails leaves 14 days from the attempt, and the end comes by itself', async () => {
    await using shop = await makeShop(form);
    const { stripe, payments, account, clock } = shop;
    const subscription = await shop.subscribe('pro');
    clock.now += PERIOD;
    stripe.renew(subscription, 'failed');
    clock.now += 3 * DAY; // told late: the 14 days count from the attempt
    await payments.readBack(account.id);
    expect(await shop.standing()).toBe('past_due pro to day 44');
    expect((await shop.choose('pro')).url).toContain('/p?back='); // where the card is changed and the invoice paid
    stripe.settle(subscription);
    await payments.readBack(account.id);
    expect(await shop.standing()).toBe('active pro');

    stripe.renew(subscription, 'failed');
    await payments.readBack(account.id);
    clock.now += GRACE_MS;
    expect(await shop.standing()).toBe('expired pro to day 47');
    // The next month's invoice is not paid either: it gives no further days.
    clock.now += PERIOD;
    stripe.renew(subscription, 'failed');
    await payments.readBack(account.id);
    expect(await shop.standing()).toBe('expired pro to day 47');
    stripe.end(subscription);
    await payments.readBack(account.id);
    await shop.subscribe('starter');
    expect(await shop.standing()).toBe('active starter');
  });

  test('events count in any order, repeated, late, at once, and after the process was killed', async () => {
    await using shop = await makeShop(form);
    const { stripe, account, clock } = shop;
    const subscription = await shop.subscribe('pro');
    clock.now += PERIOD;
    stripe.renew(subscription, 'failed');
    stripe.settle(subscription);
    stripe.renew(subscription, 'failed');
    const events = stripe.events.filter(({ type }) => (EVENTS as readonly unknown[]).includes(type));
    expect(events.length).toBe(7);
    for (const order of [events.toReversed(), events, [...events, ...events]]) {
      await setPlan(shop.directory, { accountId: account.id, status: 'trialing' }, clock.now);
      await shop.directory.db.deleteFrom('billing_events').execute();
      await shop.directory.db.updateTable('billing_customers').set({ subscribed: null }).execute();
      for (const event of order) await shop.deliver(event);
      expect(await shop.standing()).toBe('past_due pro to day 44');
    }
    // Each is known now, days later too: Stripe is not asked again.
    clock.now += 3 * DAY;
    const before = stripe.requests.length;
    await Promise.all(events.map((event) => shop.deliver(event)));
    expect(stripe.requests.length).toBe(before);

    // Two at once are read twice at most, and lead to the same state.
    stripe.end(subscription);
    const last = lastEvent(stripe);
    await Promise.all([shop.deliver(last), shop.deliver(last), shop.deliver(last)]);
    expect(await shop.standing()).toBe('expired pro to day 33');
    const rows = await shop.directory.db.selectFrom('billing_events').select('id').execute();
    expect(rows.length).toBe(events.length + 1);
  });

  test('events that are forged, old, of other customers or of other kinds change nothing and ask nothing', async () => {
    await using shop = await makeShop(form);
    const { stripe, payments, clock } = shop;
    const subscription = await shop.subscribe('pro');
    stripe.end(subscription);
    const event = lastEvent(stripe);
    const before = stripe.requests.length;
    const refusal = 'bad_request: The signature is missing, wrong or too old.';
    const { payload, signature } = stripe.signed(event);
    expect(await outcome(shop.deliver(event, { secret: 'whsec_wrong' }))).toBe(refusal);
    expect(await outcome(shop.deliver(event, { at: clock.now - 6 * 60_000 }))).toBe(refusal);
    for (const header of ['', 'v1=00', `${signature}0`, signature.replace('t=', 't=1'), signature.replace('v1', 'v0')])
      expect(await outcome(payments.receive(Buffer.from(payload), header)), header).toBe(refusal);
    const changed = Buffer.from(payload.replace('canceled', 'active__'));
    expect(await outcome(payments.receive(changed, signature))).toBe(refusal);

    const foreign = {
      ...event,
      id: 'evt_foreign',
      data: { object: { ...event.data.object, customer: 'cus_foreign' } },
    };
    const other = { ...event, id: 'evt_other', type: 'customer.updated' };
    const empty = { ...event, id: 'evt_empty', data: { object: {} } };
    for (const harmless of [foreign, other, empty]) await shop.deliver(harmless);
    expect(stripe.requests.length).toBe(before);
    expect(await shop.directory.db.selectFrom('billing_events').selectAll().execute()).toEqual([]);
    expect(await shop.standing()).toBe('active pro');
  });

  test('an event counts later if Stripe does not answer now, and a missed one is made up for within a day', async () => {
    await using shop = await makeShop(form);
    const { stripe, payments, clock } = shop;
    const subscription = await shop.subscribe('pro');
    stripe.end(subscription);
    const event = lastEvent(stripe);
    stripe.mood.isDown = true;
    const silence = 'service_unavailable: Stripe, which handles payments, does not answer: try again later.';
    expect(await outcome(shop.deliver(event))).toBe(silence);
    expect(await outcome(shop.choose('pro'))).toBe(silence);
    clock.now += DAY;
    expect(await outcome(payments.readMissed())).toBe(silence);
    stripe.mood.isDown = false;
    expect(await shop.standing()).toBe('active pro');
    await payments.readMissed(); // the event never came
    expect(await shop.standing()).toBe('expired pro to day 0');
    const before = stripe.requests.length;
    clock.now += DAY - 1;
    await payments.readMissed();
    expect(stripe.requests.length).toBe(before);
    await shop.deliver(event);
    expect(stripe.requests.length).toBe(before + 1);
    await payments.forgetOld(shop.directory, clock.now + 61 * DAY);
    expect(await shop.directory.db.selectFrom('billing_events').selectAll().execute()).toEqual([]);
  });

  test('an older reading that arrives last does not overwrite a newer one', async () => {
    await using shop = await makeShop(form);
    const { stripe, payments, account } = shop;
    const subscription = await shop.subscribe('pro');
    const [held, release] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    stripe.mood.hold = () => {
      stripe.mood.hold = () => Promise.resolve();
      held.resolve(undefined);
      return release.promise;
    };
    const slow = payments.readBack(account.id); // Stripe has answered "active", but the answer is on its way
    await held.promise;
    stripe.end(subscription);
    await payments.readBack(account.id);
    expect(await shop.standing()).toBe('expired pro to day 0');
    release.resolve(undefined);
    await slow;
    expect(await shop.standing()).toBe('expired pro to day 0');
  });

  test('a plan that the operator sets stays until something changes in Stripe', async () => {
    await using shop = await makeShop(form);
    const { stripe, payments, account, clock } = shop;
    const subscription = await shop.subscribe('starter');
    stripe.end(subscription);
    await payments.readBack(account.id);
    await setPlan(shop.directory, { accountId: account.id, plan: 'pro', status: 'active' }, clock.now);
    clock.now += 2 * DAY;
    await payments.readMissed();
    expect(await shop.standing()).toBe('active pro');
    await shop.subscribe('starter');
    expect(await shop.standing()).toBe('active starter');
  });

  test.each([true, false])(
    'a customer deleted in Stripe ends the plan, and can subscribe anew (listed: %s)',
    async (listed) => {
      await using shop = await makeShop(form);
      const { stripe, payments, account } = shop;
      stripe.mood.listsDeleted = listed;
      await shop.subscribe('pro');
      await payments.forget(account.id);
      expect([...stripe.customers.values()].map(({ deleted }) => deleted)).toEqual([true]);
      expect(await payments.subscription(account.id)).toEqual({
        renewsAt: null,
        isCustomer: false,
        isSubscribed: false,
      });

      const second = await shop.subscribe('pro');
      // This time by the operator, on Stripe's own pages.
      stripe.end(second);
      stripe.customers.set(second.customer, { id: second.customer, object: 'customer', deleted: true });
      await shop.deliver(stripe.emit('customer.deleted', { id: second.customer, object: 'customer' }));
      expect(await shop.standing()).toBe('expired pro to day 0');
      const third = await shop.subscribe('pro');
      expect(third.customer).not.toBe(second.customer);
      expect(await shop.standing()).toBe('active pro');
    },
  );

  test('two clicks at once open one Checkout, and an abandoned one cannot be paid later', async () => {
    await using shop = await makeShop(form);
    const { stripe } = shop;
    await Promise.all([shop.choose('pro'), shop.choose('starter'), shop.choose('pro')]);
    expect(stripe.customers.size).toBe(1);
    expect([openSessions(stripe).length, stripe.sessions.size]).toEqual([1, 3]);
    // Paid on the open page, while the first tab still shows the plans: the second click changes the plan that is paid.
    stripe.pay(openSessions(stripe)[0] ?? '');
    expect(await shop.choose('starter')).toEqual({ url: null });
    expect(onlyLive(stripe).metadata['plan']).toBe('starter');
    expect(await shop.standing()).toBe('active starter');
  });

  test('a declined card changes nothing and says so, and without a subscription there is nothing to cancel', async () => {
    await using shop = await makeShop(form);
    const { stripe, payments, account } = shop;
    const none = 'bad_request: This account has no subscription.';
    expect(await outcome(payments.cancel(account.id))).toBe(none);
    expect(await outcome(payments.portal(account.id, { origin: ORIGIN }))).toMatch(/^bad_request: .* never had/);
    await shop.subscribe('starter');
    stripe.mood.declines = true;
    expect(await outcome(shop.choose('pro'))).toMatch(/^bad_request: The card was declined, so nothing has changed/);
    await payments.readBack(account.id);
    expect(await shop.standing()).toBe('active starter');
    stripe.end(onlyLive(stripe));
    expect(await outcome(payments.cancel(account.id))).toBe(none);
    const noted = shop.lines
      .filter((line) => line.includes('subscription_changed'))
      .map((line) => JSON.parse(line) as object);
    expect(noted).toMatchObject([
      { event: 'subscription_changed', account_id: account.id, status: 'active', plan: 'starter' },
    ]);
  });
});

test('prices are those of Stripe, asked once in ten minutes, and an old answer is better than none', async () => {
  await using shop = await makeShop('sqlite');
  const { stripe, payments, clock } = shop;
  const price = { currency: 'EUR', per: 'month', tax: 'added' };
  const expected = { starter: { amount: 9, ...price }, pro: { amount: 19, ...price } };
  expect(payments.prices.known()).toBeUndefined();
  const [first, second] = await Promise.all([payments.prices.current(), payments.prices.current()]);
  expect([first, second, payments.prices.known()]).toEqual([expected, expected, expected]);
  expect(stripe.requests.length).toBe(2);
  clock.now += 10 * 60_000;
  stripe.mood.isDown = true;
  expect(payments.prices.known()).toEqual(expected);
  expect(await outcome(payments.prices.current())).toMatch(/^service_unavailable/);
  stripe.mood.isDown = false;
  expect(await payments.prices.current()).toEqual(expected);
});
