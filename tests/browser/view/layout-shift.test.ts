// Nothing moves while a dashboard loads: on somebody's first visit, from one site to the next, and behind a share link.
import type { BrowserContext, Page, Request } from 'playwright-core';
import { expect, it } from 'vitest';
import { goals } from '../../../server/sites/definitions/goals.ts';
import { createSegment } from '../../../server/sites/definitions/segments.ts';
import { createShareLink } from '../../../server/sites/sharing/share.ts';
import { configureSite, createSite } from '../../../server/sites/sites.ts';
import { drawn, roomsFilled } from '../../setup/browser/chromium.ts';
import { FIREFOX, openDashboard, SAFARI } from '../../setup/browser/dashboard.ts';

/** A shop, which has the most parts, and a site without any. */
async function openShop() {
  const dashboard = await openDashboard({ domain: 'shop.example', isBlank: true });
  const { server, site, view } = dashboard;
  const { directory } = server.app.services;
  const { now } = server.clock;
  await configureSite(directory, { siteId: site.id, currency: 'EUR' }, now);
  const pay = (amount: number, currency: string) =>
    view('/buy', { name: 'purchase', revenue: { amount, currency } }, undefined);
  await pay(54_321.5, 'EUR');
  await pay(20, 'USD');
  await pay(1_000_000_000, 'EUR');
  const signup = { kind: 'event', event: 'purchase', props: {} } as const;
  await goals.create(directory, { siteId: site.id, name: 'Bought', definition: signup }, now);
  const filters = [{ dimension: 'source', operator: 'is', values: ['Google'] }] as const;
  const segment = {
    siteId: site.id,
    owner: null,
    name: 'From Google',
    filters: filters.map((one) => ({ ...one, values: [...one.values] })),
  };
  await createSegment(directory, segment, now);
  await createSite(directory, { accountId: site.account_id, domain: 'plain.example' }, now + 1);
  await server.foot({ site: 'plain.example', name: 'pageview', url: 'https://plain.example/' });
  const wish = { siteId: site.id, name: 'For all', shows: { properties: true, fewest: 1, credit: true } };
  const link = await createShareLink(directory, wish, now);
  await server.settle();
  return { ...dashboard, link };
}

/** What has moved since this was last asked. Shifts just after a key count as well: on a slow connection they come later. */
const shiftsOf = (page: Page) => page.evaluate(() => (globalThis as unknown as { shifts: string[] }).shifts.splice(0));

/** A page that writes down every shift from its start. Its numbers arrive only after it has shown what it keeps space for. */
async function openPage(context: BrowserContext) {
  const page = await context.newPage();
  const asked = new Set<Request>();
  page.on('request', (request) => request.url().includes('/trpc/') && asked.add(request));
  const answered = (request: Request) => asked.delete(request);
  page.on('requestfinished', answered);
  page.on('requestfailed', answered);
  await page.addInitScript(() => {
    const shifts: string[] = [];
    Object.assign(globalThis, { shifts });
    const nameOf = (node: Node | null | undefined) =>
      node instanceof Element ? node.outerHTML.slice(0, 120) : (node?.textContent ?? 'something that has gone');
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as unknown as LayoutShift[])
        for (const { node, previousRect: before, currentRect: after } of entry.sources)
          // A row that slides starts at its old place: such an entry names the same place twice.
          if (before.x !== after.x || before.y !== after.y)
            shifts.push(`${nameOf(node)}: ${before.x},${before.y} → ${after.x},${after.y}`);
    }).observe({ type: 'layout-shift', buffered: true });
  });
  let held = Promise.withResolvers<undefined>();
  await page.route(/\/trpc\/.*(stats|goals|segments)\./, async (route) => {
    await held.promise;
    await route.continue();
  });
  return {
    page,
    asked,
    release: () => held.resolve(undefined),
    hold: () => (held = Promise.withResolvers()),
  };
}

type LayoutShift = { sources: { node?: Node; previousRect: DOMRect; currentRect: DOMRect }[] };

/** Lets the numbers in once the page has shown its placeholders, and waits until it is complete. Returns what moved before. */
async function complete(
  { page, asked, release }: Awaited<ReturnType<typeof openPage>>,
  domain: string,
): Promise<string[]> {
  await page.waitForSelector(`[aria-label^="Site: ${domain}"], header:has-text("${domain}")`);
  await page.waitForSelector('.figures[data-state="loading"]');
  await page.evaluate(() => document.fonts.ready);
  await drawn(page);
  const before = await shiftsOf(page);
  release();
  await page.waitForSelector('.figures[data-state="ready"]');
  await page.waitForSelector('[data-sentence]');
  await page.waitForSelector('.u-wrap canvas');
  await page.waitForSelector('[data-live="current_visitors"]:not([data-value=""])');
  await page.waitForLoadState('networkidle');
  // The network is idle once in a page: on the second site it waits for nothing, and what comes late would count for the third.
  await expect.poll(() => asked.size).toBe(0);
  await roomsFilled(page);
  return before;
}

const WINDOWS = [
  { viewport: { width: 1280, height: 900 } },
  { viewport: { width: 1600, height: 1000 } },
  { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
];

it('moves nothing while a dashboard loads for the first time, and from one site to another', async () => {
  await using dashboard = await openShop();
  const found: Record<string, string[]> = {};
  const { cookies } = await dashboard.context.storageState();
  for (const window of WINDOWS) {
    const width = `${window.viewport.width} pixels`;
    // Somebody who has signed in, in a browser that has kept nothing of these sites.
    const context = await dashboard.browser.newContext({ ...window, storageState: { cookies, origins: [] } });
    const opened = await openPage(context);
    await opened.page.goto(`${dashboard.server.url}/shop.example?metric=revenue`);
    const first = await complete(opened, 'shop.example');
    await opened.page.waitForSelector('[data-metric="orders"][data-value="2"]', { state: 'attached' });
    await opened.page.waitForSelector('[aria-label="About the revenue"]:has-text("Implausible")');
    found[width] = [...first, ...(await shiftsOf(opened.page))];
    for (const [key, domain] of [
      ['2', 'plain.example'],
      ['1', 'shop.example'],
    ] as const) {
      opened.hold();
      await opened.page.keyboard.press(key);
      await complete(opened, domain); // at once the other site has its own parts
      found[`${width}, to ${domain}`] = await shiftsOf(opened.page);
    }
    await context.close();
    const outside = await dashboard.browser.newContext(window);
    const guest = await openPage(outside);
    await guest.page.goto(`${dashboard.server.url}/share/${dashboard.link.token}?period=30d&f=is_not:browser:Opera`);
    const ofGuest = await complete(guest, 'shop.example');
    found[`${width}, share link`] = [...ofGuest, ...(await shiftsOf(guest.page))];
    await outside.close();
  }
  expect(found).toEqual(Object.fromEntries(Object.keys(found).map((name) => [name, []])));
});

/** More rows than a panel shows. */
const MANY = 12;

it('moves nothing when people arrive', async () => {
  await using dashboard = await openShop();
  const { server, view, context } = dashboard;
  const arriveEverywhere = async (userAgent: string) => {
    for (let number = 0; number < MANY; number += 1)
      await view(`/page/${number}`, { referrer: `https://source-${number}.example/` }, userAgent);
    await server.settle();
  };
  await arriveEverywhere(FIREFOX);
  const opened = await openPage(context);
  const { page } = opened;
  await page.goto(`${server.url}/shop.example`);
  await complete(opened, 'shop.example');
  await page.waitForSelector('[data-panel="sources"][data-state="ready"]');
  await shiftsOf(page);

  const before = Number(await page.locator('[data-metric="pageviews"]').getAttribute('data-value'));
  await arriveEverywhere(SAFARI);
  await page.waitForSelector(`[data-metric="pageviews"][data-value="${before + MANY}"]`, { state: 'attached' });
  await page.waitForLoadState('networkidle');
  await drawn(page);
  expect(await shiftsOf(page)).toEqual([]);
});
