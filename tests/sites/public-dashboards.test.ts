/** @module-tag attack */
// Public dashboards: a site's domain opens its public link wherever a token does, with the same rules, and nothing else does.
import { io as connect } from 'socket.io-client';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createSite, renameSite, type Site } from '../../server/sites/sites.ts';
import { changeShareLink, createShareLink, revokeShareLink } from '../../server/sites/sharing/share.ts';
import { DAY_MS } from '../../server/vocabulary/time/time.ts';
import { fillSite, openSharing, SHOWN_A_DAY } from '../setup/accounts/sharing.ts';
import { type TestApp, testApp } from '../setup/app.ts';
import { outcome } from '../setup/outcome.ts';
import { showsRefused } from '../setup/run/harness.ts';

const DOMAIN = 'xn--bcher-kva.example';
let server: TestApp;
let site: Site;
let sharing: ReturnType<typeof openSharing>;
let cookie: string;
let link: { id: string; token: string };
beforeAll(async () => {
  server = await testApp({ env: { LOG_LEVEL: 'silent', DIRECTORY: 'on', TRUST_PROXY: 'loopback' } });
  site = await server.addSite(DOMAIN);
  sharing = openSharing(server, site);
  cookie = await server.logIn(`owner@${DOMAIN}`);
  await fillSite(server, site);
  link = await sharing.linkTo({
    public: true,
    shows: { fewest: 1 },
    rules: { filters: [{ dimension: 'country', operator: 'is', values: ['DE'] }] },
  });
});
afterAll(async () => server[Symbol.asyncDispose]());

const config = () => server.app.services.config as { PUBLIC_DASHBOARDS: string; DIRECTORY: string };
const directory = () => server.app.services.directory;
const change = (to: object) =>
  changeShareLink(directory(), { siteId: site.id, linkId: link.id, ...to }, server.clock.now);
afterEach(async () => {
  Object.assign(config(), { PUBLIC_DASHBOARDS: 'on', DIRECTORY: 'on' });
  await change({ public: true, indexed: false, paused: false, expires_at: null });
});

let address = 0;
/** Each request comes from an address of its own, so that no limit of wrong tokens answers first. */
const from = () => ({ 'x-forwarded-for': `2001:db8:0:${(address += 1).toString(16)}::1` });
const get = async (path: string) => {
  const answer = await fetch(server.url + path, { headers: from() });
  return { status: answer.status, robots: answer.headers.get('x-robots-tag'), html: await answer.text() };
};
const oembed = (token: string) =>
  get(
    `/oembed?url=${encodeURIComponent(`${server.app.services.config.BASE_URL ?? 'http://localhost:0'}/share/${token}`)}`,
  );
async function watch(token: string): Promise<unknown> {
  const extraHeaders = { origin: server.url, ...from() };
  const options = { transports: ['websocket'], reconnection: false, protocols: [`share.${token}`], extraHeaders };
  const browser = connect(server.url, options);
  const answer = await new Promise((resolve) => {
    browser.on('connect', () => browser.emit('watch', site.id, resolve));
    browser.on('connect_error', (error) => resolve(error.message));
  });
  browser.disconnect();
  return answer;
}
const ask = async (token: string, input: object = { period: '7d' }) =>
  sharing.ask<{ metrics?: { name: string; value: number }[] }>('stats.summary', input, {
    'x-share-token': token,
    ...from(),
  });

/** What every way in answers to this token. */
async function doors(token: string) {
  const headers = { 'x-share-token': token, ...from() };
  const csv = `${server.url}/export/${site.id}.csv?date_from=2026-11-12&date_to=2026-11-12`;
  return {
    page: (await get(`/share/${token}`)).html.includes('og:title'),
    site: (await sharing.ask('shares.site', {}, headers)).status,
    question: (await ask(token)).status,
    csv: (await fetch(csv, { headers })).status,
    socket: await watch(token),
    picture: (await get(`/share/${token}/badge.svg`)).status,
    oembed: (await oembed(token)).status,
  };
}
const OPEN = { page: true, site: 200, question: 200, csv: 200, socket: true, picture: 200, oembed: 200 };
const UNKNOWN = { page: false, site: 404, question: 401, csv: 401, socket: 'unauthorized', picture: 404, oembed: 404 };
const CLOSED = { ...UNKNOWN, site: 403, picture: 403, oembed: 403 };

describe('the domain of a public link', () => {
  test('opens every door with the rules of the link, as its token still does', async () => {
    expect(await doors(DOMAIN)).toEqual(OPEN);
    expect(await doors(link.token)).toEqual(OPEN);
    expect((await get(`/share/${DOMAIN}/preview.png`)).status).toBe(200);
    const { data } = await ask(DOMAIN);
    expect(data.metrics?.find(({ name }) => name === 'unique_visitors')?.value).toBe(7 * SHOWN_A_DAY);
    const search = { period: '7d', search: 'h' };
    expect((await sharing.ask('stats.search', search, { 'x-share-token': DOMAIN })).status).toBe(403);
  });

  test.each(['XN--bcher-kva.EXAMPLE', `${DOMAIN}.`, 'b%C3%BCcher.example', 'B%C3%9CCHER.example'])(
    'may be spelled %s',
    async (spelled) => {
      expect((await ask(spelled)).status).toBe(200);
      expect((await get(`/share/${spelled}`)).html).toContain('og:title');
    },
  );

  test('opens nothing for a domain that nobody has, a site without one, and a domain that was given up', async () => {
    showsRefused('addresses guessed', 21);
    const other = await server.newSite();
    await createShareLink(directory(), { siteId: other.id, name: 'private' }, server.clock.now);
    expect(await doors('nobody.example')).toEqual(UNKNOWN);
    expect(await doors(other.domain)).toEqual(UNKNOWN);
    await createShareLink(directory(), { siteId: other.id, name: 'public', public: true }, server.clock.now);
    const open = async (domain: string) => (await get(`/share/${domain}`)).html.includes('og:title');
    expect(await open(other.domain)).toBe(true);
    await renameSite(directory(), { siteId: other.id, domain: 'renamed.example' }, server.clock.now);
    expect([await open(other.domain), await open('renamed.example')]).toEqual([false, true]);
    const taken = { accountId: site.account_id, domain: 'renamed.example', isVerified: true };
    await createSite(directory(), taken, server.clock.now);
    const { domain: lost } = await directory()
      .db.selectFrom('sites')
      .select('domain')
      .where('id', '=', other.id)
      .executeTakeFirstOrThrow();
    expect([lost, await open(lost), await open('renamed.example')]).toEqual([
      'renamed.example.until-2026-11-20',
      false,
      false,
    ]);
  });

  test('closes with a pause, its end, its being private and the switch of the operator', async () => {
    showsRefused('share link used after its end', 28);
    await change({ paused: true });
    expect(await doors(DOMAIN)).toEqual(CLOSED);
    await change({ paused: false, expires_at: server.clock.now + DAY_MS });
    expect((await ask(DOMAIN)).status).toBe(200);
    await change({ expires_at: server.clock.now });
    expect(await doors(DOMAIN)).toEqual(CLOSED);
    await change({ expires_at: null, public: false });
    expect(await doors(DOMAIN)).toEqual(UNKNOWN);
    await change({ public: true });
    config().PUBLIC_DASHBOARDS = 'off';
    expect(await doors(DOMAIN)).toEqual(UNKNOWN);
    expect(await doors(link.token)).toEqual(OPEN);
  });

  const HOSTILE = [
    `${DOMAIN}%2Fx`,
    `${DOMAIN}%3Fx`,
    `${DOMAIN}:80`,
    `${DOMAIN}%00`,
    `${DOMAIN}%20`,
    `${DOMAIN}..`,
    `http:%2F%2F${DOMAIN}`,
    `x@${DOMAIN}`,
    `${DOMAIN}%255C`,
    'xn--bcher-kva%2Eexample',
    '__proto__.x',
    'constructor.prototype',
    '..',
    '%',
    '%E0%A4%A.x',
    `${'a.'.repeat(5_000)}x`,
    `${'%'.repeat(700)}.x`,
    "x.y' or '1'='1",
  ];
  test('is not a text that only looks like it', async () => {
    showsRefused('addresses guessed', 2 * HOSTILE.length);
    for (const hostile of HOSTILE) {
      expect([hostile.slice(0, 80), (await ask(hostile)).status]).toEqual([hostile.slice(0, 80), 401]);
      const page = await get(`/share/${hostile}`);
      expect([page.status, page.html.includes('og:title')], hostile.slice(0, 80)).toEqual([200, false]);
    }
  });
});

describe('a site', () => {
  test('has one public link, without a password, and not where the operator has switched them off', async () => {
    const wish = { site_id: site.id, name: 'second' };
    const made = async (more: object) => (await sharing.change('shares.create', { ...wish, ...more }, { cookie })).text;
    expect(await made({ public: true })).toContain('public: another link of this site is public, and only one can be.');
    expect(await made({ indexed: true })).toContain('indexed: search engines can only list a link that is public.');
    await change({ public: false });
    expect(await made({ public: true, password: 'a few good words' })).toContain(
      'password: a public dashboard cannot have one.',
    );
    config().PUBLIC_DASHBOARDS = 'off';
    const off = 'public: the operator of this server has switched public dashboards off.';
    expect(await made({ public: true })).toContain(off);
    const changed = await sharing.change('shares.change', { site_id: site.id, id: link.id, public: true }, { cookie });
    expect([changed.status, changed.text.includes(off)]).toEqual([400, true]);
    expect(await sharing.ask('shares.list', {}, { cookie })).toMatchObject({ data: { public_dashboards: 'off' } });
  });

  test('has one even if two are made at the same moment, and another once the first is revoked', async () => {
    const own = await server.newSite();
    const make = (name: string) =>
      createShareLink(directory(), { siteId: own.id, name, public: true }, server.clock.now);
    const both = await Promise.allSettled([make('a'), make('b')]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const { id: linkId } = await directory()
      .db.selectFrom('share_links')
      .select('id')
      .where('site_id', '=', own.id)
      .executeTakeFirstOrThrow();
    await revokeShareLink(directory(), { siteId: own.id, linkId }, server.clock.now);
    const { id } = await make('c');
    const second = await createShareLink(directory(), { siteId: own.id, name: 'd' }, server.clock.now);
    const to = { siteId: own.id, linkId: second.id, public: true };
    expect(await outcome(changeShareLink(directory(), to, server.clock.now))).toMatch(/^bad_request: public: another/);
    await changeShareLink(directory(), { siteId: own.id, linkId: id, public: false }, server.clock.now);
    await changeShareLink(directory(), to, server.clock.now);
  });
});

test('robots may index its page alone, and only if the owner says so', async () => {
  const noindex = async (path: string) => {
    const { robots, html } = await get(path);
    return [robots, html.includes('<meta name="robots" content="noindex"')];
  };
  expect(await noindex(`/share/${DOMAIN}`)).toEqual(['noindex', true]);
  await change({ indexed: true });
  const { robots, html } = await get(`/share/${DOMAIN}`);
  expect([robots, html.includes('name="robots"')]).toEqual([null, false]);
  expect(html).toMatch(new RegExp(`<link rel="canonical" href="http://localhost:\\d+/share/${DOMAIN}" />`));
  expect(html).toContain(
    `<meta name="description" content="Live web analytics of ${DOMAIN}, counted without cookies" />`,
  );
  for (const path of [`${DOMAIN}?period=30d`, `${DOMAIN}/live`, `${DOMAIN}/`, link.token, 'nobody.example'])
    expect([path, ...(await noindex(`/share/${path}`))]).toEqual([path, 'noindex', true]);
  expect((await get(`/share/${DOMAIN}/badge.svg`)).robots).toBe('noindex');
  await change({ public: false });
  expect(await noindex(`/share/${DOMAIN}`)).toEqual(['noindex', true]);
  await change({ public: true });
  expect(await noindex(`/share/${DOMAIN}`)).toEqual(['noindex', true]); // it went with the first
  expect((await get('/robots.txt')).html).toMatch(/^Allow: \/share\/$/m);
});

test('its page says what is counted, and whom to ask; the page for visitors says that it is public', async () => {
  const about = async (token: string) =>
    (await sharing.ask<{ about: unknown }>('shares.site', {}, { 'x-share-token': token })).data.about;
  expect(await about(DOMAIN)).toEqual({ has_page: false, contact: '' });
  const transparency = { shown: true, contact: 'dpo@own.example', opt_out_page: '' };
  await sharing.change('sites.change', { site_id: site.id, transparency }, { cookie });
  expect([await about(DOMAIN), await about(link.token)]).toEqual(
    [1, 2].map(() => ({ has_page: true, contact: 'dpo@own.example' })),
  );
  expect(await about((await sharing.linkTo()).token)).toBeNull();
  const said = async () => (await get(`/share/${DOMAIN}/privacy`)).html;
  expect(await said()).toContain(`/share/${DOMAIN} is public: everybody sees it, with exact numbers, also small ones.`);
  config().PUBLIC_DASHBOARDS = 'off';
  expect([await said(), await about(link.token)]).toEqual([expect.not.stringContaining('is public'), null]);
});

test('/share lists those that are open, by domain, and only with DIRECTORY=on', async () => {
  const listed = async () => [...(await get('/share')).html.matchAll(/href="\/share\/([^"]+)"/g)].map(([, one]) => one);
  const hidden = await server.newSite();
  await createShareLink(directory(), { siteId: hidden.id, name: 'private' }, server.clock.now);
  const before = await listed();
  expect(before).toContain(DOMAIN);
  expect(before).not.toContain(hidden.domain);
  const page = await get('/share');
  expect([page.status, page.robots]).toEqual([200, 'noindex']);
  expect(page.html).toContain('>bücher.example</a>');
  for (const to of [{ paused: true }, { expires_at: server.clock.now }, { public: false }]) {
    await change(to);
    expect(await listed()).not.toContain(DOMAIN);
    await change({ paused: false, expires_at: null, public: true });
  }
  expect((await get(`/share?after=${DOMAIN}`)).html).not.toContain(DOMAIN);
  expect((await get('/share?after=%00%27')).status).toBe(200);
  expect((await get('/share?lang=ar')).html).toContain('<html lang="ar" dir="rtl">');
  const unknown = (await get('/unknown')).html;
  for (const off of [{ DIRECTORY: 'off' }, { PUBLIC_DASHBOARDS: 'off', DIRECTORY: 'on' }]) {
    Object.assign(config(), off);
    expect((await get('/share')).html).toBe(unknown);
  }
});
