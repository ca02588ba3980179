// In which order a dashboard asks. The figures and the chart come first, before the page is set up, once; whatever the browser remembers, they
// are those of the view. What would delay the rest comes last.
import type { Page, Request } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { createShareLink } from '../../../server/sites/sharing/share.ts';
import { createSite } from '../../../server/sites/sites.ts';
import { roomsFilled } from '../../setup/browser/chromium.ts';
import { holdSocket, openDashboard, ready, shareDashboard } from '../../setup/browser/dashboard.ts';

/** The tRPC requests of the page, those about the site if it is given, each as the names of its questions. */
function listen(page: Page, siteId = ''): string[][] {
  const batches: string[][] = [];
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    const [, names] = /^\/trpc\/([^?]+)/.exec(pathname) ?? [];
    if (names !== undefined && request.method() === 'GET' && search.includes(siteId)) batches.push(names.split(','));
  });
  return batches;
}

/**
 * A browser that knows the site because it has shown its dashboard, which is loaded only for the first test: the others get what it has kept. `known`: what
 * it remembers of the site instead.
 */
function openKnowing(shared: ReturnType<typeof shareDashboard>) {
  let kept: Record<string, string> | undefined;
  return async (known?: string) => {
    const dashboard = await shared({ isBlank: true });
    const { page, server } = dashboard;
    if (!kept) {
      await page.goto(`${server.url}/example.com`);
      await shows(page, 3);
      kept = await page.evaluate(() => ({ ...localStorage }));
    }
    await page.goto(`${server.url}/robots.txt`); // any address without a script
    const items = known === undefined ? kept : { ...kept, 'site:example.com': known };
    await page.evaluate((texts) => Object.assign(localStorage, texts), items);
    return dashboard;
  };
}

/** The page that is open asks no more, and the next one has no socket: when live numbers begin, everything is asked for once more. */
async function leave(page: Page): Promise<void> {
  await page.goto('about:blank');
  await holdSocket(page);
}

const timesAsked = (batches: string[][], name: string): number => batches.flat().filter((one) => one === name).length;

async function shows(page: Page, pageviews: number): Promise<void> {
  await page.waitForSelector(`[data-metric="pageviews"][data-value="${pageviews}"]`);
  await page.waitForSelector('.chart[data-state="ready"]');
  await ready(page, 'pages');
}

const FIGURES = ['stats.summary', 'stats.timeseries'];

describe('of a server that stays as it is', () => {
  const shared = shareDashboard();
  const open = openKnowing(shared);

  it.each(['', '?period=today&metric=visits&compare=none&f=is%3Abrowser%3AFirefox', '?period=24h&interval=hour'])(
    'asks before the session is answered where the browser knows the site: %s',
    async (search) => {
      await using dashboard = await open();
      const { page, server } = dashboard;
      await leave(page);
      const batches = listen(page);
      await page.route('**/trpc/session.current**', async (route) => {
        await expect.poll(() => batches).toContainEqual(FIGURES);
        await route.continue();
      });
      await page.goto(`${server.url}/example.com${search}`);
      await shows(page, search.includes('Firefox') ? 2 : 3);
      expect(batches.slice(0, 2)).toEqual(expect.arrayContaining([['session.current'], FIGURES]));
      for (const name of FIGURES) expect(timesAsked(batches, name), name).toBe(1);
    },
  );

  it('shows the dashboard although the early question is blocked', async () => {
    await using dashboard = await open();
    const { page, server } = dashboard;
    await leave(page);
    let blocked = 0;
    await page.route('**/trpc/stats.**', (route) => ((blocked += 1) > 1 ? route.continue() : route.abort()));
    await page.goto(`${server.url}/example.com`);
    await shows(page, 3);
  });

  it('asks as soon as the sites are known where the browser does not know the site', async () => {
    await using dashboard = await shared({ isBlank: true });
    const { page, server } = dashboard;
    await leave(page);
    const batches = listen(page);
    await page.goto(`${server.url}/example.com`);
    await shows(page, 3);
    expect(batches.slice(0, 2)).toEqual([['session.current'], FIGURES]);
    for (const name of FIGURES) expect(timesAsked(batches, name), name).toBe(1);
  });

  it.each(['site_0000000000000000 UTC', 'nonsense', ' ', 'site_1 Nowhere/At_All more'])(
    'shows the right site although the browser remembers %j',
    async (known) => {
      await using dashboard = await open(known);
      const { page, server, troubles } = dashboard;
      await page.goto(`${server.url}/example.com`);
      await shows(page, 3);
      expect(await page.evaluate(() => localStorage.getItem('site:example.com'))).toBe(`${dashboard.site.id} UTC`);
      expect(troubles).toEqual([]);
    },
  );

  it('falls back to the usual interval for an address whose interval does not fit', async () => {
    await using dashboard = await open();
    const { page, server } = dashboard;
    await leave(page);
    const batches = listen(page);
    await page.goto(`${server.url}/example.com?period=today&interval=month`);
    await shows(page, 3);
    expect(batches.slice(0, 2)).toContainEqual(FIGURES);
    expect(timesAsked(batches, 'stats.summary')).toBe(1);
  });

  it('asks nothing early for a page of the site that is not its dashboard', async () => {
    await using dashboard = await open();
    const { page, server } = dashboard;
    await leave(page);
    const batches = listen(page);
    await page.goto(`${server.url}/example.com/settings`);
    await page.waitForSelector('main h1');
    expect(batches[0]).toEqual(['session.current']);
    expect(timesAsked(batches, 'stats.summary')).toBe(0);
  });
});

it('asks once for each site when somebody switches to another one and back', async () => {
  await using dashboard = await openDashboard({ isBlank: true });
  const { page, server } = dashboard;
  const { account_id: accountId } = dashboard.site;
  const at = (server.clock.now += 1); // the younger site is the second of the list
  const second = await createSite(server.app.services.directory, { accountId, domain: 'second.example' }, at);
  await leave(page);
  await page.goto(`${server.url}/example.com`);
  await shows(page, 3);
  const batches = listen(page, second.id);
  await page.keyboard.press('2');
  await page.waitForURL(`${server.url}/second.example`);
  await page.waitForSelector('[data-metric="pageviews"][data-value="0"]');
  expect(batches[0]).toEqual(FIGURES);
  for (const name of FIGURES) expect(timesAsked(batches, name), name).toBe(1);
  await dashboard.view('/later');
  await server.settle();
  await page.goBack();
  await shows(page, 4);
});

it('asks early for viewers of a share link too', async () => {
  await using dashboard = await openDashboard({ isBlank: true });
  const { page, server, site } = dashboard;
  await leave(page);
  const { token } = await createShareLink(
    server.app.services.directory,
    { siteId: site.id, name: 'all', shows: { fewest: 1 } },
    Date.now(),
  );
  const batches = listen(page);
  await page.goto(`${server.url}/share/${token}`);
  await page.waitForSelector('.figures[data-state="ready"]');
  await ready(page, 'pages');
  expect(batches.find((names) => names.includes('stats.summary'))).toEqual(FIGURES);
  for (const name of FIGURES) expect(timesAsked(batches, name), name).toBe(1);
});

it('asks for the events that are not goals once the rest of the page is answered', async () => {
  await using dashboard = await openDashboard({ isBlank: true });
  const { page, server, view } = dashboard;
  await view('/', { name: 'signup' });
  await server.settle();
  await leave(page);
  const last = page.waitForRequest((request) => request.url().includes('stats.aiOverTime'));
  await page.goto(`${server.url}/example.com?compare=none`);
  await page.waitForSelector('[data-panel="goals"] >> text=signup');
  await last;
  await page.waitForLoadState('networkidle');
  await roomsFilled(page);
  const batches = listen(page);
  const steps: string[] = [];
  const note = (step: string) => (request: Request) => {
    const lists = request.url().split('stats.breakdown').length - 1;
    if (lists > 0) steps.push(`${step} ${lists}`);
  };
  page.on('request', note('asked for'));
  page.on('requestfinished', note('answered'));
  page.on('requestfailed', note('answered')); // tRPC's client ends a stream that it has read
  await page.click('[data-panel="devices"] [data-row="Firefox"] button');
  await shows(page, 2);
  // What fills the room that short lists leave comes after that.
  await expect.poll(() => steps.slice(0, 4)).toEqual(['asked for 7', 'answered 7', 'asked for 1', 'answered 1']);
  expect(batches[0]).toEqual([...FIGURES, ...Array<string>(7).fill('stats.breakdown')]);
  await page.waitForSelector('[data-panel="goals"] >> text=signup');
});

it('shows what was stored after the early answer and before the socket has heard of the site', async () => {
  await using dashboard = await openDashboard({ isBlank: true });
  const { page, server, view } = dashboard;
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.routeWebSocket('**/socket.io/**', async (socket) => {
    await held;
    socket.connectToServer();
  });
  await page.goto(`${server.url}/example.com`);
  await shows(page, 3);
  await view('/between');
  await server.settle();
  release();
  await shows(page, 4);
});
