// Plans, trials and quotas do not apply to the operator or the demo, and to customers only where they can pay.
import type { inferRouterOutputs } from '@trpc/server';
import { parse, stringify } from 'devalue';
import { describe, expect, test } from 'vitest';
import { MONTHLY_EVENTS } from '../../server/vocabulary/accounts/plans.ts';
import type { AppRouter } from '../../server/api/dashboard/router.ts';
import type { SiteId } from '../../server/vocabulary/event.ts';
import { runOperation } from '../../server/operator/operations.ts';
import { listAccounts } from '../../server/accounts/accounts.ts';
import { firstStartToken } from '../../server/accounts/first-start.ts';
import { setPlan } from '../../server/accounts/billing/plans.ts';
import { createSite } from '../../server/sites/sites.ts';
import { PASSWORD, testApp, type TestApp } from '../setup/app.ts';
import { sampleEvent, visitedEvent } from '../setup/event.ts';

type Session = NonNullable<inferRouterOutputs<AppRouter>['session']['current']>;

const DAY = 86_400_000;
const STRIPE = {
  STRIPE_SECRET_KEY: 'sk_test_1',
  STRIPE_WEBHOOK_SECRET: 'whsec_1',
  STRIPE_PRICE_STARTER: 'price_1',
  STRIPE_PRICE_PRO: 'price_2',
};
const NO_BILLING = { has_plan: false, has_billing: false, may_pay: false };
const FOR_GOOD = { ...NO_BILLING, plan: 'pro', status: 'active', ends_at: null, can_see_dashboard: true };

/** Creates an account as the page does; with a token it is the first one. Returns the answer. */
async function makeAccount(server: TestApp, input: { email: string; token?: string }) {
  const answer = await fetch(`${server.url}/trpc/accounts.create`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: server.url },
    body: JSON.stringify(stringify({ ...input, password: PASSWORD })),
  });
  return { status: answer.status, text: await answer.text() };
}

async function makeOperator(server: TestApp): Promise<void> {
  const token = await firstStartToken(server.app.services.directory, server.clock.now);
  expect(await makeAccount(server, { email: 'operator@example.com', ...(token && { token }) })).toMatchObject({
    status: 200,
  });
}

async function accountSeenBy(server: TestApp, email: string): Promise<Session['account']> {
  const answer = await fetch(`${server.url}/trpc/session.current`, { headers: { cookie: await server.logIn(email) } });
  const { result } = (await answer.json()) as { result: { data: string } };
  return (parse(result.data) as Session).account;
}

async function siteOf(server: TestApp, email: string, domain: string): Promise<SiteId> {
  const { directory } = server.app.services;
  const own = (await listAccounts(directory)).find(({ emails }) => emails.includes(email));
  return (await createSite(directory, { accountId: own?.id ?? '', domain }, server.clock.now)).id;
}

async function fillMonth(server: TestApp, siteId: SiteId): Promise<void> {
  const time = server.clock.now - 1;
  const events = Array.from({ length: MONTHLY_EVENTS }, (_, number) =>
    visitedEvent(sampleEvent(number, { site_id: siteId, time })),
  );
  await server.app.store.insert({ events, ai_visits: [] }, siteId);
}

describe('the account of the first-start page', () => {
  test('is active on Pro for good: neither a trial nor the monthly quota ends anything', async () => {
    await using server = await testApp({ env: { QUOTA: 'drop', ...STRIPE } });
    await makeOperator(server);
    const own = await siteOf(server, 'operator@example.com', 'example.com');
    const customers = await server.addSite('customer.example');
    await fillMonth(server, own);
    await fillMonth(server, customers.id);
    await server.app.runJob('refresh-quota');
    expect([...server.app.overQuota]).toEqual([customers.account_id]);
    for (const domain of ['example.com', 'customer.example']) {
      await server.foot({ site: domain, name: 'pageview', url: `https://${domain}/` });
      await server.settle();
    }
    const rows = await server.app.store.query<{ site_id: string }>(
      `SELECT DISTINCT site_id FROM events WHERE page = '/'`,
      {},
    );
    expect(rows).toEqual([{ site_id: own }]);
    expect(await accountSeenBy(server, 'operator@example.com')).toMatchObject({ ...FOR_GOOD, monthly_limit: null });
    expect(await accountSeenBy(server, 'owner@customer.example')).toMatchObject({
      has_plan: true,
      monthly_limit: 10_000,
    });
    server.clock.now += 400 * DAY;
    expect(await accountSeenBy(server, 'operator@example.com')).toMatchObject(FOR_GOOD);
  });

  test('is reserved: nobody signs up before it is created', async () => {
    await using server = await testApp({ env: { SIGNUP: 'open' } });
    const early = await makeAccount(server, { email: 'eve@example.com' });
    expect(early.status).toBe(403);
    expect(early.text).toContain('Create the first account at the address that the server printed when it started.');
    await makeOperator(server);
    server.clock.now += 1; // accounts are listed by age
    expect((await makeAccount(server, { email: 'eve@example.com' })).status).toBe(200);
    const kinds = (await listAccounts(server.app.services.directory)).map(({ kind, emails }) => `${kind} ${emails[0]}`);
    expect(kinds).toEqual(['operator operator@example.com', 'customer eve@example.com']);
  });

  test('still follows a plan that the operator sets', async () => {
    await using server = await testApp();
    await makeOperator(server);
    const { directory } = server.app.services;
    const [account] = await listAccounts(directory);
    await setPlan(directory, { accountId: account?.id ?? '', status: 'expired' }, server.clock.now);
    expect(await accountSeenBy(server, 'operator@example.com')).toMatchObject({ can_see_dashboard: false });
    await setPlan(directory, { accountId: account?.id ?? '', status: 'active' }, server.clock.now);
    expect(await accountSeenBy(server, 'operator@example.com')).toMatchObject(FOR_GOOD);
  });
});

test('the account of the demo has neither plan nor quota', async () => {
  await using server = await testApp({ env: { QUOTA: 'drop' } });
  const wish = { domain: 'demo.example', days: 2, visits: 10, account: 'demo@example.com', password: PASSWORD };
  const run = { now: server.clock.now, onProgress: () => undefined, signal: new AbortController().signal };
  await runOperation('seed', server.app, wish, run);
  expect(await accountSeenBy(server, 'demo@example.com')).toMatchObject({ ...FOR_GOOD, monthly_limit: null });
});

test.each([
  { env: {}, sees: true, ends: null },
  { env: STRIPE, sees: false, ends: 14 * DAY },
])('the trial of an account that signed up ends only where Stripe is set up: $sees', async ({ env, sees, ends }) => {
  await using server = await testApp({ env: { SIGNUP: 'open', ...env } });
  await makeOperator(server);
  const signedUpAt = server.clock.now;
  await makeAccount(server, { email: 'ada@example.com' });
  server.clock.now += 14 * DAY;
  expect(await accountSeenBy(server, 'ada@example.com')).toMatchObject({
    plan: 'pro',
    status: sees ? 'trialing' : 'expired',
    can_see_dashboard: sees,
    ends_at: ends && signedUpAt + ends,
    has_billing: !sees,
    may_pay: !sees,
  });
});
