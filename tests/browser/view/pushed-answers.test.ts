// The numbers of an open dashboard are pushed: while events arrive, it asks for none of them over HTTP.
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { createShareLink } from '../../../server/sites/sharing/share.ts';
import { FOLLOWED } from '../../../server/vocabulary/questions/followed.ts';
import { roomsFilled } from '../../setup/browser/chromium.ts';
import { openDashboard, ready, rowsOf } from '../../setup/browser/dashboard.ts';

type Dashboard = Awaited<ReturnType<typeof openDashboard>>;

const OTHER = 'Mozilla/5.0 (X11; Linux x86_64; rv:141.0) Gecko/20100101 Firefox/141.0';

/** The questions that the page asks over HTTP from now on, by default those that it could follow. */
function listen(page: Page, isMeant = (name: string) => (FOLLOWED as readonly string[]).includes(name)) {
  const asked: string[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (!pathname.startsWith('/trpc/')) return;
    const names = pathname.slice('/trpc/'.length).split(',');
    asked.push(...names.filter(isMeant));
  });
  return asked;
}

/** The page's socket: what goes through it, and how to lose it. */
async function watchSocket(page: Page) {
  const sent: string[] = [];
  const heard: string[] = [];
  const lost: string[] = [];
  const kept: { close(): Promise<void> }[] = [];
  let isHeld = false;
  let loses: ((text: string) => boolean) | undefined;
  await page.routeWebSocket('**/socket.io/**', (socket) => {
    if (isHeld) return void socket.close();
    kept.push(socket);
    const server = socket.connectToServer();
    socket.onMessage((text) => {
      sent.push(String(text));
      server.send(text);
    });
    server.onMessage((text) => {
      heard.push(String(text));
      if (loses?.(String(text))) lost.push(String(text));
      else socket.send(text);
    });
  });
  return {
    sent,
    lost,
    isTold: (what: string) => heard.some((text) => text.includes(what)),
    /** The page gets no other one until the returned function is called. */
    drop: async () => {
      isHeld = true;
      await kept.at(-1)?.close();
      return () => (isHeld = false);
    },
    /** Loses the messages for which this is true. */
    lose: (which: typeof loses) => (loses = which),
  };
}

/** Events arrive some seconds apart: the server's clock moves. */
async function arrive({ server, view }: Dashboard, ...paths: string[]): Promise<void> {
  server.clock.now += 4000;
  for (const path of paths) await view(path, {}, OTHER);
  await server.settle();
}

const pageviews = (page: Page, value: number) =>
  page.waitForSelector(`[data-metric="pageviews"][data-value="${value}"]`);

/** Waits until the page has a socket, and each part an answer: the first one is always asked for over HTTP. */
async function complete(page: Page): Promise<void> {
  await page.waitForSelector('[data-connection][data-state="online"]');
  for (const panel of ['sources', 'pages', 'places', 'devices', 'events', 'goals', 'ai'])
    await page.waitForSelector(`[data-panel="${panel}"]:not([data-state="loading"])`);
  await roomsFilled(page);
}

/** Loads the dashboard with its socket watched. It hears of what arrives from then on. */
async function hearFromStart({ page, server }: Dashboard) {
  const socket = await watchSocket(page);
  await page.goto(`${server.url}/example.com`);
  await complete(page);
  await expect.poll(() => socket.isTold('"live"')).toBe(true);
  return socket;
}

it('moves to exact numbers without a question over HTTP, in all panels', async () => {
  // One column: no list makes room for another one, which would be asked for.
  await using dashboard = await openDashboard({ width: 390, height: 844 });
  const { page } = dashboard;
  await complete(page);
  const asked = listen(page);
  for (let number = 1; number <= 5; number += 1) {
    await arrive(dashboard, '/pricing', `/new-${number}`);
    await pageviews(page, 3 + 2 * number);
    await page.waitForSelector(`[data-panel="pages"] [data-row="/new-${number}"]`);
  }
  await expect
    .poll(() => rowsOf(page, 'pages'))
    .toEqual([
      ['/pricing', 6],
      ['/', 2],
      ['/new-1', 1],
      ['/new-2', 1],
      ['/new-3', 1],
      ['/new-4', 1],
      ['/new-5', 1],
    ]);
  await page.waitForSelector('[data-panel="devices"] [data-row="Firefox"][data-value="2"]');
  await page.waitForSelector('[data-panel="sources"] [data-row="Google"][data-value="1"]');
  expect(asked).toEqual([]);
  expect(dashboard.troubles).toEqual([]);
});

it('follows the view that is shown, and no view that was', async () => {
  await using dashboard = await openDashboard({ isBlank: true });
  const { page } = dashboard;
  const socket = await hearFromStart(dashboard);
  await arrive(dashboard, '/pricing');
  await pageviews(page, 4);
  expect(socket.sent.filter((text) => text.includes('"follow"')).length).toBeGreaterThan(0);
  await page.click('[data-panel="pages"] [data-row="/pricing"] a, [data-panel="pages"] [data-row="/pricing"] button');
  await pageviews(page, 2);
  await expect.poll(() => socket.sent.some((text) => text.includes('"unfollow"'))).toBe(true);
  await arrive(dashboard, '/pricing');
  await pageviews(page, 3);
  await roomsFilled(page);
  const asked = listen(page);
  await arrive(dashboard, '/pricing');
  await pageviews(page, 4);
  expect(asked).toEqual([]);
});

it('has exact numbers after a lost message and a lost connection, and goes on without asking over HTTP', async () => {
  await using dashboard = await openDashboard({ isBlank: true });
  const { page } = dashboard;
  const socket = await hearFromStart(dashboard);
  const one = () => arrive(dashboard, '/pricing');
  await one();
  await pageviews(page, 4);
  socket.lose((text) => text.includes('"moved"'));
  await one();
  await one();
  await expect.poll(() => socket.lost.length).toBeGreaterThan(0);
  socket.lose(undefined);
  await one();
  await pageviews(page, 7);
  const release = await socket.drop();
  await page.waitForSelector('[data-connection][data-state="offline"]', { state: 'attached' });
  await one();
  release();
  await page.waitForSelector('[data-connection][data-state="online"]');
  await pageviews(page, 8);
  const asked = listen(page);
  await one();
  await pageviews(page, 9);
  expect(asked).toEqual([]);
});

it('pushes to a share link what the link shows', async () => {
  await using dashboard = await openDashboard({ isBlank: true });
  const { page, server, site } = dashboard;
  const { directory } = server.app.services;
  const link = await createShareLink(
    directory,
    { siteId: site.id, name: 'link', shows: { fewest: 1 } },
    server.clock.now,
  );
  await page.goto(`${server.url}/share/${link.token}`);
  await complete(page);
  const asked = listen(page);
  await arrive(dashboard, '/shared');
  await pageviews(page, 4);
  await page.waitForSelector('[data-panel="pages"] [data-row="/shared"]');
  expect(asked).toEqual([]);
});

it('asks its other questions every three seconds at most', async () => {
  await using dashboard = await openDashboard({ isBlank: true });
  const { page, server } = dashboard;
  await page.clock.install();
  await page.goto(`${server.url}/example.com`);
  await ready(page, 'pages');
  await page.waitForSelector('[data-connection][data-state="online"]');
  await page.locator('[data-panel="ai"]').scrollIntoViewIfNeeded();
  await page.waitForSelector('[data-panel="ai"]:not([data-state="loading"])');
  await page.clock.pauseAt(Date.now() + 60_000);
  await page.clock.runFor(4000);
  const asked = listen(page, (name) => name === 'stats.aiOverTime');
  let passedMs = 0;
  const pass = async (ms: number) => {
    passedMs += ms;
    await page.clock.runFor(ms);
  };
  for (let times = 0; times < 12; times += 1) {
    await arrive(dashboard, `/${times}`);
    await pass(300);
  }
  const shown = page.locator('[data-metric="pageviews"]');
  await expect
    .poll(async () => {
      await pass(50);
      return shown.getAttribute('data-value');
    })
    .toBe('15');
  await pass(3000);
  await expect
    .poll(async () => {
      await pass(50);
      return asked.length;
    })
    .toBeGreaterThan(1);
  expect(asked.length).toBeLessThanOrEqual(1 + Math.ceil(passedMs / 3000));
});
