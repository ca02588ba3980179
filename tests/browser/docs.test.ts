// Opens /docs in a real browser that can reach only this server: every operation is shown, and the policy is never violated.
import { expect, test } from 'vitest';
import { LANGUAGES } from '../../server/api/rest/samples.ts';
import { OPERATIONS } from '../../server/api/rest/operations.ts';
import { testApp } from '../setup/app.ts';
import { openBrowser } from '../setup/browser/chromium.ts';

test('shows every operation, and asks no other server', async () => {
  await using server = await testApp();
  await using browser = await openBrowser();
  const context = await browser.newContext({ colorScheme: 'dark', viewport: { width: 1280, height: 900 } });
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
  await page.setViewportSize({ width: 390, height: 844 });
  // All at once: the page is drawn anew for each.
  await page
    .locator('.opblock-summary-control[aria-expanded="false"]')
    .evaluateAll((buttons) => buttons.forEach((button) => (button as HTMLElement).click()));
  const samples = () => page.evaluate(() => document.querySelectorAll('.opblock.is-open details').length);
  await expect.poll(samples, { interval: 500 }).toBe(operations * LANGUAGES.length);
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  expect([foreign, complaints]).toEqual([[], []]);
});
