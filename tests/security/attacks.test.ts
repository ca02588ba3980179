/** @module-tag attack */
// Attacks that are not specific to one door: cached answers, headers, prototypes, sessions, leaked secrets, and our dependencies.
import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'devalue';
import { PASSWORD, testApp, type TestApp } from '../setup/app.ts';
import { openLog } from '../../server/process/log.ts';
import { openRedisQueue } from '../../server/queue/redis/queue.ts';
import { openSqliteQueue } from '../../server/queue/sqlite/queue.ts';
import { BLANK_EVENT, type Event, type Recorded } from '../../server/vocabulary/event.ts';
import { CHROME } from '../setup/browser/user-agent.ts';
import { makeWorld, type World } from '../setup/accounts/callers.ts';
import { tempFolder } from '../setup/folder.ts';
import { showsRefused } from '../setup/run/harness.ts';
import { filesWith } from '../setup/files.ts';
import { isMutation, PROCEDURE_NAMES, PROCEDURES } from '../setup/api/procedures.ts';
import { readingPaths } from '../setup/api/rest.ts';
import { drain } from '../setup/stores/queue.ts';
import { redisOfFile } from '../setup/stores/redis-of-file.ts';

const { server: redis, redis: connection } = await redisOfFile();
let server: TestApp;
let world: World;

beforeAll(async () => {
  server = await testApp({ env: { LOG_LEVEL: 'silent', TRUST_PROXY: 'loopback' } });
  world = await makeWorld(server);
});
afterAll(async () => server[Symbol.asyncDispose]());

const bearer = () => ({ authorization: `Bearer ${world.own.key}` });

test('no shared cache may keep private answers', async () => {
  const csv = `/export/${world.own.site.id}.csv?date_from=2026-11-20&date_to=2026-11-20`;
  const asked: [path: string, headers: Record<string, string>][] = [
    ...PROCEDURE_NAMES.filter((name) => !isMutation(name)).map((name): [string, Record<string, string>] => {
      const input = PROCEDURES[name]?.input(world.own.named);
      const query = input === undefined ? '' : `?input=${encodeURIComponent(JSON.stringify(stringify(input)))}`;
      return [`/trpc/${name}${query}`, world.own.login.headers];
    }),
    ...readingPaths(world.own.named).map((path): [string, Record<string, string>] => [path, bearer()]),
    [csv, world.own.login.headers],
    ['/auth/get-session', world.own.login.headers],
  ];
  showsRefused('cached secrets', asked.length);
  for (const [path, headers] of asked) {
    const answer = await fetch(server.url + path, { headers });
    await answer.arrayBuffer();
    const said = answer.headers.get('cache-control') ?? '';
    const isKeptByNobody = said.includes('no-store');
    const isOnlyForReader =
      said.startsWith('private') && answer.headers.get('vary')?.toLowerCase().includes('authorization');
    expect([path, said, isKeptByNobody || isOnlyForReader]).toEqual([path, said, true]);
  }
});

test('every answer tells browsers not to guess its type, and pages forbid frames, foreign scripts and referrers', async () => {
  const pages = ['/', '/login', '/own.example', '/share/x', '/unknown'];
  const others = [
    '/foot',
    '/foot.gif?site=own.example',
    '/foot.js',
    '/footfall.tgz',
    '/healthz',
    '/readyz',
    '/trpc/session.current',
    '/v1/sites',
    '/v1/openapi.json',
    '/export/x.csv',
    '/docs',
    '/auth/get-session',
    '/robots.txt',
  ];
  showsRefused('missing headers', pages.length + others.length);
  for (const path of [...pages, ...others])
    for (const method of ['GET', 'POST']) {
      const { headers } = await fetch(server.url + path, { method, redirect: 'manual' });
      expect([method, path, headers.get('x-content-type-options')]).toEqual([method, path, 'nosniff']);
    }
  for (const path of pages) {
    const { headers } = await fetch(server.url + path);
    const policy = headers.get('content-security-policy') ?? '';
    for (const rule of ["default-src 'self'", "frame-ancestors 'none'", "object-src 'none'", "base-uri 'none'"])
      expect([path, policy]).toEqual([path, expect.stringContaining(rule)]);
    expect(policy).not.toMatch(/script-src[^;]*'unsafe-(?:inline|eval)'/);
    expect(headers.get('referrer-policy')).toBe('same-origin');
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
  }
});

test('no body pollutes a prototype, at any door', async () => {
  const pollutions = [
    '{"__proto__":{"polluted":1}}',
    '{"constructor":{"prototype":{"polluted":1}}}',
    '{"props":{"__proto__":{"polluted":1}}}',
    '{"props":{"__proto__":"polluted"}}',
    '{"props":{"constructor":"x","prototype":"y"}}',
    '{"props":{"constructor":{"prototype":{"polluted":1}}}}',
    '{"revenue":{"__proto__":{"amount":1},"currency":"EUR"}}',
    '[{"__proto__":{"polluted":1}}]',
    '{"events":[{"__proto__":{"polluted":1}}]}',
    '{"__proto__.polluted":1}',
  ];
  const base = { site: 'own.example', name: 'signup', url: 'https://own.example/' };
  showsRefused('prototype pollution', 2 * pollutions.length);
  const before = Object.getOwnPropertyNames(Object.prototype).sort();
  for (const text of pollutions) {
    const merged = text.startsWith('{') ? `${JSON.stringify(base).slice(0, -1)},${text.slice(1)}` : text;
    expect((await server.foot(merged)).status).toBeLessThan(500);
    const answer = await fetch(`${server.url}/v1/events`, {
      method: 'POST',
      headers: { ...bearer(), 'content-type': 'application/json' },
      body: text,
    });
    expect([text, answer.status]).toEqual([text, 400]);
  }
  expect(Object.getOwnPropertyNames(Object.prototype).sort()).toEqual(before);
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
});

describe('the names that every JavaScript object has', () => {
  const WORDS = ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf'];
  const GECKO = 'AppleWebKit/537.36 (KHTML, like Gecko)';

  /** A page view with the word in each header and field that is looked up in a table, one after the other, then in all at once. */
  function hitsWith(word: string, domain: string) {
    const brands = `"${word}";v="1", "Chromium";v="142"`;
    const headers: Record<string, string>[] = [
      { 'sec-ch-ua': `"${word}";v="1"` },
      { 'sec-ch-ua-full-version-list': brands },
      { 'sec-ch-ua-platform': `"${word}"`, 'sec-ch-ua-platform-version': `"${word}"` },
      { 'sec-ch-ua-model': `"${word}"`, 'sec-ch-ua-mobile': word },
      { 'accept-language': `${word},en;q=0.5` },
      { 'user-agent': `${CHROME} ${word}/1.0` },
      { 'user-agent': `Mozilla/5.0 (${word} 10.0; ${word}) ${GECKO} ${word}/142.0 Safari/537.36` },
      { 'signature-agent': `"${word}"` },
      { referer: `https://${word}.example/`, 'sec-gpc': word, dnt: word },
    ];
    const tags = [
      'utm_source',
      'utm_medium',
      'utm_campaign',
      'utm_content',
      'utm_term',
      'ref',
      'source',
      'gclid',
      word,
    ];
    const view = { site: domain, name: 'pageview' };
    const page = `https://${domain}/${word}`;
    const bodies = [
      ...tags.map((tag) => ({ ...view, url: `${page}/${tag}?${tag}=${word}` })),
      { ...view, url: `${page}/from-a-page`, referrer: `https://${word}.example/${word}` },
      { ...view, url: `${page}/from-an-app`, referrer: `android-app://${word}` },
      { ...view, url: page, name: word, props: JSON.parse(`{"${word}":"${word}"}`) as object },
      { ...view, url: page, name: 'paid', order: word, revenue: { amount: 5, currency: 'EUR' } },
    ];
    const all = { ...view, url: `${page}?${tags.map((tag) => `${tag}=${word}`).join('&')}` };
    return [
      ...headers.map((some, index) => ({ body: { ...view, url: `${page}/${index}` }, headers: some })),
      ...bodies.map((body) => ({ body, headers: {} })),
      { body: all, headers: Object.assign({}, ...headers) as Record<string, string> },
    ];
  }

  type Reading = { env: Record<string, string>; read(folder: string): Promise<Recorded[]> };
  const READINGS: Record<string, Reading> = {
    SQLite: {
      env: {},
      read: async (folder) => {
        await using copy = await tempFolder();
        for (const end of ['', '-wal'])
          await cp(join(folder, `queue.sqlite${end}`), join(copy.path, `queue.sqlite${end}`));
        const queue = await openSqliteQueue({ path: join(copy.path, 'queue.sqlite') });
        const entries = await drain(queue);
        expect(await queue.status()).toEqual({ waiting: 0, oldestAt: undefined, buried: 0 });
        await queue.close();
        return entries;
      },
    },
    Redis: {
      env: { REDIS_URL: redis.url },
      read: async () => {
        const queue = await openRedisQueue({ redis: connection, log: openLog('silent') });
        const entries = (await Promise.all(queue.partitions.map(drain))).flat();
        expect(await queue.status()).toEqual({ waiting: 0, oldestAt: undefined, buried: 0 });
        await queue.close();
        return entries;
      },
    },
  };

  test.each(Object.entries(READINGS))('are texts in headers and fields, also in what %s keeps', async (_form, form) => {
    await using own = await testApp({ env: { LOG_LEVEL: 'silent', ...form.env } });
    const { domain } = await own.addSite('own.example');
    const hits = WORDS.flatMap((word) => hitsWith(word, domain));
    showsRefused('prototype pollution', hits.length);
    for (const { body, headers } of hits) expect((await own.foot(body, headers)).status).toBe(202);
    await own.app.collector.flushDrops();
    expect(await own.app.queue.status()).toMatchObject({ waiting: hits.length, buried: 0 });
    const entries = (await form.read(own.folder)) as Event[];
    expect(entries).toHaveLength(hits.length);
    const types = (event: Event) => Object.entries(event).map(([name, value]) => [name, typeof value]);
    for (const entry of entries) expect(types(entry)).toEqual(types(BLANK_EVENT));
    expect([...new Set(entries.map(({ browser }) => browser))].sort()).toEqual(['Chrome', 'Chromium', 'Safari']);
  });
});

describe('a session', () => {
  const isIn = async (cookie: string) => (await world.ask('sites.list', undefined, { cookie })).status === 200;

  test('that somebody else chose is not kept at sign-in', async () => {
    showsRefused('sessions reused');
    const chosen = 'footfall_session=chosen.by-somebody-else';
    const answer = await fetch(`${server.url}/auth/sign-in/email`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: server.url, cookie: chosen },
      body: JSON.stringify({ email: 'owner@own.example', password: PASSWORD }),
    });
    const given = answer.headers.getSetCookie().find((cookie) => cookie.includes('footfall_session=')) ?? '';
    expect(answer.status).toBe(200);
    expect(given).not.toContain('chosen');
    expect(await isIn(chosen)).toBe(false);
    expect(await isIn(given.split(';')[0] ?? '')).toBe(true);
  });

  test('ends at sign-out, also where its cookie was copied', async () => {
    showsRefused('sessions reused');
    const cookie = await server.logIn('owner@own.example');
    expect(await isIn(cookie)).toBe(true);
    const headers = { cookie, origin: server.url, 'content-type': 'application/json' };
    expect((await fetch(`${server.url}/auth/sign-out`, { method: 'POST', headers, body: '{}' })).status).toBe(200);
    expect(await isIn(cookie)).toBe(false);
  });

  test('has a cookie that scripts and other sites cannot use', async () => {
    showsRefused('cookies without protection');
    const answer = await fetch(`${server.url}/auth/sign-in/email`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: server.url },
      body: JSON.stringify({ email: 'owner@own.example', password: PASSWORD }),
    });
    const cookies = answer.headers.getSetCookie();
    expect(cookies.length).toBeGreaterThan(0);
    for (const cookie of cookies) expect(cookie).toMatch(/; Path=\/[^;]*; HttpOnly; SameSite=(?:Lax|Strict)/);
  });
});

test('no file of the data folder holds a password, key, address or user agent that was used', async () => {
  const address = '81.2.69.142';
  const userAgent = `${CHROME} Canary/7d1f0c`;
  const cookie = await server.logIn('owner@own.example');
  const headers = { 'user-agent': userAgent, 'x-forwarded-for': address };
  const view = { site: 'own.example', name: 'pageview', url: 'https://own.example/' };
  expect((await server.foot(view, headers)).status).toBe(202);
  for (const sent of [{ authorization: `Bearer ${world.own.key}` }, { authorization: 'Bearer ff_wrong' }])
    await fetch(`${server.url}/v1/sites`, { headers: { ...headers, ...sent } });
  await fetch(`${server.url}/trpc/session.current`, { headers: { ...headers, cookie } });
  await server.settle();
  const session = /footfall_session=([^;.]+)/.exec(decodeURIComponent(cookie))?.[1] ?? '';
  const secrets = { address, userAgent: 'Canary/7d1f0c', password: PASSWORD, key: world.own.key, session };
  showsRefused('secrets left behind', Object.keys(secrets).length);
  for (const [name, text] of Object.entries(secrets)) {
    expect(text.length).toBeGreaterThan(8);
    expect(await filesWith(server.folder, text), name).toEqual([]);
  }
});

describe('our dependencies', () => {
  const read = async (name: string) =>
    JSON.parse(await readFile(new URL(`../../${name}`, import.meta.url), 'utf8')) as Record<
      string,
      Record<string, unknown>
    >;

  /** chDB for other machines, whose packages the registry of the release could not show: npm takes their checksums from its own. */
  const UNSEEN = ['darwin-arm64', 'darwin-x64', 'linux-arm64-gnu'].map(
    (machine) => `node_modules/@chdb/lib-${machine}`,
  );

  test('have exact versions, and the lock file has a checksum of every package that was seen', async () => {
    showsRefused('supply chain');
    const manifests = [await read('package.json'), await read('tests/package.json')];
    const ranges = manifests.flatMap(({ dependencies = {}, devDependencies = {}, optionalDependencies = {} }) =>
      Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies }),
    );
    expect(ranges.length).toBeGreaterThan(100);
    expect(ranges.filter(([, version]) => !/^\d+\.\d+\.\d+(?:-r\.\d+)?$/.test(String(version)))).toEqual([]);
    const { packages = {} } = await read('package-lock.json');
    const locked = Object.entries(packages as Record<string, { integrity?: string; link?: boolean }>).filter(
      ([path, { link }]) => path.startsWith('node_modules/') && !link,
    );
    const isKnown = ([, { integrity = '' }]: (typeof locked)[number]) => integrity.startsWith('sha512-');
    expect(locked.filter((entry) => !isKnown(entry)).map(([path]) => path)).toEqual(UNSEEN);
  });

  /** Earlier versions have a published vulnerability that affects a server like this one. */
  const ABOVE: Record<string, string> = {
    '@sveltejs/kit': '2.70.2',
    '@trpc/server': '11.8.0',
    devalue: '5.8.1',
    cookie: '0.7.0',
    'engine.io': '6.6.11',
    'socket.io-parser': '4.2.7',
    vite: '8.0.5',
  };

  test.each(Object.entries(ABOVE))('include %s from version %s on, or not at all', async (name, least) => {
    showsRefused('supply chain');
    const { packages = {} } = await read('package-lock.json');
    const versions = Object.entries(packages)
      .filter(([path]) => path.endsWith(`node_modules/${name}`))
      .map(([, entry]) => String((entry as { version: string }).version));
    const number = (version: string) =>
      version.split('.').reduce((sum, part) => sum * 10_000 + Number.parseInt(part, 10), 0);
    expect(versions.filter((version) => number(version) < number(least))).toEqual([]);
  });
});
