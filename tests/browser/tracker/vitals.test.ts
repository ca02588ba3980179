// `foot.js?vitals` in Chromium: on pages with known delays, where the library itself is the reference. What it sends, when, and when it must not.
import { brotliCompressSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { VITAL_NAMES } from '../../../server/vocabulary/numbers/vitals.ts';
import type { Measured } from '../../../tracker/vitals/measured.ts';
import { type OpenBrowser, openBrowser } from '../../setup/browser/chromium.ts';
import { DELAYS, openLate, putScripts, REFERENCE, tagOf } from './delays.ts';
import { openSite, type Site } from './site.ts';
import { builtVitals } from './script.ts';

const MAX_BYTES = 3200;

let site: Site;
let chromium: OpenBrowser;
let script: string;
let loader: string;

beforeAll(async () => {
  [{ script, loader }, chromium] = await Promise.all([builtVitals(), openBrowser()]);
});
beforeEach(async () => {
  site = await openSite();
  await putScripts(site, script);
});
afterAll(() => chromium[Symbol.asyncDispose]());

const tag = (attributes?: string) => tagOf(site, attributes);

type Sent = { name: string; url: string; vitals?: Measured };
const sentBy = () => site.posts.map(({ event }) => event as unknown as Sent).filter(({ name }) => name === 'vitals');

/** Hides the page as a browser does that shows another tab, once the script listens. */
async function hide(page: Page) {
  await page.evaluate(
    () =>
      new Promise((resolve) => {
        requestIdleCallback(() => setTimeout(resolve, 60));
      }),
  );
  await page.evaluate(() => {
    Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => 'hidden' });
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => true });
    document.dispatchEvent(new Event('visibilitychange'));
  });
}

test(`the script is at most ${MAX_BYTES} bytes with brotli, defines no global name and stores nothing`, () => {
  const bytes = brotliCompressSync(script).length;
  console.log(`foot-vitals.js: ${bytes} bytes with brotli; the loader: ${brotliCompressSync(loader).length}`);
  expect(bytes).toBeLessThanOrEqual(MAX_BYTES);
  for (const code of [script, loader]) {
    expect(code).toMatch(/^\{.*\}\n?$/s);
    expect(code).not.toMatch(
      /\bvar \w+=class|document\.cookie|sessionStorage|setItem|footfall_ignore=[^=]|eval|Function\(/,
    );
  }
});

describe('a page with known delays', () => {
  test('is measured as the library measures it, and sent once, when it is hidden', async () => {
    site.page(
      '/slow',
      `<h1>Hello, Jane Doe</h1><button id="jane" class="doe" role="switch" onclick="const end = performance.now() + 120; while (performance.now() < end);">buy</button>
       <script>setTimeout(() => document.body.prepend(Object.assign(document.createElement('p'), { style: 'height: 300px' })), 50)</script>`,
      { bare: true, head: REFERENCE + tag() },
    );
    const page = await site.newPage(chromium);
    await page.goto(site.url('/slow?a=b#c'));
    await page.waitForFunction('seen.cls > 0');
    await page.click('button');
    await page.waitForFunction('seen.inp >= 120');
    await hide(page);
    const posts = await site.posted((all) => all.length === 1);
    const [{ event, headers }] = posts as [(typeof posts)[0]];
    const { vitals } = event as unknown as Sent;
    const seen = await page.evaluate<Required<Measured>>('seen');
    expect(event).toMatchObject({ site: 'site.test', name: 'vitals', url: site.url('/slow?a=b'), webdriver: true });
    for (const name of VITAL_NAMES) expect([name, vitals?.[name]]).toEqual([name, seen[name]]);
    expect(vitals).toMatchObject({
      lcp_element: 'h1 null',
      inp_element: 'button switch',
      navigation: 'navigate',
    });
    expect(JSON.stringify(vitals)).not.toMatch(/jane|doe|buy|Hello/i);
    expect(headers['content-type']).toMatch(/^text\/plain/);
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    expect(await site.names(1)).toEqual(['vitals']);
  });

  test.each(DELAYS)('has the values of the library with a delay of $where', async ({ held, says, ofLargest }) => {
    const page = await site.newPage(chromium);
    await openLate(site, held, {
      go: (url) => page.goto(url),
      isDrawn: () => page.waitForFunction("typeof seen === 'object' && seen.lcp > 0"),
    });
    await page.waitForFunction(`seen.cls >= 0 && ${says} && ${ofLargest}`);
    await page.waitForLoadState('networkidle');
    const seen = await page.evaluate<Required<Measured>>('seen');
    await page.goto('about:blank'); // the library takes the last LCP only at an event of the browser itself
    await site.posted((all) => all.length === 1);
    const [sent] = sentBy();
    for (const name of VITAL_NAMES) expect([name, sent?.vitals?.[name]]).toEqual([name, seen[name]]);
  });

  test('that comes back from the back-forward cache is measured again', async () => {
    await using cached = await openBrowser({ backForwardCache: true });
    site.page('/first', '<h1>Hello</h1>', { bare: true, head: tag() });
    site.page('/second', '', { bare: true });
    const page = await site.newPage(cached);
    await page.goto(site.url('/first'));
    await page.evaluate(() =>
      addEventListener('pageshow', () => requestAnimationFrame(() => setTimeout(() => void fetch('/back'), 100))),
    );
    await page.waitForLoadState('networkidle');
    await page.evaluate((url) => void (location.href = url), site.url('/second'));
    await site.posted((all) => all.length === 1);
    await page.evaluate(() => history.back());
    await site.asked('/back');
    await page.evaluate((url) => void (location.href = url), site.url('/second'));
    await site.posted((all) => all.length === 2);
    expect(sentBy().map(({ vitals }) => vitals?.navigation)).toEqual(['navigate', 'back-forward-cache']);
    expect(new Set(site.posts.map(({ event }) => event.id)).size).toBe(2);
  });

  test('that a router leaves without a load is measured on, for the address that was loaded', async () => {
    const move = `history.pushState({}, '', '/second'); document.body.prepend(Object.assign(document.createElement('p'), { style: 'height: 300px' }))`;
    site.page('/first', `<h1>Hello</h1><script>onmove = () => { ${move} }</script>`, {
      bare: true,
      head: REFERENCE + tag(),
    });
    const page = await site.newPage(chromium);
    await page.goto(site.url('/first'));
    await page.waitForFunction('seen.cls === 0');
    await page.evaluate('onmove()');
    await page.waitForFunction('seen.cls > 0');
    await hide(page);
    await site.posted((all) => all.length === 1);
    const seen = await page.evaluate<Measured>('seen');
    expect(sentBy().map(({ url, vitals }) => [url, vitals?.cls])).toEqual([[site.url('/first'), seen.cls]]);
  });

  test('is loaded by foot.js of a measured site, with the attributes of the snippet, after the page', async () => {
    site.text('/measuring/foot.js', loader);
    const snippet = `<script async data-site="site.test" data-endpoint="${site.origin('stats.test')}/other" src="${site.origin('stats.test')}/measuring/foot.js"></script>`;
    site.page('/', '<h1>Hello</h1>', { bare: true, head: snippet });
    site.text('/measuring/foot.js', `${loader};document.title = 'loaded'`);
    const page = await site.newPage(chromium);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).search));
    await page.route('**/foot.js?vitals', (route) => route.fulfill({ contentType: 'text/javascript', body: script }));
    await page.goto(site.url('/'));
    await page.waitForSelector('script[src$="?vitals"]', { state: 'attached' });
    await page.waitForLoadState('networkidle');
    await page.goto('about:blank'); // left, not only hidden
    const [post] = await site.posted((all) => all.length === 1);
    expect([post?.event.name, post?.url]).toEqual(['vitals', `${site.origin('stats.test')}/other`]);
    expect(asked.filter((search) => search === '?vitals')).toHaveLength(1);
  });
});

describe('nothing is sent', () => {
  const QUIET: [why: string, attributes: string, inPage?: string][] = [
    ['at a sample of none', 'data-vitals="0"'],
    ['when switched off on the page', 'data-vitals="off"'],
    ['in a browser that is left out', '', `localStorage.footfall_ignore = 'true'`],
    ['when a hook stops it', 'data-before="stop"', 'window.stop = () => false'],
    ['when a hook fails', 'data-before="stop"', 'window.stop = () => { throw new Error() }'],
    ['on a page of another language of snippets, without a site', 'data-site=""'],
  ];
  test.each(QUIET)('%s', async (_, attributes, inPage = '') => {
    const own = attributes.includes('data-site') ? tag().replace('data-site="site.test"', attributes) : tag(attributes);
    site.page('/quiet', '<h1>Hello</h1>', { bare: true, head: `<script>${inPage}</script>${own}` });
    site.page('/loud', '<h1>Hello</h1>', { bare: true, head: tag() });
    const page = await site.newPage(chromium);
    await page.goto(site.url('/quiet'));
    await hide(page);
    await page.evaluate(() => delete localStorage['footfall_ignore']);
    await page.goto(site.url('/loud'));
    await hide(page);
    const [post] = await site.posted((all) => all.length === 1);
    expect(post?.event.url).toBe(site.url('/loud'));
  });

  test('before a hook has seen it, which may change it', async () => {
    site.page('/users/7', '<h1>Hello</h1>', {
      bare: true,
      head: `<script>window.scrub = (event) => { event.url = event.url.replace('users/7', 'users/ID') }</script>${tag('data-before="scrub"')}`,
    });
    const page = await site.newPage(chromium);
    await page.goto(site.url('/users/7'));
    await hide(page);
    await site.posted((all) => all.length === 1);
    expect(sentBy().map(({ url }) => url)).toEqual([site.url('/users/ID')]);
  });

  test('of most pages at a small sample', async () => {
    site.page('/some', '<h1>Hello</h1>', {
      bare: true,
      head: `<script>Math.random = () => 0.3</script>${tag('data-vitals="25"')}`,
    });
    site.page('/one', '<h1>Hello</h1>', {
      bare: true,
      head: `<script>Math.random = () => 0.2</script>${tag('data-vitals="25"')}`,
    });
    const page = await site.newPage(chromium);
    for (const path of ['/some', '/one']) {
      await page.goto(site.url(path));
      await hide(page);
    }
    await site.posted((all) => all.length === 1);
    expect(sentBy().map(({ url }) => url)).toEqual([site.url('/one')]);
  });
});
