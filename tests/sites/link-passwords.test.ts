/** @module-tag attack */
// Share links that ask for a password, and links that end while somebody looks.
import { io as connect } from 'socket.io-client';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { hashLinkPassword } from '../../server/accounts/sign-in/passwords/link-password.ts';
import { changeShareLink, revokeShareLink } from '../../server/sites/sharing/share.ts';
import type { Site } from '../../server/sites/sites.ts';
import { DAY_MS } from '../../server/vocabulary/time/time.ts';
import { type TestApp, testApp } from '../setup/app.ts';
import { fakeClock } from '../setup/clock.ts';
import { showsRefused } from '../setup/run/harness.ts';
import { openSharing } from '../setup/accounts/sharing.ts';

const RIGHT = 'a few good words';
const pace = fakeClock();
let server: TestApp;
let site: Site;
let sharing: ReturnType<typeof openSharing>;
let passwordHash: string;
beforeAll(async () => {
  server = await testApp({ env: { LOG_LEVEL: 'silent', TRUST_PROXY: 'loopback' }, schedule: pace.schedule });
  site = await server.addSite('own.example');
  sharing = openSharing(server, site);
  passwordHash = await hashLinkPassword(RIGHT);
});
afterAll(async () => server[Symbol.asyncDispose]());

type Headers = Record<string, string>;
let address = 0;
/** Each test comes from an address of its own. */
beforeEach(() => void (address += 1));
const from = () => ({ 'x-forwarded-for': `203.0.113.${address}` });
const unlock = (headers: Headers, password: string, more: Headers = from()) =>
  sharing.change('shares.unlock', { password }, { ...headers, ...more });
const statusOf = async (headers: Headers) => (await sharing.ask('stats.summary', { period: 'today' }, headers)).status;
const open = async (headers: Headers) => (await sharing.ask('shares.site', {}, headers)).status;
const cookieIn = (cookies: readonly string[]) => ({ cookie: cookies.map((one) => one.split(';', 1)[0]).join('; ') });

describe('a link with a password', () => {
  test('shows nothing until this browser has shown the password, by a cookie for this link alone', async () => {
    const link = await sharing.linkTo({ passwordHash });
    const other = await sharing.linkTo({ passwordHash });
    const picture = await fetch(`${server.url}/share/${link.token}/preview.png`);
    const page = await (await fetch(`${server.url}/share/${link.token}`)).text();
    expect([await open(link.headers), await statusOf(link.headers), picture.status]).toEqual([401, 401, 401]);
    expect(page).not.toMatch(/og:|own\.example/);

    const wrong = await unlock(link.headers, 'other good words');
    expect([wrong.status, wrong.cookies]).toEqual([400, []]);
    const { status, cookies } = await unlock(link.headers, RIGHT);
    expect(status).toBe(200);
    expect(cookies).toEqual([
      expect.stringMatching(
        new RegExp(`^footfall_${link.id}=\\d+\\.[\\w-]{43}; Max-Age=2592000; Path=/; HttpOnly; SameSite=Lax$`),
      ),
    ]);
    const both = { ...link.headers, ...cookieIn(cookies) };
    expect([await open(both), await statusOf(both)]).toEqual([200, 200]);
    expect((await fetch(`${server.url}/share/${link.token}/preview.png`, { headers: both })).status).toBe(403);
    // The cookie opens no other link, and nothing without its link's token.
    expect(await open({ ...other.headers, ...cookieIn(cookies) })).toBe(401);
    const renamed = { cookie: (both['cookie'] ?? '').replace(link.id, other.id) };
    expect(await open({ ...other.headers, ...renamed })).toBe(401);
    expect(await statusOf(cookieIn(cookies))).toBe(401);
  });

  test('asks again after 30 days, and at once when the password changes', async () => {
    const link = await sharing.linkTo({ passwordHash });
    const about = { siteId: site.id, linkId: link.id };
    const both = { ...link.headers, ...cookieIn((await unlock(link.headers, RIGHT)).cookies) };
    const before = server.clock.now;
    server.clock.now += 30 * DAY_MS - 1;
    expect(await open(both)).toBe(200);
    server.clock.now += 1;
    expect(await open(both)).toBe(401);
    server.clock.now = before;
    const next = { passwordHash: await hashLinkPassword(RIGHT) };
    await changeShareLink(server.app.services.directory, { ...about, ...next }, server.clock.now);
    expect(await open(both)).toBe(401);
    await changeShareLink(server.app.services.directory, { ...about, passwordHash: null }, server.clock.now);
    expect(await open(link.headers)).toBe(200);
  });

  test('keeps only a hash of it, and shows none to its owner', async () => {
    const cookie = await server.logIn('owner@own.example');
    const made = await sharing.change('shares.create', { site_id: site.id, name: 'x', password: RIGHT }, { cookie });
    expect(made.status).toBe(200);
    const { db } = server.app.services.directory;
    const rows = await db.selectFrom('share_links').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(RIGHT);
    const list = await sharing.ask('shares.list', {}, { cookie });
    expect(JSON.stringify([list.data, made.text])).not.toMatch(/hash|good words/);
  });

  test('cannot be sprayed: from one address, from many, at one link or at many', async () => {
    showsRefused('guessing passwords and keys', 60);
    const link = await sharing.linkTo({ passwordHash });
    const guess = (headers: Headers, n: number, at: number) =>
      unlock(headers, `guess number ${n}`, { 'x-forwarded-for': `198.51.100.${at}` });
    const one = [];
    for (let n = 0; n < 7; n += 1) one.push((await guess(link.headers, n, 1)).status);
    expect(one).toEqual([400, 400, 400, 400, 400, 429, 429]);
    // Others share the link’s ten.
    const many = [];
    for (let n = 0; n < 7; n += 1) many.push((await guess(link.headers, n, 2 + n)).status);
    expect(many).toEqual([400, 400, 400, 400, 400, 429, 429]);
    const links = [];
    for (let n = 0; n < 7; n += 1) links.push(await sharing.linkTo({ passwordHash }));
    const spread = [];
    for (const { headers } of links) for (let n = 0; n < 5; n += 1) spread.push((await guess(headers, n, 99)).status);
    expect(spread).toEqual([...Array<number>(30).fill(400), ...Array<number>(5).fill(429)]);
    // Who has shown it before is not kept out.
    const known = {
      ...link.headers,
      ...cookieIn([server.app.services.unlocked.cookieFor(await shared(link), server.clock.now)]),
    };
    expect(await open(known)).toBe(200);
  });

  const shared = ({ id }: { id: string }) => Promise.resolve({ linkId: id, password_hash: passwordHash });

  test('takes no password from another website, for a wrong token, or too long a one', async () => {
    const link = await sharing.linkTo({ passwordHash });
    const foreign = await unlock(link.headers, RIGHT, { ...from(), origin: 'https://evil.example' });
    expect([foreign.status, foreign.cookies]).toEqual([403, []]);
    expect((await unlock({ 'x-share-token': 'x'.repeat(32) }, RIGHT)).status).toBe(404);
    expect((await unlock(link.headers, 'x'.repeat(201))).status).toBe(400);
    expect((await unlock({}, RIGHT)).status).toBe(404);
  });
});

describe('a link that ends while its dashboard is open', () => {
  async function watch(headers: Headers) {
    const { 'x-share-token': token, ...extraHeaders } = headers;
    const browser = connect(server.url, {
      transports: ['websocket'],
      reconnection: false,
      extraHeaders: { origin: server.url, ...extraHeaders },
      protocols: [`share.${token}`],
    });
    const answer = await new Promise<boolean | string>((resolve) => {
      browser.on('connect', () => browser.emit('watch', site.id, resolve));
      browser.on('connect_error', (error) => resolve(error.message));
    });
    const closed = new Promise((resolve) => browser.on('disconnect', resolve));
    const refused = new Promise((resolve) => browser.on('refused', resolve));
    return { browser, answer, closed, refused };
  }
  const SECOND_CHANCE = 'Log in again, or open a share link that is still valid.';
  type Link = Awaited<ReturnType<typeof sharing.linkTo>>;
  const change = ({ id }: Link, to: object) =>
    changeShareLink(server.app.services.directory, { siteId: site.id, linkId: id, ...to }, server.clock.now);
  const ENDS: Record<string, { end(link: Link): Promise<unknown>; message: string; status: number }> = {
    revoked: {
      end: ({ id }) =>
        revokeShareLink(server.app.services.directory, { siteId: site.id, linkId: id }, server.clock.now),
      message: SECOND_CHANCE,
      status: 404,
    },
    paused: { end: (link) => change(link, { paused: true }), message: SECOND_CHANCE, status: 403 },
    expired: { end: (link) => change(link, { expires_at: server.clock.now }), message: SECOND_CHANCE, status: 403 },
    'given a password': { end: (link) => change(link, { passwordHash }), message: SECOND_CHANCE, status: 401 },
    'narrowed by other rules': {
      end: (link) => change(link, { shows: { fewest: 20 } }),
      message: 'This link was changed.',
      status: 200,
    },
  };

  test.each(Object.keys(ENDS))('because it was %s closes within two seconds', async (name) => {
    showsRefused('share link used after its end');
    const { end, message, status } = ENDS[name] as (typeof ENDS)[string];
    const link = await sharing.linkTo();
    const { answer, closed, refused } = await watch(link.headers);
    expect(answer).toBe(true);
    await end(link);
    await pace.advance(2000);
    expect(await refused).toEqual({ site_id: site.id, message });
    expect(await closed).toBe('io server disconnect');
    expect(await open(link.headers)).toBe(status);
    const again = await watch(link.headers);
    expect(again.answer).toBe(status === 200 ? true : 'unauthorized');
    again.browser.disconnect();
  });

  test('opens a socket with the cookie of its password, and without the live view hears of no visitor', async () => {
    const link = await sharing.linkTo({ passwordHash, shows: { fewest: 50 } });
    expect((await watch(link.headers)).answer).toBe('unauthorized');
    const { cookies } = await unlock(link.headers, RIGHT);
    const { answer, browser } = await watch({ ...link.headers, ...cookieIn(cookies) });
    expect(answer).toBe(true);
    const heard: unknown[] = [];
    for (const message of ['live', 'list', 'stored', 'sites'] as const)
      browser.on(message, (...said: unknown[]) => heard.push([message, ...said]));
    for (let n = 0; n < 4; n += 1)
      await server.foot(
        { site: site.domain, name: 'pageview', url: `https://${site.domain}/${n}` },
        { 'x-forwarded-for': `198.51.100.${n}` },
      );
    await server.settle();
    server.clock.now += 20_000;
    await pace.advance(20_000);
    await browser.emitWithAck('watch', 'site_0');
    expect(heard).toEqual([]);
    browser.disconnect();
  });
});
