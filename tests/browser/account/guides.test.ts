// Guides in place: metrics and channels explain themselves, and empty lists show how to fill them.
import { describe, expect, it } from 'vitest';
import { CHANNELS } from '../../../server/vocabulary/questions/channels.ts';
import {
  AI_EXPLANATIONS,
  goalExplanation,
  METRIC_EXPLANATIONS,
} from '../../../server/vocabulary/numbers/explanations.ts';
import { goals } from '../../../server/sites/definitions/goals.ts';
import { makeAiVisit } from '../../setup/event.ts';
import { openDashboard, ready, shareDashboard } from '../../setup/browser/dashboard.ts';

it('explains goals and the figures on AI, by pointer and by keyboard', async () => {
  await using dashboard = await openDashboard({ isBlank: true });
  const { page, server, site } = dashboard;
  const { now } = server.clock;
  const definition = { kind: 'page' as const, page: '/pricing' };
  await goals.create(server.app.services.directory, { siteId: site.id, name: 'Saw prices', definition }, now);
  await server.app.collector.record([makeAiVisit({ site_id: site.id, time: now })], now);
  await server.settle();
  await page.goto(`${server.url}/example.com`);
  const tooltip = page.getByRole('tooltip');
  const goal = page.locator('[data-goals] [data-goal]');
  await goal.hover();
  await tooltip.filter({ hasText: goalExplanation() }).waitFor();
  expect(await tooltip.locator('p').allTextContents()).toEqual([
    goalExplanation(),
    'Saw prices: View of /pricing. Click to filter, Alt-click to exclude.',
  ]);

  await page.locator('[data-panel="ai"]').evaluate((panel) => panel.scrollIntoView());
  const chapter = page.locator('[data-panel="ai"][data-state="ready"]');
  await chapter.waitFor();
  const says = async (sentence: string) => {
    await expect.poll(() => tooltip.locator('p').allTextContents()).toEqual([sentence]);
    await page.keyboard.press('Escape');
    await tooltip.waitFor({ state: 'detached' });
  };
  const { trend, sent, ratio, new_agents } = AI_EXPLANATIONS;
  const figures = { read: METRIC_EXPLANATIONS.ai_visits, sent, ratio, new_agents };
  for (const [name, sentence] of Object.entries(figures)) {
    await chapter.locator(`[data-figure="${name}"]`).getByRole('button').hover();
    await says(sentence);
  }
  const heads = chapter.locator('[data-providers] thead');
  await chapter.locator('[data-figure="new_agents"]').getByRole('button').focus();
  for (const sentence of [trend, METRIC_EXPLANATIONS.ai_visits, sent, ratio]) {
    await page.keyboard.press('Tab');
    await says(sentence);
  }
  expect(await heads.locator('button').allTextContents()).toEqual(['Trend', 'Pages read', 'Sent back', 'Ratio']);
  expect(dashboard.troubles).toEqual([]);
});

describe('of a server that stays as it is', () => {
  const shared = shareDashboard();

  it('explains metrics and channels on hover, focus and touch, and shows how to fill an empty list', async () => {
    await using dashboard = await shared();
    const { page, server } = dashboard;
    await ready(page, 'sources');
    const tooltip = page.getByRole('tooltip');
    const says = (text: string) => tooltip.filter({ hasText: text }).waitFor();

    // By keyboard, the tooltip is the description of what has the focus. Escape closes it.
    await page.locator('[data-panel="pages"]').getByRole('tab', { name: 'Hostnames' }).focus();
    await page.keyboard.press('Tab');
    await says(METRIC_EXPLANATIONS.pageviews);
    const described = page.locator('[aria-describedby="tooltip"]');
    expect(await described.evaluateAll((all) => all.map((one) => one === document.activeElement))).toEqual([true]);
    await page.keyboard.press('Escape');
    await tooltip.waitFor({ state: 'detached' });

    await page.getByRole('tab', { name: 'Channels' }).click();
    await page.locator('[data-panel="sources"] [data-row="Organic Search"] .barred').hover();
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
    await agents.getByText('Three ways to record them').click();
    await agents.getByText(`<img src="${server.url}/foot.gif?site=example.com" alt="">`).waitFor();
    await agents.getByText('import access-log FILE --site example.com').waitFor();
    expect(await agents.getByRole('link', { name: 'Add the lines to your server' }).getAttribute('href')).toBe(
      '/example.com/settings/integrations#agents',
    );

    await page.goto(`${server.url}/example.com?f=is:page:/nowhere`);
    // Not that sources appear with the first visit.
    const nothing = page.locator('[data-panel="sources"] .placeholder');
    await expect
      .poll(async () => (await nothing.innerText()).split(/\n+/))
      .toEqual(['Nothing matches these filters.', 'Clear filters']);
    await page.locator('[data-panel="sources"]').getByRole('button', { name: 'Clear filters' }).click();
    await ready(page, 'sources');
    expect(new URL(page.url()).search).toBe('');
    expect(dashboard.troubles).toEqual([]);
  });

  it('says in the menu of further lines how to make a goal and a segment', async () => {
    await using dashboard = await shared();
    const { page } = dashboard;
    await page.getByRole('button', { name: 'Add a line' }).click();
    await page.getByText('Filter the dashboard, then choose “Save as segment”').waitFor();
    await page.getByRole('button', { name: 'New goal…' }).click();
    await page.locator('dialog h2', { hasText: 'New goal' }).waitFor();
    expect(dashboard.troubles).toEqual([]);
  });
});
