import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Payload } from '../../../tracker/payload.ts';
import { type OpenBrowser, openBrowser } from '../../setup/browser/chromium.ts';
import { openSite } from './site.ts';

let chromium: OpenBrowser;
beforeAll(async () => {
  chromium = await openBrowser();
});
afterAll(() => chromium[Symbol.asyncDispose]());

/** Every timeout of the page fires at once; `pauses` has their lengths in milliseconds. */
const cutPauses = (page: Page) =>
  page.addInitScript(() => {
    const pauses: unknown[] = [];
    const wait = window.setTimeout.bind(window);
    const setTimeout = (run: () => void, ms: number) => pauses.push(ms) && wait(run, 0);
    Object.assign(window, { pauses, setTimeout });
  });

test.each([500, 502, 503, 504])(
  'a hit that was answered with %i is sent again unchanged, until it is accepted',
  async (status) => {
    await using site = await openSite();
    site.page('/');
    site.answers.push(status, status);
    const page = await site.newPage(chromium);
    await cutPauses(page);
    await page.goto(site.url('/'));
    await site.names(3);
    expect(new Set(site.posts.map(({ body }) => body)).size).toBe(1);
    expect(await page.evaluate('pauses')).toEqual([1000, 2000]);
    expect(await site.namesUntilNow(page)).toHaveLength(3);
  },
);

test.each([202, 400, 403, 413])('a hit that was answered with %i is not sent again', async (status) => {
  await using site = await openSite();
  site.page('/');
  site.answers.push(status);
  const page = await site.newPage(chromium);
  await page.clock.install();
  await page.goto(site.url('/'));
  await site.names(1);
  await page.clock.runFor(60_000);
  expect(await site.namesUntilNow(page)).toEqual(['pageview']);
});

test('attempts while offline do not count as tries, and the events are sent once when the network is back', async () => {
  await using site = await openSite();
  site.page('/');
  const page = await site.newPage(chromium);
  const context = page.context();
  await page.clock.install();
  await page.goto(site.url('/'));
  await site.names(1);
  const failed = (count: number) =>
    new Promise<void>((resolve) => page.on('requestfailed', () => --count === 0 && resolve()));
  const names = Array.from({ length: 12 }, (_, n) => `offline_${n}`); // more than the number of tries after which the script gives up
  await context.setOffline(true);
  const all = failed(names.length);
  await page.evaluate((sent) => sent.forEach((name) => window.footfall?.(name)), names);
  await all;
  await page.clock.runFor(600_000);
  expect(site.posts).toHaveLength(1);
  await context.setOffline(false);
  await page.evaluate(() => window.footfall?.('back'));
  const arrived = await site.names(2 + names.length);
  expect(arrived.sort()).toEqual(['back', ...names, 'pageview'].sort());
  await page.clock.runFor(600_000);
  expect(await site.namesUntilNow(page)).toHaveLength(2 + names.length);
});

test('waiting events are retried when the page is hidden', async () => {
  await using site = await openSite();
  site.page('/');
  site.answers.push(503);
  const page = await site.newPage(chromium);
  await page.addInitScript(() => {
    const waits = { count: 0 };
    Object.assign(window, { waits, setTimeout: () => ++waits.count }); // timers never fire
  });
  await page.goto(site.url('/'));
  await page.waitForFunction(() => (window as unknown as { waits: { count: number } }).waits.count === 1);
  await page.goto('about:blank');
  const posts = await site.posted((all) => all.filter(({ event }) => event.name === 'pageview').length === 2);
  const [first, ...later] = posts;
  expect(later.map(({ body }) => body)).toContain(first?.body);
});

test('the page does not notice a blocked collector', async () => {
  await using site = await openSite();
  site.page('/', '<a href="https://elsewhere.test/" onclick="event.preventDefault()">away</a>');
  const page = await site.newPage(chromium);
  const errors: unknown[] = [];
  page.on('pageerror', (error) => errors.push(error));
  await page.route('**/foot', (route) => route.abort('blockedbyclient'));
  let left = 3; // the page view, the link, the event
  const blocked = new Promise<void>((resolve) =>
    page.on('requestfailed', (request) => request.url().endsWith('/foot') && --left === 0 && resolve()),
  );
  await page.goto(site.url('/'));
  await page.click('a');
  await page.evaluate(() => window.footfall?.('signup'));
  await blocked;
  expect([errors, site.posts]).toEqual([[], []]);
});

/** Blocks every event of the page, and counts them. */
async function block(page: Page) {
  let failed = 0;
  const watchers: [count: number, done: () => void][] = [];
  page.on('requestfailed', (request) => {
    if (!request.url().endsWith('/foot')) return;
    failed += 1;
    for (const [count, done] of watchers) if (failed >= count) done();
  });
  await page.route('**/foot', (route) => route.abort('blockedbyclient'));
  return {
    count: () => failed,
    reached: (count: number) => new Promise<void>((done) => (failed >= count ? done() : watchers.push([count, done]))),
  };
}

/** Keeps the types of the script's listeners in `listeners.added`; the promise `listeners.gone` waits until all are removed. */
const watchListeners = (page: Page) =>
  page.addInitScript(() => {
    const { promise: gone, resolve } = Promise.withResolvers<unknown>();
    const listeners = { added: [] as string[], gone };
    const left = new Set<string>();
    Object.assign(window, { listeners });
    for (const target of [window, window.navigation]) {
      const add = target.addEventListener.bind(target);
      const remove = target.removeEventListener.bind(target);
      target.addEventListener = (type: string, run: EventListener, capture?: boolean) => {
        left.add(type);
        if (!listeners.added.includes(type)) listeners.added.push(type);
        add(type as never, run as never, capture);
      };
      target.removeEventListener = (type: string, run: EventListener, capture?: boolean) => {
        left.delete(type);
        if (left.size === 0) resolve(null);
        remove(type as never, run as never, capture);
      };
    }
  });

test('a blocked collector is tried ten times, with ever longer pauses, and then left alone without a listener', async () => {
  await using site = await openSite();
  site.page('/');
  const page = await site.newPage(chromium);
  const blocked = await block(page);
  await cutPauses(page);
  await watchListeners(page);
  await page.goto(site.url('/'));
  await blocked.reached(10);
  await page.evaluate('listeners.gone'); // the last pause is over, and nothing is sent after it
  expect(await page.evaluate('listeners.added.sort()')).toEqual([
    'auxclick',
    'click',
    'currententrychange',
    'pagehide',
    'prerenderingchange',
    'scroll',
    'submit',
    'visibilitychange',
  ]);
  expect(await page.evaluate('pauses')).toEqual(
    [1, 2, 4, 8, 16, 32, 64, 128, 256, 512].map((seconds) => seconds * 1000),
  );
  await become(page, { hidden: true });
  await page.evaluate(() => Array.from({ length: 300 }, (_, n) => window.footfall?.(`event_${n}`)));
  await become(page, { hidden: false });
  await page.evaluate((address) => fetch(address, { mode: 'no-cors' }), `${site.origin('stats.test')}/done`);
  expect(blocked.count()).toBe(10);
});

test('a page that calls document.open() late is listened to again once the next event has been sent', async () => {
  await using site = await openSite();
  site.page('/');
  const page = await site.newPage(chromium);
  await watchListeners(page);
  await page.goto(site.url('/'));
  await site.names(1);
  await page.evaluate(() => {
    document.open();
    document.write('<a href="mailto:someone@site.test" onclick="event.preventDefault()">mail</a>');
    document.close();
    (window as unknown as { listeners: { added: string[] } }).listeners.added = [];
    window.footfall?.('opened');
  });
  await page.waitForFunction('listeners.added.length');
  await page.click('a');
  expect(await site.names(3)).toEqual(['pageview', 'opened', 'email_link']);
});

test('while the collector does not answer, a tab switch sends what waits, and no more than thirty events wait', async () => {
  await using site = await openSite();
  site.page('/');
  const page = await site.newPage(chromium);
  const blocked = await block(page);
  await page.clock.install({ time: 1_000_000 });
  await page.clock.pauseAt(2_000_000);
  await page.goto(site.url('/'));
  await blocked.reached(1);
  await page.evaluate(() => Array.from({ length: 300 }, (_, n) => window.footfall?.(`event_${n}`)));
  await page.evaluate((address) => fetch(address, { mode: 'no-cors' }), `${site.origin('stats.test')}/done`);
  expect(blocked.count()).toBe(1);
  await become(page, { hidden: true });
  await blocked.reached(32); // the page view, 29 events, the engagement, and one more
  await page.evaluate((address) => fetch(address, { mode: 'no-cors' }), `${site.origin('stats.test')}/done`);
  expect(blocked.count()).toBe(32);
  await page.unroute('**/foot');
  await page.clock.runFor(60_000);
  const names = await site.names(30);
  expect([names.length, names[0], names.filter((name) => name.startsWith('event_')).length]).toEqual([
    30,
    'pageview',
    29,
  ]);
});

/** Tells the page that its tab was switched. Playwright always shows tabs as visible. */
const become = (page: Page, { hidden }: { hidden: boolean }) =>
  page.evaluate((value) => {
    Object.defineProperty(document, 'hidden', { value, configurable: true });
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
  }, hidden);

test('works under a content security policy that allows only the script and the endpoint', async () => {
  await using site = await openSite();
  const stats = site.origin('stats.test');
  const policy = `default-src 'none'; script-src ${stats}; connect-src ${stats}; require-trusted-types-for 'script'`;
  site.page('/', '<a href="/guide.pdf">guide</a>', { headers: { 'content-security-policy': policy } });
  const page = await site.newPage(chromium);
  const reports: string[] = [];
  page.on('console', (message) => reports.push(message.text()));
  await page.goto(site.url('/'));
  await page.locator('a').evaluate((link) => link.addEventListener('click', (event) => event.preventDefault()));
  await page.click('a');
  expect(await site.names(2)).toEqual(['pageview', 'file_download']);
  expect(reports).toEqual([]);
});

test.each([
  ['/foot.js', '/foot'],
  ['/stats/foot.js', '/stats/foot'],
  ['/js/numbers.js?v=2', '/js/foot'],
])('served from %s on one’s own domain, it sends events to %s beside it', async (source, target) => {
  await using site = await openSite();
  site.page('/', '', { bare: true, head: `<script async data-site="site.test" src="${source}"></script>` });
  site.script(new URL(source, site.origin()).pathname);
  const page = await site.newPage(chromium);
  await page.goto(site.url('/'));
  const [post] = await site.posted((posts) => posts.length);
  expect(post?.url).toBe(site.url(target));
});

test('sends to the endpoint that the snippet names', async () => {
  await using site = await openSite();
  site.page('/', '', { attributes: 'data-endpoint="/numbers"' });
  const page = await site.newPage(chromium);
  await page.goto(site.url('/'));
  const [post] = await site.posted((posts) => posts.length);
  expect(post?.url).toBe(site.url('/numbers'));
});

test('calls from before the script loaded are sent after the page view, in their order', async () => {
  await using site = await openSite();
  const stub = 'window.footfall=window.footfall||function(){(footfall.q=footfall.q||[]).push(arguments)}';
  const head = `<script>${stub};kept=footfall;footfall('early',{props:{n:1}});footfall('purchase',{revenue:{amount:12.5,currency:'EUR'}})</script>`;
  site.page('/', '', { head });
  const page = await site.newPage(chromium);
  await page.goto(site.url('/'));
  await site.names(3);
  await page.evaluate(() => (window as unknown as { kept: (name: string) => void }).kept('late')); // the stub itself
  expect(await site.names(4)).toEqual(['pageview', 'early', 'purchase', 'late']);
  expect(site.posts[1]?.event.props).toEqual({ n: 1 });
  expect(site.posts[2]?.event.revenue).toEqual({ amount: 12.5, currency: 'EUR' });
});

test('nonsense in the queue does not stop the script', async () => {
  await using site = await openSite();
  const head = `<script>footfall = () => {}; footfall.q = [5, null, {}, ['early']]</script>`;
  site.page('/', '', { head });
  const page = await site.newPage(chromium);
  const errors: unknown[] = [];
  page.on('pageerror', (error) => errors.push(error));
  await page.goto(site.url('/'));
  await page.evaluate(() => window.footfall?.q?.push(7 as never, ['late']));
  expect([await site.namesUntilNow(page), errors]).toEqual([['pageview', 'early'], []]);
});

test('hits sent while the page is closing arrive', async () => {
  await using site = await openSite();
  site.page(
    '/',
    `<script>addEventListener('pagehide', () => footfall('leaving', { props: { at: 'pagehide' } }))</script>`,
  );
  const page = await site.newPage(chromium);
  await page.goto(site.url('/'));
  await site.names(1);
  await page.goto('about:blank');
  const posts = await site.posted((all) => all.some(({ event }) => event.name === 'leaving'));
  const leaving = posts.find(({ event }) => event.name === 'leaving');
  expect(leaving?.event).toMatchObject({ url: site.url('/'), props: { at: 'pagehide' } });
});

test('an event carries what it was given', async () => {
  await using site = await openSite();
  site.page('/');
  const page = await site.newPage(chromium);
  await page.goto(site.url('/'));
  const details = {
    props: { plan: 'pro', seats: 3 },
    revenue: { amount: '19.90', currency: 'USD' },
    order_id: 'A-1001',
    url: 'http://site.test/checkout',
    interactive: false,
  };
  await page.evaluate((given) => window.footfall?.('purchase', given), details);
  await site.names(2);
  expect(site.posts[1]?.event).toMatchObject({ name: 'purchase', ...details });
});

test.each([
  [
    'changes',
    '(event) => { event.url = event.url.replace(/users.\\d+/, "users/ID"); }',
    ['pageview /users/ID', 'signup /users/ID'],
  ],
  ['replaces', '(event) => ({ ...event, url: "http://site.test:80/x" })', ['pageview /x', 'signup /x']],
  ['stops', '(event) => event.name !== "pageview" && event', ['signup /users/17']],
  ['stops by throwing', '(event) => { if (event.name === "pageview") throw new Error("mine"); }', ['signup /users/17']],
])('a hook that %s events', async (_what, hook, sent) => {
  await using site = await openSite();
  site.page('/users/17', '', { attributes: 'data-before="scrub"', head: `<script>window.scrub = ${hook}</script>` });
  const page = await site.newPage(chromium);
  const errors: unknown[] = [];
  page.on('pageerror', (error) => errors.push(error));
  await page.goto(site.url('/users/17'));
  await page.evaluate(() => window.footfall?.('signup'));
  const pathOf = ({ name, url }: Payload) => `${name} ${new URL(url).pathname}`;
  expect((await site.postsUntilNow(page)).map(({ event }) => pathOf(event))).toEqual(sent);
  expect(errors).toEqual([]);
});

test('no error of the script reaches the page', async () => {
  await using site = await openSite();
  site.page('/', '<form><input name="attributes"><input name="action"></form>');
  const page = await site.newPage(chromium);
  const errors: unknown[] = [];
  page.on('pageerror', (error) => errors.push(error));
  await page.goto(site.url('/'));
  await page.evaluate(() => {
    const footfall = window.footfall as unknown as (...call: unknown[]) => void;
    footfall();
    footfall('circle', { props: window });
    footfall('big', { props: { n: 10n } });
    footfall('getter', {
      get props() {
        throw new Error('getter');
      },
    });
    footfall('functions', { props: { run: () => 1, n: 1 } });
    for (const target of [window, document, document.querySelector('form')])
      for (const type of ['click', 'submit', 'auxclick', 'scroll', 'pageshow', 'visibilitychange'])
        target?.dispatchEvent(new Event(type));
  });
  const names = await site.namesUntilNow(page);
  expect(names).not.toContain('circle');
  expect(names).not.toContain('big');
  expect(names).not.toContain('getter');
  expect(site.posts.find(({ event }) => event.name === 'functions')?.event.props).toEqual({ n: 1 });
  expect(errors).toEqual([]);
});
