// The chart's options: its look and its table are in the address, and it can be copied as numbers and as an image.
import { expect, it } from 'vitest';
import { openDashboard, ready } from './setup.ts';

it('is drawn as chosen, marks the row that is pointed at, and can be copied as CSV and as an image', async () => {
  await using dashboard = await openDashboard();
  const { context, page, server } = dashboard;
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const dayAt = (time: number) => new Date(time).toISOString().slice(0, 10);
  const now = server.clock.now;
  const days = `period=custom&date_from=${dayAt(now - 6 * 86_400_000)}&date_to=${dayAt(now)}`;
  await page.goto(`${server.url}/example.com?${days}&compare=none&metric=pageviews`);
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
  expect(await rows.count()).toBe(7);
  expect(await rows.last().locator('td').allTextContents()).toEqual(['3']);
  // The chart may just be drawn again, for which the pointer has to move once more.
  const pointAt = async (index: number) => {
    await rows.nth(index).hover();
    return page.locator('[data-chart-table] tr.marked th').allTextContents();
  };
  const third = await rows.nth(2).locator('th').allTextContents();
  await expect.poll(async () => [await pointAt(1), await pointAt(2)][1], { timeout: 15_000 }).toEqual(third);
  expect(await page.locator('.tip .when').textContent()).toBe(await rows.nth(2).locator('th').textContent());

  await choose('Copy as CSV');
  await page.getByText('Copied', { exact: true }).waitFor();
  const csv = await page.evaluate(() => navigator.clipboard.readText());
  const lines = csv.split('\r\n');
  expect([lines[0], lines[7], lines[8]]).toEqual(['Date,Page views', `${dayAt(now)},3`, '']);

  await choose('Copy as image');
  const types = () => page.evaluate(async () => (await navigator.clipboard.read()).flatMap((item) => item.types));
  await expect.poll(types, { timeout: 15_000 }).toEqual(['image/png']);
  const sides = await page.evaluate(async () => {
    const [item] = await navigator.clipboard.read();
    const image = await createImageBitmap((await item?.getType('image/png')) ?? new Blob());
    return { width: image.width, height: image.height };
  });
  expect(sides.width).toBeGreaterThan(1000);
  expect(sides.height).toBeGreaterThan(300);
  expect(dashboard.troubles).toEqual([]);
});
