// How page views are read, through the API: the figures of the dashboard's curve, and the share of views that reach each tenth.
import { expect } from 'vitest';
import { goals } from '../../server/sites/definitions/goals.ts';
import { makeEvent } from '../setup/event.ts';
import { test } from '../setup/api/rest-test.ts';

test('GET /v1/stats/reading tells how far down a page is read, under filters and for the days asked for', async ({
  server,
  site,
  rest,
}) => {
  const read = (visitor: string, page: string, engaged_ms: number, scroll: number) => {
    const about = { site_id: site.id, visitor, page, country: page === '/a' ? 'DE' : 'FR' };
    const time = server.clock.now - 3_600_000;
    return [
      makeEvent({ ...about, time }),
      makeEvent({ ...about, time: time + 60_000, name: 'engagement', interactive: false, engaged_ms, scroll }),
    ];
  };
  const events = [
    ...read('1', '/a', 4_000, 100),
    ...read('2', '/a', 8_000, 55),
    ...read('3', '/a', 12_000, 50),
    ...read('4', '/a', 2_000, 0),
    ...read('5', '/b', 60_000, 20),
    makeEvent({ site_id: site.id, visitor: '6', page: '/a', time: server.clock.now - 60_000 }), // still open
  ];
  await server.app.collector.record(events, server.clock.now);
  await server.settle();
  const ask = async (query: string) =>
    (await rest.ask(`/v1/stats/reading?site_id=${site.id}&period=today${query}`)).body;
  const reached = (views: number[], of: number) =>
    views.map((number, index) => ({ scroll: 10 * (index + 1), views: number, share: of && (100 * number) / of }));
  const meta = { date_from: '2026-11-20', date_to: '2026-11-20' };
  expect(await ask('&filter[page]=/a')).toEqual({
    data: { views: 4, time_on_page: 6, scroll_depth: 52.5, reached: reached([3, 3, 3, 3, 3, 1, 1, 1, 1, 1], 4) },
    meta,
  });
  expect(await ask('')).toMatchObject({ data: { views: 5, reached: reached([4, 4, 3, 3, 3, 1, 1, 1, 1, 1], 5) } });
  expect(await ask('&filter[country]=FR')).toMatchObject({ data: { views: 1, time_on_page: 60, scroll_depth: 20 } });
  expect(await ask('&filter[page]=/nowhere')).toEqual({
    data: { views: 0, time_on_page: 0, scroll_depth: 0, reached: reached(Array<number>(10).fill(0), 0) },
    meta,
  });
  expect((await rest.ask(`/v1/stats/reading?site_id=${site.id}&period=7d`)).body).toMatchObject({ data: { views: 0 } });
  expect((await rest.refused(`/v1/stats/reading?site_id=${site.id}&filter[ai_agent]=GPTBot`)).message).toMatch(
    /^filter\[ai_agent\]: can be combined only with/,
  );
});

test('GET /v1/stats/breakdown tells how the visits that reached a goal read, as a filter by the goal does', async ({
  server,
  site,
  rest,
}) => {
  const definition = { kind: 'event' as const, event: 'signup', props: {} };
  const goal = { siteId: site.id, name: 'Sign-up', definition };
  const { id } = await goals.create(server.app.services.directory, goal, server.clock.now);
  const time = server.clock.now - 3_600_000;
  const visit = (visitor: string, names: string[]) =>
    names.map((name, index) => {
      const read = name === 'engagement' ? { interactive: false, engaged_ms: 2_000 * index, scroll: 10 * index } : {};
      return makeEvent({ site_id: site.id, visitor, page: '/a', time: time + index * 1000, name, ...read });
    });
  const events = [
    ...visit('1', ['pageview', 'engagement', 'signup', 'engagement']), // 2 + 6 s, 30 per cent
    ...visit('2', ['pageview', 'signup', 'signup', 'signup', 'signup', 'engagement']), // 10 s, 50 per cent
    ...visit('3', ['pageview', 'engagement']),
  ];
  await server.app.collector.record(events, server.clock.now);
  await server.settle();
  const ask = async (path: string, query: string) =>
    (await rest.ask(`/v1/stats/${path}?site_id=${site.id}&period=today${query}`)).body as { data: unknown };
  const list = await ask('breakdown', '&dimension=goal&metrics=conversions,time_on_page,scroll_depth');
  expect(list.data).toEqual([{ goal: id, conversions: 5, time_on_page: 9, scroll_depth: 40 }]);
  const filtered = await ask('reading', `&filter[goal]=${id}`);
  expect(filtered).toMatchObject({ data: { views: 2, time_on_page: 9, scroll_depth: 40 } });
});
