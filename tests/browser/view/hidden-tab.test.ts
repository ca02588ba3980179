// A hidden tab asks the server nothing, whatever happens, and catches up as soon as it is shown. The page's clock stands still and is moved.
import type { Locator, Page, WebSocketRoute } from 'playwright-core';
import { expect, it } from 'vitest';
import { DAY_MS, dayOf } from '../../../server/vocabulary/time/time.ts';
import { startGoogle } from '../../setup/internet/google.ts';
import { freePort } from '../../setup/processes/process.ts';
import { openDashboard } from '../../setup/browser/dashboard.ts';

const LONG_MS = 120_000;
const AT_ONCE_MS = 20;
const OTHER = 'Mozilla/5.0 (X11; Linux x86_64; rv:141.0) Gecko/20100101 Firefox/141.0';

const become = (page: Page, visibility: 'hidden' | 'visible') =>
  page.evaluate((value) => {
    Object.defineProperty(document, 'visibilityState', { value, configurable: true });
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
  }, visibility);

/** Moves the clock until that is shown: the page hears from the server first, which takes time of its own. */
const comesAtOnce = (page: Page, shown: Locator) =>
  expect
    .poll(async () => {
      await page.clock.runFor(AT_ONCE_MS);
      return shown.count();
    })
    .toBe(1);
const rowOf = (page: Page, path: string) => page.locator(`[data-panel="pages"] [data-row="${path}"]`);

/** Each question of tRPC requests, as many times as it was asked. */
const questions = (requests: string[]): string[] =>
  requests.flatMap((request) => {
    const { pathname, searchParams } = new URL(request, 'http://server');
    if (!pathname.startsWith('/trpc/')) return [];
    const inputs = JSON.parse(searchParams.get('input') ?? '{}') as Record<string, unknown>;
    return pathname
      .slice('/trpc/'.length)
      .split(',')
      .map((name, index) => `${name} ${JSON.stringify(inputs[index])}`);
  });

/** Records what the page asks the server. `loaded` stops the page’s clock once everything is there. */
function listen(page: Page) {
  let asked: string[] = [];
  const open = new Set<unknown>();
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    asked.push(pathname + search);
    open.add(request);
  });
  page.on('requestfinished', (request) => open.delete(request));
  page.on('requestfailed', (request) => open.delete(request));
  const forget = () => (asked = []);
  /** All of it since then: requests are told in the order in which they are sent, so the last one is the mark. */
  const untilNow = async (): Promise<string[]> => {
    await page.evaluate(() => fetch('/robots.txt?mark').then((answer) => answer.text()));
    await expect.poll(() => asked.at(-1)).toBe('/robots.txt?mark');
    await expect.poll(() => open.size).toBe(0);
    return asked.slice(0, -1);
  };
  const loaded = async () => {
    await page.waitForSelector('[data-connection][data-state="online"]');
    // The AI chapter loads a moment after the page.
    for (const panel of ['pages', 'ai'])
      await page.waitForSelector(`[data-panel="${panel}"]:not([data-state="loading"])`);
    await page.clock.pauseAt(Date.now() + 10_000);
    do {
      forget();
      await page.clock.runFor(1000);
    } while ((await untilNow()).length > 0);
    forget();
  };
  /** Moves the clock until the page has asked that. */
  const asks = async (name: string) => {
    forget();
    do await page.clock.runFor(1000);
    while (!questions(await untilNow()).some((question) => question.startsWith(name)));
    await page.clock.runFor(AT_ONCE_MS); // questions are sent together, a moment after they are asked: one of the last millisecond, too
    forget();
  };
  return { forget, untilNow, loaded, asks };
}

/** The page's sockets, the newest last, and how often the server has said that events were stored. `isOld`: it pushes no answers. */
async function watchSockets(page: Page, { isOld = false } = {}) {
  const sockets: WebSocketRoute[] = [];
  const told = { stored: 0 };
  await page.routeWebSocket('**/socket.io/**', (socket) => {
    sockets.push(socket);
    const ofServer = socket.connectToServer();
    socket.onMessage((message) => {
      if (!isOld || !String(message).includes('"follow"')) ofServer.send(message);
    });
    ofServer.onMessage((message) => {
      socket.send(message);
      if (String(message).includes('"stored"')) told.stored += 1;
    });
  });
  return { sockets, told };
}

it.each([
  ['today', ''],
  ['custom', `?period=custom&date_from=${dayOf(Date.now() - 3 * DAY_MS)}&date_to=${dayOf(Date.now() - 2 * DAY_MS)}`],
])('misses a reconnection, and catches up once it is shown, for the period %s', async (period, search) => {
  await using dashboard = await openDashboard({ isBlank: true });
  const { page, server } = dashboard;
  const { sockets } = await watchSockets(page);
  const { forget, untilNow, loaded } = listen(page);
  await page.clock.install();
  await page.goto(`${server.url}/example.com${search}`);
  await loaded();

  await become(page, 'hidden');
  const connections = sockets.length;
  await sockets.at(-1)?.close();
  await page.waitForSelector('[data-connection][data-state="offline"]', { state: 'attached' });
  while (sockets.length === connections) await page.clock.runFor(500);
  await page.waitForSelector('[data-connection][data-state="online"]');
  await dashboard.view('/meanwhile', {}, OTHER);
  await server.settle();
  await page.clock.runFor(20_000); // the socket would end after a longer silence
  expect(await untilNow()).toEqual([]);

  forget();
  await become(page, 'visible');
  await page.clock.runFor(AT_ONCE_MS);
  await untilNow();
  await page.clock.runFor(1000); // nothing is asked a second time
  const caughtUp = questions(await untilNow());
  expect(caughtUp.filter((question) => question.startsWith('stats.summary') && question.includes(period))).toHaveLength(
    1,
  );
  expect(caughtUp).toEqual([...new Set(caughtUp)]);
  if (period !== 'today') return;
  await comesAtOnce(page, rowOf(page, '/meanwhile'));
  await comesAtOnce(page, page.locator('[data-metric="pageviews"][data-value="4"]'));
});

it('does not make a refresh that was due when it was hidden', async () => {
  await using dashboard = await openDashboard({ isBlank: true });
  const { page, server } = dashboard;
  const { told } = await watchSockets(page);
  const { forget, untilNow, loaded } = listen(page);
  await page.clock.install();
  await page.goto(`${server.url}/example.com`);
  await loaded();
  for (const path of ['/first', '/second']) {
    const before = told.stored;
    await dashboard.view(path, {}, OTHER);
    await server.settle();
    await expect.poll(() => told.stored).toBeGreaterThan(before);
  }
  await become(page, 'hidden');
  await page.clock.runFor(1000);
  expect(await untilNow()).toEqual([]);
  forget();
  await become(page, 'visible');
  await comesAtOnce(page, rowOf(page, '/second'));
});

it('does not try again while the server cannot be reached', async () => {
  await using dashboard = await openDashboard({ isBlank: true });
  const { page, server } = dashboard;
  const { told } = await watchSockets(page, { isOld: true });
  const { forget, untilNow, loaded, asks } = listen(page);
  await page.clock.install();
  await page.goto(`${server.url}/example.com`);
  await loaded();
  await page.route('**/trpc/**', (route) => route.abort());
  await dashboard.view('/meanwhile', {}, OTHER);
  await server.settle();
  await expect.poll(() => told.stored).toBeGreaterThan(0);
  await page.clock.runFor(6000); // it waits for the socket first
  await page.getByText('The server cannot be reached. These numbers are from').waitFor();
  await asks('stats.summary');

  await become(page, 'hidden');
  await untilNow(); // what was asked before has failed
  forget();
  await page.clock.runFor(LONG_MS);
  expect(await untilNow()).toEqual([]);
  await page.unroute('**/trpc/**');
  await become(page, 'visible');
  await comesAtOnce(page, rowOf(page, '/meanwhile'));
});

it('does not look for the first visit, and finds it once it is shown', async () => {
  await using dashboard = await openDashboard({ traffic: false, isBlank: true });
  const { page, server } = dashboard;
  const { forget, untilNow, asks } = listen(page);
  await page.clock.install();
  await page.goto(`${server.url}/sites/new?site=example.com`);
  await page.getByText('Waiting for the first visit').waitFor();
  await page.clock.pauseAt(Date.now() + 10_000);
  await asks('sites.arrivals');
  await become(page, 'hidden');
  forget();
  await page.clock.runFor(LONG_MS);
  await dashboard.view('/');
  await server.settle();
  expect(await untilNow()).toEqual([]);
  await become(page, 'visible');
  await comesAtOnce(page, page.getByText('It works. Your first visitor is here!'));
});

it('does not ask how far Search Console is read, and shows it once it is shown', async () => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  await using google = await startGoogle();
  await using dashboard = await openDashboard({
    port,
    env: { BASE_URL: url, LOG_LEVEL: 'silent', ...google.env },
    isBlank: true,
  });
  const { page, server } = dashboard;
  const { forget, untilNow, asks } = listen(page);
  google.properties = { 'sc-domain:example.com': 'siteOwner' };
  await page.clock.install();
  await page.goto(`${url}/example.com?sources=search_terms`);
  await page.locator('[data-panel=sources]').getByRole('link', { name: 'Connect in the settings' }).click();
  const section = page.locator('[data-search-console]');
  await section.getByRole('button', { name: 'Connect with Google' }).click();
  await section.getByRole('button', { name: 'Use this property' }).click();
  await section.locator('[data-progress="0"]').waitFor();
  await page.clock.pauseAt(Date.now() + 60_000);
  await asks('searchConsole.status');
  await become(page, 'hidden');
  forget();
  await page.clock.runFor(LONG_MS);
  await server.app.runJob('read-search-terms');
  expect(await untilNow()).toEqual([]);
  await become(page, 'visible');
  await comesAtOnce(page, section.locator('[data-progress]:not([data-progress="0"])'));
});
