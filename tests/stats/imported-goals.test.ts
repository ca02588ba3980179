/** @module-tag promise */
// Goals on days that an import has brought, for whoever has a share link.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { goals } from '../../server/sites/definitions/goals.ts';
import { breakdownQuestion, summaryQuestion, timeseriesQuestion } from '../../server/stats/query.ts';
import { testApp, type TestApp } from '../setup/app.ts';
import { viewing } from '../setup/accounts/viewing.ts';
import { importedSum } from '../setup/imports.ts';

let server: TestApp;
beforeAll(async () => {
  server = await testApp({ env: { LOG_LEVEL: 'silent' } });
});
afterAll(() => server[Symbol.asyncDispose]());

const [DAY_BEFORE, DAY] = ['2026-10-31', '2026-11-01'];

test('stay listed with what the import counted once the site has a goal of its own', async () => {
  const site = await server.addSite('own-goal.example');
  const { directory, importing, stats } = server.app.services;
  const { now } = server.clock;
  const add = (page: string) =>
    goals.create(directory, { siteId: site.id, name: page, definition: { kind: 'page', page } }, now);
  const ids = [await add('/thanks'), await add('/welcome')].map(({ id }) => id);
  const [thanks, welcome] = ['/thanks', '/welcome'].map((page) => JSON.stringify(['page', page]));
  const reached = (some: (string | undefined)[], events: number) =>
    importedSum(DAY, { dimension: 'goal', label: JSON.stringify(some), visitors: events - 1, events });
  const sums = [importedSum(DAY), reached([thanks], 5), reached([welcome], 3), reached([thanks, welcome], 8)];
  const begun = { siteId: site.id, format: 'footfall', file: 'export.zip', content: 'own goal' };
  const which = { siteId: site.id, id: (await importing.begin(begun)).id };
  await importing.add({ ...which, part: 0 }, { hits: [], sums });
  await importing.finish({ ...which, replaced: [], notTaken: {} });
  const asked = breakdownQuestion.parse({
    site_id: site.id,
    period: 'custom',
    date_from: DAY,
    date_to: DAY,
    dimension: 'goal',
    metrics: ['conversions', 'converted_visitors'],
  });
  const listed = async () => {
    const { rows, sum } = await stats.breakdown(asked, site, now);
    const shown = rows.map(({ name, values }) => [name, values.conversions, values.converted_visitors]);
    return { rows: shown.filter(([, conversions]) => conversions !== 0), sum };
  };
  const { dimension: _, metrics: __, page: ___, per_page: ____, ...days } = asked;
  const together = async () => {
    const metrics = ['conversions', 'converted_visitors', 'conversion_rate'] as const;
    const { values } = await stats.totals({ ...days, metrics: [...metrics] }, site, now);
    const chart = { ...days, date_from: DAY_BEFORE, interval: 'day' as const, metric: 'conversions' as const };
    const { points } = await stats.timeseries(timeseriesQuestion.parse(chart), site, now);
    return [...metrics.map((metric) => values[metric]), ...points.map(({ value }) => value)];
  };
  const rows = [
    [ids[0], 5, 4],
    [ids[1], 3, 2],
  ];
  expect([await listed(), await together()]).toEqual([{ rows, sum: 8 }, [8, 7, 70, 0, 8]]);
  await add('/own');
  // The import does not know these three together. Whoever reached two of them counts twice.
  expect([await listed(), await together()]).toEqual([{ rows, sum: 8 }, [8, 6, 60, 0, 8]]);
});

test('count together without one that was deleted, and by no more visitors than the day has', async () => {
  const site = await server.addSite('deleted-goal.example');
  const { directory, importing, stats } = server.app.services;
  const { now } = server.clock;
  const pages = ['/a', '/b', '/c'];
  const made = await Promise.all(
    pages.map((page) =>
      goals.create(directory, { siteId: site.id, name: page, definition: { kind: 'page', page } }, now),
    ),
  );
  const conditions = pages.map((page) => JSON.stringify(['page', page]));
  const reached = (some: string[], events: number) =>
    importedSum(DAY, { dimension: 'goal', label: JSON.stringify(some), visitors: 7, events });
  const sums = [importedSum(DAY), ...conditions.map((one) => reached([one], 9)), reached(conditions, 27)];
  const begun = { siteId: site.id, format: 'footfall', file: 'export.zip', content: 'deleted goal' };
  const which = { siteId: site.id, id: (await importing.begin(begun)).id };
  await importing.add({ ...which, part: 0 }, { hits: [], sums });
  await importing.finish({ ...which, replaced: [], notTaken: {} });
  const asked = summaryQuestion.parse({ site_id: site.id, period: 'custom', date_from: DAY, date_to: DAY });
  const metrics = ['conversions' as const, 'converted_visitors' as const];
  const together = async () => Object.values((await stats.totals({ ...asked, metrics }, site, now)).values);
  expect(await together()).toEqual([27, 7]);
  await goals.delete(directory, { siteId: site.id, id: made[2]?.id ?? '' });
  expect(await together()).toEqual([18, 10]);
});

test('are changed for viewers by a key that nobody can compute, and stay exact for members', async () => {
  const site = await server.addSite();
  const { directory, importing, stats } = server.app.services;
  const { now } = server.clock;
  const pages = Array.from({ length: 30 }, (_, index) => `/page-${index}`);
  for (const page of pages)
    await goals.create(directory, { siteId: site.id, name: page, definition: { kind: 'page', page } }, now);
  const conditions = pages.map((page) => JSON.stringify(['page', page])).sort();
  const reached = (some: string[], visitors: number) =>
    importedSum(DAY, { dimension: 'goal', label: JSON.stringify(some), visitors, events: visitors });
  const ofGoals = [...conditions.map((one) => reached([one], 20)), reached(conditions, 80)];
  const begun = { siteId: site.id, format: 'footfall', file: 'export.zip', content: 'goals' };
  const which = { siteId: site.id, id: (await importing.begin(begun)).id };
  await importing.add({ ...which, part: 0 }, { hits: [], sums: [importedSum(DAY, { visitors: 100 }), ...ofGoals] });
  await importing.finish({ ...which, replaced: [], notTaken: {} });

  const asked = breakdownQuestion.parse({
    site_id: site.id,
    period: 'custom',
    date_from: DAY,
    date_to: DAY,
    dimension: 'goal',
    metrics: ['conversions'],
    per_page: 30,
  });
  const counts = async (of: typeof stats) =>
    (await of.breakdown(asked, site, now)).rows.map(({ values }) => values.conversions);
  expect(await counts(stats)).toEqual(pages.map(() => 20));
  const shown = await counts(stats.askedBy({}, viewing({}, now)));
  expect(shown).toHaveLength(30);
  expect(new Set(shown).size).toBeGreaterThan(1);
});
