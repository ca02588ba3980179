// The snippet is `async`: a slow server holds up nothing on the page, and the script counts the same whether it runs before the document is
// parsed or after it has loaded.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type OpenBrowser, openBrowser } from '../../setup/browser/chromium.ts';
import { openSite, type Site } from './site.ts';

let chromium: OpenBrowser;
beforeAll(async () => {
  chromium = await openBrowser();
});
afterAll(() => chromium[Symbol.asyncDispose]());

const STUB =
  '<script>window.footfall = window.footfall || function () { (footfall.q = footfall.q || []).push(arguments) }</script>';

test('a page is usable while the script loads, and is counted afterwards', async () => {
  await using site = await openSite();
  site.hold('/foot.js');
  const app = `
    document.querySelector('button').onclick = ({ target }) => { target.textContent = 'added'; footfall('added'); };
    history.pushState({}, '', '/cart');
    document.title = 'module';`;
  const ready = `<script>addEventListener('DOMContentLoaded', () => document.body.dataset.ready = 'yes')</script>`;
  const body = `<button>add</button>${ready}<script type="module">${app}</script>`;
  site.page('/', body, { head: STUB });
  const page = await site.newPage(chromium);
  await page.clock.install();
  await page.goto(site.url('/'), { waitUntil: 'domcontentloaded' });
  await site.asked('/foot.js');
  await page.clock.runFor(6_000);
  await page.click('button');
  expect([
    await page.title(),
    await page.textContent('button'),
    await page.getAttribute('body', 'data-ready'),
    site.held.has('/foot.js'),
    site.sent(),
  ]).toEqual(['module', 'added', 'yes', true, []]);
  site.release('/foot.js');
  const posts = await site.posted((all) => all.length === 2);
  expect(posts.map(({ event }) => [event.name, event.url])).toEqual([
    ['pageview', site.url('/cart')],
    ['added', site.url('/cart')],
  ]);
});

/** Runs the script while the parser waits in the middle of the body, or after it has finished. */
const ORDERS: Record<string, (site: Site, open: () => Promise<unknown>, page: Page) => Promise<void>> = {
  'before the document is parsed': async (site, open) => {
    site.hold('/gate.js');
    const opened = open();
    await site.names(1);
    site.release('/gate.js');
    await opened;
  },
  'after the document is parsed': async (site, _open, page) => {
    site.hold('/foot.js');
    await page.goto(site.url('/'), { waitUntil: 'domcontentloaded' });
    site.release('/foot.js');
    await site.names(1);
  },
};

describe.each(Object.entries(ORDERS))('a script that runs %s', (order, run) => {
  /** A goal that was not parsed yet is found at the next scroll, or when the page is left. */
  const isEarly = order.startsWith('before');

  test('counts every kind of event', async () => {
    await using site = await openSite();
    site.page('/gate.js');
    const body = `<script src="/gate.js"></script><p data-foot-view="seen">in view</p><button data-foot="bought" data-foot-plan="pro">buy</button>
      <a href="tel:1">call</a><form id="letter"><button id="send">send</button></form>`;
    const head = `${STUB}<script>window.scrub = (event) => { event.props = { ...event.props, by: 'hook' } }; footfall('early')</script>`;
    site.page('/', body, { head, attributes: 'data-foot-kind="start" data-404 data-before="scrub"' });
    const page = await site.newPage(chromium);
    await run(site, () => page.goto(site.url('/')), page);
    await page.evaluate(() => addEventListener('submit', (event) => event.preventDefault()));
    await page.waitForFunction(() => document.readyState === 'complete');
    const counted = await site.postsUntilNow(page);
    expect(counted.map(({ event }) => event.name).sort()).toEqual([
      'early',
      'not_found',
      'pageview',
      ...(isEarly ? [] : ['seen']),
    ]);
    expect(counted[0]?.event).toMatchObject({ url: site.url('/'), props: { kind: 'start', by: 'hook' } });
    await page.click('[data-foot]');
    await page.locator('a').evaluate((link) => link.addEventListener('click', (event) => event.preventDefault()));
    await page.click('a');
    await page.click('#send');
    await page.evaluate(() => history.pushState({}, '', '/next'));
    const later = (await site.postsUntilNow(page)).slice(counted.length).map(({ event }) => [event.name, event.url]);
    expect(later).toEqual([
      ['bought', site.url('/')],
      ['phone_link', site.url('/')],
      ['form_submit', site.url('/')],
      ...(isEarly ? [['seen', site.url('/')]] : []),
      ['engagement', site.url('/')],
      ['pageview', site.url('/next')],
    ]);
  });
});
