/** @module-tag attack */
/** @module-tag promise */
/** @module-tag long */
// Exports of a site and of an account: complete, without secrets and without ids of visitors, for owners alone, resumed after a kill and after a lost
// connection. An open export reads back with equal numbers.
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import Papa from 'papaparse';
import { parse } from 'devalue';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EXPORTED } from '../../server/accounts/account-export.ts';
import { createAccount } from '../../server/accounts/accounts.ts';
import { askExport, deleteExport } from '../../server/accounts/exports.ts';
import { receivingKey } from '../../server/directory/sealing.ts';
import { openDirectory } from '../../server/directory/open.ts';
import { openKeptFiles } from '../../server/jobs/exporting/kept-files.ts';
import { setPlan } from '../../server/accounts/billing/plans.ts';
import { goals } from '../../server/sites/definitions/goals.ts';
import { createNote, listNotes } from '../../server/sites/definitions/notes.ts';
import { createSegment, listSegments } from '../../server/sites/definitions/segments.ts';
import { funnels } from '../../server/sites/definitions/funnels.ts';
import { configureSite, type Site, siteById } from '../../server/sites/sites.ts';
import type { Stats } from '../../server/stats/run.ts';
import { EXPORTED_COLUMNS } from '../../server/stats/answers/exported-rows.ts';
import { SUMMED_DIMENSIONS } from '../../server/stats/days/summed-days.ts';
import { breakdownQuestion, errorsQuestion, timeseriesQuestion } from '../../server/stats/query.ts';
import type { Dimension } from '../../server/vocabulary/questions/dimensions.ts';
import type { Metric } from '../../server/vocabulary/numbers/metrics.ts';
import { contentOf } from '../../server/vocabulary/imports/content.ts';
import { openImport } from '../../server/vocabulary/imports/open.ts';
import { inParts } from '../../server/vocabulary/imports/parts.ts';
import { openFrame } from '../../server/jobs/exporting/unsealing.ts';
import { readFrames, readKeys } from '../../server/vocabulary/imports/reading/sealed.ts';
import { openReport } from '../../server/vocabulary/imports/report.ts';
import { DAY_MS, MINUTE_MS } from '../../server/vocabulary/time/time.ts';
import { makeAsk, makeWorld, type World } from '../setup/accounts/callers.ts';
import { openRandom } from '../setup/api/hostile-input.ts';
import { PASSWORD, testApp, type TestApp } from '../setup/app.ts';
import { tempFolder } from '../setup/folder.ts';
import { startPostgres } from '../setup/stores/postgres.ts';
import { makeAiVisit, makeError, makeEvent, makeVitals, SITE } from '../setup/event.ts';
import { fillStores, narrowedQuestions, QUESTIONS, statsOf } from '../setup/stats/questions.ts';
import { unzip } from '../setup/imports.ts';
import { showsKept, showsRefused, sized } from '../setup/run/harness.ts';
import { drawEvents } from '../setup/stats/random-events.ts';

type Shown = {
  id: string;
  state: string;
  done: number;
  total: number;
  bytes: number;
  kept_until: string | null;
  address: string | null;
};
type Headers = Record<string, string>;

/** Calls a procedure of exports, and returns what it answers. */
async function call<Answer>(server: TestApp, name: string, input: unknown, headers: Headers): Promise<Answer> {
  const { status, body } = await makeAsk(server)(`exports.${name}`, input, headers);
  if (status !== 200) throw new Error(`${status} ${body}`);
  return parse((JSON.parse(body) as { result: { data: string } }).result.data) as Answer;
}

const ask = (server: TestApp, headers: Headers, input: object = {}) =>
  call<Shown>(server, 'make', { site: null, kind: 'open', ...input }, headers);

async function listed(server: TestApp, headers: Headers, id: string): Promise<Shown | undefined> {
  return (await call<Shown[]>(server, 'list', undefined, headers)).find((one) => one.id === id);
}

/** Asks for an export, has it made, and returns it. */
async function made(server: TestApp, headers: Headers, input: object = {}): Promise<Shown> {
  const { id } = await ask(server, headers, input);
  await server.app.runJob('make-exports');
  const one = await listed(server, headers, id);
  if (one?.state !== 'ready') throw new Error(`The export is ${one?.state ?? 'gone'}.`);
  return one;
}

const get = (server: TestApp, { address }: Pick<Shown, 'address'>, headers: Headers = {}, method = 'GET') =>
  fetch(`${server.url}${address}`, { headers, method });

const download = async (server: TestApp, one: Shown, headers: Headers) => (await get(server, one, headers)).blob();

type Row = Record<string, string>;
const rowsOf = (csv = '') => Papa.parse<Row>(csv, { header: true, skipEmptyLines: true }).data;

let server: TestApp;
let world: World;
/** The export of a whole account. */
let ofAccount: Shown;
beforeAll(async () => {
  server = await testApp({ env: { LOG_LEVEL: 'silent' } });
  world = await makeWorld(server);
});
afterAll(() => server[Symbol.asyncDispose]());

test('an open export has every row of every site and of the directory, without secrets and without ids of visitors', async () => {
  showsKept('an export has no secret, no address and no id that the server uses');
  const { now } = server.clock;
  const times = [0, 1, 2, 30_000, MINUTE_MS, DAY_MS, 40 * DAY_MS].map((ago) => now - ago);
  const site_id = world.own.site.id;
  const events = times.map((time, index) =>
    makeEvent({
      site_id,
      visitor: `v${index}`,
      time,
      page: `/page-${index}`,
      utm_source: index === 4 ? '=cmd' : '',
      props: { plan: 'a"b\\' },
      ...(index === 3 && { amount: '12.5', currency: 'EUR' }),
    }),
  );
  const foreign = makeEvent({ site_id: world.other.site.id, time: now, page: '/foreign' });
  const measured = makeVitals({ site_id, visitor: 'v0', time: now, page: '/page-0', inp: null });
  const failed = makeError({ site_id, visitor: 'v0', time: now, page: '/page-0', error_message: '=cmd' });
  await server.app.collector.record([...events, foreign, measured, failed, makeAiVisit({ site_id, time: now })], now);
  await server.settle();
  const { headers } = world.own.login;
  const one = (ofAccount = await made(server, headers));
  expect([one.done, one.total]).toEqual([one.total, 2 * (6 + 1 + 1 + 1 + 1) + 4 * (6 + 1)]);
  const answer = await get(server, one, headers);
  expect(answer.headers.get('content-type')).toBe('application/zip');
  expect(answer.headers.get('content-disposition')).toBe('attachment; filename="footfall-2026-11-20.zip"');
  const files = await unzip(await answer.blob());

  const tables = Object.entries(EXPORTED).flatMap(([name, how]) => ('of' in how ? [{ name, of: how.of }] : []));
  const twice = (names: string[]) => names.flatMap((name) => [`${name}.csv`, `${name}.parquet`]);
  const ofSites = ['own.example', 'second.example'].flatMap((domain) => [
    ...tables.filter(({ name, of }) => of === 'site' || name === 'sites').map(({ name }) => `${domain}/${name}.json`),
    ...twice([`${domain}/settings`]),
  ]);
  const ofOwn = [
    'goals',
    'funnels',
    'segments',
    'notes',
    ...['2026-10', '2026-11'].flatMap((month) =>
      ['daily_sums', 'daily_goals', 'events'].map((table) => `${table}/${month}`),
    ),
    'ai_visits/2026-11',
    'vitals/2026-11',
    'errors/2026-11',
  ].map((name) => `own.example/${name}`);
  const accountFiles = tables.map(({ name }) => `account/${name}.json`);
  expect(Object.keys(files).sort()).toEqual(
    ['README.txt', 'schema.json', ...accountFiles, ...ofSites, ...twice(ofOwn)].sort(),
  );

  for (const [name, text] of Object.entries(files)) if (name.endsWith('.csv')) expect(text).toMatch(/^[^\n]+\r\n/);
  const rows = rowsOf(files['own.example/events/2026-11.csv']);
  expect(rows.map(({ page }) => page).sort()).toEqual([0, 1, 2, 3, 4, 5].map((index) => `/page-${index}`));
  const byPage = new Map(rows.map((row) => [row['page'], row]));
  times.slice(0, 6).forEach((time, index) => {
    const minute = new Date(time - (time % MINUTE_MS)).toISOString().replace('.000Z', 'Z');
    expect(byPage.get(`/page-${index}`)?.['time']).toBe(minute);
  });
  expect(byPage.get('/page-3')).toMatchObject({ amount: '12.5', currency: 'EUR', props: '{"plan":"a\\"b\\\\"}' });
  expect(byPage.get('/page-4')).toMatchObject({ utm_source: "'=cmd" });
  for (const row of rows) expect(Object.keys(row)).toEqual(Object.keys(EXPORTED_COLUMNS.events));
  expect(rowsOf(files['own.example/ai_visits/2026-11.csv'])).toHaveLength(1);
  expect(rowsOf(files['own.example/vitals/2026-11.csv'])).toMatchObject([
    { page: '/page-0', entry_page: '/page-0', country: 'DE', lcp: '2000', inp: '', cls: '0.05' },
  ]);
  expect(rowsOf(files['own.example/errors/2026-11.csv'])).toMatchObject([
    { page: '/page-0', entry_page: '/page-0', error_kind: 'rejection', error_message: "'=cmd", occurrences: '1' },
  ]);
  const schema = JSON.parse(files['schema.json'] ?? '') as { $defs: Record<string, { required: string[] }> };
  for (const [table, { required }] of Object.entries(schema.$defs)) {
    const [name = ''] = Object.keys(files).filter(
      (path) => path.startsWith(`own.example/${table}/`) && path.endsWith('.csv'),
    );
    expect([table, Object.keys(rowsOf(files[name])[0] ?? {})]).toEqual([table, required]);
  }

  const text = Object.values(files).join('\n');
  for (const { visitor_id, event_id } of events)
    for (const id of [visitor_id, event_id]) {
      expect(text).not.toContain(id);
      expect(text).not.toContain(BigInt(`0x${id}`).toString());
    }
  const { db } = server.app.services.directory;
  const hashes = [];
  for (const table of ['api_keys', 'share_links', 'ingest_tokens'] as const)
    hashes.push(...(await db.selectFrom(table).select('hash').execute()));
  expect(hashes.length).toBeGreaterThan(5);
  for (const { hash } of hashes) expect(text).not.toContain(hash);
  for (const { secret } of await db.selectFrom('salts').select('secret').execute()) expect(text).not.toContain(secret);
  expect(text).not.toMatch(/other\.example|foreign/);
  const people = JSON.parse(files['account/members.json'] ?? '[]') as { email: string }[];
  expect(people.map(({ email }) => email)).toContain('admin@own.example');
});

const NOW = Date.UTC(2026, 10, 20, 12);
const GOALS = [
  { kind: 'event', event: 'signup', props: {} },
  { kind: 'page', page: '/pricing' },
  { kind: 'event', event: 'never', props: {} },
] as const;

/** A site with the goals above, and the headers of its owner. */
async function goalSite(domain: string): Promise<{ site: Site; headers: Headers }> {
  const site = await server.addSite(domain);
  const { directory } = server.app.services;
  for (const [index, definition] of GOALS.entries())
    await goals.create(directory, { siteId: site.id, name: `goal ${index}`, definition }, NOW);
  return { site, headers: { cookie: await server.logIn(`owner@${domain}`) } };
}

const RANGE = { period: 'custom', date_from: '2026-10-25', date_to: '2026-11-19' };
const PLAIN = ['unique_visitors', 'visits', 'pageviews', 'events'] as const;

/** All lists of a site, its chart and its goals. */
async function numbersOf(site: Site) {
  const { stats } = server.app.services;
  const list = async (dimension: Dimension, metrics: readonly Metric[]) => {
    const asked = { site_id: site.id, ...RANGE, dimension, metrics };
    const { rows } = await stats.breakdown(breakdownQuestion.parse(asked), site, NOW);
    return rows.map(({ name, values }) => ({ name: dimension === 'goal' ? '' : name, values }));
  };
  const lists = [];
  for (const dimension of SUMMED_DIMENSIONS) lists.push([dimension, await list(dimension, PLAIN)]);
  const charts = [];
  for (const metric of [...PLAIN, 'bounce_rate', 'visit_duration', 'conversions', 'conversion_rate'] as const) {
    const asked = timeseriesQuestion.parse({ site_id: site.id, ...RANGE, metric, interval: 'day' });
    charts.push([metric, (await stats.timeseries(asked, site, NOW)).points]);
  }
  return { lists, charts, goals: await list('goal', ['conversions', 'converted_visitors', 'conversion_rate']) };
}

async function importInto(site: Site, archive: Blob): Promise<void> {
  const opened = await openImport([{ name: 'export.zip', blob: archive }], { domain: site.domain });
  expect([opened.format, opened.kind]).toEqual(['footfall', 'sums']);
  const reading = openReport(opened);
  for await (const batch of opened.read()) reading.add(batch);
  const report = reading.report();
  expect(report.rejected).toBe(0);
  const { importing } = server.app.services;
  const begun = { siteId: site.id, format: opened.format, file: 'export.zip', content: contentOf(report) };
  const { id } = await importing.begin(begun);
  let part = 0;
  for await (const rows of inParts(opened.read())) {
    await importing.add({ siteId: site.id, id, part }, rows);
    part += 1;
  }
  await importing.finish({ siteId: site.id, id, replaced: [], notTaken: {} });
}

test('an open export reads back with equal totals, lists, charts and goals, also a second time', async () => {
  const from = await goalSite('from.example');
  const random = openRandom(30_030);
  const events = drawEvents(random, { from: Date.UTC(2026, 9, 27), days: 7 }).map((event) => ({
    ...event,
    site_id: from.site.id,
    ...(random.chance(0.2) && { source: random.pick(['=evil()', '@twitter', "'quoted", "'=quoted", '-1']) }),
  }));
  await server.app.collector.record(events, NOW);
  await server.settle();
  const wanted = await numbersOf(from.site);
  const [first] = wanted.charts as [string, { value: number }[]][];
  expect(first?.[1].reduce((sum, { value }) => sum + value, 0)).toBeGreaterThan(100);
  expect(wanted.goals.map(({ values }) => values.conversions)).toEqual([118, 51]);

  const archive = await download(server, await made(server, from.headers), from.headers);
  const to = await goalSite('to.example');
  await importInto(to.site, archive);
  expect(await numbersOf(to.site)).toEqual(wanted);

  const again = await goalSite('again.example');
  await importInto(again.site, await download(server, await made(server, to.headers), to.headers));
  expect(await numbersOf(again.site)).toEqual(wanted);
});

/** Exports of a site without numbers take least time. */
const small = () => ({ site: world.second.id });

describe('the file of an export', () => {
  test('is sent from where a lost connection left off', async () => {
    const { headers } = world.own.login;
    const one = await made(server, headers, small());
    const whole = Buffer.from(await (await download(server, one, headers)).arrayBuffer());
    expect(whole).toHaveLength(one.bytes);
    const part = async (range: string, more: Headers = {}, method = 'GET') => {
      const answer = await get(server, one, { ...headers, range, ...more }, method);
      return [answer.status, answer.headers.get('content-range'), Buffer.from(await answer.arrayBuffer())] as const;
    };
    const etag = (await get(server, one, headers, 'HEAD')).headers.get('etag') ?? '';
    const last = one.bytes - 1;
    expect(await part('bytes=100-')).toEqual([206, `bytes 100-${last}/${one.bytes}`, whole.subarray(100)]);
    expect(await part('bytes=0-9', { 'if-range': etag })).toEqual([
      206,
      `bytes 0-9/${one.bytes}`,
      whole.subarray(0, 10),
    ]);
    expect(await part('bytes=-7')).toEqual([206, `bytes ${last - 6}-${last}/${one.bytes}`, whole.subarray(-7)]);
    expect(await part(`bytes=5-${one.bytes * 2}`)).toEqual([206, `bytes 5-${last}/${one.bytes}`, whole.subarray(5)]);
    expect(await part('bytes=0-9', { 'if-range': '"another"' })).toEqual([200, null, whole]);
    expect(await part('bytes=0-9,20-29')).toEqual([200, null, whole]);
    expect(await part(`bytes=${one.bytes}-`)).toEqual([416, `bytes */${one.bytes}`, Buffer.alloc(0)]);
    expect(await part('bytes=9-0')).toEqual([416, `bytes */${one.bytes}`, Buffer.alloc(0)]);
    expect((await part('bytes=0-9', {}, 'HEAD')).slice(0, 2)).toEqual([206, `bytes 0-9/${one.bytes}`]);
    await call(server, 'delete', { id: one.id }, headers);
    await server.app.runJob('sweep-exports');
    expect((await get(server, one, headers)).status).toBe(404);
    expect(await readdir(join(server.folder, 'exports'))).not.toContain(one.id);
  });

  test('is made after a stop and after failures, and not once nobody wants it', async () => {
    const { headers } = world.own.login;
    const { store } = server.app;
    const copyOut = store.copyOut.bind(store);
    const { exporting } = server.app.services;
    /** Runs the job, and does something when the first file is written. */
    const runUntil = async (then: (stopping: AbortController) => Promise<void>) => {
      const stopping = new AbortController();
      store.copyOut = async (...given) => {
        store.copyOut = copyOut;
        await then(stopping);
        return copyOut(...given);
      };
      await exporting.run({ signal: stopping.signal });
    };
    const { id } = await ask(server, headers, small());
    await runUntil((stopping) => Promise.resolve(stopping.abort()));
    expect(await listed(server, headers, id)).toMatchObject({ state: 'making', address: null });
    expect((await get(server, { address: `/export/${id}.zip` }, headers)).status).toBe(404);
    await runUntil(() => Promise.reject(new Error('the disk is gone')));
    expect(await listed(server, headers, id)).toMatchObject({ state: 'making' });
    await server.app.runJob('make-exports'); // too early
    expect(await listed(server, headers, id)).toMatchObject({ state: 'making' });
    server.clock.now += 2 * MINUTE_MS;
    await server.app.runJob('make-exports');
    expect(await listed(server, headers, id)).toMatchObject({ state: 'ready' });
    const after = await get(server, { address: `/export/${id}.zip` }, headers);
    expect(Object.keys(await unzip(await after.blob()))).toContain('README.txt');
    await call(server, 'delete', { id }, headers);

    const failing = await ask(server, headers, small());
    for (let tries = 0; tries < 3; tries += 1) {
      await runUntil(() => Promise.reject(new Error('the disk is gone')));
      server.clock.now += 2 * MINUTE_MS;
    }
    await server.app.runJob('make-exports');
    expect(await listed(server, headers, failing.id)).toMatchObject({ state: 'failed' });
    await call(server, 'delete', { id: failing.id }, headers);

    const unwanted = await ask(server, headers, small());
    await runUntil(() => call(server, 'delete', { id: unwanted.id }, headers));
    expect(await listed(server, headers, unwanted.id)).toBeUndefined();
    const left = await readdir(server.folder, { recursive: true });
    expect(left.filter((path) => path.includes(unwanted.id) || path.startsWith('exports-making/'))).toEqual([]);
  });

  test('is for owners alone, for a day, also after the plan has ended', async () => {
    showsRefused('access to data of other accounts', 9);
    for (const who of ['nobody', 'a viewer', 'a billing member', 'an admin', 'a share link of the site'] as const) {
      const { status } = await world.ask('exports.make', { site: null, kind: 'open' }, world.askers[who].headers);
      expect([who, status >= 400]).toEqual([who, true]);
      const download = await get(server, ofAccount, world.askers[who].headers);
      expect([who, [401, 403, 404].includes(download.status)]).toEqual([who, true]);
    }
    expect((await get(server, ofAccount, world.own.login.headers, 'POST')).status).toBe(405);
    const { headers } = world.other.login;
    expect((await get(server, ofAccount, headers)).status).toBe(404);
    expect(await world.ask('exports.delete', { id: ofAccount.id }, headers)).toMatchObject({ status: 404 });
    expect((await world.ask('exports.make', { site: world.second.id, kind: 'open' }, headers)).status).toBe(404);

    const { id } = world.other.account;
    await setPlan(server.app.services.directory, { accountId: id, status: 'expired' }, server.clock.now);
    const ended = await made(server, headers);
    expect((await get(server, ended, headers)).status).toBe(200);
    for (let more = 1; more < 5; more += 1) await ask(server, headers);
    expect((await world.ask('exports.make', { site: null, kind: 'open' }, headers)).status).toBe(429);
    server.clock.now += DAY_MS;
    expect((await get(server, ended, headers)).status).toBe(404);
    expect(await call<Shown[]>(server, 'list', undefined, headers)).toHaveLength(4);
  });
});

test('where processes share PostgreSQL, it keeps the files', async () => {
  await using postgres = await startPostgres();
  const directory = await openDirectory({ databaseUrl: postgres.url, path: '' });
  await using _ = { [Symbol.asyncDispose]: () => directory.close() };
  const { account, user } = await createAccount(directory, { email: 'a@example.com', password: PASSWORD }, NOW);
  const wish = { accountId: account.id, siteId: null, userId: user.id, kind: 'open' as const, recipient: null };
  const { id } = await askExport(directory, wish, NOW);
  const content = Buffer.alloc(2_500_000, 'footfall');
  await using folder = await tempFolder();
  const path = join(folder.path, 'archive');
  await writeFile(path, content);
  const files = openKeptFiles(directory, folder.path);
  for (let times = 0; times < 2; times += 1) await files.keep(id, path);
  const read = async (first: number, last: number) => buffer(await files.read(id, { first, last }));
  expect((await read(0, 2_499_999)).equals(content)).toBe(true);
  expect((await read(1_048_570, 2_097_160)).equals(content.subarray(1_048_570, 2_097_161))).toBe(true);
  await deleteExport(directory, { accountId: account.id, id });
  await expect(read(0, 10)).rejects.toThrow();
});

/** Sends a sealed export as the dashboard does. */
async function unseal(site: Site, sealed: Blob): Promise<void> {
  const { importing } = server.app.services;
  const keys = Buffer.from(await readKeys('a.sealed', sealed));
  const frames: { keys: Buffer; frame: Buffer }[] = [];
  for await (const { bytes } of readFrames('a.sealed', sealed)) frames.push({ keys, frame: Buffer.from(bytes) });
  const [first, ...rest] = frames;
  const last = rest.pop();
  if (!first) throw new Error('The file has no frames.');
  const manifest = await importing.openSealed({ siteId: site.id, ...first });
  expect(manifest.days.length).toBeGreaterThan(0);
  const content = keys.toString('base64');
  const { id } = await importing.begin({ siteId: site.id, format: 'sealed', file: 'a.sealed', content });
  for (const [part, frame] of rest.entries()) {
    await importing.addSealed({ siteId: site.id, id, part }, frame);
    if (part === 0) await importing.addSealed({ siteId: site.id, id, part }, frame); // its answer was lost
  }
  await importing.finish({ siteId: site.id, id, replaced: [], notTaken: {}, last });
}

/** All that a sealed export says to whom it was made for. */
async function textOf(site: Site, sealed: Blob): Promise<string> {
  const { directory } = server.app.services;
  const keys = Buffer.from(await readKeys('a.sealed', sealed));
  const texts: string[] = [];
  for await (const { bytes, ...at } of readFrames('a.sealed', sealed))
    texts.push(await openFrame(directory, { site, keys, frame: Buffer.from(bytes) }, { ...at, now: server.clock.now }));
  return texts.join('\n');
}

/** The same questions about another site. */
function aboutSite(stats: Stats, siteId: string): Stats {
  const named = (value: unknown, from: string, to: string): unknown => {
    if (value === from) return to;
    if (Array.isArray(value)) return value.map((one) => named(one, from, to));
    if (value instanceof Map) return new Map(named([...value], from, to) as [unknown, unknown][]);
    if (!(value instanceof Object) || value instanceof Function) return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, named(one, from, to)]));
  };
  return new Proxy(stats, {
    get:
      (target, name: keyof Stats) =>
      async (...given: unknown[]) => {
        const ask = target[name] as (...asked: unknown[]) => Promise<unknown>;
        return named(await ask(...(named(given, SITE, siteId) as unknown[])), siteId, SITE);
      },
  });
}

/** Terms of Search Console stay where they are, imported rows count towards no quota, and a statement names its site. */
const NOT_SEALED: readonly (keyof Stats)[] = ['searchTerms', 'countEvents', 'countEventsBySite', 'exportedDays'];

describe('a sealed export', () => {
  test('arrives whole: every question has the same answer, and what people have set up is there', async () => {
    const from = await server.addSite('sealed.example');
    const { directory } = server.app.services;
    await directory.db.updateTable('sites').set({ id: SITE }).where('id', '=', from.id).execute();
    await fillStores([server.app.store]);
    const signup = { kind: 'event', event: 'signup', props: {} } as const;
    const goal = await goals.create(directory, { siteId: SITE, name: 'Sign-up', definition: signup }, NOW);
    const steps = [{ goal: goal.id }, { kind: 'page' as const, page: '/thanks' }];
    const funnel = { steps, within: 'visit' as const, order: 'any_between' as const };
    await funnels.create(directory, { siteId: SITE, name: 'Buying', definition: funnel }, NOW);
    const filters = [{ dimension: 'goal' as const, operator: 'is' as const, values: [goal.id] }];
    await createSegment(directory, { siteId: SITE, owner: null, name: 'Signed up', filters }, NOW);
    const note = { day: '2026-11-16', text: 'Launched', is_private: true, kind: 'note' as const };
    const release = { day: '2026-11-17', text: 'Release 2', is_private: false, kind: 'release' as const };
    for (const content of [note, release]) await createNote(directory, { siteId: SITE, content }, NOW);
    await configureSite(
      directory,
      { siteId: SITE, currency: 'CHF', max_amount: 77, settings: { limits_members: true } },
      NOW,
    );

    const headers = { cookie: await server.logIn('owner@sealed.example') };
    const to = await server.addSite('unsealed.example');
    const key = await receivingKey(directory, to.account_id, NOW);
    const one = await made(server, headers, { site: SITE, kind: 'sealed', recipient: key });
    expect(one.total).toBeGreaterThan(100);
    expect(one.done).toBe(one.total);
    const sealed = await download(server, one, headers);
    await unseal(to, sealed);

    showsKept('an export has no secret, no address and no id that the server uses');
    const text = await textOf(to, sealed);
    const numbers = new Set(text.match(/\d{10,}/g));
    const ids = await server.app.store.query<{ id: string }>(
      `SELECT DISTINCT toString(arrayJoin([event_id, visitor_id, visit_id])) AS id FROM events
        WHERE site_id = {site:String} AND length(id) >= 10`,
      { site: SITE },
    );
    expect(ids.length).toBeGreaterThan(100);
    expect(numbers.size).toBeGreaterThan(100);
    expect(ids.filter(({ id }) => numbers.has(id))).toEqual([]);
    const salts = await directory.db.selectFrom('salts').select('secret').execute();
    expect(salts.length).toBeGreaterThan(0);
    for (const { secret } of salts) expect(text).not.toContain(secret);

    const stats = statsOf(server.app.store);
    const asked = Object.entries(QUESTIONS).filter(([name]) => !NOT_SEALED.includes(name as keyof Stats));
    const most = sized({ short: 1, long: 1_000 });
    for (const [name, questions] of [...asked, ['narrowed', narrowedQuestions(200)] as const])
      for (const [index, question] of questions.slice(-most).entries())
        expect([name, index, await question(aboutSite(stats, to.id))]).toEqual([name, index, await question(stats)]);

    const ofErrors = errorsQuestion.parse({
      site_id: SITE,
      period: 'custom',
      date_from: '2026-11-15',
      date_to: '2026-11-19',
    });
    const errorsOf = (given: Stats) => given.errors(ofErrors, to, NOW);
    const wanted = await errorsOf(server.app.services.stats);
    expect(wanted.rows.map(({ since }) => since)).toContain('Release 2');
    expect(await errorsOf(aboutSite(server.app.services.stats, to.id))).toEqual(wanted);

    const of = { siteId: to.id };
    const [made_] = await goals.list(directory, of);
    expect(made_).toMatchObject({ name: 'Sign-up', ...signup });
    expect(await funnels.list(directory, of)).toMatchObject([
      { name: 'Buying', steps: [{ goal: made_?.id }, steps[1]] },
    ]);
    expect(await listSegments(directory, of)).toMatchObject([
      { name: 'Signed up', filters: [{ ...filters[0], values: [made_?.id] }] },
    ]);
    expect(await listNotes(directory, { ...of, isShared: false })).toMatchObject([release, note]);
    const settings = { currency: 'CHF', max_amount: 77, settings: { limits_members: true } };
    expect(await siteById(directory, to.id)).toMatchObject(settings);
  });
});
