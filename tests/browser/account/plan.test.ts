// What people see of plans: the notice of a used-up quota, the operator's account without a plan, and an account that has ended.
import { expect, it } from 'vitest';
import { MONTHLY_EVENTS } from '../../../server/vocabulary/accounts/plans.ts';
import { setPlan } from '../../../server/accounts/billing/plans.ts';
import { createShareLink } from '../../../server/sites/sharing/share.ts';
import { sampleEvent, visitedEvent } from '../../setup/event.ts';
import { follow, openDashboard, ready } from '../../setup/browser/dashboard.ts';

const CASES = [
  { env: {}, notice: /^All of this month’s 10,000 events are used\./, settings: 'nothing is lost' },
  { env: { BILLING: 'off' }, notice: undefined, settings: undefined },
  {
    env: { BILLING: 'off', QUOTA: 'drop' },
    notice: /^All of this month’s 10,000 events are used\./,
    settings: 'not counted until next month',
  },
] as const;

for (const { env, notice, settings } of CASES)
  it(`${notice ? 'says' : 'does not say'} that a month is used up with ${JSON.stringify(env)}`, async () => {
    await using dashboard = await openDashboard({ env, isBlank: true });
    const { page, server, site } = dashboard;
    const now = server.clock.now;
    const events = Array.from({ length: MONTHLY_EVENTS }, (_, number) =>
      visitedEvent(sampleEvent(number, { site_id: site.id, time: now })),
    );
    await server.app.store.insert({ events, ai_visits: [] }, 'a month');
    await page.goto(`${server.url}/example.com`);
    await ready(page, 'pages');
    const said = page.locator('a[href="/settings/plan"]:has-text("What this means")');
    if (notice) await said.first().waitFor();
    expect(await said.count()).toBe(notice ? 1 : 0);
    if (notice) expect(await page.locator('p:has(> a[href="/settings/plan"])').first().innerText()).toMatch(notice);
    await follow(page, '/settings/plan');
    await page.getByText(/^10,00\d/).waitFor();
    await expect.poll(() => page.getByText('of 10,000').count()).toBe(notice ? 1 : 0);
    if (settings) await page.getByText(settings).waitFor();
  });

it('says nothing of quota, trial and plan to the operator', async () => {
  await using dashboard = await openDashboard({ env: { QUOTA: 'drop' }, isBlank: true });
  const { page, server, site } = dashboard;
  const { db } = server.app.services.directory;
  await db.updateTable('accounts').set({ kind: 'operator' }).where('id', '=', site.account_id).execute();
  for (const path of ['/example.com', '/settings/plan', '/sites/new', '/']) {
    await page.goto(`${server.url}${path}`);
    await page.waitForSelector('main h1, main h2', { state: 'attached' });
    expect(await page.locator('body').innerText(), path).not.toMatch(/trial|plan|quota|10,000|subscri/i);
  }
});

it('an account that has ended says so, offers the export, and recovers by itself', async () => {
  await using dashboard = await openDashboard();
  const { page, server, site } = dashboard;
  const { directory } = server.app.services;
  const { token } = await createShareLink(
    directory,
    { siteId: site.id, name: 'link', shows: { fewest: 1 } },
    server.clock.now,
  );
  const reader = await (await dashboard.browser.newContext()).newPage();
  await reader.goto(`${server.url}/share/${token}`);
  await ready(reader, 'pages');
  await ready(page, 'pages');

  // Both changes appear on the open page.
  await setPlan(directory, { accountId: site.account_id, status: 'expired' }, server.clock.now);
  await page.getByRole('heading', { name: 'The plan of this account has ended' }).waitFor();
  await reader.getByText('This dashboard is not available at the moment.').waitFor();
  await reader.reload();
  await reader.getByText('This dashboard is not available at the moment.').waitFor();
  expect(await reader.getByText('no longer valid').count()).toBe(0);
  await page.getByText('ask the operator of this server to renew the plan of owner@example.com').waitFor();
  expect(await page.locator('main').innerText()).not.toMatch(/subscribe/i);
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('main a[download]')]);
  expect(download.suggestedFilename()).toMatch(/^example\.com.*\.csv$/);
  await page.click('main a[href="/settings"]');
  await page.getByRole('link', { name: 'API keys' }).click();
  await page.getByText('The API is not available because the plan has ended.').waitFor();

  await setPlan(directory, { accountId: site.account_id, status: 'active' }, server.clock.now);
  await reader.reload();
  await ready(reader, 'pages');
  expect(dashboard.troubles).toEqual([]);
});
