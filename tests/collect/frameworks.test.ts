// What `footfall/next`, `footfall/nuxt` and `footfall/astro` hand to their frameworks. `npm run examples` has the frameworks themselves.
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import footfall from '../../tracker/frameworks/astro.ts';
import { Footfall, footfallRoute } from '../../tracker/frameworks/next.ts';
import install from '../../tracker/frameworks/nuxt.ts';
import { AUTOMATIC_EVENTS } from '../../tracker/module.ts';
import { recipe } from '../setup/internet/proxies.ts';

const SETTINGS = { site: 'example.com', source: 'https://stats.example.com/foot.js' };
const ALL = {
  ...SETTINGS,
  endpoint: '/in',
  dev: true,
  hash: true,
  canonical: true,
  notFound: true,
  routing: false,
  off: AUTOMATIC_EVENTS,
  props: { plan: 'pro', seats: 2 },
};

test('Next gets an element with every setting, which the server writes into the page', () => {
  const { type, props } = Footfall({ ...ALL, nonce: 'n1' });
  const switches = ['404', 'dev', 'hash', 'canonical'].map((name) => [`data-${name}`, '']);
  const off = [...AUTOMATIC_EVENTS, 'routing'].map((name) => [`data-${name}`, 'off']);
  const others = {
    'data-site': 'example.com',
    'data-endpoint': '/in',
    'data-foot-plan': 'pro',
    'data-foot-seats': '2',
  };
  const expected = { ...Object.fromEntries([...switches, ...off]), ...others };
  expect([type, props]).toEqual(['script', { async: true, src: SETTINGS.source, nonce: 'n1', ...expected }]);
});

describe('Nuxt', () => {
  const installed = async (inline: object, configured?: object) => {
    const imports: { name: string; from: string }[] = [];
    const app: { head: { script?: object[] } } = { head: {} };
    install(inline, {
      options: { app, ...(configured && { [(await install.getMeta()).configKey]: configured }) },
      hook: (name, change) => {
        expect(name).toBe('imports:extend');
        change(imports);
      },
    });
    return { script: app.head.script, imports };
  };

  test('gets the element and the import, with settings of nuxt.config or of the list of modules', async () => {
    const expected = {
      script: [{ async: true, 'data-site': 'example.com', src: SETTINGS.source }],
      imports: [{ name: 'useFootfall', from: 'footfall/vue' }],
    };
    expect(await installed({}, SETTINGS)).toEqual(expected);
    expect(await installed(SETTINGS)).toEqual(expected);
  });

  test('says what is missing', async () => {
    await expect(installed({ site: 'example.com' })).rejects.toThrow(
      'footfall/nuxt needs `footfall: { site, source }` in nuxt.config.ts.',
    );
  });
});

test('Astro gets a script for every page', () => {
  const scripts: string[][] = [];
  footfall(SETTINGS).hooks['astro:config:setup']({ injectScript: (...script) => scripts.push(script) });
  expect(scripts).toEqual([['page', `import { start } from 'footfall'; start(${JSON.stringify(SETTINGS)});`]]);
});

describe('the route for Next', () => {
  const { GET, POST } = footfallRoute('http://127.0.0.1:9');

  test('is the recipe of the guide', async () => {
    const example = new URL('../../examples/next/app/walk/[file]/route.ts', import.meta.url);
    expect(await recipe('Next.js')).toBe(await readFile(example, 'utf8'));
  });

  test('passes on an event and its answer, and nothing that is the site’s own', async () => {
    const asked: { url: string | undefined; headers: IncomingHttpHeaders; body: string }[] = [];
    const server = createServer((request, response) => {
      void text(request).then((body) => {
        asked.push({ url: request.url, headers: request.headers, body });
        response.writeHead(503, { 'retry-after': '1', 'set-cookie': 'a=1', 'content-type': 'text/plain' }).end('later');
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const passed = {
      'content-type': 'text/plain',
      'user-agent': 'Mozilla/5.0',
      'accept-language': 'pt-BR',
      'sec-ch-ua-platform': '"Linux"',
      dnt: '1',
      referer: 'https://example.com/',
      'x-forwarded-for': '203.0.113.7',
    };
    const own = { cookie: 'session=1', authorization: 'Basic abc', 'x-forwarded-host': 'example.com' };
    const answer = await footfallRoute(`http://127.0.0.1:${port}`).POST(
      new Request('https://example.com/walk/foot?x=1', { method: 'POST', headers: { ...passed, ...own }, body: '{}' }),
    );
    expect([answer.status, await answer.text()]).toEqual([503, 'later']);
    expect([answer.headers.get('retry-after'), answer.headers.get('set-cookie')]).toEqual(['1', null]);
    expect(asked).toMatchObject([
      { url: '/foot?x=1', body: '{}', headers: { ...passed, host: `127.0.0.1:${port}`, 'x-forwarded-proto': 'http' } },
    ]);
    expect(Object.keys(own).filter((name) => asked[0]?.headers[name] !== undefined)).toEqual([]);
    server.close();
    server.closeAllConnections();
  });

  test('answers no other path, and says 502 while Footfall does not answer', async () => {
    for (const path of ['/walk/login', '/walk/foot/', '/walk/foot%2fx', '/walk/v1'])
      expect([path, (await GET(new Request(`https://example.com${path}`))).status]).toEqual([path, 404]);
    expect((await POST(new Request('https://example.com/walk/foot', { method: 'POST', body: '{}' }))).status).toBe(502);
  });
});
