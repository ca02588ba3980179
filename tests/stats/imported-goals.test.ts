/** @module-tag promise */
// Goals on days that an import has brought, for whoever has a share link.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { goals } from '../../server/sites/definitions/goals.ts';
import { breakdownQuestion } from '../../server/stats/query.ts';
import { testApp, type TestApp } from '../setup/app.ts';
import { viewing } from '../setup/accounts/viewing.ts';
import { importedSum } from '../setup/imports.ts';

let server: TestApp;
beforeAll(async () => {
  server = await testApp({ env: { LOG_LEVEL: 'silent' } });
});
afterAll(() => server[Symbol.asyncDispose]());

const DAY = '2026-11-01';

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
  const listed = async () =>
    (await stats.breakdown(asked, site, now)).rows
      .map(({ name, values }) => [name, values.conversions, values.converted_visitors])
      .filter(([, conversions]) => conversions !== 0);
  const ofImport = [
    [ids[0], 5, 4],
    [ids[1], 3, 2],
  ];
  expect(await listed()).toEqual(ofImport);
  await add('/own');
  expect(await listed()).toEqual(ofImport);
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
