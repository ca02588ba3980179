// How a wall moves: an arrival is one ripple from the connection to its rows, and nothing moves for those who prefer it so.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { MINUTE_MS } from '../../../server/vocabulary/time/time.ts';
import { NOON } from '../../setup/clock.ts';
import { makeEvent } from '../../setup/event.ts';
import { openDashboard } from '../../setup/browser/dashboard.ts';

/** More elements than this never move at a time, apart from rows that slide and the rings of the map. */
const MAX_MOVING = 10;
const MAX_RINGS = 5;
const MANY = 200;

type Move = { from: unknown; delay: number; where: string };

async function openWall(reducedMotion: 'no-preference' | 'reduce') {
  const dashboard = await openDashboard({ traffic: false, now: NOON, isBlank: true });
  const { server, site, browser, context } = dashboard;
  const { clock } = server;
  const arrive = (...visitors: { visitor: string; page: string; source?: string; country?: string }[]) => {
    const events = visitors.map((one) => makeEvent({ site_id: site.id, source: 'Google', time: clock.now, ...one }));
    return server.app.collector.record(events, clock.now);
  };
  await arrive({ visitor: 'ada', page: '/' }, { visitor: 'bob', page: '/pricing', country: 'BR' });
  await server.settle();
  const wall = await browser.newContext({ storageState: await context.storageState(), reducedMotion });
  const page = await wall.newPage();
  await page.setViewportSize({ width: 1920, height: 1080 });
  await page.clock.setFixedTime(NOON);
  await page.addInitScript(() => {
    const kept = Object.assign(globalThis, { moves: [] as Move[], rings: 0 });
    const animate = Element.prototype.animate;
    Element.prototype.animate = function (frames, options) {
      const { delay = 0 } = options as KeyframeAnimationOptions;
      const panel = this.closest('[data-panel]')?.getAttribute('data-panel');
      const row = this.closest('li')?.getAttribute('data-row');
      const where = panel ? `${panel} ${row ?? ''}`.trim() : (this.closest('header, section')?.localName ?? '');
      if (this.hasAttribute('data-ring')) kept.rings = Math.max(kept.rings, this.parentElement?.childElementCount ?? 0);
      kept.moves.push({ from: (frames as Keyframe[])[0], delay, where });
      return animate.call(this, frames, options);
    };
  });
  await page.goto(`${server.url}/example.com/live`);
  await page.waitForSelector('[data-panel="live_map"] [data-rings]', { state: 'attached' });
  await page.waitForSelector('[data-connection][data-state="online"]');
  await page.waitForSelector('[data-panel="live_pages"] [data-row="/pricing"]');
  // The whole state has come when the first arrival after it is shown.
  await expect
    .poll(async () => {
      clock.now += 1000;
      await arrive({ visitor: 'cy', page: '/first' });
      return page.locator('[data-panel="live_activity"] li:has-text("/first")').count();
    })
    .toBe(1);
  await page.waitForFunction(() => document.getAnimations().length === 0);
  await page.evaluate(() => (globalThis as unknown as { moves: Move[] }).moves.splice(0));
  return { ...dashboard, page, arrive, clock };
}

const movesOf = (page: Page) => page.evaluate(() => (globalThis as unknown as { moves: Move[] }).moves);
const isWave = ({ from }: Move) => JSON.stringify(from).includes('translateX');
const isRing = ({ from }: Move) => JSON.stringify(from).includes('scale(0.2)');

test('an arrival is one ripple from the connection to its rows, however many arrive few elements move', async () => {
  await using wall = await openWall('no-preference');
  const { page, arrive, clock } = wall;
  clock.now += 6 * MINUTE_MS;
  await arrive({ visitor: 'dan', page: '/pricing', country: 'BR', source: 'Google' });
  await page.waitForSelector('[data-panel="live_activity"] li:first-child:has-text("/pricing")');
  await page.waitForFunction(() => document.getAnimations().length === 0);
  const moves = await movesOf(page);
  expect(moves.filter(isRing)).toMatchObject([{ where: 'header', delay: 0 }]);
  expect(
    moves
      .filter(isWave)
      .map(({ where, delay }) => `${where} after ${delay} ms`)
      .toSorted(),
  ).toEqual([
    'live_activity after 180 ms',
    'live_countries BR after 180 ms',
    'live_pages /pricing after 180 ms',
    'live_sources Google after 180 ms',
  ]);

  await page.evaluate(() => (globalThis as unknown as { moves: Move[] }).moves.splice(0));
  clock.now += MINUTE_MS;
  const crowd = Array.from({ length: MANY }, (_, index) => ({
    visitor: `many ${index}`,
    page: `/page/${index % 12}`,
    source: `source-${index % 12}.example`,
    country: ['DE', 'FR', 'BR', 'JP', 'US', 'IN', 'KE', 'NZ'][index % 8] ?? '',
  }));
  await arrive(...crowd);
  await page.waitForSelector(`[data-live="current_visitors"][data-value="${MANY + 1}"]`);
  await page.waitForFunction(() => document.getAnimations().length === 0);
  const many = await movesOf(page);
  expect(many.filter(isRing)).toHaveLength(1);
  // A slot is taken by a ripple, a count or a digit; a digit that rolls is two movements.
  const rippling = many.filter((move) => isRing(move) || isWave(move));
  expect(rippling.length).toBeGreaterThan(1);
  expect(rippling.length).toBeLessThanOrEqual(MAX_MOVING);
  const rings = await page.evaluate(() => (globalThis as unknown as { rings: number }).rings);
  expect(rings).toBe(MAX_RINGS);
  expect(await page.locator('[data-ring]').count()).toBe(0);
  expect(wall.troubles).toEqual([]);
});

test('the bars have their figures, and move on when a minute is over', async () => {
  await using wall = await openWall('no-preference');
  const { page, arrive, clock } = wall;
  const bars = () =>
    page.$$eval('[aria-label^="Visitors in each"] > li', (all) =>
      all.map((bar) => bar.querySelector('b')?.textContent ?? ''),
    );
  const minute = Math.floor(clock.now / MINUTE_MS);
  await expect.poll(async () => (await bars()).at(-1)).toBe(String(minute === Math.floor(NOON / MINUTE_MS) ? 3 : 1));
  clock.now = (minute + 1) * MINUTE_MS;
  await arrive({ visitor: 'dan', page: '/' }, { visitor: 'eve', page: '/' });
  await expect.poll(async () => (await bars()).slice(-2)).toEqual(['3', '2']);
  clock.now += 3 * MINUTE_MS;
  await arrive(...Array.from({ length: 12 }, (_, index) => ({ visitor: `late ${index}`, page: '/' })));
  await expect.poll(async () => (await bars()).slice(-5)).toEqual(['3', '2', '', '', '12']);
  expect((await bars()).length).toBe(30);
  // Each figure stands on top of its bar, inside of the list.
  const cut = await page.$$eval('[aria-label^="Visitors in each"] b', (figures) =>
    figures
      .filter((figure) => {
        const list = figure.closest('ol')?.getBoundingClientRect();
        const box = figure.getBoundingClientRect();
        return !list || box.top < list.top - 0.5 || box.bottom > list.bottom + 0.5;
      })
      .map((figure) => figure.textContent),
  );
  expect(cut).toEqual([]);
});

test('nothing on a wall moves for those who prefer reduced motion, and it shows the same', async () => {
  await using wall = await openWall('reduce');
  const { page, arrive, clock } = wall;
  clock.now += MINUTE_MS;
  await arrive(
    ...['DE', 'FR', 'BR', 'JP'].map((country, index) => ({ visitor: `new ${index}`, page: '/pricing', country })),
  );
  await page.waitForSelector('[data-panel="live_pages"] [data-row="/pricing"][data-value="5"]');
  await page.waitForSelector('[data-live="current_visitors"][data-value="7"]');
  expect(await page.locator('[data-live="current_visitors"] .sr-only').innerText()).toBe('7');
  expect(await movesOf(page)).toEqual([]);
  expect(await page.locator('[data-ring]').count()).toBe(0);
  expect(await page.evaluate(() => document.getAnimations().length)).toBe(0);
  expect(wall.troubles).toEqual([]);
});
