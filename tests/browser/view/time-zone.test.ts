// A site's own days: the owner chooses a time zone in the settings, and the dashboard follows it. Also rolling periods and other
// comparisons.
import { expect, test } from 'vitest';
import { siteByDomain } from '../../../server/sites/sites.ts';
import { openDashboard, ready } from '../../setup/browser/dashboard.ts';

test('an owner chooses their own time zone, sees its days, looks at the last hours and compares with chosen days', async () => {
  await using dashboard = await openDashboard({ traffic: false, timezone: 'America/Los_Angeles', isBlank: true });
  const { page, server, view } = dashboard;
  await page.goto(`${server.url}/example.com/settings`);
  const zone = page.getByRole('combobox', { name: 'Time zone' });
  await zone.fill('Los Angeles');
  await page.getByText('There is no such time zone.').waitFor();
  await expect.poll(() => page.getByRole('button', { name: 'Save time zone' }).isDisabled()).toBe(true);
  await page.getByRole('button', { name: 'Use America/Los Angeles' }).click();
  await page.getByText('The time zone has been changed.').waitFor();
  await expect.poll(() => zone.inputValue()).toBe('America/Los Angeles');

  server.clock.now += 1_000; // the collector caches a site's settings for a second
  for (const path of ['/', '/pricing', '/docs']) await view(path);
  await server.settle();
  await page.getByRole('link', { name: 'example.com' }).first().click();
  await ready(page, 'pages');
  const shown = (metric: string, value: number) =>
    page.locator(`[data-metric="${metric}"][data-value="${value}"]`).waitFor();
  await shown('pageviews', 3);
  await shown('unique_visitors', 1);
  await page.getByText(/, America\/Los Angeles$/).waitFor();

  await page.keyboard.press('h');
  await page.waitForURL(/period=24h/);
  await page.getByRole('button', { name: 'Period: Last 24 hours' }).waitFor();
  await shown('pageviews', 3);
  await page.keyboard.press('n');
  await page.waitForURL(/period=60m/);
  await shown('pageviews', 3);

  await page.keyboard.press('w');
  await page.waitForURL(/period=7d/);
  const compare = (name: string) => page.getByRole('button', { name });
  await compare('vs previous: Previous period').click();
  await page.locator('.item', { hasText: 'Custom range' }).last().click();
  await page.getByLabel('From', { exact: true }).fill('2026-01-05');
  await page.getByLabel('To', { exact: true }).fill('2026-01-11');
  await page.getByRole('button', { name: 'Show' }).click();
  await page.waitForURL(/compare=custom&compare_from=2026-01-05&compare_to=2026-01-11/);
  await page.getByText('5 – 11 Jan 2026').filter({ visible: true }).waitFor();
  await page.keyboard.press('x');
  await page.waitForURL(/compare=none/);
  await page.keyboard.press('x');
  await page.waitForURL(/compare=custom&compare_from=2026-01-05&compare_to=2026-01-11/);
  expect(dashboard.troubles).toEqual([]);
});

test('a new site has the days of its owner’s browser, or those of UTC with one click', async () => {
  await using dashboard = await openDashboard({ traffic: false, timezone: 'America/Los_Angeles', isBlank: true });
  const { page, server } = dashboard;
  for (const [domain, zone] of [
    ['own.example', 'America/Los_Angeles'],
    ['utc.example', null],
  ] as const) {
    await page.goto(`${server.url}/sites/new`);
    await page.getByText('Its days begin at midnight in America/Los Angeles.').waitFor();
    if (zone === null) {
      await page.getByRole('button', { name: 'Use UTC' }).click();
      await page.getByText('Its days begin at midnight in UTC.').waitFor();
    }
    await page.getByLabel('Domain').fill(domain);
    await page.getByRole('button', { name: 'Add site' }).click();
    await page.waitForURL(`**/sites/new?site=${domain}`);
    expect(await siteByDomain(server.app.services.directory, domain)).toMatchObject({ timezone: zone });
  }
  expect(dashboard.troubles).toEqual([]);
});
