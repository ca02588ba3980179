// What the server stores of an address that a mailer damaged: from Chromium's address bar to the event.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { testApp } from '../../setup/app.ts';
import { hideHeadless, openBrowser } from '../../setup/browser/chromium.ts';

test('tags behind an ampersand that is escaped by number are stored', async () => {
  await using server = await testApp();
  await using browser = await openBrowser({ isPerson: true });
  const site = await server.addSite('shop.test');
  const pages = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end(`<script defer src="${server.url}/foot.js" data-site="${site.domain}"></script>`);
  });
  pages.listen(0, '127.0.0.1');
  await once(pages, 'listening');
  const { port } = pages.address() as AddressInfo;
  const page = await (await browser.newContext()).newPage();
  await hideHeadless(page);
  for (const [path, ampersand] of Object.entries({ '/decimal': '&#38;', '/padded': '&#038;' })) {
    const posted = page.waitForResponse((response) => response.url().endsWith('/foot'));
    await page.goto(
      `http://shop.test:${port}${path}?utm_source=a${ampersand}utm_medium=email${ampersand}utm_campaign=c`,
    );
    expect(await page.evaluate(() => location.search)).toBe('?utm_source=a&');
    expect((await posted).status()).toBe(202);
    await page.goto('about:blank');
  }
  pages.closeAllConnections();
  pages.close();
  await server.settle();
  const rows = await server.app.store.query(
    `SELECT page, utm_source, utm_medium, utm_campaign, channel FROM events WHERE site_id = {id:String} AND name = 'pageview' ORDER BY page`,
    { id: site.id },
  );
  const tags = { utm_source: 'a', utm_medium: 'email', utm_campaign: 'c', channel: 'Email' };
  expect(rows).toEqual([
    { page: '/decimal', ...tags },
    { page: '/padded', ...tags },
  ]);
});
