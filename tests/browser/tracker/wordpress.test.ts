// The plugin for WordPress in Debian's own, as its zip is served: set up and looked at by an owner, and counted visitors under a strict content policy.
// WooCommerce is not packaged: what the plugin uses of it is in tests/setup/internet/woocommerce.php.
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readCatalogue } from '../../../languages/compiler/catalogues.ts';
import { createShareLink } from '../../../server/sites/sharing/share.ts';
import type { Site } from '../../../server/sites/sites.ts';
import type { Metric } from '../../../server/vocabulary/numbers/metrics.ts';
import { keyFor } from '../../setup/api/rest.ts';
import { testApp, type TestApp } from '../../setup/app.ts';
import { hideHeadless, openBrowser, type OpenBrowser } from '../../setup/browser/chromium.ts';
import { CHROME } from '../../setup/browser/user-agent.ts';
import { ADMIN, HOST, startWordPress, type WordPress } from '../../setup/internet/wordpress.ts';

let wordpress: WordPress;
let server: TestApp;
let browser: OpenBrowser;
let site: Site;
let owner: Page;
let visitor: Page;
const stack = new AsyncDisposableStack();

beforeAll(async () => {
  const mu = new URL('../../setup/internet/woocommerce.php', import.meta.url).pathname;
  const env = { TRUST_PROXY: 'loopback' };
  [wordpress, server, browser] = await Promise.all([
    startWordPress({ mu }).then((one) => stack.use(one)),
    testApp({ env, now: Date.now(), start: true }).then((one) => stack.use(one)),
    openBrowser({ isPerson: true }).then((one) => stack.use(one)),
  ]);
  site = await server.addSite(HOST);
  const plain = await browser.newContext({ baseURL: wordpress.url, javaScriptEnabled: false });
  await withoutLooks(plain);
  owner = await plain.newPage();
  visitor = await (await browser.newContext({ baseURL: wordpress.url })).newPage();
  await hideHeadless(visitor);
  await owner.goto(`/wp-login.php?redirect_to=${encodeURIComponent('/wp-admin/plugin-install.php?tab=upload')}`);
  await owner.fill('#user_login', ADMIN.user);
  await owner.fill('#user_pass', ADMIN.password);
  await press('#wp-submit');
  const zip = await fetch(`${server.url}/footfall-wordpress.zip`);
  const file = {
    name: 'footfall-wordpress.zip',
    mimeType: 'application/zip',
    buffer: Buffer.from(await zip.arrayBuffer()),
  };
  await owner.setInputFiles('#pluginzip', file);
  await press('#install-plugin-submit');
  await press('text=Activate Plugin');
  await owner.goto(SETTINGS);
  expect(await owner.inputValue('#footfall-domain')).toBe(HOST);
  await owner.fill('#footfall-server', server.url);
  await press('#submit');
  expect(await owner.locator('.notice p').allInnerTexts()).toEqual(['Settings saved.']);
});
afterAll(async () => {
  expect(await wordpress.notices('footfall')).toEqual([]);
  await stack.disposeAsync();
});

/** wp-admin works without its styles and scripts, in half the time. */
const withoutLooks = (context: BrowserContext) =>
  context.route(new RegExp(`^${wordpress.url}/.*(\\.(css|js)\\b|load-(styles|scripts))`), (route) => route.abort());

const SETTINGS = '/wp-admin/options-general.php?page=footfall';

/** Presses what leads to another page. */
async function press(selector: string): Promise<void> {
  const loaded = owner.waitForEvent('load');
  await owner.click(selector);
  await loaded;
}

/** As a browser without its drawing. */
async function ask(path: string, body?: URLSearchParams): Promise<string> {
  const cookie = (await owner.context().cookies()).map(({ name, value }) => `${name}=${value}`).join('; ');
  const init = { headers: { cookie }, redirect: 'manual' as const, ...(body && { method: 'POST', body }) };
  return (await fetch(wordpress.local + path, init)).text();
}

/** Saves the form with these values by their names, and returns what the page then says. */
async function set(values: Record<string, string | boolean>): Promise<string[]> {
  const form = new URLSearchParams();
  for (const [input] of (await ask(SETTINGS)).matchAll(/<input [^>]+>/g)) {
    const read = (name: string) => new RegExp(` ${name}=["']([^"']*)`).exec(input)?.[1] ?? '';
    const given = values[read('id').replace('footfall-', '')];
    const isSent = given ?? (read('type') !== 'checkbox' || input.includes(' checked='));
    if (isSent !== false) form.append(read('name'), typeof given === 'string' ? given : read('value'));
  }
  await ask('/wp-admin/options.php', form);
  const answer = await ask(`${SETTINGS}&settings-updated=true`);
  return [...answer.matchAll(/id='setting-error[^>]*>\s*<p><strong>(.*?)<\/strong>/g)].map(([, words = '']) => words);
}

async function check(): Promise<string[]> {
  await owner.goto(SETTINGS);
  await press('text=Check the connection');
  return (await owner.locator('.notice.inline p').allInnerTexts()).map((line) => line.trim());
}

/** Waits until the page of the visitor has sent all that it will, and returns the events of the site since the last call, without reading. */
let seen = 0;
async function events(columns = 'name, page, props'): Promise<unknown[]> {
  await server.settle();
  const sql = `SELECT ${columns} FROM events WHERE site_id = {id:String} AND name != 'engagement' ORDER BY time, name`;
  const rows = await server.app.store.query(sql, { id: site.id });
  const fresh = rows.slice(seen);
  server.clock.now += 60_000; // later events come after these
  seen = rows.length;
  return fresh;
}

/** What the visitor does, and its `count` events, each at its own time. */
async function sends(count: number, act: () => Promise<unknown>): Promise<void> {
  let left = count;
  server.clock.now += 60_000;
  const sent = visitor.waitForResponse((answer) => {
    const body = answer.request().postData() ?? '';
    return body.startsWith('{') && !body.includes('"name":"engagement"') && (left -= 1) === 0;
  });
  await act();
  await sent;
}

const visit = (path: string, count = 1) => sends(count, () => visitor.goto(path));

const isCounted = async (page: Page) => (await page.locator('script[data-site]').count()) === 1;

test('a setting that cannot be right is refused in words, and what was set stays', async () => {
  const wrong = {
    server: 'https://stats.example.com/path',
    domain: 'https://x"><script>',
    share: 'https://elsewhere.example/share/abc',
    proxy: '/wp-admin',
    key: '"><script>alert(1)</script>',
  };
  expect(await set(wrong)).toEqual([
    'The server address must be https:// and a host, without a path, such as https://stats.example.com.',
    'The domain must be a name such as example.com, without https:// and without a path.',
    `The share link must begin with ${server.url}/share/ and name one dashboard.`,
    'The path must begin with a slash and have only letters, digits and hyphens, such as /stats. It must not begin with /wp-.',
  ]);
  expect(await set({ key: wrong.key, orders: true })).toEqual(['The API key must begin with ff_: copy all of it.']);
  await owner.goto(SETTINGS);
  const kept = ['server', 'domain', 'share', 'proxy', 'key'].map((name) => owner.inputValue(`#footfall-${name}`));
  expect(await Promise.all(kept)).toEqual([server.url, HOST, '', '', '']);
});

test('the check of the connection says what is wrong, and that all is well', async () => {
  const { directory } = server.app.services;
  const link = (embedded_on: string[]) =>
    createShareLink(directory, { siteId: site.id, name: 'wp', shows: { fewest: 1, embedded_on } }, server.clock.now);
  const elsewhere = await link(['elsewhere.example']);
  await set({ share: `${server.url}/share/${elsewhere.token}`, orders: true, key: `ff_${'a'.repeat(40)}` });
  const { host } = new URL(wordpress.url);
  const [answers, script, start] = [
    `Footfall 1.0.0 answers at ${server.url}.`,
    `The script is at ${server.url}/foot.js.`,
    'The start page has the script.',
  ];
  expect(await check()).toEqual([
    answers,
    script,
    start,
    'The API key does not work: The server does not know this API key.',
    `The share link has ended, or does not allow frames on ${host}: edit it in Footfall.`,
  ]);
  const here = await link([host]);
  await set({ share: `${server.url}/share/${here.token}`, key: await keyFor(server, site), proxy: '/stats' });
  expect(await check()).toEqual([
    answers,
    `The script is at ${wordpress.url}/stats/foot.js.`,
    start,
    'The API key works.',
    `The share link may be shown on ${host}.`,
  ]);
  await set({ proxy: '', server: wordpress.local, share: '' });
  expect(await check()).toEqual([
    expect.stringMatching(/^Something answers at .* \(status 404\), but it is not Footfall\.$/),
  ]);
  await set({ server: 'http://127.0.0.1:1' });
  expect(await check()).toEqual([expect.stringMatching(/^This web server cannot reach http:\/\/127\.0\.0\.1:1: /)]);
  await set({ server: server.url, orders: false });
});

test('visitors are counted, with missing pages and searches; people with a role that is left out and previews are not', async () => {
  await visit('/');
  await visit('/none', 2);
  await visit('/?s=Red+%22shoes%22+%3C/script%3E');
  expect(await events()).toEqual([
    { name: 'pageview', page: '/', props: {} },
    { name: 'not_found', page: '/none', props: {} },
    { name: 'pageview', page: '/none', props: {} },
    { name: 'pageview', page: '/', props: {} },
  ]);
  await set({ search: true });
  await visit('/?s=Red+%22shoes%22+%3C/script%3E', 2);
  await visit('/?s=jane%40example.com');
  expect(await events()).toEqual([
    { name: 'pageview', page: '/', props: {} },
    { name: 'search', page: '/', props: { term: 'Red "shoes"', results: '0' } },
    { name: 'pageview', page: '/', props: {} },
  ]);

  await owner.goto('/');
  expect(await isCounted(owner)).toBe(false);
  await set({ 'excluded-administrator': false });
  await owner.goto('/');
  expect(await isCounted(owner)).toBe(true);
  await wordpress.query("UPDATE wp_posts SET post_status = 'draft' WHERE ID = 1");
  await owner.goto('/?p=1&preview=true');
  expect(await isCounted(owner)).toBe(false);
  await set({ 'excluded-administrator': true });
});

const shop = (what: string, order: object = {}) =>
  fetch(`${wordpress.local}/?wc_do=${what}&order=${encodeURIComponent(JSON.stringify(order))}`);
const ORDER = {
  id: 12,
  key: 'wc_order_a1B2c3D4e5F6g',
  total: '29.35',
  currency: 'EUR',
  products: ['Red "shoes" </script><b>'],
};

test('orders are claimed by the browser under a key that nobody guesses, and confirmed and refunded by the server, once', async () => {
  await set({ orders: true, key: await keyFor(server, site) });
  await shop('make', ORDER);
  await visit('/?wc=checkout&order-received=12&key=wrong');
  await visit(`/?wc=checkout&order-received=12&key=${ORDER.key}`, 2);
  await shop('run');
  const columns = 'name, props, toFloat64(amount) AS amount, currency, confirmed';
  const claimed = { name: 'purchase', props: { product: 'Red "shoes"' }, amount: 29.35, currency: 'EUR', confirmed: 0 };
  const view = { name: 'pageview', props: {}, amount: 0, currency: '', confirmed: 0 };
  expect(await events(columns)).toEqual([view, view, claimed]);

  for (let times = 0; times < 2; times += 1) await shop('pay', ORDER);
  const refund = { id: 13, parent: 12, total: '-10.00', currency: 'EUR' };
  for (let times = 0; times < 2; times += 1) await shop('refund', refund);
  expect(await events()).toEqual([]); // the shop has not waited for the server
  await shop('run');
  await server.settle();
  const question = { site_id: site.id, period: 'today' as const, compare: 'none' as const, filters: [] };
  const settings = { currency: 'EUR', proposed_currency: null, max_amount: 100_000, timezone: null };
  const metrics: Metric[] = ['orders', 'revenue', 'revenue_confirmed', 'refunds'];
  const list = { ...question, dimension: 'source' as const, metrics, page: 1, per_page: 10 };
  const { rows } = await server.app.services.stats.list(list, settings, server.clock.now);
  expect(rows.map(({ values }) => metrics.map((metric) => values[metric]))).toEqual([[1, 19.35, 19.35, 10]]);
  await events();

  await shop('make', { ...ORDER, id: 14, key: 'wc_order_other', currency: '<b>', total: '1e400' });
  const thanks = await fetch(`${wordpress.local}/?wc=checkout&order-received=14&key=wc_order_other`);
  expect(await thanks.text()).toContain(
    '&quot;revenue&quot;:{&quot;amount&quot;:0,&quot;currency&quot;:&quot;&lt;B&gt;&quot;}',
  );
  await shop('pay', { id: 14 });
  await shop('run');
  await owner.goto(SETTINGS);
  expect(await owner.locator('.notice-warning').innerText()).toMatch(/^Order 14 could not be confirmed: /);
});

test('products that are added to the cart, with and without a new page, and checkouts that are begun', async () => {
  await set({ orders: true });
  const added = { name: 'add_to_cart', page: '/', props: { product: 'Red "shoes"' } };
  await visit('/');
  await sends(1, () => visitor.getByRole('link').first().click());
  await visitor.getByRole('link').last().click(); // leads to its page, and adds nothing
  await visit('/?add-to-cart=Red+%22shoes%22', 2);
  await visit('/cart/', 2);
  await visit('/?add-to-cart=Blue&redirect=1', 3);
  await visit('/?wc=checkout', 2);
  expect(await events()).toEqual([
    { name: 'pageview', page: '/', props: {} },
    added,
    added,
    { name: 'pageview', page: '/', props: {} },
    { name: 'not_found', page: '/cart/', props: {} },
    { name: 'pageview', page: '/cart/', props: {} },
    { name: 'add_to_cart', page: '/cart/', props: { product: 'Blue' } },
    { name: 'not_found', page: '/cart/', props: {} },
    { name: 'pageview', page: '/cart/', props: {} },
    { name: 'begin_checkout', page: '/', props: {} },
    { name: 'pageview', page: '/', props: {} },
  ]);
});

test('a path of the site passes on the script and events with the visitor’s address and no cookie, and no page waits for the server', async () => {
  await set({ proxy: '/stats' });
  await visit('/');
  expect(await events()).toEqual([{ name: 'pageview', page: '/', props: {} }]);
  const at = (path: string, init: RequestInit = {}) => fetch(`${wordpress.local}/stats/${path}`, init);
  const plain = { method: 'POST', body: JSON.stringify({ site: HOST, name: 'signup', url: wordpress.url }) };
  const from = (address: string) =>
    at('foot', { ...plain, headers: { 'user-agent': CHROME, 'x-forwarded-for': address } });
  const visitors = async () => {
    for (const address of ['203.0.113.1', '203.0.113.2, 203.0.113.3']) expect((await from(address)).status).toBe(202);
    return new Set((await events('visitor_id')).map((row) => (row as { visitor_id: string }).visitor_id)).size;
  };
  expect(await visitors()).toBe(1); // the header is what the visitor likes it to be
  await set({ behind: true });
  expect(await visitors()).toBe(2);

  const asked: { headers: IncomingHttpHeaders; body: string }[] = [];
  await using recorder = createServer((request, response) => {
    void text(request).then((body) => {
      asked.push({ headers: request.headers, body });
      response.writeHead(202, { 'set-cookie': 'a=b' }).end();
    });
  }).listen(0, '127.0.0.1');
  await once(recorder, 'listening');
  await set({ server: `http://127.0.0.1:${(recorder.address() as AddressInfo).port}`, behind: false });
  await owner.goto('/');
  expect(asked).toEqual([]);
  const headers = { cookie: 'secret=1', 'user-agent': CHROME, dnt: '1', 'sec-gpc': '1', authorization: 'Basic abc' };
  const answer = await at('foot', { ...plain, headers });
  expect([answer.status, answer.headers.get('set-cookie')]).toEqual([202, null]);
  expect(asked).toHaveLength(1);
  expect(asked[0]?.body).toBe(plain.body);
  expect(asked[0]?.headers).toMatchObject({
    'user-agent': CHROME,
    dnt: '1',
    'sec-gpc': '1',
    'x-forwarded-for': '127.0.0.1',
  });
  expect([asked[0]?.headers.cookie, asked[0]?.headers.authorization]).toEqual([undefined, undefined]);
  expect((await at('foot', { ...plain, body: 'x'.repeat(32_769) })).status).toBe(413);
  expect((await at('foot')).status).toBe(405);
  expect((await at('foot.js')).status).toBe(503); // what is there is no script
  expect(asked).toHaveLength(2);

  await set({ server: 'http://127.0.0.1:1' });
  for (let times = 0; times < 2; times += 1) {
    const { status, headers } = await at('foot', plain);
    expect([status, headers.get('retry-after')]).toEqual([503, '10']);
  }
  await set({ server: server.url, proxy: '' });
});

test('the numbers are on the dashboard and on a page of their own, live, through a share link', async () => {
  const { directory } = server.app.services;
  const shows = { fewest: 1, embedded_on: [new URL(wordpress.url).host] };
  const { token } = await createShareLink(directory, { siteId: site.id, name: 'wp', shows }, server.clock.now);
  await set({ share: `${server.url}/share/${token}` });
  await visit('/');
  await server.settle();
  const sql =
    'SELECT toString(uniqExact(visitor_id)) AS all FROM events WHERE site_id = {id:String} AND visitor_id != 0';
  const [{ all } = { all: '' }] = (await server.app.store.query(sql, { id: site.id })) as { all: string }[];
  const context = await browser.newContext({
    baseURL: wordpress.url,
    viewport: { width: 1280, height: 3000 }, // frames are drawn when they are near
    storageState: await owner.context().storageState(),
  });
  await withoutLooks(context);
  const page = await context.newPage();
  await page.goto('/wp-admin/');
  await page
    .frameLocator('#footfall iframe')
    .first()
    .locator('.total b')
    .filter({ hasText: new RegExp(`^${all}$`) })
    .waitFor();
  await page.locator('#footfall').getByRole('link', { name: 'All numbers' }).click();
  await page.frameLocator('iframe').locator('[data-panel="pages"][data-state="ready"]').waitFor();
});

test('the settings and the numbers are in the language of whoever reads wp-admin, whatever its region', async () => {
  const readAs = async (locale: string) => {
    await wordpress.query(`UPDATE wp_usermeta SET meta_value = '${locale}' WHERE meta_key = 'locale'`);
    const [settings, dashboard] = await Promise.all([ask(SETTINGS), ask('/wp-admin/index.php')]);
    const [, label] = /<label for="footfall-server">(.*?)<\/label>/.exec(settings) ?? [];
    return [label, new Set([...dashboard.matchAll(/<iframe src="[^"]*[;&]lang=([\w-]+)"/g)].map(([, lang]) => lang))];
  };
  const english = 'Server address';
  const german = readCatalogue('de')[english];
  expect(await readAs('de_DE')).toEqual([german, new Set(['de-DE'])]);
  expect(await readAs('de_AT')).toEqual([german, new Set(['de-AT'])]);
  expect(await readAs('de_CH_informal')).toEqual([german, new Set(['de-CH'])]);
  expect(await readAs('zh_TW')).toEqual([english, new Set(['zh-TW'])]);
  expect(await readAs('')).toEqual([english, new Set(['en-US'])]);
});

test('a plugin that is deleted leaves nothing', async () => {
  await set({ orders: true, key: await keyFor(server, site), proxy: '/stats' });
  await fetch(`${wordpress.local}/stats/foot.js`);
  await shop('make', ORDER);
  await shop('pay', ORDER);
  const left = () =>
    wordpress.query(`SELECT option_name FROM wp_options WHERE CONCAT(option_name, option_value) LIKE '%footfall%'`);
  expect(await left()).toEqual(expect.arrayContaining(['footfall', 'as_actions', 'active_plugins']));
  await owner.goto('/wp-admin/plugins.php');
  await press('#deactivate-footfall');
  await press('#delete-footfall');
  await press('#submit');
  await owner.getByText('The selected plugin has been deleted').waitFor();
  expect(await left()).toEqual(['recently_activated']); // WordPress's own, for a week
});
