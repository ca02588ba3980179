// The numbers of search terms equal a slow count over random rows, under every filter, and are the same at each door.
import { parse, stringify } from 'devalue';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openStats, type Stats } from '../../server/stats/run.ts';
import type { Filter, SearchTermsQuestion } from '../../server/stats/query.ts';
import type { SearchRow } from '../../server/store/search-days.ts';
import { OPERATOR_NAMES, type Operator } from '../../server/vocabulary/questions/operators.ts';
import { SEARCH_DIMENSIONS, SEARCH_METRICS } from '../../server/vocabulary/settings/search-console.ts';
import { DAY_MS, dayOf } from '../../server/vocabulary/time/time.ts';
import { testApp, type TestApp } from '../setup/app.ts';
import { EURO_SHOP, SITE } from '../setup/event.ts';
import { openRandom } from '../setup/api/hostile-input.ts';
import { keyFor, restOf } from '../setup/api/rest.ts';
import { viewing } from '../setup/accounts/viewing.ts';

const NOW = Date.UTC(2026, 10, 20, 12);
const DAYS = 14;
/** Google has reported up to here. */
const LATEST = dayOf(NOW - 3 * DAY_MS);
const SOURCE = { id: 'search_now', latest_day: LATEST };
const dayBefore = (days: number) => dayOf(NOW - days * DAY_MS);

const random = openRandom(4_004);
type Stored = SearchRow & { day: string };
const TERMS = ['shoes', 'Red Shoes', 'boots', "it's 100 %", 'šaty', ''];
const drawDay = (day: string): Stored[] => {
  const rows = new Map<string, Stored>();
  for (let count = 0; count < 30; count += 1) {
    const impressions = 1 + random.number(40);
    const row = {
      day,
      term: random.pick(TERMS),
      page: random.pick(['/', '/a', '/A/b']),
      hostname: random.pick(['x.example', 'y.example']),
      country: random.pick(['DE', 'FR', '']),
      device: random.pick(['mobile', 'desktop', 'tablet']),
      clicks: random.number(impressions + 1),
      impressions,
      positions: impressions * (1 + random.number(30)),
    };
    rows.set(JSON.stringify([row.term, row.page, row.hostname, row.country, row.device]), row);
  }
  return [...rows.values()];
};
/** No rows for the days that Google has not reported. */
const days = Array.from({ length: DAYS }, (_, index) => dayBefore(index + 3));
const all = days.flatMap(drawDay);

let server: TestApp;
let stats: Stats;
beforeAll(async () => {
  server = await testApp({ now: NOW });
  const { store } = server.app;
  for (const day of days) {
    const of = { site_id: SITE, connection: SOURCE.id, day };
    // Every other day was read before, with other rows.
    const isStored = random.chance(0.5);
    if (isStored) await store.saveSearchDay({ ...of, rows: drawDay(day), version: 1, isStored: false });
    await store.saveSearchDay({ ...of, rows: all.filter((row) => row.day === day), version: 2, isStored });
    await store.saveSearchDay({ ...of, connection: 'search_old', rows: drawDay(day), version: 9, isStored: false });
  }
  stats = openStats(store, () => undefined);
});
afterAll(() => server[Symbol.asyncDispose]());

const asked = (given: Partial<SearchTermsQuestion> = {}): SearchTermsQuestion => ({
  site_id: SITE,
  period: '7d',
  compare: 'previous',
  filters: [],
  page: 1,
  per_page: 100,
  ...given,
});
const ask = (question: SearchTermsQuestion) => stats.searchTerms(question, { site: EURO_SHOP, source: SOURCE }, NOW);

const MATCHES: Record<Operator, (value: string, values: readonly string[]) => boolean> = {
  is: (value, values) => values.includes(value),
  is_not: (value, values) => !values.includes(value),
  contains: (value, values) => values.some((one) => value.toLowerCase().includes(one.toLowerCase())),
  contains_not: (value, values) => !values.some((one) => value.toLowerCase().includes(one.toLowerCase())),
};

function figures(rows: readonly Stored[]) {
  const sum = (name: 'clicks' | 'impressions' | 'positions') => rows.reduce((total, row) => total + row[name], 0);
  const [clicks, impressions, positions] = [sum('clicks'), sum('impressions'), sum('positions')];
  if (impressions === 0) return { clicks: 0, impressions: 0, click_rate: 0, position: 0 };
  const tenths = (value: number) => Math.round(value * 10) / 10;
  return {
    clicks,
    impressions,
    click_rate: tenths((100 * clicks) / impressions),
    position: tenths(positions / impressions),
  };
}

function expected(filters: readonly Filter[], search = '') {
  const within = (from: string, to: string) =>
    all.filter(
      (row) =>
        row.day >= from &&
        row.day <= to &&
        filters.every(({ dimension, operator, values }) =>
          MATCHES[operator](row[dimension as (typeof SEARCH_DIMENSIONS)[number]], values),
        ),
    );
  // Seven full days before today, of which Google has reported five: they are compared with the first five of the seven before.
  const now = within(dayBefore(7), dayBefore(1));
  const before = within(dayBefore(14), dayBefore(10));
  const both = (matches: (row: Stored) => boolean) => ({
    ...figures(now.filter(matches)),
    before: figures(before.filter(matches)),
  });
  const terms = [...new Set(now.map(({ term }) => term))].filter(
    (term) => term !== '' && term.toLowerCase().includes(search.toLowerCase()),
  );
  const rows = terms.map((term) => ({ term, ...both((row) => row.term === term) }));
  return {
    rows: rows.sort((a, b) => b.clicks - a.clicks || b.impressions - a.impressions || (a.term < b.term ? -1 : 1)),
    total: terms.length,
    totals: both(() => true),
    withheld: both(({ term }) => term === ''),
  };
}

const FILTERS: Filter[][] = [
  [],
  ...SEARCH_DIMENSIONS.flatMap((dimension) =>
    OPERATOR_NAMES.map((operator): Filter[] => [
      {
        dimension,
        operator,
        values: { page: ['/a', '/'], hostname: ['x.example'], country: ['DE', ''], device: ['MOBILE', 'tablet'] }[
          dimension
        ],
      },
    ]),
  ),
  [
    { dimension: 'page', operator: 'is', values: ['/a'] },
    { dimension: 'country', operator: 'is_not', values: ['FR'] },
  ],
];

test.each(FILTERS.map((filters) => [JSON.stringify(filters), filters] as const))('under %s', async (_name, filters) => {
  const { rows, total, totals, withheld, compared } = await ask(asked({ filters }));
  expect({ rows, total, totals, withheld }).toEqual(expected(filters));
  expect(compared).toEqual({ date_from: dayBefore(14), date_to: dayBefore(10) });
  expect(totals.clicks).toBe(withheld.clicks + rows.reduce((sum, { clicks }) => sum + clicks, 0));
});

test('searched, sorted and in pages, the terms are the same', async () => {
  for (const search of ['SHOES', '100 %', 'Š', 'nothing has this']) {
    const { rows, total, totals } = await ask(asked({ search }));
    expect({ rows, total, totals }, search).toEqual({ ...expected([], search), withheld: undefined });
  }
  const { rows } = await ask(asked());
  for (const by of SEARCH_METRICS)
    for (const direction of ['asc', 'desc'] as const) {
      const sorted = (await ask(asked({ order: { by, direction } }))).rows;
      expect(new Set(sorted.map(({ term }) => term))).toEqual(new Set(rows.map(({ term }) => term)));
      const values = sorted.map((row) => row[by]);
      expect(values).toEqual(values.toSorted((a, b) => (direction === 'asc' ? a - b : b - a)));
    }
  const pages = await Promise.all([1, 2, 3].map((page) => ask(asked({ page, per_page: 2 }))));
  expect(pages.flatMap((page) => page.rows)).toEqual(rows);
  expect(pages.map(({ total }) => total)).toEqual([rows.length, rows.length, rows.length]);
});

test('filters on what Google does not have do not apply, and are named', async () => {
  const browser: Filter = { dimension: 'browser', operator: 'is', values: ['Firefox'] };
  const { rows, ignored } = await ask(asked({ filters: [browser] }));
  expect([rows, ignored]).toEqual([expected([]).rows, ['browser']]);
});

test('a site that is not connected has no terms, and share links show none', async () => {
  const unconnected = await stats.searchTerms(asked(), { site: EURO_SHOP, source: undefined }, NOW);
  expect(unconnected).toMatchObject({ is_connected: false, rows: [], total: 0 });
  const viewer = stats.askedBy({}, viewing({ properties: true, few: true }, NOW));
  await expect(viewer.searchTerms(asked(), { site: EURO_SHOP, source: SOURCE }, NOW)).rejects.toMatchObject({
    code: 'forbidden',
  });
});

test('the dashboard and the API show the same digits', async () => {
  const site = await server.addSite();
  const { db } = server.app.services.directory;
  const owner = await db.selectFrom('users').select('id').executeTakeFirstOrThrow();
  const unread = { pass_from: null, pass_to: null, next_day: null, oldest_day: null, failure: null, failed_at: null };
  await db
    .insertInto('search_connections')
    .values({
      site_id: site.id,
      id: SOURCE.id,
      connected_by: owner.id,
      token: 'x',
      grant_id: 'y',
      property: 'sc-domain:example.com',
      created_at: NOW,
      next_at: NOW,
      read_at: NOW,
      read_days: 1,
      read_rows: 1,
      latest_day: LATEST,
      ...unread,
    })
    .execute();
  for (const day of days) {
    const rows = all.filter((row) => row.day === day);
    await server.app.store.saveSearchDay({
      site_id: site.id,
      connection: SOURCE.id,
      day,
      rows,
      version: 1,
      isStored: false,
    });
  }
  const input = stringify({
    site_id: site.id,
    period: '7d',
    filters: [{ dimension: 'device', operator: 'is', values: ['mobile'] }],
  });
  const address = `${server.url}/trpc/searchConsole.terms?input=${encodeURIComponent(JSON.stringify(input))}`;
  const answer = await fetch(address, { headers: { cookie: await server.logIn('owner@example.com') } });
  const { result } = (await answer.json()) as { result: { data: string } };
  const shown = parse(result.data) as Awaited<ReturnType<typeof ask>>;
  const rest = await restOf(server, await keyFor(server, site));
  const { body } = await rest.ask(`/v1/stats/search-terms?site_id=${site.id}&period=7d&filter[device]=mobile`);
  const withoutBefore = ({ before: _, ...row }: { before: unknown }) => row;
  expect(body).toEqual({
    data: shown.rows.map(withoutBefore),
    meta: {
      page: 1,
      per_page: 100,
      total: shown.total,
      date_from: dayBefore(7),
      date_to: dayBefore(1),
      latest_day: LATEST,
      totals: withoutBefore(shown.totals),
      withheld: withoutBefore(shown.withheld),
    },
  });
  expect(shown.rows.length).toBeGreaterThan(3);
  const refused = await rest.refused(`/v1/stats/search-terms?site_id=${site.id}&filter[browser]=Firefox`);
  expect(refused.message).toContain('filter[browser]');
});
