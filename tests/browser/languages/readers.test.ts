// What a reader of another language gets: the page from right to left, names for assistive technology, and a search that knows both languages.
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { readCatalogue } from '../../../languages/compiler/catalogues.ts';
import { violations } from '../../setup/browser/axe.ts';
import { resize } from '../../setup/browser/chromium.ts';
import { ready, shareDashboard } from '../../setup/browser/dashboard.ts';
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
    await resize(page, { width: 390, height: 844 });
    expect(await tooWide(page)).toBe(0);
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
