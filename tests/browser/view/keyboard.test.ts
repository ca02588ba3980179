// Keyboard: dialogs start with their title and return the focus, and each key does one thing.
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { ready, shareDashboard } from '../../setup/browser/dashboard.ts';

const focused = (page: Page) =>
  page.evaluate(
    () => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent?.trim(),
  );
const gone = (page: Page) => page.waitForSelector('dialog', { state: 'detached' });

describe('of a server that stays as it is', () => {
  const shared = shareDashboard();

  it('starts a dialog with its title, and returns the focus however it is closed', async () => {
    await using dashboard = await shared();
    const { page } = dashboard;
    await ready(page, 'pages');
    for (const close of ['Escape', 'Close', 'beside'] as const) {
      await page.focus('[aria-label="Share"]');
      await page.keyboard.press('Enter');
      await page.waitForSelector('dialog form');
      await expect.poll(() => focused(page)).toBe('Share this dashboard');
      if (close === 'Escape') await page.keyboard.press('Escape');
      else if (close === 'Close') await page.click('dialog [aria-label="Close"]');
      else await page.mouse.click(5, 5);
      await gone(page);
      await expect.poll(() => focused(page), { message: close }).toBe('Share');
    }
    const details = '[data-panel="pages"] footer button';
    await page.focus(details);
    await page.keyboard.press('Enter');
    await page.waitForSelector('dialog table');
    await expect.poll(() => focused(page)).toBe('Page');
    await page.keyboard.press('Escape');
    await gone(page);
    await page.waitForSelector(`${details}:focus`);
  });

  it('keeps a dialog that is opened in the same moment in which another one closes', async () => {
    await using dashboard = await shared();
    const { page } = dashboard;
    await ready(page, 'pages');
    for (let turn = 0; turn < 3; turn += 1) {
      await page.keyboard.press('/');
      await page.waitForSelector('dialog input');
      // The browser tells of the closing with its next frame, which on a busy machine is after the next key.
      await page.evaluate(() => {
        document.querySelector('dialog')?.close();
        dispatchEvent(new KeyboardEvent('keydown', { key: '?', bubbles: true, cancelable: true }));
      });
      await page.waitForSelector('dialog kbd');
      await page.evaluate(() => new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted))));
      expect(await page.locator('dialog[open] kbd').count()).toBeGreaterThan(0);
      await page.keyboard.press('Escape');
      await gone(page);
    }
  });

  it('leaves the focus where the reader has moved it while a menu still loads', async () => {
    await using dashboard = await shared({ isBlank: true });
    const { page, server } = dashboard;
    const held = Promise.withResolvers<undefined>();
    await page.route('**/_app/immutable/**/*.js', async (route) => {
      const response = await route.fetch();
      const code = await response.text();
      if (code.includes('class="who') && code.includes('hotkey')) await held.promise; // the menu, whose texts are elsewhere
      await route.fulfill({ response });
    });
    await page.goto(`${server.url}/example.com`);
    await ready(page, 'pages');
    const menu = page.getByRole('group', { name: 'Account and theme' });
    await page.focus('[aria-label="Account and theme"]');
    await page.keyboard.press('Enter');
    await page.waitForSelector('[aria-label="Account and theme"][aria-expanded="true"]');
    expect(await menu.locator('fieldset').count()).toBe(0);
    await page.keyboard.press('Shift+Tab');
    expect(await focused(page)).toBe('Site settings');
    held.resolve(undefined);
    await menu.locator('fieldset').waitFor();
    expect(await focused(page)).toBe('Site settings');
  });

  it('offers other values when a filter is changed, beside the ones that it has', async () => {
    await using dashboard = await shared({ isBlank: true });
    const { page, server } = dashboard;
    await page.goto(`${server.url}/example.com?f=is:page:/pricing`);
    await page.click('[aria-label="Filters"] button:has-text("/pricing")');
    await page.click(':popover-open [role=option]:has-text("/")');
    await page.click(':popover-open button:has-text("Apply")');
    await page.waitForURL((url) => url.searchParams.getAll('f').join(' ') === 'is:page:/pricing,/');
    await page.waitForSelector('[data-metric="pageviews"][data-value="3"]');
  });

  it('leaves the live view by its own keys, and stays there when the page is reloaded', async () => {
    await using dashboard = await shared({ isBlank: true });
    const { page, server } = dashboard;
    const live = `${server.url}/example.com/live`;
    await page.goto(live);
    await page.waitForSelector('[data-live="current_visitors"][data-value="2"]');
    await page.evaluate(() =>
      dispatchEvent(new KeyboardEvent('keydown', { key: 'r', ctrlKey: true, bubbles: true, cancelable: true })),
    );
    await page.evaluate(async () => (await fetch('/healthz')).text()); // longer than leaving would take
    expect(page.url()).toBe(live);
    for (const key of ['r', 'Escape']) {
      await page.keyboard.press(key);
      await page.waitForURL(`${server.url}/example.com`);
      await ready(page, 'pages');
      await page.keyboard.press('r');
      await page.waitForURL(live);
      await page.waitForSelector('[data-live="current_visitors"][data-value="2"]');
    }
  });

  it('scrolls to the selected tab where the tabs are wider than the phone', async () => {
    await using dashboard = await shared({ isBlank: true });
    const { page, server } = dashboard;
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`${server.url}/example.com?sources=assistants`);
    await page.waitForSelector('[data-panel="sources"] [role=tab][aria-selected=true]:has-text("AI")');
    const edges = () =>
      page.$eval('[data-panel="sources"] [role=tab][aria-selected=true]', (tab) => {
        const { left, right } = tab.getBoundingClientRect();
        return { isWhole: left >= 0 && right <= innerWidth, top: scrollY };
      });
    await expect.poll(edges).toEqual({ isWhole: true, top: 0 });
  });
});
