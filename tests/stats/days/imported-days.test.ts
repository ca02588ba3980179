// Days that another product counted, beside those with events of the site's own: in totals, charts, lists and comparisons, without filters.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openVisits } from '../../../server/queue/writer/visits.ts';
import { openVersions } from '../../../server/stats/answer-cache.ts';
import {
  summaryQuestion,
  breakdownQuestion,
  groupQuestion,
  timeseriesQuestion,
  trendsQuestion,
} from '../../../server/stats/query.ts';
import { openStats, type Stats } from '../../../server/stats/run.ts';
import type { ImportedSumRow } from '../../../server/store/imported.ts';
import type { SiteId } from '../../../server/vocabulary/event.ts';
import { DAY_MS, dayOf, HOUR_MS, readDay } from '../../../server/vocabulary/time/time.ts';
import { makeEvent } from '../../setup/event.ts';
import { type TestStore, testStore } from '../../setup/store.ts';

const SITE_ID = 'site_IMPORTED' as SiteId;
const SITE = { currency: null, proposed_currency: null, max_amount: 100_000, timezone: null };
const NOW = Date.UTC(2026, 10, 20, 12);
const day = (index: number) => dayOf(Date.UTC(2026, 10, 1) + index * DAY_MS);

const NOTHING = { unique_visitors: 0, visits: 0, pageviews: 0, events: 0, bounces: 0, visit_ms: 0 };
const row = (on: string, dimension: string, label: string, numbers: Partial<ImportedSumRow>): ImportedSumRow => ({
  ...NOTHING,
  day: on,
  dimension,
  label,
  ...numbers,
});
/** Ten visitors a day, of whom six come from Google, and four that land on /pricing. */
const dayOfSums = (on: string): ImportedSumRow[] => [
  row(on, '', '', { unique_visitors: 10, visits: 12, pageviews: 30, events: 2, bounces: 6, visit_ms: 600_000 }),
  row(on, 'source', 'Google', { unique_visitors: 6, visits: 7, pageviews: 18 }),
  row(on, 'source', '', { unique_visitors: 4, visits: 5, pageviews: 12 }),
  row(on, 'page', '/', { unique_visitors: 9, visits: 10, pageviews: 18 }),
  row(on, 'page', '/pricing', { unique_visitors: 3, visits: 4, pageviews: 8 }),
  row(on, 'page', '/pricing', { unique_visitors: 1, visits: 1, pageviews: 4 }), // the same in another row of the file
];

let store: TestStore;
let stats: Stats;
const versions = openVersions();
const of = (summing: string) => ({ site_id: SITE_ID, summing });

async function publish(summing: string, days: readonly string[], replaced: string[] = [], version = 1) {
  await store.imported.save(of(summing), { rows: days.flatMap(dayOfSums), token: `${summing}/0` });
  await store.imported.publish(of(summing), { days, replaced, version });
  versions.stored(days.map((one) => ({ site_id: SITE_ID, time: readDay(one) ?? 0 })));
}

beforeAll(async () => {
  store = await testStore();
  const visits = openVisits(store);
  // Two visitors on the fourth day and three on the fifth, each with a view of /.
  const events = [3, 3, 4, 4, 4].flatMap((on, person) => {
    const time = Date.UTC(2026, 10, 1) + on * DAY_MS + HOUR_MS;
    const event = makeEvent({ site_id: SITE_ID, visitor: `${on} ${person}`, page: '/', source: 'Bing', time });
    return visits.assign(event, time) ?? [];
  });
  await store.insert({ events, ai_visits: [] }, 'own');
  const formatsOf = (id: string) =>
    Promise.resolve(
      new Map(
        id === SITE_ID
          ? [
              ['import_a', 'plausible'],
              ['import_b', 'ga4'],
              ['import_other', 'csv'],
            ]
          : [],
      ),
    );
  stats = openStats(store, versions.of, { formatsOf });
  // The import has the first four days: on the fourth, the site has counted events of its own.
  await publish('import_a', [day(0), day(1), day(2), day(3)]);
});
afterAll(() => store[Symbol.asyncDispose]());

const period = (from: number, to: number) => ({
  site_id: SITE_ID,
  period: 'custom' as const,
  date_from: day(from),
  date_to: day(to),
});

async function totals(from: number, to: number, more: object = {}) {
  const metrics = ['unique_visitors', 'visits', 'pageviews', 'bounce_rate', 'visit_duration'] as const;
  const question = { ...summaryQuestion.parse({ ...period(from, to), ...more }), metrics: [...metrics] };
  const { values } = await stats.totals(question, SITE, NOW);
  return [values.unique_visitors, values.visits, values.pageviews, values.bounce_rate, values.visit_duration];
}

async function list(dimension: string, from: number, to: number, more: object = {}) {
  const metrics = ['unique_visitors', 'pageviews'];
  const question = breakdownQuestion.parse({ ...period(from, to), dimension, metrics, ...more });
  const { rows } = await stats.breakdown(question, SITE, NOW);
  return rows.map(({ name, values }) => [name, values.unique_visitors, values.pageviews]);
}

test('totals add up imported days and days with events; a day with events takes nothing from an import', async () => {
  expect(await totals(0, 2)).toEqual([30, 36, 90, 50, 50]);
  expect(await totals(3, 4)).toEqual([5, 5, 5, 100, 0]);
  const [visitors, visits, pageviews] = await totals(0, 4);
  expect([visitors, visits, pageviews]).toEqual([35, 41, 95]);
});

test('lists have the rows of both', async () => {
  expect(await list('source', 0, 4)).toEqual([
    ['Google', 18, 54],
    ['', 12, 36],
    ['Bing', 5, 5],
  ]);
  expect(await list('page', 0, 4)).toEqual([
    ['/', 32, 59],
    ['/pricing', 12, 36],
  ]);
});

test('lists that also say how pages were read have the rows of both, in the same order', async () => {
  const site_id = 'site_READ' as SiteId;
  await store.imported.save({ site_id, summing: 'read' }, { rows: dayOfSums(day(0)), token: 'read/0' });
  await store.imported.publish({ site_id, summing: 'read' }, { days: [day(0)], replaced: [], version: 1 });
  const time = Date.UTC(2026, 10, 2, 9);
  const visits = openVisits(store);
  const events = [0, 1].flatMap((after) => {
    const reading = { name: 'engagement', engaged_ms: 4_000, scroll: 60, interactive: false };
    const at = time + after * 10_000;
    return visits.assign(makeEvent({ site_id, page: '/', time: at, ...(after === 1 && reading) }), at) ?? [];
  });
  await store.insert({ events, ai_visits: [] }, 'read');
  const metrics = ['unique_visitors', 'pageviews', 'time_on_page', 'scroll_depth'];
  const asked = { ...period(0, 1), site_id, dimension: 'page', metrics };
  const ask = async (more: object = {}) => {
    const { rows, total } = await stats.breakdown(breakdownQuestion.parse({ ...asked, ...more }), SITE, NOW);
    return [total, ...rows.map(({ name, values }) => [name, ...metrics.map((metric) => values[metric as 'visits'])])];
  };
  expect(await ask()).toEqual([2, ['/', 10, 19, 4, 60], ['/pricing', 4, 12, 0, 0]]);
  expect(await ask({ page: 2, per_page: 1 })).toEqual([2, ['/pricing', 4, 12, 0, 0]]);
  expect(await ask({ search: 'pri' })).toEqual([1, ['/pricing', 4, 12, 0, 0]]);
  // By how they were read, the rows that nobody is known to have read are not listed.
  expect(await ask({ order: { by: 'time_on_page', direction: 'desc' } })).toEqual([1, ['/', 1, 1, 4, 60]]);
  expect(await ask({ include_imported: false })).toEqual([1, ['/', 1, 1, 4, 60]]);
});

test('a chart has a point for each day, and a comparison has imported days, too', async () => {
  const question = { ...period(3, 5), compare: 'previous', interval: 'day', metric: 'unique_visitors' };
  const { points, previous, imported } = await stats.timeseries(timeseriesQuestion.parse(question), SITE, NOW);
  expect(points.map(({ value }) => value)).toEqual([2, 3, 0]);
  expect(previous?.map(({ value }) => value)).toEqual([10, 10, 10]);
  expect(imported).toBeNull();
});

test('filters count the days with events alone', async () => {
  const filters = [{ dimension: 'source', operator: 'is', values: ['Google'] }];
  expect((await totals(0, 4, { filters })).slice(0, 3)).toEqual([0, 0, 0]);
  const bing = [{ dimension: 'source', operator: 'is', values: ['Bing'] }];
  expect((await totals(0, 4, { filters: bing })).slice(0, 3)).toEqual([5, 5, 5]);
  expect(await list('page', 0, 4, { filters: bing })).toEqual([['/', 5, 5]]);
});

test('a chart says which days are imported, and whether it counts them', async () => {
  const ask = async (more: object) => {
    const question = { ...period(0, 5), interval: 'day', metric: 'unique_visitors', ...more };
    return (await stats.timeseries(timeseriesQuestion.parse(question), SITE, NOW)).imported;
  };
  const spans = [{ date_from: day(0), date_to: day(2) }];
  const formats = ['plausible'];
  expect(await ask({})).toEqual({ spans, is_counted: true, formats });
  const viewer = stats.askedBy({}, { rule: { properties: false, fewest: 3 }, now: NOW });
  const shown = timeseriesQuestion.parse({ ...period(0, 5), interval: 'day', metric: 'unique_visitors' });
  expect((await viewer.timeseries(shown, SITE, NOW)).imported).toEqual({ spans, is_counted: true, formats });
  for (const more of [
    { include_imported: false },
    { filters: [{ dimension: 'source', operator: 'is', values: ['Bing'] }] },
    { ...period(0, 2), interval: 'hour' },
    { metric: 'time_on_page' },
  ])
    expect(await ask(more)).toEqual({ spans, is_counted: false, formats });
});

test('without imported days, only events count', async () => {
  expect((await totals(0, 4, { include_imported: false })).slice(0, 3)).toEqual([5, 5, 5]);
  expect(await list('page', 0, 4, { include_imported: false })).toEqual([['/', 5, 5]]);
  const { site_id, ...days } = period(0, 4);
  const ofGroup = async (more: object) => {
    const question = groupQuestion.parse({ ...days, ...more });
    const others = { ...SITE, id: 'site_WITHOUT' };
    const { totals, points, imported } = await stats.group(question, [others, { ...SITE, id: site_id }], NOW);
    return [totals.unique_visitors, totals.pageviews, points.length, imported];
  };
  const told = { spans: [{ date_from: day(0), date_to: day(2) }], formats: ['plausible'] };
  expect(await ofGroup({})).toEqual([35, 95, 5, { ...told, is_counted: true }]);
  expect(await ofGroup({ include_imported: false })).toEqual([5, 5, 5, { ...told, is_counted: false }]);
});

test('metrics of reading that are asked for together with others take nothing from these', async () => {
  const metrics = ['unique_visitors', 'pageviews', 'time_on_page'] as const;
  const question = { ...summaryQuestion.parse(period(0, 4)), metrics: [...metrics] };
  const { values } = await stats.totals(question, SITE, NOW);
  expect([values.unique_visitors, values.pageviews]).toEqual([35, 95]);
});

test('two answers of viewers that differ by an imported day do not subtract to its small numbers', async () => {
  const cities = (on: string, visitors: (index: number) => number) =>
    Array.from({ length: 20 }, (_, index) =>
      row(on, 'city', `City ${index}`, { unique_visitors: visitors(index), visits: visitors(index) }),
    );
  const rows = [
    ...[day(10), day(11)].map((on) => row(on, '', '', { unique_visitors: 500, visits: 500, pageviews: 500 })),
    ...cities(day(10), (index) => 30 + index),
    ...cities(day(11), (index) => 1 + (index % 2)),
  ];
  await store.imported.save(of('import_c'), { rows, token: 'import_c/0' });
  await store.imported.publish(of('import_c'), { days: [day(10), day(11)], replaced: [], version: 9 });
  versions.stored([10, 11].map((on) => ({ site_id: SITE_ID, time: readDay(day(on)) ?? 0 })));
  const viewer = stats.askedBy({}, { rule: { properties: false, fewest: 3 }, now: NOW });
  const shown = async (to: number, more: object = {}) => {
    const asked = { ...period(10, to), dimension: 'city', metrics: ['unique_visitors'], ...more };
    const { rows: found } = await viewer.breakdown(breakdownQuestion.parse({ ...asked, per_page: 50 }), SITE, NOW);
    return new Map(found.map(({ name, values }) => [name, values.unique_visitors ?? 0]));
  };
  const [one, both] = [await shown(10), await shown(11)];
  const read = [...one].filter(([name, value], index) => (both.get(name) ?? 0) - value === 1 + (index % 2));
  expect(one.size).toBe(20);
  expect(read.length).toBeLessThan(15);
  expect(await shown(11, { include_imported: false })).toEqual(both);
});

test('a day that ends an import counts also in UTC days, in whose last hours the site may have begun to count itself', async () => {
  const site_id = 'site_BERLIN' as SiteId;
  const oct = (on: number) => dayOf(Date.UTC(2026, 9, on));
  const days = [1, 2, 3, 4, 6].map(oct);
  const numbers = { unique_visitors: 1000, visits: 1000, pageviews: 1000 };
  const sums = days.map((on) => row(on, '', '', numbers));
  await store.imported.save({ site_id, summing: 'ends' }, { rows: sums, token: 'ends/0' });
  await store.imported.publish({ site_id, summing: 'ends' }, { days, replaced: [oct(6)], version: 1 });
  const visits = openVisits(store);
  // From the site's 5 October on: two visitors in its first hours, which are of 4 October in UTC. A day later, so was a payment.
  const events = [
    ...[0, 1].map((minute) => ({ time: Date.UTC(2026, 9, 4, 22, minute), day: oct(5) })),
    ...[0, 1, 2].map((minute) => ({ time: Date.UTC(2026, 9, 5, 10, minute), day: oct(5) })),
    ...[0, 1, 2, 3].map((minute) => ({ time: Date.UTC(2026, 9, 6, 10, minute), day: oct(6) })),
    { time: Date.UTC(2026, 9, 6, 22, 30), day: oct(7), currency: 'EUR', amount: '20' },
  ].flatMap((about, person) => {
    const event = makeEvent({ ...about, site_id, visitor: `b ${person}`, source: 'Bing' });
    return visits.assign(event, event.time) ?? [];
  });
  await store.insert({ events, ai_visits: [] }, 'ends');
  const visitors = async (from: number, to: number, timezone: string | null, more: object = {}) => {
    const asked = { site_id, period: 'custom', date_from: oct(from), date_to: oct(to), ...more };
    const question = { ...summaryQuestion.parse(asked), metrics: ['unique_visitors' as const] };
    return (await stats.totals(question, { ...SITE, timezone }, NOW)).values.unique_visitors;
  };
  const both = async (...[from, to, more]: [from: number, to: number, more?: object]) => [
    await visitors(from, to, null, more),
    await visitors(from, to, 'Europe/Berlin', more),
  ];
  expect(await both(1, 4)).toEqual([4000, 4000]);
  expect(await both(1, 5)).toEqual([4003, 4005]);
  expect(await both(6, 6)).toEqual([1000, 1000]);
  expect(await both(4, 6, { include_imported: false })).toEqual([10, 9]);
  const filters = [{ dimension: 'source', operator: 'is', values: ['Bing'] }];
  expect(await both(1, 4, { filters })).toEqual([2, 0]);
});

test('a trend adds up a source that is stored in several spellings', async () => {
  const rows = [
    row(day(15), '', '', { unique_visitors: 9, visits: 9, pageviews: 9 }),
    ...[4, 5].map((unique_visitors) =>
      row(day(15), 'source', unique_visitors === 4 ? 'NoCode' : 'nocode', { unique_visitors }),
    ),
  ];
  await store.imported.save(of('import_s'), { rows, token: 'import_s/0' });
  await store.imported.publish(of('import_s'), { days: [day(15)], replaced: [], version: 3 });
  versions.stored([{ site_id: SITE_ID, time: readDay(day(15)) ?? 0 }]);
  const asked = {
    ...period(14, 16),
    dimension: 'source',
    metric: 'unique_visitors',
    interval: 'day',
    names: ['NoCode'],
  };
  const { rows: lines } = await stats.trends(trendsQuestion.parse(asked), SITE, NOW);
  expect(lines).toEqual([{ name: 'NoCode', values: [0, 9, 0] }]);
});

test('all time begins with the first imported day', async () => {
  const all = (more: object = {}) => summaryQuestion.parse({ site_id: SITE_ID, period: 'all', ...more });
  expect((await stats.summary(all(), SITE, NOW)).date_from).toBe(day(0));
  expect((await stats.summary(all({ include_imported: false }), SITE, NOW)).date_from).toBe(day(3));
});

test('of two imports of a day the later one counts, also in place of events if it is to; without it, the earlier one does again', async () => {
  await publish('import_b', [day(1), day(3)], [day(3)], 2);
  const later = [row(day(1), '', '', { unique_visitors: 1, visits: 1, pageviews: 1 })];
  await store.imported.save(of('import_b'), { rows: later, token: 'import_b/1' });
  versions.stored([{ site_id: SITE_ID, time: readDay(day(1)) ?? 0 }]);
  expect((await totals(0, 4)).slice(0, 3)).toEqual([
    10 + 11 + 10 + 10 + 3,
    12 + 13 + 12 + 12 + 3,
    30 + 31 + 30 + 30 + 3,
  ]);
  expect((await totals(3, 3)).slice(0, 3)).toEqual([10, 12, 30]);
  expect((await totals(3, 3, { include_imported: false })).slice(0, 3)).toEqual([2, 2, 2]);
  const filters = [{ dimension: 'source', operator: 'is', values: ['Bing'] }];
  expect((await totals(3, 3, { filters })).slice(0, 3)).toEqual([2, 2, 2]);

  await store.imported.drop(of('import_b'), () => undefined);
  versions.stored([day(1), day(3)].map((one) => ({ site_id: SITE_ID, time: readDay(one) ?? 0 })));
  expect((await totals(0, 4)).slice(0, 3)).toEqual([35, 41, 95]);
  for (const table of ['imported_sums', 'imported_days'])
    expect(await store.query(`SELECT 1 FROM ${table} WHERE summing = 'import_b'`, {})).toEqual([]);
});

test('a part that is sent twice counts once', async () => {
  await store.imported.save(of('import_a'), { rows: dayOfSums(day(0)), token: 'import_a/0' });
  versions.stored([{ site_id: SITE_ID, time: readDay(day(0)) ?? 0 }]);
  expect((await totals(0, 0)).slice(0, 3)).toEqual([10, 12, 30]);
});
