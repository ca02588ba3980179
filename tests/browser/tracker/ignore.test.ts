/** @module-tag promise */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type OpenBrowser, openBrowser } from '../../setup/browser/chromium.ts';
import { showsKept } from '../../setup/run/harness.ts';
import { type Site, openSite } from './site.ts';
import { tempFolder } from '../../setup/folder.ts';

let chromium: OpenBrowser;
beforeAll(async () => {
  chromium = await openBrowser();
});
afterAll(() => chromium[Symbol.asyncDispose]());

/** Opens a page, triggers everything that could be sent, and returns what had been sent by the time a later request was answered. */
async function visit(site: Site, url: string, prepare?: () => void): Promise<string[]> {
  const page = await site.newPage(chromium);
  if (prepare) await page.addInitScript(prepare);
  // The host does not have to exist: the test routes every request.
  if (!url.startsWith(site.origin()) && url.startsWith('http'))
    await page.route('**', async (route) => {
      const { pathname } = new URL(route.request().url());
      await route.fulfill({ response: await route.fetch({ url: site.origin('127.0.0.1') + pathname }) });
    });
  await page.goto(url);
  await page.evaluate(() => window.footfall?.('signup'));
  await page.evaluate(() => document.body.click());
  await page.evaluate((address) => fetch(address, { mode: 'no-cors' }), `${site.origin('stats.test')}/done`);
  const sent = site.sent();
  expect(await site.names(sent.length)).toEqual(sent);
  return sent;
}

const PRIVATE = [
  'localhost',
  'shop.localhost',
  'printer.local',
  '127.0.0.1',
  '10.0.0.5',
  '192.168.1.20',
  '[::1]',
  '[fd00::1]',
];

describe.each(PRIVATE)('a page on %s', (host) => {
  test('is left out', async () => {
    showsKept('the script and the server keep to the opt-outs that are promised');
    await using site = await openSite();
    site.page('/');
    expect(await visit(site, `http://${host}/`)).toEqual([]);
  });

  test('counts if the snippet says so', async () => {
    await using site = await openSite();
    site.page('/', '', { attributes: 'data-dev' });
    expect(await visit(site, `http://${host}/`)).toEqual(['pageview', 'signup']);
  });
});

test.each(['10.site.test', 'localhost.test', 'local.test', 'thelocal.test', '1st.test'])(
  'a page on %s counts',
  async (host) => {
    await using site = await openSite();
    site.page('/');
    expect(await visit(site, `http://${host}/`)).toEqual(['pageview', 'signup']);
  },
);

test('a file is not counted', async () => {
  await using site = await openSite();
  await using folder = await tempFolder();
  await writeFile(join(folder.path, 'page.html'), `<body>${site.snippet()}</body>`);
  expect(await visit(site, `file://${folder.path}/page.html`)).toEqual([]);
});

test.each([
  ['true', []],
  ['false', ['pageview', 'signup']],
])('localStorage.footfall_ignore = %s', async (value, sent) => {
  await using site = await openSite();
  site.page('/');
  const prepare =
    value === 'true' ? () => (localStorage.footfall_ignore = 'true') : () => (localStorage.footfall_ignore = 'false');
  expect(await visit(site, site.url('/'), prepare)).toEqual(sent);
});

test('the box on a page of the site leaves the browser out, until it is unticked', async () => {
  showsKept('the script and the server keep to the opt-outs that are promised');
  await using site = await openSite();
  site.page('/');
  const script = await readFile(new URL('../../../static/opt-out.js', import.meta.url), 'utf8');
  site.text('/opt-out.js', script);
  site.page(
    '/privacy',
    '<p><script src="/opt-out.js"></script></p><p><script src="/opt-out.js" data-label="Nicht mitrechnen"></script></p>',
  );
  const page = await site.newPage(chromium);
  const seen = async () => {
    await page.goto(site.url('/'));
    return page.evaluate(() => localStorage.footfall_ignore as unknown);
  };
  await page.goto(site.url('/privacy'));
  const box = page.getByLabel('Do not count my visits in this browser');
  expect(await page.getByLabel('Nicht mitrechnen').isChecked()).toBe(false);
  expect(await box.isChecked()).toBe(false);
  await box.check();
  const views = () => site.sent().filter((name) => name === 'pageview').length;
  await site.posted(() => views() === 1); // the page with the box
  expect(await seen()).toBe('true');
  expect(views()).toBe(1);
  await page.goto(site.url('/privacy'));
  expect(await box.isChecked()).toBe(true);
  await box.uncheck();
  expect(await seen()).toBeUndefined();
  await site.posted(() => views() === 2);
});

test('in a browser that forbids storage is counted', async () => {
  await using site = await openSite();
  site.page('/');
  const forbid = () =>
    Object.defineProperty(window, 'localStorage', {
      get: () => {
        throw new DOMException('Forbidden', 'SecurityError');
      },
    });
  expect(await visit(site, site.url('/'), forbid)).toEqual(['pageview', 'signup']);
});

const SIGNALS = {
  'Global Privacy Control': () => Object.defineProperty(navigator, 'globalPrivacyControl', { value: true }),
  'Do Not Track': () => Object.defineProperty(navigator, 'doNotTrack', { value: '1' }),
};

test.each(Object.entries(SIGNALS))(
  '%s is left to the server, which knows whether the site honours it',
  async (_name, prepare) => {
    await using site = await openSite();
    site.page('/');
    expect(await visit(site, site.url('/'), prepare)).toEqual(['pageview', 'signup']);
  },
);
