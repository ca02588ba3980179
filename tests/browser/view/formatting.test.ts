// How numbers and names are shown: labels are not cut off, right-to-left names are isolated, money is shown only if there is any.
import { expect, it } from 'vitest';
import { configureSite } from '../../../server/sites/sites.ts';
import { resize } from '../../setup/browser/chromium.ts';
import { openDashboard, ready } from '../../setup/browser/dashboard.ts';

declare global {
  interface Window {
    drawn: { text: string; left: number; right: number; top: number; bottom: number; wide: number; high: number }[];
  }
}

it('cuts off no label of the chart, at any width and interval', async () => {
  await using dashboard = await openDashboard({ isBlank: true });
  const { page, server } = dashboard;
  await page.addInitScript(() => {
    window.drawn = [];
    const { fillText } = CanvasRenderingContext2D.prototype;
    CanvasRenderingContext2D.prototype.fillText = function (text, x, y, ...rest) {
      const { width } = this.measureText(text);
      const at = this.getTransform().transformPoint({ x, y });
      const part = { left: 0, start: 0, center: 0.5, right: 1, end: 1 }[this.textAlign];
      const left = at.x - part * width;
      const size = Number.parseFloat(this.font.split(' ').find((part) => part.endsWith('px')) ?? '12');
      const top = at.y - { top: 0, middle: 0.5, bottom: 1 }[this.textBaseline as 'top'] * size;
      const { width: wide, height: high } = this.canvas;
      window.drawn.push({ text, left, right: left + width, top, bottom: top + size, wide, high });
      fillText.call(this, text, x, y, ...rest);
    };
  });
  for (const query of ['', '?period=7d', '?period=7d&interval=hour', '?period=12mo&metric=visit_duration']) {
    await page.setViewportSize({ width: 640, height: 800 });
    await page.goto(`${server.url}/example.com${query}`);
    await page.waitForSelector('.u-wrap canvas');
    await page.waitForFunction(() => window.drawn.length > 4);
    for (const width of [1280, 390, 320]) {
      await page.evaluate(() => (window.drawn = []));
      await resize(page, { width, height: 800 }); // it is drawn anew
      await page.waitForFunction(() => window.drawn.length > 4);
      const cut = await page.evaluate(() =>
        window.drawn.filter(
          ({ left, right, top, bottom, wide, high }) => left < 0 || right > wide || top < 0 || bottom > high + 1,
        ),
      );
      expect(cut, `${width} ${query}`).toEqual([]);
    }
  }
});

it('isolates paths that run from right to left, in rows, full lists and filters', async () => {
  await using dashboard = await openDashboard({ traffic: false, isBlank: true });
  const { page, server } = dashboard;
  const path = '/עברית/a';
  await dashboard.view(path);
  await server.settle();
  await page.goto(`${server.url}/example.com?details=page&f=is:page:${encodeURIComponent(encodeURI(path))}`);
  for (const place of ['[data-panel="pages"] [data-row] .name', 'dialog tbody th', '[aria-label="Filters"] strong'])
    expect(await page.locator(`${place} bdi`).first().innerText(), place).toContain('עברית');
  expect(await page.locator('[data-panel="pages"] [data-row] .barred').getAttribute('title')).toMatch(
    /^\u2068.*\u2069: 1 /,
  );
});

it('shows no columns of money when no event has any', async () => {
  await using dashboard = await openDashboard({ isBlank: true });
  const { page, server } = dashboard;
  await configureSite(server.app.services.directory, { siteId: dashboard.site.id, currency: 'EUR' }, server.clock.now);
  await dashboard.view('/', { name: 'signup', props: { plan: 'pro' } });
  await dashboard.view('/', { name: 'purchase', props: { size: 'L' }, revenue: { amount: 20, currency: 'EUR' } });
  await server.settle();
  const columns = async (query: string) => {
    await page.goto(`${server.url}/example.com?${query}`);
    await page.waitForSelector('[data-metric="orders"][data-value="1"]');
    await page.waitForSelector('dialog tbody tr');
    await page.waitForLoadState('networkidle');
    return (await page.locator('dialog thead th').allInnerTexts()).map((text) => text.replace(/[^\w ]/g, '').trim());
  };
  expect(await columns('details=prop:plan')).toEqual(['plan', 'Trend', 'Events', 'Share', 'Visitors']);
  expect(await columns('details=prop:size')).toEqual([
    'size',
    'Trend',
    'Events',
    'Share',
    'Visitors',
    'Revenue',
    'Confirmed',
    'Orders',
    'Average order',
    'Refunds',
  ]);
});

it('scrolls and wraps the dialog of share links, however many and however long they are', async () => {
  await using dashboard = await openDashboard({ width: 390, height: 700 });
  const { page, server } = dashboard;
  const { createShareLink } = await import('../../../server/sites/sharing/share.ts');
  for (let number = 0; number < 25; number += 1)
    await createShareLink(
      server.app.services.directory,
      { siteId: dashboard.site.id, name: `${number} ${'LongNameWithoutSpaces'.repeat(4)}` },
      server.clock.now,
    );
  await ready(page, 'pages');
  await page.click('[aria-label="Account and theme"]');
  await page.click(':popover-open button:has-text("Share")');
  await page.waitForSelector('dialog li:nth-child(25)');
  const body = page.locator('dialog .body');
  expect(await body.evaluate((one) => one.scrollWidth - one.clientWidth)).toBeLessThanOrEqual(0);
  expect(await body.evaluate((one) => one.scrollHeight - one.clientHeight)).toBeGreaterThan(0);
  const last = page.locator('dialog li:nth-child(25) button').last();
  await last.scrollIntoViewIfNeeded();
  const box = await last.boundingBox();
  expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(700);
  expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(390);
});
