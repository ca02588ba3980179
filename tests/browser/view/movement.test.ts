// How the rows of a list move: they slide to their new place and measure nothing, since on a busy site all lists move at once.
import { expect, it } from 'vitest';
import { CHROME } from '../../setup/browser/user-agent.ts';
import { openDashboard, ready, rowsOf } from '../../setup/browser/dashboard.ts';

const chrome = (version: number) => CHROME.replace(/Chrome\/\d+/, `Chrome/${version}`);

type Move = { row: string; from: unknown };

it.each(['no-preference', 'reduce'] as const)('rows slide to their new place; motion: %s', async (reducedMotion) => {
  await using dashboard = await openDashboard({ isBlank: true });
  const { server, view, browser, context } = dashboard;
  const moving = await browser.newContext({ storageState: await context.storageState(), reducedMotion });
  const page = await moving.newPage();
  await page.addInitScript(() => {
    const { moves } = Object.assign(globalThis, { moves: [] as Move[] });
    const animate = Element.prototype.animate;
    Element.prototype.animate = function (...args) {
      const row = this.getAttribute('data-row');
      if (row !== null) moves.push({ row, from: (args[0] as Keyframe[])[0] });
      return animate.apply(this, args);
    };
  });
  const moves = () => page.evaluate(() => (globalThis as unknown as { moves: Move[] }).moves);
  await page.goto(`${server.url}/example.com`);
  for (const panel of ['pages', 'devices']) await ready(page, panel);
  await page.waitForSelector('[data-connection][data-state="online"]');
  expect(await rowsOf(page, 'pages')).toEqual([
    ['/', 2],
    ['/pricing', 1],
  ]);
  expect(await moves()).toEqual([]);

  for (const version of [140, 141]) await view('/pricing', {}, chrome(version));
  await server.settle();
  await page.waitForSelector('[data-panel="pages"] [data-row="/pricing"][data-value="3"]');
  await view('/docs');
  await server.settle();
  await page.waitForSelector('[data-panel="pages"] [data-row="/docs"][data-value="1"]');
  expect(await rowsOf(page, 'pages')).toEqual([
    ['/pricing', 3],
    ['/', 2],
    ['/docs', 1],
  ]);
  const seen = [
    { row: '/', from: { transform: 'translateY(calc(-1 * (var(--row))))' } },
    { row: '/docs', from: { opacity: 0, transform: 'translateY(0px)' } },
    { row: '/pricing', from: { transform: 'translateY(calc(1 * (var(--row))))' } },
  ];
  const byName = (one: Move, other: Move) => (one.row < other.row ? -1 : 1);
  const pages = (await moves()).filter(({ row }) => row.startsWith('/')).toSorted(byName);
  expect(pages).toEqual(reducedMotion === 'reduce' ? [] : seen);
});
