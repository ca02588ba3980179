/** @module-tag attack */
// Anybody can send a payment: so the owner chooses the currency, implausible amounts are kept apart, and a browser's amount is only
// claimed.
import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { appRouter } from '../../server/api/dashboard/router.ts';
import { readViewer } from '../../server/api/viewer.ts';
import type { SiteId } from '../../server/vocabulary/event.ts';
import { openVisits } from '../../server/queue/writer/visits.ts';
import { runOperation } from '../../server/operator/operations.ts';
import { createAccount } from '../../server/accounts/accounts.ts';
import { proposeCurrency } from '../../server/sites/currency.ts';
import { createIngestToken } from '../../server/sites/ingest.ts';
import { configureSite, createSite, type Site, siteById } from '../../server/sites/sites.ts';
import type { Dimension } from '../../server/vocabulary/questions/dimensions.ts';
import { testApp, type TestApp } from '../setup/app.ts';
import { CHROME } from '../setup/browser/user-agent.ts';
import { NOON } from '../setup/clock.ts';
import { FORMS, testDirectory } from '../setup/directory.ts';
import { makeEvent } from '../setup/event.ts';
import { keyFor, restOf } from '../setup/api/rest.ts';
import { showsRefused } from '../setup/run/harness.ts';

let server: TestApp;
let site: Site;
beforeAll(async () => {
  server = await testApp();
});
afterAll(async () => server[Symbol.asyncDispose]());
beforeEach(async () => {
  site = await server.newSite();
});

async function owner() {
  const requester = { signal: new AbortController().signal, addressHash: () => '', address: () => '' };
  const headers = { cookie: await server.logIn(`owner@${site.domain}`) };
  const viewer = await readViewer(server.app.services, headers, requester.addressHash);
  return appRouter.createCaller({ ...server.app.services, headers, setCookies: () => undefined, viewer, requester });
}

const pay = (amount: number, currency: string) =>
  server.foot({ site: site.domain, name: 'purchase', url: `https://${site.domain}/`, revenue: { amount, currency } });

/** The dashboard's figures about payments of today. */
async function shown() {
  await server.settle();
  const caller = await owner();
  const question = { site_id: site.id, period: 'today' } as const;
  const [{ metrics, ...summary }, { currencies }] = await Promise.all([
    caller.stats.summary(question),
    caller.stats.currencies(question),
  ]);
  const money = metrics.filter(({ name }) => /revenue|orders/.test(name)).map(({ name, value }) => [name, value]);
  return {
    currency: summary.currency,
    isProposed: summary.is_currency_proposed,
    ...Object.fromEntries(money),
    currencies: currencies.map(({ currency, orders, revenue }) => [currency, orders, revenue]),
  };
}

test('a forged payment in a foreign currency hides no order, neither before the owner has chosen nor after', async () => {
  showsRefused('forged currency and amounts');
  await pay(999, 'ZAR'); // before the shop's first customer
  await pay(20, 'EUR');
  await pay(30, 'EUR');
  expect(await shown()).toEqual({
    currency: 'ZAR',
    isProposed: true,
    revenue: 999,
    orders: 3,
    currencies: [
      ['EUR', 2, 50],
      ['ZAR', 1, 999],
    ],
  });
  const caller = await owner();
  const settings = await caller.sites.settings({ site_id: site.id });
  expect([settings.currency, settings.proposed_currency]).toEqual([null, 'ZAR']);
  await caller.sites.change({ site_id: site.id, currency: 'EUR' });
  await pay(5, 'ZAR');
  expect(await shown()).toMatchObject({ currency: 'EUR', isProposed: false, revenue: 50, orders: 4 });
});

test('an order of 1,000,000,000 is kept, and counted as implausible instead of as revenue', async () => {
  showsRefused('forged currency and amounts');
  await pay(1_000_000_000, 'EUR');
  await pay(100_000.01, 'EUR');
  await pay(100_000, 'EUR');
  expect(await shown()).toMatchObject({ revenue: 100_000, orders: 1, implausible_orders: 2 });
  expect((await shown()).currencies).toEqual([['EUR', 1, 100_000]]);
  const caller = await owner();
  await caller.sites.change({ site_id: site.id, max_amount: 1_000_000_000 });
  expect(await shown()).toMatchObject({ revenue: 1_000_200_000.01, orders: 3 });
  await caller.sites.change({ site_id: site.id, max_amount: 1 });
  expect(await shown()).toMatchObject({ implausible_orders: 3, currencies: [] });
});

test('what a browser sent is claimed, and what a server sent is confirmed, at every door', async () => {
  await pay(10, 'EUR');
  const rest = await restOf(server, await keyFor(server, site));
  const event = { site_id: site.id, name: 'renewal', url: `https://${site.domain}/` };
  expect((await rest.ask('/v1/events', { body: event })).status).toBe(202);
  await server.settle();
  const rows = await server.app.store.query(
    'SELECT name, confirmed FROM events WHERE site_id = {id:String} ORDER BY name',
    {
      id: site.id,
    },
  );
  expect(rows).toEqual([
    { name: 'purchase', confirmed: 0 },
    { name: 'renewal', confirmed: 1 },
  ]);
});

test('logs and reports of agents carry no money, and confirm none', async () => {
  const asked = '/thanks?name=purchase&revenue[amount]=99&revenue[currency]=EUR&confirmed=1';
  const line = `203.0.113.9 - - [20/Nov/2026:09:00:00 +0000] "GET ${asked} HTTP/1.1" 200 1 "-" "${CHROME}"\n`;
  const file = `${server.folder}/access.log`;
  await writeFile(file, line);
  const { app } = server;
  const run = { now: server.clock.now, onProgress: () => undefined, signal: new AbortController().signal };
  expect(await runOperation('import', app, { file, domain: site.domain }, run)).toMatchObject({ counted: 1 });
  const { token } = await createIngestToken(app.services.directory, { siteId: site.id }, server.clock.now);
  const told = { site: site.domain, url: `https://${site.domain}/thanks`, user_agent: 'GPTBot/1.2' };
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const report = (body: object) => server.foot(body, headers);
  expect((await report({ ...told, revenue: { amount: 99, currency: 'EUR' } })).status).toBe(400);
  expect((await report(told)).status).toBe(202);
  const rest = await restOf(server, await keyFor(server, site));
  const event = { site_id: site.id, name: 'renewal', url: `https://${site.domain}/` };
  expect((await rest.ask('/v1/events', { body: event })).status).toBe(202);
  await server.settle();
  const sql = 'SELECT name, amount, confirmed FROM events WHERE site_id = {id:String} ORDER BY name';
  expect(await app.store.query(sql, { id: site.id })).toEqual([
    { name: 'pageview', amount: expect.anything() as unknown, confirmed: 0 },
    { name: 'renewal', amount: expect.anything() as unknown, confirmed: 1 },
  ]);
  expect(await shown()).toMatchObject({ currencies: [] });
});

test('currencies follow filters on people, and a filter on AI visits is refused', async () => {
  await pay(10, 'EUR');
  await server.settle();
  const caller = await owner();
  const ask = (dimension: Dimension, value: string) =>
    caller.stats.currencies({
      site_id: site.id,
      period: 'today',
      filters: [{ dimension, operator: 'is', values: [value] }],
    });
  expect((await ask('event', 'purchase')).currencies).toEqual([
    { currency: 'EUR', orders: 1, revenue: 10, average_order: 10, refunds: 0 },
  ]);
  expect((await ask('page', '/elsewhere')).currencies).toEqual([]);
  await expect(ask('ai_agent', 'GPTBot')).rejects.toThrow('AI visits');
});

test('each currency has its own orders, revenue, average order and refunds', async () => {
  const rest = await restOf(server, await keyFor(server, site));
  const report = (amount: number, currency: string) =>
    rest.ask('/v1/events', {
      body: { site_id: site.id, name: 'paid', url: `https://${site.domain}/`, revenue: { amount, currency } },
    });
  for (const [amount, currency] of [
    [30, 'USD'],
    [60, 'USD'],
    [-15, 'USD'],
    [-4, 'CHF'],
  ] as const)
    expect((await report(amount, currency)).status).toBe(202);
  await pay(10, 'EUR');
  await server.settle();
  const caller = await owner();
  expect((await caller.stats.currencies({ site_id: site.id, period: 'today' })).currencies).toEqual([
    { currency: 'USD', orders: 2, revenue: 75, average_order: 45, refunds: 15 },
    { currency: 'EUR', orders: 1, revenue: 10, average_order: 10, refunds: 0 },
    { currency: 'CHF', orders: 0, revenue: -4, average_order: 0, refunds: 4 },
  ]);
});

test('revenue says how much of it a server confirmed', async () => {
  await pay(10, 'EUR');
  await server.settle();
  const visits = openVisits(server.app.store);
  const paid = { site_id: site.id, name: 'paid', amount: '32.5', currency: 'EUR', time: server.clock.now, visitor: '' };
  const rows = [makeEvent({ ...paid, confirmed: true }), makeEvent({ ...paid, confirmed: true, amount: '200000' })];
  await server.app.store.insert(
    { events: rows.flatMap((row) => visits.assign(row, row.time) ?? []), ai_visits: [] },
    'paid',
  );
  expect(await shown()).toMatchObject({ revenue: 42.5, revenue_confirmed: 32.5, orders: 2, implausible_orders: 1 });
});

describe.each(FORMS)('in %s', (form) => {
  test('the first payment only proposes its currency, and the owner’s choice stands', async () => {
    await using directory = await testDirectory(form);
    const { account } = await createAccount(directory, { email: 'owner@example.com', password: 'correct horse' }, NOON);
    const { id } = await createSite(directory, { accountId: account.id, domain: 'example.com' }, NOON);
    const now = async () => {
      const found = await siteById(directory, id);
      return [found?.currency, found?.proposed_currency];
    };
    await proposeCurrency(directory, { site_id: id, currency: 'ZZZ' }); // no such currency
    expect(await now()).toEqual([null, null]);
    await proposeCurrency(directory, { site_id: id, currency: 'USD' });
    await proposeCurrency(directory, { site_id: id, currency: 'EUR' });
    expect(await now()).toEqual([null, 'USD']);
    await configureSite(directory, { siteId: id, currency: 'EUR' }, NOON);
    expect(await now()).toEqual(['EUR', 'USD']);
    await proposeCurrency(directory, { site_id: 'site_0000000000000000' as SiteId, currency: 'EUR' });
  });

  test('the currency of the owner’s language counts if the first payment has it, and one that was chosen counts from the start', async () => {
    await using directory = await testDirectory(form);
    const { account } = await createAccount(directory, { email: 'owner@example.com', password: 'correct horse' }, NOON);
    const made = async (domain: string, more: { currency?: string; expectedCurrency?: string }) => {
      const { id } = await createSite(directory, { accountId: account.id, domain, ...more }, NOON);
      await proposeCurrency(directory, { site_id: id, currency: 'USD' });
      const { currency, proposed_currency } = (await siteById(directory, id)) ?? {};
      return [currency, proposed_currency];
    };
    for (const wrong of [{ currency: 'ZZZ' }, { expectedCurrency: 'ZZZ' }])
      await expect(made('zzz.example', wrong)).rejects.toThrow('ISO 4217');
    expect(await made('as-expected.example', { expectedCurrency: 'USD' })).toEqual(['USD', 'USD']);
    expect(await made('another.example', { expectedCurrency: 'EUR' })).toEqual([null, 'USD']);
    expect(await made('chosen.example', { currency: 'EUR' })).toEqual(['EUR', null]);
  });
});
