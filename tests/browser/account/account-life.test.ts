/** @module-tag long */
// The life of an account as its people see it, on SQLite and PostgreSQL: signing up, confirming the address, a domain that another account has, trial, countdown, subscription, a
// viewer with a passkey, failed payment, cancellation, end, everything back, and its deletion.
import { expect, it } from 'vitest';
import { accountOfEmail } from '../../../server/accounts/accounts.ts';
import { setPlan } from '../../../server/accounts/billing/plans.ts';
import { createSite } from '../../../server/sites/sites.ts';
import { PASSWORD } from '../../setup/app.ts';
import type { OpenBrowser } from '../../setup/browser/chromium.ts';
import { directoryPlace, FORMS } from '../../setup/directory.ts';
import { openInternet } from '../../setup/internet/internet.ts';
import { formsOf } from '../../setup/run/harness.ts';
import { startSmtp } from '../../setup/internet/smtp.ts';
import { startStripe } from '../../setup/internet/stripe.ts';
import { openDashboard, ready, rowsOf } from '../../setup/browser/dashboard.ts';
import { addPasskey, named, openPasskeyPage } from '../../setup/browser/passkeys.ts';

const DAY = 86_400_000;
const ADA = 'ada@example.org';

/** A person who is invited, chooses a password and a passkey, and logs in by the passkey alone. */
async function joinByPasskey(browser: OpenBrowser, base: string, link: string) {
  const { context, page } = await openPasskeyPage(browser);
  await page.goto(named(link));
  await page.fill('[name=email]', 'reader@example.org');
  await page.fill('[name=password]', PASSWORD);
  await page.getByRole('button', { name: 'Create login and join' }).click();
  await page.waitForSelector('[data-site="example.com"]');
  await page.goto(`${named(base)}/settings/security`);
  const section = await addPasskey(page, 'Laptop');
  await section.locator('[data-passkey="Laptop"]').waitFor();
  await context.clearCookies();
  await page.goto(`${named(base)}/login`);
  await page.getByRole('button', { name: 'Log in with a passkey' }).click();
  await page.waitForSelector('[data-site="example.com"]');
  return page;
}

const STORY =
  'on %s, somebody signs up, takes their domain over, pays, invites a viewer, loses the plan, gets everything back, and deletes the account';

it.each(formsOf(FORMS))(STORY, async (form) => {
  const time = { now: Date.now() };
  const texts: string[] = [];
  const answer = (_request: unknown, response: { end(text: string): unknown }) => response.end('<h1>Hello</h1>');
  await using internet = await openInternet(answer, undefined, () => texts);
  await using place = await directoryPlace(form);
  await using smtp = await startSmtp();
  await using stripe = await startStripe({ now: () => time.now });
  const mailing = { SMTP_URL: smtp.url, MAIL_FROM: 'Footfall <footfall@stats.example>' };
  const env = {
    ...stripe.env,
    ...mailing,
    SIGNUP: 'open',
    ...(place.databaseUrl && { DATABASE_URL: place.databaseUrl }),
  };
  await using dashboard = await openDashboard({ env, network: internet.network, traffic: false, isBlank: true });
  const { page, server, browser, context } = dashboard;
  time.now = server.clock.now;
  const { directory } = server.app.services;

  // The domain belongs to another account until Ada proves that it is hers.
  await context.clearCookies();
  await page.goto(`${server.url}/login`);
  await page.getByRole('link', { name: 'Create an account' }).click();
  await page.getByRole('heading', { name: 'Create an account' }).waitFor(); // the page before has the same fields
  await page.fill('[name=email]', ADA);
  await page.fill('[name=password]', PASSWORD);
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByRole('heading', { name: 'Look into your mail' }).waitFor();
  await server.app.runJob('send-mail');
  await page.goto(server.url + (/\/confirm\/\w{40}/.exec(smtp.mails[0]?.text ?? '')?.[0] ?? ''));
  await page.fill('[name=password]', PASSWORD);
  await page.keyboard.press('Enter');
  await page.waitForURL(`${server.url}/sites/new`);
  await page.fill('[name=domain]', 'example.com');
  await page.getByRole('button', { name: 'Add site' }).click();
  const card = page.getByRole('region', { name: 'Verify example.com' });
  await card.getByRole('button', { name: 'Check now' }).click();
  await card.locator('[data-way=dns] [data-seen=missing]').waitFor();
  texts.push((await card.locator('[data-way=dns] code').textContent()) ?? '');
  await card.getByRole('button', { name: 'Check now' }).click();
  await page.getByRole('heading', { name: 'Add this line to example.com' }).waitFor();
  const account = await accountOfEmail(directory, ADA);
  expect(account.status).toBe('trialing');
  server.clock.now += 2_000; // the collector keeps a site for a second
  for (const path of ['/', '/pricing']) await dashboard.view(path);
  await server.settle();
  await createSite(directory, { accountId: account.id, domain: 'hidden.example' }, server.clock.now);
  await page.goto(`${server.url}/example.com`);
  const deliver = async (event: object) => {
    const { payload, signature } = stripe.signed(event);
    const headers = { 'stripe-signature': signature };
    const answer = await fetch(`${server.url}/webhooks/stripe`, { method: 'POST', body: payload, headers });
    expect(answer.status).toBe(200);
  };
  const section = (name: string) => page.locator(`[data-section="${name}"]`);
  const notice = page.locator('[data-plan-notice]');
  const trialEnds = async (inDays: number, path = '/example.com') => {
    const trial = { accountId: account.id, status: 'trialing', until: time.now + inDays * DAY } as const;
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
  await page.getByRole('button', { name: 'Pay', exact: true }).click();
  await section('Plan').getByText('Active').waitFor();
  await page.waitForURL(`${server.url}/settings/plan`);
  await section('Plans').getByText('The next payment is on').waitFor();
  await section('Invoices').locator('[data-invoice="paid"]').getByText('€19').waitFor();
  await notice.waitFor({ state: 'detached' });
  const [subscription] = [...stripe.subscriptions.values()];
  if (!subscription) throw new Error('There is no subscription.');

  // A viewer of one site sees just that.
  await page.goto(`${server.url}/settings/people`);
  await page.getByRole('switch', { name: 'Sees all sites' }).uncheck();
  await page.getByRole('checkbox', { name: 'example.com' }).check();
  await page.getByRole('button', { name: 'Create invitation' }).click();
  const reader = await joinByPasskey(browser, server.url, (await page.locator('[data-link]').textContent()) ?? '');
  expect(await reader.locator('[data-site]').count()).toBe(1);
  await reader.goto(`${new URL(reader.url()).origin}/example.com`);
  await ready(reader, 'pages');
  expect(await rowsOf(reader, 'pages')).toEqual(history);

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
  await page.getByRole('button', { name: 'Pay', exact: true }).click();
  await section('Plan').getByText('Active').waitFor();
  await page.goto(`${server.url}/example.com`);
  await ready(page, 'pages');
  expect(await rowsOf(page, 'pages')).toEqual(history);

  // The account is deleted, kept, and deleted for good seven days later.
  const ask = async () => {
    await page.goto(`${server.url}/settings/account`);
    await page.getByRole('button', { name: 'Delete account' }).click();
    await page.getByLabel('to confirm').fill('ada');
    await page.getByLabel('Your password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Delete in seven days' }).click();
    await page.locator('[data-deletion-notice]').waitFor();
  };
  await ask();
  await reader.reload();
  await reader.locator('[data-deletion-notice]').getByText('Ask an owner').waitFor();
  await page.locator('[data-deletion-notice]').getByRole('link', { name: 'Keep the account' }).click();
  await page.getByRole('button', { name: 'Keep the account' }).click();
  await page.locator('[data-deletion-notice]').waitFor({ state: 'detached' });
  await ask();
  server.clock.now += 7 * DAY;
  await server.app.runJob('erase-accounts');
  await page.goto(`${server.url}/example.com`);
  await page.waitForURL(/\/login/);
  const users = await directory.db.selectFrom('users').select('email').execute();
  expect(users).toEqual([{ email: 'owner@example.com' }]);
  expect([...stripe.customers.values()].map(({ deleted }) => deleted)).toEqual([true]);
  expect(dashboard.troubles).toEqual([]);
});
