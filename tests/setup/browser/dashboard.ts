// Setup of the dashboard's tests: a server with a little of today's traffic, and the browser of its owner.
import { parse } from 'devalue';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import type { Schedule } from '../../../server/live/throttle.ts';
import type { Network } from '../../../server/process/outgoing/network.ts';
import { openBrowser } from './chromium.ts';
import { testApp } from '../app.ts';

export const FIREFOX = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:140.0) Gecko/20100101 Firefox/140.0';
export const SAFARI =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1';

type Options = {
  width?: number;
  height?: number;
  domain?: string;
  traffic?: boolean;
  /** The site has had no event before those of the test. */
  isNew?: boolean;
  env?: Record<string, string>;
  network?: Network;
  /** By default one that is free. */
  port?: number;
  /** The server's clock, which then stands still: a page must be given the same. By default that of the machine. */
  now?: number;
  /** The clock that the socket's pace follows, instead of timers. */
  schedule?: Schedule;
  /** The reader's own time zone. */
  timezone?: string;
  /** The reader's language. */
  locale?: string;
};

/** `isBlank`: the test itself opens the page's first address. To load the dashboard before takes 0.6 s of CPU. */
type Shown = { isBlank?: boolean | undefined };

export async function openDashboard({ isBlank, ...options }: Options & Shown = {}) {
  const opened = await openForOwner(options);
  return { ...opened, ...(await showDashboard(opened, { isBlank })) };
}

/** The same without a page. */
async function openForOwner(options: Options) {
  const stack = new AsyncDisposableStack();
  const { env, network, port, schedule } = options;
  const given = {
    ...(env && { env }),
    ...(network && { network }),
    ...(port !== undefined && { port }),
    ...(schedule && { schedule }),
  };
  // The browser's clock is the real one unless a test gives it another: both must agree on today's date.
  const server = stack.use(await testApp({ ...given, now: options.now ?? Date.now(), start: true }));
  const browser = stack.use(await openBrowser());
  const domain = options.domain ?? 'example.com';
  const site = await server.addSite(domain);
  // An old site: a new one offers its next steps.
  if (!options.isNew) await server.app.services.directory.db.updateTable('sites').set({ first_event_at: 0 }).execute();

  const view = (page: string, more: Record<string, unknown> = {}, userAgent = FIREFOX) =>
    server.foot(
      { site: domain, name: 'pageview', url: `https://${domain}${page}`, ...more },
      { 'user-agent': userAgent },
    );
  if (options.traffic !== false) {
    await view('/', { referrer: 'https://www.google.com/' });
    await view('/pricing');
    await view('/', {}, SAFARI);
    await server.settle();
  }

  const context = await browser.newContext({
    viewport: { width: options.width ?? 1280, height: options.height ?? 900 },
    reducedMotion: 'reduce',
    ...(options.timezone !== undefined && { timezoneId: options.timezone }),
    ...(options.locale !== undefined && { locale: options.locale }),
  });
  await enter(context, { url: server.url, cookie: await server.logIn(`owner@${domain}`) });
  return { server, site, browser, context, view, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

type Opened = { server: { url: string }; site: { domain: string }; context: BrowserContext };

/** A page of its own with the dashboard. `troubles`: its uncaught errors. */
async function showDashboard(
  { server, site, context }: Opened,
  { isBlank = false }: Shown,
): Promise<{ page: Page; troubles: string[] }> {
  const page = await context.newPage();
  const troubles: string[] = [];
  page.on('pageerror', (error) => troubles.push(error.message));
  if (isBlank) return { page, troubles };
  await page.goto(`${server.url}/${site.domain}`);
  await page.waitForSelector('main');
  return { page, troubles };
}

/**
 * One server for the tests of a block that change nothing on it, which saves each of them a second of CPU. Each call opens a page of its own, and what it
 * has kept in the browser is forgotten when it is disposed of. A process has one event store at a time, so no test of the block may open another.
 */
export function shareDashboard(options: Options = {}): (shown?: Shown) => ReturnType<typeof openDashboard> {
  let opened: Awaited<ReturnType<typeof openForOwner>>;
  beforeAll(async () => void (opened = await openForOwner(options)));
  afterAll(() => opened[Symbol.asyncDispose]());
  return async ({ isBlank } = {}) => {
    const shown = await showDashboard(opened, { isBlank });
    const browser = await openBrowser(); // closes what the test opens beside
    const forget = async () => {
      await browser[Symbol.asyncDispose]();
      for (const page of opened.context.pages().slice(1)) await page.close();
      await shown.page.goto(`${opened.server.url}/robots.txt`); // any address without a script
      await shown.page.evaluate(() => localStorage.clear());
      await shown.page.close();
    };
    return { ...opened, ...shown, browser, [Symbol.asyncDispose]: forget };
  };
}

/** Puts the session that signing in gave into a browser. The login page itself is shown in tests/browser/account/. */
export async function enter(context: BrowserContext, { url, cookie }: { url: string; cookie: string }): Promise<void> {
  await context.addCookies(
    cookie.split('; ').map((pair) => {
      const [name = '', ...value] = pair.split('=');
      return { url, name, value: value.join('='), httpOnly: true, sameSite: 'Lax' as const };
    }),
  );
}

/** Follows a link to another view of the open dashboard, as the dashboard's own links are followed: half the CPU of loading it anew. */
export async function follow(page: Page, address: string): Promise<void> {
  const { href } = new URL(address, page.url());
  await page.evaluate((to) => {
    const link = document.createElement('a');
    link.href = to;
    document.querySelector('main')?.append(link);
    link.click();
    link.remove();
  }, href);
  await page.waitForURL((url) => decodeURIComponent(url.href) === decodeURIComponent(href));
}

/**
 * From its next load on the page gets no socket, until the returned function is called. What has failed is then not asked again before
 * a test has seen it: with a socket, every announcement of new numbers asks again.
 */
export async function holdSocket(page: Page): Promise<() => void> {
  let isHeld = true;
  await page.routeWebSocket('**/socket.io/**', (socket) => {
    if (isHeld) void socket.close();
    else socket.connectToServer();
  });
  return () => (isHeld = false);
}

/** The questions to a procedure in a batched request. */
export function inputsOf(address: string, procedure: string): unknown[] {
  const { pathname, searchParams } = new URL(address);
  const inputs = JSON.parse(searchParams.get('input') ?? '{}') as Record<string, string>;
  const names = pathname.replace('/trpc/', '').split(',');
  return names.flatMap((name, index) => (name === procedure ? [parse(inputs[index] ?? '')] : []));
}

export const ready = (page: Page, panel: string) => page.waitForSelector(`[data-panel="${panel}"][data-state="ready"]`);

/** Names and values of a panel's rows, in order. */
export const rowsOf = (page: Page, panel: string): Promise<[string, number][]> =>
  page.$$eval(`[data-panel="${panel}"] [data-row]`, (rows) =>
    rows.map((row) => [row.getAttribute('data-row') ?? '', Number(row.getAttribute('data-value'))]),
  );
