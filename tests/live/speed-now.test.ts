/** @module-tag attack */
// How fast pages feel now: the question for the wall, at most once a minute, and what viewers get of it.
import { parse } from 'devalue';
import { expect, test } from 'vitest';
import { configureSite } from '../../server/sites/sites.ts';
import { createShareLink } from '../../server/sites/sharing/share.ts';
import { openSpeedNow, type SpeedNow } from '../../server/stats/vitals/now.ts';
import { MINUTE_MS } from '../../server/vocabulary/time/time.ts';
import { testApp } from '../setup/app.ts';
import { makeAsk } from '../setup/accounts/callers.ts';
import { hexId, makeVitals, SITE } from '../setup/event.ts';
import { showsRefused } from '../setup/run/harness.ts';
import { testStore } from '../setup/store.ts';

const NOW = Date.UTC(2026, 10, 20, 12);
type Measured = Partial<Parameters<typeof makeVitals>[0]>;
const rowsOf = (given: readonly Measured[], site_id = SITE) =>
  given.map((one, index) => ({
    ...makeVitals({ site_id, event_id: hexId(index + 1), time: NOW, ...one } as never),
    visit_id: 1n,
    entry_page: '/',
    import_id: '',
  }));

test('the last thirty minutes are asked for once a minute, for all viewers together', async () => {
  await using store = await testStore();
  let asked = 0;
  let isBroken = false;
  const counted: Pick<typeof store, 'query'> = {
    query: (...question) => {
      asked += 1;
      return isBroken ? Promise.reject(new Error('busy')) : store.query(...question);
    },
  };
  const speedNow = openSpeedNow(counted);
  const nothing = { p75: null, views: 0, visitors: 0 };
  expect(await speedNow(SITE, NOW)).toEqual({ lcp: nothing, inp: nothing, cls: nothing });
  const vitals = rowsOf([
    { lcp: 9000, time: NOW - 30 * MINUTE_MS },
    { lcp: 1000, inp: null, cls: 0.1, time: NOW - 30 * MINUTE_MS + 1 },
    { lcp: 2000, inp: null, cls: null },
    { lcp: 2000, inp: null, cls: null, visitor: '2' },
    { lcp: 8000, time: NOW + 2 * MINUTE_MS },
  ]);
  await store.insert({ events: [], ai_visits: [], vitals }, 'all');
  await Promise.all([speedNow(SITE, NOW), speedNow(SITE, NOW + MINUTE_MS - 1)]);
  expect([asked, (await speedNow(SITE, NOW)).lcp]).toEqual([1, nothing]);
  isBroken = true;
  await expect(speedNow(SITE, NOW + MINUTE_MS)).rejects.toThrow('busy');
  isBroken = false;
  const felt: SpeedNow = await openSpeedNow(counted)(SITE, NOW);
  expect(felt).toEqual({
    lcp: { p75: 2000, views: 3, visitors: 2 },
    inp: nothing,
    cls: { p75: 0.1, views: 1, visitors: 1 },
  });
  expect((await speedNow(SITE, NOW + MINUTE_MS)).lcp.views).toBe(2); // the failure was not kept
  expect(asked).toBe(4);
});

test('viewers get two digits of at least three visitors, and nothing where the link hides pages or nothing is measured', async () => {
  showsRefused('single visitors shown', 2);
  await using server = await testApp({ now: NOW });
  const site = await server.addSite('example.com');
  const { directory } = server.app.services;
  const cookie = await server.logIn('owner@example.com');
  const raw = makeAsk(server);
  const ask = async (headers: Record<string, string>) => {
    const { status, body } = await raw('live.speed', { site_id: site.id }, headers);
    return status === 200 ? (parse((JSON.parse(body) as { result: { data: string } }).result.data) as unknown) : status;
  };
  const vitals = rowsOf(
    ['1', '2', '3'].map((visitor) => ({ visitor, lcp: 2345, inp: visitor === '3' ? null : 99, cls: 0.1234 })),
    site.id,
  );
  await server.app.store.insert({ events: [], ai_visits: [], vitals }, 'all');
  const viewer = { 'x-share-token': (await createShareLink(directory, { siteId: site.id, name: 'a' }, NOW)).token };
  expect([await ask({ cookie }), await ask(viewer)]).toEqual([null, null]);
  await configureSite(directory, { siteId: site.id, settings: { vitals: true } }, NOW);
  expect(await ask({ cookie })).toEqual({
    lcp: { p75: 2340, views: 3 },
    inp: { p75: 99, views: 2 },
    cls: { p75: 0.123, views: 3 },
  });
  const few = { p75: null, views: null };
  expect(await ask(viewer)).toEqual({ lcp: { p75: 2300, views: null }, inp: few, cls: { p75: 0.12, views: null } });
  expect(await ask({})).toBe(401);
});
