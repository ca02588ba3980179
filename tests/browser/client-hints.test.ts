// Client hints to another origin: Chromium sends its versions to Footfall only if the page delegates them, with the line that docs/snippet.md
// gives. `Accept-CH` on Footfall's own answers would do nothing, because Chromium reads it on the page only.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { testApp } from '../setup/app.ts';
import { openBrowser } from '../setup/browser/chromium.ts';

const WINDOWS = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0';
const BRANDS = [
  { brand: 'Chromium', version: '142' },
  { brand: 'Google Chrome', version: '142' },
];

test('a page that delegates them tells Windows 11 from Windows 10, which share a user agent', async () => {
  await using server = await testApp();
  await using browser = await openBrowser({ isPerson: true });
  const site = await server.addSite();
  const guide = readFileSync(new URL('../../docs/snippet.md', import.meta.url), 'utf8');
  const line = /<meta http-equiv="Delegate-CH"[^>]+>/
    .exec(guide)?.[0]
    .replaceAll('https://stats.example.com', server.url);
  const pages = createServer((request, response) => {
    const head = request.url === '/delegating' ? line : '';
    const body = JSON.stringify({ site: site.domain, name: 'pageview', url: `https://${site.domain}${request.url}` });
    const script = `fetch('${server.url}/foot', { method: 'POST', body: ${JSON.stringify(body)} }).then(() => (document.title = 'sent'))`;
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end(`<head>${head}</head><script>${script}</script>`);
  });
  pages.listen(0, '127.0.0.1');
  await once(pages, 'listening');
  const origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;

  const context = await browser.newContext();
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Emulation.setUserAgentOverride', {
    userAgent: WINDOWS,
    userAgentMetadata: {
      brands: BRANDS,
      fullVersionList: BRANDS.map(({ brand }) => ({ brand, version: '142.0.7444.60' })),
      platform: 'Windows',
      platformVersion: '15.0.0',
      architecture: 'x86',
      model: '',
      mobile: false,
    },
  });
  for (const path of ['/plain', '/delegating']) {
    await page.goto(origin + path);
    await page.waitForFunction(() => document.title === 'sent');
  }
  pages.closeAllConnections();
  pages.close();
  await server.settle();
  const rows = await server.app.store.query(
    'SELECT page, os, os_version, browser_version FROM events WHERE site_id = {id:String} ORDER BY page DESC',
    { id: site.id },
  );
  expect(rows).toEqual([
    { page: '/plain', os: 'Windows', os_version: '10', browser_version: '142' },
    { page: '/delegating', os: 'Windows', os_version: '11', browser_version: '142' },
  ]);
});
