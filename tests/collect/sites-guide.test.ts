// The code on docs/sites.md: what the frameworks get is that of the examples, which `npm run examples` tries, and Shopify's pixel sends what Footfall
// counts, with a stand-in for Shopify.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Metric } from '../../server/vocabulary/numbers/metrics.ts';
import { CHROME } from '../setup/browser/user-agent.ts';
import { testApp } from '../setup/app.ts';

const root = new URL('../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
const page = read('docs/sites.md');
const blocks = new Map(
  page.split(/^## /m).map((part) => [part.split('\n', 1)[0] ?? '', /^```\w+\n(.*?)^```/ms.exec(part)?.[1] ?? '']),
);
const block = (heading: string) => blocks.get(heading) ?? '';
const withoutSpace = (text: string) => text.replace(/\s+/g, ' ');

test('the code for Next.js, Nuxt and Astro is that of the examples', () => {
  const settings = "{ site: 'example.com', source: 'https://stats.example.com/foot.js' }";
  const element = '<Footfall site="example.com" source="https://stats.example.com/foot.js" />';
  const layout = read('examples/next/app/layout.tsx').replace('source="/walk/foot.js"', element.split(' ')[2] ?? '');
  for (const [text, line] of [
    [layout, element],
    [block('Next.js'), element],
    [block('Nuxt'), `footfall: ${settings}`],
    [read('examples/nuxt/nuxt.config.ts'), `footfall: ${settings}`],
    [block('Nuxt'), "modules: ['footfall/nuxt']"],
    [read('examples/nuxt/nuxt.config.ts'), "modules: ['footfall/nuxt']"],
  ] as const)
    expect(text).toContain(line);
  expect(withoutSpace(block('Astro'))).toBe(withoutSpace(read('examples/astro/astro.config.ts')));
});

const METRICS: Metric[] = ['unique_visitors', 'pageviews', 'events', 'orders', 'revenue'];

type Order = {
  order?: { id: string } | undefined;
  token: string;
  totalPrice: { amount: number; currencyCode: string };
};

test('Shopify’s pixel sends carts, checkouts and orders, which count once and belong to the visit', async () => {
  await using server = await testApp();
  const site = await server.addSite();
  const foot = (body: object) => server.foot(JSON.stringify(body));
  await foot({ site: 'example.com', name: 'pageview', url: 'https://example.com/?utm_source=news' });

  const listeners = new Map<string, (event: unknown) => Promise<Response>>();
  const analytics = {
    subscribe: (name: string, listener: (event: unknown) => Promise<Response>) => listeners.set(name, listener),
  };
  const asked: string[] = [];
  const send = (address: string, { body, method }: { body: string; method: string }) => {
    asked.push(`${method} ${address}`);
    return server.foot(body, { 'user-agent': CHROME });
  };
  new Function('analytics', 'fetch', block('Shopify'))(analytics, send);
  const completed = (checkout: Order) => listeners.get('checkout_completed')?.({ data: { checkout } });
  const price = { amount: 19.9, currencyCode: 'EUR' };
  const answers = [
    await listeners.get('product_added_to_cart')?.({}),
    await listeners.get('checkout_started')?.({}),
    await completed({ order: { id: 'gid://shopify/Order/1001' }, token: 't1', totalPrice: price }),
    await completed({ order: { id: '1001' }, token: 't1', totalPrice: price }), // the page was loaded again
    await completed({ token: 't2', totalPrice: price }),
  ];
  expect(answers.map((answer) => answer?.status)).toEqual(answers.map(() => 202));
  expect(new Set(asked)).toEqual(new Set(['POST https://stats.example.com/foot']));
  await server.settle();
  const question = { site_id: site.id, period: 'today' as const, compare: 'none' as const, filters: [] };
  const list = { dimension: 'source' as const, metrics: METRICS, page: 1, per_page: 10 };
  const shop = { currency: 'EUR', proposed_currency: null, max_amount: 100_000, timezone: null };
  const { rows } = await server.app.services.stats.list({ ...question, ...list }, shop, server.clock.now);
  expect(rows.map(({ name, values }) => [name, ...METRICS.map((metric) => values[metric])])).toEqual([
    ['news', 1, 1, 4, 2, 39.8],
  ]);
  const sent = await server.app.store.query('SELECT DISTINCT name, page FROM events WHERE site_id = {id:String}', {
    id: site.id,
  });
  expect(sent.length).toBe(4);
  for (const name of ['add_to_cart', 'begin_checkout', 'purchase'])
    expect(sent).toContainEqual({ name, page: '/checkout' });
});
