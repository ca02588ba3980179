// The full list of a dimension: endless, with a keyboard, and everything that is open in its address.
import { expect, it } from 'vitest';
import { makeEvent } from '../../setup/event.ts';
import { openDashboard } from './setup.ts';

const PAGES = 1200;
const pageOf = (number: number) => `/p${String(number).padStart(4, '0')}`;

it('lists a thousand rows without rendering them all, by keyboard, and keeps what is open in the address', async () => {
  await using dashboard = await openDashboard({ traffic: false });
  const { page, server, site, troubles } = dashboard;
  const { now } = server.clock;
  const events = Array.from({ length: PAGES }, (_, number) =>
    makeEvent({ site_id: site.id, visitor: `v${number}`, page: pageOf(number), time: now - number }),
  );
  await server.app.collector.record(events, now);
  await server.settle();
  await page.goto(`${server.url}/example.com?details=page&sort=name:asc`);

  const dialog = page.locator('dialog');
  const row = (number: number) => dialog.locator(`[data-row="${pageOf(number)}"]`);
  const isFocused = (number: number) => row(number).locator('button:focus').waitFor();
  await row(0).waitFor();
  expect(await dialog.locator('table').getAttribute('aria-rowcount')).toBe(String(PAGES + 1));
  await row(0).getByRole('button').focus();
  for (const [key, to] of [
    ['ArrowDown', 1],
    ['End', PAGES - 1],
    ['ArrowUp', PAGES - 2],
    ['Home', 0],
  ] as const) {
    await page.keyboard.press(key);
    await isFocused(to);
    expect(await dialog.locator('[data-at]').count(), key).toBeLessThan(80);
  }
  await page.keyboard.press('PageDown');
  await row(0).locator('button:focus').waitFor({ state: 'detached' });
  expect(await dialog.locator('[data-at] button:focus').count()).toBe(1);

  await dialog.getByRole('tab', { name: 'Entry' }).click();
  await page.waitForURL('**?details=entry_page');
  await page.evaluate(() => history.back());
  await page.waitForURL('**?details=page&sort=name:asc');
  await row(0).waitFor();

  // Esc closes one level at a time: the search, then the list.
  await dialog.getByRole('searchbox').fill('p0042');
  await row(0).waitFor({ state: 'detached' });
  await page.keyboard.press('Escape');
  await row(0).waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  expect(new URL(page.url()).search).toBe('');
  expect(troubles).toEqual([]);
});
