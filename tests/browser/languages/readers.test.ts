// What a reader of another language gets: the page from right to left, names for assistive technology, and a search that knows both languages.
import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { readCatalogue } from '../../../languages/compiler/catalogues.ts';
import { violations } from '../../setup/browser/axe.ts';
import { drawn, resize } from '../../setup/browser/chromium.ts';
import { follow, ready, shareDashboard } from '../../setup/browser/dashboard.ts';
import { tooWide } from '../../setup/browser/pseudo.ts';

const startsAt = (page: Page, selector: string) =>
  page.$eval(selector, (element) => {
    const { left, right } = element.getBoundingClientRect();
    return left < innerWidth - right ? 'left' : 'right';
  });

describe('in Arabic', () => {
  const open = shareDashboard({ locale: 'ar-EG' });

  test('the page runs from right to left, time and numbers do not, and assistive technology can use it', async () => {
    await using dashboard = await open({ isBlank: true });
    const { page, server, troubles } = dashboard;
    await page.goto(`${server.url}/example.com`);
    await ready(page, 'pages');
    expect(await page.evaluate(() => [document.documentElement.lang, document.documentElement.dir])).toEqual([
      'ar',
      'rtl',
    ]);
    expect([await startsAt(page, '[data-panel="sources"]'), await startsAt(page, '[data-panel="pages"]')]).toEqual([
      'right',
      'left',
    ]);
    await page.waitForSelector('.chart[dir=ltr] canvas');
    const turned = await page.$$eval(
      '.digits',
      (all) =>
        all.filter((one) => /^[\d.,k%]{2,}$/.test(one.textContent ?? '') && getComputedStyle(one).direction !== 'ltr')
          .length,
    );
    expect(turned).toBe(0);
    expect(await violations(page)).toEqual([]);

    // The card of a number opens below it.
    const tile = page.locator('[data-metric="views_per_visit"]');
    await tile.focus();
    await page.keyboard.press('i');
    await page.waitForSelector('[data-card][data-state="ready"]');
    const leftOf = (part: Locator) => part.evaluate((element) => element.getBoundingClientRect().left);
    await expect.poll(() => leftOf(page.locator('dialog'))).toBe(await leftOf(tile));
    await page.keyboard.press('Escape');

    await resize(page, { width: 390, height: 844 });
    expect(await tooWide(page)).toBe(0);

    // A line of tabs and one of filters scroll to what is beyond their left edge.
    const tabs = page.locator('[data-panel="sources"] [role=tablist]');
    await tabs.getByRole('tab').last().click();
    await expect.poll(() => tabs.getByRole('tab').last().getAttribute('aria-selected')).toBe('true');
    expect(await tabs.evaluate((list) => list.scrollWidth > list.clientWidth)).toBe(true);
    await drawn(page);
    expect(await leftOf(tabs.getByRole('tab').last())).toBeGreaterThanOrEqual(await leftOf(tabs));
    await follow(page, '/example.com?f=contains:page:/&f=is_not:browser:Opera&f=is_not:country:DE');
    const chips = page.locator('.filters .chips');
    await chips.hover();
    await page.mouse.wheel(0, 100);
    await expect.poll(() => chips.evaluate((line) => line.scrollLeft)).toBe(-100);
    expect(troubles).toEqual([]);
  });
});

describe('in German', () => {
  const open = shareDashboard({ locale: 'de-DE' });
  const german = readCatalogue('de');

  test.each(['Keyboard shortcuts', 'Sources'])('the search finds “%s” by both names', async (name) => {
    await using dashboard = await open({ isBlank: true });
    const { page, server } = dashboard;
    await page.goto(`${server.url}/example.com`);
    await ready(page, 'pages');
    await page.keyboard.press('/');
    const option = page.locator('dialog [role=option]').filter({ hasText: german[name] as string });
    for (const typed of [name, german[name] as string]) {
      await page.fill('dialog input', typed);
      await option.first().waitFor();
    }
  });

  test('what the server refuses is said in German', async () => {
    await using dashboard = await open({ isBlank: true });
    const { page, server } = dashboard;
    await page.goto(`${server.url}/example.com/settings`);
    const domain = page.locator('#domain input, [name=domain]').first();
    await domain.fill('no domain');
    await domain.press('Enter');
    await page.getByRole('alert').first().waitFor();
    expect(await page.getByRole('alert').first().innerText()).toMatch(/^„no domain“ ist keine Domain: /);
  });
});
