// What of a link other pages show: the dialog gives the code of a picture, and a page of another origin with a strict policy shows it. And what a
// site tells its own visitors.
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { violations } from '../../setup/browser/axe.ts';
import { openDashboard } from '../../setup/browser/dashboard.ts';

it('the share dialog gives the code of a picture, which another website shows in the mode of its reader', async () => {
  await using opened = await openDashboard({ isBlank: true });
  const { page, server, browser } = opened;
  await page.goto(`${server.url}/example.com/settings/people`);
  const links = page.locator('[data-section="Share links"]');
  await links.getByRole('button', { name: 'New link' }).click();
  await links.getByRole('button', { name: 'Create link' }).click();
  const address = (await links.locator('[data-token]').textContent()) ?? '';
  await links.getByRole('button', { name: 'Pictures for READMEs and pages' }).click();
  const shown = links.locator('[data-picture]');
  const isDrawn = () => shown.evaluate((image: HTMLImageElement) => image.complete && image.naturalWidth);
  await expect.poll(isDrawn).toBe(720);
  expect(await links.locator('[data-picture-address]').textContent()).toBe(`${address}/chart.svg`);

  await links.getByLabel('Metric').selectOption('bounce_rate');
  await links.getByLabel('Period').selectOption('today');
  await links.getByLabel('Picture').selectOption('map'); // which has no rates
  await expect.poll(isDrawn).toBe(640);
  expect(await links.locator('[data-picture-address]').textContent()).toBe(`${address}/map.svg?period=today`);
  await links.getByLabel('Picture').selectOption('badge');
  await links.getByLabel('Metric').selectOption('pageviews');
  await links.getByLabel('Colours').selectOption('dark');
  const source = `${address}/badge.svg?metric=pageviews&period=today&theme=dark`;
  expect(await links.locator('[data-picture-markdown]').textContent()).toBe(`[![Page views](${source})](${address})`);
  await links.getByLabel('Format').selectOption('png');
  await links.getByLabel('Picture').selectOption('calendar');
  expect(await links.getByLabel('Period').count()).toBe(0);
  await expect.poll(isDrawn).toBe(720);
  expect(opened.troubles).toEqual([]);

  const host = createServer((_request, response) => {
    response.writeHead(200, {
      'content-type': 'text/html',
      'content-security-policy': `default-src 'none'; img-src ${server.url}`,
      'cross-origin-embedder-policy': 'require-corp',
    });
    response.end(`<!doctype html><title>README</title><img src="${address}/chart.svg" alt="Visitors">`);
  });
  host.listen(0, '127.0.0.1');
  await once(host, 'listening');
  const reader = await browser.newContext({ colorScheme: 'dark', viewport: { width: 800, height: 400 } });
  const readme = await reader.newPage();
  const cornerOf = async () => {
    const shot = await readme.locator('img').screenshot();
    return readme.evaluate(
      async (bytes) => {
        const bitmap = await createImageBitmap(new Blob([new Uint8Array(bytes)]));
        const canvas = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
        canvas?.drawImage(bitmap, 0, 0);
        return [...(canvas?.getImageData(30, 12, 1, 1).data ?? [])].slice(0, 3);
      },
      [...shot],
    );
  };
  await readme.goto(`http://127.0.0.1:${(host.address() as AddressInfo).port}/`);
  await readme.locator('img').evaluate((image: HTMLImageElement) => image.decode());
  expect(await cornerOf()).toEqual([0x14, 0x1a, 0x17]);
  await readme.emulateMedia({ colorScheme: 'light' });
  expect(await cornerOf()).toEqual([255, 255, 255]);
  expect(await reader.cookies()).toEqual([]);
  host.close();
  host.closeAllConnections();
});

it('an owner opens the page for visitors, who read it without scripts, in both modes, on a phone and on paper', async () => {
  await using opened = await openDashboard({ isBlank: true });
  const { page, server, browser } = opened;
  await page.goto(`${server.url}/example.com/settings/people`);
  const card = page.locator('[data-section="For visitors"]');
  const address = `${server.url}/share/example.com/privacy`;
  expect((await fetch(address)).status).toBe(404);
  await card.getByRole('switch', { name: 'Show a page about counting to visitors' }).click();
  await card.getByRole('textbox', { name: 'Contact' }).fill('privacy@example.com');
  await card.getByRole('textbox', { name: 'Page with the opt-out box' }).fill('/privacy');
  expect(await card.locator('[data-opt-out]').textContent()).toBe(
    `<script async src="${server.url}/foot.js?opt-out"></script>`,
  );
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.getByText('Saved.').waitFor();
  expect(await card.locator('[data-transparency]').getAttribute('href')).toBe(address);
  expect(opened.troubles).toEqual([]);

  for (const colorScheme of ['light', 'dark'] as const) {
    const context = await browser.newContext({ colorScheme, viewport: { width: 390, height: 844 }, bypassCSP: true });
    const visitor = await context.newPage();
    const failed: string[] = [];
    visitor.on('requestfailed', (request) => failed.push(request.url()));
    visitor.on('console', (message) => failed.push(message.text()));
    await visitor.goto(address);
    await visitor.getByRole('heading', { level: 1, name: 'How example.com counts visits' }).waitFor();
    await visitor.getByRole('link', { name: 'privacy@example.com' }).waitFor();
    await visitor.getByRole('link', { name: 'https://example.com/privacy' }).waitFor();
    expect(await visitor.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    expect(await violations(visitor)).toEqual([]);
    expect(failed).toEqual([]);
    expect(await context.cookies()).toEqual([]);
  }
  const script = await fetch(`${server.url}/foot.js?opt-out`);
  expect([script.headers.get('cross-origin-resource-policy'), await script.text()]).toEqual([
    'cross-origin',
    expect.stringContaining('footfall_ignore'),
  ]);
  expect(await (await fetch(`${server.url}/foot.js`)).text()).not.toContain('createElement');
});
