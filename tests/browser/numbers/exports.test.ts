// Numbers for other tools: the menu of lists, goals, funnels and journeys copies and downloads them, and the question behind them.
import type { Download, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { createKey } from '../../../server/accounts/keys.ts';
import { setPlan } from '../../../server/accounts/billing/plans.ts';
import { goals } from '../../../server/sites/definitions/goals.ts';
import { createSegment } from '../../../server/sites/definitions/segments.ts';
import { createShareLink } from '../../../server/sites/sharing/share.ts';
import { addFunnel } from '../../setup/stats/definitions.ts';
import { openDashboard, ready } from '../../setup/browser/dashboard.ts';

const MENU = 'Copy or download these numbers';
const menuOf = (page: Page, panel: string) =>
  page.locator(`[data-panel="${panel}"]`).getByRole('button', { name: MENU });
const item = (page: Page, name: string) => page.locator('[popover]:popover-open').getByRole('button', { name });
const clipboard = (page: Page) => page.evaluate(() => navigator.clipboard.readText());

async function textOf(downloading: Promise<Download>) {
  const download = await downloading;
  const text = Buffer.concat(await (await download.createReadStream()).toArray()).toString();
  return { name: download.suggestedFilename(), text };
}

it('copies and downloads a list, and the request that answers it', async () => {
  await using dashboard = await openDashboard({ isBlank: true });
  const { context, page, server, site, view } = dashboard;
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await view('/=1+1');
  await server.settle();
  await page.goto(`${server.url}/example.com?f=is_not:page:/none&compare=none`);
  await ready(page, 'pages');
  await menuOf(page, 'pages').click();
  await item(page, 'Copy as CSV 3 rows').click();
  await page.getByText('Copied 3 rows').waitFor();
  const csv = await clipboard(page);
  expect(csv).toBe('page,pageviews\r\n/,2\r\n/=1+1,1\r\n/pricing,1\r\n');
  const downloading = page.waitForEvent('download');
  await item(page, 'Download CSV').click();
  const today = new Date(server.clock.now).toISOString().slice(0, 10);
  expect(await textOf(downloading)).toEqual({ name: `example.com-page-${today}-${today}.csv`, text: `\ufeff${csv}` });
  await page.getByText('Saved 3 rows').waitFor();

  await item(page, 'Copy as API request').click();
  await page.getByText('Copied the request').waitFor();
  const line = await clipboard(page);
  const [, address = ''] =
    /^curl --fail-with-body -H "Authorization: Bearer \$FOOTFALL_KEY" \\\n {2}'(.+)'$/.exec(line) ?? [];
  expect(address).toContain(`${server.url}/v1/stats/breakdown?site_id=${site.id}&period=today&`);
  const { directory } = server.app.services;
  const { key } = await createKey(directory, { accountId: site.account_id, name: 'curl' }, server.clock.now);
  const answer = await fetch(address, { headers: { authorization: `Bearer ${key}` } });
  expect(((await answer.json()) as { data: unknown }).data).toEqual([
    { page: '/', pageviews: 2 },
    { page: '/=1+1', pageviews: 1 },
    { page: '/pricing', pageviews: 1 },
  ]);
  await item(page, 'Copy as MCP call').click();
  await page.getByText('Copied the call').waitFor();
  expect(JSON.parse(await clipboard(page))).toEqual({
    name: 'get_breakdown',
    arguments: {
      site_id: site.id,
      period: 'today',
      filters: [{ dimension: 'page', operator: 'is_not', values: ['/none'] }],
      dimension: 'page',
      metrics: ['pageviews'],
      per_page: 1000,
    },
  });
  expect(dashboard.troubles).toEqual([]);
});

it('is at every list with rows, at goals, funnels and journeys, large enough for a thumb, and widens no phone', async () => {
  await using dashboard = await openDashboard({ width: 390, isBlank: true });
  const { browser, page, server, site } = dashboard;
  const { directory } = server.app.services;
  const definition = { kind: 'page', page: '/pricing' } as const;
  await goals.create(directory, { siteId: site.id, name: 'Pricing', definition }, server.clock.now);
  await addFunnel(directory, site, server.clock.now, '/pricing');
  await using touched = await browser.newContext({
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
    storageState: await page.context().storageState(),
  });
  const phone = await touched.newPage();
  await phone.goto(`${server.url}/example.com`);
  for (const panel of ['sources', 'pages', 'devices', 'goals', 'funnels', 'journeys']) {
    await phone.locator(`[data-panel="${panel}"]`).scrollIntoViewIfNeeded();
    await ready(phone, panel);
    const menu = menuOf(phone, panel);
    const box = await menu.boundingBox();
    expect(Math.min(box?.width ?? 0, box?.height ?? 0), panel).toBeGreaterThanOrEqual(44);
    await menu.click();
    await item(phone, 'Copy as API request').waitFor();
    await phone.keyboard.press('Escape');
  }
  expect(await phone.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  // Lists without rows have nothing to copy.
  expect(await menuOf(phone, 'events').count()).toBe(0);
});

it('offers to share links the numbers that they show, and no requests', async () => {
  await using dashboard = await openDashboard({ isBlank: true });
  const { page, server, site } = dashboard;
  const link = await createShareLink(
    server.app.services.directory,
    { siteId: site.id, name: 'link', shows: { properties: true, fewest: 1, credit: false } },
    server.clock.now,
  );
  await page.goto(`${server.url}/share/${link.token}`);
  await ready(page, 'pages');
  await menuOf(page, 'pages').click();
  const downloading = page.waitForEvent('download');
  await item(page, 'Download CSV').click();
  const shown = await page
    .locator('[data-panel="pages"] [data-row]')
    .evaluateAll((rows) => rows.map((row) => `${row.getAttribute('data-row')},${row.getAttribute('data-value')}`));
  const { text } = await textOf(downloading);
  expect(
    text
      .split('\r\n')
      .slice(1, -1)
      .map((line) => line.split(',').slice(0, 2).join()),
  ).toEqual(shown);
  expect(shown).toHaveLength(2);
  expect(await item(page, 'Copy as API request').count()).toBe(0);
  expect(await item(page, 'Copy as MCP call').count()).toBe(0);
});

it('says when the plan has no API, and when the API does not know a segment', async () => {
  await using dashboard = await openDashboard({ isBlank: true });
  const { page, server, site } = dashboard;
  const { directory } = server.app.services;
  await setPlan(directory, { accountId: site.account_id, plan: 'starter' }, server.clock.now);
  await page.goto(`${server.url}/example.com`);
  await ready(page, 'pages');
  await menuOf(page, 'pages').click();
  await page.getByText('The API is part of the Pro plan').waitFor();
  expect(await item(page, 'Copy as API request').isEnabled()).toBe(true);

  const { user_id: owner } = await directory.db
    .selectFrom('members')
    .select('user_id')
    .where('account_id', '=', site.account_id)
    .executeTakeFirstOrThrow();
  const filters = [{ dimension: 'page', operator: 'is', values: ['/'] }] as const;
  const made = { siteId: site.id, owner, name: 'Mine', filters: filters.map((one) => ({ ...one, values: ['/'] })) };
  const segment = await createSegment(directory, made, server.clock.now);
  await page.goto(`${server.url}/example.com?segment=${segment.id}`);
  await ready(page, 'pages');
  await menuOf(page, 'pages').click();
  await page.getByText('The API does not know your personal segment “Mine”.').waitFor();
  expect(await item(page, 'Copy as API request').count()).toBe(0);
  expect(dashboard.troubles).toEqual([]);
});
