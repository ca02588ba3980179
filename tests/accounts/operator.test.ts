// Plans, trials and quotas do not apply to the operator or the demo, and to customers only where they can pay.
import type { inferRouterOutputs } from '@trpc/server';
import { parse, stringify } from 'devalue';
import { Kysely } from 'kysely';
import { Migrator } from 'kysely/migration';
import { describe, expect, test } from 'vitest';
import { MONTHLY_EVENTS } from '../../server/vocabulary/accounts/plans.ts';
import type { AppRouter } from '../../server/api/dashboard/router.ts';
import type { SiteId } from '../../server/vocabulary/event.ts';
import { runOperation } from '../../server/operator/operations.ts';
import { listAccounts } from '../../server/accounts/accounts.ts';
import { openDirectory } from '../../server/directory/open.ts';
import { firstStartToken } from '../../server/accounts/first-start.ts';
import { migrationsFor } from '../../server/directory/migrations.ts';
import { setPlan } from '../../server/accounts/billing/plans.ts';
import { postgresDialect, PATIENCE } from '../../server/directory/postgres.ts';
import type { Tables } from '../../server/directory/schema.ts';
import { createSite } from '../../server/sites/sites.ts';
import { sqliteDialect } from '../../server/directory/sqlite.ts';
import { PASSWORD, testApp, type TestApp } from '../setup/app.ts';
import { NOON } from '../setup/clock.ts';
import { directoryPlace, FORMS } from '../setup/directory.ts';
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

describe.each(FORMS)('a data folder of an earlier version in %s', (form) => {
  /** `make` writes with the schema from before accounts had kinds. */
  async function upgraded(make: (db: Kysely<Tables>) => Promise<void>) {
    await using place = await directoryPlace(form);
    const dialect = place.databaseUrl ? postgresDialect(place.databaseUrl, PATIENCE) : sqliteDialect(place.path);
    const db = new Kysely<Tables>({ dialect });
    const { error } = await new Migrator({ db, provider: migrationsFor(form) }).migrateTo('005_hashed_sessions');
    expect(error).toBeUndefined();
    await make(db);
    await db.destroy();
    const directory = await openDirectory(place);
    const accounts = await listAccounts(directory);
    await directory.close();
    return accounts.map(({ id, kind, plan, status, trial_ends_at }) => ({ id, kind, plan, status, trial_ends_at }));
  }

  const old = { name: '', plan: 'pro', paid_until: null, created_at: NOON } as const;
  const add = (db: Kysely<Tables>, row: object) =>
    db
      .insertInto('accounts')
      .values({ ...old, ...row } as unknown as Tables['accounts'])
      .execute();

  test('gives the operator the account that the first-start page created, whatever became of its trial', async () => {
    for (const status of ['trialing', 'expired', 'active']) {
      const accounts = await upgraded(async (db) => {
        await add(db, { id: 'acct_1', status, plan: 'starter', trial_ends_at: NOON + 14 * DAY });
        await add(db, { id: 'acct_2', status: 'trialing', created_at: NOON + 1, trial_ends_at: NOON + 1 + 14 * DAY });
        await add(db, { id: 'acct_3', status: 'trialing', created_at: NOON + 2, trial_ends_at: NOON + 3 });
      });
      expect(accounts).toEqual([
        { id: 'acct_1', kind: 'operator', plan: 'pro', status: 'active', trial_ends_at: null },
        { id: 'acct_2', kind: 'customer', plan: 'pro', status: 'trialing', trial_ends_at: null },
        { id: 'acct_3', kind: 'customer', plan: 'pro', status: 'trialing', trial_ends_at: NOON + 3 },
      ]);
    }
  });

  test('leaves accounts of the command line as customers’, and recognises the demo', async () => {
    const accounts = await upgraded(async (db) => {
      const stamps = { created_at: NOON, updated_at: NOON };
      await add(db, { id: 'acct_1', status: 'active', trial_ends_at: null });
      await db
        .insertInto('users')
        .values({ id: 'user_1', name: '', email: 'demo@example.com', email_verified: 0, image: null, ...stamps })
        .execute();
      await db
        .insertInto('members')
        .values({ account_id: 'acct_1', user_id: 'user_1', role: 'owner', created_at: NOON })
        .execute();
      const site = { id: 'site_1' as SiteId, account_id: 'acct_1', domain: 'demo.example', created_at: NOON };
      const defaults = { paused: 0, extra_hosts: '[]', respects_gpc: 0, currency: 'EUR', last_event_at: null } as const;
      await db
        .insertInto('sites')
        .values({ ...site, ...defaults, settings: '{"seed":{"at":1}}' } as unknown as Tables['sites'])
        .execute();
      await add(db, { id: 'acct_2', status: 'active', created_at: NOON + 1, trial_ends_at: null });
      await add(db, { id: 'acct_3', status: 'active', created_at: NOON + 2, trial_ends_at: NOON + 2 + 14 * DAY });
    });
    expect(accounts.map(({ kind }) => kind)).toEqual(['demo', 'customer', 'customer']);
  });
});
