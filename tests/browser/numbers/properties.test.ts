// Properties of custom events: selected under an event or in their own tab, listed by value, all of it in the address.
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { holdSocket, openDashboard, ready, rowsOf } from '../../setup/browser/dashboard.ts';

const CHROME = (version: number) =>
  `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${version}.0.0.0 Safari/537.36`;

async function openWithEvents(options: { width?: number; height?: number; isBlank?: boolean } = {}) {
  const dashboard = await openDashboard(options);
  const event = (name: string, props: Record<string, string | number>, version: number) =>
    dashboard.server.foot(
      { site: 'example.com', name, url: 'https://example.com/', props },
      { 'user-agent': CHROME(version) },
    );
  await event('signup', { plan: 'pro', method: 'email' }, 140);
  await event('signup', { plan: 'pro', method: 'github' }, 141);
  await event('signup', { plan: 'free' }, 142);
  await event('download', { file: '<b>guide</b>.pdf' }, 140);
  await event('logout', {}, 140);
  await dashboard.server.settle();
  return dashboard;
}

const panel = '[data-panel="events"]';

/** Waits until the panel shows all five events: they may arrive in several answers, and the last ones are not sign-ups. */
async function allEvents(page: Page): Promise<void> {
  await page.waitForSelector(`${panel} [data-row="signup"][data-value="3"]`);
  for (const name of ['download', 'logout'])
    await page.waitForSelector(`${panel} [data-row="${name}"][data-value="1"]`);
}
const isChosen = (tab: string) => `${panel} [role=tab][aria-selected=true]:has-text("${tab}")`;

it('offers the properties of a selected event, lists their values, and filters by them', async () => {
  await using dashboard = await openWithEvents();
  const { page } = dashboard;
  await allEvents(page);
  await page.click(`${panel} [data-row="signup"] button`);
  await page.waitForSelector(`${panel} [data-keys] a >> nth=1`);
  // The list and the properties are loaded separately: the old list may stay for a moment below the new properties.
  await page.waitForSelector(`${panel} [data-row] >> nth=1`, { state: 'detached' });
  expect(await page.locator(`${panel} [data-keys] a`).allInnerTexts()).toEqual(['plan\n3', 'method\n2']);
  expect(await rowsOf(page, 'events')).toEqual([['signup', 3]]);

  await page.click(`${panel} [data-keys] a:has-text("method")`);
  await page.waitForSelector(isChosen('Properties'));
  await page.waitForSelector(`${panel} [data-row="github"]`);
  expect(await rowsOf(page, 'events')).toEqual([
    ['email', 1],
    ['github', 1],
  ]);
  expect(await page.locator(`${panel} select option`).allInnerTexts()).toEqual(['plan', 'method']);
  await page.selectOption(`${panel} select`, 'prop:plan');
  await page.waitForSelector(`${panel} [data-row="pro"][data-value="2"]`);
  expect(new URL(page.url()).search).toBe('?f=is%3Aevent%3Asignup');

  await page.click(`${panel} [data-row="pro"] button`);
  await page.waitForSelector('[data-metric="events"][data-value="2"]');
  expect(new URL(page.url()).searchParams.getAll('f')).toEqual(['is:event:signup', 'is:prop%3Aplan:pro']);
  await page.reload();
  await page.waitForSelector(`${panel} [data-row="pro"][data-value="2"]`);
  expect(await page.inputValue(`${panel} select`)).toBe('prop:plan');
  await page.goBack();
  await page.waitForSelector(`${panel} [data-row="free"]`);
  expect(dashboard.troubles).toEqual([]);
});

it('starts with the most common property, and has the full list of its values', async () => {
  await using dashboard = await openWithEvents();
  const { page } = dashboard;
  await ready(page, 'events');
  await page.focus(isChosen('Events'));
  await page.keyboard.press('ArrowRight');
  await page.waitForSelector(isChosen('Properties'));
  await page.waitForSelector(`${panel} [data-row="pro"]`);
  expect(await rowsOf(page, 'events')).toEqual([
    ['pro', 2],
    ['free', 1],
  ]);
  expect(await page.locator(`${panel} select option`).allInnerTexts()).toEqual(['plan', 'method', 'file']);

  await page.click(`${panel} button:has-text("Details")`);
  await page.waitForSelector('dialog tbody tr >> nth=1');
  expect(new URL(page.url()).search).toBe('?details=prop%3Aplan');
  expect(await page.locator('dialog h2').innerText()).toBe('plan');
  expect(await page.getByRole('columnheader', { name: 'Events' }).getAttribute('aria-sort')).toBe('descending');
  expect(await page.locator('dialog [data-column="events"]').allInnerTexts()).toEqual(['2', '1']);
  expect(dashboard.troubles).toEqual([]);
});

it('explains how to send properties, for an event without any and for a site without any', async () => {
  await using dashboard = await openWithEvents({ width: 390, height: 844, isBlank: true });
  const { page, server } = dashboard;
  await page.goto(`${server.url}/example.com?f=is:event:logout`);
  await page.waitForSelector(`${panel} [data-keys] code:has-text("footfall('logout', { props:")`);
  await page.goto(`${server.url}/example.com?f=is:event:logout&events=properties`);
  await page.waitForSelector(`${panel}[data-state="empty"] code:has-text("props: {")`);
  await page.goto(`${server.url}/example.com?events=prop:file`);
  await page.waitForSelector(`${panel} [data-row="<b>guide</b>.pdf"]`);
  await expect
    .poll(() => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth))
    .toBeLessThanOrEqual(0);
  expect(dashboard.troubles).toEqual([]);
});

it('shows a skeleton of the same height while it waits, reports a failure, retries, and shrinks to its rows', async () => {
  await using dashboard = await openWithEvents();
  const { page, server } = dashboard;
  await allEvents(page);
  const height = () => page.$eval(panel, (element) => element.getBoundingClientRect().height);
  const full = await height();
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  await holdSocket(page);
  await page.route('**/trpc/**properties**', async (route) => {
    await held;
    await route.abort();
  });
  await page.goto(`${server.url}/example.com?events=properties`);
  await page.waitForSelector(`${panel}[data-state="loading"]`);
  await expect.poll(height).toBe(full);
  release();
  await page.waitForSelector(`${panel}[data-state="failed"]`);
  await page.unroute('**/trpc/**properties**');
  await page.click(`${panel} button:has-text("Try again")`);
  await page.waitForSelector(`${panel} [data-row="pro"]`);
  await expect.poll(height).toBeLessThan(full);
});
