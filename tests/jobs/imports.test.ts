/** @module-tag fault */
// Imports of what other products counted: they count once they are whole, never half or twice, and leave every store when they are removed.
import { parse, stringify } from 'devalue';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Site } from '../../server/sites/sites.ts';
import { breakdownQuestion, summaryQuestion, trendsQuestion } from '../../server/stats/query.ts';
import { DAY_MS } from '../../server/vocabulary/time/time.ts';
import { testApp, type TestApp } from '../setup/app.ts';
import { keyFor, restOf } from '../setup/api/rest.ts';
import { CHROME } from '../setup/browser/user-agent.ts';
import { IMPORTED_HIT } from '../setup/event.ts';
import { importedSum } from '../setup/imports.ts';

const NOVEMBER = { date_from: '2026-11-02', date_to: '2026-11-03' };
const IMPORTED = ['imported_sums', 'imported_days'];

type Shown = {
  id: string;
  file: string;
  state: string;
  parts: number;
  brought: { first_day: string; last_day: string; days: number; pageviews: number; visitors: number } | null;
  not_taken: Record<string, number>;
};

let server: TestApp;
beforeAll(async () => {
  server = await testApp({ env: { LOG_LEVEL: 'silent' } });
});
afterAll(() => server[Symbol.asyncDispose]());

/** A site whose owner calls the procedures of imports. */
async function openSite() {
  const site = await server.newSite();
  const cookie = await server.logIn(`owner@${site.domain}`);
  const call = async <Data>(name: string, input: object = {}): Promise<Data> => {
    const [body, headers] = [
      JSON.stringify(stringify({ site_id: site.id, ...input })),
      { cookie, origin: server.url, 'content-type': 'application/json' },
    ];
    const path = `${server.url}/trpc/imports.${name}`;
    const answer = await (['list', 'takenDays'].includes(name)
      ? fetch(`${path}?input=${encodeURIComponent(body)}`, { headers })
      : fetch(path, { method: 'POST', headers, body }));
    const said = (await answer.json()) as { result?: { data: string }; error?: string };
    if (!answer.ok) throw new Error(JSON.stringify(said));
    return parse(said.result?.data ?? '') as Data;
  };
  const begin = (content: string) => call<Shown>('begin', { format: 'csv', file: `${content}.csv`, content });
  return { site, call, begin };
}

const ofPage = (day: string, label: string, pageviews: number) =>
  importedSum(day, {
    dimension: 'page',
    label,
    pageviews,
    visitors: pageviews,
    visits: 0,
    bounces: 0,
    visit_seconds: 0,
  });

/** Page views and visitors of November. */
async function totals(site: Site, more: object = {}): Promise<[number, number]> {
  const asked = { site_id: site.id, period: 'custom', date_from: '2026-11-01', date_to: '2026-11-20', ...more };
  const question = { ...summaryQuestion.parse(asked), metrics: ['pageviews' as const, 'unique_visitors' as const] };
  const { values } = await server.app.services.stats.totals(question, site, server.clock.now);
  return [values.pageviews ?? 0, values.unique_visitors ?? 0];
}

const rowsOf = async (site: Site) => {
  const counted = IMPORTED.map((table) =>
    server.app.store.query<{ n: string }>(`SELECT toString(count()) AS n FROM ${table} WHERE site_id = {site:String}`, {
      site: site.id,
    }),
  );
  return (await Promise.all(counted)).map(([row]) => Number(row?.n));
};

test('rows count once the last has come, are listed with what they brought, and are gone at once when the import is removed', async () => {
  const { site, call, begin } = await openSite();
  const { id, state, parts } = await begin('two days');
  expect([state, parts]).toEqual(['reading', 0]);
  await call('check', { format: 'csv', file: 'two days.csv', content: 'two days' }); // it goes on
  await call('add', { id, part: 0, sums: [importedSum('2026-11-01'), ofPage('2026-11-01', '/', 30)] });
  await call('add', {
    id,
    part: 1,
    sums: [importedSum('2026-11-02', { pageviews: 20 }), importedSum('2026-11-02', { visitors: 1 })],
  });
  expect(await totals(site)).toEqual([0, 0]);

  const brought = { first_day: '2026-11-01', last_day: '2026-11-02', days: 2, pageviews: 80, visitors: 21 };
  const done = await call<Shown>('finish', { id, not_taken: { bot: 3 } });
  const who = { actor: 'person', by: `owner@${site.domain}` };
  expect(done).toMatchObject({ state: 'done', brought, not_taken: { bot: 3 }, ...who });
  expect(await call<Shown[]>('list')).toEqual([done]);
  expect(await totals(site)).toEqual([80, 21]);
  expect(await totals(site, { include_imported: false })).toEqual([0, 0]);
  expect(await call('takenDays')).toEqual({
    counted: [],
    paid: [],
    imported: [{ id, file: 'two days.csv', days: ['2026-11-01', '2026-11-02'] }],
  });
  expect(await call<Shown>('finish', { id })).toEqual(done); // asked again, because the answer was lost
  const same = { format: 'csv', file: 'again.csv', content: 'two days' };
  await expect(call('check', same)).rejects.toThrow('again.csv: this was imported before, on 2026-11-20.');

  await call('remove', { id });
  expect(await totals(site)).toEqual([0, 0]);
  expect(await call('list')).toEqual([]);
  expect(await rowsOf(site)).toEqual([0, 0]);
  await expect(call('remove', { id })).rejects.toThrow('There is no such import of this site.');
});

test('days that do not tell a number have null in the API and nothing in CSV, whole or by week', async () => {
  const { site, call, begin } = await openSite();
  const { id } = await begin('no visits');
  const untold = { visits: null, pageviews: null, bounces: null, visit_seconds: null };
  await call('add', {
    id,
    part: 0,
    sums: [importedSum('2026-11-02', untold), importedSum('2026-11-03', untold), importedSum('2026-11-10')],
  });
  await call('finish', { id, not_taken: {} });
  const { ask } = await restOf(server, await keyFor(server, site));
  const period = 'period=custom&date_from=2026-11-02&date_to=2026-11-10';
  const stepsOf = async (interval: string) => {
    const path = `/v1/stats/timeseries?site_id=${site.id}&${period}&metrics=unique_visitors,visits,bounce_rate&interval=${interval}`;
    const { data } = (await ask(path)).body as { data: Record<string, unknown>[] };
    return data.map(({ unique_visitors, visits, bounce_rate }) => [unique_visitors, visits, bounce_rate]);
  };
  const nothing = [0, 0, 0];
  expect(await stepsOf('day')).toEqual([
    [10, null, null],
    [10, null, null],
    ...Array.from({ length: 6 }, () => nothing),
    [10, 12, 50],
  ]);
  expect(await stepsOf('week')).toEqual([
    [20, null, null],
    [10, 12, 50],
  ]);
  const question = summaryQuestion.parse({ site_id: site.id, period: 'custom', ...NOVEMBER });
  const summary = await server.app.services.stats.summary(question, site, server.clock.now);
  const untoldIn = summary.metrics.filter((metric) => metric.untold).map(({ name }) => name);
  expect(untoldIn).toEqual(['visits', 'pageviews', 'views_per_visit', 'bounce_rate', 'visit_duration']);
  const cookie = await server.logIn(`owner@${site.domain}`);
  const csv = await fetch(`${server.url}/export/${site.id}.csv?date_from=2026-11-02&date_to=2026-11-02`, {
    headers: { cookie },
  });
  expect((await csv.text()).split('\r\n')[1]).toBe('2026-11-02,,10,,,');
});

test('an import that was interrupted goes on where it stopped; parts that are sent again count once', async () => {
  const { site, call, begin } = await openSite();
  const first = await begin('large');
  await call('add', { id: first.id, part: 0, sums: [importedSum('2026-11-01')] });
  const again = await begin('large');
  expect([again.id, again.parts]).toEqual([first.id, 1]);
  await call('add', { id: first.id, part: 0, sums: [importedSum('2026-11-01')] });
  await expect(call('add', { id: first.id, part: 2, sums: [importedSum('2026-11-01')] })).rejects.toThrow(
    'part: the next is 1.',
  );
  // A process that was killed between storing a part and recording it.
  await server.app.store.imported.save(
    { site_id: site.id, summing: first.id },
    {
      rows: [
        {
          day: '2026-11-02',
          dimension: '',
          label: '',
          unique_visitors: 10,
          visits: 12,
          pageviews: 30,
          events: 1,
          bounces: 6,
          visit_ms: 600_000,
        },
      ],
      token: `${first.id}/1`,
    },
  );
  await call('add', { id: first.id, part: 1, sums: [importedSum('2026-11-02')] });
  await call('finish', { id: first.id });
  expect(await totals(site)).toEqual([60, 20]);
  await expect(begin('large')).rejects.toThrow(
    'large.csv: this was imported before, on 2026-11-20. Remove that import first.',
  );
});

test('a removal that a killed process left, and what never arrived whole, are finished by the job', async () => {
  const { site, call, begin } = await openSite();
  const { db } = server.app.services.directory;
  const left = await begin('killed');
  await call('add', { id: left.id, part: 0, sums: [importedSum('2026-11-01')] });
  await call('finish', { id: left.id });
  await db.updateTable('imports').set({ state: 'removing' }).where('id', '=', left.id).execute();
  const waiting = await begin('waiting');
  await call('add', { id: waiting.id, part: 0, sums: [importedSum('2026-11-02')] });
  await server.app.runJob('tidy-imports');
  expect((await call<Shown[]>('list')).map(({ id }) => id)).toEqual([waiting.id]);
  expect(await rowsOf(site)).toEqual([1, 0]);
  server.clock.now += 8 * DAY_MS;
  await server.app.runJob('tidy-imports');
  server.clock.now -= 8 * DAY_MS;
  expect(await call('list')).toEqual([]);
  expect(await rowsOf(site)).toEqual([0, 0]);
});

test('a day with events keeps its own, unless the owner chooses the import for it', async () => {
  const { site, call, begin } = await openSite();
  const url = `https://${site.domain}/`;
  await server.foot({ site: site.domain, name: 'pageview', url });
  await server.settle();
  const import_ = async (content: string, replaced: string[]) => {
    const { id } = await begin(content);
    await call('add', { id, part: 0, sums: [importedSum('2026-11-19'), importedSum('2026-11-20')] });
    await call('finish', { id, replaced });
    return id;
  };
  const id = await import_('kept', []);
  const imported = [{ id, file: 'kept.csv', days: ['2026-11-19', '2026-11-20'] }];
  expect(await call('takenDays')).toEqual({ counted: ['2026-11-20'], paid: [], imported });
  expect(await totals(site)).toEqual([31, 11]);
  await call('remove', { id });
  await import_('replaced', ['2026-11-20']);
  expect(await totals(site)).toEqual([60, 20]);
});

test('a source that a tag made up is one row of lists and trends, whichever product counted it', async () => {
  const { site, call, begin } = await openSite();
  const url = `https://${site.domain}/?utm_source=newsletter`;
  for (const version of [140, 141, 142])
    await server.foot(
      { site: site.domain, name: 'pageview', url },
      { 'user-agent': CHROME.replace('142', `${version}`) },
    );
  await server.settle();
  const { id } = await begin('tagged');
  const ofSource = (dimension: 'source' | 'utm_source', label: string, visitors: number) =>
    importedSum('2026-11-19', { dimension, label, visitors });
  const sums = [
    importedSum('2026-11-19', { visitors: 140 }),
    ofSource('source', 'Newsletter', 120),
    ofSource('utm_source', 'Newsletter', 120),
    ofSource('source', 'Hacker News', 15),
    ofSource('source', 'm.facebook.com', 5),
  ];
  await call('add', { id, part: 0, sums });
  await call('finish', { id });
  const { stats } = server.app.services;
  const asked = {
    site_id: site.id,
    period: 'custom',
    date_from: '2026-11-19',
    date_to: '2026-11-20',
    dimension: 'source',
  };
  const list = breakdownQuestion.parse({ ...asked, metrics: ['unique_visitors'] });
  const { rows } = await stats.breakdown(list, site, server.clock.now);
  expect(rows.map(({ name, values }) => [name, values.unique_visitors])).toEqual([
    ['Newsletter', 123],
    ['Hacker News', 15],
    ['Facebook', 5],
  ]);
  const trend = trendsQuestion.parse({ ...asked, metric: 'unique_visitors', interval: 'day', names: ['Newsletter'] });
  expect((await stats.trends(trend, site, server.clock.now)).rows).toEqual([{ name: 'Newsletter', values: [120, 3] }]);
});

describe('are refused with a sentence', () => {
  const wrong: [string, object, string][] = [
    ['a day that does not exist', importedSum('2026-02-30'), 'must be a day such as 2026-12-31'],
    ['a day before the web', importedSum('1994-12-31'), 'must be a day such as 2026-12-31'],
    ['a day in the future', importedSum('2026-11-22'), '2026-11-22 is in the future.'],
    ['a negative count', importedSum('2026-11-01', { visits: -1 }), 'visits'],
    ['a part of a visitor', importedSum('2026-11-01', { visitors: 0.5 }), 'visitors'],
    ['a gigantic count', importedSum('2026-11-01', { pageviews: 1e15 }), 'pageviews'],
    [
      'a dimension that is not known',
      { ...importedSum('2026-11-01'), dimension: 'shoe_size' },
      'must be empty, or a dimension',
    ],
    ['a property', { ...importedSum('2026-11-01'), dimension: 'prop:plan' }, 'must be empty, or a dimension'],
    ['a label of ten kilobytes', importedSum('2026-11-01', { dimension: 'page', label: 'x'.repeat(10_000) }), 'label'],
    ['a field that is not known', { ...importedSum('2026-11-01'), address: '203.0.113.9' }, 'address'],
  ];
  test.each(wrong)('%s', async (_what, one, sentence) => {
    const { site, call, begin } = await openSite();
    const { id } = await begin('wrong');
    await expect(call('add', { id, part: 0, sums: [importedSum('2026-11-01'), one] })).rejects.toThrow(sentence);
    expect(await rowsOf(site)).toEqual([0, 0]);
  });

  test('an import without a day', async () => {
    const { call, begin } = await openSite();
    const { id } = await begin('empty');
    await call('add', { id, part: 0, sums: [ofPage('2026-11-01', '/', 3)] });
    await expect(call('finish', { id })).rejects.toThrow('empty.csv: it has no day that is not counted already.');
  });
});

test('a request of a log that is refused is not repeated in the answer', async () => {
  const { site, call, begin } = await openSite();
  const { id } = await begin('request');
  const request = { address: '198.51.100.23', user_agent: `Canary/1 ${'x'.repeat(600)}`, status: 200 };
  const hit = { ...IMPORTED_HIT, time: server.clock.now - DAY_MS, request };
  const error: unknown = await call('add', { id, part: 0, hits: [hit] }).catch((thrown: unknown) => thrown);
  expect(String(error)).toContain('user_agent');
  expect(String(error)).not.toMatch(/Canary|198\.51/);
  await call('add', { id, part: 0, hits: [{ ...hit, request: { ...request, user_agent: CHROME } }] });
  expect(await call<Shown>('finish', { id })).toMatchObject({ brought: { pageviews: 1, visitors: 1 }, ai_visits: 0 });
  expect(await totals(site)).toEqual([1, 1]);
});

test('hostile labels stay what they are, and are text everywhere', async () => {
  const { site, call, begin } = await openSite();
  const hostile = `'; DROP TABLE events; --\t\n<img src=x onerror=alert(1)>{site_id:String}`;
  const { id } = await begin('hostile');
  await call('add', { id, part: 0, sums: [importedSum('2026-11-01'), ofPage('2026-11-01', hostile, 30)] });
  await call('finish', { id });
  const rows = await server.app.store.query(
    "SELECT label FROM imported_sums WHERE site_id = {site:String} AND dimension = 'page'",
    { site: site.id },
  );
  expect(rows).toEqual([{ label: hostile }]);
});

test('days of an earlier import stay its own if the later one leaves them, and are the later one’s once it is removed', async () => {
  const { site, call, begin } = await openSite();
  const earlier = await begin('earlier');
  await call('add', { id: earlier.id, part: 0, sums: [importedSum('2026-11-01', { pageviews: 7, visitors: 3 })] });
  await call('finish', { id: earlier.id });
  server.clock.now += 1;
  const later = await begin('later');
  await call('add', { id: later.id, part: 0, sums: [importedSum('2026-11-01'), importedSum('2026-11-02')] });
  await call('finish', { id: later.id, keeps_others: true });
  expect(await totals(site)).toEqual([37, 13]);
  expect(await call('takenDays')).toEqual({
    counted: [],
    paid: [],
    imported: [
      { id: later.id, file: 'later.csv', days: ['2026-11-02'] },
      { id: earlier.id, file: 'earlier.csv', days: ['2026-11-01'] },
    ],
  });
  const hits = ['2026-11-01', '2026-11-03'].map((day) => ({ ...IMPORTED_HIT, time: Date.parse(`${day}T12:00:00Z`) }));
  const { id } = await begin('hits');
  await call('add', { id, part: 0, hits });
  const { brought } = await call<Shown>('finish', { id, keeps_others: true });
  expect(brought).toMatchObject({
    first_day: '2026-11-03',
    last_day: '2026-11-03',
    days: 1,
    pageviews: 1,
    visitors: 1,
  });
  expect(await totals(site)).toEqual([38, 14]);
  await call('remove', { id: earlier.id });
  expect(await totals(site)).toEqual([61, 21]);
});
