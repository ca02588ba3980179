/** @module-tag fault */
// Imports that are worked on from several sides at once, fail half-way, or meet purges: they count whole, once, or not at all.
import { setTimeout as later } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openImporting } from '../../server/jobs/importing.ts';
import type { Site } from '../../server/sites/sites.ts';
import { summaryQuestion } from '../../server/stats/query.ts';
import type { EventStore } from '../../server/store/open.ts';
import type { Metric } from '../../server/vocabulary/numbers/metrics.ts';
import { MINUTE_MS } from '../../server/vocabulary/time/time.ts';
import { testApp, type TestApp } from '../setup/app.ts';
import { hitAt, importedSum, rowsOfSite } from '../setup/imports.ts';

let server: TestApp;
beforeAll(async () => {
  server = await testApp({ env: { LOG_LEVEL: 'silent' } });
});
afterAll(() => server[Symbol.asyncDispose]());

const HITS = [hitAt(0, 'ann', '/'), hitAt(3, 'ben', '/pricing'), hitAt(5, 'ann', '/pricing'), hitAt(600, 'ann', '/')];
const DONE = { replaced: [], notTaken: {} };

async function openSite() {
  const site = await server.newSite();
  const { importing } = server.app.services;
  const begin = async (content: string) => {
    const begun = { siteId: site.id, format: 'umami', file: 'website_event.csv', content };
    return { siteId: site.id, id: (await importing.begin(begun)).id };
  };
  return { site, importing, begin };
}

/** Another process, with its own memory and a store that may fail. */
const other = (imported: Partial<EventStore['imported']> = {}, purged: Partial<EventStore['purged']> = {}) => {
  const { store, services } = server.app;
  return openImporting({
    directory: services.directory,
    store: {
      query: store.query,
      idsAQuery: store.idsAQuery,
      imported: { ...store.imported, ...imported },
      purged: { ...store.purged, ...purged },
    },
    versions: { heard: () => undefined },
    geo: server.app.geo,
    onChanged: () => undefined,
    now: () => server.clock.now,
  });
};

async function totals(site: Site): Promise<(number | undefined)[]> {
  const metrics: Metric[] = ['unique_visitors', 'visits', 'pageviews', 'bounce_rate'];
  const asked = { site_id: site.id, period: 'custom', date_from: '2026-10-01', date_to: '2026-10-31' };
  const question = { ...summaryQuestion.parse(asked), metrics };
  const { values } = await server.app.services.stats.totals(question, site, server.clock.now);
  return metrics.map((metric) => values[metric]);
}

const rowsOf = (site: Site) => rowsOfSite(server.app.store, site.id);

/** Ann reads two pages and comes back, Ben reads one. */
const WHOLE = [2, 3, 4, (100 * 2) / 3];

test('an import that is removed while it is completed is either whole and listed, or gone', async () => {
  for (const delay of [0, 5, 20, 60]) {
    const { site, importing, begin } = await openSite();
    const which = await begin('removed');
    await importing.add({ ...which, part: 0 }, { hits: HITS, sums: [importedSum('2026-10-07')] });
    const finishing = importing.finish({ ...which, ...DONE });
    await later(delay);
    await Promise.allSettled([finishing, importing.remove(which)]);
    const listed = await server.app.services.directory.db
      .selectFrom('imports')
      .select('state')
      .where('id', '=', which.id)
      .execute();
    if (listed.length === 0) expect(await rowsOf(site)).toEqual({});
    else {
      expect(listed).toEqual([{ state: 'done' }]);
      await importing.remove(which);
      expect(await rowsOf(site)).toEqual({});
    }
  }
});

test('a part that is on its way while the import is completed or removed is refused, or holds them up', async () => {
  const { site, importing, begin } = await openSite();
  const which = await begin('late');
  await importing.add({ ...which, part: 0 }, { hits: [], sums: [importedSum('2026-10-05')] });
  const [reached, gate] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
  const slow = other({
    save: async (of, part) => {
      reached.resolve(undefined);
      await gate.promise;
      return server.app.store.imported.save(of, part);
    },
  });
  const late = slow.add({ ...which, part: 1 }, { hits: [], sums: [importedSum('2026-10-06')] });
  await reached.promise;
  for (const act of [() => importing.finish({ ...which, ...DONE }), () => importing.remove(which)])
    await expect(act()).rejects.toThrow('This import is also being worked on elsewhere: try again in a moment.');
  gate.resolve(undefined);
  await late;
  await importing.finish({ ...which, ...DONE });
  expect((await totals(site)).slice(0, 3)).toEqual([20, 24, 60]);
});

test('a part that failed, and parts that processes take in turn, keep visits whole', async () => {
  const { site, importing, begin } = await openSite();
  const which = await begin('turns');
  let fails = 1;
  const failing = other({
    saveHits: (lines) =>
      fails-- > 0 ? Promise.reject(new Error('store away')) : server.app.store.imported.saveHits(lines),
  });
  const first = { hits: HITS.slice(0, 2), sums: [] };
  await expect(failing.add({ ...which, part: 0 }, first)).rejects.toThrow('store away');
  await failing.add({ ...which, part: 0 }, first);
  await other().add({ ...which, part: 1 }, { hits: HITS.slice(2), sums: [] });
  await importing.finish({ ...which, ...DONE });
  expect(await totals(site)).toEqual(WHOLE);
});

test('a completion that fails half-way is finished by the job', async () => {
  const { site, importing, begin } = await openSite();
  const which = await begin('half');
  await importing.add({ ...which, part: 0 }, { hits: HITS, sums: [importedSum('2026-10-07')] });
  const failing = other({}, { putBack: () => Promise.reject(new Error('store away')) });
  await expect(failing.finish({ ...which, ...DONE })).rejects.toThrow('store away');
  expect((await totals(site)).slice(0, 3)).toEqual([0, 0, 0]);
  await expect(importing.add({ ...which, part: 1 }, { hits: HITS, sums: [] })).rejects.toThrow('is complete');
  await server.app.runJob('tidy-imports');
  expect((await totals(site)).slice(0, 3)).toEqual([12, 15, 34]);
});

test('two imports of a day that are completed at once count one of them there', async () => {
  const { site, importing, begin } = await openSite();
  const [one, two] = [await begin('one'), await begin('two')];
  await importing.add({ ...one, part: 0 }, { hits: [hitAt(0, 'a', '/')], sums: [] });
  await importing.add({ ...two, part: 0 }, { hits: [hitAt(0, 'a', '/'), hitAt(1, 'b', '/')], sums: [] });
  await Promise.allSettled([importing.finish({ ...one, ...DONE }), importing.finish({ ...two, ...DONE })]);
  await server.app.runJob('tidy-imports');
  expect([1, 2]).toContain((await totals(site))[0]);
});

test('visits of an import that are purged do not come back once it is removed', async () => {
  const { site, importing, begin } = await openSite();
  const which = await begin('purged');
  await importing.add({ ...which, part: 0 }, { hits: HITS.map((one) => ({ ...one, country: 'FR' })), sums: [] });
  await importing.finish({ ...which, ...DONE });
  const { stats, purging } = server.app.services;
  const filters = [{ dimension: 'country', operator: 'is', values: ['FR'] }];
  const asked = { site_id: site.id, period: 'custom', date_from: '2026-10-01', date_to: '2026-10-31', filters };
  const question = summaryQuestion.parse(asked);
  const rows = await stats.purgeable(question, site, server.clock.now);
  const purge = await purging.purge({ siteId: site.id, name: 'French', definition: { filters }, rows });
  await importing.remove(which);
  expect(await rowsOf(site)).toEqual({});
  await purging.undo({ siteId: site.id, id: purge.id });
  expect((await totals(site)).slice(0, 3)).toEqual([0, 0, 0]);
});

test('hits of a day that is not over are left out, and imported ones take nothing from the quota', async () => {
  const { site, importing, begin } = await openSite();
  const which = await begin('today');
  const today = { ...hitAt(0, 'a', '/'), time: server.clock.now - MINUTE_MS };
  const yesterday = { ...hitAt(0, 'a', '/'), time: server.clock.now - 24 * 60 * MINUTE_MS };
  await importing.add({ ...which, part: 0 }, { hits: [today, yesterday], sums: [] });
  const month = { from: Date.UTC(2026, 10, 1), to: Date.UTC(2026, 11, 1) };
  expect(await server.app.services.stats.countEvents([site.id], month)).toBe(0);
  const { brought, notTaken } = await importing.finish({ ...which, ...DONE });
  expect([brought?.pageviews, notTaken]).toEqual([1, { not_over: 1 }]);
  expect(await server.app.services.stats.countEvents([site.id], month)).toBe(0);
});

test('rows of an import that nobody knows of, as a backup may bring back, are removed', async () => {
  const { site, importing, begin } = await openSite();
  const which = await begin('unknown');
  await importing.add({ ...which, part: 0 }, { hits: HITS, sums: [importedSum('2026-10-07')] });
  await importing.finish({ ...which, ...DONE });
  await server.app.services.directory.db.deleteFrom('imports').where('id', '=', which.id).execute();
  await server.app.runJob('sweep-imports');
  expect(await rowsOf(site)).toEqual({});
  expect((await totals(site)).slice(0, 3)).toEqual([0, 0, 0]);
});
