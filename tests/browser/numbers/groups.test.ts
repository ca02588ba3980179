// A group of sites: made in its dialog, shown at its address, reported, and deleted.
import { expect, test } from 'vitest';
import { createSite } from '../../../server/sites/sites.ts';
import { openVisits } from '../../../server/queue/writer/visits.ts';
import { DAY_MS, dayOf } from '../../../server/vocabulary/time/time.ts';
import { NOON } from '../../setup/clock.ts';
import { makeEvent } from '../../setup/event.ts';
import { startSmtp } from '../../setup/internet/smtp.ts';
import { follow, openDashboard, ready } from '../../setup/browser/dashboard.ts';

/** The report is about the last whole week, from Monday to Sunday: on a Wednesday, nobody came in it. */
const TUESDAY = NOON - DAY_MS;
/** Visitors of each site, so many days ago. */
const VISITORS: Record<string, [daysAgo: number, visitors: number][]> = {
  'example.com': [
    [1, 3],
    [10, 4],
  ],
  'shop.example': [
    [2, 5],
    [45, 9],
  ],
  'blog.example': [[20, 2]],
};

test('a group is made, its page adds up its sites, leads to them, is reported, and is deleted', async () => {
  await using smtp = await startSmtp();
  const env = { SMTP_URL: smtp.url, MAIL_FROM: 'Footfall <footfall@stats.example>' };
  await using dashboard = await openDashboard({ env, traffic: false, now: TUESDAY, isBlank: true });
  const { page, server, site } = dashboard;
  const { directory } = server.app.services;
  const { now } = server.clock;
  await page.clock.setFixedTime(now);
  const visits = openVisits(server.app.store);
  for (const [domain, days] of Object.entries(VISITORS)) {
    const { id } =
      domain === 'example.com' ? site : await createSite(directory, { accountId: site.account_id, domain }, now);
    const events = days.flatMap(([daysAgo, visitors]) =>
      Array.from({ length: visitors }, (_, index) => {
        const time = now - daysAgo * DAY_MS;
        return (
          visits.assign(makeEvent({ site_id: id, visitor: `visitor-${index}`, time, day: dayOf(time) }), time) ?? []
        );
      }).flat(),
    );
    await server.app.store.insert({ events, ai_visits: [] }, domain);
  }

  await page.goto(server.url);
  await page.getByRole('button', { name: 'New group' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Shops');
  const save = dialog.getByRole('button', { name: 'Save' });
  await dialog.getByLabel('shop.example').check();
  await expect.poll(() => save.isDisabled()).toBe(true); // one site is no group
  await dialog.getByLabel('example.com').check();
  await dialog.getByRole('button', { name: 'Move example.com up' }).click();
  await save.click();

  await page.waitForURL(/\?group=group_\w+$/);
  await dialog.waitFor({ state: 'detached' });
  const section = page.locator('[data-group]');
  const totals = (of: Record<string, number>, total: number) =>
    expect
      .poll(
        async () => ({
          total: await section.locator('[data-metric="unique_visitors"]').getAttribute('data-value'),
          rows: await section
            .locator('[data-row]')
            .evaluateAll((rows) => rows.map((row) => [row.getAttribute('data-row'), row.getAttribute('data-value')])),
        }),
        { timeout: 15_000 },
      )
      .toEqual({ total: String(total), rows: Object.entries(of).map(([domain, value]) => [domain, String(value)]) });
  await totals({ 'example.com': 7, 'shop.example': 5 }, 12);
  await page.getByRole('heading', { level: 1 }).getByText('Shops').waitFor();
  await expect.poll(() => page.title()).toBe('Shops · Footfall');
  // Below, only the cards of its sites.
  const cards = page.locator('main [data-site]');
  await expect
    .poll(() => cards.evaluateAll((all) => all.map((card) => card.getAttribute('data-site'))))
    .toEqual(['example.com', 'shop.example']);
  await page.setViewportSize({ width: 320, height: 800 });
  const over = () =>
    page.evaluate(() => Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth));
  await expect.poll(over).toBe(0); // the chart follows a frame later
  await page.setViewportSize({ width: 1280, height: 900 });

  await section.getByLabel('Period').selectOption({ label: 'Last 7 days' });
  await page.waitForURL(/period=7d/);
  await totals({ 'shop.example': 5, 'example.com': 3 }, 8);
  await page.goBack();
  await totals({ 'example.com': 7, 'shop.example': 5 }, 12);
  await section.getByLabel('Period').selectOption({ label: 'Custom range' });
  await section.getByLabel('From', { exact: true }).fill(dayOf(now - 50 * DAY_MS));
  await section.getByLabel('To', { exact: true }).fill(dayOf(now - 10 * DAY_MS));
  await section.getByRole('button', { name: 'Show' }).click();
  await totals({ 'shop.example': 9, 'example.com': 4 }, 13);

  await page.reload(); // everything is in the address
  await totals({ 'shop.example': 9, 'example.com': 4 }, 13);
  await section.locator('[data-row="shop.example"]').click();
  await page.waitForURL(/\/shop\.example\?/);
  await ready(page, 'pages');
  await page.waitForSelector('[data-metric="unique_visitors"][data-value="9"]');
  await page.goBack();

  await section.getByRole('button', { name: 'E-mail this view' }).click();
  await dialog.getByLabel('Name').fill('Weekly shops');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByRole('button', { name: 'Done' }).click();
  await dialog.waitFor({ state: 'detached' });
  await follow(page, '/example.com/settings/reports');
  const row = page.locator('[data-report]');
  await row.getByText('Group: Shops').waitFor();
  await row.getByRole('button', { name: 'Preview' }).click();
  await dialog
    .frameLocator('iframe')
    .getByText(/on the 2 sites of “Shops”/)
    .waitFor();

  await follow(page, '/');
  await page.getByRole('link', { name: 'Shops' }).click();
  await section.getByRole('button', { name: 'Edit group' }).click();
  await dialog.getByLabel('blog.example').check();
  await save.click();
  await section.locator('[data-row="blog.example"][data-value="2"]').waitFor();
  await section.getByRole('button', { name: 'Edit group' }).click();
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
  await dialog.getByRole('button', { name: 'Delete for good' }).click();
  await page.waitForURL(`${server.url}/`);
  await page.getByRole('button', { name: 'New group' }).waitFor();
  const links = page.getByRole('navigation', { name: 'Groups of sites' }).getByRole('link');
  await expect.poll(() => links.count()).toBe(0);

  // Its report says so, and does not silently become one of a site.
  await follow(page, '/example.com/settings/reports');
  await row.getByText('A deleted group').waitFor();
  await row.getByRole('button', { name: 'Edit' }).click();
  await dialog.getByText('The group of this report was deleted.').waitFor();
  await expect.poll(() => save.isDisabled()).toBe(true);
  await dialog.getByLabel('Numbers of').selectOption({ label: 'All sites of the account' });
  await save.click();
  await row.getByText('All sites').waitFor();
  expect(dashboard.troubles).toEqual([]);
});
