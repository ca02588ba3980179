// The reading depth of a page, and the chapter on AI, as the site's owner sees them.
import { expect, test } from 'vitest';
import { makeAiVisit, makeEvent } from '../../setup/event.ts';
import { DAY_MS } from '../../../server/vocabulary/time/time.ts';
import { openDashboard } from '../../setup/browser/dashboard.ts';

test('an owner sees how far down a page is read, which agents came, and what robots.txt says to them', async () => {
  await using dashboard = await openDashboard({ traffic: false, isBlank: true });
  const { page, server, site } = dashboard;
  const now = server.clock.now;
  const own = { site_id: site.id, page: '/guide' };
  const readers = [20, 60, 100].flatMap((scroll, reader) => {
    const about = { ...own, visitor: `r${reader}`, time: now - (reader + 1) * 1000 };
    const engaged_ms = 10_000 * (reader + 1);
    return [
      makeEvent(about),
      makeEvent({ ...about, time: about.time + 1, name: 'engagement', interactive: false, engaged_ms, scroll }),
    ];
  });
  const assistant = { channel: 'AI assistants', source: 'ChatGPT' };
  const sent = makeEvent({ ...own, visitor: 'sent', time: now - DAY_MS, ...assistant });
  const agent = (ai_agent: string, ai_provider: string, daysAgo: number) =>
    makeAiVisit({
      site_id: site.id,
      ai_agent,
      ai_provider,
      time: now - daysAgo * DAY_MS - 1000,
      ai_page: '/gone',
      status: 404,
    });
  const agents = [agent('GPTBot', 'OpenAI', 40), agent('GPTBot', 'OpenAI', 1), agent('ClaudeBot', 'Anthropic', 1)];
  await server.app.collector.record([sent, ...readers, ...agents], now);
  await server.settle();
  await page.goto(`${server.url}/example.com?f=is:page:/guide`);

  await page.waitForSelector('[data-metric="time_on_page"][data-value="20"]');
  await page.waitForSelector('[data-metric="scroll_depth"][data-value="60"]');
  const curve = page.locator('[data-reading][data-state="ready"]');
  await curve.getByText('3 measured views').waitFor();
  expect(await curve.locator('.share').allInnerTexts()).toEqual(
    [100, 100, 67, 67, 67, 67, 33, 33, 33, 33].map((share) => `${share}%`),
  );
  await page.goto(`${server.url}/example.com?details=page`);
  await page.locator('dialog').getByRole('columnheader', { name: 'Scroll depth' }).waitFor();
  await page.locator('dialog tbody tr').first().filter({ hasText: '60%' }).waitFor();

  await page.goto(`${server.url}/example.com?period=30d`);
  // AI visits behind the chart's line: switched on, one provider hidden, all of it in the address.
  await page.getByRole('region', { name: 'Overview' }).getByRole('button', { name: 'AI visits', exact: true }).click();
  const legend = page.locator('[data-ai-legend][data-state="ready"]');
  await legend.locator('[data-layer="OpenAI"][data-value="1"]').waitFor();
  const table = page.getByRole('table', { name: /by day$/ });
  await table.getByRole('columnheader', { name: 'AI visits: OpenAI' }).waitFor({ state: 'attached' });
  await legend.getByRole('button', { name: 'OpenAI' }).click();
  await page.waitForURL((url) => url.searchParams.get('ai_visits') === 'without:OpenAI');
  await page.reload();
  await legend.locator('[data-layer="OpenAI"] [aria-pressed="false"]').waitFor();
  await table.getByRole('columnheader', { name: 'AI visits: Anthropic' }).waitFor({ state: 'attached' });
  expect(await table.getByRole('columnheader', { name: 'AI visits: OpenAI' }).count()).toBe(0);

  await page.locator('[data-panel="ai"]').evaluate((panel) => panel.scrollIntoView());
  const chapter = page.locator('[data-panel="ai"][data-state="ready"]');
  // The chart is that of the dashboard: a crosshair with the value of each provider, and a table for screen readers.
  const chart = chapter.getByRole('table', { name: 'AI visits by day' });
  await expect.poll(() => chart.locator('thead th').allTextContents()).toEqual(['Date', 'Anthropic', 'OpenAI']);
  const counted = (await chart
    .locator('tbody tr')
    .evaluateAll((rows) =>
      rows.map((row) => [...row.querySelectorAll('td')].map((cell) => Number(cell.textContent))),
    )) as [number, number][];
  expect([0, 1].map((column) => counted.reduce((sum, row) => sum + (row[column] ?? 0), 0))).toEqual([1, 1]);
  const index = counted.findIndex(([, openAi]) => openAi === 1);
  const drawing = chapter.locator('.u-over');
  await drawing.scrollIntoViewIfNeeded();
  const { width = 0, height = 0 } = (await drawing.boundingBox()) ?? {};
  const tip = chapter.locator('.tip');
  await expect
    .poll(async () => {
      // The chart may have been redrawn in the meantime: then the pointer has to move again.
      await drawing.hover({ position: { x: 5, y: height / 2 } });
      await drawing.hover({
        position: { x: Math.min(width - 2, (width * index) / (counted.length - 1)), y: height / 2 },
      });
      await tip.waitFor({ timeout: 1000 }).catch(() => undefined);
      return (await tip.locator('.line').allTextContents()).map((line) => line.replace(/\s+/g, ' ').trim());
    })
    .toContain('OpenAI 1');
  expect((await tip.locator('.metric').allTextContents()).join()).toMatch(/^AI visits, /);
  for (const [name, value] of Object.entries({ read: 2, sent: 1, ratio: 2, new_agents: 1 }))
    await chapter.locator(`[data-figure="${name}"][data-value="${value}"]`).waitFor();
  const openai = chapter.locator('[data-row="OpenAI"][data-value="1"]');
  expect(await openai.locator('td').last().innerText()).toBe('1 : 1');
  await page.locator('[data-panel="ai_errors"] [data-row="/gone"][data-value="2"]').waitFor();
  const listed = page.locator('[data-panel="ai_agents"]');
  await listed.locator('[data-row="ClaudeBot"]').getByText('New since').waitFor();
  expect(await listed.locator('[data-row="GPTBot"]').getByText('New since').count()).toBe(0);

  // A provider's row filters the lists; the filter is shown in the chapter, where it is removed again.
  await openai.getByRole('button').click();
  await page.locator('[data-panel="ai_errors"] [data-row="/gone"][data-value="1"]').waitFor();
  await chapter.getByRole('button', { name: 'Remove filter AI provider is OpenAI' }).click();
  await page.locator('[data-panel="ai_errors"] [data-row="/gone"][data-value="2"]').waitFor();

  await chapter.getByRole('button', { name: 'Check robots.txt' }).click();
  const robots = page.getByRole('dialog', { name: 'robots.txt' });
  await robots.getByText('Paste a file instead').click();
  await robots.getByLabel('Content of robots.txt').fill('User-agent: GPTBot\nDisallow: /\n');
  await robots.getByRole('button', { name: 'Check this text' }).click();
  await robots.locator('[data-agent="GPTBot"][data-named="true"][data-may="nothing"]').waitFor();
  await robots.locator('[data-agent="ClaudeBot"][data-named="false"][data-may="all"]').waitFor();
  expect(dashboard.troubles).toEqual([]);
});

test('without recorded reads, the chapter on AI shows what assistants sent back, and how to record reads', async () => {
  await using dashboard = await openDashboard({ traffic: false, isBlank: true });
  const { page, server, site } = dashboard;
  const { now } = server.clock;
  const sent = ['ChatGPT', 'ChatGPT', 'Perplexity'].map((source, visitor) =>
    makeEvent({
      site_id: site.id,
      visitor: `v${visitor}`,
      time: now - DAY_MS - visitor * 1000,
      channel: 'AI assistants',
      source,
    }),
  );
  await server.app.collector.record(sent, now);
  await server.settle();
  await page.goto(`${server.url}/example.com?period=30d`);
  await page.locator('[data-panel="ai"]').evaluate((panel) => panel.scrollIntoView());
  const chapter = page.locator('[data-panel="ai"][data-state="ready"]');
  await chapter.getByRole('link', { name: 'Add the lines to your server' }).waitFor();
  const figures = await chapter
    .locator('[data-figure]')
    .evaluateAll((all) => all.map((one) => [one.getAttribute('data-value'), one.querySelector('dd')?.textContent]));
  expect(figures.map(([value]) => value)).toEqual(['', '3', '', '']);
  for (const [value, text] of figures) expect(text).toContain(value || '–'); // unknown, and not 0
  expect(await chapter.locator('[data-providers] thead th').allInnerTexts()).toEqual(['Provider', 'Sent back']);
  const sentBy = (name: string) => chapter.locator(`[data-row="${name}"] td`).textContent();
  expect([await sentBy('OpenAI'), await sentBy('Perplexity')].map((text) => text?.trim())).toEqual(['2', '1']);
  expect(await chapter.getByRole('img').count()).toBe(0);
  expect(await page.locator('[data-panel="ai_agents"]').count()).toBe(0);
  expect(dashboard.troubles).toEqual([]);
});
