// A shared dashboard within a page of another website.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { openDashboard } from '../../setup/browser/dashboard.ts';

it('is live and in the theme that the page asks for, once its link allows it, and leads out of the frame', async () => {
  const frames: Record<string, string> = {};
  await using website = createServer(({ url = '' }, response) => {
    response.setHeader('content-type', 'text/html').end(`<!doctype html><title>Blog</title>${frames[url] ?? ''}`);
  }).listen(0, '127.0.0.1');
  await once(website, 'listening');
  const origin = `http://127.0.0.1:${(website.address() as AddressInfo).port}`;
  await using opened = await openDashboard();
  const { page, server, browser } = opened;
  const dialog = page.locator('dialog[open]');
  const make = async (hosts: string) => {
    const embed = dialog.getByLabel('Websites that may show it in a frame');
    await embed.fill(hosts);
    await dialog.getByRole('button', { name: 'Create link' }).click();
    await dialog.locator(`li:nth-child(${hosts ? 2 : 1})`).waitFor();
    expect(await embed.inputValue()).toBe('');
    return await dialog.locator('[data-token]').innerText();
  };
  await page.getByRole('button', { name: 'Share' }).click();
  const closed = await make('');
  expect(await dialog.locator('[data-embed]').count()).toBe(0);
  const open = await make(`${origin}/blog, blog.example`);
  const code = await dialog.locator('[data-embed]').innerText();
  expect(code).toContain(`src="${open}?theme=light"`);
  expect(
    await dialog
      .locator('li')
      .filter({ hasText: `in frames of ${new URL(origin).host}, blog.example` })
      .count(),
  ).toBe(1);

  Object.assign(frames, {
    '/dark': code.replace('theme=light', 'theme=dark'),
    '/light': code,
    '/closed': code.replace(open, closed),
  });
  const context = await browser.newContext({ viewport: { width: 1000, height: 1700 }, colorScheme: 'light' });
  await using reader = { page: await context.newPage(), [Symbol.asyncDispose]: () => context.close() };
  const frame = reader.page.frameLocator('iframe');
  for (const theme of ['dark', 'light']) {
    await reader.page.goto(`${origin}/${theme}`);
    await frame.locator('[data-panel="pages"]:not([data-state="loading"])').waitFor();
    expect(await frame.locator('html').getAttribute('data-theme')).toBe(theme);
    // The address changes with the view, and pages load again by themselves after an update of the server.
    await frame.getByRole('button', { name: 'Previous period', exact: true }).click();
    const inside = () => reader.page.frames()[1]?.evaluate(() => location.search);
    await expect.poll(inside).not.toContain('theme');
    await reader.page.frames()[1]?.evaluate(() => location.reload());
    await frame.locator('[data-panel="pages"]:not([data-state="loading"])').waitFor();
    expect(await frame.locator('html').getAttribute('data-theme')).toBe(theme);
  }
  await frame.locator('[data-live="current_visitors"]').filter({ hasText: 'fewer than 3' }).waitFor();
  const [home] = await Promise.all([
    context.waitForEvent('page'),
    frame.getByRole('link', { name: 'Counted by Footfall' }).click(),
  ]);
  await home.waitForURL(`${server.url}/`);
  await home.getByRole('heading', { level: 1 }).waitFor();

  const refused = reader.page.waitForEvent('console', (message) => message.text().includes('frame-ancestors'));
  await reader.page.goto(`${origin}/closed`);
  await refused;
  expect(opened.troubles).toEqual([]);
});
