// Notes on days: an owner writes, changes and deletes them; viewers of a share link read those that are not hidden from them.
import { expect, it } from 'vitest';
import { createShareLink } from '../../../server/sites/share.ts';
import { dayOf, DAY_MS } from '../../../server/vocabulary/time.ts';
import { openDashboard } from './setup.ts';

it('an owner pins notes to days of the chart, and a share link shows those that are not hidden', async () => {
  await using dashboard = await openDashboard();
  const { page, server, site, browser } = dashboard;
  const { now } = server.clock;
  const [day, hiddenDay] = [dayOf(now - 3 * DAY_MS), dayOf(now - 2 * DAY_MS)];
  const hostile = '<img src=x onerror=alert(1)> “launch” & more';
  const query = `?period=custom&date_from=${dayOf(now - 6 * DAY_MS)}&date_to=${dayOf(now)}`;
  await page.goto(`${server.url}/example.com${query}`);
  await page.click('[aria-label="Chart options"]');
  await page.getByRole('button', { name: 'Notes on days' }).click();
  const dialog = page.getByRole('dialog');
  const write = async (on: string, text: string, hides = false) => {
    await dialog.getByLabel('Day').fill(on);
    await dialog.getByLabel('New note').fill(text);
    if (hides) await dialog.getByText('Hide from share links', { exact: true }).click();
    await dialog.getByRole('button', { name: 'Add note' }).click();
    await dialog.locator(`[data-note="${on}"]`).waitFor();
  };
  await write(day, hostile);
  await write(hiddenDay, 'Only for us', true);
  await dialog.getByText('hidden from share links').waitFor();
  // Once it is closed, it returns the focus.
  const close = async () => {
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  };
  await close();

  // The focus shows the text, and a press opens the note.
  const pennant = page.locator(`[data-pennant="${day}"]`);
  await pennant.getByRole('button').focus();
  expect(await pennant.locator('bdi').textContent()).toBe(hostile);
  await page.keyboard.press('Enter');
  await dialog.getByLabel('Change the note').fill('Launched');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.locator(`[data-note="${day}"]`, { hasText: 'Launched' }).waitFor();
  await close();

  const { token } = await createShareLink(server.app.services.directory, { siteId: site.id, name: 'link' }, now);
  const viewer = await (await browser.newContext()).newPage();
  await viewer.goto(`${server.url}/share/${token}${query}`);
  const shown = viewer.locator('[data-pennant]');
  await shown.getByRole('button').click();
  await expect.poll(() => shown.locator('bdi').allTextContents()).toEqual(['Launched']);

  await page.locator(`[data-pennant="${hiddenDay}"]`).getByRole('button').click();
  await dialog.getByRole('button', { name: 'Delete “Only for us”' }).click();
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
  await expect.poll(() => page.locator('[data-pennant]').count()).toBe(1);
  expect(dashboard.troubles).toEqual([]);
});
