// The API through the running server: sites and numbers, each answer checked against the published description.
import { describe, expect } from 'vitest';
import { createSite, pauseSite } from '../../server/sites/sites.ts';
import { eventually } from '../setup/eventually.ts';
import { test } from '../setup/api/rest-test.ts';

describe('sites', () => {
  test('are listed in order of creation, page by page, each as it is alone', async ({ server, site, rest, data }) => {
    const sites = [site];
    for (const n of [1, 2])
      sites.push(
        await createSite(
          server.app.services.directory,
          { accountId: site.account_id, domain: `more${n}.${site.domain}` },
          (server.clock.now += 1),
        ),
      );
    const all = (await rest.ask('/v1/sites')).body as { data: { id: string }[]; meta: unknown };
    expect(all.data.map(({ id }) => id)).toEqual(sites.map(({ id }) => id));
    expect(all.meta).toEqual({ page: 1, per_page: 50, total: 3 });
    expect((await rest.ask('/v1/sites?page=2&per_page=2')).body).toEqual({
      data: [all.data[2]],
      meta: { page: 2, per_page: 2, total: 3 },
    });
    expect((await rest.ask('/v1/sites?page=9')).body).toEqual({ data: [], meta: { page: 9, per_page: 50, total: 3 } });
    expect(await data(`/v1/sites/${site.id}`)).toEqual({
      id: site.id,
      domain: site.domain,
      created_at: new Date(site.created_at).toISOString(),
      tracking: false,
    });
  });

  test('are tracked from their first event, from a server or a browser, until a day without events or a pause', async ({
    server,
    site,
    rest,
    event,
    view,
    data,
  }) => {
    const tracking = async () => {
      server.clock.now += 1000; // longer than a site is cached
      return ((await data(`/v1/sites/${site.id}`)) as { tracking: boolean }).tracking;
    };
    for (const send of [() => rest.ask('/v1/events', { body: event() }), () => view('/')]) {
      expect(await tracking()).toBe(false);
      await send();
      await eventually(async () => expect(await tracking()).toBe(true));
      server.clock.now += 86_400_000;
    }
    expect(await tracking()).toBe(false);
    await view('/again');
    await eventually(async () => expect(await tracking()).toBe(true));
    await pauseSite(server.app.services.directory, { siteId: site.id, paused: true });
    expect(await tracking()).toBe(false);
    server.clock.now -= 2 * 86_400_000;
  });

  test('of others get the same 404, to the letter, as sites that do not exist', async ({
    server,
    site,
    rest,
    event,
    rows,
  }) => {
    const foreign = await server.addSite(`foreign-${site.domain}`);
    const ids = [foreign.id, 'site_0000000000000000', 'x', '%00', '%F0%9F%92%A9', '%zz', 'a%2Fb', 'x'.repeat(3000)];
    const paths = ids.flatMap((id) => [
      [`/v1/sites/${id}`],
      ...(id.length <= 64 && id !== '%zz'
        ? ['stats', 'stats/timeseries', 'stats/breakdown', 'stats/reading', 'stats/search-terms', 'live'].map(
            (name) => [`/v1/${name}?site_id=${id}${name.endsWith('breakdown') ? '&dimension=page' : ''}`],
          )
        : []),
      ...(/^\w+$/.test(id) && id.length <= 64 ? [['/v1/events', event({ site_id: id })] as const] : []),
    ]);
    const answers = new Set<string>();
    for (const [path = '', body] of paths) answers.add((await rest.ask(String(path), body ? { body } : {})).text);
    expect([...answers]).toEqual([
      '{"error":"not_found","message":"There is no such site in this account.","status":404}',
    ]);
    expect(await rows('name')).toEqual([]);
  });
});

describe('stats', () => {
  test.beforeEach(async ({ server, view }) => {
    for (const path of ['/', '/', '/b', '/a']) await view(path);
    await server.settle();
  });

  test('are totals and top pages, limited to what was asked', async ({ site, data }) => {
    const days = { date_from: '2026-11-20', date_to: '2026-11-20' };
    const asked = `/v1/stats?site_id=${site.id}&period=today`;
    // Three views: the repeat within half a second counts once.
    const top_pages = ['/', '/a', '/b'].map((path) => ({ path, views: 1 }));
    expect(await data(asked)).toEqual({ pageviews: 3, unique_visitors: 1, top_pages, ...days });
    expect(await data(`${asked}&metric=pageviews`)).toEqual({ pageviews: 3, top_pages, ...days });
    expect(await data(`${asked}&metric=visitors`)).toEqual({ unique_visitors: 1, top_pages, ...days });
    expect(await data(`${asked}&limit=1`)).toMatchObject({ pageviews: 3, top_pages: [{ path: '/', views: 1 }] });
    expect(await data(`${asked}&filter[page]=/a`)).toMatchObject({ pageviews: 1, top_pages: [{ path: '/a' }] });
  });

  test('say which days a period has', async ({ site, data }) => {
    for (const [period, date_from, date_to] of [
      ['period=today', '2026-11-20', '2026-11-20'],
      ['period=7d', '2026-11-13', '2026-11-19'],
      ['period=30d', '2026-10-21', '2026-11-19'],
      ['metric=both', '2026-10-21', '2026-11-19'],
      ['period=custom&date_from=2000-01-01&date_to=2026-11-20', '2000-01-01', '2026-11-20'],
      ['period=custom&date_from=2024-02-29&date_to=2024-02-29', '2024-02-29', '2024-02-29'],
    ])
      expect(await data(`/v1/stats?site_id=${site.id}&${period}`)).toMatchObject({ date_from, date_to });
  });

  test('may be cached for a minute, and are revalidated with their ETag', async ({ server, site, rest, view }) => {
    const asked = `/v1/stats?site_id=${site.id}&period=today`;
    const first = await rest.ask(asked);
    expect(first.headers.get('cache-control')).toBe('private, max-age=60');
    const etag = first.headers.get('etag') ?? '';
    for (const tag of [etag, `W/${etag}`, `"x", ${etag}`, '*'])
      expect((await rest.ask(asked, { headers: { 'if-none-match': tag } })).status).toBe(304);
    expect((await rest.ask(asked, { headers: { 'if-none-match': '"x"' } })).status).toBe(200);
    await view('/new');
    await server.settle();
    const changed = await rest.ask(asked, { headers: { 'if-none-match': etag } });
    expect([changed.status, changed.headers.get('etag') === etag]).toEqual([200, false]);
    const head = await rest.ask(asked, { method: 'HEAD' });
    expect(head.headers.get('etag')).toBe(changed.headers.get('etag'));
    expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(changed.text)));
  });

  test('over time and by value equal the dashboard’s', async ({ server, site, rest, event }) => {
    await rest.ask('/v1/events', { body: event({ props: { plan: 'pro' } }) });
    await server.settle();
    const series = await rest.ask(
      `/v1/stats/timeseries?site_id=${site.id}&period=custom&date_from=2026-11-19&date_to=2026-11-20&interval=day&metrics=pageviews,events,ai_visits`,
    );
    expect(series.body).toEqual({
      data: [
        { time: '2026-11-19T00:00:00.000Z', pageviews: 0, events: 0, ai_visits: 0 },
        { time: '2026-11-20T00:00:00.000Z', pageviews: 3, events: 1, ai_visits: 0 },
      ],
      meta: { interval: 'day', date_from: '2026-11-19', date_to: '2026-11-20' },
    });
    const list = (query: string) => rest.ask(`/v1/stats/breakdown?site_id=${site.id}&period=today&${query}`);
    const meta = { page: 1, per_page: 100, date_from: '2026-11-20', date_to: '2026-11-20' };
    expect((await list('dimension=page&metrics=pageviews,unique_visitors')).body).toEqual({
      data: ['/', '/a', '/b'].map((page) => ({ page, pageviews: 1, unique_visitors: 1 })),
      meta: { ...meta, total: 3 },
    });
    expect((await list('dimension=page&metrics=pageviews&page=2&per_page=2')).body).toEqual({
      data: [{ page: '/b', pageviews: 1 }],
      meta: { ...meta, page: 2, per_page: 2, total: 3 },
    });
    expect((await list('dimension=page&metrics=pageviews&page=7&per_page=2')).body).toMatchObject({
      data: [],
      meta: { total: 3 },
    });
    expect((await list('dimension=prop:plan&metrics=events')).body).toMatchObject({
      data: [{ 'prop:plan': 'pro', events: 1 }],
    });
    expect((await list('dimension=event&metrics=events&filter[prop:plan]=pro')).body).toMatchObject({
      data: [{ event: 'plan_upgraded', events: 1 }],
    });
    expect((await list('dimension=ai_provider')).body).toMatchObject({ data: [], meta: { total: 0 } });
  });

  test('are available at every interval that gives a period a reasonable number of points', async ({ site, rest }) => {
    const ask = (query: string) => rest.ask(`/v1/stats/timeseries?site_id=${site.id}&metrics=pageviews&${query}`);
    const points = async (query: string) => ((await ask(query)).body as { data: unknown[] }).data;
    expect(await points('period=today&interval=day')).toEqual([{ time: '2026-11-20T00:00:00.000Z', pageviews: 3 }]);
    expect(await points('period=today&interval=week')).toEqual([{ time: '2026-11-16T00:00:00.000Z', pageviews: 3 }]);
    expect(await points('period=today&interval=month')).toEqual([{ time: '2026-11-01T00:00:00.000Z', pageviews: 3 }]);
    expect(await points('period=7d&interval=minute')).toHaveLength(7 * 1440);
    const ever = 'period=custom&date_from=2000-01-01&date_to=2026-11-20';
    const days = await points(`${ever}&interval=day`);
    expect([days.length, days.at(-1)]).toEqual([9821, { time: '2026-11-20T00:00:00.000Z', pageviews: 3 }]);
    expect((await ask(`${ever}&interval=hour`)).body).toMatchObject({
      status: 400,
      message: 'interval: must be one of day, week, month for a period of this length.',
    });
  });

  test('of current visitors do not wait for the store', async ({ site, rest, data }) => {
    expect(await data(`/v1/live?site_id=${site.id}`)).toEqual({
      current_visitors: 1,
      pages: [{ page: '/a', visitors: 1 }],
    });
    expect((await rest.ask(`/v1/live?site_id=${site.id}`)).headers.get('cache-control')).toBe('no-store');
  });
});
