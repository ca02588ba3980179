// The dashboard as its reader arranges it: the order of its chapters, those that are folded or hidden, for oneself, for everybody and for a link.
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { createShareLink } from '../../../server/sites/sharing/share.ts';
import { openDashboard, ready } from '../../setup/browser/dashboard.ts';

const USUAL = [
  'figures',
  'sources',
  'pages',
  'places',
  'devices',
  'events',
  'goals',
  'funnels',
  'journeys',
  'speed',
  'ai',
];
const chapters = (page: Page) =>
  page.$$eval('[data-chapter]', (all) => all.map((one) => one.getAttribute('data-chapter')));
const label = (page: Page, name: string) => page.locator(`[data-arranged="${name}"]`);

it('folds a chapter by its title, orders and hides chapters, and keeps it on the server', async () => {
  await using dashboard = await openDashboard({ width: 1560 });
  const { page, server, browser } = dashboard;
  await ready(page, 'sources');
  expect(await chapters(page)).toEqual([...USUAL, 'mentions']);

  const title = (expanded: boolean) => page.getByRole('button', { name: 'Sources', expanded });
  const hasFocus = (expanded: boolean) => title(expanded).evaluate((one) => one === document.activeElement);
  await title(true).press('Enter');
  await page.waitForSelector('[data-panel="sources"]', { state: 'detached' });
  await expect.poll(() => hasFocus(false)).toBe(true);
  await page.keyboard.press('Enter');
  await expect.poll(() => hasFocus(true)).toBe(true);
  await page.keyboard.press('Enter');
  await title(false).waitFor();
  await page.reload();
  await page.getByRole('button', { name: 'Sources', expanded: false }).click();
  await ready(page, 'sources');

  await page.click('footer button:has-text("Arrange")');
  await label(page, 'pages').getByRole('button', { name: 'Move Pages up' }).click();
  await label(page, 'pages').getByRole('button', { name: 'Move Pages up' }).click();
  await label(page, 'ai').getByRole('checkbox', { name: 'AI visits', exact: true }).uncheck();
  const pagesFirst = ['pages', 'figures', ...USUAL.slice(1, -1).filter((name) => name !== 'pages'), 'mentions'];
  await expect.poll(() => chapters(page)).toEqual(pagesFirst);
  const dialog = page.locator('dialog');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });

  await page.evaluate(() => scrollTo(0, 0));
  // The marks at the edge of a wide window lead to a chapter and follow the page.
  const index = page.getByRole('navigation', { name: 'Chapters' });
  await expect.poll(() => index.locator('[aria-current]').allTextContents()).toEqual(['Pages']);
  await index.hover();
  await index.getByRole('button', { name: 'Places' }).click();
  await expect.poll(() => index.locator('[aria-current]').allTextContents()).toEqual(['Sources', 'Places', 'Devices']);

  // A browser without any storage shows the same.
  const elsewhere = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  await elsewhere.addCookies(await dashboard.context.cookies());
  const other = await elsewhere.newPage();
  await other.goto(`${server.url}/example.com`);
  await ready(other, 'pages');
  expect(await chapters(other)).toEqual(pagesFirst);
  // The palette finds a hidden chapter, and shows it.
  await other.keyboard.press('/');
  await other.waitForSelector('dialog [role=combobox]');
  await other.keyboard.type('gptbot');
  await other.getByRole('option', { name: /AI visits.*Hidden/ }).click();
  await expect.poll(() => chapters(other)).toContain('ai');
  await elsewhere.close();
  expect(dashboard.troubles).toEqual([]);
});

it('is arranged for everybody and for a link, and a viewer of the link arranges it in their browser', async () => {
  await using dashboard = await openDashboard();
  const { page, server, site, browser } = dashboard;
  const { directory } = server.app.services;
  const { token } = await createShareLink(directory, { siteId: site.id, name: 'Client' }, server.clock.now);
  await ready(page, 'sources');
  await page.click('footer button:has-text("Arrange")');
  await page.getByLabel('For', { exact: true }).selectOption({ label: 'Everybody who has not arranged it themselves' });
  // Two changes within one round trip.
  const answer = Promise.withResolvers<undefined>();
  await page.route('**/trpc/sites.change*', async (route) => {
    await answer.promise;
    await route.continue();
  });
  await label(page, 'devices').getByRole('checkbox', { name: 'Devices', exact: true }).uncheck();
  await label(page, 'ai').getByRole('checkbox', { name: 'AI visits', exact: true }).uncheck();
  answer.resolve(undefined);
  const ofSite = USUAL.filter((name) => name !== 'devices' && name !== 'ai');
  await expect.poll(() => chapters(page)).toEqual([...ofSite, 'mentions']);
  await page.getByLabel('For', { exact: true }).selectOption({ label: 'Viewers of “Client”' });
  const ofLink = async () =>
    (await directory.db.selectFrom('share_links').select('arrangement').execute())[0]?.arrangement;
  await label(page, 'places').getByRole('checkbox', { name: 'Places: folded' }).check();
  await expect.poll(ofLink).toBe('{"folded":["places"]}');
  await label(page, 'goals').getByRole('checkbox', { name: 'Goals: folded' }).check();
  await expect.poll(ofLink).toBe('{"folded":["places","goals"]}');

  const stranger = await browser.newContext();
  const shared = await stranger.newPage();
  await shared.goto(`${server.url}/share/${token}`);
  await shared.waitForSelector('[data-panel="sources"][data-state="empty"]'); // two visitors are too few to show
  expect(await chapters(shared)).toEqual(ofSite);
  await shared.getByRole('button', { name: 'Places', expanded: false }).waitFor();
  await shared.getByRole('button', { name: 'Pages', expanded: true }).click();
  await shared.reload();
  await shared.getByRole('button', { name: 'Pages', expanded: false }).waitFor();
  expect(await directory.db.selectFrom('arrangements').selectAll().execute()).toEqual([]);
  expect(dashboard.troubles).toEqual([]);
});
