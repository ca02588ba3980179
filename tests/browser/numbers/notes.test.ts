// Notes on days: an owner writes, changes and deletes them, also from a point of the chart; viewers of a share link read those that are not
// hidden from them.
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { createNote } from '../../../server/sites/definitions/notes.ts';
import { createShareLink } from '../../../server/sites/sharing/share.ts';
import { configureSite } from '../../../server/sites/sites.ts';
import { dayOf, DAY_MS } from '../../../server/vocabulary/time/time.ts';
import { openDashboard } from '../../setup/browser/dashboard.ts';

it('an owner pins notes to days of the chart, and a share link shows those that are not hidden', async () => {
  await using dashboard = await openDashboard({ isBlank: true });
  const { page, server, site, browser } = dashboard;
  const { now } = server.clock;
  const [day, hiddenDay] = [dayOf(now - 3 * DAY_MS), dayOf(now - 2 * DAY_MS)];
  const hostile = '<img src=x onerror=alert(1)> “launch” & more';
  const query = `?period=custom&date_from=${dayOf(now - 6 * DAY_MS)}&date_to=${dayOf(now)}`;
  await page.goto(`${server.url}/example.com${query}`);
  await page.click('[aria-label="Chart options"]');
  await page.getByRole('button', { name: 'Notes on days' }).click();
  const dialog = page.getByRole('dialog');
  const write = async (on: string, text: string, hides = false) => {
    await dialog.getByLabel('Day').fill(on);
    await dialog.getByLabel('New note').fill(text);
    if (hides) await dialog.getByText('Hide from share links', { exact: true }).click();
    await dialog.getByRole('button', { name: 'Add note' }).click();
    await dialog.locator(`[data-note="${on}"]`).waitFor();
  };
  await write(day, hostile);
  await write(hiddenDay, 'Only for us', true);
  await dialog.getByText('hidden from share links').waitFor();
  // What is being written stays: while its text is selected beyond the edge of the dialog, and while another note is deleted.
  const other = dayOf(now - DAY_MS);
  await write(other, 'Wrong');
  const written = dialog.getByLabel('New note');
  await written.fill('Begun');
  await written.hover();
  await page.mouse.down();
  await page.mouse.move(5, 5);
  await page.mouse.up();
  await dialog.getByRole('button', { name: 'Delete “Wrong”' }).click();
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
  await dialog.locator(`[data-note="${other}"]`).waitFor({ state: 'detached' });
  expect(await written.inputValue()).toBe('Begun');
  // Once it is closed, it returns the focus.
  const close = async () => {
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  };
  await close();

  // The focus shows the text, and a press opens the note.
  const pennant = page.locator(`[data-pennant="${day}"]`);
  await pennant.getByRole('button').focus();
  expect(await pennant.locator('bdi').textContent()).toBe(hostile);
  await page.keyboard.press('Enter');
  await dialog.getByLabel('Change the note').fill('Launched');
  await dialog.getByText('Marks a release', { exact: true }).click();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.locator(`[data-note="${day}"]`, { hasText: 'Launched' }).getByText(', release').waitFor();
  await dialog.getByRole('button', { name: 'Edit “Launched”' }).click();
  await expect.poll(() => dialog.getByRole('switch', { name: 'Marks a release' }).isChecked()).toBe(true);
  await close();

  const { token } = await createShareLink(server.app.services.directory, { siteId: site.id, name: 'link' }, now);
  const viewer = await (await browser.newContext()).newPage();
  await viewer.goto(`${server.url}/share/${token}${query}`);
  const shown = viewer.locator('[data-pennant]');
  await shown.getByRole('button').click();
  await expect.poll(() => shown.locator('bdi').allTextContents()).toEqual(['Launched']);

  await page.locator(`[data-pennant="${hiddenDay}"]`).getByRole('button').click();
  await dialog.getByRole('button', { name: 'Delete “Only for us”' }).click();
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
  await expect.poll(() => page.locator('[data-pennant]').count()).toBe(1);
  await dialog.getByLabel('New note').waitFor();
  expect(dashboard.troubles).toEqual([]);
});

/** A Wednesday afternoon in March 2026. */
const NOW = Date.UTC(2026, 2, 18, 15, 30);

const pointed = (page: Page) => page.locator('.tip');
const dialogDay = (page: Page) => page.getByRole('dialog').getByLabel('Day', { exact: true }).inputValue();
async function close(page: Page): Promise<void> {
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}

/** Where a point is on the page: `index` of `count` points. The first and the last one are at the edge of the drawing. */
async function placeOf(page: Page, index: number, count: number): Promise<{ x: number; y: number }> {
  await page.waitForSelector('.u-wrap canvas');
  const { x, y, width, height } = (await page.locator('.u-over').boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  return { x: x + 1 + (index / (count - 1)) * (width - 2), y: y + height / 2 };
}

it('begins a note on the day of the point that the keyboard is at', async () => {
  await using dashboard = await openDashboard({ now: NOW, isBlank: true });
  const { page, server, site } = dashboard;
  const { directory } = server.app.services;
  const content = { day: '2026-03-16', text: 'Launched', is_private: false, kind: 'note' as const };
  await createNote(directory, { siteId: site.id, content }, NOW - 1); // notes of a day are in the order of their making
  await createNote(directory, { siteId: site.id, content: { ...content, day: '2026-02-02', text: 'Began' } }, NOW);
  await page.clock.setFixedTime(NOW);
  const points = page.getByRole('slider');
  const dialog = page.getByRole('dialog');
  const show = async (query: string) => {
    await page.goto(`${server.url}/example.com${query}`);
    await page.waitForSelector('.u-wrap canvas');
    await points.focus();
    await pointed(page).waitFor();
  };
  await show('?period=month');
  expect(await points.getAttribute('aria-keyshortcuts')).toBe('Plus');
  for (const key of ['ArrowLeft', 'ArrowLeft', '+']) await page.keyboard.press(key);
  await dialog.getByLabel('New note').and(page.locator(':focus')).waitFor();
  expect(await dialogDay(page)).toBe('2026-03-16');
  // Those of that day come first.
  await expect.poll(() => dialog.locator('h3').allTextContents()).toEqual(['On 16 Mar 2026', 'On other days']);
  expect(await dialog.locator('li bdi').allTextContents()).toEqual(['Launched', 'Began']);
  await page.keyboard.type('And fixed');
  await page.keyboard.press('Enter');
  await expect
    .poll(() => dialog.getByRole('list', { name: 'On 16 Mar 2026' }).locator('bdi').allTextContents())
    .toEqual(['Launched', 'And fixed']);
  expect(await dialogDay(page)).toBe('2026-03-16'); // for one more
  await close(page);
  await points.and(page.locator(':focus')).waitFor();

  // The first day of a week and of a month, which may be before the period, and the day of an hour.
  for (const [query, day, headings] of [
    ['?period=30d&interval=week', '2026-03-16', ['16 – 18 Mar 2026', 'On other days']],
    ['?period=year&interval=month', '2026-03-01', ['1 – 18 Mar 2026', 'On other days']],
    ['?period=today', '2026-03-18', []],
  ] as const) {
    await show(query);
    await page.keyboard.press('+');
    await dialog.getByLabel('New note').waitFor();
    expect(await dialogDay(page), query).toBe(day);
    await expect.poll(() => dialog.locator('h3').allTextContents(), { message: query }).toEqual(headings);
    await close(page);
  }
  expect(dashboard.troubles).toEqual([]);
});

it('begins a note by a right click, and on a touch screen by a long press, on the day in the site’s time zone', async () => {
  await using dashboard = await openDashboard({ now: NOW, timezone: 'UTC', traffic: false, isBlank: true });
  const { page, server, site, browser, context } = dashboard;
  // There it is 05:30 on the 19th, whose hours begin at 10:00 UTC.
  const zone = { siteId: site.id, timezone: 'Pacific/Kiritimati' };
  await configureSite(server.app.services.directory, zone, NOW);
  server.clock.now += 1_000; // the collector caches a site's settings for a second
  await dashboard.view('/');
  await server.settle();
  await page.clock.setFixedTime(NOW);
  await page.goto(`${server.url}/example.com?period=yesterday&compare=none`);
  const dialog = page.getByRole('dialog');
  const rightClick = async (index: number, count: number) => {
    const { x, y } = await placeOf(page, index, count);
    await page.mouse.click(x, y, { button: 'right' });
    await dialog.getByLabel('New note').waitFor();
    const day = await dialogDay(page);
    await close(page);
    return day;
  };
  expect(await rightClick(0, 24)).toBe('2026-03-18'); // 10:00 UTC on the 17th
  expect(await rightClick(23, 24)).toBe('2026-03-18');
  const { x, y } = await placeOf(page, 12, 24);
  await page.mouse.move(x, y);
  await page.getByText('Right-click to add a note').waitFor();

  await page.goto(`${server.url}/example.com?period=7d&compare=none`);
  expect(await rightClick(2, 7)).toBe('2026-03-14');

  const phone = await browser.newContext({
    storageState: await context.storageState(),
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  });
  const touched = await phone.newPage();
  await touched.clock.setSystemTime(NOW);
  await touched.goto(`${server.url}/example.com?period=7d&compare=none`);
  const { x: clientX, y: clientY } = await placeOf(touched, 4, 7);
  const over = touched.locator('.u-over');
  const touch = { pointerType: 'touch', clientX, clientY };
  // A finger that moves is scrolling.
  await over.dispatchEvent('pointerdown', touch);
  await over.dispatchEvent('pointermove', { ...touch, clientY: clientY + 40 });
  await over.dispatchEvent('pointerup', touch);
  const finger = await phone.newCDPSession(touched);
  await finger.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x: clientX, y: clientY }] });
  const written = touched.getByRole('dialog').getByLabel('New note').and(touched.locator(':focus'));
  await written.waitFor();
  await finger.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  await touched.keyboard.type('Fixed'); // the finger that leaves has clicked nothing
  expect(await written.inputValue()).toBe('Fixed');
  expect(await dialogDay(touched)).toBe('2026-03-16');
  await phone.close();
  expect(dashboard.troubles).toEqual([]);
});

it('leaves the browser’s own menu to the axis, to a right click with Shift, and to those who may not write notes', async () => {
  await using dashboard = await openDashboard({ now: NOW, isBlank: true });
  const { page, server, site, browser } = dashboard;
  const { token } = await createShareLink(server.app.services.directory, { siteId: site.id, name: 'link' }, NOW);
  const viewer = await (await browser.newContext()).newPage();
  const isOwnMenuKept = async (where: Page, { x, y }: { x: number; y: number }, shiftKey = false) =>
    where.evaluate(
      ({ clientX, clientY, shift }) =>
        document.elementFromPoint(clientX, clientY)?.dispatchEvent(
          new PointerEvent('contextmenu', {
            clientX,
            clientY,
            button: 2,
            pointerType: 'mouse',
            shiftKey: shift,
            bubbles: true,
            cancelable: true,
          }),
        ),
      { clientX: x, clientY: y, shift: shiftKey },
    );
  for (const [where, base] of [
    [page, '/example.com'],
    [viewer, `/share/${token}`],
  ] as const) {
    await where.clock.setFixedTime(NOW);
    await where.goto(`${server.url}${base}?period=7d&compare=none`);
  }
  const point = await placeOf(page, 3, 7);
  const box = await page.locator('.u-wrap').boundingBox();
  expect(await isOwnMenuKept(page, point, true)).toBe(true);
  expect(await isOwnMenuKept(page, { x: point.x, y: (box?.y ?? 0) + (box?.height ?? 0) - 10 })).toBe(true);
  expect(await page.getByRole('dialog').count()).toBe(0);
  expect(await isOwnMenuKept(page, point)).toBe(false);
  await page.getByRole('dialog').getByLabel('New note').waitFor();
  await close(page);
  await page.keyboard.press('?');
  await page.getByText('The key + adds a note').waitFor();

  expect(await isOwnMenuKept(viewer, await placeOf(viewer, 3, 7))).toBe(true);
  const points = viewer.getByRole('slider');
  expect(await points.getAttribute('aria-keyshortcuts')).toBeNull();
  await points.focus();
  await viewer.keyboard.press('+');
  await pointed(viewer).waitFor();
  expect(await pointed(viewer).textContent()).not.toContain('note');
  await viewer.keyboard.press('?');
  await viewer.getByRole('dialog').locator('kbd').first().waitFor();
  expect(await viewer.getByText('adds a note').count()).toBe(0);
  expect(dashboard.troubles).toEqual([]);
});
