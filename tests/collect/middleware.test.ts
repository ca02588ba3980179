// `footfall/server` in front of real servers, with the real Footfall behind: what it reports, and that the site is never affected.
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { dropsOf } from '../../server/sites/drops.ts';
import { createIngestToken } from '../../server/sites/ingest.ts';
import type { Site } from '../../server/sites/sites.ts';
import { fetchHandler, nodeMiddleware, type Options, svelteHandle } from '../../tracker/server/main.ts';
import { testApp, type TestApp } from '../setup/app.ts';
import { CHROME } from '../setup/browser/user-agent.ts';

const GPTBOT = 'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)';
const GOOGLEBOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';

let server: TestApp;
let site: Site;
let options: Options;
let errors: string[];
beforeAll(async () => {
  server = await testApp({ now: Date.now() }); // the middleware has no clock but the real one
});
afterAll(async () => server[Symbol.asyncDispose]());
beforeEach(async () => {
  site = await server.newSite();
  const { token } = await createIngestToken(server.app.services.directory, { siteId: site.id }, server.clock.now);
  errors = [];
  options = { site: site.domain, server: server.url, token, onError: (error) => errors.push(error.message) };
});

async function visits() {
  await server.settle();
  return server.app.store.query(
    'SELECT ai_agent, hostname, ai_page, status FROM ai_visits WHERE site_id = {id:String} ORDER BY ai_page',
    { id: site.id },
  );
}
const dropped = async () => {
  await server.app.collector.flushDrops();
  const rows = await dropsOf(server.app.services.directory, site.id, '2000-01-01', '2100-01-01');
  return Object.fromEntries(rows.map(({ reason, count }) => [reason, count]));
};

async function listening(listener: RequestListener) {
  const http = createServer(listener);
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  return {
    url,
    get: async (path: string, userAgent: string, more: RequestInit & { headers?: Record<string, string> } = {}) => {
      const answer = await fetch(url + path, { ...more, headers: { 'user-agent': userAgent, ...more.headers } });
      return [answer.status, await answer.text()];
    },
    [Symbol.asyncDispose]: async () => {
      http.closeAllConnections();
      http.close();
      await once(http, 'close');
    },
  };
}

describe('in front of node:http', () => {
  test('AI agents become AI visits with page and status, bots only a count, and nothing is sent about people', async () => {
    const sent: string[] = [];
    const footfall = nodeMiddleware({
      ...options,
      fetch: (input, init) => {
        sent.push(String(init?.body));
        return fetch(input, init);
      },
    });
    await using front = await listening((request, response) => {
      footfall(request, response);
      response.writeHead(request.url === '/gone' ? 404 : 200).end('page');
    });
    const host = { host: `www.${site.domain}` };
    expect(await front.get('/read?a=1', GPTBOT, { headers: host })).toEqual([200, 'page']);
    expect(await front.get('/gone', GPTBOT)).toEqual([404, 'page']);
    await front.get('/signed', CHROME, { headers: { 'signature-agent': '"https://chatgpt.com"' } });
    await front.get('/', GOOGLEBOT, { headers: { 'x-forwarded-for': '203.0.113.9', cookie: 'session=1' } });
    await front.get('/logo.png', GPTBOT);
    await front.get('/person', CHROME, { headers: { 'x-forwarded-for': '203.0.113.9' } });
    await front.get('/form', GPTBOT, { method: 'POST' });
    await footfall.flush();

    expect(await visits()).toEqual([
      { ai_agent: 'GPTBot', hostname: site.domain, ai_page: '/gone', status: 404 },
      { ai_agent: 'GPTBot', hostname: expect.stringMatching(/example$/) as string, ai_page: '/read', status: 200 },
      { ai_agent: 'ChatGPT Agent', hostname: site.domain, ai_page: '/signed', status: 200 },
    ]);
    expect([await dropped(), errors]).toEqual([{ bot_user_agent: 1 }, []]);
    const told = sent.flatMap((text) => JSON.parse(text) as Record<string, unknown>[]);
    const fields = new Set(told.flatMap((one) => Object.keys(one)));
    expect([told.length, [...fields].sort()]).toEqual([
      4,
      'id,signature_agent,site,status,time,url,user_agent'.split(','),
    ]);
    expect(sent.join().match(/203\.0\.113|127\.0\.0\.1|session|person/)).toBeNull();
  });

  test('as used in Express and Connect, next is called once, and a mounted path is complete', async () => {
    const footfall = nodeMiddleware(options);
    let calls = 0;
    await using front = await listening((request, response) => {
      Object.assign(request, { originalUrl: request.url, url: '/mounted' });
      footfall(request, response, () => {
        calls += 1;
        response.end('ok');
      });
    });
    await front.get('/blog/one', GPTBOT);
    await footfall.flush();
    expect([calls, (await visits()).length, await visits()]).toMatchObject([1, 1, [{ ai_page: '/blog/one' }]]);
  });

  test('answers are unaffected while Footfall is away, and reported once when it is back', async () => {
    let isAway = true;
    const footfall = nodeMiddleware({
      ...options,
      fetch: async (input, init) => {
        const answer = await fetch(input, init); // the report arrives, and the answer is lost
        if (isAway) throw new Error('reset');
        return answer;
      },
    });
    await using front = await listening((request, response) => footfall(request, response, () => response.end('ok')));
    for (const n of [1, 2, 3]) expect(await front.get(`/${n}`, GPTBOT)).toEqual([200, 'ok']);
    await footfall.flush();
    expect(errors).toEqual(['footfall: the server cannot be reached']);
    isAway = false;
    await footfall.flush();
    expect((await visits()).length).toBe(3);
    expect(await dropped()).toEqual({ repeat_id: 3 });
  });

  test('at most a thousand reports wait, and are sent a hundred at a time', async () => {
    const sizes: number[] = [];
    let isAway = true;
    const footfall = nodeMiddleware({
      ...options,
      fetch: (_input, init) => {
        if (isAway) return Promise.resolve(new Response(null, { status: 503 }));
        sizes.push((JSON.parse(String(init?.body)) as unknown[]).length);
        return Promise.resolve(new Response(null, { status: 202 }));
      },
    });
    const request = { method: 'GET', url: '/', headers: { host: site.domain, 'user-agent': GPTBOT } };
    for (let n = 0; n < 1_500; n += 1) footfall(request, { statusCode: 200, once: (_event, listener) => listener() });
    await footfall.flush();
    isAway = false;
    await footfall.flush();
    expect(sizes).toEqual(Array(10).fill(100));
  });

  test.each([
    [
      'refused',
      'ft_wrong',
      'footfall: the server refused the token: set FOOTFALL_TOKEN to an ingest token of the site',
    ],
    [
      'missing',
      undefined,
      'footfall: no token is set, so nothing is reported: set FOOTFALL_TOKEN to an ingest token of the site',
    ],
  ])('a token that is %s causes one warning, and nothing is kept for later', async (_what, token, warning) => {
    const printed = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const { onError: _, ...silent } = options;
    for (const given of [
      { ...options, token },
      { ...silent, token },
    ]) {
      let deliveries = 0;
      const counting: typeof fetch = (input, init) => {
        deliveries += 1;
        return fetch(input, init);
      };
      const footfall = nodeMiddleware({ ...given, fetch: counting });
      await using front = await listening((request, response) => footfall(request, response, () => response.end('ok')));
      for (const path of ['/1', '/2']) {
        expect(await front.get(path, GPTBOT)).toEqual([200, 'ok']);
        await footfall.flush();
        await footfall.flush();
      }
      expect(deliveries).toBe(token ? 2 : 0);
    }
    const warned = printed.mock.calls.flat();
    printed.mockRestore();
    expect([errors, warned]).toEqual([[warning], [warning]]);
  });

  test('a redirect is not followed with the token, and is reported', async () => {
    let isFollowed = false;
    await using elsewhere = await listening((_request, response) => {
      isFollowed = true;
      response.end();
    });
    await using moved = await listening((_request, response) => {
      response.writeHead(308, { location: elsewhere.url }).end();
    });
    const footfall = nodeMiddleware({ ...options, server: moved.url });
    await using front = await listening((request, response) => footfall(request, response, () => response.end('ok')));
    await front.get('/', GPTBOT);
    await footfall.flush();
    expect([errors, isFollowed]).toEqual([['footfall: the server answered with 308'], false]);
  });

  test('nonsensical options and throwing listeners never break an answer', async () => {
    const broken = nodeMiddleware({
      site: '',
      server: 'no address',
      token: '\n',
      onError: () => {
        throw new Error('listener');
      },
    });
    await using front = await listening((request, response) => broken(request, response, () => response.end('ok')));
    expect(await front.get('/', GPTBOT)).toEqual([200, 'ok']);
    await broken.flush();
  });
});

const asked = (path: string, userAgent: string) =>
  new Request(`https://${site.domain}${path}`, { headers: { 'user-agent': userAgent } });

test('as SvelteKit’s handle', async () => {
  const handle = svelteHandle(options);
  const resolve = () => new Response('page', { status: 410 });
  for (const userAgent of [GPTBOT, CHROME]) {
    const request = asked('/kit', userAgent);
    const response = await handle({ event: { request, url: new URL(request.url) }, resolve });
    expect([response.status, await response.text()]).toEqual([410, 'page']);
  }
  await handle.flush();
  expect(await visits()).toEqual([{ ai_agent: 'GPTBot', hostname: site.domain, ai_page: '/kit', status: 410 }]);
});

describe('a platform that stops a function once it has answered waits for the delivery of its reports', () => {
  const waiting: Promise<unknown>[] = [];
  const context = { waitUntil: (promise: Promise<unknown>) => void waiting.push(promise) };
  const delivered = async (pages: string[]) => {
    expect(waiting.length).toBe(pages.length); // nothing is sent for a person
    await Promise.all(waiting.splice(0));
    expect((await visits()).map((row) => (row as { ai_page: string }).ai_page)).toEqual(pages);
  };

  test.each(['ctx', 'context'])('on Cloudflare, SvelteKit’s platform.%s', async (name) => {
    const handle = svelteHandle(options);
    for (const userAgent of [GPTBOT, CHROME]) {
      const request = asked('/kit', userAgent);
      const event = { request, url: new URL(request.url), platform: { env: {}, [name]: context } };
      await handle({ event, resolve: () => new Response('page') });
    }
    await delivered(['/kit']);
  });

  test('on Vercel, in any of the three forms', async () => {
    const vercel = Symbol.for('@vercel/request-context');
    Object.assign(globalThis, { [vercel]: { get: () => context } });
    const handle = svelteHandle(options);
    const request = asked('/kit', GPTBOT);
    await handle({ event: { request, url: new URL(request.url) }, resolve: () => new Response('page') });
    await fetchHandler(() => new Response('page'), options)(asked('/fetch', GPTBOT), {}, undefined);
    const footfall = nodeMiddleware(options);
    const node = { method: 'GET', url: '/node', headers: { host: site.domain, 'user-agent': GPTBOT } };
    footfall(node, { statusCode: 200, once: (_event, listener) => listener() });
    Reflect.deleteProperty(globalThis, vercel);
    await delivered(['/fetch', '/kit', '/node']);
  });
});

/** Workers support two of the three redirect modes, and throw for the third (workerd, `Invalid redirect value`). */
const cloudflareFetch: typeof fetch = (input, init) => {
  if (!['follow', 'manual', undefined].includes(init?.redirect)) throw new TypeError('Invalid redirect value');
  return fetch(input, init);
};

describe('as a fetch handler', () => {
  test('delivers after the answer, with options from the environment', async () => {
    const waiting: Promise<unknown>[] = [];
    const handler = fetchHandler(
      (_request: Request, env: { TOKEN: string }) => new Response(`hello ${env.TOKEN.length}`),
      (env) => ({ ...options, token: env.TOKEN, fetch: cloudflareFetch }),
    );
    const context = { waitUntil: (promise: Promise<unknown>) => void waiting.push(promise) };
    for (const userAgent of [GPTBOT, CHROME]) {
      const response = await handler(asked('/edge', userAgent), { TOKEN: String(options.token) }, context);
      expect(await response.text()).toBe('hello 43');
    }
    expect(waiting.length).toBe(1); // nothing is sent for a person
    await Promise.all(waiting);
    expect(await visits()).toMatchObject([{ ai_page: '/edge', status: 200 }]);
  });

  test('passes on what the site throws, and works without options', async () => {
    const failing = fetchHandler(() => {
      throw new Error('the site’s own');
    }, options);
    await expect(failing(asked('/', GPTBOT), {}, undefined)).rejects.toThrow('the site’s own');
    const without = fetchHandler(
      () => new Response('ok'),
      () => {
        throw new Error('no secret');
      },
    );
    expect(await (await without(asked('/', GPTBOT), {}, undefined)).text()).toBe('ok');
  });
});
