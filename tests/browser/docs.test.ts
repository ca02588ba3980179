// Opens /docs and the guides below it in a real browser: every operation is shown, the search finds, and the policy is never violated.
import { readdirSync } from 'node:fs';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { LANGUAGES } from '../../server/api/rest/samples.ts';
import { OPERATIONS } from '../../server/api/rest/operations.ts';
import { testApp } from '../setup/app.ts';
import { violations } from '../setup/browser/axe.ts';
import { openBrowser } from '../setup/browser/chromium.ts';

const WIDE = { width: 1280, height: 900 };
const PHONE = { width: 390, height: 844 };

test('shows every operation, and asks no other server', async () => {
  await using server = await testApp();
  await using browser = await openBrowser();
  const context = await browser.newContext({ colorScheme: 'dark', viewport: WIDE });
  const page = await context.newPage();
  const foreign: string[] = [];
  const complaints: string[] = [];
  await context.route('**', (route) => {
    const { origin, protocol } = new URL(route.request().url());
    if (origin === server.url || protocol === 'data:') return route.continue();
    foreign.push(route.request().url());
    return route.abort();
  });
  page.on('console', (line) => line.type() === 'error' && complaints.push(line.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(`${server.url}/docs`);
  const operations = Object.values(OPERATIONS).reduce((count, row) => count + Object.keys(row).length, 0);
  await page
    .locator('.opblock')
    .nth(operations - 1)
    .waitFor();
  expect(await page.locator('.opblock').count()).toBe(operations);
  await page.locator('#operations-Stats-getStats').click();
  await page.locator('#operations-Stats-getStats code').first().waitFor();
  expect(await page.locator('#operations-Stats-getStats').innerText()).toContain('FOOTFALL_KEY');
  expect(await page.locator('#operations-Stats-getStats details').count()).toBe(LANGUAGES.length);
  // Nothing is wider than a phone: long lines scroll in their own box.
  await page.setViewportSize(PHONE);
  // The first of each method and group, all at once: the page is drawn anew for each, and all operations are drawn alike.
  const opened = await page.locator('.opblock-tag-section').evaluateAll((sections) => {
    const firsts = sections.flatMap((section) =>
      ['get', 'post', 'patch', 'put', 'delete'].map((method) => section.querySelector(`.opblock-${method}`)),
    );
    for (const block of firsts)
      block?.querySelector<HTMLElement>('.opblock-summary-control[aria-expanded="false"]')?.click();
    return new Set([...firsts, document.querySelector('#operations-Stats-getStats')].filter(Boolean)).size;
  });
  const samples = () => page.evaluate(() => document.querySelectorAll('.opblock.is-open details').length);
  await expect.poll(samples, { interval: 500 }).toBe(opened * LANGUAGES.length);
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  expect([foreign, complaints]).toEqual([[], []]);
});

test('the guides can be read, searched and shown dark, also on a phone and without scripts', async () => {
  await using server = await testApp();
  await using browser = await openBrowser();
  const open = async (options: BrowserContextOptions) => {
    const context = await browser.newContext({ viewport: WIDE, ...options });
    const page = await context.newPage();
    const trouble: string[] = [];
    page.on('request', (request) => {
      if (new URL(request.url()).origin !== server.url) trouble.push(request.url());
    });
    page.on('console', (line) => line.type() === 'error' && trouble.push(line.text()));
    page.on('pageerror', (error) => trouble.push(error.message));
    return { page, trouble };
  };
  const themeOf = (page: Page) => page.evaluate(() => document.documentElement.dataset['theme']);
  const { page, trouble } = await open({ colorScheme: 'light' });
  await page.goto(`${server.url}/docs/`);
  await page.keyboard.press('/');
  await page.keyboard.type('UPGRADE_BACKUP');
  const found = page.locator('#found a');
  await found.first().waitFor();
  expect(await found.first().getAttribute('href')).toBe('backups.html#upgrade');
  expect(await found.first().locator('mark').allInnerTexts()).toContain('UPGRADE');
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/backups.html#upgrade');
  await page.getByRole('button', { name: 'Use the dark theme' }).click();
  expect(await themeOf(page)).toBe('dark');
  expect(await violations(page)).toEqual([]);
  await page.goto(`${server.url}/docs/api.html`);
  expect(await themeOf(page)).toBe('dark'); // kept, for the dashboard too
  expect(await page.locator('.code button').count()).toBeGreaterThan(20);
  await page.setViewportSize(PHONE);
  for (const name of readdirSync('docs').filter((file) => /^(?!README).*\.md$/.test(file))) {
    await page.goto(`${server.url}/docs/${name.replace('.md', '.html')}`);
    expect(await page.evaluate(() => document.documentElement.scrollWidth), name).toBe(PHONE.width);
  }
  expect(await violations(page)).toEqual([]);
  await page.getByRole('link', { name: 'Menu' }).click();
  await page.locator('#menu').getByRole('link', { name: 'Capacity' }).click();
  await page.waitForURL('**/scale.html');
  expect(trouble).toEqual([]);

  const bare = await open({ colorScheme: 'dark', javaScriptEnabled: false });
  await bare.page.goto(`${server.url}/docs/backups.html`);
  expect(await bare.page.locator('h1').innerText()).toBe('Back up, restore and upgrade');
  expect(await bare.page.locator('body').evaluate((body) => getComputedStyle(body).colorScheme)).toBe('dark');
  expect(
    await bare.page.locator('.search, .theme').evaluateAll((all) => all.some((one) => one.checkVisibility())),
  ).toBe(false);
});
