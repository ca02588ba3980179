// The card of a person's feed and calendar in the settings of a site, as a viewer sees it: made, copied, renewed and ended.
import { expect, test } from 'vitest';
import { openDashboard } from '../../setup/browser/dashboard.ts';

test('somebody who only reads the site makes, renews and ends the address of a calendar', async () => {
  await using dashboard = await openDashboard({ traffic: false, isBlank: true });
  const { page, server, site } = dashboard;
  const { db } = server.app.services.directory;
  await db.updateTable('members').set({ role: 'viewer' }).where('account_id', '=', site.account_id).execute();
  await page.goto(`${server.url}/${site.domain}/settings/reports`);
  const card = page.locator('[data-feeds]');
  const row = card.locator('[data-feed=notes]');
  expect(await page.locator('#reports, #alerts').count()).toBe(0);
  const made = async (button: string) => {
    const before = await card.locator('[data-token]').allInnerTexts();
    await row.getByRole('button', { name: `${button} the address of the calendar` }).click();
    await expect.poll(() => card.locator('[data-token]').allInnerTexts()).not.toEqual(before);
    return card.locator('[data-token]').innerText();
  };
  const statusOf = async (address: string) => (await fetch(server.url + new URL(address).pathname)).status;

  const first = await made('Create');
  expect(await statusOf(first)).toBe(200);
  const second = await made('Renew');
  expect([await statusOf(first), await statusOf(second)]).toEqual([404, 200]);
  await page.reload();
  await row.getByText('last read').waitFor();
  expect(await card.locator('[data-token]').count()).toBe(0);
  await row.getByRole('button', { name: 'End the address of the calendar' }).click();
  await row.getByRole('button', { name: 'Create the address of the calendar' }).waitFor();
  expect(await statusOf(second)).toBe(404);
  expect(dashboard.troubles).toEqual([]);
});
