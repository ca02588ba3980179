// A site's own time zone, from the visitor's request to the numbers: days, visitors and visits around midnight; and answers in UTC
// days or the site's.
import Papa from 'papaparse';
import { expect, test } from 'vitest';
import { configureSite, createSite, siteById } from '../../server/sites/sites.ts';
import { HOUR_MS } from '../../server/vocabulary/time/time.ts';
import { testApp, type TestApp } from '../setup/app.ts';
import { keyFor, restOf } from '../setup/api/rest.ts';

const ZONE = 'America/Los_Angeles';
/** Midnight of the 20th in Los Angeles, eight hours after that of UTC. */
const MIDNIGHT = Date.UTC(2026, 10, 20, 8);

async function openSite(now: number) {
  const server = await testApp({ now });
  const site = await server.addSite();
  const zoned = () =>
    configureSite(server.app.services.directory, { siteId: site.id, timezone: ZONE }, server.clock.now);
  const view = async (page: string, at: number) => {
    server.clock.now = at;
    expect((await server.foot({ site: site.domain, name: 'pageview', url: `https://example.com${page}` })).status).toBe(
      202,
    );
    await server.settle();
  };
  return Object.assign(server, { site, zoned, view });
}

const rowsOf = (server: TestApp) =>
  server.app.store.query<{ page: string; day: string; visitor: string; visit: string }>(
    'SELECT page, toString(day) AS day, toString(visitor_id) AS visitor, toString(visit_id) AS visit FROM events ORDER BY time',
    {},
  );

test('visitors and visits end at the site’s midnight, and continue past UTC midnight', async () => {
  await using server = await openSite(MIDNIGHT - 2 * HOUR_MS);
  await server.zoned();
  await server.view('/evening', MIDNIGHT - 10_000);
  await server.view('/morning', MIDNIGHT + 10_000);
  await server.view('/afternoon', MIDNIGHT + 16 * HOUR_MS - 10_000);
  await server.view('/later', MIDNIGHT + 16 * HOUR_MS + 10_000);
  const rows = await rowsOf(server);
  expect(rows.map(({ page, day }) => [page, day])).toEqual([
    ['/evening', '2026-11-19'],
    ['/morning', '2026-11-20'],
    ['/afternoon', '2026-11-20'],
    ['/later', '2026-11-20'],
  ]);
  const [evening, morning, afternoon, later] = rows;
  expect(evening?.visitor).not.toBe(morning?.visitor);
  expect([afternoon?.visitor, later?.visitor]).toEqual([morning?.visitor, morning?.visitor]);
  expect(evening?.visit).not.toBe(morning?.visit);
  expect(later?.visit).toBe(afternoon?.visit);
});

test('events keep their day when the zone changes, and each counts on exactly one day', async () => {
  // 06:00 in UTC on the 20th is still the 19th in Los Angeles.
  const start = MIDNIGHT - 2 * HOUR_MS;
  await using server = await openSite(start);
  await server.view('/in-utc', start);
  await server.zoned();
  await server.view('/in-zone', start + 5_000);
  await configureSite(
    server.app.services.directory,
    { siteId: server.site.id, timezone: 'Asia/Kolkata' },
    server.clock.now,
  );
  await server.view('/in-kolkata', start + 10_000);
  expect((await rowsOf(server)).map(({ page, day }) => [page, day])).toEqual([
    ['/in-utc', '2026-11-20'],
    ['/in-zone', '2026-11-19'],
    ['/in-kolkata', '2026-11-20'],
  ]);
  const site = await siteById(server.app.services.directory, server.site.id);
  if (!site) throw new Error('The site is gone.');
  const views = async (date: string) => {
    const asked = { site_id: site.id, period: 'custom' as const, date_from: date, date_to: date };
    const question = { ...asked, compare: 'none' as const, filters: [], metrics: ['pageviews' as const] };
    return (await server.app.services.stats.totals(question, site, server.clock.now)).values.pageviews;
  };
  expect([await views('2026-11-19'), await views('2026-11-20')]).toEqual([1, 2]);
});

test('the preview of a goal counts the last 30 days of the site, today included', async () => {
  const { definition, days } = { definition: { kind: 'page', page: '/**' } as const, days: 24 * HOUR_MS };
  // At 06:00 in UTC on the 20th of November, the 19th is today in Los Angeles, and the 21st of October is the first of 30 days.
  await using server = await openSite(MIDNIGHT - 31 * days);
  await server.zoned();
  const first = Date.UTC(2026, 9, 21, 7); // the clocks change during these days
  await server.view('/too-early', first - 60_000);
  await server.view('/on-the-first-day', first + 60_000);
  await server.view('/today', MIDNIGHT - 3 * HOUR_MS);
  const { directory, stats } = server.app.services;
  const preview = async (now: number) => {
    const site = await siteById(directory, server.site.id);
    if (!site) throw new Error('The site is gone.');
    return stats.preview({ site_id: site.id, definition }, site, now);
  };
  expect(await preview(MIDNIGHT - 2 * HOUR_MS)).toEqual({ conversions: 2, converted_visitors: 2 });
  expect(await preview(MIDNIGHT + HOUR_MS)).toEqual({ conversions: 1, converted_visitors: 1 });
  await configureSite(directory, { siteId: server.site.id, timezone: 'UTC' }, server.clock.now);
  // In UTC days, the 20th is today: the 21st of October is out of the 30 days, the 20th of November in them.
  expect(await preview(MIDNIGHT - 2 * HOUR_MS)).toEqual({ conversions: 1, converted_visitors: 1 });
});

test('the API answers in UTC days, and in those of the site when asked, as the export does', async () => {
  await using server = await openSite(MIDNIGHT - 2 * HOUR_MS);
  await server.zoned();
  await server.view('/evening', MIDNIGHT - HOUR_MS);
  await server.view('/morning', MIDNIGHT + HOUR_MS);
  const { id, domain } = server.site;
  const rest = await restOf(server, await keyFor(server, server.site));
  const today = async (timezone: string) => {
    const { body } = await rest.ask(`/v1/stats?site_id=${id}&period=today${timezone}`);
    return (body as { data: object }).data;
  };
  const day = { date_from: '2026-11-20', date_to: '2026-11-20' };
  expect(await today('')).toMatchObject({ pageviews: 2, unique_visitors: 2, ...day });
  expect(await today('&timezone=UTC')).toMatchObject({ pageviews: 2, ...day });
  expect(await today('&timezone=site')).toMatchObject({ pageviews: 1, unique_visitors: 1, ...day });

  const custom = 'period=custom&date_from=2026-11-19&date_to=2026-11-20';
  const series = `/v1/stats/timeseries?site_id=${id}&${custom}&metrics=pageviews`;
  expect((await rest.ask(`${series}&timezone=site`)).body).toMatchObject({
    data: [
      { time: '2026-11-19T08:00:00.000Z', pageviews: 1 },
      { time: '2026-11-20T08:00:00.000Z', pageviews: 1 },
    ],
  });
  expect((await rest.ask(series)).body).toMatchObject({
    data: [
      { time: '2026-11-19T00:00:00.000Z', pageviews: 0 },
      { time: '2026-11-20T00:00:00.000Z', pageviews: 2 },
    ],
  });
  const last = await rest.ask(`/v1/stats/timeseries?site_id=${id}&period=24h&metrics=pageviews`);
  const { data } = last.body as { data: { time: string; pageviews: number }[] };
  expect([data.length, data.at(-1)?.time]).toEqual([24, '2026-11-20T08:01:00.000Z']);
  expect(data.map(({ pageviews }) => pageviews).slice(-3)).toEqual([1, 0, 1]);

  // At 09:00 in UTC the 20th has begun in Los Angeles; the 21st has begun nowhere in time zones that sites may have.
  const wrong = await rest.refused(
    `/v1/stats?site_id=${id}&period=custom&date_from=2026-11-20&date_to=2026-11-21&timezone=site`,
  );
  expect(wrong.message).toBe('date_to: must be today (2026-11-20, America/Los_Angeles) or earlier.');
  expect((await rest.refused(`/v1/stats?site_id=${id}&period=today&timezone=Europe/Berlin`)).status).toBe(400);

  const headers = { cookie: await server.logIn(`owner@${domain}`) };
  const file = await fetch(`${server.url}/export/${id}.csv?date_from=2026-11-18&date_to=2026-11-20`, { headers });
  const { data: rows } = Papa.parse<string[]>(await file.text(), { skipEmptyLines: true });
  expect(rows.slice(1).map((row) => row.slice(0, 4))).toEqual([
    ['2026-11-18', '0', '0', ''],
    ['2026-11-19', '1', '1', '/evening: 1'],
    ['2026-11-20', '1', '1', '/morning: 1'],
  ]);
});

test('a site has no zone until one is chosen, and choosing UTC before then changes nothing', async () => {
  await using server = await testApp();
  const { directory } = server.app.services;
  const { id, account_id, timezone } = await server.addSite();
  expect(timezone).toBeNull();
  const choose = async (zone: string) =>
    (await configureSite(directory, { siteId: id, timezone: zone }, server.clock.now)).timezone;
  expect([await choose('UTC'), await choose('europe/berlin'), await choose('UTC')]).toEqual([
    null,
    'Europe/Berlin',
    'UTC',
  ]);
  await expect(choose('Mars/Olympus')).rejects.toThrow('timezone: must be the IANA name of a time zone');
  const made = (domain: string, zone: string) =>
    createSite(directory, { accountId: account_id, domain, timezone: zone }, server.clock.now);
  expect((await made('one.example', 'Asia/Tokyo')).timezone).toBe('Asia/Tokyo');
  expect((await made('two.example', 'UTC')).timezone).toBeNull();
  await expect(made('three.example', '+02:00')).rejects.toThrow('timezone');
});
