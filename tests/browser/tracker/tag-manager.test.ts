// A page whose tag manager loads a script by its address alone: the address has the attributes of the snippet.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { hideHeadless, openBrowser } from '../../setup/browser/chromium.ts';
import { testApp } from '../../setup/app.ts';

test('foot.js?data-site=… counts pages, with the properties of its address, and keeps events that came before it', async () => {
  await using server = await testApp();
  await using browser = await openBrowser({ isPerson: true });
  const site = await server.addSite('site.test');
  const page = await (await browser.newContext()).newPage();
  await hideHeadless(page);
  const errors: string[] = [];
  page.on('pageerror', ({ message }) => errors.push(message));
  const address = `${server.url}/foot.js?data-site=site.test&data-foot-area=a%26b&data-off"=x&onload=alert(1)`;
  // A page of this machine: Chromium keeps others from loading what loopback addresses have.
  const pages = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end(`<!doctype html><title>x</title><script>
      window.footfall = function () { window.footfall.q.push(arguments); };
      window.footfall.q = [];
      footfall('signup', { props: { plan: 'pro' } });
      const script = document.createElement('script');
      script.async = true;
      script.src = ${JSON.stringify(address)};
      document.head.append(script);
    </script>`);
  });
  pages.listen(0, '127.0.0.1');
  await once(pages, 'listening');
  const arrived = new Set<string>();
  const both = page.waitForResponse((response) => {
    if (response.request().method() === 'POST')
      arrived.add((JSON.parse(response.request().postData() ?? '{}') as { name: string }).name);
    return arrived.size === 2;
  });
  await page.goto(`http://site.test:${(pages.address() as AddressInfo).port}/pricing`);
  await both;
  await server.settle();
  const rows = await server.app.store.query(
    'SELECT name, page, props FROM events WHERE site_id = {id:String} ORDER BY name',
    { id: site.id },
  );
  expect(rows).toEqual([
    { name: 'pageview', page: '/pricing', props: { area: 'a&b' } },
    { name: 'signup', page: '/pricing', props: { plan: 'pro' } },
  ]);
  expect(await page.evaluate(() => [...document.scripts].at(-1)?.getAttributeNames().sort())).toEqual([
    'data-foot-area',
    'data-site',
    'src',
  ]);
  expect(errors).toEqual([]);
  pages.close();
  pages.closeAllConnections();
});
