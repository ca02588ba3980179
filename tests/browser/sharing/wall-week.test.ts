/** @module-tag long */
// A wall that is left on does not grow. Its hours pass as fast as the page can show them.
import type { CDPSession } from 'playwright-core';
import { expect, test } from 'vitest';
import { MINUTE_MS } from '../../../server/vocabulary/time/time.ts';
import { fakeClock, NOON } from '../../setup/clock.ts';
import { makeEvent } from '../../setup/event.ts';
import { sized } from '../../setup/run/harness.ts';
import { openDashboard } from '../../setup/browser/dashboard.ts';

/** After this time everything is on the screen that ever will be: lists and minutes are full, and all parts are loaded. */
const FIRST_MINUTES = 40;
const MINUTES = sized({ short: 0.5, long: 4 }) * FIRST_MINUTES;
/** Each comes from a source that is new to the wall. Half of them come to the same new page, which is then among the most read. */
const ARRIVALS_A_MINUTE = 8;
const TICK_MS = 1000;
const MOST_GROWTH = 1.2;
const COUNTRIES = ['DE', 'FR', 'BR', 'JP', 'US', 'IN', 'KE', 'NZ', 'SE', 'ZA', 'MX', 'CA', 'IT'];

/** The page’s heap in bytes, nodes and event listeners, after a garbage collection. */
async function sizeOf(session: CDPSession): Promise<{ heap: number; nodes: number; listeners: number }> {
  for (let times = 0; times < 3; times += 1) await session.send('HeapProfiler.collectGarbage');
  const { usedSize: heap } = await session.send('Runtime.getHeapUsage');
  const { nodes, jsEventListeners: listeners } = await session.send('Memory.getDOMCounters');
  return { heap, nodes, listeners };
}

test('a wall that is left on for hours keeps its size', async () => {
  const pace = fakeClock();
  await using dashboard = await openDashboard({ traffic: false, now: NOON, schedule: pace.schedule, isBlank: true });
  const { server, site, browser, context } = dashboard;
  const wall = await browser.newContext({
    storageState: await context.storageState(),
    viewport: { width: 1280, height: 720 }, // a large one takes most of its time for drawing
    reducedMotion: 'no-preference',
  });
  const page = await wall.newPage();
  await page.clock.setFixedTime(NOON);
  await page.goto(`${server.url}/example.com/live`);
  await page.waitForSelector('[data-panel="live_map"] [data-rings]', { state: 'attached' });
  await page.waitForSelector('[data-connection][data-state="online"]');

  let minute = 0;
  /** The socket's pace follows both clocks. */
  const advance = async (ms: number) => {
    server.clock.now += ms;
    await pace.advance(ms);
  };
  /** Waits until the page has the element. Moves the clock meanwhile, since a push may need another tick. */
  const shows = (selector: string) =>
    expect
      .poll(
        async () => {
          await advance(TICK_MS);
          return page.locator(selector).count();
        },
        { interval: 5 },
      )
      .toBe(1);
  const arrive = async (...visitors: { visitor: string; page: string; source?: string; country?: string }[]) => {
    const { now } = server.clock;
    const events = visitors.map((one) => makeEvent({ site_id: site.id, time: now, ...one }));
    await server.app.collector.record(events, now);
    await advance(TICK_MS);
  };
  // The whole state has come when the first arrival after it is shown.
  await expect
    .poll(async () => {
      await arrive({ visitor: 'first', page: '/first' });
      return page.locator('[data-panel="live_activity"] li:has-text("/first")').count();
    })
    .toBe(1);
  const pass = async () => {
    minute += 1;
    await advance(MINUTE_MS);
    await page.clock.setFixedTime(server.clock.now);
    await arrive(
      ...Array.from({ length: ARRIVALS_A_MINUTE }, (_, index) => {
        const visitor = `visitor ${minute} ${index}`;
        const country = COUNTRIES[(minute + index) % COUNTRIES.length] ?? '';
        const page = `/page/${minute}/${index % 2 ? 0 : index}`;
        return { visitor, page, source: `source-${minute}-${index}.example`, country };
      }),
    );
    await shows(`[data-panel="live_pages"] [data-row="/page/${minute}/0"]`);
  };
  const session = await wall.newCDPSession(page);
  const pastUntil = async (until: number) => {
    while (minute < until) await pass();
    await server.settle();
    await shows(`[data-today="unique_visitors"][data-value="${1 + minute * ARRIVALS_A_MINUTE}"]`);
    await page.waitForFunction(() => document.getAnimations().length === 0);
    return sizeOf(session);
  };
  const before = await pastUntil(FIRST_MINUTES);
  const after = await pastUntil(FIRST_MINUTES + MINUTES);
  for (const part of ['heap', 'nodes', 'listeners'] as const)
    expect(after[part] / before[part], `${part}: ${before[part]}, then ${after[part]}`).toBeLessThan(MOST_GROWTH);
  expect(dashboard.troubles).toEqual([]);
});
