// A share link with rules: made in the dialog beside what its viewers will see, opened with its password, and closed while somebody looks.
import { expect, it } from 'vitest';
import { NO_RULES } from '../../../server/vocabulary/settings/share-links.ts';
import { openDashboard } from '../../setup/browser/dashboard.ts';
import { makeEvent } from '../../setup/event.ts';

it('is made beside a preview, asks for its password once, shows what its rules say, and closes in words', async () => {
  await using opened = await openDashboard({ traffic: false, isBlank: true });
  const { page, server, site, browser } = opened;
  const visit = (visitor: string, country: string, path: string) =>
    makeEvent({ site_id: site.id, visitor, country, page: path, time: server.clock.now - 60_000 });
  const visits = ['ada', 'bob', 'cy', 'dan'].map((visitor) => visit(visitor, 'DE', '/kiel'));
  const others = ['eve', 'fay', 'gil', 'hal', 'ian'].map((visitor) => visit(visitor, 'FR', '/lyon'));
  await server.app.collector.record([...visits, ...others], server.clock.now);
  await server.settle();

  await page.goto(`${server.url}/${site.domain}?f=is:country:DE`);
  await page.getByRole('button', { name: 'Share' }).click();
  const dialog = page.locator('dialog[open]');
  const preview = dialog.frameLocator('iframe[title="Preview"]');
  await preview.locator('[data-panel="places"]').waitFor();
  await dialog.getByLabel('Name', { exact: true }).fill('For ACME');
  await dialog.getByLabel('Password').fill('a few good words');
  await dialog.getByRole('button', { name: 'Use the filters of this page' }).click();
  await dialog.getByLabel('Places').uncheck();
  await dialog.getByLabel('Fewest visitors of a number').fill('1');
  await preview.locator('[data-fixed]').filter({ hasText: 'This link shows only Country is Germany' }).waitFor();
  await preview.locator('[data-panel="pages"]').waitFor();
  expect(await preview.locator('[data-panel="places"]').count()).toBe(0);
  await dialog.getByRole('button', { name: 'Create link' }).click();
  const address = await dialog.locator('[data-token]').innerText();
  await dialog
    .locator('li')
    .filter({ hasText: 'with a password · 1 filter · 11 of 12 parts · with exact numbers' })
    .waitFor();

  const context = await browser.newContext();
  await using reader = { page: await context.newPage(), [Symbol.asyncDispose]: () => context.close() };
  await reader.page.goto(address);
  await reader.page.getByLabel('Password').fill('other good words');
  await reader.page.getByRole('button', { name: 'Open' }).click();
  await reader.page.getByText('The password is wrong.').waitFor();
  await reader.page.getByLabel('Password').fill('a few good words');
  await reader.page.getByRole('button', { name: 'Open' }).click();
  await reader.page.locator('[data-metric="unique_visitors"][data-value="4"]').waitFor();
  await reader.page.locator('[data-panel="pages"] [data-row="/kiel"]').waitFor();
  expect(await reader.page.locator('[data-row="/lyon"], [data-panel="places"], [data-panel="ai"]').count()).toBe(0);
  expect(await reader.page.locator('[data-live]').count()).toBe(0);
  await reader.page.reload();
  await reader.page.locator('[data-metric="unique_visitors"][data-value="4"]').waitFor();

  await dialog.getByRole('button', { name: 'More: For ACME' }).click();
  await dialog.getByRole('button', { name: 'Pause' }).click();
  await reader.page.getByText('This link is paused at the moment').waitFor();
  expect(opened.troubles).toEqual([]);
});

it('begins with the days that it shows, and offers no others', async () => {
  await using opened = await openDashboard({ isBlank: true });
  const { page, server, site } = opened;
  const { createShareLink } = await import('../../../server/sites/sharing/share.ts');
  const rules = { ...NO_RULES, period: { date_from: '2026-11-01', date_to: '2026-11-10' } };
  const wish = { siteId: site.id, name: 'past', rules };
  const { token } = await createShareLink(server.app.services.directory, wish, server.clock.now);
  await page.goto(`${server.url}/share/${token}`);
  await page.locator('[data-fixed]').waitFor();
  await page.locator('[data-metric="unique_visitors"]').first().waitFor();
  const picker = page.getByRole('button', { name: /^Period: / });
  expect(await picker.innerText()).toMatch(/1\s*–\s*10 Nov 2026/);
  await picker.click();
  const offered = await page.locator(':popover-open button').allInnerTexts();
  expect(offered.some((text) => text.includes('Last 30 days'))).toBe(false);
});
