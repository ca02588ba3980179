// Days of other products that do not tell every number: rates are of the other days alone, in every answer, in exports and after a backup.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openVisits } from '../../../server/queue/writer/visits.ts';
import { openVersions } from '../../../server/stats/answer-cache.ts';
import { breakdownQuestion, groupQuestion, summaryQuestion, timeseriesQuestion } from '../../../server/stats/query.ts';
import { openStats, type Stats } from '../../../server/stats/run.ts';
import type { ImportedSumRow } from '../../../server/store/imported.ts';
import type { EventStore } from '../../../server/store/open.ts';
import type { SiteId } from '../../../server/vocabulary/event.ts';
import { isMeaningless } from '../../../server/vocabulary/numbers/figures.ts';
import type { Metric } from '../../../server/vocabulary/numbers/metrics.ts';
import { DAY_MS, dayOf, HOUR_MS, readDay } from '../../../server/vocabulary/time/time.ts';
import { makeEvent } from '../../setup/event.ts';
import { tempFolder } from '../../setup/folder.ts';
import { fileOf, readImport } from '../../setup/imports.ts';
import { type TestStore, testStore } from '../../setup/store.ts';

const SITE_ID = 'site_UNTOLD' as SiteId;
const OF_IMPORT = { site_id: SITE_ID, summing: 'import_u' };
const SITE = { currency: null, proposed_currency: null, max_amount: 100_000, timezone: null };
const NOW = Date.UTC(2026, 10, 20, 12);
const FIRST = Date.UTC(2026, 10, 1);
const day = (index: number) => dayOf(FIRST + index * DAY_MS);

type Numbers = Omit<ImportedSumRow, 'dimension' | 'day' | 'label'>;
const WITHOUT_RATES = { unique_visitors: 70, visits: 100, pageviews: 300, events: 0, bounces: null, visit_ms: null };
const WITHOUT_VISITS = { ...WITHOUT_RATES, visits: null };
const TOLD = { ...WITHOUT_RATES, bounces: 25, visit_ms: 2_000_000 };
const rowsOf = (on: string, numbers: Numbers): ImportedSumRow[] => [
  { day: on, dimension: '', label: '', ...numbers },
  { day: on, dimension: 'source', label: 'Google', ...numbers },
];
/** Two days without bounces and durations, one without visits, one that tells all; then one of the site's own: two visits, of which one bounces. */
const ROWS = [WITHOUT_RATES, WITHOUT_RATES, WITHOUT_VISITS, TOLD].flatMap((numbers, index) =>
  rowsOf(day(index), numbers),
);
const OWN = 4;

let store: TestStore;
let stats: Stats;
const versions = openVersions();

beforeAll(async () => {
  store = await testStore();
  const visits = openVisits(store);
  const events = [
    { visitor: 'a', after: 0 },
    { visitor: 'b', after: 0 },
    { visitor: 'b', after: 60_000 },
  ].flatMap(({ visitor, after }) => {
    const time = FIRST + OWN * DAY_MS + HOUR_MS + after;
    return visits.assign(makeEvent({ site_id: SITE_ID, visitor, page: '/', source: 'Google', time }), time) ?? [];
  });
  await store.insert({ events, ai_visits: [] }, 'own');
  stats = openStats(store, versions.of);
  await store.imported.save(OF_IMPORT, { rows: ROWS, token: 'import_u/0' });
  await store.imported.publish(OF_IMPORT, { days: [0, 1, 2, 3].map(day), replaced: [], version: 1 });
  versions.stored([0, 1, 2, 3].map((one) => ({ site_id: SITE_ID, time: readDay(day(one)) ?? 0 })));
});
afterAll(() => store[Symbol.asyncDispose]());

const period = (from: number, to: number) => ({
  site_id: SITE_ID,
  period: 'custom' as const,
  date_from: day(from),
  date_to: day(to),
});
const RATES = ['bounce_rate', 'visit_duration', 'views_per_visit'] as const satisfies Metric[];
const COUNTS = ['unique_visitors', 'visits', 'pageviews'] as const satisfies Metric[];

async function totals(from: number, to: number, more: object = {}) {
  const metrics = [...COUNTS, ...RATES];
  const question = { ...summaryQuestion.parse({ ...period(from, to), ...more }), metrics };
  const { values } = await stats.totals(question, SITE, NOW);
  return metrics.map((metric) => values[metric]);
}

test('rates are of the days that tell them', async () => {
  const untold = undefined;
  expect(await totals(0, 1)).toEqual([140, 200, 600, untold, untold, 3]);
  expect(await totals(0, 2)).toEqual([210, 200, 900, untold, untold, 3]); // not 4.5 views per visit
  expect(await totals(2, 2)).toEqual([70, untold, 300, untold, untold, untold]);
  expect(await totals(3, 3)).toEqual([70, 100, 300, 25, 20, 3]);
  expect(await totals(0, 3)).toEqual([280, 300, 1200, 25, 20, 3]);
  expect(await totals(OWN, OWN)).toEqual([2, 2, 3, 50, 30, 1.5]);
  // 25 of 100 visits and 1 of 2; 2,000 and 60 seconds.
  expect(await totals(0, OWN)).toEqual([282, 302, 1203, (100 * 26) / 102, 2060 / 102, 903 / 302]);
  expect(await totals(0, OWN, { include_imported: false })).toEqual([2, 2, 3, 50, 30, 1.5]);
});

test('a summary says which rates nothing tells, so that none is shown as 0', async () => {
  const summary = await stats.summary(summaryQuestion.parse({ ...period(2, 3), compare: 'previous' }), SITE, NOW);
  expect(summary.metrics.filter(({ name }) => name === 'bounce_rate')).toEqual([
    { name: 'bounce_rate', value: 25, previous: null },
  ]);
  const without = await stats.summary(summaryQuestion.parse(period(0, 1)), SITE, NOW);
  expect([...COUNTS, ...RATES].filter((metric) => isMeaningless(metric, without))).toEqual([
    'bounce_rate',
    'visit_duration',
  ]);
});

test('so are those of lists, also beside those of the days before', async () => {
  const metrics = ['unique_visitors', ...RATES];
  const ask = async (from: number, to: number, more: object = {}) => {
    const question = breakdownQuestion.parse({ ...period(from, to), dimension: 'source', metrics, ...more });
    const { rows } = await stats.breakdown(question, SITE, NOW);
    return rows.map(({ name, values, previous }) => ({ name, values, previous }));
  };
  expect(await ask(0, 2)).toEqual([
    { name: 'Google', values: { unique_visitors: 210, views_per_visit: 3 }, previous: null },
  ]);
  const all = { unique_visitors: 282, bounce_rate: (100 * 26) / 102, visit_duration: 2060 / 102 };
  expect(await ask(0, OWN)).toEqual([
    { name: 'Google', values: { ...all, views_per_visit: 903 / 302 }, previous: null },
  ]);
  expect(await ask(2, 3, { compare: 'previous' })).toEqual([
    {
      name: 'Google',
      values: { unique_visitors: 140, bounce_rate: 25, visit_duration: 20, views_per_visit: 3 },
      previous: { unique_visitors: 140, views_per_visit: 3 },
    },
  ]);
});

test('a chart says how many of its imported days do not tell its metric', async () => {
  const ask = async (metric: Metric, more: object = {}) => {
    const question = { ...period(0, OWN), interval: 'day', metric, ...more };
    const { points, imported } = await stats.timeseries(timeseriesQuestion.parse(question), SITE, NOW);
    return [points.map(({ value }) => value), imported?.untold];
  };
  expect(await ask('bounce_rate')).toEqual([[null, null, null, 25, 50], 3]);
  expect(await ask('views_per_visit')).toEqual([[3, 3, null, 3, 1.5], 1]);
  expect(await ask('visits')).toEqual([[100, 100, null, 100, 2], 1]);
  expect(await ask('visits', { interval: 'week', ...period(0, 7) })).toEqual([[100, 202], 1]); // partly told, from Sunday on
  expect(await ask('unique_visitors')).toEqual([[70, 70, 70, 70, 2], undefined]);
  expect(await ask('bounce_rate', { include_imported: false })).toEqual([[0, 0, 0, 0, 50], undefined]);
});

test('a point of a group is not told if one of its sites does not tell it, and the others have nothing', async () => {
  const visitsOf = async (...ids: string[]) => {
    const { site_id: _, ...days } = period(1, 3);
    const sites = ids.map((id) => ({ ...SITE, id }));
    const { points, totals: all } = await stats.group(groupQuestion.parse(days), sites, NOW);
    return [points.map(({ visits }) => visits), all.visits];
  };
  expect(await visitsOf(SITE_ID)).toEqual([[100, null, 100], 200]);
  expect(await visitsOf(SITE_ID, 'site_QUIET')).toEqual([[100, null, 100], 200]);
  expect(await visitsOf(SITE_ID, SITE_ID)).toEqual([[200, null, 200], 400]);
});

test('a viewer is shown no rate that is not told', async () => {
  const viewer = stats.askedBy({}, { rule: { properties: false, fewest: 3 }, now: NOW });
  const { metrics } = await viewer.summary(summaryQuestion.parse(period(0, 1)), SITE, NOW);
  expect(metrics.filter(({ untold }) => untold).map(({ name }) => name)).toEqual(['bounce_rate', 'visit_duration']);
  const question = { ...period(0, 3), interval: 'day', metric: 'visits' };
  const { points } = await viewer.timeseries(timeseriesQuestion.parse(question), SITE, NOW);
  expect(points.map(({ value }) => value === null)).toEqual([false, false, true, false]);
});

test('an export leaves them empty, and they are read back as not told', async () => {
  await using folder = await tempFolder();
  const statement = await stats.exportedDays('daily_sums', {
    siteId: SITE_ID,
    first: day(0),
    last: day(OWN),
    site: SITE,
    goals: [],
    as: 'csv',
  });
  const file = join(folder.path, 'daily_sums.csv');
  await store.copyOut(statement, { file, format: 'csv' });
  const text = await readFile(file, 'utf8');
  expect(text.split(/\r?\n/).filter((line) => line.includes('"source"') && line.includes('Google'))).toEqual([
    '"2026-11-01","source","Google",70,100,300,0,,',
    '"2026-11-02","source","Google",70,100,300,0,,',
    '"2026-11-03","source","Google",70,,300,0,,',
    '"2026-11-04","source","Google",70,100,300,0,25,2000',
    '"2026-11-05","source","Google",2,2,3,0,1,60',
  ]);
  const { opened, sums, report } = await readImport(fileOf('daily_sums.csv', text));
  expect([opened.format, report.rejected, report.untold]).toEqual(['footfall', 0, []]);
  const readBack = sums
    .filter(({ dimension }) => dimension === '')
    .map(({ visitors, visits, pageviews, bounces, visit_seconds }) => [
      visitors,
      visits,
      pageviews,
      bounces,
      visit_seconds,
    ]);
  expect(readBack).toEqual([
    [70, 100, 300, null, null],
    [70, 100, 300, null, null],
    [70, null, 300, null, null],
    [70, 100, 300, 25, 2000],
    [2, 2, 3, 1, 60],
  ]);
});

const TABLE = 'SELECT * EXCEPT (summing) FROM imported_sums ORDER BY ALL';

test('a backup tells rows apart that differ in what they tell, and restores them', async () => {
  await using folder = await tempFolder();
  await using other = await testStore();
  const fingerprints = async (of: EventStore) => {
    const taken = await of.snapshot();
    const days = (await taken.days()).filter(({ table }) => table === 'imported_sums');
    return { taken, days };
  };
  const { taken, days } = await fingerprints(store);
  for (const [index, one] of days.entries()) {
    const file = join(folder.path, `${index}.zst`);
    await taken.copyOut(one, file);
    await other.load('imported_sums', file);
  }
  await taken.drop();
  expect(await other.query(TABLE, {})).toEqual(await store.query(TABLE, {}));
  const restored = await fingerprints(other);
  expect(restored.days).toEqual(days);
  await restored.taken.drop();
  // A day is another one with 0 in place of what is not told, and if what is told beside it differs.
  await using others = await testStore();
  const numbers = [{ ...WITHOUT_RATES, bounces: 0, visit_ms: 0 }, WITHOUT_RATES, { ...WITHOUT_RATES, visits: 101 }];
  const found: string[] = [];
  for (const [index, one] of numbers.entries()) {
    const rows = rowsOf(day(0), one);
    await others.imported.save(OF_IMPORT, { rows, token: `${index}` });
    const of = await fingerprints(others);
    found.push(...of.days.map(({ fingerprint }) => fingerprint));
    await of.taken.drop();
    await others.imported.drop(OF_IMPORT, () => undefined);
  }
  expect([new Set(found).size, found.indexOf(days[0]?.fingerprint ?? '')]).toEqual([3, 1]);
});
