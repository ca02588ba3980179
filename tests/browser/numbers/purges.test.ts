// Purges in the browser: filter, look at what would leave, purge, and put it back in the settings.
import { expect, it } from 'vitest';
import { DAY_MS, dayOf } from '../../../server/vocabulary/time/time.ts';
import { makeEvent } from '../../setup/event.ts';
import { FIREFOX, follow, openDashboard, ready, rowsOf } from '../../setup/browser/dashboard.ts';

it('takes what the filters show out of all numbers, and puts it back', async () => {
  await using dashboard = await openDashboard();
  const { page, server, view, troubles } = dashboard;
  await view('/casino', { referrer: 'https://spam.example/' }, `${FIREFOX} 2`);
  await server.settle();
  await page.waitForSelector('[data-metric="pageviews"][data-value="4"]');
  await page.waitForSelector('[data-live="current_visitors"][data-value="3"]');

  await follow(page, '/example.com?f=is:page:/casino');
  await page.click('[aria-label="More for these filters"]');
  await page.click(':popover-open button:has-text("Purge these visits")');
  const dialog = page.locator('dialog');
  await dialog.locator('[data-purge-preview]:has-text("1 visit with 1 page view will leave all numbers")').waitFor();
  expect(await dialog.locator('input').inputValue()).toBe('Page is /casino');
  await dialog.locator('input').fill('Casino');
  await dialog.getByRole('button', { name: 'Purge', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.waitForSelector('[data-metric="pageviews"][data-value="3"]');
  await page.waitForSelector('[data-live="current_visitors"][data-value="2"]');
  await ready(page, 'pages');
  await expect
    .poll(() => rowsOf(page, 'pages'))
    .toEqual([
      ['/', 2],
      ['/pricing', 1],
    ]);

  await follow(page, '/example.com/settings/exclusions');
  const row = page.locator('[data-purge="Casino"]');
  await row.getByText('1 visit with 1 page view').waitFor();
  await row.getByRole('button', { name: 'Undo' }).click();
  await row.waitFor({ state: 'detached' });
  await page.getByText('Nothing was purged in the last 30 days.').waitFor();
  await follow(page, '/example.com');
  await page.waitForSelector('[data-metric="pageviews"][data-value="4"]');

  // Nothing to purge: the button stays disabled.
  await follow(page, '/example.com?f=is:page:/nowhere');
  await page.click('[aria-label="More for these filters"]');
  await page.click(':popover-open button:has-text("Purge these visits")');
  await dialog.getByText('No visits match these filters in this period.').waitFor();
  expect(await dialog.getByRole('button', { name: 'Purge', exact: true }).isDisabled()).toBe(true);
  expect(troubles).toEqual([]);
});

it('shows what was counted and is unusual, to look at it or to leave it out', async () => {
  await using dashboard = await openDashboard({ isBlank: true });
  const { page, server, troubles } = dashboard;
  const url = 'https://staging.example.com/';
  await server.foot({ site: 'example.com', name: 'pageview', url }, { 'user-agent': `${FIREFOX} 2` });
  await server.settle();
  server.clock.now += DAY_MS; // the last 30 days end yesterday
  await page.goto(`${server.url}/example.com/settings/exclusions#unusual`);
  const row = page.locator('#unusual [data-row="Another host: staging.example.com"]');
  await row.getByText('1 visit, 33% of all.').waitFor();
  expect(await page.locator('#unusual [data-row]').count()).toBe(1);

  await row.getByRole('button', { name: 'Leave out' }).click();
  await row.getByText('Left out from now on').waitFor();
  await page.getByText('staging.example.com is left out.').waitFor();
  expect(await page.getByRole('textbox', { name: 'Hosts' }).inputValue()).toBe('staging.example.com');

  // Another button leaves alone what is being typed.
  await page.getByRole('switch', { name: 'Leave out visits from where you are now' }).check();
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.getByText('One network is left out.').waitFor();
  const pages = page.getByRole('textbox', { name: 'Pages' });
  await pages.fill('/admin/**');
  await page.getByRole('button', { name: 'Count all networks' }).click();
  await page.getByText('One network is left out.').waitFor({ state: 'detached' });
  expect(await pages.inputValue()).toBe('/admin/**');
  await page.getByRole('button', { name: 'Discard' }).click();
  await expect.poll(() => pages.inputValue()).toBe('');

  await row.getByRole('link', { name: 'Look at them' }).click();
  await page.waitForURL(/period=30d&f=is%3Ahostname%3Astaging\.example\.com/);
  await page.waitForSelector('[data-metric="visits"][data-value="1"]');
  expect(troubles).toEqual([]);
});

it('tells that one visitor sent a large part of a day, without telling who, and shows visits like it', async () => {
  await using dashboard = await openDashboard({ traffic: false, isBlank: true });
  const { page, server, site } = dashboard;
  const { now } = server.clock;
  const views = (visitor: string, count: number, more: object) =>
    Array.from({ length: count }, (_, index) => makeEvent({ site_id: site.id, visitor, time: now + index, ...more }));
  const program = { browser: 'Firefox', os: 'Linux', country: 'DE' };
  await server.app.collector.record(
    [...views('program', 120, program), ...views('person', 30, { browser: 'Chrome' })],
    now,
  );
  await server.settle();
  server.clock.now += DAY_MS;
  await page.goto(`${server.url}/example.com/settings/exclusions#unusual`);
  const day = dayOf(now);
  const row = page.locator(`#unusual [data-row="One visitor on ${day}"][data-value="120"]`);
  await row.getByText('120 page views, 80% of that day’s, from one address with one browser.').waitFor();
  await row.getByRole('link', { name: 'Look at visits like it' }).click();
  await page.waitForURL(new RegExp(`date_from=${day}.*browser%3AFirefox.*os%3ALinux.*country%3ADE`));
  await page.waitForSelector('[data-metric="pageviews"][data-value="120"]');
  expect(dashboard.troubles).toEqual([]);
});
