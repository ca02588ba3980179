// Measures the dashboard of a site with millions of events in Chromium: until the first figure shows, from a click on a filter until all of
// it is drawn, and its frames while 500 events a second arrive and the browser has a core of its own. A bare page that loads as many bytes
// takes turns with it.
// node bench/page.ts [visits per day] [folder] [times] [quarters]: see traffic.ts. The folder is copied, and stays as it is.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { cp } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CDPSession, Page } from 'playwright-core';
import { dayOf, DAY_MS } from '../server/vocabulary/time/time.ts';
import { tempFolder } from '../tests/setup/folder.ts';
import { openOwner, sendArrivals } from './arrivals.ts';
import { framesOf } from './frames.ts';
import { giveBrowserOwnCore } from './own-core.ts';
import { print, startServer } from './server.ts';
import { openTraffic, sumClosedDays } from './traffic.ts';
import { median } from './interleaved.ts';

const ROUNDS = 9;
const RATE = 500;
const SECONDS = 15;
const FIGURE = '.figures[data-state="ready"] [data-metric="unique_visitors"]';
const DRAWN = '[data-panel="devices"][data-state="ready"]';

await using traffic = await openTraffic();
const { site } = traffic;
await sumClosedDays(traffic.store);
await traffic.close();
await using copy = await tempFolder();
await cp(traffic.folder, copy.path, { recursive: true });

const bare = await openBare();
const server = await startServer(copy.path, 'build/server/main.js', { FLOOD_ADDRESS_PER_SECOND: '100000' });
const { browser, page } = await openOwner(server.url);
const devtools = await page.context().newCDPSession(page);
await devtools.send('Network.enable');
await page.addInitScript((selector) => {
  const look = () => {
    if (!document.querySelector(selector)) return requestAnimationFrame(look);
    Object.assign(globalThis, { shownAt: performance.now() });
  };
  requestAnimationFrame(look);
}, `${FIGURE}, #figure`);

/** Each round asks for other days, so that no cache of the server answers. */
let round = 0;
function address(): string {
  round += 1;
  const day = (back: number) => dayOf(Date.now() - back * DAY_MS);
  return `${server.url}/${site.domain}?period=custom&date_from=${day(29 + round)}&date_to=${day(round)}`;
}

/** Milliseconds from a navigation to the first figure. The browser keeps the files of the page, as that of a returning reader does. */
async function load(): Promise<number> {
  await page.goto(address());
  await page.waitForSelector(FIGURE);
  await page.waitForSelector(DRAWN);
  await page.waitForLoadState('networkidle');
  return page.evaluate(() => (globalThis as unknown as { shownAt: number }).shownAt);
}

/** From a click on a source to the frame in which figures, chart and panels show only its visitors. Lists in the room below short ones ask last. */
function filter(): Promise<number> {
  return page.evaluate(async () => {
    const before = document.querySelector('[data-metric="unique_visitors"]')?.getAttribute('data-value');
    const row = document.querySelector<HTMLElement>('[data-panel="sources"] [data-row="Google"] button');
    const startedAt = performance.now();
    row?.click();
    const isDrawn = () =>
      document.querySelector('[data-metric="unique_visitors"]')?.getAttribute('data-value') !== before &&
      !document.querySelector('.stale:not(.room *), .panel-grid [data-state="loading"]');
    while (!isDrawn()) await new Promise(requestAnimationFrame);
    return performance.now() - startedAt;
  });
}

/** The same bytes on a page without a script of its own to run. */
async function loadBare(bytes: number): Promise<number> {
  await page.goto(`${bare.url}/?${bytes}`);
  await page.waitForSelector('#figure');
  return page.evaluate(() => (globalThis as unknown as { shownAt: number }).shownAt);
}

const filterBare = (bytes: number): Promise<number> =>
  page.evaluate(async (path) => {
    const startedAt = performance.now();
    await (await fetch(path)).arrayBuffer();
    await new Promise(requestAnimationFrame);
    return performance.now() - startedAt;
  }, `${bare.url}/bytes/${bytes}?${Math.random()}`);

await load(); // fills the browser's cache
const times = { load: [] as number[], bareLoad: [] as number[], filter: [] as number[], bareFilter: [] as number[] };
const transfers = { load: 0, filter: 0 };
for (let turn = 0; turn < ROUNDS; turn += 1) {
  const loaded = await counting(devtools, load);
  const filtered = await counting(devtools, filter);
  times.load.push(loaded.value);
  times.filter.push(filtered.value);
  [transfers.load, transfers.filter] = [loaded.bytes, filtered.bytes];
  times.bareLoad.push(await loadBare(loaded.bytes));
  times.bareFilter.push(await filterBare(filtered.bytes));
}
const ratio = (one: number, other: number) => Number((one / other).toFixed(2));
for (const [name, own, other] of [
  ['load', times.load, times.bareLoad],
  ['filter', times.filter, times.bareFilter],
] as const) {
  const [ms, bare_ms] = [median(own), median(other)];
  const [least_ms, bytes] = [Math.round(Math.min(...own)), transfers[name]];
  print({ [name]: { ms, least_ms, bare_ms, to_bare: ratio(ms, bare_ms), bytes } });
}

const arrive = (target: Page) =>
  framesOf(target, () => sendArrivals({ url: server.url, domain: site.domain }, RATE, SECONDS));
const own_core = giveBrowserOwnCore();
await page.goto('about:blank');
const bare_frames = await arrive(page);
await page.goto(`${server.url}/${site.domain}`);
await page.waitForSelector(DRAWN);
await page.waitForSelector('[data-connection][data-state="online"]');
const dashboard_frames = await arrive(page);
print({ rate: RATE, own_core, bare_frames, dashboard_frames });
await browser.close();
await server.stop('SIGKILL');
bare.close();

/** The bytes that the browser receives meanwhile. */
async function counting(session: CDPSession, work: () => Promise<number>): Promise<{ value: number; bytes: number }> {
  const received = new Map<string, number>();
  // The client closes streams that it has read: these never finish, and what has arrived of them counts.
  const arrive = ({ requestId, dataLength }: { requestId: string; dataLength: number }) =>
    received.set(requestId, (received.get(requestId) ?? 0) + dataLength);
  const finish = ({ requestId, encodedDataLength }: { requestId: string; encodedDataLength: number }) =>
    received.set(requestId, encodedDataLength);
  session.on('Network.dataReceived', arrive);
  session.on('Network.loadingFinished', finish);
  const value = await work();
  await page.waitForLoadState('networkidle');
  session.off('Network.dataReceived', arrive);
  session.off('Network.loadingFinished', finish);
  return { value, bytes: Math.round([...received.values()].reduce((sum, bytes) => sum + bytes, 0)) };
}

/** A page that fetches a number of bytes, and then shows a figure. */
async function openBare() {
  const html = `<!doctype html><script>
    fetch('/bytes/' + location.search.slice(1)).then((answer) => answer.arrayBuffer())
      .then(() => (document.body.innerHTML = '<p id="figure">1</p>'));
  </script>`;
  const http = createServer((request, response) => {
    const [, bytes] = /^\/bytes\/(\d+)/.exec(request.url ?? '') ?? [];
    response.setHeader('cache-control', 'no-store');
    if (bytes === undefined) response.setHeader('content-type', 'text/html').end(html);
    else response.end(randomBytes(Number(bytes)));
  }).listen(0, '127.0.0.1');
  await once(http, 'listening');
  const { port } = http.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => http.close() };
}
