/** @module-tag attack */
// The icons of sources and sites: who may have which host asked, what the host learns, and what is kept of its answer.
import type { RequestListener } from 'node:http';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { parse, stringify } from 'devalue';
import { imageSize } from 'image-size';
import { expect, test } from 'vitest';
import { openIconLimit } from '../../server/api/rate-limits.ts';
import { type Favicons, openFavicons } from '../../server/integrations/icons/favicons.ts';
import { namedIcons } from '../../server/integrations/icons/download.ts';
import { openLog } from '../../server/process/log.ts';
import { openOutgoing } from '../../server/process/outgoing/client.ts';
import { NO_ICON_PX, PENDING_ICON_PX } from '../../server/vocabulary/icons.ts';
import { DAY_MS } from '../../server/vocabulary/time/time.ts';
import { createShareLink } from '../../server/sites/sharing/share.ts';
import { type TestApp, testApp } from '../setup/app.ts';
import { type TestDirectory, FORMS, testDirectory } from '../setup/directory.ts';
import { eventually } from '../setup/eventually.ts';
import { showsRefused } from '../setup/run/harness.ts';
import { GREEN, icoOf, bitmapOf, pictureOf, pngOf } from '../setup/browser/images.ts';
import { openInternet, PUBLIC_ADDRESS } from '../setup/internet/internet.ts';

const NOON = Date.UTC(2026, 10, 20, 12);
const ICON = icoOf([
  { side: 16, data: bitmapOf(16) },
  { side: 32, data: bitmapOf(32, GREEN) },
]);
const serveIcon: RequestListener = (_request, response) => void response.end(ICON);
const yes = () => Promise.resolve(true);

type Row = { name: string; icon?: string };
type Caller = Record<string, string>;

async function query<Answer>(server: TestApp, caller: Caller, name: string, input: unknown): Promise<Answer> {
  const text = encodeURIComponent(JSON.stringify(stringify(input)));
  const answer = await fetch(`${server.url}/trpc/${name}?input=${text}`, { headers: caller });
  expect([name, answer.status]).toEqual([name, 200]);
  return parse(((await answer.json()) as { result: { data: string } }).result.data) as Answer;
}

async function rowsOf(server: TestApp, caller: Caller, siteId: string, dimension = 'source'): Promise<Row[]> {
  const question = { site_id: siteId, period: 'today', dimension, metrics: ['visits'] };
  return (await query<{ rows: Row[] }>(server, caller, 'stats.breakdown', question)).rows;
}

/** Views of pages of example.com, from pages of these hosts. */
async function visitFrom(server: TestApp, hosts: string[]): Promise<void> {
  for (const [index, host] of hosts.entries())
    await server.foot(
      { site: 'example.com', name: 'pageview', url: 'https://example.com/', referrer: `https://${host}/a` },
      { 'user-agent': `Mozilla/5.0 (Windows NT 10.0) Firefox/${100 + index}.0` },
    );
  await server.settle();
}

/** A signed-in owner of example.com with visitors from these hosts, on a server with this internet. */
async function withVisitsFrom(
  hosts: string[],
  internet: Pick<Awaited<ReturnType<typeof openInternet>>, 'network'>,
  env: Record<string, string> = {},
) {
  const server = await testApp({ now: NOON, network: internet.network, env });
  const site = await server.addSite();
  await visitFrom(server, hosts);
  const cookie = await server.logIn('owner@example.com');
  const { favicons } = server.app.services;
  return { server, site, owner: { cookie }, favicons, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

async function widthOf(answer: Response): Promise<number> {
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png']);
  return imageSize(new Uint8Array(await answer.arrayBuffer())).width;
}

test('a row names the address of its icon, which the server fetches once and keeps', async () => {
  await using internet = await openInternet(serveIcon);
  await using app = await withVisitsFrom(['blog.example.org', 'www.google.com'], internet);
  const { server, favicons } = app;
  const rows = await rowsOf(server, app.owner, app.site.id);
  const icons = Object.fromEntries(rows.map(({ name, icon }) => [name, icon?.split('/')[2]]));
  expect(icons).toEqual({ Google: 'google.com', 'blog.example.org': 'example.org' });
  expect(internet.resolved).toEqual([]); // an answer with rows asks nobody

  const address = server.url + (rows.find(({ name }) => name === 'blog.example.org')?.icon ?? '');
  const first = await fetch(address);
  expect(first.headers.get('cache-control')).toBe('no-store');
  expect(await widthOf(first)).toBe(PENDING_ICON_PX);
  await favicons.settled();
  const answer = await fetch(address);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'image/png',
    'x-content-type-options': 'nosniff',
    'cache-control': 'public, max-age=604800',
    'content-security-policy': "default-src 'none'; sandbox",
    'cross-origin-resource-policy': 'same-origin',
  });
  const icon = Buffer.from(await answer.arrayBuffer());
  expect(pictureOf(icon)).toEqual({ width: 32, height: 32, colour: [...GREEN] });
  expect(icon.includes(ICON.subarray(0, 40))).toBe(false);

  // The host learns that a Footfall exists, and nothing of the reader or the site.
  expect(internet.requests).toHaveLength(1);
  const {
    host,
    accept,
    connection,
    'accept-encoding': encoding,
    'user-agent': agent,
    ...rest
  } = internet.requests[0]?.headers ?? {};
  expect([host, agent, rest]).toEqual(['example.org', 'Footfall (web analytics)', {}]);
  expect([accept, connection, encoding].every(Boolean)).toBe(true);

  // Names of hosts come from visitors, so the cache holds none.
  const kept = await server.app.services.directory.db.selectFrom('favicons').selectAll().execute();
  expect(kept).toHaveLength(1);
  expect(JSON.stringify(kept)).not.toContain('example');
});

test('only addresses that the server gave out are answered, and no other leads to a request', async () => {
  await using internet = await openInternet(serveIcon);
  await using app = await withVisitsFrom(['blog.example.org'], internet);
  const { server } = app;
  const [row] = await rowsOf(server, app.owner, app.site.id);
  const icon = row?.icon ?? '';
  const [, , , signature = ''] = icon.split('/');
  const foreign = openFavicons({
    directory: server.app.services.directory,
    outgoing: server.app.services.outgoing,
    secret: 'another secret',
    isOn: true,
    now: () => NOON,
    log: openLog('silent'),
  });
  const wrong = [
    `/icons/evil.example.net/${signature}`,
    '/icons/evil.example.net/',
    '/icons/',
    '/icons/example.org.png',
    icon.replace('/icons/', '/icons//'),
    icon.replace('org', 'ORG'),
    `${icon}/`,
    icon.replace('.png', ''),
    icon.replace('example.org', 'example.org.'),
    icon.replace('example.org', 'a@example.org'),
    `${icon}.png`,
    icon.replace('example.org', 'example.org:8080'),
    icon.replace('example.org', '127.0.0.1'),
    foreign.ofSite('example.org') ?? '',
    icon.replace(signature, `${'A'.repeat(22)}.png`),
  ];
  for (const address of wrong)
    expect([address, (await fetch(server.url + address, { headers: app.owner })).status]).toEqual([address, 404]);
  expect((await fetch(server.url + icon, { method: 'POST' })).status).toBe(405);
  await app.favicons.settled();
  expect(internet.resolved).toEqual([]);
});

test('a share link and the live view show icons of the rows that they show, and only of those', async () => {
  await using internet = await openInternet(serveIcon);
  await using app = await withVisitsFrom(['blog.example.org', 'two.example.net', 'three.example.com.au'], internet);
  const { server, site } = app;
  const made = await createShareLink(server.app.services.directory, { siteId: site.id, name: 'for all' }, NOON);
  const viewer = { 'x-share-token': made.token };
  const seen = await rowsOf(server, viewer, site.id);
  const own = await rowsOf(server, app.owner, site.id);
  expect(seen.map(({ name, icon }) => [name, icon])).toEqual(
    own.filter(({ name }) => seen.some((row) => row.name === name)).map(({ name, icon }) => [name, icon]),
  );
  const live = await query<{ source: string; icon?: string }[]>(server, viewer, 'live.icons', { site_id: site.id });
  expect(live.map(({ source, icon }) => [source, icon]).sort()).toEqual(
    own.map(({ name, icon }) => [name, icon]).sort(),
  );
  const shown = await query<{ icon?: string }>(server, viewer, 'shares.site', undefined);
  expect(shown.icon).toMatch(/^\/icons\/example\.com\//);
  expect(await widthOf(await fetch(server.url + (shown.icon ?? '')))).toBe(PENDING_ICON_PX);
  await app.favicons.settled();
  expect(await widthOf(await fetch(server.url + (shown.icon ?? '')))).toBe(32);
});

test('hosts that lead to private addresses are never connected to', async () => {
  showsRefused('requests to private addresses', 8);
  let connections = 0;
  const inner = createTcpServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  inner.listen(0, '::');
  await once(inner, 'listening');
  const { port } = inner.address() as AddressInfo;
  let asked = 0;
  const names: Record<string, () => string[]> = {
    'loopback.org': () => ['127.0.0.1'],
    'six.org': () => ['::1'],
    'private.org': () => ['10.0.0.1'],
    'metadata.org': () => ['169.254.169.254'],
    'mixed.org': () => [PUBLIC_ADDRESS, '127.0.0.1'],
    'mapped.org': () => ['::ffff:127.0.0.1'],
    'rebinding.org': () => [asked++ === 0 ? PUBLIC_ADDRESS : '127.0.0.1'],
  };
  const page = `<link rel=icon href="http://127.0.0.1:${port}/x.png"><link rel=icon href="//[::1]:${port}/y.png">`;
  await using internet = await openInternet(
    ({ headers: { host }, url }, response) => {
      if (host === 'redirects.org') response.writeHead(302, { location: `http://127.0.0.1:${port}${url}` }).end();
      else if (host === 'names.org' && url === '/') response.writeHead(200, { 'content-type': 'text/html' }).end(page);
      else response.writeHead(404).end();
    },
    (name) => names[name]?.(),
  );
  const hosts = [...Object.keys(names), 'redirects.org', 'names.org'];
  await using app = await withVisitsFrom(hosts, internet);
  const rows = await rowsOf(app.server, app.owner, app.site.id);
  expect(rows.map(({ name }) => name).sort()).toEqual([...hosts].sort());
  for (const { icon } of rows) await fetch(app.server.url + (icon ?? ''));
  await app.favicons.settled();
  for (const { name, icon } of rows)
    expect([name, await widthOf(await fetch(app.server.url + (icon ?? '')))]).toEqual([name, NO_ICON_PX]);
  expect(connections).toBe(0);
  expect(internet.dialled.every((address) => address.startsWith(PUBLIC_ADDRESS))).toBe(true);
  inner.close();
});

/** Favicons of hosts on a simulated internet, without a server around them. */
async function openBare(answer: RequestListener, more: { maxAsked?: number; timeoutMs?: number } = {}) {
  const stack = new AsyncDisposableStack();
  const directory: TestDirectory = stack.use(await testDirectory('sqlite'));
  const internet = stack.use(await openInternet(answer));
  const clock = { now: NOON };
  const { timeoutMs = 5000, ...rest } = more;
  const outgoing = openOutgoing({ network: internet.network, timeoutMs, maxBytes: 262_144 });
  const about = { directory, outgoing, secret: 'secret', isOn: true, now: () => clock.now, log: openLog('error') };
  const favicons = openFavicons({ ...about, ...rest });
  return { favicons, directory, internet, clock, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

async function fetched(favicons: Favicons, host: string) {
  await favicons.find(host, yes);
  await favicons.settled();
  return favicons.find(host, yes);
}

test('without /favicon.ico, the icon that the front page names is taken, but no vector image', async () => {
  const head = `<base href="/static/"><link rel="icon" type="image/svg+xml" href="/icon.svg">
    <link rel="mask-icon" href="/mask.svg"><link rel="shortcut icon" href="small.png" sizes="16x16">
    <link rel="ICON" href="/right.png" sizes="32x32"><link rel="apple-touch-icon" href="/large.png">`;
  await using bare = await openBare(({ url }, response) => {
    if (url === '/') response.end(head);
    else if (url === '/right.png') response.end(pngOf(32, 32, GREEN));
    else response.writeHead(404).end('<svg xmlns="http://www.w3.org/2000/svg"/>');
  });
  const icon = await fetched(bare.favicons, 'example.org');
  expect(pictureOf(icon as Buffer).colour).toEqual([...GREEN]);
  expect(bare.internet.requests.map(({ url }) => url)).toEqual(['/favicon.ico', '/', '/right.png']);
  const page = { body: Buffer.from(head), url: new URL('http://example.org/') };
  expect(namedIcons(page)).toEqual(['http://example.org/right.png', 'http://example.org/large.png']);
});

test('an answer of 10 MB, one that never ends, and one that is no image yield no icon', async () => {
  const large = Buffer.concat([pngOf(32, 32), Buffer.alloc(10_000_000)]);
  await using bare = await openBare(
    ({ headers: { host } }, response) => {
      if (host === 'large.org') response.end(large);
      else if (host === 'drip.org') response.write('a');
      else response.writeHead(200, { 'content-type': 'image/png' }).end('<script>alert(1)</script>');
    },
    { timeoutMs: 300 },
  );
  for (const host of ['large.org', 'drip.org', 'script.org'])
    expect([host, await fetched(bare.favicons, host)]).toEqual([host, undefined]);
});

test('an icon is asked for again after a month, its absence after a day, and the old one is shown meanwhile', async () => {
  let body = ICON;
  await using bare = await openBare((_request, response) => void response.end(body));
  const { favicons, clock, internet } = bare;
  const first = await fetched(favicons, 'example.org');
  clock.now += 30 * DAY_MS - 1;
  expect(await fetched(favicons, 'example.org')).toEqual(first);
  expect(internet.requests).toHaveLength(1);
  clock.now += 1;
  body = Buffer.from('gone');
  expect(await favicons.find('example.org', yes)).toEqual(first);
  await favicons.settled();
  expect(await favicons.find('example.org', yes)).toBeUndefined();
  const asked = internet.requests.length;
  clock.now += DAY_MS - 1;
  expect(await fetched(favicons, 'example.org')).toBeUndefined();
  expect(internet.requests).toHaveLength(asked);
  clock.now += 1;
  body = ICON;
  expect(await fetched(favicons, 'example.org')).toEqual(first);
});

test('few hosts are asked at once, the same host only once, and a full queue accepts no more', async () => {
  const held: (() => void)[] = [];
  let isHeld = true;
  const hold: RequestListener = (_request, response) => {
    if (isHeld) held.push(() => void response.end(ICON));
    else response.end(ICON);
  };
  await using bare = await openBare(hold, { maxAsked: 8 });
  const { favicons, internet } = bare;
  const hosts = Array.from({ length: 10 }, (_, index) => `host${index}.org`);
  for (const host of [...hosts, ...hosts]) expect(await favicons.find(host, yes)).toBe('pending');
  await eventually(() => expect(held).toHaveLength(4));
  expect(new Set(internet.resolved).size).toBe(4);
  isHeld = false;
  for (const release of held) release();
  await favicons.settled();
  expect(internet.requests).toHaveLength(8);
  expect(await favicons.find('host9.org', yes)).toBe('pending'); // its turn comes when somebody looks again
  await favicons.settled();
  expect(internet.requests).toHaveLength(9);
});

test.each(FORMS)('the cache drops the icons that were asked for longest ago (%s)', async (form) => {
  await using directory = await testDirectory(form);
  await using internet = await openInternet(serveIcon);
  const clock = { now: NOON };
  const outgoing = openOutgoing({ network: internet.network });
  const about = { directory, outgoing, secret: 'secret', isOn: true, now: () => clock.now, log: openLog('error') };
  const favicons = openFavicons({ ...about, maxStored: 3 });
  for (const host of ['a.org', 'b.org', 'c.org', 'd.org', 'e.org']) {
    clock.now += 1;
    expect(await fetched(favicons, host)).toBeInstanceOf(Buffer);
  }
  const times = await directory.db.selectFrom('favicons').select('asked_at').orderBy('asked_at').execute();
  expect(times.map(({ asked_at }) => Number(asked_at) - NOON)).toEqual([3, 4, 5]);
});

test('one address can cause requests to at most 90 hosts a minute', async () => {
  await using bare = await openBare(serveIcon);
  const takeIcon = openIconLimit(undefined);
  for (let count = 0; count < 90; count++) expect(await takeIcon('one')).toBe(true);
  expect(await bare.favicons.find('late.org', () => takeIcon('one'))).toBe('pending');
  await bare.favicons.settled();
  expect(bare.internet.resolved).toEqual([]);
  expect(await bare.favicons.find('late.org', () => takeIcon('another'))).toBe('pending');
  await bare.favicons.settled();
  expect(bare.internet.requests).toHaveLength(1);
});

test('with FAVICONS=off no answer names an icon, and no address has one', async () => {
  await using internet = await openInternet(serveIcon);
  const iconOfOn = async () => {
    await using on = await withVisitsFrom(['blog.example.org'], internet);
    return (await rowsOf(on.server, on.owner, on.site.id))[0]?.icon;
  };
  const icon = await iconOfOn();
  expect(icon).toContain('example.org');
  await using off = await withVisitsFrom(['blog.example.org'], internet, { FAVICONS: 'off' });
  const [without] = await rowsOf(off.server, off.owner, off.site.id);
  expect([without?.name, without?.icon]).toEqual(['blog.example.org', undefined]);
  const sites = await query<{ icon?: string }[]>(off.server, off.owner, 'sites.list', undefined);
  expect(sites.map(({ icon }) => icon)).toEqual([undefined]);
  expect((await fetch(off.server.url + (icon ?? ''))).status).toBe(404);
  await off.favicons.settled();
  expect(internet.resolved).toEqual([]);
});

test('the icon of a new site is fetched when it is added, without delay for who adds it, and not where icons are off', async () => {
  await using internet = await openInternet(serveIcon);
  for (const [env, hosts] of [
    [{}, ['fresh.example.org']],
    [{ FAVICONS: 'off' }, []],
  ] as const) {
    await using app = await withVisitsFrom([], internet, { ...env });
    internet.requests.length = 0;
    for (const domain of ['fresh.example.org', 'localhost']) {
      const body = JSON.stringify(stringify({ domain }));
      const headers = { ...app.owner, 'content-type': 'application/json', origin: app.server.url };
      const answer = await fetch(`${app.server.url}/trpc/sites.create`, { method: 'POST', headers, body });
      expect(answer.status).toBe(200);
    }
    const kept = () => app.server.app.services.directory.db.selectFrom('favicons').selectAll().execute();
    await eventually(async () => expect(await kept()).toHaveLength(hosts.length));
    await app.favicons.settled();
    expect(internet.requests.map(({ headers }) => headers.host)).toEqual(hosts);
  }
});
