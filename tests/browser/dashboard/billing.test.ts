// The life of a paying account, as its owner sees it: trial, countdown, subscription, failed payment, cancellation, end, and everything back.
import { expect, it } from 'vitest';
import { setPlan } from '../../../server/accounts/plans.ts';
import { startStripe } from '../../setup/stripe.ts';
import { openDashboard, ready, rowsOf } from './setup.ts';

const DAY = 86_400_000;

it('an owner pays for the plan, loses it, and gets everything back', async () => {
  const time = { now: Date.now() };
  await using stripe = await startStripe({ now: () => time.now });
  await using dashboard = await openDashboard({ env: stripe.env });
  const { page, server, site } = dashboard;
  time.now = server.clock.now;
  const { directory } = server.app.services;
  const deliver = async (event: object) => {
    const { payload, signature } = stripe.signed(event);
    const headers = { 'stripe-signature': signature };
    const answer = await fetch(`${server.url}/webhooks/stripe`, { method: 'POST', body: payload, headers });
    expect(answer.status).toBe(200);
  };
  const section = (name: string) => page.locator(`[data-section="${name}"]`);
  const notice = page.locator('[data-plan-notice]');
  const trialEnds = async (inDays: number, path = '/example.com') => {
    const trial = { accountId: site.account_id, status: 'trialing', until: time.now + inDays * DAY } as const;
    await setPlan(directory, trial, time.now);
    await page.goto(`${server.url}${path}`);
    await page.waitForSelector('main h1, main h2', { state: 'attached' });
  };

  await ready(page, 'pages');
  const history = await rowsOf(page, 'pages');
  await trialEnds(8);
  await ready(page, 'pages');
  expect(await notice.count()).toBe(0);
  for (const path of ['/example.com', '/', '/settings/keys', '/sites/new']) {
    await trialEnds(6.5, path);
    await notice.getByText('Your trial ends in 7 days, on').waitFor();
  }
  await trialEnds(0.5);
  await notice.getByText('Your trial ends within a day.').waitFor();

  // A plan is chosen, and paid for on Stripe's page.
  await notice.getByRole('link', { name: 'Choose a plan' }).click();
  await page.waitForURL(`${server.url}/settings/plan`);
  await section('Plans').locator('[data-plan="starter"]').getByText('€9 a month, plus VAT').waitFor();
  await section('Invoices').getByText('No invoices yet.').waitFor();
  await section('Plans').getByRole('button', { name: 'Subscribe to Pro' }).click();
  await page.getByRole('button', { name: 'Pay' }).click();
  await section('Plan').getByText('Active').waitFor();
  await page.waitForURL(`${server.url}/settings/plan`);
  await section('Plans').getByText('The next payment is on').waitFor();
  await section('Invoices').locator('[data-invoice="paid"]').getByText('€19').waitFor();
  expect(await notice.count()).toBe(0);
  const [subscription] = [...stripe.subscriptions.values()];
  if (!subscription) throw new Error('There is no subscription.');

  await deliver(stripe.renew(subscription, 'failed'));
  await page.goto(`${server.url}/example.com`);
  await ready(page, 'pages');
  await notice.getByText('The last payment failed. Everything still works until').waitFor();
  await notice.getByRole('link', { name: 'Update the payment method' }).click();
  await section('Plans').getByRole('button', { name: 'Pay what is due' }).click();
  await page.getByRole('heading', { name: 'Portal' }).waitFor();
  await deliver(stripe.settle(subscription));
  await page.getByRole('link', { name: 'Return' }).click();
  await section('Plan').getByText('Active').waitFor();

  // Cancelled and taken back, by one click each.
  const cancel = section('Plans').getByRole('button', { name: 'Cancel at the end' });
  await cancel.click();
  await section('Plan').getByText('It stays usable until').waitFor();
  await section('Plans').getByRole('button', { name: 'Keep Pro' }).click();
  await section('Plan').getByText('Active').waitFor();
  await cancel.click();
  await section('Plan').getByText('It stays usable until').waitFor();

  stripe.end(subscription);
  await deliver(stripe.events.at(-1) ?? {});
  await page.goto(`${server.url}/example.com`);
  await page.getByRole('heading', { name: 'The plan of this account has ended' }).waitFor();
  await page.getByText('Until then nothing is deleted.').waitFor();
  await page.getByRole('button', { name: 'Subscribe to Starter' }).click();
  await page.getByRole('button', { name: 'Pay' }).click();
  await section('Plan').getByText('Active').waitFor();
  await page.goto(`${server.url}/example.com`);
  await ready(page, 'pages');
  expect(await rowsOf(page, 'pages')).toEqual(history);
  expect(dashboard.troubles).toEqual([]);
});
