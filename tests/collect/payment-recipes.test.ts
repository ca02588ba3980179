/** @module-tag attack */
// The recipes of docs/payments, run on recorded webhooks: a shop's order is claimed by a browser, confirmed by the platform and refunded.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Site } from '../../server/sites/sites.ts';
import type { Metric } from '../../server/vocabulary/numbers/metrics.ts';
import { testApp, type TestApp } from '../setup/app.ts';
import { keyFor } from '../setup/api/rest.ts';
import { type Platform, PLATFORMS, RECORDED, SECRET, type Webhook } from '../setup/internet/webhooks.ts';

type Recipe = { handle(request: Request, settings: Record<string, string>): Promise<Response> };
/** As a shop runs it: plain JavaScript. */
const recipeOf = async (platform: Platform) =>
  (await import(new URL(`../../docs/payments/${platform}.mjs`, import.meta.url).href)) as Recipe;

const METRICS: Metric[] = ['orders', 'revenue', 'revenue_confirmed', 'refunds'];

let server: TestApp;
beforeAll(async () => {
  server = await testApp();
});
afterAll(() => server[Symbol.asyncDispose]());

async function openShop(platform: Platform, name: string = platform) {
  const { handle } = await recipeOf(platform);
  const site = await server.addSite(`${name}-${platform}.example`);
  const settings = {
    FOOTFALL_URL: server.url,
    FOOTFALL_KEY: await keyFor(server, site),
    FOOTFALL_SITE: site.id,
    SHOP_URL: `https://${site.domain}/checkout`,
    WEBHOOK_SECRET: SECRET,
  };
  const receive = async ({ body, headers }: Webhook) => {
    const request = new Request('https://shop.example/webhook', { method: 'POST', body, headers });
    return (await handle(request, settings)).status;
  };
  return { site, receive };
}

const claim = ({ domain }: Site, order_id: string) =>
  server.foot({
    site: domain,
    name: 'purchase',
    url: `https://${domain}/thanks`,
    referrer: 'https://www.google.com/',
    revenue: { amount: 29.35, currency: 'EUR' },
    order_id,
  });

/** Figures by source, in the order of METRICS. */
async function bySource(site: Site) {
  await server.settle();
  const question = { site_id: site.id, period: 'today' as const, compare: 'none' as const, filters: [] };
  const list = { dimension: 'source' as const, metrics: METRICS, page: 1, per_page: 10 };
  const shop = { currency: 'EUR', proposed_currency: null, max_amount: 100_000, timezone: null };
  const { rows } = await server.app.services.stats.list({ ...question, ...list }, shop, server.clock.now);
  return Object.fromEntries(rows.map(({ name, values }) => [name, METRICS.map((metric) => values[metric])]));
}

test.each(PLATFORMS)(
  '%s: an order is claimed, confirmed and refunded, and each webhook counts once',
  async (platform) => {
    const { site, receive } = await openShop(platform);
    const { order, paid, refunded } = RECORDED[platform];
    await claim(site, order);
    expect(await bySource(site)).toEqual({ Google: [1, 29.35, 0, 0] });
    for (let times = 0; times < 2; times += 1) expect(await receive(paid())).toBe(204);
    expect(await bySource(site)).toEqual({ Google: [1, 29.35, 29.35, 0] });
    for (let times = 0; times < 2; times += 1) expect(await receive(refunded())).toBe(204);
    expect(await bySource(site)).toEqual({ Google: [1, 19.35, 19.35, 10] });
  },
);

test.each(PLATFORMS)('%s: a webhook that is unsigned, or signed by somebody else, counts nothing', async (platform) => {
  const { site, receive } = await openShop(platform, 'forged');
  const { paid } = RECORDED[platform];
  const { body, headers } = paid();
  expect(await receive({ body: body.replace('EUR', 'USD').replace('eur', 'usd'), headers })).toBe(400);
  expect(await receive({ body, headers: {} })).toBe(400);
  expect(await bySource(site)).toEqual({});
});
