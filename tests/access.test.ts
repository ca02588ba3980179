// Who may do what, through the running server: every procedure for every kind of asker, forged requests, foreign origins, share links
// and sockets. The table is made out of the router's own list, so that nothing can be added past it.
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'devalue';
import { io as connect } from 'socket.io-client';
import { createAccount } from '../server/sites/accounts.ts';
import { createIngestToken } from '../server/sites/ingest.ts';
import { createKey } from '../server/sites/keys.ts';
import { setPlan } from '../server/sites/plans.ts';
import type { Role } from '../server/sites/schema.ts';
import { createShareLink, revokeShareLink } from '../server/sites/share.ts';
import { createSite } from '../server/sites/sites.ts';
import { PASSWORD, testApp, type TestApp } from './setup/app.ts';
import { fakeClock } from './setup/clock.ts';
import { isMutation, type Named, PROCEDURE_NAMES, PROCEDURES, type ProcedureRow } from './setup/procedures.ts';

type Asker = { headers: Record<string, string> };
type World = Awaited<ReturnType<typeof makeWorld>>;

const pace = fakeClock();
let it: TestApp;
let world: World;

beforeAll(async () => {
  it = await testApp({ env: { LOG_LEVEL: 'silent' }, schedule: pace.schedule });
  world = await makeWorld();
});
afterAll(async () => it[Symbol.asyncDispose]());

/** Accounts `own` and `other` with a site, a key and a share link each, one whose trial is over, and somebody of every kind. */
async function makeWorld() {
  const { directory } = it.app.services;
  const { db } = directory;
  const now = it.clock.now;
  const make = async (name: string) => {
    const who = { email: `owner@${name}.example`, password: PASSWORD, status: 'active' as const };
    const { account } = await createAccount(directory, who, now);
    const site = await createSite(directory, { accountId: account.id, domain: `${name}.example` }, now);
    const key = await createKey(directory, { accountId: account.id, name: 'key' }, now);
    const link = await createShareLink(directory, { siteId: site.id, name: 'link' }, now);
    // One to be used, and one that those who may will revoke.
    const spare = await createShareLink(directory, { siteId: site.id, name: 'spare' }, now);
    const token = await createIngestToken(directory, { siteId: site.id }, now);
    const named: Named = { siteId: site.id, keyId: key.id, linkId: spare.id, tokenId: token.id };
    const login: Asker = { headers: { cookie: await it.logIn(who.email) } };
    return { account, site, named, login, share: { headers: { 'x-share-token': link.token } } };
  };
  const [own, other, ended] = [await make('own'), await make('other'), await make('ended')];
  await setPlan(directory, { accountId: ended.account.id, status: 'expired' }, now);

  /** Somebody with no account of their own, who belongs to `own` with this role. */
  const join = async (name: string, role: Role): Promise<Asker & { userId: string }> => {
    const email = `${name}@own.example`;
    const { account, user } = await createAccount(directory, { email, password: PASSWORD }, now);
    await db.deleteFrom('accounts').where('id', '=', account.id).execute();
    const member = { account_id: own.account.id, user_id: user.id, role, created_at: now };
    await db.insertInto('members').values(member).execute();
    return { headers: { cookie: await it.logIn(email) }, userId: user.id };
  };
  const left = await join('left', 'admin');
  await db.deleteFrom('members').where('user_id', '=', left.userId).execute();
  const unlinked = await createShareLink(directory, { siteId: own.site.id, name: 'revoked' }, now);
  await revokeShareLink(directory, { siteId: own.site.id, linkId: unlinked.id }, now);

  return {
    own,
    other,
    ended,
    askers: {
      nobody: { headers: {} },
      'a made-up session': { headers: { cookie: 'footfall_session=made.up' } },
      'the owner': own.login,
      'an admin': await join('admin', 'admin'),
      'a viewer': await join('viewer', 'viewer'),
      'a member who left': left,
      'the owner of another account': other.login,
      'a share link of the site': own.share,
      'a share link of another site': other.share,
      'a revoked share link': { headers: { 'x-share-token': unlinked.token } },
      'the owner of an account that ended': ended.login,
      'a share link of an account that ended': ended.share,
    } satisfies Record<string, Asker>,
  };
}

type Who = keyof World['askers'];
const UNKNOWN: Named = {
  siteId: 'site_0000000000000000',
  keyId: `key_${'0'.repeat(26)}`,
  linkId: `share_${'0'.repeat(26)}`,
  tokenId: `ingest_${'0'.repeat(26)}`,
};

async function ask(name: string, input: unknown, headers: Record<string, string>) {
  const text = input === undefined ? undefined : JSON.stringify(stringify(input));
  const answer = isMutation(name)
    ? await fetch(`${it.url}/trpc/${name}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: it.url, ...headers },
        ...(text !== undefined && { body: text }),
      })
    : await fetch(`${it.url}/trpc/${name}${text === undefined ? '' : `?input=${encodeURIComponent(text)}`}`, {
        headers,
      });
  return { status: answer.status, body: await answer.text() };
}

/** All that people set up; sign-ins come and go. */
async function directoryText(): Promise<string> {
  const { db } = it.app.services.directory;
  const tables = ['users', 'credentials', 'accounts', 'members', 'sites', 'api_keys', 'share_links', 'ingest_tokens', 'goals', 'funnels', 'first_start', 'drops'] as const; // prettier-ignore
  const rows = [];
  for (const table of tables) rows.push(table, await db.selectFrom(table).selectAll().execute());
  return JSON.stringify(rows);
}

const GRANTED: Partial<Record<Who, readonly ProcedureRow['need'][]>> = {
  'the owner': ['read', 'admin', 'owner', 'login', 'nothing'],
  'an admin': ['read', 'admin', 'login', 'nothing'],
  'a viewer': ['read', 'login', 'nothing'],
  'a share link of the site': ['read', 'nothing'],
};
const SHARES: readonly Who[] = ['a share link of the site', 'a share link of another site', 'a revoked share link', 'a share link of an account that ended']; // prettier-ignore
const REVOKING = ['shares.revoke', 'sites.ingestToken.revoke'];
const STRANGERS: readonly Who[] = ['nobody', 'a made-up session', 'a revoked share link'];
const ENDED: readonly Who[] = ['the owner of an account that ended', 'a share link of an account that ended'];

/** What a right question about a site must get, by who asks, and whose the site is. */
function siteStatus(who: Who, row: ProcedureRow, whose: 'own' | 'other' | 'ended' | 'unknown'): number {
  if (STRANGERS.includes(who)) return 401;
  const home = who === 'the owner of another account' || who === 'a share link of another site' ? 'other' : ENDED.includes(who) ? 'ended' : 'own'; // prettier-ignore
  if (whose !== home || who === 'a member who left') return 404;
  if (home === 'ended') return 403;
  const needs = who === 'the owner of another account' ? GRANTED['the owner'] : who === 'a share link of another site' ? GRANTED['a share link of the site'] : GRANTED[who]; // prettier-ignore
  return needs?.includes(row.need) ? (row.status ?? 200) : 403;
}

function accountStatus(who: Who, row: ProcedureRow): number {
  if (STRANGERS.includes(who) || SHARES.includes(who)) return 401;
  if (who === 'a member who left') return 404;
  if (ENDED.includes(who)) return 403;
  const needs = who === 'the owner of another account' ? GRANTED['the owner'] : GRANTED[who];
  return needs?.includes(row.need) ? (row.status ?? 200) : 403;
}

describe('procedures', () => {
  test('all have their row in the table, and no row is left over', () => {
    expect(Object.keys(PROCEDURES).sort()).toEqual([...PROCEDURE_NAMES].sort());
  });

  const aboutSites = PROCEDURE_NAMES.filter((name) => PROCEDURES[name]?.about === 'site');
  const aboutAccounts = PROCEDURE_NAMES.filter((name) => PROCEDURES[name]?.about === 'account');
  test.each(aboutSites)('%s: of one’s own site alone, and of others as if they did not exist', async (name) => {
    const row = PROCEDURES[name] as ProcedureRow;
    const before = await directoryText();
    const targets = {
      other: world.other.named,
      ended: world.ended.named,
      unknown: UNKNOWN,
      own: world.own.named,
    } as const;
    const bodies = new Map<Who, Record<string, string>>();
    // Refusals first: after all of them nothing has changed.
    for (const round of ['refused', 'granted'] as const) {
      for (const who of Object.keys(world.askers) as Who[])
        for (const [whose, named] of Object.entries(targets) as [keyof typeof targets, Named][]) {
          const expected = siteStatus(who, row, whose);
          const isRefused = [401, 403, 404].includes(expected);
          if (isRefused !== (round === 'refused')) continue;
          const { status, body } = await ask(name, row.input(named), world.askers[who].headers);
          const revoked = REVOKING.includes(name) && status === 404; // it is gone after the first who may
          expect([who, whose, revoked ? expected : status]).toEqual([who, whose, expected]);
          if (expected === 404) bodies.set(who, { ...bodies.get(who), [whose]: body });
        }
      if (round === 'refused') expect(await directoryText()).toBe(before);
    }
    for (const [who, texts] of bodies) expect([who, new Set(Object.values(texts)).size]).toEqual([who, 1]);
  });

  test.each(aboutAccounts)('%s: of one’s own account alone', async (name) => {
    const row = PROCEDURES[name] as ProcedureRow;
    const before = await directoryText();
    for (const round of ['refused', 'granted'] as const) {
      for (const who of Object.keys(world.askers) as Who[]) {
        const expected = accountStatus(who, row);
        const isRefused = [401, 403, 404].includes(expected);
        if (isRefused !== (round === 'refused')) continue;
        const home = who === 'the owner of another account' ? world.other.named : world.own.named;
        const { status, body } = await ask(name, row.input(home), world.askers[who].headers);
        expect([who, status]).toEqual([who, expected]);
        if (expected === 200 && name === 'sites.list')
          expect(body.includes(world.other.site.id)).toBe(who === 'the owner of another account');
      }
      if (round === 'refused') expect(await directoryText()).toBe(before);
    }
  });

  test('with things of others under one’s own site or account get what unknown things get, and change nothing', async () => {
    const before = await directoryText();
    const { own, other } = world;
    const mixed: [string, object, object][] = [
      ['shares.revoke', { site_id: own.named.siteId, id: other.named.linkId }, { site_id: own.named.siteId, id: UNKNOWN.linkId }],
      ['sites.ingestToken.revoke', { site_id: own.named.siteId, id: other.named.tokenId }, { site_id: own.named.siteId, id: UNKNOWN.tokenId }],
      ['keys.revoke', { id: other.named.keyId }, { id: UNKNOWN.keyId }],
    ]; // prettier-ignore
    const naming = PROCEDURE_NAMES.filter((name) =>
      /key_|share_|ingest_/.test(JSON.stringify(PROCEDURES[name]?.input(UNKNOWN)) ?? ''),
    );
    expect(mixed.map(([name]) => name).sort()).toEqual(naming.sort());
    for (const [name, foreign, unknown] of mixed) {
      const answers = [await ask(name, foreign, own.login.headers), await ask(name, unknown, own.login.headers)];
      expect(answers.map(({ status }) => status)).toEqual([404, 404]);
      expect(answers[0]?.body).toBe(answers[1]?.body);
    }
    expect(await directoryText()).toBe(before);
  });

  test('about nothing in particular tell strangers nothing', async () => {
    for (const who of Object.keys(world.askers) as Who[]) {
      const { status, body } = await ask('session.current', undefined, world.askers[who].headers);
      const isMember = !STRANGERS.includes(who) && !SHARES.includes(who) && who !== 'a member who left';
      expect([who, status, body.includes('@')]).toEqual([who, 200, isMember]);
      const site = await ask('shares.site', undefined, world.askers[who].headers);
      const shows = who === 'a share link of the site' || who === 'a share link of another site';
      const ended = who === 'a share link of an account that ended';
      expect([who, site.status]).toEqual([who, shows ? 200 : ended ? 403 : 404]);
    }
    for (const who of Object.keys(world.askers) as Who[]) {
      const row = PROCEDURES['accounts.create'] as ProcedureRow;
      expect([who, (await ask('accounts.create', row.input(UNKNOWN), world.askers[who].headers)).status]).toEqual([
        who,
        403,
      ]);
    }
    for (const who of [...STRANGERS, ...SHARES]) {
      const row = PROCEDURES['accounts.changePassword'] as ProcedureRow;
      const asked = await ask('accounts.changePassword', row.input(UNKNOWN), world.askers[who].headers);
      expect([who, asked.status]).toEqual([who, 401]);
    }
  });

  test('see a share token before a session: what a shared page sends is no more than the link may', async () => {
    const both = { ...world.own.login.headers, ...world.own.share.headers };
    for (const name of PROCEDURE_NAMES.filter((one) => isMutation(one) && one !== 'accounts.create')) {
      const { status } = await ask(name, PROCEDURES[name]?.input(world.own.named), both);
      expect([name, [401, 403].includes(status)]).toEqual([name, true]);
    }
  });
});

describe('requests that a foreign page forges', () => {
  const FOREIGN = ['https://evil.example', 'null', 'http://127.0.0.1', 'http://127.0.0.1.evil.example', 'file://', ''];
  const routes = () => [
    ...PROCEDURE_NAMES.filter(isMutation).map((name) => ({
      path: `/trpc/${name}`,
      body: JSON.stringify(stringify(PROCEDURES[name]?.input(world.own.named))),
    })),
    { path: '/auth/sign-in/email', body: JSON.stringify({ email: 'owner@own.example', password: PASSWORD }) },
    { path: '/auth/sign-out', body: '{}' },
  ];
  const forge = async ({ path, body }: { path: string; body: string }, headers: Record<string, string>) => {
    const cookie = world.own.login.headers.cookie ?? '';
    const answer = await fetch(`${it.url}${path}`, { method: 'POST', headers: { cookie, 'content-type': 'application/json', ...headers }, body }); // prettier-ignore
    return { status: answer.status, cookies: answer.headers.getSetCookie() };
  };

  test('are refused whatever their origin, and change nothing', async () => {
    const before = await directoryText();
    for (const route of routes()) {
      for (const origin of FOREIGN)
        expect([route.path, origin, await forge(route, { origin })]).toEqual([
          route.path,
          origin,
          { status: 403, cookies: [] },
        ]);
      expect(await forge(route, { 'sec-fetch-site': 'cross-site' })).toEqual({ status: 403, cookies: [] });
    }
    expect(await directoryText()).toBe(before);
    expect((await ask('sites.list', undefined, world.own.login.headers)).status).toBe(200); // still signed in
  });

  test('with a body that a form can send are refused, even from our own pages', async () => {
    const before = await directoryText();
    for (const route of routes().filter(({ path }) => path !== '/auth/sign-out'))
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])
        expect([route.path, (await forge(route, { origin: it.url, 'content-type': type })).status]).toEqual([
          route.path,
          415,
        ]);
    expect(await directoryText()).toBe(before);
  });

  test('cannot be sent with GET', async () => {
    for (const { path } of routes()) {
      const answer = await fetch(`${it.url}${path}`, { headers: world.own.login.headers });
      expect([path, answer.status]).toEqual([path, 405]);
    }
  });
});

/** Every address of the server. One that is added to the doors must be added here, with who may read it from another origin. */
const ROUTES: Record<string, 'anybody' | 'our pages'> = {
  '/foot': 'anybody',
  '/foot.gif': 'our pages',
  '/foot.js': 'anybody',
  '/footfall.tgz': 'our pages',
  '/healthz': 'our pages',
  '/readyz': 'our pages',
  '/trpc/': 'our pages',
  '/v1/': 'our pages',
  '/export/': 'our pages',
  '/docs/': 'our pages',
  '/auth/': 'our pages',
};

describe('addresses', () => {
  test('are a closed list', async () => {
    const source = await readFile(new URL('../server/api/doors.ts', import.meta.url), 'utf8');
    const table = /const doors: Record<string, Door> = \{([\s\S]*?)\n {2}\};/.exec(source)?.[1] ?? '';
    const doors = [...table.matchAll(/^ {4}(?:'([^']+)'|\[`\$\{AUTH_PATH\}(\/)`\]):/gm)].map(
      ([, path, auth]) => path ?? `/auth${auth}`,
    );
    expect(doors.sort()).toEqual(Object.keys(ROUTES).sort());
  });

  test('that are not on it are the dashboard’s page, or are not there', async () => {
    const page = await (await fetch(`${it.url}/login`)).text();
    const tried = ['admin', 'api', 'api/users', 'graphql', 'debug', 'debug/pprof', 'metrics', 'status', 'actuator/env', 'console', 'storybook', 'trpc-panel', 'panel', 'swagger', 'openapi.json', 'socket.io/socket.io.js', '@vite/client', 'src/app.html', 'server/main.ts', 'node_modules/zod/package.json', 'package.json', '.env', '.git/HEAD', 'data/directory.sqlite', 'build/app/index.html', 'phpmyadmin', 'wp-login.php', 'server-status', 'foot.js.map', '_app/immutable/x.js.map', 'control.sock', 'healthz/x', 'foot/x', 'v2/sites', 'public', 'setup/../data']; // prettier-ignore
    for (const path of tried)
      for (const method of ['GET', 'POST']) {
        const answer = await fetch(`${it.url}/${path}`, { method });
        const text = await answer.text();
        expect([path, method, answer.status === 404 || answer.status === 400 || text === page]).toEqual([
          path,
          method,
          true,
        ]);
      }
  });

  const ORIGINS = ['https://evil.example', 'null', 'http://127.0.0.1', 'http://localhost', 'https://127.0.0.1', 'http://127.0.0.1:1', 'http://127.0.0.1.evil.example', 'http://evil127.0.0.1', 'http://own.example', 'https://own.example', 'https://sub.own.example', 'file://', 'chrome-extension://abc', 'http://[::1]', '*']; // prettier-ignore

  test('let pages of other origins read what is public, and nothing with credentials', async () => {
    expect(ORIGINS.length).toBe(15);
    const samples = ['/foot', '/foot.gif?site=own.example', '/foot.js', '/footfall.tgz', '/healthz', '/readyz', '/trpc/session.current', '/trpc/sites.list', '/v1/sites', '/v1/openapi.json', `/export/${world.own.site.id}.csv`, '/docs/', '/auth/get-session', '/', '/login', '/own.example', '/socket.io/?EIO=4&transport=polling', '/unknown']; // prettier-ignore
    for (const path of samples)
      for (const origin of ORIGINS)
        for (const method of ['GET', 'OPTIONS', 'POST']) {
          const headers = { origin, ...world.own.login.headers, 'access-control-request-method': 'POST' };
          const answer = await fetch(`${it.url}${path}`, { method, headers, redirect: 'manual' });
          await answer.arrayBuffer();
          const door = Object.keys(ROUTES).find((one) =>
            one.endsWith('/') ? path.startsWith(one) : path.split('?')[0] === one,
          );
          const expected = door !== undefined && ROUTES[door] === 'anybody' ? '*' : null;
          const { headers: got } = answer;
          expect([method, path, origin, got.get('access-control-allow-origin')]).toEqual([
            method,
            path,
            origin,
            expected,
          ]);
          expect(got.get('access-control-allow-credentials')).toBeNull();
        }
  });
});

describe('share links', () => {
  test('end with the next request once revoked', async () => {
    const { directory } = it.app.services;
    const link = await createShareLink(directory, { siteId: world.own.site.id, name: 'short' }, it.clock.now);
    const headers = { 'x-share-token': link.token };
    const about = { site_id: world.own.site.id };
    expect((await ask('live.snapshot', about, headers)).status).toBe(200);
    expect((await ask('shares.revoke', { ...about, id: link.id }, world.own.login.headers)).status).toBe(200);
    expect((await ask('live.snapshot', about, headers)).status).toBe(401);
    const from = '2026-11-01';
    const csv = await fetch(`${it.url}/export/${world.own.site.id}.csv?date_from=${from}&date_to=${from}`, { headers });
    expect(csv.status).toBe(401);
  });

  test('are told in a header alone, never in an address or a cookie', async () => {
    const token = world.own.share.headers['x-share-token'] ?? '';
    for (const name of ['x-share-token', 'share_token', 'token']) {
      const answer = await fetch(`${it.url}/trpc/shares.site?${name}=${token}`, {
        headers: { cookie: `${name}=${token}` },
      });
      expect(answer.status).toBe(404);
    }
  });
});

describe('sockets', () => {
  /** Opens one, and says whether it may watch the site of `own`. */
  async function watch(asker: Asker, siteId = world.own.site.id) {
    const { 'x-share-token': token, ...extraHeaders } = asker.headers;
    const browser = connect(it.url, {
      transports: ['websocket'],
      reconnection: false,
      extraHeaders: { origin: it.url, ...extraHeaders },
      ...(token !== undefined && { auth: { share_token: token } }),
    });
    const heard: unknown[] = [];
    browser.on('live', () => heard.push('live'));
    browser.on('refused', (message) => heard.push(message));
    const answer = await new Promise<boolean | string>((resolve) => {
      browser.on('connect', () => browser.emit('watch', siteId, resolve));
      browser.on('connect_error', (error) => resolve(error.message));
    });
    const closed = new Promise((resolve) => browser.on('disconnect', resolve));
    return { browser, answer, heard, closed };
  }

  test('show a site to those who may see it', async () => {
    for (const who of Object.keys(world.askers) as Who[]) {
      const { browser, answer } = await watch(world.askers[who]);
      const expected = GRANTED[who] ? true : STRANGERS.includes(who) ? 'unauthorized' : false;
      expect([who, answer]).toEqual([who, expected]);
      browser.disconnect();
    }
  });

  /** Each way to lose access, and what undoes it. */
  const LOSSES: Record<string, () => Promise<{ asker: Asker; lose(): Promise<unknown> }>> = {
    'the share link is revoked': async () => {
      const { directory } = it.app.services;
      const link = await createShareLink(directory, { siteId: world.own.site.id, name: 'short' }, it.clock.now);
      const asked = { siteId: world.own.site.id, linkId: link.id };
      return {
        asker: { headers: { 'x-share-token': link.token } },
        lose: () => revokeShareLink(directory, asked, it.clock.now),
      };
    },
    'the session is ended': async () => {
      const cookie = await it.logIn('owner@own.example');
      const headers = { cookie, origin: it.url };
      return {
        asker: { headers: { cookie } },
        lose: () => fetch(`${it.url}/auth/sign-out`, { method: 'POST', headers }),
      };
    },
    'the member is removed': async () => {
      const { directory } = it.app.services;
      const viewer = world.askers['a viewer'];
      const gone = directory.db.deleteFrom('members').where('user_id', '=', viewer.userId);
      return Promise.resolve({ asker: viewer, lose: () => gone.execute() });
    },
    'the plan ends': () => {
      const { directory } = it.app.services;
      const asked = { accountId: world.own.account.id, status: 'expired' } as const;
      return Promise.resolve({ asker: world.own.login, lose: () => setPlan(directory, asked, it.clock.now) });
    },
  };

  test.each(Object.keys(LOSSES))('stop within five seconds when %s', async (name) => {
    const { asker, lose } = await (LOSSES[name] as (typeof LOSSES)[string])();
    const { browser, answer, heard, closed } = await watch(asker);
    expect(answer).toBe(true);
    await lose();
    const refused = new Promise((resolve) => browser.on('refused', resolve));
    await pace.advance(5000);
    expect(await refused).toEqual({ site_id: world.own.site.id });
    if (name === 'the share link is revoked' || name === 'the session is ended') await closed;
    heard.length = 0;
    it.clock.now += 5000;
    await it.foot({ site: 'own.example', name: 'pageview', url: `https://own.example/${name.length}` });
    await pace.advance(5000);
    expect(heard).toEqual([]);
    browser.disconnect();
  });
});
