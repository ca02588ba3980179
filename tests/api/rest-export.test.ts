// GET /v1/export: the rows of a day for warehouses, as lines of JSON and as Parquet, without ids of visitors, and only of days that are over.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { configureSite, type Site } from '../../server/sites/sites.ts';
import { EXPORTED_COLUMNS } from '../../server/stats/answers/exported-rows.ts';
import { DAY_MS } from '../../server/vocabulary/time/time.ts';
import { testApp, type TestApp } from '../setup/app.ts';
import { makeAiVisit, makeEvent } from '../setup/event.ts';
import { keyFor, type Rest, restOf } from '../setup/api/rest.ts';

let server: TestApp;
let site: Site;
let rest: Rest;
const DAY = '2026-11-19';
const NOON = Date.UTC(2026, 10, 19, 12, 0, 30);

beforeAll(async () => {
  server = await testApp();
  site = await server.addSite();
  rest = await restOf(server, await keyFor(server, site));
  const site_id = site.id;
  await server.app.collector.record(
    [
      makeEvent({ site_id, visitor: 'a', time: NOON, page: '/a', props: { plan: 'pro' } }),
      makeEvent({ site_id, visitor: 'b', time: NOON + 60_000, page: '/b', amount: '9.5', currency: 'EUR' }),
      makeEvent({ site_id, visitor: 'c', time: NOON - DAY_MS, page: '/before' }),
      makeAiVisit({ site_id, time: NOON, ai_page: '/for-agents' }),
    ],
    server.clock.now,
  );
  await server.settle();
});
afterAll(() => server[Symbol.asyncDispose]());

const ask = (query: string) => rest.ask(`/v1/export?site_id=${site.id}&${query}`);
const linesOf = (text: string) =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);

test('lines have the columns of an open export, the minute, and nothing that tells visitors apart', async () => {
  const { status, headers, text } = await ask(`day=${DAY}`);
  expect([status, headers.get('content-type')]).toEqual([200, 'application/x-ndjson']);
  expect(headers.get('content-disposition')).toBe(`attachment; filename="example.com_events_${DAY}.ndjson"`);
  const rows = linesOf(text);
  expect(rows).toMatchObject([
    { time: '2026-11-19T12:00:00Z', page: '/a', props: { plan: 'pro' }, amount: 0 },
    { time: '2026-11-19T12:01:00Z', page: '/b', amount: 9.5, currency: 'EUR' },
  ]);
  for (const row of rows) expect(Object.keys(row)).toEqual(Object.keys(EXPORTED_COLUMNS.events));
  const agents = linesOf((await ask(`day=${DAY}&table=ai_visits`)).text);
  expect(agents.map((row) => row['ai_page'])).toEqual(['/for-agents']);
  expect((await rest.ask(`/v1/export?site_id=${site.id}&day=${DAY}`, { method: 'HEAD' })).status).toBe(200);
});

test('Parquet has the same rows', async () => {
  const { status, headers } = await ask(`day=${DAY}&format=parquet`);
  expect([status, headers.get('content-type')]).toEqual([200, 'application/vnd.apache.parquet']);
  const key = await keyFor(server, site);
  const answer = await fetch(`${server.url}/v1/export?site_id=${site.id}&day=${DAY}&format=parquet`, {
    headers: { authorization: `Bearer ${key}` },
  });
  const bytes = Buffer.from(await answer.arrayBuffer());
  expect([bytes.subarray(0, 4).toString(), bytes.subarray(-4).toString()]).toEqual(['PAR1', 'PAR1']);
  const file = join(server.folder, 'day.parquet');
  await writeFile(file, bytes);
  const out = join(server.folder, 'day.ndjson');
  const sql = `SELECT toString(time) AS time, page, amount, props['plan'] AS plan FROM file('${file}', Parquet) ORDER BY time`;
  await server.app.store.copyOut({ sql, bound: {} }, { file: out, format: 'lines' });
  const { readFile } = await import('node:fs/promises');
  expect(linesOf(await readFile(out, 'utf8'))).toEqual([
    { time: '2026-11-19 12:00:00.000', page: '/a', amount: 0, plan: 'pro' },
    { time: '2026-11-19 12:01:00.000', page: '/b', amount: 9.5, plan: '' },
  ]);
});

test('a day must be over on the site, and an account gets thirty files a minute', async () => {
  expect((await rest.refused(`/v1/export?site_id=${site.id}&day=2026-11-20`)).message).toBe(
    'day: must be 2000-01-01 or later, and over in the time zone of the site.',
  );
  const { directory } = server.app.services;
  await configureSite(directory, { siteId: site.id, timezone: 'Pacific/Auckland' }, server.clock.now);
  expect((await ask('day=2026-11-20')).status).toBe(200); // it is the 21st there
  let last = 200;
  for (let files = 0; files < 30 && last === 200; files += 1) last = (await ask(`day=${DAY}`)).status;
  expect(last).toBe(429);
});
