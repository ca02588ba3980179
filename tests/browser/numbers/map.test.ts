// The map of places: linked with its list, live, and for a mouse, a finger and a screen reader.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { eventually } from '../../setup/eventually.ts';
import { makeEvent } from '../../setup/event.ts';
import { openDashboard, ready, rowsOf } from '../../setup/browser/dashboard.ts';

const PLACE = '[data-panel="places"]';
const place = (code: string) => `${PLACE} [data-place="${code}"]`;
const row = (code: string) => `${PLACE} [data-row="${code}"] .barred`;
const isPointed = (page: Page, selector: string) =>
  page.$eval(selector, (element) => element.classList.contains('pointed'));
const isFilteredTo = (code: string) => (url: URL) => url.searchParams.get('f') === `is:country:${code}`;

test('the map and its list highlight each other, a click opens the regions, a first tap only explains, and arrivals pulse', async () => {
  await using dashboard = await openDashboard({ traffic: false, isBlank: true });
  const { page, server, site } = dashboard;
  let visitor = 0;
  const arrive = (country: string, region: string, times = 1) =>
    server.app.collector.record(
      Array.from({ length: times }, () =>
        makeEvent({ site_id: site.id, visitor: `v${++visitor}`, country, region, time: server.clock.now }),
      ),
      server.clock.now,
    );
  await arrive('DE', 'DE-BE', 9);
  await arrive('DE', 'DE-BY', 3);
  await arrive('BR', 'BR-SP');
  await arrive('SG', '');
  await server.settle();
  await page.goto(`${server.url}/example.com`);
  await ready(page, 'places');

  expect(await rowsOf(page, 'places')).toEqual([
    ['DE', 12],
    ['BR', 1],
    ['SG', 1],
  ]);
  // A country that is too small to draw is a dot that is large enough to be seen and pointed at.
  const dot = async () => Math.round((await page.locator(place('SG')).boundingBox())?.width ?? 0);
  await expect.poll(dot).toBeGreaterThanOrEqual(7);
  await expect.poll(() => page.locator(`${PLACE} [data-legend]`).innerText()).toContain('12');
  await expect
    .poll(() => page.$$eval(`${PLACE} tbody tr`, (all) => all.map((one) => one.textContent.replace(/\s+/g, ' '))))
    .toEqual(['Germany1286%', 'Brazil17%', 'Singapore17%']);

  await page.focus(row('BR'));
  await eventually(async () => expect(await isPointed(page, place('BR'))).toBe(true));
  await page.hover(place('BR'));
  await page.waitForSelector(`${PLACE} [data-tip="BR"]`);
  expect(await isPointed(page, row('BR'))).toBe(true);
  expect(await isPointed(page, row('DE'))).toBe(false);

  await page.click(place('DE'));
  await page.waitForURL(isFilteredTo('DE'));
  await page.waitForSelector(`${place('DE-BE')}.lit`);
  await eventually(async () =>
    expect(await rowsOf(page, 'places')).toEqual([
      ['DE-BE', 9],
      ['DE-BY', 3],
    ]),
  );
  await eventually(async () => expect(await page.locator(row('DE-BE')).innerText()).toContain('Berlin'));
  await page.press(`${PLACE} .back`, 'Enter');
  await page.waitForSelector(place('FR'));
  await page.waitForSelector(`${PLACE} h2 :focus`);
  expect(page.url()).not.toContain('country');

  const phone = await dashboard.browser.newContext({
    storageState: await dashboard.context.storageState(),
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
    reducedMotion: 'no-preference',
  });
  const touched = await phone.newPage();
  await touched.goto(`${server.url}/example.com`);
  await ready(touched, 'places');
  await touched.waitForSelector('[data-connection][data-state="online"]', { state: 'attached' });
  await touched.locator(PLACE).scrollIntoViewIfNeeded(); // the map loads when it is near
  await touched.locator(place('BR')).scrollIntoViewIfNeeded();
  await touched.tap(place('BR'));
  await touched.getByText('Tap again to filter').waitFor();
  expect(touched.url()).not.toContain('country');

  // Rings are gone after two seconds, so they are counted as they come.
  await touched.evaluate(() => {
    const counted = Object.assign(globalThis, { rings: 0 });
    new MutationObserver((changes) => {
      for (const { addedNodes } of changes) counted.rings += addedNodes.length;
    }).observe(document.querySelector('[data-rings]') as Element, { childList: true });
  });
  await arrive('BR', 'BR-SP');
  await touched.waitForFunction(() => (globalThis as unknown as { rings: number }).rings === 1);

  await touched.tap(place('BR'));
  await touched.waitForURL(isFilteredTo('BR'));
  expect(dashboard.troubles).toEqual([]);
});
