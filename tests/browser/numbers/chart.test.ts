// The chart's options: its look and its table are in the address, and it can be copied as numbers and as an image.
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { goals } from '../../../server/sites/definitions/goals.ts';
import { DAY_MS, HOUR_MS } from '../../../server/vocabulary/time/time.ts';
import { createSegment } from '../../../server/sites/definitions/segments.ts';
import { holdSocket, inputsOf, openDashboard, ready, shareDashboard } from '../../setup/browser/dashboard.ts';

const dayAt = (time: number) => new Date(time).toISOString().slice(0, 10);
/** The size of the image on the clipboard. */
const sidesOfCopy = (page: Page) =>
  page.evaluate(async () => {
    const [item] = await navigator.clipboard.read();
    const image = await createImageBitmap((await item?.getType('image/png')) ?? new Blob());
    return { width: image.width, height: image.height };
  });
const weekUntil = (now: number) => `period=custom&date_from=${dayAt(now - 6 * DAY_MS)}&date_to=${dayAt(now)}`;

/** The chart under the keyboard. */
function readChart(page: Page) {
  const points = page.getByRole('slider');
  const selection = page.locator('.u-select');
  return {
    points,
    said: () => points.getAttribute('aria-valuetext'),
    tip: async () => (await page.locator('.tip .when').allTextContents()).join(),
    /** The width of the selection, which never leaves the drawing. */
    selected: async () => {
      const [drawing, one] = await Promise.all([page.locator('.u-over').boundingBox(), selection.boundingBox()]);
      if (!drawing || !one) return 0;
      expect(one.x).toBeGreaterThanOrEqual(drawing.x - 0.5);
      expect(one.x + one.width).toBeLessThanOrEqual(drawing.x + drawing.width + 0.5);
      return one.width;
    },
  };
}

it('is read by keyboard as far as the comparison goes on, and has no selection within one day', async () => {
  const noon = Date.UTC(2026, 10, 24, 12, 30);
  await using dashboard = await openDashboard({ now: noon, traffic: false, timezone: 'UTC', isBlank: true });
  const { page, server, view } = dashboard;
  await page.clock.setFixedTime(noon);
  server.clock.now = noon - DAY_MS + 6 * HOUR_MS;
  await view('/evening');
  server.clock.now = noon;
  await view('/');
  await server.settle();
  await page.goto(`${server.url}/example.com?period=today&metric=pageviews`);
  const { points, said, tip, selected } = readChart(page);
  await page.waitForSelector('.u-wrap canvas');
  await points.focus();
  await expect.poll(said).toBe('24 Nov, 12:00–13:00, so far; Page views: 1; 23 Nov, 12:00–13:00: 0');
  for (let hour = 13; hour <= 18; hour += 1) await page.keyboard.press('Shift+ArrowRight');
  await expect.poll(said).toBe('24 Nov, 18:00–19:00; 23 Nov, 18:00–19:00: 1');
  expect(await tip()).toBe('23 Nov, 18:00–19:00');
  expect(await selected()).toBe(0);
  await page.keyboard.press('Enter');
  expect(new URL(page.url()).searchParams.get('period')).toBe('today');
  expect(dashboard.troubles).toEqual([]);
});

it('draws a goal and a segment as further lines, and its legend switches every line, which a link keeps', async () => {
  await using dashboard = await openDashboard({ isBlank: true });
  const { page, server, site } = dashboard;
  const { directory } = server.app.services;
  const { now } = server.clock;
  const hostile = '<b>“Priced” & more</b>';
  const definition = { kind: 'page' as const, page: '/pricing' };
  const goal = await goals.create(directory, { siteId: site.id, name: hostile, definition }, now);
  const filters = [{ dimension: 'page' as const, operator: 'is' as const, values: ['/'] }];
  const segment = await createSegment(directory, { siteId: site.id, owner: null, name: 'At home', filters }, now);
  await page.goto(`${server.url}/example.com?${weekUntil(now)}&metric=pageviews&numbers=table`);

  const legend = page.getByRole('group', { name: 'Lines of the chart' });
  const heads = () => page.locator('[data-chart-table] thead th').allTextContents();
  const today = () => page.locator('[data-chart-table] tbody tr').last().locator('td').allTextContents();
  const lines = () => new URL(page.url()).searchParams.get('lines');
  for (const name of [hostile, 'At home']) {
    await legend.getByRole('button', { name: 'Add a line' }).click();
    await page.locator('[popover]:popover-open').getByRole('button', { name }).click();
    await page.keyboard.press('Escape');
  }
  await expect.poll(heads).toEqual(['Date', 'Page views', `Conversions: ${hostile}`, 'At home']);
  await expect.poll(today).toEqual(['3', '1', '2']);
  expect(lines()).toBe(`${goal.id},${segment.id}`);

  for (const name of ['Page views', 'At home']) await legend.getByRole('button', { name, exact: true }).click();
  await expect.poll(today).toEqual(['1']);
  await holdSocket(page); // only the view decides what is asked below
  await page.reload();
  await expect.poll(heads).toEqual(['Date', `Conversions: ${hostile}`]);
  expect(lines()).toBe(`${goal.id},-${segment.id},-own`);
  const pressed = async (name: string) =>
    legend.getByRole('button', { name, exact: true }).getAttribute('aria-pressed');
  expect(await Promise.all(['Page views', hostile, 'At home', 'AI visits'].map(pressed))).toEqual([
    'false',
    'true',
    'false',
    'false',
  ]);
  await legend.getByRole('button', { name: 'Page views', exact: true }).click();
  await expect.poll(today).toEqual(['3', '1']);

  // The line of another period may have another interval, and the further lines wait for it.
  const asked: unknown[] = [];
  page.on('request', (request) => asked.push(...inputsOf(request.url(), 'stats.trends')));
  await page.keyboard.press('h');
  await expect.poll(async () => (await page.locator('[data-chart-table] tbody tr').count()) >= 24).toBe(true);
  await expect.poll(async () => (await heads())[0]).toBe('Time (your time zone)'); // hours are the reader's own
  await expect.poll(() => asked.length).toBeGreaterThan(0);
  expect(asked).toEqual(asked.map(() => expect.objectContaining({ period: '24h', interval: 'hour' })));
  expect(dashboard.troubles).toEqual([]);
});

describe('of a server that stays as it is', () => {
  const shared = shareDashboard();

  it('is drawn as chosen, marks the row that is pointed at, and can be copied as CSV and as an image', async () => {
    await using dashboard = await shared({ isBlank: true });
    const { context, page, server } = dashboard;
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const { now } = server.clock;
    await page.goto(`${server.url}/example.com?${weekUntil(now)}&compare=none&metric=pageviews`);
    await ready(page, 'pages');
    const choose = async (item: string) => {
      await page.click('[aria-label="Chart options"]');
      await page.getByRole('button', { name: item, exact: true }).click();
    };
    await choose('Bars');
    await page.waitForURL(/chart=bars/);
    await choose('Numbers as a table');
    await page.waitForURL(/numbers=table/);

    const rows = page.locator('[data-chart-table] tbody tr');
    await expect.poll(() => rows.count()).toBe(7);
    await expect.poll(() => rows.last().locator('td').allTextContents()).toEqual(['3']);
    // The chart may have been redrawn in the meantime: then the pointer has to move again.
    const pointAt = async (index: number) => {
      await rows.nth(index).hover();
      return {
        marked: await page.locator('[data-chart-table] tr.marked th').allTextContents(),
        tip: await page.locator('.tip .when').allTextContents(),
      };
    };
    const third = await rows.nth(2).locator('th').allTextContents();
    await expect.poll(async () => [await pointAt(1), await pointAt(2)][1]).toEqual({ marked: third, tip: third });

    await choose('Copy as CSV');
    await page.getByText('Copied 7 rows').waitFor();
    await page.keyboard.press('Escape');
    const csv = await page.evaluate(() => navigator.clipboard.readText());
    const lines = csv.split('\r\n');
    expect([lines[0], lines[7], lines[8]]).toEqual(['time,pageviews', `${dayAt(now)},3`, '']);

    await choose('Copy as image');
    const types = () => page.evaluate(async () => (await navigator.clipboard.read()).flatMap((item) => item.types));
    await expect.poll(types).toEqual(['image/png']);
    const { width, height } = await sidesOfCopy(page);
    const drawing = await page.locator('.u-wrap canvas').first().boundingBox();
    // Around the drawing: 20 pixels, above it a title of 44, and a line of the legend of 22.
    expect([width, height]).toEqual([drawing && drawing.width + 40, drawing && drawing.height + 86]);
    expect(dashboard.troubles).toEqual([]);
  });

  it('is read by keyboard from point to point, and shows the days that Shift selects', async () => {
    await using dashboard = await shared({ isBlank: true });
    const { page, server } = dashboard;
    const { now } = server.clock;
    await page.goto(`${server.url}/example.com?${weekUntil(now)}&compare=none&metric=pageviews`);
    const { points, said, tip, selected } = readChart(page);
    await page.waitForSelector('.u-wrap canvas');
    expect(await points.getAttribute('aria-label')).toBe('Page views by day');
    await points.focus();
    await expect.poll(tip).toMatch(/, so far$/);
    const last = await tip();
    expect(await said()).toBe(`${last}; Page views: 3`);
    await page.keyboard.press('ArrowRight'); // there is none after the last one
    expect([await tip(), await said()]).toEqual([last, `${last}; Page views: 3`]);

    await page.keyboard.press('ArrowLeft');
    await expect.poll(tip).not.toBe(last);
    const yesterday = await tip();
    expect(await said()).toBe(`${yesterday}; Page views: 0`);
    await page.keyboard.press('Shift+ArrowLeft');
    await page.keyboard.press('Shift+ArrowLeft');
    await expect.poll(selected).toBeGreaterThan(0);
    expect(await said()).toBe(`${await tip()} to ${yesterday} selected; ${await tip()}; Page views: 0`);
    // Escape ends the selection: the next one begins at this point.
    await page.keyboard.press('Escape');
    await expect.poll(selected).toBe(0);
    const fourth = await tip();
    await page.keyboard.press('Shift+Home');
    await expect.poll(async () => points.getAttribute('aria-valuenow')).toBe('0');
    expect(await said()).toBe(`${await tip()} to ${fourth} selected; ${await tip()}; Page views: 0`);

    // It stays there when the chart is drawn anew, and while the pointer is elsewhere.
    const first = await tip();
    await page.setViewportSize({ width: 1100, height: 900 });
    await page.waitForFunction(() => (document.querySelector('.u-wrap')?.clientWidth ?? 0) < 1100);
    await expect.poll(tip).toBe(first);
    await expect.poll(selected).toBeGreaterThan(0);
    const drawing = (await page.locator('.u-over').boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    await page.mouse.move(drawing.x + drawing.width - 1, drawing.y + 50);
    await expect.poll(tip).toBe(last);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/*date_from=${dayAt(now - 6 * DAY_MS)}&date_to=${dayAt(now - 3 * DAY_MS)}*`);

    // It has the focus in the new days, too, until it is left. Enter without a selection shows one day.
    await page.mouse.move(0, 0);
    await page.keyboard.press('Home');
    await expect.poll(tip).toBe(first);
    await page.keyboard.press('Tab');
    await expect.poll(tip).toBe('');
    await page.keyboard.press('Shift+Tab');
    await expect.poll(tip).toBe(first);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/*date_from=${dayAt(now - 6 * DAY_MS)}&date_to=${dayAt(now - 6 * DAY_MS)}*`);
    expect(dashboard.troubles).toEqual([]);
  });

  it('shows the day that is clicked and the days that dragging selects, and leaves the arrow keys to the period', async () => {
    await using dashboard = await shared({ isBlank: true });
    const { page, server } = dashboard;
    const { now } = server.clock;
    await page.goto(`${server.url}/example.com?${weekUntil(now)}&compare=none&metric=pageviews`);
    await page.waitForSelector('.u-wrap canvas');
    const { points } = readChart(page);
    await points.focus();
    const { x, y, width, height } = (await page.locator('.u-over').boundingBox()) ?? {
      x: 0,
      y: 0,
      width: 0,
      height: 0,
    };
    await page.mouse.move(x + width / 6, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + width / 2, y + height / 2, { steps: 4 });
    await page.mouse.up();
    await page.waitForURL(`**/*date_from=${dayAt(now - 5 * DAY_MS)}&date_to=${dayAt(now - 3 * DAY_MS)}*`);
    expect(await points.evaluate((one) => one === document.activeElement)).toBe(false);
    await page.keyboard.press('ArrowLeft');
    await page.waitForURL(`**/*date_from=${dayAt(now - 8 * DAY_MS)}&date_to=${dayAt(now - 6 * DAY_MS)}*`);

    await page.goto(`${server.url}/example.com?${weekUntil(now)}&compare=none&metric=pageviews`);
    await page.waitForSelector('.u-wrap canvas');
    const says = page.getByText('Click to show this day');
    // The chart may have been redrawn in the meantime: then the pointer has to move again.
    const clickThird = async () => {
      for (const left of [x, x + (2 * width) / 6]) await page.mouse.move(left, y + height / 2);
      if (await says.isVisible()) await page.mouse.click(x + (2 * width) / 6, y + height / 2);
      return new URL(page.url()).search;
    };
    const third = dayAt(now - 4 * DAY_MS);
    await expect.poll(clickThird).toContain(`date_from=${third}&date_to=${third}`);
    expect(dashboard.troubles).toEqual([]);
  });

  it('keeps its tooltip within the window of a phone, at every point', async () => {
    await using dashboard = await shared({ isBlank: true });
    const { page, server } = dashboard;
    await page.setViewportSize({ width: 390, height: 900 });
    await page.goto(`${server.url}/example.com?${weekUntil(server.clock.now)}&compare=none&metric=pageviews`);
    const { points } = readChart(page);
    await page.waitForSelector('.u-wrap canvas');
    await points.focus();
    await page.keyboard.press('Home');
    for (let index = 0; index < 7; index += 1) {
      await expect.poll(() => points.getAttribute('aria-valuenow')).toBe(String(index));
      const { left, right } = await page
        .locator('.tip')
        .evaluate((tip) => tip.getBoundingClientRect().toJSON() as DOMRect);
      expect(left, `point ${index}`).toBeGreaterThanOrEqual(0);
      expect(right, `point ${index}`).toBeLessThanOrEqual(390);
      await page.keyboard.press('ArrowRight');
    }
    expect(dashboard.troubles).toEqual([]);
  });
});
