// What others get to see: the start page and its demo, a shared link that names Footfall, and a printed view.
import { expect, it } from 'vitest';
import { createShareLink } from '../../../server/sites/sharing/share.ts';
import { openDashboard } from '../../setup/browser/dashboard.ts';

it('tells strangers what it is, opens the demo, puts a credit on shared links, and prints a whole view', async () => {
  await using opened = await openDashboard({ env: { DEMO: 'on' }, isBlank: true });
  const { page, server, site, browser } = opened;
  const { directory } = server.app.services;
  await directory.db.updateTable('accounts').set({ kind: 'demo' }).where('id', '=', site.account_id).execute();

  const stranger = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage();
  const hosts = new Set<string>();
  stranger.on('request', (request) => hosts.add(new URL(request.url()).host));
  await stranger.goto(server.url);
  await stranger.getByRole('heading', { level: 1 }).waitFor();
  expect(await stranger.locator('[data-plan]').count()).toBe(0); // nobody can pay here
  expect(await stranger.getByRole('link', { name: 'Log in' }).first().getAttribute('href')).toBe('/login');
  await stranger.getByRole('link', { name: 'See the demo' }).click();
  await stranger.waitForURL('**/share/demo?period=30d');
  await stranger.waitForSelector('[data-panel="pages"]:not([data-state="loading"])');
  expect(await stranger.locator('[data-credit]').count()).toBe(0);
  expect([...hosts]).toEqual([new URL(server.url).host]);

  const credits = stranger.getByRole('link', { name: 'Counted by Footfall' });
  for (const credit of [true, false]) {
    const shows = { properties: false, fewest: 1, credit };
    const { token } = await createShareLink(directory, { siteId: site.id, name: 'link', shows }, server.clock.now);
    await stranger.goto(`${server.url}/share/${token}`);
    await stranger.waitForSelector('[data-panel="pages"][data-state="ready"]');
    await expect.poll(() => credits.count()).toBe(credit ? 1 : 0);
  }

  await page.goto(`${server.url}/example.com?f=is:page:/pricing`);
  await page.evaluate(() => {
    globalThis.print = () => {
      const { dataset } = document.documentElement;
      dataset['printed'] = `${document.querySelectorAll('main [data-state="loading"]').length} ${dataset['theme']}`;
    };
  });
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
  await page.getByRole('button', { name: 'Save as PDF' }).click();
  await page.waitForSelector('[data-printed="0 light"]');
  // Nobody has scrolled to the last panel.
  expect(await page.locator('[data-panel="journeys"]').getAttribute('data-state')).not.toBe('loading');
  await page.waitForSelector('html[data-theme="dark"]', { state: 'attached' });
  await page.emulateMedia({ media: 'print' });
  const heading = page.locator('[data-print-heading]');
  await expect
    .poll(() => heading.locator('p').allInnerTexts())
    .toEqual([
      'example.com',
      expect.stringMatching(/^Today, \d+ \w+ \d{4} · Comparison: Previous period$/),
      'Filter: Page is /pricing',
    ]);
  const controls = page.locator('header.screen-only, [data-chapter] [role="tab"][aria-selected="false"], main .button');
  expect(await controls.count()).toBeGreaterThan(5);
  await expect.poll(() => controls.filter({ visible: true }).count()).toBe(0);
  expect(opened.troubles).toEqual([]);
});
