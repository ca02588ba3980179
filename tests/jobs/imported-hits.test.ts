/** @module-tag fault */
/** @module-tag promise */
// Imports of single hits: they become events with visits once the import is whole, so that every question works, and leave every store again.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openImporting } from '../../server/jobs/importing.ts';
import { listIncidents } from '../../server/notifications/alerts/incidents.ts';
import { alertContent, createAlert } from '../../server/notifications/alerts/rules.ts';
import { goals } from '../../server/sites/definitions/goals.ts';
import type { Site } from '../../server/sites/sites.ts';
import { breakdownQuestion, summaryQuestion } from '../../server/stats/query.ts';
import type { Metric } from '../../server/vocabulary/numbers/metrics.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../server/vocabulary/time/time.ts';
import { testApp, type TestApp } from '../setup/app.ts';
import { hitAt, HITS_FROM, rowsOfSite } from '../setup/imports.ts';
import { filesWith } from '../setup/files.ts';
import { showsKept } from '../setup/run/harness.ts';

let server: TestApp;
beforeAll(async () => {
  server = await testApp({ env: { LOG_LEVEL: 'silent' } });
});
afterAll(() => server[Symbol.asyncDispose]());

const CANARY = 'visitor-e3b0c44298fc1c14';

/** Ann reads two pages and signs up, Ben one page from Germany, and Ann comes back in the evening. */
const HITS = [
  hitAt(0, CANARY, '/?utm_source=news&utm_medium=email', { country: 'FR' }),
  hitAt(3, 'ben', '/pricing', { country: 'DE', referrer: 'https://www.google.com/', screen_width: 1280 }),
  hitAt(5, CANARY, '/pricing', { country: 'FR' }),
  hitAt(6, CANARY, '/pricing', { country: 'FR', name: 'signup' }),
  hitAt(600, CANARY, '/', { country: 'FR' }),
];

async function openSite() {
  const site = await server.newSite();
  const { importing } = server.app.services;
  const begin = async () => {
    const begun = { siteId: site.id, format: 'umami', file: 'website_event.csv', content: site.domain };
    return { siteId: site.id, id: (await importing.begin(begun)).id };
  };
  return { site, importing, begin };
}

const DONE = { replaced: [], notTaken: {} };
const PERIOD = { period: 'custom', date_from: '2026-10-01', date_to: '2026-10-31' };
const is = (dimension: string, value: string) => ({ dimension, operator: 'is', values: [value] });

async function totals(site: Site, filters: object[] = []): Promise<(number | undefined)[]> {
  const metrics: Metric[] = ['unique_visitors', 'visits', 'pageviews', 'events', 'bounce_rate', 'visit_duration'];
  const question = { ...summaryQuestion.parse({ site_id: site.id, ...PERIOD, filters }), metrics };
  const { values } = await server.app.services.stats.totals(question, site, server.clock.now);
  return metrics.map((metric) => values[metric]);
}

async function list(site: Site, dimension: string): Promise<[string, number][]> {
  const metrics = ['visits'];
  const question = breakdownQuestion.parse({ site_id: site.id, ...PERIOD, dimension, metrics });
  const { rows } = await server.app.services.stats.breakdown(question, site, server.clock.now);
  return rows.map(({ name, values }) => [name, values.visits ?? 0]);
}

const rowsOf = (site: Site) => rowsOfSite(server.app.store, site.id);

test('hits count as visits once the last has come, in every question, and the import is gone from every store when it is removed', async () => {
  const { site, importing, begin } = await openSite();
  const which = await begin();
  await importing.add({ ...which, part: 0 }, { hits: HITS.slice(0, 3), sums: [] });
  await importing.add({ ...which, part: 1 }, { hits: HITS.slice(3), sums: [] });
  expect(await totals(site)).toEqual([0, 0, 0, 0, 0, 0]);

  const { brought } = await importing.finish({ ...which, ...DONE });
  const days = { first_day: '2026-10-05', last_day: '2026-10-05', days: 1 };
  expect(brought).toEqual({ ...days, pageviews: 4, visitors: 2 });
  // Three visits: six minutes of Ann, and two with one page view.
  expect(await totals(site)).toEqual([2, 3, 4, 1, (100 * 2) / 3, 120]);
  expect(await totals(site, [is('country', 'FR')])).toEqual([1, 2, 3, 1, 50, 180]);
  expect(await totals(site, [is('event', 'signup'), is('source', 'news')])).toEqual([1, 1, 2, 1, 0, 360]);
  expect(await list(site, 'source')).toEqual([
    ['', 1],
    ['Google', 1],
    ['news', 1],
  ]);
  expect(await list(site, 'entry_page')).toEqual([
    ['/', 2],
    ['/pricing', 1],
  ]);
  expect(await list(site, 'browser')).toEqual([['Firefox', 3]]);
  expect(await server.app.services.directory.db.selectFrom('import_secrets').selectAll().execute()).toEqual([]);

  await importing.remove(which);
  expect(await totals(site)).toEqual([0, 0, 0, 0, 0, 0]);
  expect(await rowsOf(site)).toEqual({});
});

test('what tells visitors apart in a file is written nowhere', async () => {
  showsKept('an import keeps nothing that tells a person in its files');
  const { importing, begin } = await openSite();
  const which = await begin();
  await importing.add({ ...which, part: 0 }, { hits: HITS, sums: [] });
  await importing.finish({ ...which, ...DONE });
  expect((await filesWith(server.folder, '')).length).toBeGreaterThan(10);
  expect(await filesWith(server.folder, CANARY)).toEqual([]);
});

test('parts that are sent again and a publication that was killed count once', async () => {
  const { site, importing, begin } = await openSite();
  const which = await begin();
  await importing.add({ ...which, part: 0 }, { hits: HITS, sums: [] });
  await importing.add({ ...which, part: 0 }, { hits: HITS, sums: [] });
  // A process that was killed after it had moved the rows, before it noted that.
  await server.app.store.purged.putBack({ site_id: site.id, purge: which.id });
  const { brought } = await importing.finish({ ...which, ...DONE });
  expect(brought).toMatchObject({ pageviews: 4, visitors: 2 });
  expect((await totals(site)).slice(0, 4)).toEqual([2, 3, 4, 1]);
  expect(Object.keys(await rowsOf(site))).toEqual(['events']);
});

test('hits that a process kept before it was killed are not kept twice, nor in two visits', async () => {
  const { site, importing, begin } = await openSite();
  const which = await begin();
  await importing.add({ ...which, part: 0 }, { hits: HITS, sums: [] });
  const { directory } = server.app.services;
  await directory.db.updateTable('imports').set({ lines_done: 0 }).where('id', '=', which.id).execute();
  const next = openImporting({
    directory,
    store: server.app.store,
    versions: { heard: () => undefined },
    geo: server.app.geo,
    onChanged: () => undefined,
    now: () => server.clock.now,
  });
  await next.add({ ...which, part: 0 }, { hits: HITS, sums: [] });
  expect(await rowsOf(site)).toEqual({ purged_events: 5 });
  await importing.finish({ ...which, ...DONE });
  expect((await totals(site)).slice(0, 4)).toEqual([2, 3, 4, 1]);
});

test('a job of purges leaves an import alone that is still arriving', async () => {
  const { site, importing, begin } = await openSite();
  const which = await begin();
  await importing.add({ ...which, part: 0 }, { hits: HITS, sums: [] });
  await server.app.runJob('finish-purges');
  await importing.finish({ ...which, ...DONE });
  expect((await totals(site)).slice(0, 4)).toEqual([2, 3, 4, 1]);
});

test('an alert takes no hits of an import for news, and keeps its count where they are older than it', async () => {
  const { site, importing } = await openSite();
  const { directory, mail } = server.app.services;
  const siteId = site.id;
  const { now } = server.clock;
  const signup = { kind: 'event', event: 'signup', props: {} } as const;
  const goal = await goals.create(directory, { siteId, name: 'Signed up', definition: signup }, now);
  const content = alertContent.parse({ kind: 'goal', goal_id: goal.id, timezone: 'UTC', emails: ['ada@example.com'] });
  await createAlert(directory, { siteId, accountId: site.account_id, content, mail }, now - DAY_MS);
  /** Imports hits, and returns when the alert counts from afterwards, and how often it has noticed something. */
  const importHits = async (hits: typeof HITS) => {
    const { id } = await importing.begin({ siteId, format: 'umami', file: 'website_event.csv', content: hits });
    await importing.add({ siteId, id, part: 0 }, { hits, sums: [] });
    await importing.finish({ siteId, id, ...DONE });
    await server.app.runJob('count-alerts');
    const { db } = directory;
    const alert = await db.selectFrom('alerts').selectAll().where('site_id', '=', siteId).executeTakeFirstOrThrow();
    return [alert.counted_from - now, (await listIncidents(directory, { siteId, isLimited: false })).length];
  };
  expect(await importHits(HITS)).toEqual([-DAY_MS, 0]);
  const yesterday = (now - 20 * HOUR_MS - HITS_FROM) / MINUTE_MS;
  expect(await importHits([hitAt(yesterday, 'ben', '/', { name: 'signup' })])).toEqual([0, 0]);
});

test('a day with events of the site’s own takes nothing from an import', async () => {
  const { site, importing, begin } = await openSite();
  const now = server.clock.now;
  server.clock.now = HITS_FROM + 30 * MINUTE_MS;
  await server.foot({ site: site.domain, name: 'pageview', url: `https://${site.domain}/own` });
  await server.settle();
  server.clock.now = now;
  const which = await begin();
  const nextDay = hitAt(24 * 60, 'ben', '/next');
  await importing.add({ ...which, part: 0 }, { hits: [...HITS, nextDay], sums: [] });
  const { brought } = await importing.finish({ ...which, ...DONE });
  expect(brought).toMatchObject({ first_day: '2026-10-06', days: 1, pageviews: 1 });
  expect(await list(site, 'entry_page')).toEqual([
    ['/next', 1],
    ['/own', 1],
  ]);
  await importing.remove(which);
  expect(await list(site, 'entry_page')).toEqual([['/own', 1]]);
});

test('hits that the site’s settings leave out, of other hosts and without a page are dropped, and counted by reason', async () => {
  const { importing, begin } = await openSite();
  const which = await begin();
  const hits = [
    ...HITS,
    hitAt(1, 'c', '/', { hostname: 'elsewhere.example' }),
    hitAt(2, 'c', '/', { referrer: 'https://semalt.com/' }),
  ];
  await importing.add({ ...which, part: 0 }, { hits, sums: [] });
  const { notTaken } = await importing.finish({ ...which, ...DONE, notTaken: { bot: 2 } });
  expect(notTaken).toEqual({ foreign_host: 1, referrer_spam: 1, bot: 2 });
});

test('a site that is paused takes no hits', async () => {
  const { site, importing, begin } = await openSite();
  const which = await begin();
  await server.app.services.directory.db.updateTable('sites').set({ paused: 1 }).where('id', '=', site.id).execute();
  await expect(importing.add({ ...which, part: 0 }, { hits: HITS, sums: [] })).rejects.toThrow(
    'its tracking is paused',
  );
});
