import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OpenBrowser, openBrowser } from '../../setup/browser/chromium.ts';
import { firstChunk } from './script.ts';
import { openSite } from './site.ts';

let chromium: OpenBrowser;
let bundle: string;
beforeAll(async () => {
  const entry = fileURLToPath(new URL('../../../tracker/module.ts', import.meta.url));
  bundle = await firstChunk({
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    build: { write: false, lib: { entry, formats: ['iife'], name: 'module', fileName: 'module' } },
  });
  chromium = await openBrowser();
});
afterAll(() => chromium[Symbol.asyncDispose]());

test('the module loads the script with its options, and keeps calls until then', async () => {
  await using site = await openSite();
  const settings = `{
    site: 'site.test', source: '${site.origin('stats.test')}/foot.js', endpoint: '/numbers', hash: true, off: ['phone_link'],
    props: { author: 'Ada', version: 3 }, before: (event) => event.name !== 'secret' && { ...event, props: { ...event.props, seen: 1 } },
  }`;
  const calls = `module.footfall('early'); module.start(${settings}); module.start(${settings}); module.footfall('secret')`;
  const head = '<script data-site="ABCDEFG" data-spa="auto"></script>'; // of another vendor
  site.page('/', `<a href="tel:1">x</a><script>${bundle};${calls}</script>`, { bare: true, head });
  const page = await site.newPage(chromium);
  await page.goto(`${site.url('/')}#/users`);
  await site.names(2);
  await page.locator('a').evaluate((link) => link.addEventListener('click', (event) => event.preventDefault()));
  await page.click('a');
  expect(await site.namesUntilNow(page)).toEqual(['pageview', 'early']);
  expect(site.posts[0]).toMatchObject({
    url: site.url('/numbers'),
    event: { site: 'site.test', url: site.url('/users'), props: { author: 'Ada', version: '3', seen: 1 } },
  });
});

test('on a server the module does nothing', async () => {
  const { footfall, start } = await import('../../../tracker/module.ts');
  start({ site: 'site.test', source: 'https://stats.test/foot.js' });
  footfall('signup');
  expect('footfall' in globalThis).toBe(false);
});
