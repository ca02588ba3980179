// A funnel from its first step to its figures: made in the dashboard, watched while a visitor goes through it, split, changed, deleted.
import { expect, test } from 'vitest';
import { openDashboard, ready, rowsOf } from '../../setup/browser/dashboard.ts';

const SAFARI =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1';

test('a funnel is made, moves with a visitor, is split by device, changed and deleted', async () => {
  await using dashboard = await openDashboard();
  const { page, server, site, view, troubles } = dashboard;
  const panel = page.locator('[data-panel="funnels"]');
  const dialog = page.getByRole('dialog');
  const step = (number: number) =>
    dialog
      .getByRole('textbox', { name: `Page of step ${number}` })
      .or(dialog.getByRole('combobox', { name: `Page of step ${number}` }));
  const shows = (rows: [string, number][]) =>
    expect.poll(() => rowsOf(page, 'funnels'), { timeout: 15_000 }).toEqual(rows);

  await panel.scrollIntoViewIfNeeded(); // loads it
  await page.waitForSelector('[data-panel="funnels"][data-state="empty"]');
  await panel.getByRole('button', { name: 'New funnel' }).click();
  await dialog.getByLabel('Name').fill('To the docs');
  await step(1).fill('/docs');
  await step(2).fill('/pricing');
  await dialog.getByRole('button', { name: 'Add a step' }).click();
  await dialog.getByLabel('Kind of step 3').selectOption('sends an event');
  await dialog.getByLabel('Event of step 3').fill('signup');
  // By the keyboard alone: pricing comes first.
  await dialog.getByRole('button', { name: 'Move step 2 up' }).press('Enter');
  await dialog.getByRole('button', { name: 'Create funnel' }).click();

  await ready(page, 'funnels');
  await shows([
    ['/pricing', 1],
    ['/docs', 0],
    ['signup', 0],
  ]);
  const before = page.url();

  // A visitor on a phone goes through it, and the bars move without a reload.
  await view('/pricing', {}, SAFARI);
  await shows([
    ['/pricing', 2],
    ['/docs', 0],
    ['signup', 0],
  ]);
  server.clock.now += 1000;
  await view('/docs', {}, SAFARI);
  server.clock.now += 1000;
  await view('/docs', { name: 'signup' }, SAFARI);
  await shows([
    ['/pricing', 2],
    ['/docs', 1],
    ['signup', 1],
  ]);
  expect(page.url()).toBe(before);
  await expect.poll(() => panel.locator('.sum').textContent()).toMatch(/1 of 2\s+visitors took all 3 steps/);
  const toTheSide = () =>
    page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  for (const width of [390, 320]) {
    await page.setViewportSize({ width, height: 844 });
    await expect.poll(toTheSide, { message: String(width) }).toBeLessThanOrEqual(0); // its table for screen readers included
  }
  await page.setViewportSize({ width: 1280, height: 900 });

  await panel.getByLabel('Split by').selectOption('By device');
  const cells = (value: string) =>
    page.$$eval(`[data-split="${value}"] [data-value]`, (found) =>
      found.map((cell) => cell.getAttribute('data-value')),
    );
  await expect.poll(() => cells('mobile')).toEqual(['1', '1', '1']);
  expect(await cells('desktop')).toEqual(['1', '0', '0']);
  const table = panel.getByRole('table', { name: 'Steps of the funnel To the docs' });
  await expect.poll(() => table.getByRole('row', { name: /1: \/pricing/ }).textContent()).toMatch(/no other page: 1/);

  await panel.getByRole('button', { name: 'Change this funnel' }).click();
  await dialog.getByLabel('Name').fill('Straight to sign-up');
  await dialog.getByRole('button', { name: 'Remove step 2' }).click();
  await dialog.getByLabel('Taken').selectOption('strict');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await shows([
    ['/pricing', 2],
    ['signup', 0],
  ]);
  await expect.poll(() => panel.getByLabel('Funnel', { exact: true }).textContent()).toContain('Straight to sign-up');

  // A click on the number who left adds a filter, described in words. Once the funnel is deleted, the filter says so.
  const left = { name: '2 dropped out after step 1, /pricing' };
  await panel.getByRole('button', left).click();
  const chip = (words: string) =>
    page.getByRole('group', { name: 'Filters' }).getByRole('button', { name: `Change filter ${words}` });
  await chip('Left “Straight to sign-up” after step 1').waitFor();
  await panel.getByRole('button', { ...left, pressed: true }).waitFor();
  await page.waitForSelector('[data-metric="unique_visitors"][data-value="2"]');
  await page.reload();
  await chip('Left “Straight to sign-up” after step 1').click();
  const editor = page.locator(':popover-open');
  await editor.getByRole('checkbox', { name: '“Straight to sign-up” after its last step' }).check();
  await editor.getByRole('checkbox', { name: '“Straight to sign-up” after step 1' }).uncheck();
  await editor.getByRole('button', { name: 'Apply' }).click();
  await page.waitForSelector('[data-metric="unique_visitors"][data-value="0"]');
  await panel.scrollIntoViewIfNeeded();

  await panel.getByRole('button', { name: 'Delete this funnel' }).click();
  await dialog.getByRole('button', { name: 'Delete funnel' }).click();
  await page.waitForSelector('[data-panel="funnels"][data-state="empty"]');
  await chip('Left a deleted funnel after step 2').waitFor();
  const { db } = server.app.services.directory;
  expect(await db.selectFrom('funnels').select('id').where('site_id', '=', site.id).execute()).toEqual([]);
  expect(troubles).toEqual([]);
});
