/** @module-tag fault */
/** @module-tag promise */
// Imports of access logs: from the lines of each format to the numbers of the dashboard, and back. Addresses and user agents are written nowhere.
import { zstdCompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Site } from '../../server/sites/sites.ts';
import { breakdownQuestion, summaryQuestion } from '../../server/stats/query.ts';
import type { ImportFile } from '../../server/vocabulary/imports/import.ts';
import { openImport } from '../../server/vocabulary/imports/open.ts';
import { inParts, type Part } from '../../server/vocabulary/imports/parts.ts';
import type { Metric } from '../../server/vocabulary/numbers/metrics.ts';
import { MINUTE_MS } from '../../server/vocabulary/time/time.ts';
import { testApp, type TestApp } from '../setup/app.ts';
import { CHROME } from '../setup/browser/user-agent.ts';
import { makeAiVisit } from '../setup/event.ts';
import { filesWith } from '../setup/files.ts';
import { fileOf, gzipOf, readImport, rowsOfSite } from '../setup/imports.ts';
import { LOG_FORMATS, logOf, type Logged } from '../setup/logs.ts';
import { showsKept } from '../setup/run/harness.ts';

let server: TestApp;
beforeAll(async () => {
  server = await testApp({ env: { LOG_LEVEL: 'silent' } });
});
afterAll(() => server[Symbol.asyncDispose]());

const AT = Date.UTC(2026, 9, 5, 10);
const SAFARI =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.7 Mobile/15E148 Safari/604.1';
const GPT = 'Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)';
const GOOGLE = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';
const ANN = { address: '81.2.69.160', userAgent: CHROME };
const BEN = { address: '2001:db8:77::1004', userAgent: SAFARI };
const at = (minute: number, who: Pick<Logged, 'address' | 'userAgent'>, more: Partial<Logged> = {}): Logged => ({
  time: AT + minute * MINUTE_MS,
  ...who,
  ...more,
});

/** Ann reads two pages, Ben one from a letter; the rest is not for people. */
const REQUESTS = [
  at(0, ANN),
  at(3, BEN, { target: '/caf%C3%A9?utm_source=letter&utm_medium=email' }),
  at(5, ANN, { target: '/pricing', status: 304 }),
  at(6, ANN, { target: '/logo.png' }),
  at(7, ANN, { target: '/pricing', method: 'POST' }),
  at(8, BEN, { target: '/missing', status: 404 }),
  at(9, { address: '203.0.113.9', userAgent: GPT }, { target: '/gone', status: 410 }),
  at(10, { address: '203.0.113.10', userAgent: GOOGLE }),
  at(11, { address: '203.0.113.11', userAgent: '' }),
];
const NOT_TAKEN = { not_a_page: 1, method: 1, unreadable: 1, status: 1, bot_user_agent: 1, no_user_agent: 1 };

async function partsOf(files: ImportFile[]): Promise<Part[]> {
  const parts: Part[] = [];
  for await (const part of inParts((await openImport(files)).read())) parts.push(part);
  return parts;
}

/** As the settings of a site send it. */
async function importLogs(site: Site, files: ImportFile[]) {
  const { importing } = server.app.services;
  const { report } = await readImport(files);
  const begun = { siteId: site.id, format: 'access-log', file: 'access.log', content: report };
  const which = { siteId: site.id, id: (await importing.begin(begun)).id };
  for (const [part, rows] of (await partsOf(files)).entries()) await importing.add({ ...which, part }, rows);
  return { which, ...(await importing.finish({ ...which, replaced: [], notTaken: report.reasons })) };
}

const PERIOD = { period: 'custom', date_from: '2026-10-01', date_to: '2026-10-31' };
async function totals(site: Site): Promise<(number | undefined)[]> {
  const metrics: Metric[] = ['unique_visitors', 'visits', 'pageviews', 'bounce_rate', 'visit_duration'];
  const question = { ...summaryQuestion.parse({ site_id: site.id, ...PERIOD }), metrics };
  const { values } = await server.app.services.stats.totals(question, site, server.clock.now);
  return metrics.map((metric) => values[metric]);
}
/** Two visits: five minutes of Ann, and one page view of Ben. */
const COUNTED = [2, 2, 3, 50, 150];

async function list(site: Site, dimension: string): Promise<[string, number][]> {
  const question = breakdownQuestion.parse({ site_id: site.id, ...PERIOD, dimension, metrics: ['visits'] });
  const { rows } = await server.app.services.stats.breakdown(question, site, server.clock.now);
  return rows.map(({ name, values }) => [name, values.visits ?? 0]);
}

const aiVisits = (site: Site) =>
  server.app.store.query(
    'SELECT ai_agent, ai_page, hostname, status, import_id FROM ai_visits WHERE site_id = {site:String} ORDER BY time',
    { site: site.id },
  );

describe.each(Object.keys(LOG_FORMATS))('a log: %s', (format) => {
  test('counts as visits and AI visits, and says what it left out', async () => {
    const site = await server.newSite();
    const file = fileOf('access.log', logOf(format, REQUESTS, site.domain), 'neither of these\n');
    const { which, brought, notTaken, aiVisits: agents } = await importLogs(site, [file]);
    expect(brought).toMatchObject({ first_day: '2026-10-05', days: 1, pageviews: 3, visitors: 2 });
    expect([notTaken, agents]).toEqual([NOT_TAKEN, 1]);
    expect(await totals(site)).toEqual(COUNTED);
    expect(await list(site, 'entry_page')).toEqual([
      ['/', 1],
      ['/café', 1],
    ]);
    expect(await list(site, 'source')).toEqual([
      ['', 1],
      ['letter', 1],
    ]);
    expect(await list(site, 'browser')).toEqual([
      ['Chrome', 1],
      ['Safari', 1],
    ]);
    expect(await list(site, 'country')).toEqual([
      ['', 1],
      ['GB', 1],
    ]);
    const visit = { ai_agent: 'GPTBot', ai_page: '/gone', hostname: site.domain, status: 410, import_id: which.id };
    expect(await aiVisits(site)).toEqual([visit]);
  });
});

test('a log in another encoding keeps the bytes that were requested, and its lines in UTF-8 their letters', async () => {
  const site = await server.newSite();
  const lines = logOf(
    'combined',
    [at(0, ANN, { target: '/caf\u00e9' }), at(1, ANN, { target: '/na\u00efve/x' })],
    site.domain,
  );
  const [first = '', ...rest] = lines.split('\n');
  const bytes = [Buffer.from(`${first}\n`, 'latin1'), Buffer.from(rest.join('\n'), 'utf8')];
  await importLogs(site, [fileOf('access.log', ...bytes)]);
  expect((await list(site, 'page')).sort()).toEqual([
    ['/caf%E9', 1],
    ['/naïve/x', 1],
  ]);
});

test('a log leaves every store when it is removed, and can be imported again', async () => {
  const site = await server.newSite();
  const files = [fileOf('access.log', logOf('combined', REQUESTS, site.domain))];
  const { which } = await importLogs(site, files);
  expect(await rowsOfSite(server.app.store, site.id)).toEqual({ events: 3, ai_visits: 1 });
  await server.app.services.importing.remove(which);
  expect(await totals(site)).toEqual([0, 0, 0, 0, 0]);
  expect(await rowsOfSite(server.app.store, site.id)).toEqual({});
  await importLogs(site, files);
  expect(await totals(site)).toEqual(COUNTED);
});

describe('several files', () => {
  /** A file for each request, in three forms. */
  const filesOf = (domain: string, requests = REQUESTS) =>
    Promise.all(
      requests.map(async (request, index): Promise<ImportFile> => {
        const [name, text] = [`access.log.${index}`, logOf('combined', [request], domain)];
        if (index % 3 === 0) return fileOf(name, text);
        return index % 3 === 1 ? gzipOf(name, text) : fileOf(name, zstdCompressSync(text));
      }),
    );

  test('count the same in any order, plain, as gz and as zst', async () => {
    const shuffled = [4, 8, 0, 6, 2, 7, 5, 1, 3];
    const site = await server.newSite();
    const files = await filesOf(site.domain);
    const { aiVisits: agents } = await importLogs(
      site,
      shuffled.flatMap((index) => files[index] ?? []),
    );
    expect([await totals(site), agents]).toEqual([COUNTED, 1]);
  });

  test('of several servers, and of several formats, are read side by side', async () => {
    const site = await server.newSite();
    const minutes = Array.from({ length: 5_000 }, (_, second) =>
      at(second / 60, second % 2 ? ANN : BEN, { target: `/${second}` }),
    );
    const [one, other] = [0, 1].map((rest) => minutes.filter((_, index) => Math.floor(index / 2) % 2 === rest));
    const files = [
      fileOf('one.log', logOf('combined', other ?? [], site.domain)),
      fileOf('two.log', logOf('Caddy', one ?? [], site.domain)),
    ];
    const { hits } = await readImport(files);
    expect(hits.map(({ time }) => Math.floor(time / 1000))).toEqual(minutes.map(({ time }) => Math.floor(time / 1000)));
    await importLogs(site, files);
    // A Caddy line has parts of a second.
    expect(await totals(site)).toEqual([2, 2, 5_000, 0, 4_997.75]);
  });
});

test('the same line twice within a second, as of two files that overlap, counts once', async () => {
  const site = await server.newSite();
  const text = logOf('combined', REQUESTS.slice(0, 3), site.domain);
  const { notTaken } = await importLogs(site, [fileOf('a.log', text), fileOf('b.log', `${text}\n`)]);
  expect([await totals(site), notTaken]).toEqual([COUNTED, { repeat_view: 3 }]);
});

test('a day with events of the site’s own takes nothing from a log, and one with AI visits of its own takes none', async () => {
  const site = await server.newSite();
  const DAY = 24 * 60;
  const { now } = server.clock;
  server.clock.now = AT + 30 * MINUTE_MS;
  await server.foot({ site: site.domain, name: 'pageview', url: `https://${site.domain}/own` });
  const own = makeAiVisit({ site_id: site.id, time: AT + DAY * MINUTE_MS, hostname: site.domain });
  await server.app.collector.record([own], server.clock.now);
  await server.settle();
  server.clock.now = now;
  const later = [1, 2].flatMap((days) => REQUESTS.map((one) => ({ ...one, time: one.time + days * DAY * MINUTE_MS })));
  const file = fileOf('access.log', logOf('combined', [...REQUESTS, ...later], site.domain));
  const { which, brought, aiVisits: agents } = await importLogs(site, [file]);
  expect([brought, agents]).toEqual([
    { first_day: '2026-10-06', last_day: '2026-10-07', days: 2, pageviews: 6, visitors: 4 },
    1,
  ]);
  expect((await totals(site)).slice(0, 3)).toEqual([5, 5, 7]);
  expect((await aiVisits(site)).length).toBe(2);
  await server.app.services.importing.remove(which);
  expect((await totals(site)).slice(0, 3)).toEqual([1, 1, 1]);
  expect(await rowsOfSite(server.app.store, site.id)).toEqual({ events: 1, ai_visits: 1 });
});

test('a log of AI visits alone is an import, whose days are theirs', async () => {
  const site = await server.newSite();
  const file = fileOf('access.log', logOf('combined', REQUESTS.slice(6, 7), site.domain));
  const { which, brought, aiVisits: agents } = await importLogs(site, [file]);
  expect([brought?.days, brought?.pageviews, agents]).toEqual([1, 0, 1]);
  expect(await rowsOfSite(server.app.store, site.id)).toEqual({ ai_visits: 1 });
  await server.app.services.importing.remove(which);
  expect(await rowsOfSite(server.app.store, site.id)).toEqual({});
});

test('hosts of other sites in a log are dropped, and hosts of this one are kept', async () => {
  const site = await server.newSite();
  const hosts = [site.domain, `www.${site.domain}`, 'other.example', '203.0.113.1'];
  const text = hosts.map((host, minute) => logOf('vhost combined', [at(minute, ANN)], host)).join('');
  const { notTaken } = await importLogs(site, [fileOf('access.log', text)]);
  expect(notTaken).toEqual({ foreign_host: 2 });
  expect((await totals(site)).slice(0, 3)).toEqual([1, 1, 2]);
});

test('parts that are sent again count once, also if their process was killed', async () => {
  const site = await server.newSite();
  const { importing, directory } = server.app.services;
  const begun = { siteId: site.id, format: 'access-log', file: 'access.log', content: 'again' };
  const which = { siteId: site.id, id: (await importing.begin(begun)).id };
  const [rows = { hits: [], sums: [] }] = await partsOf([fileOf('a', logOf('combined', REQUESTS, site.domain))]);
  await importing.add({ ...which, part: 0 }, rows);
  await importing.add({ ...which, part: 0 }, rows);
  await directory.db.updateTable('imports').set({ lines_done: 0 }).where('id', '=', which.id).execute();
  await importing.add({ ...which, part: 0 }, rows);
  expect(await rowsOfSite(server.app.store, site.id)).toEqual({ purged_events: 3, purged_ai_visits: 1 });
  const { aiVisits: agents } = await importing.finish({ ...which, replaced: [], notTaken: {} });
  expect([await totals(site), agents]).toEqual([COUNTED, 1]);
});

test('an import that nobody knows of is removed with its AI visits', async () => {
  const site = await server.newSite();
  const { which } = await importLogs(site, [fileOf('a', logOf('combined', REQUESTS, site.domain))]);
  await server.app.services.directory.db.deleteFrom('imports').where('id', '=', which.id).execute();
  await server.app.runJob('sweep-imports');
  expect(await rowsOfSite(server.app.store, site.id)).toEqual({});
});

test('no file of the server has an address or a user agent of a log, while it arrives and after', async () => {
  showsKept('an import keeps nothing that tells a person in its files');
  const CANARY = 'CanaryBrowser-5d41402a/9.7';
  const [address, six] = ['198.51.100.237', '2001:db8:5d41:402a::bc4b'];
  const people = [
    { address, userAgent: `${CHROME} ${CANARY}` },
    { address: six, userAgent: `${GPT} ${CANARY}` },
  ];
  const site = await server.newSite();
  const requests = people.flatMap((who) => [at(0, who), at(1, who, { status: 404 }), at(2, who, { method: 'PUT' })]);
  const text = `${logOf('combined', requests, site.domain)}unreadable ${address} ${CANARY}\n`;
  const { importing } = server.app.services;
  const begun = { siteId: site.id, format: 'access-log', file: 'access.log', content: 'canary' };
  const which = { siteId: site.id, id: (await importing.begin(begun)).id };
  const [rows = { hits: [], sums: [] }] = await partsOf([fileOf('a', text)]);
  expect(JSON.stringify(rows)).toContain(CANARY);
  await importing.add({ ...which, part: 0 }, rows);
  const found = () => filesWith(server.folder, CANARY, address, six);
  expect(await found()).toEqual([]);
  await importing.finish({ ...which, replaced: [], notTaken: {} });
  expect(await found()).toEqual([]);
  expect(await server.app.services.directory.db.selectFrom('import_secrets').selectAll().execute()).toEqual([]);
});
