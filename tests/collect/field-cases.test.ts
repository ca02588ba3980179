// Inputs that users of web analytics report as counted wrongly, with their right values: tags and addresses that are damaged on their way,
// display networks, pages shown by others. Each goes through POST /foot; those that a door reads by itself go through that door, too.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { breakdownQuestion } from '../../server/stats/query.ts';
import type { Site } from '../../server/sites/sites.ts';
import { dropsOf } from '../../server/sites/drops.ts';
import { testApp, type TestApp } from '../setup/app.ts';
import { EURO_SHOP } from '../setup/event.ts';

let server: TestApp;
let site: Site;
let serial = 0;

beforeAll(async () => {
  server = await testApp({ env: { TRUST_PROXY: 'loopback' } });
});
afterAll(async () => server[Symbol.asyncDispose]());
beforeEach(async () => {
  site = await server.addSite(`my-shop${(serial += 1)}.example`);
});

const TAGS = ['utm_source', 'utm_medium', 'utm_campaign'] as const;
type Row = Record<(typeof TAGS)[number] | 'page' | 'hostname' | 'source' | 'channel' | 'referrer', string>;

/** A page view of a new visitor. */
const view = (url: string, more: object = {}) =>
  server.foot(
    { site: site.domain, name: 'pageview', url, ...more },
    { 'x-forwarded-for': `203.0.113.${(serial += 1) % 250}` },
  );

async function rows(): Promise<Row[]> {
  await server.settle();
  return server.app.store.query<Row>('SELECT * FROM events WHERE site_id = {id:String} ORDER BY page', { id: site.id });
}

async function counted(path: string, more: object = {}): Promise<Row> {
  const answer = await view(path.startsWith('http') ? path : `https://${site.domain}${path}`, more);
  expect(answer.status).toBe(202);
  const [row] = await rows();
  if (!row) throw new Error('Nothing was counted.');
  return row;
}

async function listOf(dimension: 'source' | 'utm_source' | 'channel', filters: object[] = []) {
  const question = breakdownQuestion.parse({
    site_id: site.id,
    period: 'today',
    dimension,
    metrics: ['visits'],
    filters,
  });
  const { rows: found, total } = await server.app.services.stats.breakdown(question, EURO_SHOP, server.clock.now);
  expect(found).toHaveLength(total);
  return found.map(({ name, values }) => `${name} ${values.visits}`);
}

test.each([
  // encoded more than once
  ['?utm_source=Spring%2520Sale%2520list', 'Spring Sale list'],
  ['?utm_source=no%25252520code', 'no%20code'], // four times: nobody means that
  ['?utm_source=caf%25C3%25A9&utm_medium=email', 'café', 'email'],
  ['?utm_source=50%25%20off', '50% off'],
  ['?utm_source=100%25BIO', '100%BIO'],
  ['?utm_source=C%2B%2B', 'C++'],
  ['?utm_source=C%252B%252B', 'C++'],
  // escaped as HTML
  ['?utm_source=a&amp;utm_medium=email&amp;utm_campaign=c1', 'a', 'email', 'c1'],
  ['?utm_source=a&amp;amp;utm_medium=email', 'a', 'email'],
  ['?utm_source=a&', 'a'],
  // as foot.js sends it, although browsers take what follows `&` for a fragment
  ['?utm_source=a&#38;utm_medium=email&#38;utm_campaign=c1', 'a', 'email', 'c1'],
  ['?utm_source=a&#38;utm_medium=cpc', 'a', 'cpc'],
  ['?utm_source=a&#038;utm_medium=cpc', 'a', 'cpc'],
  ['?utm_source=a&#x26;utm_medium=cpc', 'a', 'cpc'],
  ['?utm_source=a%26amp%3Butm_medium=email', 'a', 'email'],
  ['?utm_source=AT%26T', 'AT&T'],
  ['?utm_source=AT%26amp%3BT&utm_medium=email', 'AT&T', 'email'],
  ['?utm_source=AT%2526amp%253BT', 'AT&T'],
  // cut off, or in another encoding
  ['?utm_source=%F0%9F%8D'],
  ['?utm_source=%E0%A4%A&utm_campaign=bad', '', '', 'bad'],
  ['?utm_source=ok%F0%9F&utm_campaign=x', 'ok', '', 'x'],
  ['?utm_source=ok%25F0%259F', 'ok'],
  ['?utm_source=caf%E9', 'caf'],
  ['?utm_source=%EF%BF%BD%EF%BF%BD', ''],
])('tags that are damaged on their way are mended: %s', async (query, source = '', medium = '', campaign = '') => {
  const row = await counted(`/${query}`);
  expect(TAGS.map((tag) => row[tag])).toEqual([source, medium, campaign]);
});

test('spellings of a tag are one source, which is shown as it is spelled most often', async () => {
  const spellings = ['News Letter', 'news+letter', 'NEWS%20LETTER', 'news%20letter'];
  for (const tag of spellings) await view(`https://${site.domain}/?utm_source=${tag}`);
  await view(`https://${site.domain}/?ref=%20NEWS%20letter%20`);
  await server.settle();
  expect(await listOf('source')).toEqual(['news letter 5']);
  expect(await listOf('utm_source')).toEqual(['news letter 2', 'NEWS LETTER 1', 'News Letter 1']);
  expect(await listOf('channel')).toEqual(['Referral 5']);
  const is = (...values: string[]) => [{ dimension: 'source', operator: 'is', values }];
  expect(await listOf('source', is('NEWS LETTER'))).toEqual(['news letter 5']);
  expect(await listOf('source', [{ dimension: 'source', operator: 'is_not', values: ['News Letter'] }])).toEqual([]);
});

test.each([
  ['/cart;jsessionid=0A1B2C3D4E', '/cart'],
  ['/cart;JSESSIONID=0A1B.node2?x=1', '/cart'],
  ['/cart;jsessionid=0A1B/items', '/cart/items'],
  ['/cart;v=2;jsessionid=0A1B;w=3', '/cart;v=2;w=3'],
  ['/cart%3Bjsessionid%3D0A1B', '/cart'],
  ['/q;sid=a1b2', '/q'],
  ['/;phpsessid=a1b2', '/'],
  ['/(S(lit3py55t21z5v55vlm25s55))/orders.aspx', '/orders.aspx'],
  ['/shop/(X(1)S(lit3py55t21z5v55vlm25s55))/orders.aspx', '/shop/orders.aspx'],
  ['/(S(lit3py55))', '/'],
  ['/list;v=2', '/list;v=2'],
  ['/wiki/Mercury_(planet)', '/wiki/Mercury_(planet)'],
])('ids of sessions are no part of a page: %s', async (path, page) => {
  expect((await counted(path)).page).toBe(page);
});

test('nor of a referrer', async () => {
  const row = await counted('/', { referrer: 'https://other.example/a;jsessionid=0A1B?x=1' });
  expect(row.referrer).toBe('other.example/a');
});

test.each([
  ['https://ad.doubleclick.net/clk;1;2', 'Google Display Network', 'Display'],
  ['https://googleads.g.doubleclick.net/', 'Google Display Network', 'Display'],
  ['https://0a1b.safeframe.googlesyndication.com/', 'Google Display Network', 'Display'],
  ['https://trc.taboola.com/', 'Taboola', 'Display'],
  ['https://fra1.ib.adnxs.com/', 'Xandr', 'Display'],
  ['https://aax-eu.amazon-adsystem.com/', 'Amazon Ads', 'Display'],
  ['https://linktr.ee/shop', 'Linktree', 'Referral'],
])('the referrer %s is %s, %s', async (referrer, source, channel) => {
  expect(await counted('/', { referrer })).toMatchObject({ source, channel });
});

test.each([
  ['utm_source=linktree', 'Linktree', 'Referral'],
  ['utm_source=taboola&utm_medium=cpc', 'Taboola', 'Paid Other'],
  ['gclid=x', 'Google', 'Paid Search'],
])('the link %s is %s, %s', async (query, source, channel) => {
  const referrer = 'https://googleads.g.doubleclick.net/';
  expect(await counted(`/?${query}`, query.startsWith('gclid') ? { referrer } : {})).toMatchObject({ source, channel });
});

describe('pages that others show', () => {
  /** `my-shop1.example` as Google Translate spells it. */
  const translated = () => `${site.domain.replaceAll('-', '--').replaceAll('.', '-')}.translate.goog`;

  test('count with their path and the host that showed them, if it is a translation', async () => {
    const row = await counted(`https://${translated()}/offers?_x_tr_sl=auto`);
    expect(row).toMatchObject({ page: '/offers', hostname: translated(), source: '' });
  });

  test('are no source of the site itself', async () => {
    const row = await counted('/', { referrer: `https://${translated()}/x` });
    expect(row).toMatchObject({ source: '', channel: 'Direct', referrer: '' });
  });

  test('of other sites do not count', async () => {
    await view('https://other-example.translate.goog/');
    await view(`https://evil.example.${translated()}/`);
    expect(await rows()).toEqual([]);
  });

  test.each([
    'https://web.archive.org/web/2025/https://shop.example/offers',
    'https://webcache.googleusercontent.com/search?q=cache:x',
    'https://shop-example.cdn.ampproject.org/c/s/shop.example/',
    'https://a1b2.shopifypreview.com/',
  ])('are dropped with a reason of their own in archives, caches and editors: %s', async (url) => {
    await view(url);
    await server.app.collector.flushDrops();
    const drops = await dropsOf(server.app.services.directory, site.id, '2000-01-01', '2100-01-01');
    expect([await rows(), drops.map(({ reason, count }) => [reason, count])]).toEqual([[], [['shown_elsewhere', 1]]]);
  });
});
