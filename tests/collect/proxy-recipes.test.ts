// The recipes of docs/proxy.md in the real programs: everything that a visitor sends arrives, and as that visitor's.
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { type Asked, askOver, PROXIES, recipe } from '../setup/internet/proxies.ts';
import { testApp, type TestApp } from '../setup/app.ts';
import { type TempFolder, tempFolder } from '../setup/folder.ts';
import { certificate } from '../setup/internet/tls.ts';
import { CHROME } from '../setup/browser/user-agent.ts';

/** The address from which the proxies connect, the only one that TRUST_PROXY names, and those of two visitors. */
const [PROXY, ONE, OTHER] = ['127.0.0.1', '127.0.0.2', '127.0.0.3'];

let folder: TempFolder;
let files: { TLS_CERT: string; TLS_KEY: string };
let server: TestApp;
let port: number;
let serial = 0;
/** What reached Footfall through a proxy. */
let passed: { path: string; cookie: string | undefined }[] = [];

beforeAll(async () => {
  folder = await tempFolder();
  ({ files } = await certificate(folder.path, { names: ['IP:127.0.0.1', 'DNS:stats.example.com', 'DNS:localhost'] }));
  server = await testApp({ env: { ...files, BASE_URL: 'https://stats.example.com', TRUST_PROXY: PROXY } });
  server.app.server.prependListener('request', ({ url = '', headers, socket }: IncomingMessage) => {
    if (socket.remoteAddress === PROXY) passed.push({ path: url.split('?')[0] ?? '', cookie: headers.cookie });
  });
  ({ port } = server.app.server.address() as AddressInfo);
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

function view(domain: string, page: string, headers: Record<string, string> = {}): Asked {
  const sent = { 'content-type': 'text/plain', 'user-agent': CHROME, 'accept-language': 'pt-BR', cookie: 'session=1' };
  return {
    method: 'POST',
    path: '/walk/foot',
    headers: { ...sent, ...headers },
    body: JSON.stringify({ site: domain, name: 'pageview', url: `https://${domain}${page}` }),
  };
}

test.each(PROXIES)(
  'behind %s, set up by the recipe, script, image and events arrive, and two visitors count as two',
  async (name, open) => {
    serial += 1;
    const site = await server.addSite(`${name.toLowerCase()}${serial}.example`);
    passed = [];
    await using proxyFolder = await tempFolder();
    await using proxy = await open({ port, folder: proxyFolder.path, files });

    const script = await proxy.ask(ONE, { path: '/walk/foot.js' });
    const image = await proxy.ask(ONE, { path: `/walk/foot.gif?site=${site.domain}` });
    expect([script, image].map(({ status, headers }) => [status, headers['content-type']])).toEqual([
      [200, 'text/javascript; charset=utf-8'],
      [200, 'image/gif'],
    ]);
    expect([script.body.length > 1000, image.body.subarray(0, 3).toString()]).toEqual([true, 'GIF']);
    const preflight = await proxy.ask(ONE, { method: 'OPTIONS', path: '/walk/foot' });
    expect(preflight.status).toBe(204);

    const counted = [
      await proxy.ask(ONE, view(site.domain, '/')),
      await proxy.ask(ONE, view(site.domain, '/forged', { 'x-forwarded-for': '198.51.100.9' })),
      await proxy.ask(OTHER, view(site.domain, '/stolen', { 'x-forwarded-for': ONE, forwarded: `for=${ONE}` })),
      // Directly, past the proxy: Footfall sees these two addresses itself, so both visitors are already known.
      ...(await Promise.all(
        [ONE, OTHER].map((who) => askOver(port, who, { ...view(site.domain, '/direct'), path: '/foot' })),
      )),
    ];
    for (const { status, headers, body } of [preflight, ...counted])
      expect([Math.floor(status / 100), headers['access-control-allow-origin'], body.length]).toEqual([2, '*', 0]);
    const large = await proxy.ask(ONE, { ...view(site.domain, '/'), body: 'x'.repeat(40_000) });
    expect([large.status, JSON.parse(large.body.toString())]).toMatchObject([413, { error: 'payload_too_large' }]);
    for (const { headers } of [script, image, large, ...counted])
      expect(headers['strict-transport-security']).toBeUndefined(); // it would hold the site's own domain to HTTPS

    await server.settle();
    const rows = await server.app.store.query(
      `SELECT toUInt32(count()) AS views, toUInt32(uniqExact(visitor_id)) AS visitors, arrayDistinct(groupArray(browser || ' ' || language)) AS who
     FROM events WHERE site_id = {id:String}`,
      { id: site.id },
    );
    expect(rows).toEqual([{ views: 5, visitors: 2, who: ['Chrome pt-BR'] }]);

    await proxy.ask(ONE, { path: '/walk/login' });
    expect(new Set(passed.map(({ path }) => path))).toEqual(new Set(['/foot.js', '/foot.gif', '/foot']));
    expect(passed.filter(({ cookie }) => cookie !== undefined)).toEqual([]);
  },
);

const FILES = ['foot', 'foot.js', 'foot.gif'];

test('the path of the recipes has no word that blockers know', () => {
  const known =
    /stat|track|analy|collect|metric|count|pixel|beacon|hit|log|visit|event|telemetry|ping|ads?\b|plausible|umami|matomo|\bga\b/;
  expect(FILES.map((file) => `/walk/${file}`).filter((path) => known.test(path))).toEqual([]);
});

test('the recipe for Traefik routes the three paths and names only what it defines', async () => {
  type Rules = {
    routers: Record<string, { rule: string; service: string; middlewares: string[] }>;
    middlewares: Record<string, object>;
    services: Record<string, { loadBalancer: { servers: { url: string }[] } }>;
  };
  const { http } = parseYaml(await recipe('Traefik')) as { http: Rules };
  const { rule = '', service = '', middlewares = [] } = http.routers.footfall ?? {};
  expect([Object.keys(http.services), Object.keys(http.middlewares)]).toEqual([[service], middlewares]);
  expect(http.services.footfall?.loadBalancer.servers).toEqual([{ url: 'https://stats.example.com' }]);
  const routed = new RegExp(/PathRegexp\(`(.*)`\)/.exec(rule)?.[1] ?? '');
  const paths = [...FILES, 'login', 'foot.jsx', 'footer'].map((file) => `/walk/${file}`);
  expect(paths.filter((path) => routed.test(path))).toEqual(FILES.map((file) => `/walk/${file}`));
});

test('the recipes for Vercel and Netlify rewrite the three paths, and nothing else', async () => {
  const { rewrites } = JSON.parse(await recipe('Vercel')) as { rewrites: unknown[] };
  expect(rewrites).toEqual(
    FILES.map((file) => ({ source: `/walk/${file}`, destination: `https://stats.example.com/${file}` })),
  );
  const redirects = (await recipe('Netlify')).split('[[redirects]]').slice(1);
  const rules = redirects.map((lines) =>
    Object.fromEntries(
      [...lines.matchAll(/^ {2}(\w+) = (.+)$/gm)].map(([, name, value = '']) => [name, JSON.parse(value)]),
    ),
  );
  expect(rules).toEqual(
    FILES.map((file) => ({ from: `/walk/${file}`, to: `https://stats.example.com/${file}`, status: 200 })),
  );
});
