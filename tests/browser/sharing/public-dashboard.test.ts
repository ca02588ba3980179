// A public dashboard: an owner opens one at the domain of the site, and anybody reads it.
import { expect, it } from 'vitest';
import { violations } from '../../setup/browser/axe.ts';
import { openDashboard } from '../../setup/browser/dashboard.ts';

it('an owner makes one link public, which everybody reads by its domain, with a sentence on what is counted', async () => {
  await using opened = await openDashboard({ isBlank: true });
  const { page, server, browser } = opened;
  const address = `${server.url}/share/example.com`;
  await page.goto(`${server.url}/example.com/settings/people`);
  const visitors = page.locator('[data-section="For visitors"]');
  await visitors.getByRole('textbox', { name: 'Contact' }).fill('hello@example.com');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.getByText('Saved.').waitFor();

  const links = page.locator('[data-section="Share links"]');
  const isPublic = () => links.getByRole('switch', { name: /^Public, at/ });
  const begin = () => links.getByRole('button', { name: 'New link' }).click();
  await begin();
  const indexed = links.getByRole('switch', { name: 'Search engines may list it' });
  expect(await indexed.count()).toBe(0);
  await isPublic().click();
  await indexed.click();
  await links.getByRole('button', { name: 'Create link' }).click();
  const shown = links.locator('[data-public]');
  expect(await shown.getAttribute('href')).toBe(address);
  expect(await links.locator('li').innerText()).toContain('also for search engines');
  // A site has one.
  await begin();
  await links.getByText('is public, and only one link of a site can be.').waitFor();
  expect(await isPublic().isDisabled()).toBe(true);
  expect(opened.troubles).toEqual([]);

  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, colorScheme: 'dark' });
  const reader = await context.newPage();
  await reader.goto(address);
  const note = reader.locator('[data-public-note]');
  expect(await note.innerText()).toMatch(/^Visits to example\.com are counted .*, without cookies/);
  expect(await note.getByRole('link', { name: 'hello@example.com' }).getAttribute('href')).toBe(
    'mailto:hello@example.com',
  );
  await reader.waitForSelector('[data-panel="pages"]:not([data-state="loading"])');
  expect(await reader.locator('meta[name=robots]').count()).toBe(0);
  expect(await reader.locator('link[rel=canonical]').count()).toBe(1);
  expect(await reader.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  expect(await violations(reader)).toEqual([]);
  expect(await context.cookies()).toEqual([]);

  await links.getByRole('button', { name: /^Revoke/ }).click();
  await reader.getByText('This link is no longer valid').first().waitFor();
});
