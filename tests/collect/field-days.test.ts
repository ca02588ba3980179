// Access logs, unusual zones and several currencies, with the values that users of web analytics have missed: bytes of logs, days of half
// an hour's change, days that a zone skipped, orders and refunds by currency. Logs go through `manage import access-log`, numbers through /v1.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { runOperation } from '../../server/operator/operations.ts';
import { configureSite, type Site } from '../../server/sites/sites.ts';
import { keyFor, type Rest, restOf } from '../setup/api/rest.ts';
import { testApp, type TestApp } from '../setup/app.ts';

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0';

let server: TestApp;
let site: Site;
let rest: Rest;
let serial = 0;

beforeAll(async () => {
  server = await testApp();
});
afterAll(async () => server[Symbol.asyncDispose]());
beforeEach(async () => {
  site = await server.addSite(`shop${(serial += 1)}.example`);
  rest = await restOf(server, await keyFor(server, site));
});

async function importLog(content: string | Buffer) {
  const file = join(server.folder, `access-${serial}.log`);
  await writeFile(file, content);
  const run = { now: server.clock.now, signal: new AbortController().signal, onProgress: () => undefined };
  const result = await runOperation('import', server.app, { file, domain: site.domain }, run);
  await server.settle();
  return result;
}

/** A line of the combined format. `time` in ISO 8601, in UTC. */
function line(path: string, time: string, offset = '+0000'): string {
  const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
  const [year, month, day] = time.slice(0, 10).split('-');
  const at = `${day}/${months[Number(month) - 1]}/${year}:${time.slice(11, 19)} ${offset}`;
  return `203.0.113.5 - - [${at}] "GET ${path} HTTP/1.1" 200 5 "-" "${FIREFOX}"`;
}

const rows = () =>
  server.app.store.query<{ page: string; time: string }>(
    'SELECT page, toString(time) AS time FROM events WHERE site_id = {id:String} ORDER BY time, page',
    { id: site.id },
  );

async function ask(path: string, query: Record<string, string>): Promise<Record<string, unknown>[]> {
  const { status, body } = await rest.ask(`${path}?${new URLSearchParams({ site_id: site.id, ...query }).toString()}`);
  expect({ status, body }).toMatchObject({ status: 200 });
  return [(body as { data: Record<string, unknown>[] }).data].flat();
}

describe('bytes of access logs', () => {
  test('a mark of the byte order and Windows’ ends of lines belong to no line', async () => {
    const text = `\ufeff${line('/bom', '2025-03-01T10:00:00Z')}\r\n${line('/crlf', '2025-03-01T10:01:00Z')}\r\n`;
    expect(await importLog(text)).toMatchObject({ lines: 2, counted: 2, skipped: {} });
    expect((await rows()).map(({ page }) => page)).toEqual(['/bom', '/crlf']);
  });

  test('nor does the mark before a single line', async () => {
    expect(await importLog(`\ufeff${line('/bom', '2025-03-01T10:00:00Z')}`)).toMatchObject({ counted: 1, skipped: {} });
    expect((await rows()).map(({ page }) => page)).toEqual(['/bom']);
  });

  test('a byte that is no UTF-8 stays in the path, encoded', async () => {
    await importLog(Buffer.from(`${line('/caf\u00e9', '2025-03-01T10:00:00Z')}\n`, 'latin1'));
    await importLog(line(String.raw`/caf\xE8`, '2025-03-01T10:00:00Z')); // as nginx and Apache write it
    expect((await rows()).map(({ page }) => page)).toEqual(['/caf%E8', '/caf%E9']);
  });

  test('an offset of 5:45 hours is one', async () => {
    await importLog(line('/', '2025-03-01T00:10:00Z', '+0545'));
    expect((await rows()).map(({ time }) => time)).toEqual(['2025-02-28 18:25:00.000']);
  });
});

describe.each([
  {
    zone: 'Australia/Lord_Howe',
    at: ['2025-04-05T12:59:59Z', '2025-04-05T13:00:00Z', '2025-04-06T13:29:59Z', '2025-04-06T13:30:00Z'],
    days: { '2025-04-05': 1, '2025-04-06': 2, '2025-04-07': 1 },
  },
  {
    zone: 'Asia/Kathmandu',
    at: ['2025-03-01T18:14:59Z', '2025-03-01T18:15:00Z'],
    days: { '2025-03-01': 1, '2025-03-02': 1 },
  },
  {
    zone: 'Africa/Cairo',
    at: ['2025-04-24T21:59:59Z', '2025-04-24T22:00:00Z', '2025-04-25T20:59:59Z', '2025-04-25T21:00:00Z'],
    days: { '2025-04-24': 1, '2025-04-25': 2, '2025-04-26': 1 },
  },
  {
    zone: 'Pacific/Apia',
    at: ['2011-12-30T09:59:59Z', '2011-12-30T10:00:00Z'],
    days: { '2011-12-29': 1, '2011-12-31': 1 },
  },
])('days of $zone', ({ zone, at, days }) => {
  test('begin at its midnight, and none is there twice or too many', async () => {
    await configureSite(server.app.services.directory, { siteId: site.id, timezone: zone }, server.clock.now);
    await importLog(at.map((time, index) => line(`/${index}`, time)).join('\n'));
    const dates = Object.keys(days);
    const series = await ask('/v1/stats/timeseries', {
      period: 'custom',
      date_from: dates[0] ?? '',
      date_to: dates.at(-1) ?? '',
      interval: 'day',
      metrics: 'pageviews',
      timezone: 'site',
    });
    const dayIn = new Intl.DateTimeFormat('en-CA', { timeZone: zone });
    expect(series.map(({ time, pageviews }) => [dayIn.format(new Date(String(time))), pageviews])).toEqual(
      Object.entries(days),
    );
    expect(new Set(series.map(({ time }) => time)).size).toBe(series.length);
    const cookie = await server.logIn(`owner@${site.domain}`);
    const address = `/export/${site.id}.csv?date_from=${dates[0]}&date_to=${dates.at(-1)}`;
    const csv = await (await fetch(`${server.url}${address}`, { headers: { cookie } })).text();
    const lines = csv.trim().split(/\r?\n/);
    expect(lines.slice(1).map((row) => row.split(',').slice(0, 2))).toEqual(
      Object.entries(days).map(([day, views]) => [day, String(views)]),
    );
  });
});

test('an hour of Kathmandu starts at a quarter past one of UTC', async () => {
  const { directory } = server.app.services;
  await configureSite(directory, { siteId: site.id, timezone: 'Asia/Kathmandu' }, server.clock.now);
  await importLog(line('/', '2025-03-01T18:15:00Z'));
  const day = { period: 'custom', date_from: '2025-03-02', date_to: '2025-03-02', timezone: 'site' };
  const hours = await ask('/v1/stats/timeseries', { ...day, interval: 'hour', metrics: 'pageviews' });
  expect(hours.filter(({ pageviews }) => pageviews === 1).map(({ time }) => time)).toEqual([
    '2025-03-01T18:15:00.000Z',
  ]);
});

test('orders, averages and refunds are those of the currency that is asked for', async () => {
  const send = async (order: string, amount: number, currency: string, headers?: Record<string, string>) => {
    const url = `https://${site.domain}/paid`;
    const body = { site_id: site.id, name: 'purchase', url, order_id: order, revenue: { amount, currency } };
    expect((await rest.ask('/v1/events', { body, ...(headers && { headers }) })).status).toBe(202);
  };
  await send('a', 1050, 'JPY');
  await send('a', 1050, 'JPY');
  await send('b', 1.234, 'KWD');
  await send('c', 0.001, 'KWD');
  await send('d', 20, 'EUR');
  for (let times = 0; times < 2; times++) await send('d', -50, 'EUR', { 'idempotency-key': 'refund-d' });
  await server.settle();
  const figures = async (currency: string) => {
    const metrics = 'revenue,orders,average_order,refunds';
    const [row] = await ask('/v1/stats/timeseries', { period: 'today', interval: 'day', metrics, currency });
    return row && [row['revenue'], row['orders'], row['average_order'], row['refunds']];
  };
  expect(await figures('JPY')).toEqual([1050, 1, 1050, 0]);
  expect(await figures('KWD')).toEqual([1.235, 2, 0.6175, 0]);
  expect(await figures('EUR')).toEqual([-30, 1, 20, 50]);
});
