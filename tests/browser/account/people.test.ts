// People of an account in the browser: an invitation, the new viewer's one site, switching between accounts, and removal.
import { expect, test } from 'vitest';
import { createSite } from '../../../server/sites/sites.ts';
import { PASSWORD } from '../../setup/app.ts';
import { follow, openDashboard, ready } from '../../setup/browser/dashboard.ts';

test('an owner invites a viewer of one site, who joins by the link, switches accounts, and is removed', async () => {
  await using dashboard = await openDashboard({ isBlank: true });
  const { page, server, site, browser } = dashboard;
  const { directory } = server.app.services;
  await createSite(directory, { accountId: site.account_id, domain: 'hidden.example' }, server.clock.now);
  await server.addSite('guest.example'); // its owner joins, too

  const people = page.locator('[data-section="People"]');
  const invite = async (...sites: string[]) => {
    await page.goto(`${server.url}/settings/people`);
    await page.getByRole('switch', { name: 'Sees all sites' }).uncheck();
    for (const name of sites) await page.getByRole('checkbox', { name }).check();
    await page.getByRole('button', { name: 'Create invitation' }).click();
    return (await page.locator('[data-link]').textContent()) ?? '';
  };

  // A person without a login chooses a password, and sees one site.
  const reader = await (await browser.newContext()).newPage();
  const first = await invite('example.com');
  expect(first).toMatch(new RegExp(`^${server.url}/invite/[0-9A-Za-z]{32}$`));
  await reader.goto(first);
  await reader.getByText('You will see example.com.').waitFor();
  await reader.fill('[name=email]', 'reader@example.com');
  await reader.fill('[name=password]', PASSWORD);
  await reader.getByRole('button', { name: 'Create login and join' }).click();
  await reader.waitForSelector('[data-site="example.com"]');
  expect(await reader.locator('[data-site]').count()).toBe(1);
  await follow(reader, '/example.com');
  await ready(reader, 'pages');

  // The link is used up, and somebody with an account of their own joins by another one.
  const guest = await (await browser.newContext()).newPage();
  await guest.goto(first);
  await guest.getByRole('heading', { name: 'This invitation is not valid' }).waitFor();
  const second = await invite('hidden.example');
  await guest.goto(second);
  await guest.getByRole('link', { name: 'Log in' }).click();
  await guest.getByRole('heading', { name: 'Log in' }).waitFor(); // the page before has the same fields
  await guest.fill('[name=email]', 'owner@guest.example');
  await guest.fill('[name=password]', PASSWORD);
  await guest.getByRole('button', { name: 'Log in' }).click();
  await guest.getByRole('button', { name: 'Join as owner@guest.example' }).click();
  await guest.waitForSelector('[data-site="hidden.example"]');
  expect(await guest.locator('[data-site]').count()).toBe(1);
  await guest.getByRole('button', { name: 'Account and theme' }).click();
  await guest.getByRole('group', { name: 'Accounts' }).getByRole('button').first().press('Enter');
  await guest.waitForSelector('[data-site="guest.example"]');

  // Once removed, the open dashboard shows nothing any more.
  await page.goto(`${server.url}/settings/people`);
  await people.getByRole('button', { name: 'Change reader@example.com' }).click();
  await people.getByRole('button', { name: 'Remove reader@example.com' }).click();
  await people.locator('[data-row="reader@example.com"]').waitFor({ state: 'detached' });
  await reader.reload();
  await reader.waitForURL(/\/no-account/);
  await follow(page, '/settings/log');
  await page.locator('[data-row="member_removed"]', { hasText: 'reader@example.com' }).waitFor();
  expect(dashboard.troubles).toEqual([]);
});
