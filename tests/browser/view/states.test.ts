// The dashboard's states: empty, loading, failed and recovered, offline and back, and opened through a share link.
import { describe, expect, it } from 'vitest';
import { roomsFilled } from '../../setup/browser/chromium.ts';
import { holdSocket, openDashboard, ready, shareDashboard, rowsOf } from '../../setup/browser/dashboard.ts';

/** Batches with a question about numbers, whatever else is asked in them. */
const STATISTICS = /\/trpc\/[^?]*\bstats\./;

describe('of a server that stays as it is', () => {
  const shared = shareDashboard();

  it('shows a skeleton of the same height while it waits, and no other panel moves when the answer arrives', async () => {
    await using dashboard = await shared();
    const { page } = dashboard;
    await ready(page, 'pages');
    await page.waitForLoadState('networkidle'); // what is left before it is answered is not remembered as empty
    await page.reload(); // a panel that was empty at the first visit is a line from the second on
    await ready(page, 'pages');
    // The AI chapter loads a moment after the page.
    await page.waitForSelector('[data-panel="ai"]:not([data-state="loading"])');
    await page.waitForLoadState('networkidle');
    await roomsFilled(page);
    const heights = () =>
      page.$$eval('[data-panel]', (panels) => panels.map((panel) => panel.getBoundingClientRect().height));
    const full = await heights();
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route(STATISTICS, async (route) => {
      await held;
      await route.continue();
    });
    await page.reload();
    await page.waitForSelector('[data-panel="pages"][data-state="loading"]');
    await expect.poll(heights).toEqual(full);
    // Each frame of an animation costs, also of one that nobody sees.
    const moving = () =>
      page.locator('.skeleton').evaluateAll((all) => {
        const move = (some: Element[]) => some.filter((one) => getComputedStyle(one).animationName !== 'none').length;
        const below = all.filter((one) => one.getBoundingClientRect().top > innerHeight);
        return { anyInSight: move(all) > 0, below: move(below), isAnyBelow: below.length > 0 };
      });
    await expect.poll(moving).toEqual({ anyInSight: true, below: 0, isAnyBelow: true });
    release();
    await ready(page, 'pages');
    await page.waitForSelector('[data-panel="ai"]:not([data-state="loading"])');
    await expect.poll(heights).toEqual(full);
  });

  it('says when a request failed, and retries when asked to', async () => {
    await using dashboard = await shared();
    const { page } = dashboard;
    await ready(page, 'pages');
    await holdSocket(page);
    await page.route(STATISTICS, (route) => route.abort());
    await page.reload();
    await page.waitForSelector('[data-panel="pages"][data-state="failed"]');
    await page.unroute(STATISTICS);
    await page.click('[data-panel="pages"] button:has-text("Try again")');
    await ready(page, 'pages');
    expect(await rowsOf(page, 'pages')).toHaveLength(2);
  });
});

it('shows the way to the first visit while nothing was ever counted, and then the numbers, without a reload', async () => {
  await using dashboard = await openDashboard({ traffic: false });
  const { page } = dashboard;
  await page.waitForSelector('[data-unused] code:has-text("/foot.js")');
  expect(await page.locator('[data-unused] li').count()).toBe(3);
  expect(await page.locator('[data-panel]').count()).toBe(0);
  await page.waitForSelector('[data-metric="pageviews"][data-value="0"]');
  await page.waitForSelector('[data-connection][data-state="online"]');

  await dashboard.view('/first');
  await page.waitForSelector('[data-live="current_visitors"][data-value="1"]');
  await page.waitForSelector('[data-metric="pageviews"][data-value="1"]');
  await page.waitForSelector('[data-panel="pages"] [data-row="/first"][data-value="1"]');
  expect(dashboard.troubles).toEqual([]);
});

it('shows a lost connection, keeps the numbers, and reconnects', async () => {
  await using dashboard = await openDashboard();
  const { page, server } = dashboard;
  await page.waitForSelector('[data-connection][data-state="online"]');
  await ready(page, 'pages');
  // The socket ends as it does when a network disappears: the page is not told why.
  const release = await holdSocket(page);
  await page.reload();
  await page.waitForSelector('[data-connection][data-state="offline"]');
  await ready(page, 'pages');
  await page.waitForSelector('[data-live="current_visitors"][data-value="2"]');
  release();
  await page.waitForSelector('[data-connection][data-state="online"]');
  await dashboard.view('/back', {}, 'Mozilla/5.0 (X11; Linux x86_64; rv:141.0) Gecko/20100101 Firefox/141.0');
  await page.waitForSelector('[data-panel="pages"] [data-row="/back"]');
  expect(server.url).toContain('127.0.0.1');
});

it('shows the same to whoever has a link, live, with nothing to change', async () => {
  await using dashboard = await openDashboard();
  const { page, server, browser } = dashboard;
  await ready(page, 'pages');
  await page.click('button[aria-label="Share"]');
  await page.fill('dialog input', 'For the board');
  await page.getByLabel('Fewest visitors of a number').fill('1');
  await page.click('dialog button:has-text("Create link")');
  const address = (await page.textContent('dialog code')) ?? '';
  expect(address).toMatch(new RegExp(`^${server.url}/share/\\w{20,}$`));

  const reader = await (await browser.newContext()).newPage();
  await reader.goto(address);
  await ready(reader, 'pages');
  await reader.waitForSelector('[data-metric="pageviews"][data-value="3"]');
  await reader.waitForSelector('[data-connection][data-state="online"]');
  expect(await reader.locator('[aria-label="Share"], [aria-label="Site settings"], [href="/settings"]').count()).toBe(
    0,
  );
  await dashboard.view('/seen-by-both', {}, 'Mozilla/5.0 (X11; Linux x86_64; rv:141.0) Gecko/20100101 Firefox/141.0');
  await reader.waitForSelector('[data-panel="pages"] [data-row="/seen-by-both"]');

  await page.click('dialog button:has-text("Revoke")');
  await page.waitForSelector('dialog li', { state: 'detached' });
  await reader.reload();
  await reader.waitForSelector('text=This link is no longer valid.');
});

it('shows what visitors send as text, and never as a link', async () => {
  await using dashboard = await openDashboard({ traffic: false, isBlank: true });
  const { page } = dashboard;
  await dashboard.view('/<img src=x onerror=alert(1)>');
  await dashboard.view('//evil.example/');
  await dashboard.view('/x', { referrer: 'https://evil.example/"><script>alert(1)</script>' });
  await dashboard.server.foot(
    { site: 'example.com', name: 'pageview', url: 'https://example.com/utm?utm_campaign=javascript:alert(1)' },
    {},
  );
  await dashboard.server.settle();
  let dialogs = 0;
  page.on('dialog', (dialog) => {
    dialogs += 1;
    void dialog.dismiss();
  });
  for (const tabs of ['', '?sources=referrer', '?sources=utm_campaign', '?details=page', '?details=referrer']) {
    await page.goto(`${dashboard.server.url}/example.com${tabs}`);
    await ready(page, 'pages');
  }
  const links = await page.$$eval('[data-panel] a[href], dialog a[href]', (all) =>
    all.map((link) => (link as HTMLAnchorElement).href),
  );
  for (const link of links) expect(link).toMatch(new RegExp(`^(${dashboard.server.url}|https://example\\.com)/`));
  expect(dialogs).toBe(0);
  expect(dashboard.troubles).toEqual([]);
});

it('is the same dashboard at 390 pixels, in one column and with nothing cut off', async () => {
  await using dashboard = await openDashboard({ width: 390, height: 844, isBlank: true });
  const { page, server } = dashboard;
  for (const path of [
    '/example.com',
    '/example.com?period=91d',
    '/example.com/live',
    '/example.com/settings',
    '/example.com/settings/exclusions',
    '/example.com/settings/integrations',
    '/settings/profile',
    '/settings/security',
    '/settings/plan',
    '/settings/keys',
    '/settings/webhooks',
    '/',
    '/sites/new?site=example.com',
  ]) {
    await page.goto(server.url + path);
    await page.waitForSelector('[data-state], h1');
    await page.waitForLoadState('networkidle');
    await expect
      .poll(() => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth), {
        message: path,
      })
      .toBeLessThanOrEqual(0);
  }
});
