// The demo site that `npm run seed` creates: the same numbers at every door, and unchanged by a second run.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listMentions } from '../../server/integrations/mentions/stored.ts';
import { entriesOfDay } from '../../server/jobs/demo/events.ts';
import { openDemoFeed, optionsOf, seededIn } from '../../server/jobs/demo/feed.ts';
import { listIncidents } from '../../server/notifications/alerts/incidents.ts';
import { listAlerts } from '../../server/notifications/alerts/rules.ts';
import { runOperation } from '../../server/operator/operations.ts';
import type { seedSite } from '../../server/operator/seed/demo.ts';
import { funnels } from '../../server/sites/definitions/funnels.ts';
import { goals } from '../../server/sites/definitions/goals.ts';
import { listNotes } from '../../server/sites/definitions/notes.ts';
import { listSegments } from '../../server/sites/definitions/segments.ts';
import { measuresVitals } from '../../server/sites/settings.ts';
import { errorsQuestion, vitalsQuestion } from '../../server/stats/query.ts';
import { configureSite, pauseSite, siteByDomain } from '../../server/sites/sites.ts';
import { PAGEVIEW, type Recorded } from '../../server/vocabulary/event.ts';
import { DAY_MS, startOfDay } from '../../server/vocabulary/time/time.ts';
import { PASSWORD, testApp, type TestApp } from '../setup/app.ts';

const WISH = { domain: 'demo.example', days: 30, visits: 100, account: 'demo@example.com', password: PASSWORD };
let server: TestApp;

beforeAll(async () => {
  server = await testApp();
});
afterAll(async () => server[Symbol.asyncDispose]());

function seed(
  wish: Partial<typeof WISH> & { live?: boolean } = {},
  signal = new AbortController().signal,
): ReturnType<typeof seedSite> {
  const run = { now: server.clock.now, onProgress: () => undefined, signal };
  return runOperation('seed', server.app, { ...WISH, ...wish }, run) as ReturnType<typeof seedSite>;
}

async function demoSite() {
  const site = await siteByDomain(server.app.services.directory, WISH.domain);
  if (!site) throw new Error('The demo site is gone.');
  return site;
}

async function stored() {
  const [row] = await server.app.store.query<Record<string, string | number>>(
    `SELECT count() AS events, uniqExact(event_id) AS ids, sum(visit_started) AS visits, sum(bounces) AS bounces,
      toString(sum(amount)) AS revenue, (SELECT count() FROM ai_visits) AS ai_visits FROM events`,
    {},
  );
  return Object.fromEntries(Object.entries(row ?? {}).map(([name, value]) => [name, Number(value)]));
}

const TOTALS = { events: 21_451, ids: 21_451, visits: 5_698, bounces: 2_955, revenue: 752, ai_visits: 618 };

test('an interrupted seed is completed by the next one', async () => {
  let chunks = 0;
  const stopping = new AbortController();
  const { store } = server.app;
  const cutShort: typeof store.insert = async (rows, token) => {
    await store.insert(rows, token);
    chunks += 1;
    stopping.abort();
  };
  const { directory, windows, mail, config } = server.app.services;
  const { seedSite } = await import('../../server/operator/seed/demo.ts');
  const run = { now: server.clock.now, onProgress: () => undefined, signal: stopping.signal };
  const parts = { directory, windows, mail, config, store: { ...store, insert: cutShort } };
  await expect(seedSite(parts, WISH, run)).rejects.toThrow('Stopped');
  expect(chunks).toBe(1);

  const { added, events, ai_visits, ...rest } = await seed();
  expect(rest).toEqual({
    login: 'http://localhost:0/login',
    dashboard: 'http://localhost:0/demo.example',
    email: WISH.account,
    live: false,
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
  const site = await demoSite();
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

test('has a release that made pages slow on phones, and one that mended it', async () => {
  const site = await demoSite();
  expect(measuresVitals(site.settings)).toBe(true);
  const p75 = async (days: object, device: string) => {
    const filters = [
      { dimension: 'device' as const, operator: 'is' as const, values: [device] },
      { dimension: 'page' as const, operator: 'is' as const, values: ['/pricing'] },
    ];
    const question = vitalsQuestion.parse({ site_id: site.id, period: 'custom', ...days, filters });
    const { totals } = await server.app.services.stats.vitals(question, site, server.clock.now);
    return totals.lcp.p75 ?? 0;
  };
  const [before, slow, after] = [
    { date_from: '2026-11-05', date_to: '2026-11-14' },
    { date_from: '2026-11-15', date_to: '2026-11-17' },
    { date_from: '2026-11-18', date_to: '2026-11-20' },
  ];
  expect(await p75(slow, 'mobile')).toBeGreaterThan(4000);
  for (const days of [before, after]) expect(await p75(days, 'mobile')).toBeLessThan(2500);
  expect(await p75(slow, 'desktop')).toBeLessThan(2500);
});

test('has errors that came with that release and left with the next, which name its note', async () => {
  const site = await demoSite();
  const of = async (days: object) => {
    const question = errorsQuestion.parse({ site_id: site.id, period: 'custom', ...days });
    return (await server.app.services.stats.errors(question, site, server.clock.now)).rows;
  };
  const broken = await of({ date_from: '2026-11-15', date_to: '2026-11-17' });
  expect(broken.slice(0, 2).map(({ kind, message, file, since }) => [kind, message, file, since])).toEqual([
    [
      'error',
      'TypeError: undefined is not an object (evaluating [text])',
      '/assets/film-[id].js',
      'Release 2.4: a film on the front page',
    ],
    ['load', 'script', '/assets/film-[id].js', 'Release 2.4: a film on the front page'],
  ]);
  expect(broken[0]?.share).toBeGreaterThan(2);
  const shapes = new Set(broken.slice(0, 2).map(({ shape }) => shape));
  for (const days of [
    { date_from: '2026-10-22', date_to: '2026-11-14' },
    { date_from: '2026-11-18', date_to: '2026-11-20' },
  ]) {
    const rows = await of(days);
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.filter(({ shape }) => shapes.has(shape))).toEqual([]);
    expect(rows.filter(({ since }) => since?.includes('Release'))).toEqual([]);
  }
});

test('shows something in every part of the dashboard', async () => {
  const { directory } = server.app.services;
  const { id: siteId } = await demoSite();
  const names = (rows: { name: string }[]) => rows.map(({ name }) => name);
  expect(names(await goals.list(directory, { siteId }))).toEqual([
    'Signed up',
    'Bought a plan',
    'Tried the demo',
    'Read an article to the end',
    'Saw the prices',
  ]);
  expect(names(await funnels.list(directory, { siteId }))).toHaveLength(2);
  expect(names(await listSegments(directory, { siteId }))).toHaveLength(4);
  expect((await listNotes(directory, { siteId, isShared: true })).map(({ day }) => day)).toEqual([
    '2026-11-18',
    '2026-11-15',
    '2026-11-12',
    '2026-11-10',
    '2026-11-06',
    '2026-11-03',
    '2026-11-01',
  ]);
  expect((await listAlerts(directory, { siteId })).map(({ kind }) => kind)).toEqual([
    'spike',
    'silent',
    'goal',
    'new_agent',
    'mention',
    'speed',
  ]);
  const incidents = await listIncidents(directory, { siteId, isLimited: false });
  expect(incidents.map(({ kind, facts }) => [kind, facts.name ?? facts.value])).toEqual([
    ['new_agent', 'DuckAssistBot'],
    ['new_agent', 'MistralAI-User'],
    ['silent', undefined],
    ['spike', 63],
    ['mention', 'Show HN: Web analytics that forget you'],
  ]);
  const found = await listMentions(directory, { siteId, last: 10 });
  expect(found.map(({ place, points, history }) => [place, points, history.length])).toEqual([
    ['github', 2, 2],
    ['mastodon', 31, 1],
    ['lobsters', 23, 2],
    ['reddit', 88, 3],
    ['hacker_news', 418, 4],
  ]);
  const second = await siteByDomain(directory, 'docs.demo.example');
  const pages = await server.app.store.query<{ page: string }>(
    'SELECT DISTINCT page FROM events WHERE site_id = {site_id:String} ORDER BY page',
    { site_id: second?.id ?? '' },
  );
  expect(pages.map(({ page }) => page)).toEqual([
    '/',
    '/api',
    '/events',
    '/goals-and-funnels',
    '/install',
    '/self-hosting',
  ]);
});

test('is left alone by its owner’s changes: nothing that was deleted comes back', async () => {
  const { directory } = server.app.services;
  const { id: siteId } = await demoSite();
  const [first] = await goals.list(directory, { siteId });
  await goals.delete(directory, { siteId, id: first?.id ?? '' });
  await seed();
  expect(await goals.list(directory, { siteId })).toHaveLength(4);
});

describe('its visitors', () => {
  const MINUTE_MS = 60_000;
  const runFeed = async () => {
    await server.app.runJob('feed-demo');
    await server.settle();
  };
  /** Page views that the generator has for both sites between two times. */
  async function drawn(from: number, to: number): Promise<number> {
    const { directory } = server.app.services;
    let count = 0;
    for (const domain of [WISH.domain, `docs.${WISH.domain}`]) {
      const site = await siteByDomain(directory, domain);
      const seeded = site && seededIn(site.settings);
      if (!seeded) continue;
      for (let start = startOfDay(from); start <= to; start += DAY_MS)
        count += entriesOfDay(optionsOf(site, seeded), start).filter(
          (entry) => entry.kind === 'event' && entry.name === PAGEVIEW && entry.time > from && entry.time <= to,
        ).length;
    }
    return count;
  }
  async function storedViews(): Promise<number> {
    const sql = `SELECT count() AS views FROM events WHERE name = '${PAGEVIEW}'`;
    return Number((await server.app.store.query<{ views: string }>(sql, {}))[0]?.views);
  }

  test('stop with the seed, unless it is live', async () => {
    server.clock.now += 10 * MINUTE_MS;
    const before = await storedViews();
    await runFeed();
    expect(await storedViews()).toBe(before);
  });

  test('of a live seed go on coming as the seed would have drawn them, each once', async () => {
    const from = server.clock.now - 10 * MINUTE_MS;
    const before = await storedViews();
    expect(await seed({ live: true })).toMatchObject({ live: true, added: 0 });
    server.clock.now += MINUTE_MS; // which sites are live is read once a minute
    for (const minutes of [0, 5, 25]) {
      server.clock.now += minutes * MINUTE_MS;
      await runFeed();
      await runFeed();
      expect(await storedViews()).toBe(before + (await drawn(from, server.clock.now)));
    }
    expect(await drawn(from, server.clock.now)).toBeGreaterThan(10);
    const site = await demoSite();
    const { minutes } = await server.app.services.windows.snapshot(site.id, server.clock.now);
    expect(minutes.some((visitors) => visitors > 0)).toBe(true);
  });

  test('of the last day are made up for after a downtime', async () => {
    const before = await storedViews();
    server.clock.now += 5 * DAY_MS;
    await runFeed();
    expect(await storedViews()).toBe(before + (await drawn(server.clock.now - DAY_MS, server.clock.now)));
  });

  test('stop where counting is paused', async () => {
    const { directory } = server.app.services;
    for (const domain of [WISH.domain, `docs.${WISH.domain}`]) {
      const site = await siteByDomain(directory, domain);
      if (site) await pauseSite(directory, { siteId: site.id, paused: true });
    }
    server.clock.now += 10 * MINUTE_MS;
    const before = await storedViews();
    await runFeed();
    expect(await storedViews()).toBe(before);
  });

  test('come to every seeded site where the demo is open to everybody', async () => {
    const { directory } = server.app.services;
    const site = await demoSite();
    const { live: _, ...seed } = seededIn(site.settings) ?? {};
    await pauseSite(directory, { siteId: site.id, paused: false });
    await configureSite(directory, { siteId: site.id, settings: { seed } }, server.clock.now);
    const recorded: Recorded[] = [];
    const collector = {
      record: (entries: Recorded[]) => Promise.resolve(entries.map((one) => recorded.push(one) > 0)),
    };
    const period = { from: server.clock.now - MINUTE_MS, to: server.clock.now };
    for (const isDemoOpen of [false, true]) {
      await openDemoFeed({ directory, collector, isDemoOpen })({ now: server.clock.now, period });
      expect(recorded.length > 0).toBe(isDemoOpen);
    }
    expect(new Set(recorded.map(({ site_id }) => site_id))).toEqual(new Set([site.id]));
  });
});

test('a site with traffic of its own is not touched', async () => {
  const own = await server.addSite('own.example');
  await server.foot({ site: own.domain, name: 'pageview', url: 'https://own.example/' });
  await server.settle();
  await expect(seed({ domain: own.domain })).rejects.toThrow('choose another --domain');
  await server.addSite('later.example');
  await expect(seed({ domain: 'later.example' })).rejects.toThrow('choose another --domain');
});
