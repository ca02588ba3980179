/** @module-tag attack */
/** @module-tag promise */
// POST /foot and GET /foot.gif through the running server: what counts, what is dropped and why, what is refused.
import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { setHosts, type Site } from '../../server/sites/sites.ts';
import { BLANK_EVENT } from '../../server/vocabulary/event.ts';
import { summaryQuestion } from '../../server/stats/query.ts';
import { testApp, type TestApp } from '../setup/app.ts';
import { CHROME } from '../setup/browser/user-agent.ts';
import { EURO_SHOP } from '../setup/event.ts';
import { showsKept, showsRefused } from '../setup/run/harness.ts';
import { filesWith } from '../setup/files.ts';

let server: TestApp;
let site: Site;
let serial = 0;

beforeAll(async () => {
  server = await testApp({ env: { TRUST_PROXY: 'loopback' } });
});
afterAll(async () => server[Symbol.asyncDispose]());
beforeEach(async () => {
  serial += 1;
  site = await server.addSite(`site${serial}.example`);
});

const page = (path = '/') => `https://${site.domain}${path}`;
const view = (more: object = {}) => ({ site: site.domain, name: 'pageview', url: page(), ...more });

async function counted() {
  await server.settle();
  const question = summaryQuestion.parse({ site_id: site.id, period: 'today' });
  const { metrics } = await server.app.services.stats.summary(question, EURO_SHOP, server.clock.now);
  return Object.fromEntries(metrics.map(({ name, value }) => [name, value]));
}

describe('a page view', () => {
  test('is counted with everything that the panels show', async () => {
    const url = page('/a/?utm_source=news&utm_campaign=spring#top');
    const answer = await server.foot(view({ url, referrer: 'https://www.google.de/search?q=x', width: 1440 }), {
      'x-forwarded-for': '8.8.8.8',
    });
    expect([answer.status, await answer.text()]).toEqual([202, '']);
    await server.settle();
    const [row] = await server.app.store.query('SELECT * FROM events WHERE site_id = {id:String}', { id: site.id });
    expect(row).toMatchObject({
      name: 'pageview',
      page: '/a/',
      entry_page: '/a/',
      hostname: site.domain,
      source: 'news',
      referrer: 'www.google.de/search',
      utm_source: 'news',
      utm_campaign: 'spring',
      country: 'US',
      browser: 'Chrome',
      browser_version: '142',
      os: 'Windows',
      device: 'desktop',
      screen: '2XL',
      language: 'en-GB',
    });
  });

  test('of one person is one visitor today, another tomorrow, and another on another site', async () => {
    showsKept('visitor ids differ from site to site and from day to day');
    const from = { 'x-forwarded-for': '203.0.113.7' };
    const other = await server.addSite(`other-of-${site.domain}`);
    await server.foot(view({ url: page('/1') }), from);
    await server.foot(view({ url: page('/2') }), from);
    await server.foot(view({ url: page('/2') }), { ...from, 'user-agent': `${CHROME} Edg/142.0.0.0` });
    server.clock.now += 86_400_000;
    await server.foot(view({ url: page('/3') }), from);
    server.clock.now -= 86_400_000;
    await server.foot({ site: other.domain, name: 'pageview', url: `https://${other.domain}/` }, from);
    await server.settle();
    const rows = await server.app.store.query<{ page: string; visitor: string; visits: number }>(
      `SELECT groupArray(page) AS pages, toString(visitor_id) AS visitor, uniqExact(visit_id) AS visits FROM events
        WHERE site_id IN {ids:Array(String)} GROUP BY visitor_id`,
      { ids: [site.id, other.id] },
    );
    expect(rows.length).toBe(4);
    expect(await counted()).toMatchObject({ unique_visitors: 2, visits: 2, pageviews: 3 });
  });

  test('waits in the queue with the columns of an event, and nothing else', async () => {
    await server.foot(view({ props: { plan: 'pro' }, width: 800 }), { 'x-forwarded-for': '8.8.8.8' });
    const waiting = [];
    for await (const part of server.app.queue.contents()) waiting.push(...part.waiting);
    expect(waiting.map((entry) => Object.keys(entry))).toEqual([Object.keys(BLANK_EVENT)]);
    await server.settle();
  });

  test('keeps no address and no user agent in any file', async () => {
    showsKept('no address and no raw user agent in the data folder, Redis, logs and backups');
    const address = '198.51.100.213';
    const userAgent = `${CHROME} Unforgettable/7.31`;
    await server.foot(view(), { 'x-forwarded-for': address, 'user-agent': userAgent });
    await server.settle();
    expect(await filesWith(server.folder, address, 'Unforgettable')).toEqual([]);
  });

  test('with a link far longer than the stored length is counted', async () => {
    const clicked = `${'x'.repeat(50)}`.repeat(100);
    expect((await server.foot(view({ url: page(`/landing?utm_source=ads&gclid=${clicked}`) }))).status).toBe(202);
    await server.settle();
    const rows = await server.app.store.query(
      'SELECT page, utm_source, channel FROM events WHERE site_id = {id:String}',
      {
        id: site.id,
      },
    );
    expect(rows).toEqual([{ page: '/landing', utm_source: 'ads', channel: 'Paid Search' }]);
  });

  test('half an hour after the one before is a new visit', async () => {
    await server.foot(view());
    server.clock.now += 30 * 60_000;
    await server.foot(view());
    server.clock.now += 30 * 60_000 - 1;
    await server.foot(view());
    expect(await counted()).toMatchObject({ unique_visitors: 1, visits: 2, pageviews: 3, bounce_rate: 50 });
  });
});

describe('custom events and payments', () => {
  test('are counted by name, with properties and revenue, and propose their currency', async () => {
    await server.foot(view());
    await server.foot(
      view({ name: 'purchase', props: { plan: 'pro', seats: 3 }, revenue: { amount: 12.5, currency: 'eur' } }),
    );
    await server.foot(view({ name: 'purchase', revenue: { amount: '7.25', currency: 'EUR' } }));
    expect(await counted()).toMatchObject({ pageviews: 1, events: 2, orders: 2, revenue: 19.75, bounce_rate: 0 });
    const [row] = await server.app.store.query(
      "SELECT props FROM events WHERE site_id = {id:String} AND name = 'purchase' ORDER BY length(props) DESC",
      {
        id: site.id,
      },
    );
    expect(row).toEqual({ props: { plan: 'pro', seats: '3' } });
    const found = await server.app.services.directory.db
      .selectFrom('sites')
      .select(['currency', 'proposed_currency'])
      .where('id', '=', site.id)
      .executeTakeFirstOrThrow();
    expect(found).toEqual({ currency: null, proposed_currency: 'EUR' });
  });
});

describe('hits that do not count', () => {
  test('are dropped within a second of a changed setting', async () => {
    await server.foot(view({ url: 'https://shop.elsewhere.example/' }));
    await setHosts(server.app.services.directory, { siteId: site.id, hosts: ['shop.elsewhere.example'] });
    server.clock.now += 1000;
    await server.foot(view({ url: 'https://shop.elsewhere.example/' }));
    expect(await counted()).toMatchObject({ pageviews: 1 });
  });

  test('are those of a private address, until the site lists it', async () => {
    const urls = ['http://192.168.1.5:8080/four', 'http://[fd00::1]/six'];
    for (const url of urls) await server.foot(view({ url }));
    expect(await counted()).toMatchObject({ pageviews: 0 });
    await setHosts(server.app.services.directory, { siteId: site.id, hosts: ['192.168.1.5:8080', '[fd00::1]'] });
    server.clock.now += 1000;
    for (const url of urls) await server.foot(view({ url }));
    expect(await counted()).toMatchObject({ pageviews: 2 });
  });

  test('an AI provider’s visit is an AI visit, stored apart', async () => {
    const headers = {
      'user-agent':
        'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)',
    };
    await server.foot(view({ url: page('/read') }), headers);
    const gif = await fetch(`${server.url}/foot.gif?site=${site.domain}`, {
      headers: { ...headers, referer: page('/image') },
    });
    expect([gif.status, gif.headers.get('content-type')]).toEqual([200, 'image/gif']);
    await server.settle();
    const rows = await server.app.store.query(
      'SELECT ai_provider, ai_agent, ai_purpose, ai_page FROM ai_visits WHERE site_id = {id:String} ORDER BY ai_page',
      {
        id: site.id,
      },
    );
    const openai = { ai_provider: 'OpenAI', ai_agent: 'GPTBot', ai_purpose: 'crawler' };
    expect(rows).toEqual([
      { ...openai, ai_page: '/image' },
      { ...openai, ai_page: '/read' },
    ]);
    expect((await counted())['pageviews']).toBe(0);
  });
});

describe('addresses behind proxies', () => {
  test('are the right-most ones that are not trusted proxies', async () => {
    showsRefused('forged addresses', 12);
    const visitorsOf = async (headers: Record<string, string>[]) => {
      for (const more of headers)
        await server.foot(view({ id: `${serial}-${Math.random()}`, url: page(`/${Math.random()}`) }), more);
      return (await counted())['unique_visitors'];
    };
    expect(
      await visitorsOf([
        { 'x-forwarded-for': '9.9.9.9, 203.0.113.9' },
        { 'x-forwarded-for': '8.8.8.8, 203.0.113.9, 127.0.0.1' },
        { 'x-forwarded-for': 'nonsense, 203.0.113.9' },
        {
          'x-forwarded-for': '203.0.113.9',
          'x-real-ip': '1.1.1.1',
          forwarded: 'for=1.1.1.1',
          'cf-connecting-ip': '1.1.1.1',
          'true-client-ip': '1.1.1.1',
        },
      ]),
    ).toBe(1);
  });
});

describe('malformed hits are refused with the error object', () => {
  const REFUSED: [string, unknown, Record<string, string>, number, string][] = [
    ['text that is not JSON', '{', {}, 400, 'The body must be JSON.'],
    ['a list', [], {}, 400, 'The body must be a JSON object.'],
    ['no site', { name: 'pageview', url: 'https://a.example/' }, {}, 400, 'site:'],
    ['an empty name', { site: 'a.example', name: ' ', url: 'https://a.example/' }, {}, 400, 'name:'],
    ['a javascript: address', { site: 'a.example', name: 'pageview', url: 'javascript:alert(1)' }, {}, 400, 'url:'],
    [
      'a long address',
      { site: 'a.example', name: 'pageview', url: `https://a.example/${'a'.repeat(17_000)}` },
      {},
      400,
      'url:',
    ],
    [
      'a nested property',
      { site: 'a.example', name: 'x', url: 'https://a.example/', props: { a: {} } },
      {},
      400,
      'props.a:',
    ],
    [
      '31 properties',
      {
        site: 'a.example',
        name: 'x',
        url: 'https://a.example/',
        props: Object.fromEntries(Array.from({ length: 31 }, (_, i) => [i, 1])),
      },
      {},
      400,
      'props:',
    ],
    [
      'a negative amount',
      { site: 'a.example', name: 'x', url: 'https://a.example/', revenue: { amount: -1, currency: 'EUR' } },
      {},
      400,
      'revenue.amount:',
    ],
    [
      'an infinite amount',
      '{"site":"a.example","name":"x","url":"https://a.example/","revenue":{"amount":1e400,"currency":"EUR"}}',
      {},
      400,
      'revenue.amount:',
    ],
    ['a form', 'site=a', { 'content-type': 'application/x-www-form-urlencoded' }, 415, 'content type'],
    ['something compressed', '{}', { 'content-encoding': 'gzip' }, 415, 'compressed'],
    ['a large body', 'x'.repeat(33_000), {}, 413, '32768'],
  ];

  test.each(REFUSED)('%s', async (_name, body, headers, status, message) => {
    const answer = await server.foot(body, headers);
    expect(answer.status).toBe(status);
    const error = (await answer.json()) as { error: string; message: string; status: number };
    expect(error.status).toBe(status);
    expect(error.message).toContain(message);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  });

  test('a body with a larger Content-Length is refused without being read', async () => {
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const sent = request(`${server.url}/foot`, {
        method: 'POST',
        headers: { 'content-type': 'text/plain', 'content-length': 1e9 },
      });
      sent.on('response', (answer) => {
        resolve(answer.statusCode);
        sent.destroy();
      });
      sent.on('error', reject);
      sent.flushHeaders();
    });
    expect(status).toBe(413);
  });

  test('a body that is a little too large leaves the connection open: a sender that still writes gets its answer', async () => {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    socket.write('POST /foot HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: 40000\r\n\r\n');
    const [refused] = (await once(socket, 'data')) as [Buffer];
    expect(refused.toString()).toMatch(/^HTTP\/1\.1 413 /);
    socket.write(`${'x'.repeat(40_000)}GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
    expect(await text(socket)).toContain('HTTP/1.1 200 OK');
  });

  test('other methods', async () => {
    const answer = await fetch(`${server.url}/foot`);
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST, OPTIONS']);
    const preflight = await fetch(`${server.url}/foot`, { method: 'OPTIONS' });
    expect([preflight.status, preflight.headers.get('access-control-allow-methods')]).toEqual([204, 'POST, OPTIONS']);
  });
});
