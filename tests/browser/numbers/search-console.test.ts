// Search Console as its owner meets it: connecting, the first terms, a filter, a page's terms, a grant that broke, and connecting again.
import { expect, test } from 'vitest';
import { DAY_MS, dayOf } from '../../../server/vocabulary/time/time.ts';
import { type Impressions, startGoogle } from '../../setup/internet/google.ts';
import { freePort } from '../../setup/processes/process.ts';
import { openDashboard, ready, rowsOf } from '../../setup/browser/dashboard.ts';

test('an owner connects a site, sees its search terms, filters them by page, and connects again after the grant broke', async () => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  await using google = await startGoogle();
  await using dashboard = await openDashboard({
    port,
    env: { BASE_URL: url, LOG_LEVEL: 'silent', ...google.env },
    isBlank: true,
  });
  const { page, server, site } = dashboard;
  const { db } = server.app.services.directory;
  const found = (query: string | undefined, path: string, clicks: number): Impressions => ({
    day: dayOf(server.clock.now - 3 * DAY_MS),
    page: `https://example.com${path}`,
    country: 'deu',
    device: 'MOBILE',
    clicks,
    impressions: 10 * clicks,
    position: 2,
    ...(query !== undefined && { query }),
  });
  // Before the week that is looked at first.
  const older = Array.from({ length: 120 }, (_, index) => ({
    ...found(`term ${String(index).padStart(3, '0')}`, '/', 1),
    day: dayOf(server.clock.now - 9 * DAY_MS),
  }));
  google.data = [found('red shoes', '/', 7), found('prices', '/pricing', 4), found(undefined, '/', 2), ...older];
  google.properties = { 'https://www.example.com/': 'siteOwner', 'sc-domain:example.com': 'siteOwner' };

  await page.goto(`${url}/example.com?sources=search_terms`);
  await page.locator('[data-panel=sources]').getByRole('link', { name: 'Connect in the settings' }).click();
  const section = page.locator('[data-search-console]');
  await section.getByRole('button', { name: 'Connect with Google' }).click();
  await section.getByText('Google is connected.').waitFor();
  await expect.poll(() => section.getByLabel('Property').inputValue()).toBe('sc-domain:example.com');
  await section.getByRole('button', { name: 'Use this property' }).click();
  await section.getByText('example.com (whole domain)').waitFor();
  await server.app.runJob('read-search-terms');
  await section.locator('[data-progress]:not([data-progress="0"])').waitFor();

  await page.goto(`${url}/example.com?sources=search_terms&period=7d`);
  await ready(page, 'sources');
  expect(await rowsOf(page, 'sources')).toEqual([
    ['red shoes', 7],
    ['prices', 4],
  ]);
  const panel = page.locator('[data-panel=sources]');
  expect(await panel.locator('[data-withheld]').getAttribute('data-value')).toBe('2');
  await panel.getByText('Google publishes its numbers two to three days late.').waitFor();
  await page.goto(`${url}/example.com?sources=search_terms&period=7d&f=is:page:/pricing`);
  await ready(page, 'sources');
  expect(await rowsOf(page, 'sources')).toEqual([['prices', 4]]);

  await panel.getByRole('button', { name: 'Details' }).click();
  const list = page.getByRole('dialog', { name: 'Search terms' });
  await list.locator('[data-row=prices]').waitFor();
  const cells = await list.locator('[data-row=prices] td').evaluateAll((all) => all.map((one) => one.dataset['value']));
  expect(cells).toEqual(['4', '40', '10', '2']);
  const downloading = page.waitForEvent('download');
  await list.getByRole('button', { name: 'Copy or download these numbers' }).click();
  await list.getByRole('button', { name: 'Download CSV' }).click();
  const stream = await (await downloading).createReadStream();
  const csv = Buffer.concat(await stream.toArray()).toString();
  const names = ['clicks', 'impressions', 'click_rate', 'position'];
  const heads = ['term', ...names, ...names.map((name) => `previous.${name}`)];
  expect(csv).toBe(`\ufeff${heads.join()}\r\nprices,4,40,10,2,0,0,0,0\r\n`);
  await page.keyboard.press('Escape');
  // The address has the order, and the list has no pages.
  await page.goto(`${url}/example.com?period=30d&details=search_terms&sort=name:desc`);
  const rows = list.locator('tr[data-row]');
  await list.locator('[data-row="term 119"]').waitFor();
  expect(await rows.count()).toBeLessThan(60);
  const scroller = list.locator('.scroller');
  await scroller.evaluate((node) => node.scrollTo({ top: node.scrollHeight }));
  await list.locator('[data-row=prices]').waitFor();
  await list.locator('[data-withheld]').waitFor();
  await list.locator('[data-row="term 119"]').waitFor({ state: 'detached' });
  await list.getByRole('button', { name: 'Clicks' }).click();
  await page.waitForURL('**sort=clicks%3Adesc');
  await list.locator('tbody tr').first().and(list.locator('[data-row="red shoes"]')).waitFor();
  await page.goto(`${url}/example.com?period=7d&details=page&row=/`);
  const part = page.locator('[data-part="Search terms"]');
  await part.locator('[data-row="red shoes"]').waitFor();

  google.withdraw();
  server.clock.now += DAY_MS;
  await db.updateTable('search_connections').set({ next_at: 0 }).where('site_id', '=', site.id).execute();
  await server.app.runJob('read-search-terms');
  await page.goto(`${url}/example.com`);
  await page.getByRole('link', { name: 'Connect again in the settings' }).click();
  await section.getByText('Google no longer accepts the permission').waitFor();
  await section.getByRole('button', { name: 'Connect again' }).click();
  await page.waitForURL(/search=connected/);
  await section.getByText('example.com (whole domain)').waitFor();
  expect(await section.getByText('Google no longer accepts').count()).toBe(0);
  expect(dashboard.troubles).toEqual([]);
});
