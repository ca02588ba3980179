// Journeys: found below the panels, followed from block to block, kept in the address, and made into a funnel.
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { makeEvent } from '../../setup/event.ts';
import { openDashboard, ready } from '../../setup/browser/dashboard.ts';

const panel = '[data-panel="journeys"]';
/** Journeys are loaded when they come into view. What is loaded above them meanwhile may push them out of it again. */
async function see(page: Page): Promise<void> {
  await ready(page, 'pages');
  await page.waitForFunction((selector) => {
    const section = document.querySelector(selector);
    section?.scrollIntoView();
    return section && section.getAttribute('data-state') !== 'loading';
  }, panel);
  await page.waitForSelector(`${panel}[data-state="ready"] [data-block]`);
}
const path = (text: string) => `${panel} [data-path="${text}"]`;

it('finds where visits go from the first page, turns a path into a funnel, and restores the view from its address', async () => {
  await using dashboard = await openDashboard({ traffic: false, isBlank: true });
  const { page, server, site } = dashboard;
  const visitsOf = (count: number, nodes: string[]) =>
    Array.from({ length: count }, (_, visit) =>
      nodes.map((node, index) =>
        makeEvent({
          site_id: site.id,
          visitor: `${nodes.join('')} ${visit}`.slice(-8),
          time: server.clock.now + index,
          ...(node.startsWith('/') ? { page: node } : { name: node, page: '/pricing' }),
        }),
      ),
    ).flat();
  await server.app.collector.record(
    [...visitsOf(5, ['/', '/pricing', 'signup']), ...visitsOf(4, ['/', '/docs']), ...visitsOf(2, ['/', '/rare'])],
    server.clock.now,
  );
  await server.settle();
  await page.goto(`${server.url}/example.com`);

  // It begins with the page where most visits begin.
  await see(page);
  const blocks = await page.$$eval(`${panel} [data-block]`, (all) =>
    all.map((block) => [block.getAttribute('data-block'), Number(block.getAttribute('data-value'))]),
  );
  expect(blocks).toEqual([
    ['1 page /', 11],
    ['2 page /pricing', 5],
    ['2 page /docs', 4],
    ['2 other ', 2],
    ['3 event signup', 5],
    ['3 ended ', 4],
    ['4 ended ', 5],
  ]);
  expect(await page.locator(`${panel} tbody tr`).allInnerTexts()).toEqual([
    '/\t11\t100%\t0\t2',
    '/ → /pricing\t5\t45%\t0\t0',
    '/ → /pricing → signup\t5\t45%\t5\t0',
    '/ → /docs\t4\t36%\t4\t0',
  ]);
  await page.waitForSelector(path('/ → /pricing → signup'));

  // At 400 % the window is 256 pixels high: a block and its label are in it.
  await page.setViewportSize({ width: 320, height: 256 });
  const start = page.locator(`${panel} [data-block="1 page /"]`);
  await expect.poll(async () => ((await start.boundingBox())?.height ?? 0) <= 160).toBe(true);
  await start.focus();
  const isInside = () =>
    start.evaluate((block) =>
      [block, ...block.querySelectorAll('.bar, .label')].every((part) => {
        const { top, bottom } = part.getBoundingClientRect();
        return top >= 0 && bottom <= innerHeight;
      }),
    );
  await expect.poll(isInside).toBe(true);
  await page.setViewportSize({ width: 1280, height: 900 });

  // Arrow keys move along the paths and do not change the period.
  await page.focus(`${panel} [data-block="1 page /"]`);
  for (const key of ['ArrowRight', 'ArrowDown']) await page.keyboard.press(key);
  await page.waitForSelector(path('/ → /docs'));
  for (const key of ['ArrowUp', 'ArrowRight', 'Enter']) await page.keyboard.press(key);
  await page.waitForSelector(`${panel} [data-block="3 event signup"][aria-pressed="true"]`);
  expect(new URL(page.url()).search).toBe('');

  await page.click(`${panel} button:has-text("Make this a funnel")`);
  await page.waitForSelector(`${panel} [role=status]:has-text("/ → /pricing → signup")`);
  const { funnels } = await server.app.services.directory.db
    .selectFrom('funnels')
    .select(['name', 'definition'])
    .execute()
    .then((rows) => ({ funnels: rows.map(({ name, definition }) => [name, JSON.parse(definition) as unknown]) }));
  expect(funnels).toEqual([
    [
      '/ → /pricing → signup',
      {
        steps: [
          { kind: 'page', page: '/' },
          { kind: 'page', page: '/pricing' },
          { kind: 'event', event: 'signup', props: {} },
        ],
        within: 'visit',
        order: 'any_between',
      },
    ],
  ]);

  // Another start is typed and the direction changed. The address holds both, and a reload restores them.
  await page.click(`${panel} [aria-label^="Start:"]`);
  await page.fill('[aria-label="Page, event or goal"]', 'signup');
  await page.waitForSelector('[role=option][aria-selected=true]:has-text("signup")');
  await page.keyboard.press('Enter');
  await page.waitForURL(/journey=event%3Asignup/);
  await page.selectOption(`${panel} [aria-label="Direction"]`, 'backwards');
  await page.waitForSelector(path('/ → /pricing → signup'));
  await page.reload();
  await see(page);
  await page.waitForSelector(`${panel} [data-block="3 page /"][data-value="5"]`);
  expect(new URL(page.url()).search).toBe('?journey=event%3Asignup&direction=backwards');
  await page.goBack();
  await page.waitForSelector(`${panel} [data-block="2 ended "][data-value="5"]`);
  expect(dashboard.troubles).toEqual([]);
});
