import { afterAll, beforeAll, expect, test } from 'vitest';
import { testApp } from '../../setup/app.ts';
import { type OpenBrowser, openBrowser } from '../../setup/browser/chromium.ts';
import { type Site, openSite } from './site.ts';

let chromium: OpenBrowser;
beforeAll(async () => {
  chromium = await openBrowser();
});
afterAll(() => chromium[Symbol.asyncDispose]());

const newPage = (site: Site) => site.newPage(chromium, { viewport: { width: 1024, height: 600 } });

test('a page view sends what it should, and nothing else', async () => {
  await using site = await openSite();
  site.page('/start');
  const page = await newPage(site);
  await page.goto(site.url('/start?utm_source=letter#top'));
  const [post] = await site.posted((posts) => posts.length);
  expect(post?.event).toEqual({
    site: 'site.test',
    name: 'pageview',
    url: site.url('/start?utm_source=letter'),
    id: expect.any(Number) as number,
    from: '',
    referrer: '',
    width: 1024,
    touch: 0,
    webdriver: true,
    props: {},
  });
  expect(post?.url).toBe(`${site.origin('stats.test')}/foot`);
  expect(post?.headers['content-type']).toBe('text/plain;charset=UTF-8');
  expect(post?.headers.cookie).toBeUndefined();
  expect(await page.evaluate(() => [document.cookie, localStorage.length, sessionStorage.length])).toEqual(['', 0, 0]);
});

test('an ampersand that is escaped by number begins the fragment: the tags behind it count, and no other fragment is sent', async () => {
  await using site = await openSite();
  for (const path of ['/start', '/hash']) site.page(path, '', path === '/hash' ? { attributes: 'data-hash' } : {});
  const page = await newPage(site);
  const cases: [address: string, sent: string][] = [
    ['/start?utm_source=a&#38;utm_medium=email', '/start?utm_source=a&#38;utm_medium=email'],
    [
      '/start?utm_source=a&#038;utm_medium=email&#038;utm_campaign=c#top',
      '/start?utm_source=a&#038;utm_medium=email&#038;utm_campaign=c',
    ],
    ['/start?utm_source=a#38', '/start?utm_source=a'],
    ['/start?utm_source=a&#token=secret', '/start?utm_source=a&'],
    ['/start?utm_source=a#token=secret#38;', '/start?utm_source=a'],
    ['/start#token=secret;38;', '/start'],
    ['/hash?utm_source=a&#38;utm_medium=email#/users', '/hash/users?utm_source=a&#38;utm_medium=email'],
    ['/hash#/38;', '/hash/38;'],
  ];
  for (const [address] of cases) {
    await page.goto('about:blank');
    await page.goto(site.url(address));
    await site.postsUntilNow(page);
  }
  const views = site.posts.map(({ event }) => event).filter(({ name }) => name === 'pageview');
  expect(views.map(({ url }) => url)).toEqual(cases.map(([, sent]) => site.url(sent)));
});

test('each page of a multi-page site is counted, with its referrer and an id of its own', async () => {
  await using site = await openSite();
  site.page('/one', '<a href="/two">two</a>');
  site.page('/two');
  const page = await newPage(site);
  await page.goto(site.url('/one'));
  await site.names(1);
  await page.click('a');
  const posts = await site.posted((all) => all.filter(({ event }) => event.name === 'pageview').length === 2);
  const views = posts.map(({ event }) => event).filter(({ name }) => name === 'pageview');
  expect(views.map(({ url }) => url)).toEqual([site.url('/one'), site.url('/two')]);
  expect(views.map(({ referrer }) => referrer)).toEqual(['', site.url('/one')]);
  expect(new Set(posts.map(({ event }) => event.id)).size).toBe(posts.length);
});

test('a script that is included twice counts once, wherever it is included', async () => {
  await using site = await openSite();
  site.page('/twice', site.snippet(), { head: site.snippet() });
  const page = await newPage(site);
  await page.goto(site.url('/twice'));
  await page.evaluate(
    (source) => {
      const again = document.createElement('script');
      again.src = source;
      again.dataset.site = 'site.test';
      document.head.append(again);
      return new Promise((resolve) => (again.onload = resolve));
    },
    `${site.origin('stats.test')}/foot.js`,
  );
  await page.evaluate(() => window.footfall?.('signup'));
  expect(await site.namesUntilNow(page)).toEqual(['pageview', 'signup']);
});

test.each([
  ['defer', (snippet: string) => snippet.replace('async', 'defer')],
  ['blocking the parser', (snippet: string) => snippet.replace('async', '')],
  ['a module', (snippet: string) => snippet.replace('async', 'type="module"')],
  ['put there by a script', (snippet: string) => inserted(snippet)],
])('a snippet that is %s counts once', async (_how, change) => {
  await using site = await openSite();
  site.page('/placed', '', { bare: true, head: change(site.snippet()) });
  const page = await newPage(site);
  const errors: unknown[] = [];
  page.on('pageerror', (error) => errors.push(error));
  await page.goto(site.url('/placed'));
  await site.names(1);
  await page.evaluate(() => window.footfall?.('signup'));
  expect([await site.namesUntilNow(page), errors]).toEqual([['pageview', 'signup'], []]);
});

/** Inserts the snippet as tag managers do. */
function inserted(snippet: string): string {
  const source = /src="([^"]+)/.exec(snippet)?.[1];
  const lines = [
    `const script = document.createElement('script')`,
    `Object.assign(script, { async: true, src: '${source}' })`,
    `script.dataset.site = 'site.test'`,
    `document.head.append(script)`,
    `script.remove()`,
  ];
  return `<script>${lines.join(';')}</script>`;
}

test('two sites’ snippets on one page: only the one that runs first counts', async () => {
  await using site = await openSite();
  const own = site.snippet();
  const other = own.replace('data-site="site.test"', 'data-site="first.test"');
  // Async scripts run in the order in which they arrive, deferred ones in the order of the page.
  site.page('/async', '', { bare: true, head: other + own });
  site.page('/defer', '', { bare: true, head: (other + own).replaceAll(' async ', ' defer ') });
  const asynchronous = await newPage(site);
  await asynchronous.goto(site.url('/async'));
  expect(await site.namesUntilNow(asynchronous)).toEqual(['pageview']);
  const deferred = await newPage(site);
  await deferred.goto(site.url('/defer'));
  const [, post, ...more] = await site.postsUntilNow(deferred);
  expect([post?.event.name, post?.event.site, more]).toEqual(['pageview', 'first.test', []]);
});

test('a frame of the same site is part of the page around it, a page in a foreign frame is a page', async () => {
  await using site = await openSite();
  site.page('/inner');
  site.page('/outer', `<iframe src="/inner"></iframe><iframe srcdoc='${site.snippet()}'></iframe>`);
  site.page('/portal', `<iframe src="${site.url('/inner')}"></iframe>`, { bare: true });
  const page = await newPage(site);
  await page.goto(site.url('/outer'));
  expect(await site.namesUntilNow(page)).toEqual(['pageview']);
  await page.goto(`${site.origin('portal.test')}/portal`);
  const posts = await site.posted((all) => all.some(({ event }) => event.url === site.url('/inner')));
  expect(posts.map(({ event }) => event.name).filter((name) => name === 'pageview')).toHaveLength(2);
});

test('a frame on a subdomain, around a subdomain, or in a sandbox is part of the page around it', async () => {
  await using site = await openSite();
  site.page('/inner', `<script>fetch('${site.origin('stats.test')}/inside')</script>`);
  const frames = [
    `<iframe src="${site.origin('shop.site.test')}/inner"></iframe>`,
    `<iframe sandbox="allow-scripts" src="/inner"></iframe>`,
    `<iframe sandbox="allow-scripts" srcdoc='${site.snippet()}'></iframe>`,
  ];
  site.page('/outer', frames.join(''));
  for (const host of ['site.test', 'www.site.test']) {
    const page = await newPage(site);
    await page.goto(`${site.origin(host)}/outer`, { waitUntil: 'load' });
    await page.waitForLoadState('networkidle');
    const names = (await site.postsUntilNow(page)).filter(({ event }) => event.url.includes(host));
    expect(names.map(({ event }) => [event.name, new URL(event.url).pathname])).toEqual([['pageview', '/outer']]);
  }
  expect(site.sent().filter((name) => name === 'pageview')).toHaveLength(2);
});

test('a module finds its snippet although the document has another vendor’s data-site', async () => {
  await using site = await openSite();
  site.page('/', `<script>document.documentElement.dataset.site = '63f1'</script>`, {
    attributes: 'type="module"',
  });
  const page = await newPage(site);
  await page.goto(site.url('/'));
  const [post] = await site.posted((posts) => posts.length);
  expect([post?.event.site, post?.url]).toEqual(['site.test', `${site.origin('stats.test')}/foot`]);
});

test('attributes are read where only their names are listed, as in Partytown’s worker', async () => {
  await using site = await openSite();
  site.page('/', '', { attributes: 'data-foot-author="Ada" data-404' });
  const page = await newPage(site);
  await page.addInitScript(() => {
    Object.defineProperty(Element.prototype, 'attributes', { value: undefined });
    Object.defineProperty(HTMLElement.prototype, 'dataset', { value: {} });
  });
  await page.goto(site.url('/'));
  const posts = await site.posted((all) => all.length === 2);
  expect(posts.map(({ event }) => [event.site, event.name, event.props])).toEqual([
    ['site.test', 'pageview', { author: 'Ada' }],
    ['site.test', 'not_found', undefined],
  ]);
});

test('a snippet without its data-site says so in the console, and sends nothing', async () => {
  await using site = await openSite();
  site.page('/', '', { bare: true, head: site.snippet().replace('data-site="site.test"', '') });
  const page = await newPage(site);
  const said: string[] = [];
  page.on('console', (message) => {
    if (!message.location().url.endsWith('/favicon.ico')) said.push(`${message.type()}: ${message.text()}`);
  });
  await page.goto(site.url('/'), { waitUntil: 'load' });
  await page.evaluate(() => document.body.click());
  expect([said, site.sent()]).toEqual([['error: no data-site'], []]);
});

test('the canonical link replaces the address where the snippet says so, and the campaign stays', async () => {
  await using site = await openSite();
  const head = '<link rel="canonical" href="http://site.test/shoes">';
  site.page('/shoes/red', '', { head, attributes: 'data-canonical' });
  site.page('/hats/red', '', { head });
  const page = await newPage(site);
  await page.goto(site.url('/shoes/red?utm_source=x'));
  await site.names(1);
  expect(site.posts[0]?.event.url).toBe('http://site.test/shoes?utm_source=x');
  await page.evaluate(() => history.pushState({}, '', '/shoes/blue')); // the link is late
  const posts = await site.posted((all) => all.some(({ event }) => event.url === site.url('/shoes/blue')));
  expect(posts.filter(({ event }) => event.name === 'pageview')).toHaveLength(2);
  await page.goto(site.url('/hats/red'));
  await site.posted((all) => all.some(({ event }) => event.url === site.url('/hats/red')));
});

test('a page that says it is missing is counted once, as a page view and as not found', async () => {
  await using site = await openSite();
  site.page('/gone', '', { status: 404, attributes: 'data-404' });
  const page = await newPage(site);
  await page.goto(site.url('/gone'));
  await page.evaluate(() => history.pushState({}, '', '/found'));
  const names = await site.namesUntilNow(page);
  expect(names.filter((name) => name !== 'engagement')).toEqual(['pageview', 'not_found', 'pageview']);
  const missing = site.posts.find(({ event }) => event.name === 'not_found');
  expect(missing?.event).toMatchObject({ url: site.url('/gone') });
});

test('attributes of the snippet are properties of every page view, and of nothing else', async () => {
  await using site = await openSite();
  site.page('/article', '', { attributes: 'data-foot-author="Ada" data-foot-word-count="1200"' });
  const page = await newPage(site);
  await page.goto(site.url('/article'));
  await page.evaluate(() => window.footfall?.('read'));
  await site.names(2);
  expect(site.posts.map(({ event }) => [event.name, event.props])).toEqual([
    ['pageview', { author: 'Ada', 'word-count': '1200' }],
    ['read', undefined],
  ]);
});

test('with data-manual, only explicit calls count page views', async () => {
  await using site = await openSite();
  site.page('/manual', '', { attributes: 'data-pageview="off"' });
  const page = await newPage(site);
  await page.goto(site.url('/manual'));
  await page.evaluate(() => history.pushState({}, '', '/next'));
  expect(await site.namesUntilNow(page)).not.toContain('pageview');
  await page.evaluate(() => window.footfall?.('pageview', { url: 'http://site.test/step/2', props: { step: 2 } }));
  const posts = await site.posted((all) => all.some(({ event }) => event.name === 'pageview'));
  const view = posts.find(({ event }) => event.name === 'pageview');
  expect(view?.event).toMatchObject({ url: 'http://site.test/step/2', props: { step: 2 } });
});

test('page views by hand are counted, even if their address was counted before', async () => {
  await using site = await openSite();
  await using server = await testApp();
  await server.addSite('site.test');
  for (const [path, attributes] of [
    ['/by-hand', 'data-pageview="off"'],
    ['/usual', ''],
  ] as const) {
    site.page(path, '', { attributes });
    const page = await newPage(site);
    await page.goto(site.url(path));
    await page.evaluate(() => {
      window.footfall?.('pageview');
      history.pushState({}, '', '/next');
      window.footfall?.('pageview', { url: location.href });
    });
    await site.postsUntilNow(page);
    await page.close();
  }
  const views = site.posts.filter(({ event }) => event.name === 'pageview');
  for (const { body } of views) {
    server.clock.now += 700; // the same page twice within half a second is a repeat
    await server.foot(body.replace('"webdriver":true', '"webdriver":false'));
  }
  await server.settle();
  const rows = await server.app.store.query<{ page: string; views: string }>(
    'SELECT page, toString(count()) AS views FROM events GROUP BY page ORDER BY page',
    {},
  );
  // The usual page counts two by itself.
  expect(rows).toEqual([
    { page: '/by-hand', views: '1' },
    { page: '/next', views: '3' },
    { page: '/usual', views: '2' },
  ]);
});

test('engagement says how long the page was visible and how far it was scrolled, when it is hidden', async () => {
  await using site = await openSite();
  site.page('/long', '<div style="height: 2400px; margin: -8px">text</div>');
  const page = await newPage(site);
  await page.clock.install({ time: 1_000_000 });
  await page.clock.pauseAt(2_000_000);
  await page.goto(site.url('/long'));
  await site.names(1);
  await page.evaluate(
    () =>
      new Promise((resolve) => {
        addEventListener('scroll', resolve, { once: true });
        scrollTo(0, 600);
      }),
  );
  await page.evaluate(() => scrollTo(0, 0));
  await page.clock.runFor(1234);
  await page.goto('about:blank');
  const posts = await site.posted((all) => all.length === 2);
  const { name, url, engaged, scroll } = posts[1]?.event ?? {};
  expect({ name, url, scroll, engaged }).toEqual({
    name: 'engagement',
    url: site.url('/long'),
    scroll: 50, // 600 scrolled and 600 of window, of 2400
    engaged: 1234,
  });
});

test('engagement is the time for which the page was visible, counted anew each time', async () => {
  await using site = await openSite();
  site.page('/read');
  const page = await newPage(site);
  await page.clock.install({ time: 1_000_000 });
  await page.clock.pauseAt(2_000_000);
  await page.goto(site.url('/read'));
  const become = (hidden: boolean) =>
    page.evaluate((value) => {
      Object.defineProperty(document, 'hidden', { value, configurable: true });
      document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
    }, hidden);
  await page.clock.runFor(1000);
  await become(true);
  await page.clock.runFor(50_000);
  await become(false);
  await page.clock.runFor(250);
  await become(true);
  await become(true); // an event with nothing new
  await become(false);
  const posts = await site.postsUntilNow(page);
  expect(posts.map(({ event }) => [event.name, event.engaged])).toEqual([
    ['pageview', undefined],
    ['engagement', 1000],
    ['engagement', 250],
  ]);
});

test('engagement is not counted where the snippet says so', async () => {
  await using site = await openSite();
  site.page('/quiet', '', { attributes: 'data-engagement="off"' });
  site.page('/next', '', { attributes: 'data-engagement="off"' });
  const page = await newPage(site);
  await page.goto(site.url('/quiet'));
  await site.names(1); // a view that is still on its way when its page is left may be sent twice
  await page.goto(site.url('/next'));
  const sent = (await site.postsUntilNow(page)).map(({ event }) => [event.name, new URL(event.url).pathname]);
  expect(sent).toEqual([
    ['pageview', '/quiet'],
    ['pageview', '/next'],
  ]);
});
