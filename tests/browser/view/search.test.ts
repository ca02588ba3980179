// The search palette: everything that the dashboard can show or do, by keyboard alone, and no more than the viewer may.
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { createShareLink } from '../../../server/sites/sharing/share.ts';
import { createSegment } from '../../../server/sites/definitions/segments.ts';
import { goals } from '../../../server/sites/definitions/goals.ts';
import { openDashboard, ready } from '../../setup/browser/dashboard.ts';
import { DASHBOARD_WORDS, PAGE_WORDS, WORDS } from '../../setup/browser/palette-words.ts';

const options = (page: Page) =>
  page.$$eval('dialog [role=option]', (all) => all.map((one) => one.textContent?.replace(/\s+/g, ' ').trim() ?? ''));

/** What is listed first for each text, in the palette that is open. */
const firstOf = (page: Page, texts: string[]) =>
  page.evaluate(async (all) => {
    const field = document.querySelector<HTMLInputElement>('dialog [role=combobox]');
    const found: [string, string][] = [];
    for (const text of all) {
      if (field) field.value = text;
      field?.dispatchEvent(new Event('input', { bubbles: true }));
      await new Promise((done) => setTimeout(done));
      found.push([text, document.querySelector('dialog [role=option] > :first-child')?.textContent?.trim() ?? '']);
    }
    return Object.fromEntries(found);
  }, texts);

it('finds every screen, card of the settings and action by the words that people have for it', async () => {
  await using dashboard = await openDashboard();
  const { page, server } = dashboard;
  const check = async (words: Record<string, string>) => {
    await page.keyboard.press('/');
    await page.locator('dialog [role=combobox]').waitFor();
    expect(await firstOf(page, Object.keys(words))).toEqual(words);
    await page.locator('dialog [role=combobox]').fill('xyzzy');
    await page.getByText('Nothing is called “xyzzy”.').waitFor();
    await page.keyboard.press('Escape');
  };
  await page.waitForSelector('[data-panel="journeys"]');
  await check({ ...WORDS, ...DASHBOARD_WORDS });
  await page.goto(`${server.url}/example.com/settings`);
  await page.getByRole('heading', { name: 'Snippet' }).waitFor();
  await check({ ...WORDS, ...PAGE_WORDS });
  // Without a site of their own, pages offer the settings of the one that was open last.
  const { dashboard: _, stats: _stats, realtime: _live, ...words } = { ...WORDS, ...PAGE_WORDS };
  await page.goto(`${server.url}/settings/profile`);
  await page.getByRole('heading', { name: 'Theme' }).waitFor();
  await check({ ...words, 'site settings': 'Settings of example.com' });
  expect(dashboard.troubles).toEqual([]);
});

it('goes everywhere by keyboard, begins with what was used last, and offers viewers of a link only what they may', async () => {
  await using dashboard = await openDashboard({ isBlank: true });
  const { page, server, site } = dashboard;
  const { directory } = server.app.services;
  const at = { siteId: site.id };
  const filters = [{ dimension: 'page' as const, operator: 'is' as const, values: ['/pricing'] }];
  await createSegment(directory, { ...at, owner: null, name: '<i>Readers</i>', filters }, server.clock.now);
  const definition = { kind: 'page' as const, page: '/pricing' };
  const goal = await goals.create(directory, { ...at, name: 'Saw the prices', definition }, server.clock.now);
  await page.goto(`${server.url}/example.com`);
  await ready(page, 'pages');
  await page.waitForSelector('[data-segments] [role=tab]');

  const field = page.locator('dialog [role=combobox]');
  const gone = () => page.waitForSelector('dialog', { state: 'detached' });
  /** Opens the search, types, waits for an entry that begins like this, and takes the first one. */
  const take = async (typed: string, first: string, key = '/') => {
    await page.keyboard.press(key);
    await field.waitFor();
    await page.keyboard.type(typed);
    await page.waitForFunction((text) => {
      const one = document.querySelector('dialog [role=option]');
      return one?.textContent?.replace(/\s+/g, ' ').trim().startsWith(text);
    }, first);
    await page.waitForFunction(
      () =>
        document.querySelector('dialog [role=combobox]')?.getAttribute('aria-activedescendant') ===
        document.querySelector('dialog [role=option][aria-selected=true]')?.id,
    );
    await page.keyboard.press('Enter');
    await gone();
  };
  await take('last 7', 'Last 7 days', 'Control+k');
  await page.waitForURL('**period=7d**');
  await take('today', 'Today');
  await page.waitForURL(`${server.url}/example.com`);
  await take('readers', '<i>Readers</i>', 'Meta+k');
  await page.waitForURL('**segment=segment_**');
  await page.waitForSelector('[data-metric="pageviews"][data-value="1"]');
  await take('all visitors', 'All visitors');
  await page.waitForSelector('[data-metric="pageviews"][data-value="3"]');
  await take('saw the', 'Saw the prices');
  await page.waitForURL((url) => url.searchParams.get('f') === `is:goal:${goal.id}`);
  await take('clear', 'Clear filters');
  await take('channels', 'Channels');
  await page.waitForSelector('[data-panel="sources"] [role=tab][aria-selected=true]:has-text("Channels")');
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent?.trim())).toBe('Channels');
  // Values become filters; the arrows go round.
  await take('example.com', 'example.com');
  await page.waitForURL((url) => url.searchParams.get('f') === 'is:hostname:example.com');
  await page.keyboard.press('/');
  await page.waitForSelector('dialog [role=option]:has-text("Saw the prices")');
  await expect
    .poll(async () => (await options(page)).slice(0, 4))
    .toEqual(['Channels Sources', 'Clear filters Esc', 'Saw the prices Filter', '<i>Readers</i> Segments']);
  await page.keyboard.press('ArrowUp');
  await expect.poll(() => page.locator('dialog [role=option]').last().getAttribute('aria-selected')).toBe('true');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.type('no such thing');
  await page.waitForSelector('dialog .none:has-text("Nothing is called")');
  await page.keyboard.press('Escape');
  await gone();
  await page.keyboard.press('/');
  await field.waitFor();
  await page.keyboard.type('save as');
  await page.waitForSelector('dialog [role=option][aria-selected=true]:has-text("Save as")');
  await page.keyboard.press('Enter');
  await page.waitForSelector('dialog:has-text("Save as segment") input[maxlength="100"]');
  await page.keyboard.press('Escape');
  await gone();
  await take('theme: dark', 'Theme: Dark');
  await page.waitForSelector('html[data-theme="dark"]', { state: 'attached' });

  const { token } = await createShareLink(directory, { ...at, name: 'link' }, server.clock.now);
  await page.goto(`${server.url}/share/${token}`);
  await page.waitForSelector('[data-panel="pages"][data-state="empty"]'); // two visitors are too few to show
  await page.keyboard.press('/');
  await field.waitFor();
  await page.waitForSelector('dialog [role=option]:has-text("Readers")');
  const offered = (await options(page)).join('\n');
  expect(offered).not.toMatch(/All sites|Add a site|settings|Share|Save as|Log out|Properties/i);
  expect(offered).toMatch(/Live view/);
  await page.keyboard.press('Escape');
  await gone();
  await page.goto(`${server.url}/example.com`);
  await ready(page, 'pages');
  // The other signed-in pages have a search of their own.
  await take('live view', 'Live view');
  await page.waitForSelector('[data-panel="live_pages"]');
  await take('site settings', 'Site settings');
  await page.waitForURL(`${server.url}/example.com/settings`);
  await take('revenue', 'Revenue Site settings · Counting');
  await page.waitForURL(`${server.url}/example.com/settings/counting`);
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.closest('[data-section]')?.getAttribute('data-section')))
    .toBe('Revenue');
  await take('all sites', 'All sites', 'Control+k');
  await page.waitForURL(`${server.url}/`);
  await page.waitForSelector('[data-site="example.com"]');
  await page.keyboard.press('/');
  await page.waitForSelector('dialog [role=option]');
  expect((await options(page)).filter((label) => /All sites|Filter|Today/.test(label))).toEqual([]);
  await page.keyboard.press('Escape');
  await gone();
  await take('account settings', 'Account settings');
  await page.waitForURL(`${server.url}/settings/profile`);
  await take('example.com', 'example.com Site');
  await page.waitForURL(`${server.url}/example.com`);
  await ready(page, 'pages');
  await take('log out', 'Log out');
  await page.waitForURL('**/login');
  expect(dashboard.troubles).toEqual([]);
});
