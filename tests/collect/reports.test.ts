// POST /foot with an ingest token, through the running server: what a site's server may report, what counts, and what is refused.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { dropsOf } from '../../server/sites/drops.ts';
import { createIngestToken, listIngestTokens, revokeIngestToken } from '../../server/sites/ingest.ts';
import { configureSite, pauseSite, type Site } from '../../server/sites/sites.ts';
import { testApp, type TestApp } from '../setup/app.ts';
import { CHROME } from '../setup/browser/user-agent.ts';
import { filesWith } from '../setup/files.ts';

const GPTBOT = 'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)';
const GOOGLEBOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';

let server: TestApp;
let site: Site;
let token: string;
beforeAll(async () => {
  server = await testApp({ env: { LOG_LEVEL: 'silent' } });
});
afterAll(async () => server[Symbol.asyncDispose]());
beforeEach(async () => {
  site = await server.newSite();
  token = (await createIngestToken(server.app.services.directory, { siteId: site.id }, server.clock.now)).token;
});

const report = (more: object = {}) => ({
  site: site.domain,
  url: `https://${site.domain}/read`,
  user_agent: GPTBOT,
  ...more,
});
const send = (body: unknown, headers: Record<string, string> = {}) =>
  server.foot(body, {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'user-agent': '',
    ...headers,
  });

async function visits() {
  await server.settle();
  return server.app.store.query(
    `SELECT ai_provider, ai_agent, ai_purpose, hostname, ai_page, status, toUnixTimestamp64Milli(time) AS at FROM ai_visits
      WHERE site_id = {id:String} ORDER BY time, ai_page`,
    { id: site.id },
  );
}

async function people(): Promise<number> {
  await server.settle();
  const rows = await server.app.store.query('SELECT 1 FROM events WHERE site_id = {id:String}', { id: site.id });
  return rows.length;
}

async function dropped() {
  await server.app.collector.flushDrops();
  const rows = await dropsOf(server.app.services.directory, site.id, '2000-01-01', '2100-01-01');
  return Object.fromEntries(rows.map(({ reason, count }) => [reason, count]));
}

describe('hits that a server reports', () => {
  test('of an AI agent become AI visits with page, status and time', async () => {
    const time = new Date(server.clock.now - 60_000).toISOString();
    const answer = await send(report({ status: 404, time, url: `https://www.${site.domain}/a?b=1` }));
    expect([answer.status, await answer.text()]).toEqual([202, '']);
    expect(await visits()).toEqual([
      {
        ai_provider: 'OpenAI',
        ai_agent: 'GPTBot',
        ai_purpose: 'crawler',
        hostname: `www.${site.domain}`,
        ai_page: '/a',
        status: 404,
        at: server.clock.now - 60_000,
      },
    ]);
  });

  test('of an agent that looks like a browser but signs its requests become AI visits too', async () => {
    await send(report({ user_agent: CHROME, signature_agent: '"https://chatgpt.com"' }));
    expect(await visits()).toMatchObject([{ ai_provider: 'OpenAI', ai_purpose: 'user', status: 0 }]);
  });

  test('of bots, people and files are neither visits nor visitors, and each has its drop reason', async () => {
    const answer = await send([
      report({ user_agent: GOOGLEBOT }),
      report({ user_agent: '' }),
      report({ user_agent: CHROME }),
      report({ url: `https://${site.domain}/logo.png` }),
      report({ url: `https://${site.domain}/robots.txt` }),
      report({ url: 'https://elsewhere.example/' }),
    ]);
    expect(answer.status).toBe(202);
    expect([await visits(), await people()]).toEqual([[], 0]);
    expect(await dropped()).toEqual({ bot_user_agent: 1, no_user_agent: 1, not_ai: 1, not_a_page: 2, foreign_host: 1 });
  });

  test('are counted 100 at once, and only once when their ids repeat', async () => {
    const hundred = Array.from({ length: 100 }, (_, n) =>
      report({ id: `id-${n}`, url: `https://${site.domain}/${n}` }),
    );
    expect((await send(hundred)).status).toBe(202);
    expect((await send(hundred)).status).toBe(202);
    expect((await visits()).length).toBe(100);
    expect(await dropped()).toEqual({ repeat_id: 100 });
  });

  test('are never blocked by an id that a page has used', async () => {
    await server.foot({ site: site.domain, name: 'pageview', url: `https://${site.domain}/`, id: 'one' });
    await send(report({ id: 'one' }));
    expect([(await visits()).length, await people()]).toEqual([1, 1]);
  });

  test('follow the site’s path rules, and do not count while the site is paused', async () => {
    const { directory } = server.app.services;
    const groups = ['/users/*'];
    await configureSite(
      directory,
      { siteId: site.id, settings: { path_rules: { trailing_slash: 'strip', groups } } },
      server.clock.now,
    );
    await send([report({ url: `https://${site.domain}/users/7/` }), report({ url: `https://${site.domain}/about/` })]);
    expect(await visits()).toMatchObject([{ ai_page: '/about' }, { ai_page: '/users/*' }]);
    await pauseSite(directory, { siteId: site.id, paused: true });
    server.clock.now += 1000;
    await send(report());
    expect(await dropped()).toEqual({ paused: 1 });
  });

  test('leave no user agent in any file', async () => {
    await send(report({ user_agent: `${GPTBOT} Unforgettable/7.31` }));
    await server.settle();
    expect(await filesWith(server.folder, 'Unforgettable')).toEqual([]);
  });
});

describe('hits that are refused with the error object', () => {
  const REFUSED: [string, () => unknown, Record<string, string>, number, string][] = [
    ['a wrong token', () => report(), { authorization: `Bearer ft_${'x'.repeat(40)}` }, 401, 'ingest token'],
    ['half a token', () => report(), { authorization: 'Bearer ft_x' }, 401, 'ingest token'],
    ['no token after Bearer', () => report(), { authorization: 'bearer' }, 401, 'ingest token'],
    ['two tokens', () => report(), { authorization: 'Bearer a b' }, 401, 'ingest token'],
    ['an API key', () => report(), { authorization: `Bearer ff_${'x'.repeat(40)}` }, 401, 'ingest token'],
    ['another site', () => report({ site: 'other.example' }), {}, 400, 'site: must be site'],
    ['another site in a batch', () => [report(), report({ site: 'other.example' })], {}, 400, '1.site: must be site'],
    ['an address', () => report({ ip: '203.0.113.9' }), {}, 400, 'Unrecognized key: "ip"'],
    ['no user agent', () => report({ user_agent: undefined }), {}, 400, 'user_agent:'],
    ['a script as url', () => report({ url: 'javascript:alert(1)' }), {}, 400, 'url: must be an absolute'],
    ['a long url', () => report({ url: `https://a.example/${'a'.repeat(17_000)}` }), {}, 400, 'url:'],
    ['status 7', () => report({ status: 7 }), {}, 400, 'status:'],
    ['a local time', () => report({ time: '2026-11-20T12:00:00' }), {}, 400, 'time: must be an instant'],
    ['yesterday morning', () => report({ time: '2026-11-19T11:59:59Z' }), {}, 400, 'time: must be within'],
    ['tomorrow', () => report({ time: '2026-11-20T13:00:00Z' }), {}, 400, 'time: must be within'],
    ['an empty batch', () => [], {}, 400, 'expected array to have >=1 items'],
    ['101', () => Array.from({ length: 101 }, () => report()), {}, 400, 'expected array to have <=100 items'],
    ['a word', () => '"x"', {}, 400, 'expected object'],
    ['no JSON', () => '{', {}, 400, 'must be JSON'],
    ['text', () => report(), { 'content-type': 'text/plain' }, 415, 'application/json'],
    ['300 kB', () => 'x'.repeat(300_000), {}, 413, '262144'],
  ];

  test.each(REFUSED)('%s', async (_name, body, headers, status, message) => {
    const answer = await send(body(), headers);
    const error = (await answer.json()) as { message: string };
    expect([answer.status, error]).toEqual([status, expect.objectContaining({ status })]);
    expect(error.message).toContain(message);
    expect(answer.headers.get('www-authenticate')).toBe(status === 401 ? 'Bearer' : null);
    expect(await visits()).toEqual([]);
    expect(await dropped()).toEqual({});
  });

  test('a revoked token is refused at once, and so is one of a deleted site', async () => {
    const { directory } = server.app.services;
    const [made] = await listIngestTokens(directory, site.id);
    await send(report());
    expect((await listIngestTokens(directory, site.id))[0]?.last_used_at).toBe(server.clock.now);
    await revokeIngestToken(directory, { siteId: site.id, tokenId: made?.id ?? '' }, server.clock.now);
    expect((await send(report())).status).toBe(401);
    const other = await createIngestToken(directory, { siteId: site.id }, server.clock.now);
    await server.app.services.deleteSite(site.id);
    expect((await send(report(), { authorization: `Bearer ${other.token}` })).status).toBe(401);
  });

  test('the password of a page behind basic authentication is not taken for a token, because browsers send it along', async () => {
    const view = { site: site.domain, name: 'pageview', url: `https://${site.domain}/` };
    const answer = await server.foot(view, { authorization: 'Basic YTpi' });
    expect([answer.status, await people()]).toEqual([202, 1]);
  });
});
