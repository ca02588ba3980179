/** @module-tag long */
// Three doors give the same number: for random ranges and filters over a seeded site, the API, the dashboard and the CSV file agree.
import Papa from 'papaparse';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { appRouter } from '../../server/api/dashboard/router.ts';
import { readViewer } from '../../server/api/viewer.ts';
import { writeSeed } from '../../server/operator/seed/demo.ts';
import type { Site } from '../../server/sites/sites.ts';
import type { Dimension } from '../../server/vocabulary/questions/dimensions.ts';
import type { Metric } from '../../server/vocabulary/numbers/metrics.ts';
import { buildSelect, type Select } from '../../server/stats/sql/sql.ts';
import { DAY_MS, dayOf, readDay } from '../../server/vocabulary/time/time.ts';
import { testApp, type TestApp } from '../setup/app.ts';
import { openRandom } from '../setup/api/hostile-input.ts';
import { keyFor, type Rest, restOf } from '../setup/api/rest.ts';
import { seedOf, sized } from '../setup/run/harness.ts';

const QUESTIONS = sized({ short: 20, long: 200 });
const DAYS = 60;
const NOW = Date.UTC(2026, 10, 20, 15, 30);

let server: TestApp;
let site: Site;
let rest: Rest;
let cookie: string;

beforeAll(async () => {
  const env = { RATE_LIMIT_PER_SECOND: '1000000', RATE_LIMIT_PER_MINUTE: '1000000' };
  server = await testApp({ now: NOW, env });
  site = await server.addSite();
  rest = await restOf(server, await keyFor(server, site));
  cookie = await server.logIn(`owner@${site.domain}`);
  const options = { siteId: site.id, domain: site.domain, days: DAYS, visitsPerDay: 60, now: NOW, seed: 7 };
  await writeSeed(server.app.store, options, { onProgress: () => undefined, signal: new AbortController().signal });
});
afterAll(async () => server[Symbol.asyncDispose]());

async function dashboard() {
  const requester = { signal: new AbortController().signal, addressHash: () => '', address: () => '' };
  const viewer = await readViewer(server.app.services, { cookie }, requester.addressHash);
  const context = { ...server.app.services, headers: { cookie }, setCookies: () => undefined, viewer, requester };
  return appRouter.createCaller(context);
}

type Row = Record<string, string | number>;
const get = async <Body>(path: string) => (await rest.ask(path)).body as Body;

/** A list as in a cell of the file. */
const cellOf = (rows: Row[], name: string, count: string) =>
  rows
    .map((row) => `${/[;"]/.test(String(row[name])) ? JSON.stringify(row[name]) : row[name]}: ${row[count]}`)
    .join('; ');

test(`${QUESTIONS} random ranges and filters`, async () => {
  const random = openRandom(seedOf(20_261_120));
  const panels = await dashboard();
  const values = new Map<string, string[]>();
  for (const dimension of [
    'page',
    'country',
    'source',
    'event',
    'device',
    'entry_page',
    'exit_page',
    'channel',
    'browser',
  ]) {
    const question = { site_id: site.id, period: 'all', dimension: dimension as Dimension, per_page: 30 } as const;
    const { rows } = await panels.stats.breakdown({ ...question, metrics: ['events', 'pageviews'] });
    values.set(dimension, rows.map(({ name }) => name).filter(Boolean));
  }
  const from = NOW - (DAYS + 10) * DAY_MS;
  const seen = { filtered: 0, views: 0 };
  const ask = async () => {
    const first = from + random.number(DAYS + 11) * DAY_MS;
    const last = first + random.number(Math.floor((NOW - first) / DAY_MS) + 1) * DAY_MS;
    const dates = { date_from: dayOf(first), date_to: dayOf(last) };
    const dimensions = Array.from({ length: random.chance(0.5) ? 0 : 1 + random.number(2) }, () =>
      random.pick([...values.keys()]),
    );
    const filters = [...new Set(dimensions)].map((dimension) => ({
      dimension: dimension as Dimension,
      operator: 'is' as const,
      values: [random.pick(values.get(dimension) ?? [])],
    }));
    const filtered = filters
      .map(({ dimension, values: [value = ''] }) => `&filter[${dimension}]=${encodeURIComponent(value)}`)
      .join('');
    const picked = random.number(1000);
    const about = `${dates.date_from} to ${dates.date_to}${filtered}`;
    const range = new URLSearchParams(dates).toString();

    // The API and the dashboard.
    const asked = { site_id: site.id, period: 'custom', ...dates, filters } as const;
    const { data } = await get<{
      data: { pageviews: number; unique_visitors: number; top_pages: { path: string; views: number }[] };
    }>(`/v1/stats?site_id=${site.id}&period=custom&${range}${filtered}`);
    const tiles = await panels.stats.summary(asked);
    const tile = (name: Metric) => tiles.metrics.find((metric) => metric.name === name)?.value ?? 0;
    expect([data.pageviews, data.unique_visitors], about).toEqual([tile('pageviews'), tile('unique_visitors')]);
    const pages = await panels.stats.breakdown({ ...asked, dimension: 'page', metrics: ['pageviews'], per_page: 100 });
    expect(data.top_pages).toEqual(pages.rows.map(({ name, values }) => ({ path: name, views: values.pageviews })));

    // The file: its days add up to the range, and one of its days equals what the API says about it.
    const file = await fetch(`${server.url}/export/${site.id}.csv?${range}${filtered}`, { headers: { cookie } });
    const [, ...lines] = Papa.parse<string[]>((await file.text()).trimEnd()).data;
    expect(lines.map(([day]) => day)).toEqual(daysBetween(first, last));
    const sum = (column: number) => lines.reduce((total, line) => total + Number(line[column]), 0);
    expect([sum(1), sum(2)], about).toEqual([data.pageviews, data.unique_visitors]);
    const [day = '', views, visitors, ...lists] = lines[picked % lines.length] ?? [];
    const of = `site_id=${site.id}&period=custom&date_from=${day}&date_to=${day}${filtered}`;
    const list = async (dimension: string, metric: string) =>
      cellOf(
        (await get<{ data: Row[] }>(`/v1/stats/breakdown?${of}&dimension=${dimension}&metrics=${metric}`)).data,
        dimension,
        metric,
      );
    const alone = (await get<{ data: typeof data }>(`/v1/stats?${of}`)).data;
    expect([Number(views), Number(visitors)], about).toEqual([alone.pageviews, alone.unique_visitors]);
    expect(
      lists.map((cell) => cell.replace(/^'/, '')),
      `${day} of ${about}`,
    ).toEqual([
      cellOf(alone.top_pages, 'path', 'views'),
      await list('referrer', 'visits'),
      await list('event', 'events'),
    ]);
    seen.filtered += filters.length > 0 ? 1 : 0;
    seen.views += data.pageviews;
  };
  for (let n = 0; n < QUESTIONS; n += 4) await Promise.all([ask(), ask(), ask(), ask()]); // as many as the store answers at once
  expect(seen.filtered).toBeGreaterThan(QUESTIONS / 4);
  expect(seen.views).toBeGreaterThan(QUESTIONS * 50);
});

test('the most frequent questions are answered from precomputed counts, not from rows', async () => {
  const scope = {
    site_id: site.id,
    range: { from: NOW - (NOW % DAY_MS) - 30 * DAY_MS, to: NOW - (NOW % DAY_MS) },
    filters: [],
    currency: '',
    max_amount: 1,
  };
  for (const [select, kept] of [
    [{ metrics: ['pageviews'] }, 'page_views'],
    [{ metrics: ['pageviews'], by: { dimension: 'page' } }, 'page_views'],
    [{ metrics: ['pageviews'], by: { dimension: 'page', each: 'day' } }, 'page_views'],
    [{ metrics: ['pageviews'], by: { interval: 'day' } }, 'page_views'],
    [{ metrics: ['unique_visitors'] }, 'visitors'],
    [{ metrics: ['unique_visitors'], by: { interval: 'day' } }, 'visitors'],
  ] as [Omit<Select, 'scope'>, string][]) {
    const { sql, bound } = buildSelect({ scope, ...select });
    const plan = await server.app.store.query<{ explain: string }>(`EXPLAIN ${sql}`, bound);
    const reads = plan.flatMap(({ explain }) => /ReadFrom\S+ \((\w+)\)/.exec(explain)?.[1] ?? []);
    expect(reads, sql).toEqual([kept]);
  }
});

function daysBetween(first: number, last: number): string[] {
  const days: string[] = [];
  for (let at = readDay(dayOf(first)) ?? 0; at <= last; at += DAY_MS) days.push(dayOf(at));
  return days;
}
