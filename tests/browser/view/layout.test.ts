// The dashboard at common widths: figures apart from each other, no control cut off, the chart on the first screen.
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { configureSite, createSite } from '../../../server/sites/sites.ts';
import { drawn, openBrowser, resize } from '../../setup/browser/chromium.ts';
import { makeAiVisit, makeEvent } from '../../setup/event.ts';
import { openDashboard, ready, shareDashboard } from '../../setup/browser/dashboard.ts';

/** A shop: it has the most figures. */
async function openShop(width: number, height: number, domain = 'example.com') {
  const dashboard = await openDashboard({ width, height, domain, traffic: false, isBlank: true });
  await configureSite(
    dashboard.server.app.services.directory,
    { siteId: dashboard.site.id, currency: 'EUR' },
    dashboard.server.clock.now,
  );
  await dashboard.view('/', { referrer: 'https://www.google.com/' });
  await dashboard.view('/buy', { name: 'purchase', revenue: { amount: 54_321.5, currency: 'EUR' } });
  await dashboard.server.settle();
  await dashboard.page.goto(`${dashboard.server.url}/${domain}`);
  await ready(dashboard.page, 'pages');
  await dashboard.page.waitForSelector('[data-metric="orders"][data-value="1"]');
  return dashboard;
}

/** Texts of figures that overlap each other, or the edge of their tile. */
const collisions = (page: Page) =>
  page.evaluate(() => {
    const texts = [...document.querySelectorAll('[data-metric]')].flatMap((tile) =>
      [...tile.children].map((part) => {
        const range = document.createRange();
        range.selectNodeContents(part.querySelector('.digits') ?? part);
        return { tile: tile.getBoundingClientRect(), box: range.getBoundingClientRect(), text: part.textContent };
      }),
    );
    const over = (one: DOMRect, other: DOMRect) =>
      one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
    return texts.flatMap(({ tile, box, text }, index) => [
      ...(box.width > 0 && (box.left < tile.left - 0.5 || box.right > tile.right + 0.5)
        ? [`cut: ${text} ${box.left} to ${box.right} of ${tile.left} to ${tile.right}`]
        : []),
      ...texts
        .slice(index + 1)
        .filter((other) => other.box.width > 0 && box.width > 0 && over(box, other.box))
        .map((other) => `${text} over ${other.text}`),
    ]);
  });

/** Controls that extend beyond the window or their container. Tab lines and the figures scroll on a phone. */
const cutControls = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('header a, header button, main button, main select, footer button')]
      .filter((control) => innerWidth > 640 || (control.getAttribute('role') !== 'tab' && !control.closest('.figures')))
      .filter((control) => {
        const box = control.getBoundingClientRect();
        const frame = control.closest('.tabs, .card, header')?.getBoundingClientRect();
        const edges = frame && frame.width > 0 ? frame : new DOMRect(0, 0, innerWidth, innerHeight);
        return box.width > 0 && (box.left < edges.left - 0.5 || box.right > edges.right + 0.5);
      })
      .map((control) => control.getAttribute('aria-label') ?? control.textContent?.trim()),
  );

const SIZES = [
  { width: 1600, height: 1000, columns: 3 },
  { width: 1500, height: 900, columns: 3 },
  { width: 1280, height: 900, columns: 2 },
  { width: 1024, height: 768, columns: 2 },
  { width: 820, height: 1180, columns: 1 },
  { width: 390, height: 844, columns: 1 },
  { width: 320, height: 568, columns: 1 },
];

it('keeps figures apart and controls whole at every width, and the chart on the first screen of a phone', async () => {
  await using shop = await openShop(1280, 900);
  expect(await shop.page.locator('[data-metric]').count()).toBe(10);
  for (const { width, height, columns } of SIZES) {
    await resize(shop.page, { width, height });
    const shape = async () => {
      const tops = await shop.page.$$eval('.chapter:has(> .panel)', (panels) =>
        panels.map((panel) => panel.getBoundingClientRect().top),
      );
      const over = await shop.page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      return {
        columns: tops.filter((top) => top === tops[0]).length,
        collisions: await collisions(shop.page),
        cut: await cutControls(shop.page),
        isTooWide: over > 0,
      };
    };
    await expect
      .poll(shape, { message: `${width} pixels` })
      .toEqual({ columns, collisions: [], cut: [], isTooWide: false });
    if (width !== 390) continue;
    await shop.page.waitForSelector('.u-wrap canvas');
    const chart = () => shop.page.$eval('.plot', (element) => element.getBoundingClientRect().bottom);
    await expect.poll(chart).toBeLessThanOrEqual(height);
    // A panel is as high as its rows, which a thumb can hit.
    await ready(shop.page, 'sources');
    const list = () => shop.page.$eval('[data-panel="sources"] .body', (body) => body.getBoundingClientRect().height);
    await expect.poll(list).toBe(40 * (await shop.page.locator('[data-panel="sources"] [data-row]').count()));
  }
});

it('shows the whole domain beside the controls', async () => {
  await using dashboard = await openDashboard({ domain: 'demo-shop.example.com' });
  await ready(dashboard.page, 'pages');
  const name = dashboard.page.locator('header [title="demo-shop.example.com"]');
  for (const width of [1280, 1024, 820, 390]) {
    await resize(dashboard.page, { width, height: 800 });
    await expect
      .poll(() => name.evaluate((one) => one.scrollWidth - one.clientWidth), { message: `${width} pixels` })
      .toBeLessThanOrEqual(0);
  }
  await resize(dashboard.page, { width: 320, height: 800 });
  await expect.poll(() => name.evaluate((one) => one.clientWidth)).toBeGreaterThan(100);
});

/** Numbers within `part` that an ancestor or the window cuts off. A journey scrolls: what it has scrolled past may be wholly outside. */
const cutNumbers = (page: Page, part: string) =>
  page.evaluate((selector) => {
    const texts = [...document.querySelectorAll(`${selector} :is(td, strong, [data-value])`)].flatMap((shows) => {
      const walker = document.createTreeWalker(shows, NodeFilter.SHOW_TEXT);
      const found: Text[] = [];
      while (walker.nextNode()) found.push(walker.currentNode as Text);
      return found.filter((text) => /\d/.test(text.data) && !text.parentElement?.closest('.sr-only, .truncate'));
    });
    return [...new Set(texts)].flatMap((text) => {
      const range = document.createRange();
      range.selectNodeContents(text);
      const box = range.getBoundingClientRect();
      const around: Element[] = [];
      for (let one = text.parentElement; one && box.width > 0; one = one.parentElement)
        if (getComputedStyle(one).overflowX !== 'visible') around.push(one);
      const edges = (one: Element) => {
        const left = one.getBoundingClientRect().left + one.clientLeft;
        return { left, right: left + one.clientWidth };
      };
      const journey = around.find((one) => one.matches('[data-panel="journeys"] .scroll'));
      if (journey && (box.left >= edges(journey).right || box.right <= edges(journey).left)) return [];
      const isCut = [...around, document.documentElement].some((one) => {
        const { left, right } = edges(one);
        return box.left < left - 0.5 || box.right > right + 0.5;
      });
      return isCut ? [`${text.data.trim()}: ${box.left} to ${box.right}`] : [];
    });
  }, part);

it('shows every number whole on a phone, and beside a scroll bar that takes room', async () => {
  await using dashboard = await openDashboard({ traffic: false, isBlank: true });
  const { server, site, context } = dashboard;
  const at = { site_id: site.id, time: server.clock.now };
  const visits = Array.from({ length: 1200 }, (_, visitor) =>
    ['/', '/pricing', visitor % 2 ? '/docs/installation' : '/blog/a-long-title-of-a-page', '/signup'].map(
      (page, step) => makeEvent({ ...at, visitor: `v${visitor}`, page, time: at.time + step }),
    ),
  ).flat();
  const read = Array.from({ length: 324 }, () => makeAiVisit({ ...at, ai_agent: 'GPTBot' }));
  await server.app.collector.record([...visits, ...read], at.time);
  await server.settle();
  await using desktop = await openBrowser({ scrollBars: true });
  const page = await (await desktop.newContext({ storageState: await context.storageState() })).newPage();
  for (const width of [320, 390]) {
    await page.setViewportSize({ width, height: 800 });
    await page.goto(`${server.url}/example.com?numbers=table`);
    await ready(page, 'pages');
    for (const part of ['[data-chart-table]', '[data-providers]', '[data-panel="journeys"]']) {
      const number = `${part} :is(td, [data-block])`;
      await page.waitForFunction(
        ([within, shows]) => {
          document.querySelector(within)?.scrollIntoView();
          return document.querySelector(shows);
        },
        [part.includes('providers') ? '[data-panel="ai"]' : part, number] as const,
      );
      await expect.poll(() => cutNumbers(page, part), { message: `${part} at ${width} pixels` }).toEqual([]);
    }
    // Two columns of a journey are in view, then the next two.
    const inView = () =>
      page.$$eval('[data-panel="journeys"] [data-block] strong', (numbers) =>
        numbers
          .filter((number) => {
            const [box, frame] = [number, number.closest('.scroll')].map((one) => one?.getBoundingClientRect());
            return box && frame && box.left >= frame.left && box.right <= frame.right;
          })
          .map(({ textContent }) => textContent),
      );
    await expect.poll(inView).toEqual(['1,200', '1,200']);
    await page.locator('[data-panel="journeys"] [data-block^="4"]').first().focus();
    await expect.poll(inView).toEqual(['600', '600', '1,200']);
    await expect.poll(() => cutNumbers(page, '[data-panel="journeys"]')).toEqual([]);

    await page.goto(`${server.url}/example.com?details=page&sort=scroll_depth:desc`);
    await page.waitForSelector('dialog td[data-column]');
    await drawn(page);
    expect(await cutNumbers(page, 'dialog'), `list at ${width} pixels`).toEqual([]);
    // What the list is sorted by is among the columns that a phone shows.
    const columns = await page
      .locator('dialog [data-row="/"] td:visible')
      .evaluateAll((cells) => cells.map((cell) => cell.getAttribute('data-column')));
    expect(columns).toEqual(['pageviews', 'unique_visitors', 'scroll_depth']);
  }
});

describe('of a server that stays as it is', () => {
  const shared = shareDashboard();

  it('keeps the longest period, the comparison and the filter in one row of a phone, and in two of the smallest', async () => {
    await using dashboard = await shared({ isBlank: true });
    const { browser, context, server } = dashboard;
    // A phone's scroll bar takes no room.
    const phone = await browser.newContext({
      viewport: { width: 390, height: 844 },
      isMobile: true,
      hasTouch: true,
      storageState: await context.storageState(),
    });
    const page = await phone.newPage();
    await page.goto(`${server.url}/example.com?period=60m`);
    await ready(page, 'pages');
    const rows = () =>
      page.evaluate(() => {
        const [period, compare, filter] = [
          '[aria-label^="Period:"]',
          '[aria-label^="vs previous"]',
          '[data-filter]',
        ].map((selector) => document.querySelector(`header ${selector}`)?.getBoundingClientRect().top);
        const isOneRow = (one = NaN, other = NaN) => Math.abs(one - other) < 10;
        return { first: isOneRow(period, compare), second: isOneRow(compare, filter) };
      });
    for (const [width, isOneRow] of [
      [390, true],
      [320, false],
    ] as const) {
      await resize(page, { width, height: 800 });
      await expect.poll(rows, { message: `${width} pixels` }).toEqual({ first: isOneRow, second: true });
      const label = page.locator('header [aria-label^="Period:"] .truncate');
      await expect
        .poll(() => label.evaluate((one) => one.scrollWidth - one.clientWidth), { message: `${width} pixels` })
        .toBe(0);
    }
  });

  it('keeps dialogs clear of a scroll bar that takes room', async () => {
    await using dashboard = await shared({ isBlank: true });
    const { server, site, context } = dashboard;
    const other = { accountId: site.account_id, domain: 'other.example' };
    await createSite(server.app.services.directory, other, server.clock.now);
    await using desktop = await openBrowser({ scrollBars: true });
    const window = { viewport: { width: 390, height: 400 }, reducedMotion: 'reduce' } as const;
    const page = await (await desktop.newContext({ ...window, storageState: await context.storageState() })).newPage();
    const dialogs: Record<string, [path: string, open: () => Promise<unknown>]> = {
      group: ['/', () => page.getByRole('button', { name: 'New group' }).click()],
      filter: ['/example.com', () => page.keyboard.press('f')],
      keys: ['/example.com', () => page.keyboard.press('?')],
      list: ['/example.com?details=page', () => Promise.resolve()],
    };
    for (const [name, [path, open]] of Object.entries(dialogs)) {
      await page.goto(server.url + path);
      if (path === '/example.com') await ready(page, 'pages');
      await open();
      await page.waitForSelector('dialog[open]');
      const edges = await page.$eval('dialog[open]', async (dialog) => {
        await Promise.all(dialog.getAnimations().map(({ finished }) => finished)); // it opens a little smaller
        // Chromium alone takes a reserved bar off 100vw. Without the reservation it counts the bar, as the other browsers always do.
        document.documentElement.style.setProperty('scrollbar-gutter', 'auto');
        const { left, right } = dialog.getBoundingClientRect();
        return [left, right];
      });
      expect([name, ...edges]).toEqual([name, 0, 375]);
    }
  });

  it('fills the room of a short list beside a long one with the other lists of its panel, and makes no panel higher', async () => {
    await using dashboard = await shared();
    const { page } = dashboard;
    const devices = page.locator('[data-panel="devices"]');
    await devices.scrollIntoViewIfNeeded();
    await ready(page, 'devices');
    const height = await devices.evaluate((panel) => panel.clientHeight);
    await devices.locator('[data-room="os"] [data-row-inside]').first().waitFor();
    await devices.locator('[data-room="device"] [data-row-inside]').first().waitFor();
    expect(await devices.evaluate((panel) => panel.clientHeight)).toBe(height);
    const bottomOf = (selector: string) =>
      devices
        .locator(selector)
        .last()
        .evaluate((part) => part.getBoundingClientRect().bottom);
    expect(await bottomOf('[data-row-inside]')).toBeLessThanOrEqual(await bottomOf('footer'));
    await devices.getByRole('button', { name: 'Systems', exact: true }).click();
    await page.waitForSelector('[data-panel="devices"] [role=tab][aria-selected=true]:has-text("Systems")');

    await resize(page, { width: 390, height: 844 });
    await page.waitForSelector('[data-panel="devices"] [data-room]', { state: 'detached' });
  });
});
