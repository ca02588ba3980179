// The full list of a dimension and the cards of its rows: endless, with a keyboard, and everything that is open in its address.
import { expect, it } from 'vitest';
import { createShareLink } from '../../../server/sites/sharing/share.ts';
import { makeAiVisit, makeEvent } from '../../setup/event.ts';
import { inputsOf, openDashboard } from '../../setup/browser/dashboard.ts';

const PAGES = 1200;
const pageOf = (number: number) => `/p${String(number).padStart(4, '0')}`;

it('lists a thousand rows without rendering them all, by keyboard, and keeps what is open in the address', async () => {
  await using dashboard = await openDashboard({ traffic: false, isBlank: true });
  const { page, server, site, troubles } = dashboard;
  const { now } = server.clock;
  const events = Array.from({ length: PAGES }, (_, number) =>
    makeEvent({ site_id: site.id, visitor: `v${number}`, page: pageOf(number), time: now - number, source: 'Bing' }),
  );
  // Three visitors read the first page, and then the second one.
  for (const visitor of ['a', 'b', 'c'])
    for (const [at, number] of [0, 1].entries())
      events.push(
        makeEvent({ site_id: site.id, visitor, page: pageOf(number), time: now - 60_000 + at, source: 'Google' }),
      );
  const read = makeAiVisit({ site_id: site.id, ai_page: pageOf(0), ai_agent: 'GPTBot', time: now });
  await server.app.collector.record([...events, read], now);
  await server.settle();
  await page.goto(`${server.url}/example.com?details=page&sort=name:asc`);

  const dialog = page.locator('dialog');
  const row = (number: number) => dialog.locator(`[data-row="${pageOf(number)}"]`);
  const isFocused = (number: number) => row(number).locator('button:focus').waitFor();
  await row(0).waitFor();
  expect(await dialog.locator('table').getAttribute('aria-rowcount')).toBe(String(PAGES + 1));
  await row(0).getByRole('button').first().focus();
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
  await dialog.locator('[data-at] button:focus').waitFor();

  await dialog.getByRole('tab', { name: 'Entry' }).click();
  await page.waitForURL('**?details=entry_page');
  // The tabs keep the focus, so that arrow keys go on from one to the next.
  for (const [key, to] of [
    ['ArrowRight', 'exit_page'],
    ['ArrowLeft', 'entry_page'],
  ] as const) {
    await page.keyboard.press(key);
    await page.waitForURL(`**?details=${to}`);
  }
  await dialog.locator('[role=tab][aria-selected=true]:focus', { hasText: 'Entry' }).waitFor();
  await page.evaluate(() => history.go(-3));
  await page.waitForURL('**?details=page&sort=name:asc');
  await row(0).waitFor();

  // Esc closes one level at a time: the search, then the list.
  const searches = new Set<string>();
  page.on('request', (request) => {
    for (const { search } of inputsOf(request.url(), 'stats.breakdown') as { search?: string }[])
      if (search !== undefined) searches.add(search);
  });
  await dialog.getByRole('searchbox').focus();
  await dialog.getByRole('searchbox').evaluate((field) => {
    for (const text of ['p', 'p00', 'p0042']) {
      (field as HTMLInputElement).value = text;
      field.dispatchEvent(new Event('input', { bubbles: true }));
    }
  });
  await row(0).waitFor({ state: 'detached' });
  expect([...searches]).toEqual(['p0042']); // asked for once typing rests
  await dialog.getByRole('searchbox').fill('p01 ');
  await row(100).waitFor();
  expect(new URL(page.url()).searchParams.get('search')).toBe('p01');
  expect(await dialog.getByRole('searchbox').inputValue()).toBe('p01 '); // somebody may type on
  await page.keyboard.press('Escape');
  await row(0).waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  expect(new URL(page.url()).search).toBe('');

  // A row opens its card, each part of which is loaded for that row, and Esc returns to the row.
  await page.goto(`${server.url}/example.com?details=page&sort=name:asc`);
  await row(0).locator('[data-trend]:not([data-trend=""])').waitFor();
  await row(0).getByRole('button').first().focus();
  await page.keyboard.press('Enter');
  await page.waitForURL('**?details=page&sort=name%3Aasc&row=%2Fp0000');
  const card = dialog.locator(`[data-card="${pageOf(0)}"]`);
  await card.locator('[data-figure="pageviews"][data-value="4"]').waitFor();
  const part = (title: string) => card.locator(`[data-part="${title}"]:not([data-state="loading"])`);
  await part('After')
    .getByRole('link', { name: pageOf(1) })
    .waitFor();
  expect(await part('Before').innerText()).toContain('Visit began');
  await part('Sources').waitFor();
  expect(await part('Sources').locator('li').allInnerTexts()).toEqual([
    expect.stringMatching(/Google\s+3$/),
    expect.stringMatching(/Bing\s+1$/),
  ]);
  await part('Read by AI agents').getByRole('link', { name: 'GPTBot' }).waitFor();
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe(pageOf(0));
  await page.keyboard.press('Escape');
  await isFocused(0);
  expect(new URL(page.url()).search).toBe('?details=page&sort=name%3Aasc');
  await page.evaluate(() => history.back());
  await part('After')
    .getByRole('link', { name: pageOf(1) })
    .click();
  await dialog
    .locator(`[data-card="${pageOf(1)}"] [data-part="Before"]`)
    .getByRole('link', { name: pageOf(0) })
    .waitFor();

  // The same address works on a share link, which shows nothing of fewer than three visitors.
  const link = await createShareLink(server.app.services.directory, { siteId: site.id, name: 'link' }, now);
  const shared = (number: number) => `${server.url}/share/${link.token}?details=page&row=${pageOf(number)}`;
  await page.goto(shared(0));
  await part('Sources').getByRole('link', { name: 'Google' }).waitFor();
  await part('Read by AI agents').getByRole('link', { name: 'GPTBot' }).waitFor();
  await page.goto(shared(2));
  await dialog
    .locator(`[data-card="${pageOf(2)}"] [data-part="Sources"]`)
    .getByText('No sources in this period.')
    .waitFor();
  expect(troubles).toEqual([]);
});
