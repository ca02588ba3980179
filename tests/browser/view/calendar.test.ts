// The calendar of the period's and the comparison's menu: by mouse, by keyboard, on a phone, and with the days of the site's zone.
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { configureSite } from '../../../server/sites/sites.ts';
import { violations } from '../../setup/browser/axe.ts';
import { resize } from '../../setup/browser/chromium.ts';
import { follow, openDashboard, ready, shareDashboard } from '../../setup/browser/dashboard.ts';

/** A Wednesday afternoon in March 2026. */
const NOW = Date.UTC(2026, 2, 18, 15, 30);

async function openCalendar(shared: ReturnType<typeof shareDashboard>) {
  const dashboard = await shared({ isBlank: true });
  const { page, server } = dashboard;
  await page.clock.setFixedTime(NOW);
  await page.goto(`${server.url}/example.com`);
  await ready(page, 'pages');
  await page.keyboard.press('c');
  await page.waitForSelector(':popover-open [role=gridcell]:focus');
  return dashboard;
}

const dayOf = (page: Page, day: string) => page.locator(`:popover-open [data-day="${day}"]`);
const focused = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute('data-day'));
const selected = (page: Page) =>
  page.$$eval(':popover-open [aria-selected=true]', (days) => days.map((day) => day.getAttribute('data-day')));
const fields = async (page: Page) => [
  await page.getByLabel('From', { exact: true }).inputValue(),
  await page.getByLabel('To', { exact: true }).inputValue(),
];
const month = (page: Page) => page.getByRole('grid').getAttribute('aria-label');
const closed = (page: Page) => page.waitForSelector(':popover-open', { state: 'detached' });

describe('of a server that stays as it is', () => {
  const shared = shareDashboard({ now: NOW });

  it('shows the days from the first to the second one that are clicked, in either order', async () => {
    await using dashboard = await openCalendar(shared);
    const { page } = dashboard;
    await page.getByText('Choose the first day').waitFor();
    await dayOf(page, '2026-03-11').click();
    await page.getByText('From 11 Mar 2026: choose the last day').waitFor();
    expect(await fields(page)).toEqual(['2026-03-11', '2026-03-11']);
    await dayOf(page, '2026-03-13').hover();
    expect(await selected(page)).toEqual(['2026-03-11', '2026-03-12', '2026-03-13']);
    await dayOf(page, '2026-03-09').hover();
    expect(await selected(page)).toEqual(['2026-03-09', '2026-03-10', '2026-03-11']);
    await dayOf(page, '2026-03-09').click();
    await page.waitForURL('**?period=custom&date_from=2026-03-09&date_to=2026-03-11');
    await closed(page);

    // It opens again with the range, whose last month it shows. Two clicks on a day show that day.
    await page.getByRole('button', { name: 'Period: 9 – 11 Mar 2026' }).click();
    await expect.poll(() => selected(page)).toEqual(['2026-03-09', '2026-03-10', '2026-03-11']);
    expect(await fields(page)).toEqual(['2026-03-09', '2026-03-11']);
    for (let click = 0; click < 2; click += 1) await dayOf(page, '2026-03-17').click();
    await page.waitForURL('**?period=yesterday');
    expect(dashboard.troubles).toEqual([]);
  });

  it('is read and chosen by keyboard alone', async () => {
    await using dashboard = await openCalendar(shared);
    const { page } = dashboard;
    const names = (day: string) => dayOf(page, day).getAttribute('aria-label');
    expect(await names('2026-03-18')).toMatch(/^Wednesday,? 18 March 2026, today, selected$/);
    expect(await dayOf(page, '2026-03-18').getAttribute('aria-current')).toBe('date');
    const path: [string, string][] = [
      ['ArrowLeft', '2026-03-17'],
      ['ArrowUp', '2026-03-10'],
      ['Home', '2026-03-09'],
      ['End', '2026-03-15'],
      ['ArrowDown', '2026-03-18'], // no further than today
      ['PageUp', '2026-02-18'],
      ['Shift+PageUp', '2025-02-18'],
      ['PageDown', '2025-03-18'],
      ['ArrowRight', '2025-03-19'],
      ['Shift+PageDown', '2026-03-18'],
      ['PageUp', '2026-02-18'],
    ];
    for (const [key, day] of path) {
      await page.keyboard.press(key);
      await expect.poll(() => focused(page), { message: key }).toBe(day);
    }
    expect(await month(page)).toBe('February 2026');

    await page.keyboard.press('Enter');
    for (const key of ['ArrowRight', 'ArrowRight']) await page.keyboard.press(key);
    await expect.poll(() => selected(page)).toEqual(['2026-02-18', '2026-02-19', '2026-02-20']);
    expect(await names('2026-02-18')).toMatch(/^Wednesday,? 18 February 2026, first day$/);
    expect(await names('2026-02-19')).toMatch(/^Thursday,? 19 February 2026, in the range$/);
    expect(await names('2026-02-20')).toMatch(/^Friday,? 20 February 2026, last day$/);
    await page.keyboard.press('Escape'); // and nothing is chosen
    await closed(page);
    expect(new URL(page.url()).search).toBe('');

    await page.keyboard.press('c');
    await page.waitForSelector(':popover-open [role=gridcell]:focus');
    await page.getByText('Choose the first day').waitFor();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Space');
    await page.keyboard.press('PageUp');
    await page.keyboard.press('Space');
    await page.waitForURL('**?period=custom&date_from=2026-02-17&date_to=2026-03-17');
    await closed(page);
    expect(dashboard.troubles).toEqual([]);
  });

  it('has no days before 2000 nor after today, and goes to any month and year at once', async () => {
    await using dashboard = await openCalendar(shared);
    const { page } = dashboard;
    const next = page.getByRole('button', { name: 'Next month' });
    const previous = page.getByRole('button', { name: 'Previous month' });
    expect(await next.getAttribute('aria-disabled')).toBe('true');
    expect(await dayOf(page, '2026-03-19').getAttribute('aria-disabled')).toBe('true');
    await dayOf(page, '2026-03-19').click({ force: true });
    await page.getByText('Choose the first day').waitFor();

    await previous.click();
    expect(await month(page)).toBe('February 2026');
    await next.click();
    expect(await month(page)).toBe('March 2026');
    const years = page.getByLabel('Year', { exact: true });
    expect(await years.locator('option').count()).toBe(27);
    await page.getByLabel('Month', { exact: true }).selectOption('January');
    await years.selectOption('2000');
    expect(await month(page)).toBe('January 2000');
    expect(await previous.getAttribute('aria-disabled')).toBe('true');
    await dayOf(page, '2000-01-18').focus();
    for (const key of ['PageUp', 'ArrowUp']) await page.keyboard.press(key);
    await expect.poll(() => focused(page)).toBe('2000-01-01');
    await years.selectOption('2026');
    expect(await page.locator('[aria-label=Month] option:disabled').count()).toBe(9);
    expect(dashboard.troubles).toEqual([]);
  });

  it('follows the fields, in which days can be typed', async () => {
    await using dashboard = await openCalendar(shared);
    const { page } = dashboard;
    await dayOf(page, '2026-03-03').click();
    await page.getByLabel('From', { exact: true }).fill('2025-12-30');
    await page.getByText('Choose the first day').waitFor();
    expect(await month(page)).toBe('December 2025');
    await page.getByLabel('To', { exact: true }).fill('2026-01-02');
    expect(await month(page)).toBe('January 2026');
    expect(await selected(page)).toEqual(['2026-01-01', '2026-01-02']);
    const show = page.getByRole('button', { name: 'Show' });
    await page.getByLabel('To', { exact: true }).fill('2025-12-01'); // before the first day
    expect([await show.isDisabled(), await selected(page)]).toEqual([true, []]);
    await page.getByLabel('To', { exact: true }).fill('2026-01-02');
    await show.click();
    await page.waitForURL('**?period=custom&date_from=2025-12-30&date_to=2026-01-02');
  });

  it('chooses the days to compare with', async () => {
    await using dashboard = await shared({ isBlank: true });
    const { page, server } = dashboard;
    await page.clock.setFixedTime(NOW);
    await page.goto(`${server.url}/example.com?period=7d`);
    await page.getByRole('button', { name: 'vs previous: Previous period' }).click();
    await page.locator(':popover-open .item', { hasText: 'Custom range' }).click();
    await page.waitForSelector(':popover-open [role=gridcell]:focus');
    expect(await focused(page)).toBe('2026-03-18');
    await dayOf(page, '2026-03-02').click();
    await dayOf(page, '2026-03-08').click();
    await page.waitForURL('**&compare=custom&compare_from=2026-03-02&compare_to=2026-03-08');
    await closed(page);
  });

  it('fits into every window, takes the place of the periods on a phone, and is right for axe', async () => {
    await using dashboard = await openCalendar(shared);
    const state = await dashboard.context.storageState();
    const phone = await dashboard.browser.newContext({ storageState: state, hasTouch: true, isMobile: true });
    const touched = await phone.newPage();
    await touched.clock.setFixedTime(NOW);
    const outside = (page: Page) =>
      page.evaluate(() => {
        const panel = document.querySelector(':popover-open') as HTMLElement;
        const { left, right } = panel.getBoundingClientRect();
        return {
          isWhole: left >= 0 && right <= document.body.clientWidth,
          isScrolledSideways: panel.scrollWidth > panel.clientWidth,
          isPageScrolledSideways: document.documentElement.scrollWidth > innerWidth,
        };
      });
    const fits = { isWhole: true, isScrolledSideways: false, isPageScrolledSideways: false };
    for (const [width, height] of [
      [1280, 900],
      [660, 700],
      [640, 450], // 1280 × 900 at 200 %
      [320, 256], // 1280 × 1024 at 400 %
    ] as const) {
      await resize(dashboard.page, { width, height });
      await expect.poll(() => outside(dashboard.page), { message: `${width} pixels` }).toEqual(fits);
      expect(await violations(dashboard.page), `${width} pixels`).toEqual([]);
    }
    await touched.goto(`${dashboard.server.url}/example.com`);
    for (const width of [390, 320]) {
      await resize(touched, { width, height: 844 });
      await follow(touched, '/example.com');
      await ready(touched, 'pages');
      await touched.getByRole('button', { name: 'Period: Today' }).tap();
      await touched.locator(':popover-open .item', { hasText: 'Custom range' }).tap();
      await touched.waitForSelector(':popover-open [role=gridcell]:focus');
      await expect.poll(() => outside(touched), { message: `${width} pixels` }).toEqual(fits);
      const { height } = (await dayOf(touched, '2026-03-05').boundingBox()) ?? { height: 0 };
      expect(height).toBeGreaterThanOrEqual(40);
      expect(await violations(touched), `${width} pixels`).toEqual([]);

      await touched.getByRole('button', { name: 'Back' }).tap();
      await touched.getByRole('button', { name: 'Last 7 days' }).waitFor();
      expect(await touched.getByRole('grid').count()).toBe(0);
      await touched.locator(':popover-open .item', { hasText: 'Custom range' }).tap();
      await dayOf(touched, '2026-03-05').tap();
      await dayOf(touched, '2026-03-10').tap();
      await touched.waitForURL('**?period=custom&date_from=2026-03-05&date_to=2026-03-10');
    }
    await phone.close();
  });
});

it('ends with today in the site’s time zone, and names a range that is a period', async () => {
  const zone = 'Pacific/Kiritimati'; // 14 hours ahead: the 19th
  await using dashboard = await openDashboard({ now: NOW, timezone: 'America/Los_Angeles', isBlank: true });
  const { page, server, site } = dashboard;
  await configureSite(server.app.services.directory, { siteId: site.id, timezone: zone }, NOW);
  await page.clock.setFixedTime(NOW);
  await page.goto(`${server.url}/example.com`);
  await page.getByText(/, Pacific\/Kiritimati$/).waitFor();
  await page.keyboard.press('c');
  await page.waitForSelector(':popover-open [role=gridcell]:focus');
  expect(await focused(page)).toBe('2026-03-19');
  expect(await dayOf(page, '2026-03-19').getAttribute('aria-current')).toBe('date');
  expect(await dayOf(page, '2026-03-20').getAttribute('aria-disabled')).toBe('true');
  await dayOf(page, '2026-03-19').click();
  await dayOf(page, '2026-03-01').click();
  await page.waitForURL('**?period=month');
  await closed(page);
  for (const [key, period] of [
    ['q', '91d'],
    ['p', 'last_month'],
  ] as const) {
    await page.keyboard.press(key);
    await page.waitForURL(`**?period=${period}`);
  }
});
