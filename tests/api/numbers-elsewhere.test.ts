// docs/numbers.md: the requests of the Grafana dashboard and of Home Assistant's sensors, as they stand there, to a real server.
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import type { Site } from '../../server/sites/sites.ts';
import { dayOf } from '../../server/vocabulary/time/time.ts';
import { testApp, type TestApp } from '../setup/app.ts';
import { keyFor } from '../setup/api/rest.ts';

const read = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');

let server: TestApp;
let site: Site;
let key: string;

beforeAll(async () => {
  server = await testApp({ env: { TRUST_PROXY: 'loopback' } });
  site = await server.addSite();
  key = await keyFor(server, site);
  for (const [address, page] of [
    ['2.125.160.216', '/'],
    ['2.125.160.216', '/pricing'],
    ['203.0.113.2', '/'],
  ] as const)
    await server.foot(
      { site: site.domain, name: 'pageview', url: `https://${site.domain}${page}`, referrer: 'https://news.example/' },
      { 'x-forwarded-for': address },
    );
  await server.settle();
});
afterAll(async () => server[Symbol.asyncDispose]());

async function get(path: string, authorization = `Bearer ${key}`): Promise<unknown> {
  const answer = await fetch(server.url + path, { headers: { authorization } });
  expect([path, answer.status]).toEqual([path, 200]);
  return answer.json();
}

type Column = { selector: string; text: string; type: 'string' | 'number' | 'timestamp' };
type Target = { url: string; root_selector: string; columns: Column[]; format: string };
type Dashboard = {
  templating: { list: { name: string; query: string | { infinityQuery: Target } }[] };
  panels: { title: string; datasource: { uid: string }; targets: Target[] }[];
  timezone: string;
};

/** What Infinity makes of a target over the 30 days before now: the values of its columns, row by row. */
async function rowsOf({ url, root_selector, columns }: Target) {
  const { now } = server.clock;
  const variables: Record<string, string> = {
    '${site}': site.id,
    '${__from:date:YYYY-MM-DD}': dayOf(now - 30 * 86_400_000),
    '${__to:date:YYYY-MM-DD}': dayOf(now),
  };
  const path = Object.entries(variables).reduce((text, [name, value]) => text.replaceAll(name, value), url);
  expect(path).not.toContain('$');
  const found = ((await get(path)) as Record<string, Record<string, unknown>>)[root_selector] ?? {};
  const rows = (Array.isArray(found) ? found : [found]) as Record<string, unknown>[];
  return rows.map((row) => columns.map(({ selector }) => row[selector]));
}

const fits = ({ type }: Column, value: unknown) =>
  type === 'timestamp' ? !Number.isNaN(Date.parse(String(value))) : typeof value === type;

test('each panel of the Grafana dashboard gets the fields that it names, and exact numbers', async () => {
  const { templating, panels, timezone } = JSON.parse(await read('deploy/grafana/numbers.json')) as Dashboard;
  expect([timezone, new Set(panels.map(({ datasource }) => datasource.uid))]).toEqual(['utc', new Set(['${source}'])]);
  const answers: Record<string, unknown[][]> = {};
  for (const { title, targets } of panels)
    for (const target of targets) {
      const rows = await rowsOf(target);
      expect([title, rows.length > 0]).toEqual([title, true]);
      for (const row of rows)
        expect([title, target.columns.filter((column, at) => !fits(column, row[at]))]).toEqual([title, []]);
      answers[title] = rows;
    }
  const { 'Last 60 minutes': minutes = [], 'By day': days = [], Country: countries = [], ...lists } = answers;
  expect(lists).toEqual({
    Visitors: [[2]],
    'Page views': [[3]],
    Page: [
      ['/', 2],
      ['/pricing', 1],
    ],
    Source: [['news.example', 2]],
  });
  expect(countries.map(([, visitors]) => visitors)).toEqual([1, 1]);
  expect([minutes.length, minutes.reduce((sum, [, views]) => sum + Number(views), 0)]).toEqual([60, 3]);
  expect([days.length, days.at(-1)?.slice(1)]).toEqual([31, [2, 3]]);

  const variable = templating.list.find(({ name }) => name === 'site')?.query as { infinityQuery: Target };
  expect(await rowsOf(variable.infinityQuery)).toEqual([[site.domain, site.id]]);
});

type Rest = {
  resource: string;
  params: Record<string, string>;
  headers: Record<string, string>;
  sensor: { unique_id: string; value_template: string }[];
};

test('the sensors of Home Assistant read visitors and page views of today', async () => {
  const [, yaml = ''] = /```yaml\n(rest:.*?)```/s.exec(await read('docs/numbers.md')) ?? [];
  const secret = { tag: '!secret', resolve: (name: string) => (name === 'footfall_key' ? `Bearer ${key}` : '') };
  const { rest } = parseYaml(yaml, { customTags: [secret] }) as { rest: Rest[] };
  const values: Record<string, unknown> = {};
  for (const { resource, params, headers, sensor } of rest) {
    const query = new URLSearchParams({ ...params, site_id: site.id });
    const value_json = await get(`${new URL(resource).pathname}?${query}`, headers['Authorization']);
    for (const { unique_id, value_template } of sensor) {
      const [, path = ''] = /^\{\{ value_json\.([\w.]+) \}\}$/.exec(value_template) ?? [];
      const step = (value: unknown, name: string) => (value as Record<string, unknown>)[name];
      values[unique_id] = path.split('.').reduce(step, value_json);
    }
  }
  expect(values).toEqual({ footfall_visitors_today: 2, footfall_pageviews_today: 3 });
});
