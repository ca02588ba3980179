// The frames of a page while something happens.
import type { Page } from 'playwright-core';

const LONG_MS = 50;

type Frames = { frames: number; long: number; longest_ms: number };

export async function framesOf(page: Page, work: () => Promise<unknown>): Promise<Frames> {
  await page.evaluate(() => {
    const times: number[] = [];
    Object.assign(globalThis, { times });
    const tick = (time: number) => {
      times.push(time);
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  });
  await work();
  const times = await page.evaluate(() => (globalThis as unknown as { times: number[] }).times);
  const gaps = times.slice(1).map((time, index) => time - (times[index] ?? time));
  return {
    frames: gaps.length,
    long: gaps.filter((gap) => gap > LONG_MS).length,
    longest_ms: Math.round(Math.max(0, ...gaps)),
  };
}
