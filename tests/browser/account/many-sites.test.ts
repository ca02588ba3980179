// An account with hundreds of sites: only the cards in view are rendered, and only their numbers are loaded.
import { expect, test } from 'vitest';
import { openDashboard } from '../../setup/browser/dashboard.ts';

const SITES = 400;
const domainOf = (number: number) => `shop-${String(number).padStart(3, '0')}.example`;

test('of 400 sites those in view are rendered and asked for; scrolling, Tab, the search and the switcher reach the others', async () => {
  await using dashboard = await openDashboard({ traffic: false, isBlank: true });
  const { server, page, site } = dashboard;
  const { db } = server.app.services.directory;
  const own = await db.selectFrom('sites').selectAll().where('id', '=', site.id).executeTakeFirstOrThrow();
  const others = Array.from({ length: SITES - 1 }, (_, index) => ({
    ...own,
    id: `site_${String(index).padStart(16, '0')}` as typeof own.id,
    domain: domainOf(index + 1),
    created_at: own.created_at + index + 1,
  }));
  for (let from = 0; from < others.length; from += 50)
    await db
      .insertInto('sites')
      .values(others.slice(from, from + 50))
      .execute();

  const asked = new Set<string>();
  page.on('request', (request) => {
    for (const [id] of decodeURIComponent(request.url()).matchAll(/site_[0-9A-Z]{16}/g)) asked.add(id);
  });
  await page.goto(server.url);
  await page.waitForSelector('[data-site="example.com"] svg[role="img"]');
  expect(await page.locator('[data-site]').count()).toBeLessThan(60);
  expect(await page.locator('*').count()).toBeLessThan(2000);
  expect(asked.size).toBeLessThanOrEqual(120);
  const first = page.locator('main li').first();
  expect([await first.getAttribute('aria-posinset'), await first.getAttribute('aria-setsize')]).toEqual(['1', '400']);

  // Tab moves from card to card, also past those that were rendered at first.
  await page.locator('[data-site="example.com"]').focus();
  for (let step = 0; step < 40; step += 1) await page.keyboard.press('Tab');
  await page.waitForSelector(`[data-site="${domainOf(40)}"]:focus`);

  await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
  await page.waitForSelector(`[data-site="${domainOf(SITES - 1)}"] svg[role="img"]`);
  // The card with the focus is still there.
  expect(await page.evaluate(() => document.activeElement?.getAttribute('data-site'))).toBe(domainOf(40));
  await expect.poll(() => page.locator('[data-site]').count()).toBeLessThan(70);

  await page.fill('[aria-label="Find a site"]', 'shop-25');
  await page.waitForSelector(`[data-site="${domainOf(250)}"] svg[role="img"]`);
  await expect.poll(() => page.locator('[data-site]').count()).toBe(10);
  await page.click(`[data-site="${domainOf(250)}"]`);
  await page.waitForURL(`${server.url}/${domainOf(250)}`);

  await page.click(`button[aria-label="Site: ${domainOf(250)}. Switch site"]`);
  await page.waitForSelector('[popover] [aria-label="Find a site"]:focus');
  expect(await page.locator('[popover] ul a').count()).toBeLessThan(60);
  await page.keyboard.type('shop-399');
  await page.waitForFunction(() => document.querySelectorAll('[popover] ul a').length === 1);
  await page.keyboard.press('ArrowDown');
  await page.waitForSelector('[popover] ul a:focus');
  await page.keyboard.press('Enter');
  await page.waitForURL(`${server.url}/${domainOf(399)}`);
  expect(dashboard.troubles).toEqual([]);
});
