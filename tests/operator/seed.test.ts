// The demo site that `npm run seed` creates: the same numbers at every door, and unchanged by a second run.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runOperation } from '../../server/operator/operations.ts';
import type { seedSite } from '../../server/operator/seed/demo.ts';
import { siteByDomain } from '../../server/sites/sites.ts';
import { PASSWORD, testApp, type TestApp } from '../setup/app.ts';

const WISH = { domain: 'demo.example', days: 30, visits: 100, account: 'demo@example.com', password: PASSWORD };
let server: TestApp;

beforeAll(async () => {
  server = await testApp();
});
afterAll(async () => server[Symbol.asyncDispose]());

function seed(wish: Partial<typeof WISH> = {}, signal = new AbortController().signal): ReturnType<typeof seedSite> {
  const run = { now: server.clock.now, onProgress: () => undefined, signal };
  return runOperation('seed', server.app, { ...WISH, ...wish }, run) as ReturnType<typeof seedSite>;
}

async function stored() {
  const [row] = await server.app.store.query<Record<string, string | number>>(
    `SELECT count() AS events, uniqExact(event_id) AS ids, sum(visit_started) AS visits, sum(bounces) AS bounces,
      toString(sum(amount)) AS revenue, (SELECT count() FROM ai_visits) AS ai_visits FROM events`,
    {},
  );
  return Object.fromEntries(Object.entries(row ?? {}).map(([name, value]) => [name, Number(value)]));
}

const TOTALS = { events: 18_496, ids: 18_496, visits: 4_429, bounces: 1_987, revenue: 752, ai_visits: 521 };

test('an interrupted seed is completed by the next one', async () => {
  let chunks = 0;
  const stopping = new AbortController();
  const { store } = server.app;
  const cutShort: typeof store.insert = async (rows, token) => {
    await store.insert(rows, token);
    chunks += 1;
    stopping.abort();
  };
  const { directory, windows, config } = server.app.services;
  const { seedSite } = await import('../../server/operator/seed/demo.ts');
  const run = { now: server.clock.now, onProgress: () => undefined, signal: stopping.signal };
  const parts = { directory, windows, config, store: { ...store, insert: cutShort } };
  await expect(seedSite(parts, WISH, run)).rejects.toThrow('Stopped');
  expect(chunks).toBe(1);

  const { added, events, ai_visits, ...rest } = await seed();
  expect(rest).toEqual({
    login: 'http://localhost:0/login',
    dashboard: 'http://localhost:0/demo.example',
    email: WISH.account,
    site_id: (await siteByDomain(directory, WISH.domain))?.id,
  });
  expect({ events, ai_visits }).toEqual({ events: TOTALS.events, ai_visits: TOTALS.ai_visits });
  expect(added).toBe(events + ai_visits - 10_000);
  expect(await stored()).toEqual(TOTALS);
});

test('a second run changes nothing, also on a later day', async () => {
  server.clock.now += 3 * 86_400_000;
  expect((await seed()).added).toBe(0);
  expect((await seed({ days: 5, visits: 7 })).added).toBe(0);
  expect(await stored()).toEqual(TOTALS);
  server.clock.now -= 3 * 86_400_000;
});

test('its shop shows what browsers claim, what the server confirms in their visits, and what was refunded', async () => {
  const site = await siteByDomain(server.app.services.directory, WISH.domain);
  if (!site) throw new Error('The demo site is gone.');
  const { values } = await server.app.services.stats.totals(
    {
      site_id: site.id,
      period: 'custom',
      date_from: '2026-10-22',
      date_to: '2026-11-20',
      compare: 'none',
      filters: [],
      metrics: ['orders', 'revenue', 'revenue_confirmed', 'refunds'],
    },
    site,
    server.clock.now,
  );
  expect(values).toEqual({ orders: 14, revenue: 489 - 37, revenue_confirmed: 300 - 37, refunds: 37 });
  const strays = 'SELECT count() AS rows FROM events WHERE confirmed = 1 AND visit_id = 0';
  expect(Number((await server.app.store.query<{ rows: string }>(strays, {}))[0]?.rows)).toBe(0);
});

test('its owner can sign in and sees visitors now', async () => {
  expect(await server.logIn(WISH.account)).toMatch(/footfall_session=/);
  const site = await siteByDomain(server.app.services.directory, WISH.domain);
  expect(site).toMatchObject({ currency: 'EUR', last_event_at: server.clock.now });
  const snapshot = site && (await server.app.services.windows.snapshot(site.id, server.clock.now));
  expect(snapshot?.minutes.some((visitors) => visitors > 0)).toBe(true);
});

test('a site with traffic of its own is not touched', async () => {
  const own = await server.addSite('own.example');
  await server.foot({ site: own.domain, name: 'pageview', url: 'https://own.example/' });
  await server.settle();
  await expect(seed({ domain: own.domain })).rejects.toThrow('choose another --domain');
  await server.addSite('later.example');
  await expect(seed({ domain: 'later.example' })).rejects.toThrow('choose another --domain');
});
