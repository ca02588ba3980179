// Measures the time from the 202 response to the number on the screen, in a real dashboard in Chromium, at a steady rate of events. The
// k-th accepted page view is on the screen once the tile shows k or more.
// node bench/live.ts [events per second] [seconds]
import { tempFolder } from '../tests/setup/folder.ts';
import { openOwner, sendArrivals } from './arrivals.ts';
import { makeSite, print, startServer, usageOf } from './server.ts';

const [rate = 500, seconds = 20] = process.argv.slice(2).map(Number);

await using folder = await tempFolder();
const site = makeSite(folder.path);
const server = await startServer(folder.path);
const { browser, page } = await openOwner(server.url);
await page.goto(`${server.url}/${site.domain}`);
await page.waitForSelector('[data-metric="pageviews"][data-value="0"]');
await page.waitForSelector('[data-live="current_visitors"]');
await page.evaluate(() => {
  const seen: Record<string, [number, number][]> = { pageviews: [], current_visitors: [] };
  Object.assign(globalThis, { seen });
  const watch = (name: string, selector: string) =>
    new MutationObserver(() => {
      const value = Number(document.querySelector(selector)?.getAttribute('data-value'));
      if (value > (seen[name]?.at(-1)?.[1] ?? 0)) seen[name]?.push([Date.now(), value]);
    }).observe(document.body, { subtree: true, childList: true, attributes: true, attributeFilter: ['data-value'] });
  watch('pageviews', '[data-metric="pageviews"]');
  watch('current_visitors', '[data-live="current_visitors"]');
});

const before = await usageOf(server.pid);
const acceptedAt = await sendArrivals({ url: server.url, domain: site.domain }, rate, seconds);
const after = await usageOf(server.pid);
await page.waitForFunction(
  (total) => Number(document.querySelector('[data-metric="pageviews"]')?.getAttribute('data-value')) >= total,
  acceptedAt.length,
);
const seen = await page.evaluate(() => (globalThis as unknown as { seen: Record<string, [number, number][]> }).seen);
await browser.close();
await server.stop();

/** Every event has a new visitor, so each event increases both numbers by one. */
const delays = (name: string) => {
  const shown = seen[name] ?? [];
  let next = 0;
  return acceptedAt.flatMap((at, index) => {
    while (next < shown.length && (shown[next]?.[1] ?? 0) < index + 1) next += 1;
    const shownAt = shown[next]?.[0];
    return shownAt === undefined ? [] : [Math.max(0, shownAt - at)];
  });
};
const quantile = (values: number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)];
const figures = (name: string) => {
  const values = delays(name);
  return { seen: values.length, p50: quantile(values, 0.5), p99: quantile(values, 0.99), max: quantile(values, 1) };
};
print({
  rate,
  accepted: acceptedAt.length,
  per_second: Math.round(acceptedAt.length / seconds),
  server_cpu_share: Number(((after.cpuSeconds - before.cpuSeconds) / seconds).toFixed(2)),
  pageviews_ms: figures('pageviews'),
  current_visitors_ms: figures('current_visitors'),
});
