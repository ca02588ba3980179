/** @module-tag attack */
// Hostile input at every door: refused with a clear answer or dropped and counted, never a 5xx, and no answer shows our internals.
import type { AddressInfo } from 'node:net';
import { domainToASCII } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'devalue';
import { dropsOf } from '../../server/sites/drops.ts';
import type { Site } from '../../server/sites/sites.ts';
import { testApp, type TestApp } from '../setup/app.ts';
import { serveRoutes } from '../setup/api/routes.ts';
import {
  fixedHits,
  FUZZ_DOMAIN,
  generatedHit,
  goodHit,
  type HostileHit,
  INSIDES,
  NASTY_STRINGS,
  nastyValue,
  openRandom,
  sendRaw,
  statusesOf,
} from '../setup/api/hostile-input.ts';
import { isMutation, PROCEDURE_NAMES, PROCEDURES, withoutIds } from '../setup/api/procedures.ts';
import { shareOf, showsRefused, sized } from '../setup/run/harness.ts';

let server: TestApp;
let site: Site;
let cookie: string;
let port: number;
const rejections: unknown[] = [];
const noteRejection = (reason: unknown) => rejections.push(reason);

beforeAll(async () => {
  process.on('unhandledRejection', noteRejection);
  server = await testApp({ env: { LOG_LEVEL: 'silent' } });
  site = await server.addSite(FUZZ_DOMAIN);
  cookie = await server.logIn(`owner@${FUZZ_DOMAIN}`);
  port = (server.app.server.address() as AddressInfo).port;
});
afterAll(async () => {
  process.off('unhandledRejection', noteRejection);
  await server[Symbol.asyncDispose]();
});
afterEach(async () => {
  expect(rejections).toEqual([]);
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
});

/** Events, AI visits and drops of the site: everything that was accepted is one of them. */
async function accountedFor(): Promise<number> {
  await server.settle();
  await server.app.collector.flushDrops();
  let sum = 0;
  for (const table of ['events', 'ai_visits']) {
    const [row] = await server.app.store.query<{ rows: number }>(
      `SELECT count() AS rows FROM ${table} WHERE site_id = {id:String}`,
      { id: site.id },
    );
    sum += Number(row?.rows);
  }
  for (const { count } of await dropsOf(server.app.services.directory, site.id, '2000-01-01', '2100-01-01'))
    sum += count;
  return sum;
}

/** Sends them 20 at a time, and returns how often each status was answered, and how many answers were for our site. */
async function sendHits(hits: HostileHit[]) {
  const statuses: Record<number, number> = {};
  let ours = 0;
  const waiting = [...hits];
  const sender = async () => {
    for (let hit = waiting.pop(); hit; hit = waiting.pop()) {
      const answer = await server.foot(hit.body, hit.headers);
      const text = await answer.text();
      statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
      if (![202, 431].includes(answer.status)) expect(JSON.parse(text)).toMatchObject({ status: answer.status });
      expect(text).not.toMatch(INSIDES);
      // Engagement without a visit carries no information: it is neither kept nor counted.
      if (answer.status === 202 && domainToASCII((JSON.parse(hit.body) as { site: string }).site) === FUZZ_DOMAIN)
        ours += 1;
    }
  };
  await Promise.all(Array.from({ length: 20 }, sender));
  return { statuses, ours };
}

describe('POST /foot', () => {
  test('answers 500 hostile bodies, and each one that it accepts is counted or dropped', async () => {
    const before = await accountedFor();
    const hits = fixedHits();
    expect(hits.length).toBeGreaterThanOrEqual(500);
    const { statuses, ours } = await sendHits(hits);
    expect(Object.keys(statuses).map(Number)).toEqual([202, 400, 413, 415]);
    expect(await accountedFor()).toBe(before + ours);
    expect(ours).toBeGreaterThan(100);
  });

  test('answers 2,000 bodies made from a seed, and each one that it accepts is counted or dropped', async () => {
    const before = await accountedFor();
    const random = openRandom(20_261_121);
    const { statuses, ours } = await sendHits(Array.from({ length: 2000 }, () => generatedHit(random)));
    expect(
      Object.keys(statuses)
        .map(Number)
        .filter((status) => ![202, 400, 413, 415, 431].includes(status)),
    ).toEqual([]);
    expect(await accountedFor()).toBe(before + ours);
  });

  test('accepts no amount that is not a number', async () => {
    for (const amount of [null, true, [], [5], {}, '', ' ', '-1', '1e3', '0x10', 'NaN', '9'.repeat(40), -1, 1e308]) {
      const answer = await server.foot({ ...goodHit(), name: 'paid', revenue: { amount, currency: 'EUR' } });
      expect([amount, answer.status]).toEqual([amount, 400]);
      expect(await answer.text()).toContain('revenue.amount:');
    }
  });

  test('pollutes no prototype', () => {
    showsRefused('prototype pollution');
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

describe('addresses', () => {
  const ODD = [
    ...String.raw`// /// //evil.example/x /.//evil.example http:// http://[ http://evil.example https://evil.example/trpc/x
      * /% /%ff /%00 /%E0%A4%A /\evil /; /:@ /? /?? /# /a/../.. /. /.. ? foot`.split(/\s+/),
    `/${'a'.repeat(30_000)}`,
    `/${'%ff'.repeat(5_000)}`,
    `/?${'a=1&'.repeat(6_000)}`,
    `/${'../'.repeat(4_000)}`,
    '/\xff',
    '/\x80',
    '',
  ];
  const DOORS = ['', '/foot', '/foot.gif', '/foot.js', '/trpc', '/auth', '/socket.io', '/healthz', '/readyz', '/_app'];

  test('that are malformed get an answer below 500 at every door, by every method', async () => {
    const tried = ODD.flatMap((odd) => DOORS.map((door) => (odd.startsWith('/') ? `${door}${odd}` : odd)));
    const methods = ['GET', 'POST', 'HEAD', 'OPTIONS', 'PUT', 'TRACE'];
    const answers = await Promise.all(
      [...new Set(tried)].map(async (path, index) => {
        const method = methods[index % methods.length];
        const answer = await sendRaw(
          port,
          `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
        );
        return { path: `${method} ${path.slice(0, 60)}`, statuses: statusesOf(answer), insides: INSIDES.test(answer) };
      }),
    );
    expect(answers.filter(({ statuses }) => statuses.length !== 1 || (statuses[0] ?? 500) >= 500)).toEqual([]);
    expect(answers.filter(({ insides }) => insides)).toEqual([]);
  });

  test('get an answer below 500 for every method at every door', async () => {
    for (const method of ['TRACE', 'OPTIONS', 'PUT', 'DELETE', 'PATCH', 'PROPFIND', 'HEAD', 'SEARCH'])
      for (const door of '/ /foot /foot.gif /foot.js /trpc/session.current /auth/sign-out /healthz'.split(' ')) {
        const answer = await sendRaw(
          port,
          `${method} ${door} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
          20,
        );
        const [status] = statusesOf(answer);
        expect([method, door, (status ?? 500) < 500]).toEqual([method, door, true]);
      }
  });

  test('lead to no file that is not the dashboard’s', async () => {
    showsRefused('path traversal', 63);
    const up = String.raw`../ ..%2f %2e%2e/ %2e%2e%2f ..\ ..%5c ....// ..;/ %252e%252e%252f ..%c0%af`.split(' ');
    const targets = ['package.json', 'etc/passwd', 'server/main.ts'];
    const tried = targets.flatMap((target) => up.map((step) => `/${step.repeat(6)}${target}`));
    expect(tried.length).toBe(30);
    for (const path of [
      ...tried,
      ...tried.map((path) => `/_app${path}`),
      '/.env',
      '/.git/config',
      '/data/queue.sqlite',
    ]) {
      const answer = await sendRaw(port, `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`, 20);
      expect([200, 400, 404]).toContain(statusesOf(answer)[0]);
      expect(answer).not.toMatch(/root:|"footfall"|openApp|better-auth/);
    }
  });

  test('lead to no other host when a page is requested without TLS', async () => {
    showsRefused('open redirects', 8);
    using plain = await serveRoutes(server, { mustBeSecure: true, baseUrl: 'https://stats.example' });
    const odd = String.raw`/.//evil.example/x //evil.example/x /\evil.example /@evil.example /%2f%2fevil.example
      /..//evil.example http://evil.example/x /?next=//evil.example`.split(/\s+/);
    for (const path of odd) {
      const head = `GET ${path} HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: evil.example\r\nConnection: close`;
      const answer = await sendRaw(plain.port, `${head}\r\n\r\n`, 20);
      expect([path, statusesOf(answer), URL.parse(/^location: (.*)\r$/m.exec(answer)?.[1] ?? '')?.host]).toEqual([
        path,
        [308],
        'stats.example',
      ]);
    }
  });

  test('with an odd range of a file get the whole file', async () => {
    for (const range of ['bytes=5-2', 'bytes=abc', 'bytes=-5', 'bytes=9-', 'bytes=0-0,1-1', 'items=1-2']) {
      const answer = await fetch(`${server.url}/robots.txt`, { headers: { range } });
      expect([200, 404]).toContain(answer.status);
    }
  });
});

describe('headers', () => {
  const request = (...lines: string[]) => `${['GET /trpc/session.current HTTP/1.1', ...lines].join('\r\n')}\r\n\r\n`;
  const close = 'Connection: close';

  test.each<[string, string, number[]]>([
    ['no host', request(close), [400]],
    ['two hosts', request('Host: localhost', 'Host: b', close), [400, 200]],
    ['a host with a path', request('Host: a/../b?c#d', close), [400, 200]],
    ['a host of bytes', request('Host: \xff\xfe', close), [400, 200]],
    ['an empty host', request('Host:', close), [400, 200]],
    ['a bare line feed', 'GET / HTTP/1.1\nHost: localhost\nConnection: close\n\n', [400]],
    ['a bare carriage return', request('Host: localhost', 'X: a\rb', close), [400]],
    ['a folded header', request('Host: localhost', 'X: a\r\n b', close), [400, 200]],
    ['a NUL', request('Host: localhost', 'X: a\0b', close), [400]],
    ['a space before the colon', request('Host: localhost', 'X : a', close), [400]],
    [
      'a cookie of bytes',
      request('Host: localhost', 'Cookie: footfall_session=\xff%E0%A4%A.\x80; __proto__=1', close),
      [200],
    ],
    ['a share token of bytes', request('Host: localhost', 'X-Share-Token: \xff\xfe', close), [200]],
    ['1,000 cookies', request('Host: localhost', `Cookie: ${'footfall_session=a.b; '.repeat(1000)}`, close), [200]],
    ['an unknown HTTP version', 'GET / HTTP/9.9\r\nHost: localhost\r\n\r\n', [400, 505]],
    ['no HTTP at all', '\x16\x03\x01\x02\x00\x01\x00', [400]],
    ['an unknown expectation', request('Host: localhost', 'Expect: the-unexpected', close), [417, 200]],
  ])('%s', async (_name, bytes, expected) => {
    const answer = await sendRaw(port, bytes);
    const statuses = statusesOf(answer);
    expect(statuses.length).toBe(1);
    expect(expected).toContain(statuses[0]);
    expect(answer).not.toMatch(INSIDES);
  });

  test.each<[string, string]>([
    ['a user agent of 64 kB', request('Host: localhost', `User-Agent: ${'x'.repeat(65_536)}`)],
    ['4,000 headers', request('Host: localhost', ...Array.from({ length: 4000 }, (_, n) => `X${n}: 1`))],
  ])('%s', async (_name, bytes) => {
    // A client that still sends when the connection is closed may miss the answer.
    expect([[400], [431], []]).toContainEqual(statusesOf(await sendRaw(port, bytes)));
  });

  /** Bytes after a message whose end two parsers see in different places are never taken for a request. */
  test.each<[string, string]>([
    ['Transfer-Encoding with Content-Length', 'Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nX'],
    ['two lengths', 'Content-Length: 0\r\nContent-Length: 44\r\n\r\n'],
    ['a list of lengths', 'Content-Length: 0, 44\r\n\r\n'],
    ['a signed length', 'Content-Length: +0\r\n\r\n'],
    ['a length in hexadecimal', 'Content-Length: 0x2c\r\n\r\n'],
    ['chunked twice', 'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['an unknown coding', 'Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n'],
    ['a coding after a tab', 'Transfer-Encoding:\tchunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n'],
    ['a chunk with a long extension', `Transfer-Encoding: chunked\r\n\r\n0;${'x'.repeat(20_000)}\r\n\r\n`],
    ['a chunk size past 64 bits', 'Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n\r\n'],
  ])('smuggle nothing: %s', async (_name, rest) => {
    showsRefused('request smuggling');
    const smuggled = 'GET /healthz HTTP/1.1\r\nHost: smuggled\r\n\r\n';
    const head = 'POST /foot HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n';
    const answer = await sendRaw(port, `${head}${rest}${smuggled}`);
    expect(answer).not.toContain('"status":"ok"');
    expect(statusesOf(answer).every((status) => status < 500)).toBe(true);
  });

  test('of a browser, changed at random, never break a page, a question or a sign-in', async () => {
    const random = openRandom(7);
    const names =
      `accept accept-encoding accept-language cookie if-none-match origin referer range user-agent x-forwarded-for
      x-share-token trpc-accept last-event-id`.split(/\s+/);
    for (let round = 0; round < 300; round += 1) {
      const lines = Array.from({ length: 3 }, () => {
        const value = JSON.stringify(nastyValue(random)).replaceAll(/[^\t\x20-\x7e]/g, '?');
        return `${random.pick(names)}: ${value.slice(0, 9_000)}`;
      });
      const path = random.pick(
        '/ /login /trpc/session.current /auth/get-session /foot.gif /foot.js /robots.txt'.split(' '),
      );
      const answer = await sendRaw(
        port,
        `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${lines.join('\r\n')}\r\nConnection: close\r\n\r\n`,
        500,
      );
      expect([path, lines, (statusesOf(answer)[0] ?? 500) < 500]).toEqual([path, lines, true]);
    }
  });
});

describe('procedures', () => {
  const named = () => withoutIds(site.id);
  const ask = (name: string, input: string | undefined, headers: Record<string, string> = {}) =>
    isMutation(name)
      ? fetch(`${server.url}/trpc/${name}`, {
          method: 'POST',
          headers: { cookie, origin: server.url, 'content-type': 'application/json', ...headers },
          ...(input !== undefined && { body: input }),
        })
      : fetch(`${server.url}/trpc/${name}${input === undefined ? '' : `?input=${encodeURIComponent(input)}`}`, {
          headers: { cookie, ...headers },
        });
  const check = async (what: unknown, asked: Promise<Response>) => {
    const answer = await asked;
    const text = await answer.text();
    expect([what, answer.status < 500, INSIDES.test(text)]).toEqual([what, true, false]);
    return answer.status;
  };

  test('answer an input that is no JSON, or that devalue never writes, with 400', async () => {
    const texts = [
      '{',
      '5',
      'null',
      '[1]',
      '{"a":1}',
      '"',
      '"{"',
      '"[]"',
      '"[[5]]"',
      '"[[\\"Object\\",1]]"',
      '"-7"',
      '"1e999"',
    ];
    const revived = [
      ...`[{"__proto__":1,"site_id":1},"x"] [["null","__proto__",1],"x"] [["RegExp","("]] [["BigInt","x"]] [["Map",1]]
        [["URL","x"]] [["Uint8Array",1],["ArrayBuffer",0]] [["Nope",1]] [[-7,4294967296]]
        [["Temporal.Instant","x"]]`.split(/\s+/),
      '['.repeat(3000),
    ];
    const all = [...texts, ...revived.map((one) => JSON.stringify(one))];
    for (const [turn, name] of PROCEDURE_NAMES.entries())
      for (const text of shareOf(all, { of: 4, turn })) {
        const status = await check([name, text], ask(name, text));
        const isRead = PROCEDURES[name]?.input(named()) !== undefined && PROCEDURES[name]?.about !== 'account';
        if (isRead) expect([name, text.slice(0, 40), status]).toEqual([name, text.slice(0, 40), 400]);
      }
  });

  /** The way the dashboard writes it; plain JSON where devalue refuses a key `__proto__`. */
  const written = (input: unknown) => {
    try {
      return JSON.stringify(stringify(input));
    } catch {
      return JSON.stringify(input);
    }
  };

  test('answer changed inputs without breaking, and the changes gain nothing', async () => {
    const rounds = sized({ short: 12, long: 60 });
    showsRefused('mass assignment', rounds * PROCEDURE_NAMES.length);
    const { db } = server.app.services.directory;
    const privileges = () => db.selectFrom('members').selectAll().execute();
    const plans = () => db.selectFrom('accounts').selectAll().execute();
    const before = [await privileges(), await plans()];
    const random = openRandom(3);
    const extra = {
      account_id: 'acct_0',
      role: 'owner',
      plan: 'pro',
      status: 'active',
      accountId: 'x',
      id: 'x',
      user_id: 'x',
      includes_api: true,
    };
    const nastyFilter = () => ({
      dimension: random.pick<unknown>(['page', 'prop:x', nastyValue(random)]),
      values: [nastyValue(random)],
    });
    const statuses = new Set<number>();
    for (let round = 0; round < rounds; round += 1)
      for (const name of PROCEDURE_NAMES) {
        const input: Record<string, unknown> = { ...PROCEDURES[name]?.input(named()) };
        const keys = Object.keys(input);
        if (random.chance(0.3)) Object.assign(input, extra);
        if (random.chance(0.2)) input[random.pick(NASTY_STRINGS)] = 1;
        else if (keys.length > 0) input[random.pick(keys)] = nastyValue(random);
        if (name.startsWith('stats.') && random.chance(0.5))
          input['filters'] = random.chance(0.5) ? nastyValue(random) : [{ ...nastyFilter(), operator: 'is' }];
        statuses.add(await check([name, input], ask(name, written(input))));
      }
    expect([...statuses].filter((status) => ![200, 400, 403, 404, 413, 414, 429, 431].includes(status))).toEqual([]);
    expect([await privileges(), await plans()]).toEqual(before);
  });

  test('answer a batch of 1,000 once, with a refusal', async () => {
    const { db } = server.app.services.directory;
    const made = async () => (await db.selectFrom('api_keys').selectAll().execute()).length;
    const before = await made();
    for (const name of PROCEDURE_NAMES) {
      const text = stringify(PROCEDURES[name]?.input(named()));
      const path = `${Array(1000).fill(name).join(',')}?batch=1`;
      const asked = isMutation(name)
        ? fetch(`${server.url}/trpc/${path}`, {
            method: 'POST',
            headers: { cookie, origin: server.url, 'content-type': 'application/json' },
            body: JSON.stringify(Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [n, text]))),
          })
        : fetch(`${server.url}/trpc/${path}`, { headers: { cookie } });
      expect([name, [400, 431].includes(await check(name, asked))]).toEqual([name, true]);
    }
    expect(await made()).toBe(before);
  });

  test('accept only JSON', async () => {
    showsRefused('CSRF', 7 * PROCEDURE_NAMES.filter(isMutation).length);
    const types = [
      'text/plain',
      'multipart/form-data; boundary=x',
      'multipart/form-data',
      'application/octet-stream',
      'application/x-www-form-urlencoded',
      'application/jsonp',
      '',
    ];
    for (const name of PROCEDURE_NAMES.filter(isMutation))
      for (const type of types)
        expect([name, type, await check(name, ask(name, '{}', { 'content-type': type }))]).toEqual([name, type, 415]);
    expect(await check('gzip', ask('sites.create', 'x', { 'content-encoding': 'gzip' }))).toBe(400);
    expect(await check('large', ask('sites.create', 'x'.repeat(70_000)))).toBe(413);
  });

  test('create at most as many share links, tokens and keys as are allowed, also all at once', async () => {
    const { db } = server.app.services.directory;
    for (const [name, table, most] of [
      ['shares.create', 'share_links', 50],
      ['sites.ingestToken.create', 'ingest_tokens', 5],
      ['keys.create', 'api_keys', 10],
    ] as const) {
      const one = stringify(PROCEDURES[name]?.input(named()));
      const body = JSON.stringify(Object.fromEntries(Array.from({ length: 50 }, (_, n) => [n, one])));
      const headers = { cookie, origin: server.url, 'content-type': 'application/json' };
      const path = `${server.url}/trpc/${Array(50).fill(name).join(',')}?batch=1`;
      await Promise.all([1, 2].map(() => check(name, fetch(path, { method: 'POST', headers, body }))));
      expect((await db.selectFrom(table).selectAll().execute()).length).toBe(most);
    }
  });
});
