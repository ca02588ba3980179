// The generated clients of the API, against a real server: they are up to date, and ask, record and fail as the API does.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { generatedClients } from '../../server/api/clients/regenerate.ts';
import type { Site } from '../../server/sites/sites.ts';
import { FootfallError, openApi } from '../../tracker/api/client.ts';
import { openEvents } from '../../tracker/server/events.ts';
import { keyFor } from '../setup/api/rest.ts';
import { testApp, type TestApp } from '../setup/app.ts';

let server: TestApp;
let site: Site;
let key: string;
beforeAll(async () => {
  server = await testApp();
  site = await server.addSite();
  key = await keyFor(server, site);
});
afterAll(() => server[Symbol.asyncDispose]());

test('are what the generator writes: run `node server/api/clients/regenerate.ts` after a change of an operation', async () => {
  for (const [file, text] of Object.entries(await generatedClients())) expect(readFileSync(file, 'utf8')).toBe(text);
});

test('TypeScript: lists, paths, filters, events and payments that count once, and errors with a code', async () => {
  const api = openApi({ server: server.url, key });
  expect((await api.listSites()).data.map(({ domain }) => domain)).toEqual(['example.com']);
  expect((await api.getSite({ site_id: site.id })).data.id).toBe(site.id);
  const { event, payment, refund } = openEvents({ server: server.url, key, site_id: site.id });
  const url = 'https://example.com/thanks';
  const order = { order_id: '1', amount: 12.5, currency: 'EUR', url };
  for (const again of [1, 2]) expect([again, (await payment(order)).accepted]).toEqual([again, true]);
  const idempotencyKey = 'refund-1';
  for (const again of [1, 2])
    expect([again, (await refund({ ...order, amount: 2.25 }, { idempotencyKey })).accepted]).toEqual([again, true]);
  expect((await event('signup', { url, props: { plan: 'pro' } })).accepted).toBe(true);
  await server.settle();
  const { data } = await api.getTimeseries({
    site_id: site.id,
    period: 'today',
    metrics: ['orders', 'revenue'],
    filters: [{ dimension: 'event', operator: 'is', values: ['purchase'] }],
  });
  expect(data.reduce((sum, { orders = 0 }) => sum + orders, 0)).toBe(1);
  const day = { site_id: site.id, period: 'today' } as const;
  const names = await api.getBreakdown({ ...day, dimension: 'event', metrics: ['events'] });
  expect(names.data.map(({ event, events }) => [event, events])).toEqual([
    ['purchase', 1],
    ['refund', 1],
    ['signup', 1],
  ]);
  const money = await api.getTimeseries({ ...day, currency: 'EUR', metrics: ['orders', 'revenue', 'refunds'] });
  expect(money.data.filter(({ orders }) => orders)).toEqual([
    { time: '2026-11-20T12:00:00.000Z', orders: 1, revenue: 10.25, refunds: 2.25 },
  ]);
  const failed = await api.getSite({ site_id: 'none' }).catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(FootfallError);
  expect(failed).toMatchObject({ status: 404, code: 'not_found' });
  const keyless = openApi({ server: server.url, key: undefined });
  await expect(keyless.listSites()).rejects.toMatchObject({ status: 401, code: 'unauthorized' });
});

test('TypeScript: an event is sent again with the same key, a share link is not, and a long pause is not waited for', async () => {
  const sent: string[] = [];
  const pauses: number[] = [];
  const answering = (retryAfter?: string) =>
    openApi({
      server: 'https://stats.example',
      key,
      pause: (ms) => Promise.resolve(void pauses.push(ms)),
      fetch: (_url, init) => {
        sent.push(new Headers(init?.headers).get('idempotency-key') ?? '');
        return Promise.resolve(
          new Response('no', { status: 503, headers: retryAfter ? { 'retry-after': retryAfter } : {} }),
        );
      },
    });
  const event = { site_id: 'site', name: 'signup', url: 'https://example.com/' };
  await expect(answering().recordEvent(event)).rejects.toMatchObject({ status: 503 });
  expect([sent.length, new Set(sent).size, pauses]).toEqual([3, 1, [500, 1_000]]);
  await expect(answering().createShareLink({ site_id: 'site', name: 'link' })).rejects.toMatchObject({ status: 503 });
  await expect(answering('31').recordEvent(event)).rejects.toMatchObject({ status: 503 });
  expect([sent.length, pauses.length]).toEqual([5, 2]);
});

test('Python: the same with its standard library alone, in the file that the server has', async () => {
  await writeFile(join(server.folder, 'footfall.py'), await (await fetch(`${server.url}/footfall.py`)).text());
  const program = `
import json, sys
sys.path.insert(0, ".")
from footfall import Footfall, FootfallError, __version__
footfall = Footfall(sys.argv[1], sys.argv[2])
sites = footfall.list_sites()["data"]
event = footfall.record_event(site_id=sites[0]["id"], name="signup", url="https://example.com/", props={"plan": "pro"})
rows = footfall.get_breakdown(site_id=sites[0]["id"], dimension="page", period="today", metrics=["events", "pageviews"],
    filter={"country": "DE"}, filters=[{"dimension": "os", "operator": "is_not", "values": ["x"]}])["data"]
day = footfall.export_day(site_id=sites[0]["id"], day="2026-11-19")
try:
    footfall.get_site(site_id="none/..")
except FootfallError as error:
    print(json.dumps([sites[0]["domain"], event["data"]["accepted"], rows, len(day), error.status, error.code, __version__]))
`;
  const { stdout } = await promisify(execFile)('python3', ['-I', '-B', '-c', program, server.url, key], {
    cwd: server.folder,
  });
  expect(JSON.parse(stdout)).toEqual(['example.com', true, [], 0, 404, 'not_found', manifest.version]);
});
