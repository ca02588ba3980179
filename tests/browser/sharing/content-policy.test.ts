// Runs the dashboard under its own content policy: no screen, dialog or animation violates it, and what it forbids does not happen.
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { openDashboard, ready } from '../../setup/browser/dashboard.ts';

type Violation = { directive: string; blocked: string; sample: string };

/** A page of the same browser that records violations, with animations switched on. */
async function watchedPage(dashboard: Awaited<ReturnType<typeof openDashboard>>) {
  const context = await dashboard.browser.newContext({ storageState: await dashboard.context.storageState() });
  const violations: Violation[] = [];
  await context.exposeFunction('tellViolation', (violation: Violation) => void violations.push(violation));
  await context.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => {
      const { effectiveDirective: directive, blockedURI: blocked, sample } = event;
      void (window as never as { tellViolation(violation: Violation): void }).tellViolation({
        directive,
        blocked,
        sample,
      });
    });
  });
  return { page: await context.newPage(), violations };
}

const close = async (page: Page) => {
  await page.keyboard.press('Escape');
  await page.waitForSelector('dialog', { state: 'detached' });
};

it('shows every screen, dialog and chart without violating the policy', async () => {
  await using dashboard = await openDashboard({ isBlank: true });
  const { page, violations } = await watchedPage(dashboard);
  const base = dashboard.server.url;
  await page.goto(`${base}/example.com`);
  for (const panel of ['sources', 'pages', 'places', 'devices']) await ready(page, panel);
  await page.waitForSelector('.uplot');
  await page.hover('.uplot');
  await page.click('[aria-label="Share"]');
  await page.waitForSelector('dialog form');
  await close(page);
  await page.click('[data-panel="pages"] footer button');
  await page.waitForSelector('dialog table');
  await close(page);
  for (const key of ['/', 'f', '?']) {
    await page.keyboard.press(key);
    await page.waitForSelector('dialog');
    await close(page);
  }
  await page.keyboard.press('c');
  await page.waitForSelector(':popover-open [role=grid]');
  await page.keyboard.press('Escape');
  await page.waitForSelector(':popover-open', { state: 'detached' });
  await page.keyboard.press('x');
  await dashboard.view('/while-it-is-open'); // rows and figures move
  await page.waitForSelector('[data-metric="pageviews"][data-value="4"]');
  await page.keyboard.press('r');
  await page.waitForURL(/live/);
  for (const path of [
    '/example.com/live',
    '/example.com/settings',
    '/example.com/settings/reports',
    '/settings',
    '/settings/keys',
    '/',
    '/sites/new',
    '/setup',
    '/none.example',
  ]) {
    await page.goto(base + path);
    await page.waitForSelector('h1, h2, [data-live]');
    await page.waitForLoadState('networkidle');
  }
  expect(violations).toEqual([]);
});

it('blocks every foreign style, script and markup', async () => {
  await using dashboard = await openDashboard({ isBlank: true });
  const { page, violations } = await watchedPage(dashboard);
  await page.goto(`${dashboard.server.url}/example.com`);
  await ready(page, 'pages');
  const done = await page.evaluate(() => {
    const tried: string[] = [];
    const attempt = (name: string, run: () => void) => {
      try {
        run();
      } catch {
        tried.push(name);
      }
    };
    attempt('markup', () => (document.body.innerHTML = '<b>x</b>'));
    attempt('script address', () => (document.createElement('script').src = 'https://evil.example/x.js'));
    attempt('policy', () => trustedTypesOf(window).createPolicy('own', {}));
    const styled = document.createElement('p');
    document.body.append(styled);
    styled.setAttribute('style', 'position: fixed');
    const sheet = document.createElement('style');
    sheet.textContent = 'body { display: none }';
    document.body.append(sheet);
    return { tried, position: getComputedStyle(styled).position, display: getComputedStyle(document.body).display };

    function trustedTypesOf(all: unknown) {
      return (all as { trustedTypes: { createPolicy(name: string, rules: object): void } }).trustedTypes;
    }
  });
  expect(done).toEqual({ tried: ['markup', 'script address', 'policy'], position: 'static', display: 'block' });
  await expect
    .poll(() => violations.map(({ directive }) => directive).sort())
    .toEqual([
      'require-trusted-types-for',
      'require-trusted-types-for',
      'style-src-attr',
      'style-src-elem',
      'trusted-types',
    ]);
});
