// The hours of the week as a view of the chart: values by keyboard and for screen readers, in the site's own zone.
import { expect, it } from 'vitest';
import { configureSite } from '../../../server/sites/sites.ts';
import { openDashboard } from '../../setup/browser/dashboard.ts';

it('shows the hours of the week in the site’s zone as one grid of the keyboard, and copies them', async () => {
  await using dashboard = await openDashboard({ traffic: false, isBlank: true });
  const { context, page, server, site, view } = dashboard;
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  // In Kolkata it is half an hour past another hour than in UTC.
  await configureSite(
    server.app.services.directory,
    { siteId: site.id, timezone: 'Asia/Kolkata' },
    dashboard.server.clock.now,
  );
  await view('/');
  await view('/pricing');
  await server.settle();
  const shown = new Date(server.clock.now + 5.5 * 3_600_000);
  const cell = 24 * ((shown.getUTCDay() + 6) % 7) + shown.getUTCHours();

  await page.goto(`${server.url}/example.com?metric=pageviews`);
  await page.click('[aria-label="Chart options"]');
  await page.getByRole('button', { name: 'Hours of the week' }).click();
  await page.waitForURL(/chart=heatmap/);
  await page.reload();
  const grid = page.getByRole('grid', { name: 'Page views by weekday and hour' });
  await grid.locator('[data-value="2"]').waitFor();
  expect(await grid.locator('[data-cell]').count()).toBe(168);
  expect(await grid.locator('[data-value="2"]').getAttribute('data-cell')).toBe(String(cell));

  await grid.locator('[tabindex="0"]').focus();
  for (let row = 0; row < Math.floor(cell / 24); row += 1) await page.keyboard.press('ArrowDown');
  for (let column = 0; column < cell % 24; column += 1) await page.keyboard.press('ArrowRight');
  const focused = page.locator(':focus');
  await expect.poll(() => focused.getAttribute('data-cell')).toBe(String(cell));
  expect(await grid.locator('[tabindex="0"]').count()).toBe(1);
  const named = await focused.getAttribute('aria-label');
  expect(named).toMatch(/^\w+day, \d\d:00–\d\d:00: 2$/);
  await expect.poll(() => page.locator('[data-told]').innerText()).toBe(`Page views, ${named ?? ''}`);

  await page.click('[aria-label="Chart options"]');
  await page.getByRole('button', { name: 'Copy as CSV' }).click();
  await page.getByText('Copied 168 rows').waitFor();
  const csv = await page.evaluate(() => navigator.clipboard.readText());
  const lines = csv.split('\r\n');
  expect([lines[0], lines[1 + cell]]).toEqual([
    'weekday,hour,pageviews',
    `${1 + Math.floor(cell / 24)},${cell % 24},2`,
  ]);

  // The image has a title, a legend of one line, and 24 × 7 cells; the two views have one colour.
  await page.keyboard.press('Escape');
  await page.click('[aria-label="Chart options"]');
  await page.getByRole('button', { name: 'Copy as image' }).click();
  await page.getByText('Copied', { exact: true }).waitFor();
  const image = await page.evaluate(
    async ([row = 0, hour = 0]) => {
      const [item] = await navigator.clipboard.read();
      const bitmap = await createImageBitmap((await item?.getType('image/png')) ?? new Blob());
      const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
      const context = canvas.getContext('2d');
      context?.drawImage(bitmap, 0, 0);
      const at = (cell: number) =>
        [20 + 44 + (cell % 24) * 36 + 10, 66 + 20 + Math.floor(cell / 24) * 34 + 10] as const;
      const colourAt = (cell: number) => context?.getImageData(...at(cell), 1, 1).data.join();
      const cells = Array.from({ length: 168 }, (_, cell) => colourAt(cell));
      const own = cells[24 * row + hour];
      return { sides: [bitmap.width, bitmap.height], likeOwn: cells.filter((colour) => colour === own).length };
    },
    [Math.floor(cell / 24), cell % 24],
  );
  expect(image).toEqual({ sides: [44 + 24 * 36 + 40, 66 + 20 + 7 * 34 + 20], likeOwn: 1 });
  // It compares with nothing, whatever the page is compared with.
  const day = new Date(server.clock.now).toISOString().slice(0, 10);
  const custom = `compare=custom&compare_from=2026-01-01&compare_to=2026-01-02&date_from=${day}&date_to=${day}`;
  await page.goto(`${server.url}/example.com?chart=heatmap&period=custom&${custom}`);
  await page.locator('[data-heat-map][data-state="ready"]').waitFor();
  expect(dashboard.troubles).toEqual([]);
});
