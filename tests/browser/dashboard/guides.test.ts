// Guides in place: metrics and channels explain themselves, and empty lists show how to fill them.
import { expect, it } from 'vitest';
import { CHANNELS } from '../../../server/vocabulary/channels.ts';
import { METRIC_EXPLANATIONS } from '../../../server/vocabulary/explanations.ts';
import { openDashboard, ready } from './setup.ts';

it('explains metrics and channels on hover, focus and touch, and shows how to fill an empty list', async () => {
  await using dashboard = await openDashboard();
  const { page, server } = dashboard;
  await ready(page, 'sources');
  const tooltip = page.getByRole('tooltip');
  const says = (text: string) => tooltip.filter({ hasText: text }).waitFor();

  // A tile keeps its exact value. Escape and a click elsewhere close the tooltip.
  await page.waitForSelector('[data-metric="bounce_rate"][data-value="50"]');
  const bounce = page.locator('[data-metric="bounce_rate"]');
  await bounce.hover();
  await says(METRIC_EXPLANATIONS.bounce_rate);
  expect(await tooltip.innerText()).toMatch(/Bounce rate: \d+/);
  await page.keyboard.press('Escape');
  await tooltip.waitFor({ state: 'detached' });

  // By keyboard, the tooltip is the description of what has the focus.
  await page.locator('[data-metric="unique_visitors"]').focus();
  await page.keyboard.press('Tab');
  await says(METRIC_EXPLANATIONS.visits);
  expect(await page.locator('[data-metric="visits"]').getAttribute('aria-describedby')).toBe(
    await tooltip.getAttribute('id'),
  );
  await page.keyboard.press('Tab');
  await says(METRIC_EXPLANATIONS.pageviews);
  expect(await page.locator('[aria-describedby="tooltip"]').count()).toBe(1);

  await page.getByRole('tab', { name: 'Channels' }).click();
  await page.locator('[data-panel="sources"] [data-row="Organic Search"] button').hover();
  await says(CHANNELS['Organic Search']);
  expect(await tooltip.innerText()).toMatch(/Organic Search\W*: 1 unique visitors/);

  // A heading is explained by a click or a tap too, also in the details.
  await page.locator('[data-panel="pages"] .columns').getByRole('button', { name: 'Views' }).click();
  await says(METRIC_EXPLANATIONS.pageviews);
  await page.goto(`${server.url}/example.com?details=channel`);
  await page.waitForSelector('dialog tbody tr'); // until then its columns move
  await page.locator('dialog').getByRole('columnheader', { name: 'Bounce rate' }).getByRole('button').hover();
  await says(METRIC_EXPLANATIONS.bounce_rate);
  expect(await page.locator('dialog [role="tooltip"]').count()).toBe(1);
  // Escape closes what lies on top: first the tooltip, then the dialog behind it.
  await page.keyboard.press('Escape');
  await tooltip.waitFor({ state: 'detached' });
  expect(await page.locator('dialog[open]').count()).toBe(1);
  await page.keyboard.press('Escape');
  await page.locator('dialog').waitFor({ state: 'detached' });

  await dashboard.context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: server.url });
  await page.goto(`${server.url}/example.com`);
  const empty = page.locator('[data-panel="events"][data-state="empty"]');
  await empty.getByRole('button', { name: 'Copy' }).click();
  await empty.getByText('Copied').waitFor();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe("footfall('signup')");
  await page.locator('[data-panel="ai"]').evaluate((panel) => panel.scrollIntoView());
  const agents = page.locator('[data-panel="ai"][data-state="empty"]');
  await agents.getByText(`<img src="${server.url}/foot.gif?site=example.com" alt="">`).waitFor();
  await agents.getByText('import access-log FILE --site example.com').waitFor();
  expect(await agents.getByRole('link', { name: 'Add the lines to your server' }).getAttribute('href')).toBe(
    '/example.com/settings#agents',
  );

  await page.goto(`${server.url}/example.com?f=is:page:/nowhere`);
  await page.locator('[data-panel="sources"]').getByRole('button', { name: 'Clear filters' }).click();
  await ready(page, 'sources');
  expect(new URL(page.url()).search).toBe('');
  expect(dashboard.troubles).toEqual([]);
});

it('says in the menu of further lines how to make a goal and a segment', async () => {
  await using dashboard = await openDashboard();
  const { page } = dashboard;
  await page.getByRole('button', { name: 'Add a line' }).click();
  await page.getByText('Filter the dashboard, then choose “Save as segment”').waitFor();
  await page.getByRole('button', { name: 'New goal…' }).click();
  await page.locator('dialog h2', { hasText: 'New goal' }).waitFor();
  expect(dashboard.troubles).toEqual([]);
});
