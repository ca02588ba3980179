// Pages that are open while the server is updated: they reload once, as soon as nothing is lost, and never for ever. The later version is
// the same dashboard under other file names, on the port of the earlier one.
import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createShareLink } from '../../../server/sites/sharing/share.ts';
import { type OpenBrowser, openBrowser } from '../../setup/browser/chromium.ts';
import { testApp } from '../../setup/app.ts';
import { tempFolder } from '../../setup/folder.ts';
import { BUILD, laterBuild } from '../../setup/browser/later-build.ts';
import { freePort } from '../../setup/processes/process.ts';
import { FIREFOX, ready, SAFARI } from '../../setup/browser/dashboard.ts';

const MINUTE_MS = 60_000;
const UNREACHABLE = 'The server cannot be reached. Check the connection and try again.';
const UPDATED = 'Footfall was updated. Reload the page.';

let later: Awaited<ReturnType<typeof laterBuild>>;
let browser: OpenBrowser;
beforeAll(async () => {
  later = await laterBuild();
  browser = await openBrowser();
});
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await later[Symbol.asyncDispose]();
});

/** A server that can be replaced by one of the later version, and a browser whose owner is logged in. */
async function openServer() {
  const folder = await tempFolder();
  const port = await freePort();
  const start = (built?: string) =>
    testApp({ folder: folder.path, port, now: Date.now(), start: true, ...(built !== undefined && { built }) });
  let server = await start();
  const site = await server.addSite();
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' });
  const cookies = (await server.logIn('owner@example.com')).split('; ').map((cookie) => cookie.split(/=(.*)/s));
  await context.addCookies(cookies.map(([name = '', value = '']) => ({ name, value, url: server.url })));
  const view = (path: string, userAgent = FIREFOX) =>
    server.foot(
      { site: 'example.com', name: 'pageview', url: `https://example.com${path}` },
      { 'user-agent': userAgent },
    );
  await view('/', SAFARI);
  await server.settle();
  return {
    site,
    url: server.url,
    context,
    view,
    directory: () => server.app.services.directory,
    update: async (built = later.path) => {
      await server[Symbol.asyncDispose]();
      server = await start(built);
    },
    [Symbol.asyncDispose]: async () => {
      await context.close();
      await server[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** The addresses that the page has loaded since, one for each load. */
function loadsOf(page: Page): string[] {
  const loads: string[] = [];
  page.on('request', (request) => {
    if (request.isNavigationRequest() && request.frame() === page.mainFrame()) loads.push(request.url());
  });
  return loads;
}

const online = (page: Page) => page.waitForSelector('[data-connection][data-state="online"]');
const isLater = (page: Page) => page.locator('link[rel=modulepreload][href*="later-"]').count();
const showsVisitors = (page: Page, count: number) =>
  page.waitForSelector(`[data-live="current_visitors"][data-value="${count}"]`);

/** What the page's socket hears of versions, and a way to disconnect it. */
async function openSocket(page: Page) {
  const heard: string[] = [];
  page.on('websocket', (socket) =>
    socket.on('framereceived', ({ payload }) => {
      const version = /^42\["version","(.+)"\]$/.exec(payload.toString())?.[1];
      if (version !== undefined) heard.push(version);
    }),
  );
  await page.addInitScript(() => {
    const opened = Object.assign(globalThis, { socket: undefined as WebSocket | undefined });
    opened.WebSocket = class extends WebSocket {
      constructor(...given: ConstructorParameters<typeof WebSocket>) {
        super(...given);
        opened.socket = this;
      }
    };
  });
  return {
    heard,
    disconnect: () => page.evaluate(() => (globalThis as unknown as { socket: WebSocket }).socket.close()),
  };
}

/** The page’s own clock stands still, also when it is loaded again, so that no minute passes on a slow machine. */
async function stopClock(page: Page): Promise<{ letPass: (ms: number) => Promise<void> }> {
  await page.addInitScript((now) => {
    Date.now = () => Number(sessionStorage.getItem('test.now') ?? now);
  }, Date.now());
  return {
    letPass: (ms) => page.evaluate((passed) => sessionStorage.setItem('test.now', String(Date.now() + passed)), ms),
  };
}

test('a dashboard, walls and a shared dashboard reload once, keep address and history, and show live numbers', async () => {
  await using server = await openServer();
  const link = await createShareLink(
    server.directory(),
    { siteId: server.site.id, name: 'wall', shows: { fewest: 1 } },
    Date.now(),
  );
  const guest = await browser.newContext();
  const addresses = ['/example.com?period=7d&compare=none', '/example.com/live', `/share/${link.token}`];
  const pages = await Promise.all([
    ...addresses.map((address) => open(server.context, address)),
    open(guest, `/share/${link.token}/live`),
  ]);
  async function open(context: typeof guest, address: string) {
    const page = await context.newPage();
    await page.goto(server.url + address);
    await online(page);
    return { page, address, loads: loadsOf(page), length: await page.evaluate(() => history.length) };
  }
  await server.update();
  for (const { page, address, loads, length } of pages) {
    await expect.poll(() => loads).toEqual([server.url + address]);
    await expect.poll(() => isLater(page), { message: address }).toBeGreaterThan(0);
    await online(page);
    expect(await page.evaluate(() => history.length)).toBe(length);
  }
  expect((await server.view('/pricing')).status).toBe(202);
  for (const { page, address, loads } of pages) {
    await showsVisitors(page, 2);
    expect(loads, address).toHaveLength(1);
  }
  await guest.close();
});

test('what is typed into a dialog stays until it is closed, and a new key until the page is left', async () => {
  await using server = await openServer();
  const [dashboard, keys] = [await server.context.newPage(), await server.context.newPage()];
  const sockets = [await openSocket(dashboard), await openSocket(keys)];
  await dashboard.goto(`${server.url}/example.com`);
  await online(dashboard);
  await dashboard.keyboard.press('/');
  await dashboard.fill('dialog input', 'half a wo');
  await keys.goto(`${server.url}/settings/keys`);
  await keys.getByRole('button', { name: 'Create key' }).click();
  const token = await keys.locator('[data-token]').innerText();
  const [loads, loadsOfKeys] = [loadsOf(dashboard), loadsOf(keys)];

  await server.update();
  for (const { heard } of sockets) await expect.poll(() => heard).toEqual([expect.any(String), later.version]);
  await server.view('/pricing');
  await showsVisitors(dashboard, 2);
  expect(await dashboard.inputValue('dialog input')).toBe('half a wo');
  expect(await keys.locator('[data-token]').innerText()).toBe(token);
  expect([loads, loadsOfKeys]).toEqual([[], []]);

  await dashboard.keyboard.press('Escape');
  await dashboard.waitForSelector('dialog', { state: 'detached' });
  await expect.poll(() => loads).toEqual([`${server.url}/example.com`]);
  await keys.getByRole('link', { name: 'Webhooks' }).click();
  await expect.poll(() => loadsOfKeys).toEqual([`${server.url}/settings/webhooks`]);
  for (const page of [dashboard, keys]) await expect.poll(() => isLater(page)).toBeGreaterThan(0);
});

test('servers of two versions beside each other do not make a page reload for ever', async () => {
  await using server = await openServer();
  const page = await server.context.newPage();
  const socket = await openSocket(page);
  const { letPass } = await stopClock(page);
  await page.goto(`${server.url}/example.com`);
  await online(page);
  const loads = loadsOf(page);
  // The socket is of the later version, and pages are of the earlier one. First other files are as well.
  await using mixed = await tempFolder();
  await cp(later.path, mixed.path, { recursive: true });
  for (const name of ['index.html', '_app/immutable'])
    await cp(join(BUILD, 'app', name), join(mixed.path, 'app', name), { recursive: true });
  const asked: string[] = [];
  let answered = JSON.parse(await readFile(join(BUILD, 'app/_app/version.json'), 'utf8')) as { version: string };
  await page.route('**/_app/version.json', (route) => {
    asked.push(answered.version);
    return route.fulfill({ json: answered });
  });
  await server.update(mixed.path);
  await showsVisitors(page, 1);
  await expect.poll(() => asked).toHaveLength(1);
  expect(loads).toEqual([]); // it would only get the same page again

  answered = { version: later.version };
  await expect.poll(() => loads).toHaveLength(1);
  expect(asked).toHaveLength(6);
  await expect.poll(() => socket.heard.slice(1)).toEqual([later.version, later.version]);
  for (let heard = 4; heard <= 6; heard += 1) {
    await socket.disconnect();
    await expect.poll(() => socket.heard).toHaveLength(heard);
  }
  await server.view('/pricing');
  await showsVisitors(page, 2);
  expect(loads).toHaveLength(1);
  expect(asked).toHaveLength(6);

  await letPass(MINUTE_MS);
  await expect.poll(() => loads).toHaveLength(2);
  await expect.poll(() => socket.heard).toHaveLength(7);
  await letPass(MINUTE_MS); // the second pause is twice as long
  await socket.disconnect();
  await expect.poll(() => socket.heard).toHaveLength(8);
  await page.unroute('**/_app/version.json');
  await server.update();
  await expect.poll(() => socket.heard).toHaveLength(9);
  expect(loads).toHaveLength(2);
  await letPass(MINUTE_MS);
  await expect.poll(() => loads).toHaveLength(3);
  await expect.poll(() => isLater(page)).toBeGreaterThan(0);
  await expect.poll(() => socket.heard).toHaveLength(10);
  expect(loads).toHaveLength(3);
});

test('a part that an update has removed reloads the page, or says so; an unreachable server keeps its message', async () => {
  await using server = await openServer();
  const page = await server.context.newPage();
  await stopClock(page);
  await page.routeWebSocket(/socket\.io/, (socket) => socket.close()); // so only the missing part tells of the update
  await page.goto(`${server.url}/example.com?compare=none`);
  await ready(page, 'pages');
  const loads = loadsOf(page);
  const dialog = page.locator('dialog');
  /** A key that is pressed before the dialog has gone is typed into it. */
  const close = async () => {
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  };

  // The code that opens dialogs must be loaded before files are missing.
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await dialog.waitFor();
  await close();
  await page.route('**/_app/**', (route) => route.abort());
  await page.keyboard.press('?');
  await dialog.getByText('This part of the page could not be loaded.').waitFor();
  expect(await dialog.locator('p:not(.what)').innerText()).toBe(UNREACHABLE);
  await page.unroute('**/_app/**');
  await dialog.getByRole('button', { name: 'Try again' }).click();
  await page.waitForSelector('dialog kbd');
  await close();
  expect(loads).toEqual([]);

  await server.update();
  await page.keyboard.press('/');
  await expect.poll(() => loads).toEqual([`${server.url}/example.com?compare=none`]);
  await expect.poll(() => isLater(page)).toBeGreaterThan(0);
  await ready(page, 'pages');
  await page.keyboard.press('/');
  await page.waitForSelector('dialog input');

  // Within a minute the page does not reload by itself once more.
  await page.route('**/_app/immutable/**/*.js', (route) => route.fulfill({ status: 404, body: 'Not found.' }));
  await page.route('**/_app/version.json', (route) => route.fulfill({ json: { version: 'later still' } }));
  await close();
  await page.keyboard.press('?');
  await dialog.getByText(UPDATED).waitFor();
  expect(loads).toHaveLength(1);
  await page.unrouteAll();
  await dialog.getByRole('button', { name: 'Try again' }).click();
  await expect.poll(() => loads).toHaveLength(2);
  await ready(page, 'pages');
});

test.each(['before', 'after'])(
  'a page whose scripts are of another version tries again after a minute, also if they fail %s its body is there',
  async (when) => {
    await using server = await openServer();
    const page = await server.context.newPage();
    const loads = loadsOf(page);
    const failed = Promise.withResolvers<undefined>();
    await page.exposeFunction('onFailed', () => failed.resolve(undefined));
    // A minute is over at once.
    await page.addInitScript((minuteMs) => {
      const wait = setTimeout;
      Object.assign(globalThis, { setTimeout: (run: () => void, ms = 0) => wait(run, ms === minuteMs ? 0 : ms) });
      addEventListener('error', () => (globalThis as unknown as { onFailed(): void }).onFailed(), true);
    }, MINUTE_MS);
    // A script that holds the body up.
    await page.route(`${server.url}/example.com`, async (route) => {
      const response = await route.fetch();
      const html = await response.text();
      await route.fulfill({ response, body: html.replace('</head>', '<script src="/held.js"></script></head>') });
    });
    await page.route('**/held.js', async (route) => {
      if (when === 'before') await failed.promise;
      await route.fulfill({ contentType: 'text/javascript', body: '' });
    });
    await page.route('**/_app/immutable/entry/**', async (route) => {
      if (loads.length > 2) return route.continue();
      if (when === 'after') await page.waitForFunction(() => document.readyState !== 'loading');
      await route.fulfill({ status: 404, body: 'Not found.' });
    });
    await page.goto(`${server.url}/example.com`, { waitUntil: 'commit' });
    await ready(page, 'pages');
    expect(loads).toHaveLength(3);
  },
);
