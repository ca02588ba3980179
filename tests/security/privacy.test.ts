/** @module-tag promise */
// Promises that concern every door: aggregates only, and the same people in the dashboard, the CSV export and the API.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'devalue';
import type { Summary } from '../../server/stats/answers/summary.ts';
import { testApp, type TestApp } from '../setup/app.ts';
import { CHROME } from '../setup/browser/user-agent.ts';
import { makeWorld, type World } from '../setup/accounts/callers.ts';
import { showsKept } from '../setup/run/harness.ts';
import { isMutation, PROCEDURE_NAMES, PROCEDURES } from '../setup/api/procedures.ts';
import { readingPaths } from '../setup/api/rest.ts';

const AGENTS = [
  ['a person', CHROME],
  ['a person', CHROME.replace('142', '141')],
  ['a bot', 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)'],
  ['a bot', 'curl/8.6.0'],
  ['an AI agent', 'Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)'],
  ['an AI agent', 'Mozilla/5.0 (compatible; ClaudeBot/1.0; +claudebot@anthropic.com)'],
] as const;
const PAGES = ['/', '/pricing', '/docs'];
const TODAY = '2026-11-20';

let server: TestApp;
let world: World;

beforeAll(async () => {
  server = await testApp({ env: { LOG_LEVEL: 'silent', TRUST_PROXY: 'loopback' } });
  world = await makeWorld(server);
  for (const [index, [, userAgent]] of AGENTS.entries())
    for (const page of PAGES) {
      const payload = { site: 'own.example', name: 'pageview', url: `https://own.example${page}` };
      const headers = { 'user-agent': userAgent, 'x-forwarded-for': `81.2.69.${index}` };
      expect((await server.foot(payload, headers)).status).toBe(202);
    }
  await server.settle();
});
afterAll(async () => server[Symbol.asyncDispose]());

const fromApi = async (path: string) =>
  (await fetch(server.url + path, { headers: { authorization: `Bearer ${world.own.key}` } })).text();
const csv = async () => {
  const path = `/export/${world.own.site.id}.csv?date_from=${TODAY}&date_to=${TODAY}`;
  return (await fetch(server.url + path, { headers: world.own.login.headers })).text();
};
const dashboard = (name: string, input: object) =>
  world.ask(name, { site_id: world.own.site.id, period: 'today', ...input }, world.own.login.headers);

test('no answer of dashboard, CSV or API names a visitor, a visit or an event', async () => {
  showsKept('API and export give aggregates only');
  const rows = await server.app.store.query<Record<string, string>>(
    'SELECT hex(visitor_id) AS visitor, toString(visitor_id) AS visitor_number, hex(visit_id) AS visit, toString(visit_id) AS visit_number, hex(event_id) AS event, toString(event_id) AS event_number FROM events',
    {},
  );
  expect(rows.length).toBe(2 * PAGES.length);
  const ids = [...new Set(rows.flatMap((row) => Object.values(row)))].map((id) => id.toLowerCase());
  const answers: [string, string][] = [['csv', await csv()]];
  for (const name of PROCEDURE_NAMES.filter((one) => !isMutation(one))) {
    const { status, body } = await world.ask(name, PROCEDURES[name]?.input(world.own.named), world.own.login.headers);
    if (status === 200) answers.push([name, body]);
  }
  for (const path of readingPaths(world.own.named)) answers.push([path, await fromApi(path)]);
  expect(answers.length).toBeGreaterThan(10);
  for (const [what, text] of answers)
    expect([
      what,
      ids.filter((id) => text.toLowerCase().includes(id)),
      /visitor_id|visit_id|event_id/.test(text),
    ]).toEqual([what, [], false]);
});

test('bots and AI agents are in no number about people, and all three doors give the same numbers', async () => {
  showsKept('bots and AI visits are out of dashboard, CSV and API alike');
  const people = AGENTS.filter(([kind]) => kind === 'a person').length;
  const expected = { pageviews: people * PAGES.length, unique_visitors: people };
  const perPage = Object.fromEntries(PAGES.map((page) => [page, people]));

  const { body } = await dashboard('stats.summary', { compare: 'none' });
  const { result } = JSON.parse(body) as { result: { data: string } };
  const { metrics } = parse(result.data) as Summary;
  expect(Object.fromEntries(metrics.map(({ name, value }) => [name, value]))).toMatchObject(expected);
  const { data } = JSON.parse(await fromApi(`/v1/stats?site_id=${world.own.site.id}&period=today`)) as {
    data: { top_pages: { path: string; views: number }[] };
  };
  expect(data).toMatchObject(expected);
  expect(Object.fromEntries(data.top_pages.map(({ path, views }) => [path, views]))).toEqual(perPage);
  const [, row = ''] = (await csv()).split('\r\n');
  expect(row).toBe(
    `${TODAY},${expected.pageviews},${expected.unique_visitors},${PAGES.toSorted()
      .map((page) => `${page}: ${people}`)
      .join('; ')},,`,
  );

  const asked = `/v1/stats/breakdown?site_id=${world.own.site.id}&period=today&dimension=ai_provider&metrics=ai_visits`;
  const providers = JSON.parse(await fromApi(asked)) as { data: unknown[] };
  expect(providers.data).toEqual([
    { ai_provider: 'Anthropic', ai_visits: PAGES.length },
    { ai_provider: 'OpenAI', ai_visits: PAGES.length },
  ]);
});
