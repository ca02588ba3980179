// A site's path rules at every door: browsers, servers, access logs and AI visits count the same pages, and the preview says which.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify, parse } from 'devalue';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runOperation } from '../../server/operator/operations.ts';
import { createKey } from '../../server/accounts/keys.ts';
import { dropsOf } from '../../server/sites/drops.ts';
import { configureSite, type Site } from '../../server/sites/sites.ts';
import { testApp, type TestApp } from '../setup/app.ts';
import { CHROME } from '../setup/browser/user-agent.ts';
import { speakForeign } from '../setup/notifications/foreign.ts';

let server: TestApp;
let site: Site;
let cookie: string;

beforeAll(async () => {
  server = await testApp();
  site = await server.addSite('example.com');
  cookie = await server.logIn('owner@example.com');
});
afterAll(async () => server[Symbol.asyncDispose]());

async function ask(name: string, input: object, { method = 'POST', language = 'en' } = {}) {
  const text = JSON.stringify(stringify({ site_id: site.id, ...input }));
  const answer = await fetch(
    `${server.url}/trpc/${name}${method === 'GET' ? `?input=${encodeURIComponent(text)}` : ''}`,
    method === 'GET'
      ? { headers: { cookie } }
      : {
          method,
          headers: { cookie, origin: server.url, 'content-type': 'application/json', 'accept-language': language },
          body: text,
        },
  );
  const body = (await answer.json()) as { result?: { data: string }; error?: string };
  return {
    status: answer.status,
    text: JSON.stringify(body),
    data: body.result && (parse(body.result.data) as unknown),
  };
}

const pages = async (table: 'events' | 'ai_visits', column: string) => {
  await server.settle();
  const rows = await server.app.store.query<{ page: string }>(
    `SELECT ${column} AS page FROM ${table} WHERE site_id = {id:String} ORDER BY page`,
    { id: site.id },
  );
  return rows.map((row) => row.page);
};
const view = (path: string, headers = {}) =>
  server.foot({ site: site.domain, name: 'pageview', url: `https://${site.domain}${path}` }, headers);

const RULES = { trailing_slash: 'strip', case: 'lower', query: ['p'], groups: ['/users/*', '/docs/**'] };

test('the preview shows the most-viewed pages before and after, and changes nothing', async () => {
  for (const path of ['/Users/1', '/Users/2', '/Users/2?x=1', '/about/']) {
    await view(path);
    server.clock.now += 1000;
  }
  await server.settle();
  const preview = await ask('sites.previewPaths', { rules: RULES }, { method: 'GET' });
  expect(preview.data).toEqual([
    { before: '/Users/2', after: '/users/*', pageviews: 2 },
    { before: '/Users/1', after: '/users/*', pageviews: 1 },
    { before: '/about/', after: '/about', pageviews: 1 },
  ]);
  expect(await pages('events', 'page')).toEqual(['/Users/1', '/Users/2', '/Users/2', '/about/']);
});

test('saved rules apply within a second, at every door', async () => {
  site = await server.addSite('shop.example');
  cookie = await server.logIn('owner@shop.example');
  await view('/Before/');
  const saved = await ask('sites.change', { path_rules: RULES });
  expect(saved.data).toMatchObject({ paused: false, path_rules: RULES });
  server.clock.now += 1000;

  await view('/USERS/7/?p=2&q=3');
  await view('/seen', { 'user-agent': 'GPTBot/1.2' });
  await view('/Docs/a/b', { 'user-agent': 'GPTBot/1.2' });
  const { key } = await createKey(
    server.app.services.directory,
    { accountId: site.account_id, name: 'k' },
    server.clock.now,
  );
  const event = { site_id: site.id, name: 'signup', url: 'https://shop.example/Docs/Start/?p=1' };
  const accepted = await fetch(`${server.url}/v1/events`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(event),
  });
  expect(accepted.status).toBe(202);
  const log = join(server.folder, 'access.log');
  const line = (path: string) =>
    `203.0.113.9 - - [19/Nov/2026:10:00:00 +0000] "GET ${path} HTTP/1.1" 200 1 "-" "${CHROME}"`;
  await writeFile(log, `${line('/Shop/?p=9')}\n`);
  const run = { now: server.clock.now, onProgress: () => undefined, signal: new AbortController().signal };
  await runOperation('import', server.app, { file: log, domain: site.domain }, run);

  expect(await pages('events', 'page')).toEqual(['/Before/', '/docs/**?p=1', '/shop?p=9', '/users/*?p=2']);
  expect(await pages('ai_visits', 'ai_page')).toEqual(['/docs/**', '/seen']);
});

test('invalid rules are refused by name, in the reader’s language, and leave the others', async () => {
  const wrong = { path_rules: { groups: ['users'] } };
  const refused = await ask('sites.change', wrong);
  expect([refused.status, refused.text.includes('path_rules.groups.0: must begin with a slash')]).toEqual([400, true]);
  using _foreign = speakForeign();
  expect((await ask('sites.change', wrong, { language: 'de' })).text).toContain('path_rules.groups.0: øøøø øøøøø øøøø');
  const settings = await ask('sites.settings', {}, { method: 'GET' });
  expect(settings.data).toMatchObject({ path_rules: RULES });
});

test('an app that changes only its query is on another page where the rules name the parameter, and on the same page elsewhere', async () => {
  const shop = await server.addSite('query.example');
  const { directory } = server.app.services;
  await configureSite(
    directory,
    { siteId: shop.id, settings: { path_rules: { query: ['q', 'page'] } } },
    server.clock.now,
  );
  const plain = await server.addSite('plain.example');
  const visited = [
    '/search?q=a',
    '/search?q=a&sort=up',
    '/search?q=b&sort=up',
    '/search?sort=up&q=b&page=2',
    '/search',
    '/about',
    '/about#x',
    '/search',
  ];
  for (const site of [shop, plain]) {
    let from = '';
    for (const path of visited) {
      server.clock.now += 2_000;
      const url = `https://${site.domain}${path}`;
      await server.foot({ site: site.domain, name: 'pageview', url, from });
      await server.foot({ site: site.domain, name: 'signup', url, from: url }); // drops nothing except page views
      from = url;
    }
  }
  await server.settle();
  const viewed = async (site: Site, name: string) => {
    const rows = await server.app.store.query<{ page: string }>(
      `SELECT page FROM events WHERE site_id = {id:String} AND name = {name:String} ORDER BY time`,
      { id: site.id, name },
    );
    return rows.map(({ page }) => page);
  };
  expect(await viewed(shop, 'pageview')).toEqual([
    '/search?q=a',
    '/search?q=b',
    '/search?q=b&page=2',
    '/search',
    '/about',
    '/search',
  ]);
  expect(await viewed(plain, 'pageview')).toEqual(['/search', '/about', '/search']);
  expect((await viewed(plain, 'signup')).length).toBe(visited.length);
  await server.app.collector.flushDrops();
  const drops = await dropsOf(directory, plain.id, '2000-01-01', '2100-01-01');
  expect(drops.map(({ reason, count }) => [reason, count])).toEqual([['repeat_view', 5]]);
});
