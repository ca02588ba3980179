import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type OpenBrowser, openBrowser } from '../../setup/browser/chromium.ts';
import { type Site, openSite } from './site.ts';

let chromium: OpenBrowser;
beforeAll(async () => {
  chromium = await openBrowser();
});
afterAll(() => chromium[Symbol.asyncDispose]());

/** Older browsers have no Navigation API, or only an element with that name. The script then polls their address. */
const ROUTERS = {
  'the Navigation API': undefined,
  'polling the address': () =>
    Object.defineProperties(window, { Navigation: { value: undefined }, navigation: { value: undefined } }),
  'polling the address, with an element called navigation': () =>
    Object.defineProperties(window, {
      Navigation: { value: undefined },
      navigation: { value: document.createElement('nav') },
    }),
};

const paths = (site: Site) =>
  site.posts
    .map(({ event }) => event)
    .filter(({ name }) => name === 'pageview')
    .map(({ url }) => url.slice(site.origin().length));

/** The document is the same until the last step: nothing was loaded. */
const pathsUntilNow = async (site: Site, page: Page) => {
  await site.namesUntilNow(page);
  return paths(site);
};

describe.each(Object.entries(ROUTERS))('routing by %s', (_name, prepare) => {
  const open = async (site: Site, path: string, attributes?: string) => {
    for (const known of ['/', '/app', '/app/']) site.page(known, '<a href="#part">part</a>', { attributes });
    const page = await site.newPage(chromium);
    if (prepare) await page.addInitScript(prepare);
    await page.clock.install();
    await page.goto(site.url(path));
    await site.names(1);
    return page;
  };

  /** Navigates, and waits until an older browser would have been polled again. */
  const go = async <Given>(page: Page, move: (given: Given) => unknown, given?: Given) => {
    await page.evaluate(move as (given: unknown) => unknown, given);
    await page.clock.runFor(100);
  };

  test('each navigation counts once, forwards and back', async () => {
    await using site = await openSite();
    const page = await open(site, '/app?utm_source=x');
    await go(page, () => history.pushState({}, '', '/app/users'));
    await go(page, () => history.pushState({}, '', '/app/users/1'));
    await go(page, () => history.replaceState({}, '', '/app/users/2'));
    const back = () =>
      page.evaluate(() => {
        const moved = new Promise((resolve) => addEventListener('popstate', resolve, { once: true }));
        history.back();
        return moved;
      });
    await back();
    await page.clock.runFor(100);
    await back();
    await page.clock.runFor(100);
    expect(await pathsUntilNow(site, page)).toEqual([
      '/app?utm_source=x',
      '/app/users',
      '/app/users/1',
      '/app/users/2',
      '/app/users',
      '/app?utm_source=x',
    ]);
  });

  test('a change of address that is not another page does not count', async () => {
    await using site = await openSite();
    const page = await open(site, '/app');
    await go(page, () => history.pushState({}, '', '/app'));
    await go(page, () => history.replaceState({ scroll: 1 }, ''));
    await go(page, () => history.pushState({}, '', '#part'));
    await page.click('a');
    await go(page, () => (location.hash = '#other'));
    await go(page, () => {
      history.pushState({}, '', '/app/double'); // a router that fires twice
      history.replaceState({ key: 1 }, '', '/app/double');
    });
    expect(await pathsUntilNow(site, page)).toEqual(['/app', '/app/double']);
  });

  test('a change of the query is sent with the address before it, so that the server can decide whether it is another page', async () => {
    await using site = await openSite();
    const page = await open(site, '/app?q=a');
    await go(page, () => history.pushState({}, '', '/app?q=b'));
    await go(page, () => history.replaceState({}, '', '/app?q=b#part'));
    await go(page, () => history.pushState({}, '', '/app/users'));
    await site.namesUntilNow(page);
    const views = site.posts
      .filter(({ event }) => event.name === 'pageview')
      .map(({ event }) => [event.from, event.url]);
    const path = (text: string) => text && site.url(text);
    expect(views).toEqual(
      [
        ['', '/app?q=a'],
        ['/app?q=a', '/app?q=b'],
        ['/app?q=b', '/app/users'],
      ].map((pair) => pair.map(path)),
    );
  });

  test('by hash, where the snippet says so: the hash becomes the path, and the campaign stays', async () => {
    await using site = await openSite();
    const page = await open(site, '/app/?utm_source=x#/users', 'data-hash');
    for (const hash of ['#/users/1?tab=2', '#!/settings', 'plain', 'plain']) {
      await go(page, (next) => (location.hash = next), hash);
    }
    expect(await pathsUntilNow(site, page)).toEqual([
      '/app/users?utm_source=x',
      '/app/users/1?tab=2?utm_source=x',
      '/app/settings?utm_source=x',
      '/app/plain?utm_source=x',
    ]);
  });

  test('is off where the snippet says so', async () => {
    await using site = await openSite();
    const page = await open(site, '/app', 'data-routing="off"');
    await go(page, () => history.pushState({}, '', '/app/users'));
    expect(await pathsUntilNow(site, page)).toEqual(['/app']);
  });

  test('the page that is left gets its engagement, and later events the new address', async () => {
    await using site = await openSite();
    const page = await open(site, '/app');
    await page.clock.runFor(2);
    await go(page, () => history.pushState({}, '', '/app/users'));
    await page.evaluate(() => window.footfall?.('invite'));
    const posts = await site.postsUntilNow(page);
    expect(posts.map(({ event }) => [event.name, event.url])).toEqual([
      ['pageview', site.url('/app')],
      ['engagement', site.url('/app')],
      ['pageview', site.url('/app/users')],
      ['invite', site.url('/app/users')],
    ]);
  });
});

test.each(Object.entries(ROUTERS))(
  'a page that navigates before it has a body counts twice, by %s',
  async (_name, prepare) => {
    await using site = await openSite();
    const errors: unknown[] = [];
    const wait = 'for (const from = Date.now(); Date.now() < from + 2; );'; // the first page has engagement to report
    const head = `${site.snippet().replace('async', '')}<script>${wait}history.replaceState({}, '', '/moved')</script>`;
    site.page('/', '', { bare: true, head });
    const page = await site.newPage(chromium);
    page.on('pageerror', (error) => errors.push(error));
    if (prepare) await page.addInitScript(prepare);
    await page.goto(site.url('/'));
    await site.posted((all) => all.filter(({ event }) => event.name === 'pageview').length === 2);
    const posts = await site.postsUntilNow(page);
    expect(posts.map(({ event }) => event.name)).toEqual(['pageview', 'engagement', 'pageview']);
    expect([paths(site), posts[1]?.event.scroll, errors]).toEqual([['/', '/moved'], 100, []]);
  },
);

test('a router that kept the history functions before the script loaded is followed, in older browsers too', async () => {
  await using site = await openSite();
  site.page('/', '', { head: '<script>push = history.pushState.bind(history)</script>' });
  const page = await site.newPage(chromium);
  await page.addInitScript(ROUTERS['polling the address']);
  await page.goto(site.url('/'));
  await site.names(1);
  await page.evaluate("push({}, '', '/kept')");
  await site.posted((all) => all.some(({ event }) => event.url === site.url('/kept')));
  expect(paths(site)).toEqual(['/', '/kept']);
});
