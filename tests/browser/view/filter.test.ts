// Filters are added by keyboard and by thumb, with a combobox that follows the ARIA pattern and finds values of every dimension.
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { violations } from '../../setup/browser/axe.ts';
import { resize } from '../../setup/browser/chromium.ts';
import { follow, openDashboard, ready, rowsOf, shareDashboard } from '../../setup/browser/dashboard.ts';

const filters = (page: Page) => new URL(page.url()).searchParams.getAll('f');
const focusIsOnBody = (page: Page) => page.evaluate(() => document.activeElement === document.body);
const gone = (page: Page) => page.waitForSelector('dialog', { state: 'detached' });

describe('of a server that stays as it is', () => {
  const shared = shareDashboard();

  it('is a combobox: arrows choose in the list while the focus stays in the field, and never drops to the body', async () => {
    await using dashboard = await shared();
    const { page } = dashboard;
    await ready(page, 'pages');
    await page.keyboard.press('f');
    await page.selectOption('dialog select[aria-label="Dimension"]', 'page');
    const field = page.locator('dialog [role=combobox]');
    await field.focus();
    await page.waitForSelector('dialog [role=option]:nth-of-type(2)');
    expect(await field.getAttribute('aria-expanded')).toBe('true');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    const active = await field.getAttribute('aria-activedescendant');
    expect(await page.locator(`dialog [role=option][aria-selected=true]`).getAttribute('id')).toBe(active);
    expect(await page.locator('dialog [role=listbox]').getAttribute('id')).toBe(
      await field.getAttribute('aria-controls'),
    );
    await page.keyboard.press('Enter');
    await page.click('dialog [role=option]:has-text("/")');
    expect(await page.locator('dialog [aria-label="Values"] li').count()).toBe(2);
    expect(await focusIsOnBody(page)).toBe(false);
    await page.click('dialog [aria-label="Remove /"]');
    expect(await field.evaluate((one) => document.activeElement === one)).toBe(true);
    await page.keyboard.press('Enter');
    await gone(page);
    expect(filters(page)).toEqual(['is:page:/pricing']);

    // The same holds when one filter is removed, and with it the whole line.
    await page.focus('[aria-label^="Remove filter"]');
    await page.keyboard.press('Enter');
    await page.waitForSelector('[aria-label="Filters"]', { state: 'detached' });
    await page.waitForSelector('[aria-label="Filter"]:focus');

    // A row that goes after a click beside it takes no focus along. A button does, to the title above it.
    await page.focus('[data-panel="pages"] [data-row="/"] button');
    await page.mouse.click(2, 450);
    await follow(page, '/example.com?f=is:page:/none');
    const clear = page.locator('[data-panel="pages"]').getByRole('button', { name: 'Clear filters' });
    await clear.waitFor();
    expect(await focusIsOnBody(page)).toBe(true);
    await clear.press('Enter');
    await page.waitForSelector('[data-panel="pages"] h2 :focus');
  });

  it('changes a filter in a popover of its chip: Enter applies, Escape does not, and the chip keeps the focus', async () => {
    await using dashboard = await shared({ isBlank: true });
    const { page, server } = dashboard;
    await page.goto(`${server.url}/example.com?f=is:page:/pricing&f=contains:page:/&f=is_not:browser:Safari`);
    await page.click('[aria-label="Change filter Page is /pricing"]');
    await page.waitForSelector(':popover-open [role=combobox]:focus');
    expect(await violations(page)).toEqual([]);
    await page.click(':popover-open [role=option]:has-text("/")');
    await page.keyboard.press('Escape');
    await page.waitForSelector('[aria-label="Change filter Page is /pricing"]:focus');
    expect(filters(page)).toHaveLength(3);

    await page.keyboard.press('Enter');
    await page.selectOption(':popover-open [aria-label="Comparison"]', 'is_not');
    await page.fill(':popover-open [role=combobox]', '/none');
    await page.keyboard.press('Enter'); // takes it
    await page.waitForSelector(':popover-open [aria-label="Values"] li:has-text("/none")');
    await page.keyboard.press('Enter'); // applies
    await page.waitForSelector('[aria-label="Change filter Page is not /pricing or /none"]:focus');
    expect(filters(page)).toEqual(['is_not:page:/pricing,/none', 'contains:page:/', 'is_not:browser:Safari']);

    // Without a value it goes, and the focus moves on to its neighbour.
    await page.click('[aria-label="Change filter Page contains /"]');
    await page.click(':popover-open [aria-label="Remove /"]');
    await page.keyboard.press('Enter');
    await page.waitForSelector('[aria-label="Remove filter Browser is not Safari"]:focus');
    expect(filters(page)).toEqual(['is_not:page:/pricing,/none', 'is_not:browser:Safari']);
    expect(dashboard.troubles).toEqual([]);
  });

  it('keeps the filters in sight below the header, on one line, and what has the focus below them', async () => {
    await using dashboard = await shared({ isBlank: true });
    const { page, server } = dashboard;
    const edges = () =>
      page.evaluate(() => {
        const at = (selector: string) => document.querySelector(selector)?.getBoundingClientRect() ?? new DOMRect();
        const bar = at('.filters');
        return {
          gap: Math.round(bar.top - at('header').bottom),
          below: at(':focus').top - bar.bottom,
          high: bar.height,
        };
      });
    await page.goto(`${server.url}/example.com?f=contains:page:/&f=is_not:browser:Opera&f=is_not:country:DE`);
    await ready(page, 'pages');
    // If a click gave the root what its elements inherit, browsers would look at the styles of all of them.
    expect(await page.evaluate(() => [...document.documentElement.style])).toEqual(['scroll-padding-top']);
    for (const width of [1280, 390, 320]) {
      await page.evaluate(() => scrollTo(0, 0));
      await resize(page, { width, height: 600 });
      await ready(page, 'pages');
      await page.locator('[data-panel="pages"] footer button').first().focus();
      await page.evaluate(() => scrollBy(0, 400));
      // Backwards, to what is above the window.
      await page.keyboard.press('Shift+Tab');
      expect(await edges(), `${width}`).toMatchObject({ gap: 0, high: 44 });
      expect((await edges()).below, `${width}`).toBeGreaterThanOrEqual(0);
      // All of it is reached, and to reach it does not move the page.
      const before = await page.evaluate(() => scrollY);
      for (const name of ['Remove filter Country is not Germany', 'Clear']) {
        await page.getByRole('group', { name: 'Filters' }).getByRole('button', { name }).focus();
        const { x = -1, width: wide = width } = (await page.locator(':focus').boundingBox()) ?? {};
        expect([x >= 0, x + wide <= width], `${name}, ${width}`).toEqual([true, true]);
      }
      expect(await page.evaluate(() => scrollY)).toBe(before);
    }
    await page.setViewportSize({ width: 1280, height: 500 });
    await page.evaluate(() => scrollTo(0, 600));
    expect((await page.locator('.filters').first().boundingBox())?.y).toBeLessThan(0);
  });

  it('opens what is inside the only row left by a click on it, and leads back to all rows by another', async () => {
    await using dashboard = await shared();
    const { page } = dashboard;
    const sources = '[data-panel="sources"]';
    const shows = (panel: string, rows: [string, number][]) => expect.poll(() => rowsOf(page, panel)).toEqual(rows);
    await ready(page, 'sources');
    await page.click(`${sources} [data-row="Google"] button`);
    await shows('sources', [['Google', 1]]);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/example.com?f=is%3Asource%3AGoogle&sources=source.referrer');
    await shows('sources', [['www.google.com', 1]]);
    await page.waitForSelector(`${sources} [data-back]:focus`);
    await page.click(`${sources} [data-inside] button:has-text("Entry pages")`);
    await shows('sources', [['/', 1]]);
    await page.click(`${sources} [aria-pressed=true]`); // closes it
    await shows('sources', [['Google', 1]]);
    await page.goBack();
    await shows('sources', [['/', 1]]);
    expect(await violations(page)).toEqual([]);
    await page.click(`${sources} [data-back]`);
    await page.waitForURL((url) => !url.searchParams.has('f'));
    await page.waitForSelector(`${sources} h2 :focus`);
    await shows('sources', [
      ['Direct', 1],
      ['Google', 1],
    ]);

    // Once the filter has gone, its list is closed. A page has nothing inside: a click shows all pages again.
    await ready(page, 'devices');
    await page.click('[data-panel="devices"] [data-row="Firefox"] button');
    await shows('devices', [['Firefox', 1]]);
    await page.click('[data-panel="devices"] [data-row="Firefox"] button');
    await shows('devices', [['Firefox 140', 1]]);
    await page.click('[aria-label="Remove filter Browser is Firefox"]');
    await shows('devices', [
      ['Firefox', 1],
      ['Safari', 1],
    ]);
    await ready(page, 'pages');
    await page.click('[data-panel="pages"] [data-row="/pricing"] button');
    await shows('pages', [['/pricing', 1]]);
    await page.click('[data-panel="pages"] [data-row="/pricing"] button');
    await page.waitForSelector('[data-panel="pages"] [data-row="/"]');
    expect(dashboard.troubles).toEqual([]);
  });

  it('lists below the only row what is inside it', async () => {
    await using dashboard = await shared({ isBlank: true });
    const { page, server } = dashboard;
    const below = (dimension: string) => page.locator(`[data-panel="sources"] [data-below="${dimension}"]`);
    await page.goto(`${server.url}/example.com?f=is:source:Google`);
    await below('entry_page').locator('[data-row-inside="/"]').waitFor();
    expect(await page.locator('[data-panel="sources"] h3').allInnerTexts()).toEqual([
      'Referrers of Google',
      'Entry pages of Google',
    ]);
    expect(await rowsOf(page, 'sources')).toEqual([['Google', 1]]);
    expect(await violations(page)).toEqual([]);
    await below('referrer').locator('[data-row-inside="www.google.com"] button').first().click();
    await expect.poll(() => filters(page)).toEqual(['is:source:Google', 'is:referrer:www.google.com']);

    // Nothing is known about where direct visits came from.
    await follow(page, '/example.com?f=is:source:');
    await below('entry_page').locator('[data-row-inside]').first().waitFor();
    await expect
      .poll(() => page.locator('[data-panel="sources"] h3').allInnerTexts())
      .toEqual(['Entry pages of Direct']);
    expect(dashboard.troubles).toEqual([]);
  });

  it('keeps filters on AI visits in their chapter, apart from the figures that they do not affect', async () => {
    await using dashboard = await shared({ isBlank: true });
    const { page, server } = dashboard;
    await page.goto(`${server.url}/example.com?f=is:ai_provider:OpenAI`);
    await page.locator('[data-panel="ai"]').evaluate((panel) => panel.scrollIntoView());
    await page.waitForSelector('[data-panel="ai"] [aria-label="Remove filter AI provider is OpenAI"]');
    expect(await page.locator('[aria-label="Filters"]').count()).toBe(0);
    await page.press('[data-panel="ai"] [aria-label="Remove filter AI provider is OpenAI"]', 'Enter');
    await page.waitForURL(`${server.url}/example.com`);
    await page.waitForSelector('[data-panel="ai"] h2 :focus');
  });

  it('opens menus at the selected entry, closes them with Tab, and selects a range of days by keyboard only', async () => {
    await using dashboard = await shared();
    const { page } = dashboard;
    await ready(page, 'pages');
    const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim());
    await page.focus('[aria-label^="Period: "]');
    await page.keyboard.press('ArrowDown');
    await page.waitForSelector(':popover-open [aria-current]:focus');
    expect(await focused()).toMatch(/^Today/);
    await page.keyboard.press('ArrowDown');
    expect(await focused()).toMatch(/^Yesterday/);
    await page.keyboard.press('End');
    expect(await focused()).toMatch(/^Custom range/);
    await page.keyboard.press('Tab');
    await page.waitForSelector(':popover-open', { state: 'detached' });

    await page.keyboard.press('c');
    await page.waitForSelector(':popover-open [role=gridcell]:focus');
    await page.fill('form label:first-child input', '2026-01-05');
    await page.fill('form label:nth-child(2) input', '2026-01-09');
    await page.keyboard.press('Enter');
    await page.waitForURL('**?period=custom&date_from=2026-01-05&date_to=2026-01-09');
  });

  it('excludes a row by Enter with a modifier key, and by a long press', async () => {
    await using dashboard = await shared();
    const { page, server } = dashboard;
    await ready(page, 'sources');
    await page.focus('[data-panel="sources"] [data-row="Google"] button');
    await page.keyboard.press('Alt+Enter');
    await page.waitForURL('**f=is_not%3Asource%3AGoogle');

    const phone = await dashboard.browser.newContext({
      storageState: await dashboard.context.storageState(),
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
    });
    const touched = await phone.newPage();
    await touched.goto(`${server.url}/example.com`);
    await ready(touched, 'pages');
    const row = touched.locator('[data-panel="pages"] [data-row="/pricing"] .barred');
    await row.dispatchEvent('pointerdown', { pointerType: 'touch', clientX: 50, clientY: 50 });
    await touched.waitForURL('**f=is_not%3Apage%3A%2Fpricing');
  });
});

it('finds values of every dimension; Enter takes the first suggestion, and a second Enter applies it', async () => {
  await using dashboard = await openDashboard();
  const { page } = dashboard;
  await dashboard.view('/', { name: 'signup', props: { plan: 'goo-premium' } });
  await dashboard.server.settle();
  await ready(page, 'pages');
  await page.keyboard.press('f');
  const field = page.locator('dialog [role=combobox]');
  await field.waitFor();
  expect(await page.locator('dialog select option[value^="ai_"]').count()).toBe(0);

  // Found by a stored text, by a property of an event, and by a displayed name that differs from the stored one.
  for (const [typed, shown] of [
    ['goog', 'Source Google'],
    ['goo-prem', 'plan goo-premium'],
    ['mobil', 'Device Mobile'],
  ] as const) {
    await field.fill(typed);
    await page.waitForFunction((text) => {
      const first = document.querySelector('dialog [role=option] .truncate');
      return first?.textContent?.replace(/\s+/g, ' ').trim() === text;
    }, shown);
  }
  // Typed before the answer has arrived.
  await field.fill('goog');
  await page.keyboard.press('Enter');
  await page.waitForSelector('dialog [aria-label="Values"] li:has-text("Google")');
  expect(await field.evaluate((one) => document.activeElement === one)).toBe(true);
  await page.keyboard.press('Enter');
  await gone(page);
  expect(filters(page)).toEqual(['is:source:Google']);
  expect(dashboard.troubles).toEqual([]);
});
