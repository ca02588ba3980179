// The chapter on speed: web vitals with Google's ratings, over time, as they are spread, and by what is slow.
import { expect, test } from 'vitest';
import { createShareLink } from '../../../server/sites/sharing/share.ts';
import { goals } from '../../../server/sites/definitions/goals.ts';
import { createNote } from '../../../server/sites/definitions/notes.ts';
import { dayOf } from '../../../server/vocabulary/time/time.ts';
import { makeError, makeEvent, makeVitals } from '../../setup/event.ts';
import { violations } from '../../setup/browser/axe.ts';
import { openDashboard } from '../../setup/browser/dashboard.ts';

/** Eight views of a fast page, and two of a slow one. */
const VIEWS = [...Array<string>(8).fill('/fast'), '/slow', '/slow'];

test('an owner sees how fast pages felt and which are slow; without a measurement it is a line, and nothing for viewers', async () => {
  await using dashboard = await openDashboard();
  const { page, server, site } = dashboard;
  const speed = page.locator('[data-panel="speed"]');
  const show = async () => {
    await page.locator('[data-chapter="speed"]').scrollIntoViewIfNeeded();
    await speed.and(page.locator('[data-state="ready"], [data-state="empty"]')).waitFor();
  };
  await show();
  const line = speed.and(page.locator('[data-line]'));
  expect(await line.getByRole('link', { name: 'Measure speed' }).getAttribute('href')).toBe(
    '/example.com/settings/counting#counting',
  );

  const broken = page.locator('[data-panel="errors"]');
  await broken.and(page.locator('[data-line]')).getByRole('link', { name: 'Record errors' }).waitFor();

  const { directory } = server.app.services;
  const link = await createShareLink(directory, { siteId: site.id, name: 'all', shows: { fewest: 1 } }, Date.now());
  const guest = await (await dashboard.browser.newContext()).newPage();
  await guest.goto(`${server.url}/share/${link.token}`);
  await guest.locator('[data-chapter="speed"]').scrollIntoViewIfNeeded();
  await expect.poll(() => guest.locator('[data-panel="speed"]').count()).toBe(0);

  const all = VIEWS.flatMap((path, index) => {
    const isSlow = path === '/slow';
    const about = { site_id: site.id, page: path, visitor: `v${index}`, time: server.clock.now - 60_000 };
    const measured = { lcp: isSlow ? 5000 : 1000, inp: null, cls: 0.2, lcp_element: isSlow ? 'video' : 'h1' };
    const error = { error_message: 'TypeError: film is not a function', error_file: '/film.js', occurrences: 2 };
    return [
      makeEvent(about),
      makeVitals({ ...about, event_id: makeEvent().event_id, ...measured }),
      ...(isSlow ? [makeError({ ...about, event_id: makeEvent().event_id, ...error })] : []),
    ];
  });
  await server.app.collector.record(all, server.clock.now);
  await server.settle();
  const note = { day: dayOf(server.clock.now), text: 'Release 2', is_private: false, kind: 'release' as const };
  for (const content of [note, { ...note, text: 'A sale begins', kind: 'note' as const }])
    await createNote(directory, { siteId: site.id, content }, server.clock.now);
  const definition = { kind: 'page', page: '/slow' } as const;
  await goals.create(directory, { siteId: site.id, name: 'Slow page', definition }, server.clock.now);
  await page.reload();
  await show();

  const figure = (vital: string) => speed.locator(`[data-vital="${vital}"]`);
  const ratings = () =>
    Promise.all(
      ['lcp', 'inp', 'cls'].map(async (vital) => [
        await figure(vital).getAttribute('data-value'),
        await figure(vital).locator('.rating').innerText(),
      ]),
    );
  expect(await ratings()).toEqual([
    ['1000', 'good'],
    ['', 'not measured'],
    ['0.2', 'needs improvement'],
  ]);
  expect(await figure('lcp').getAttribute('title')).toContain('80% good, 0% needs improvement, 20% poor');
  const list = speed.locator('[data-vitals-by="page"]');
  const texts = () => list.locator('tbody tr').allInnerTexts();
  const rowsOf = async () => (await texts()).map((row) => row.replace(/[\s,]+/g, ' ').trim());
  await expect.poll(rowsOf).toEqual(['/fast 1.0 s good 0% 8', '/slow 5.0 s poor 100% 2']);
  await list.getByRole('button', { name: 'LCP' }).click();
  await expect.poll(rowsOf).toEqual(['/slow 5.0 s poor 100% 2', '/fast 1.0 s good 0% 8']);
  await speed.getByRole('tab', { name: 'Elements' }).click();
  await speed.locator('[data-row="video"][data-value="5000"]').waitFor();
  expect(
    await speed
      .locator('[data-time]:not([data-value=""])')
      .evaluateAll((rows) => rows.map((row) => row.getAttribute('data-value'))),
  ).toEqual(['1000']);
  await speed.locator('[data-brought]').waitFor();
  expect(await speed.getByRole('cell', { name: /1 new error since Release 2/ }).count()).toBe(1);
  await speed.getByRole('tab', { name: 'Spread' }).click();
  const columns = speed.locator('[data-from]:not([data-value="0"])');
  await columns.nth(1).waitFor();
  expect(await columns.evaluateAll((all) => all.map((one) => one.getAttribute('data-value')))).toEqual(['8', '2']);
  expect(await violations(page)).toEqual([]);
  // The numbers of one vital are never under the labels of another, whose answer is on its way.
  const held = Promise.withResolvers<undefined>();
  await page.route('**/trpc/*stats.vitalsHistogram*', async (route) => {
    await held.promise;
    await route.continue();
  });
  await figure('cls').click();
  expect(await columns.count()).toBe(0);
  held.resolve(undefined);
  await expect
    .poll(() => columns.evaluateAll((all) => all.map((one) => one.getAttribute('data-value'))))
    .toEqual(['10']);
  await figure('lcp').click();

  await speed.getByRole('tab', { name: 'Releases' }).click();
  await speed.locator('[data-vital-since="lcp"][data-value="1000"]').waitFor();
  expect(await speed.getByLabel('Since').locator('option').count()).toBe(1);
  await speed.getByRole('tab', { name: 'Goals' }).click();
  const conversion = speed.locator('[data-conversion]');
  await conversion.locator('[data-kind="slow"][data-value="100"]').waitFor();
  await conversion.getByText(/^Fast visits reach this goal 100\.0 points less often/).waitFor();
  expect(await violations(page)).toEqual([]);

  await speed.getByRole('tab', { name: 'Pages' }).click();
  await list.locator('[data-row="/slow"] a').click();
  const card = page.locator('dialog [data-speed-card="page:/slow"][data-state="ready"]');
  await card.getByText('100% of views on desktops wait over 4 s here.').waitFor();
  await card.locator('[data-part-row="video"][data-value="5000"]').waitFor();
  expect(await violations(page)).toEqual([]);
  await page.goBack();
  await card.waitFor({ state: 'detached' });
  await speed.locator('footer').getByRole('button', { name: 'Copy or download these numbers' }).click();
  await page.locator('[popover]:popover-open').getByRole('button', { name: 'Copy as CSV 2 rows' }).waitFor();
  await page.keyboard.press('Escape');
  const row = broken.locator('[data-row]');
  await row.getByText('new since Release 2').waitFor();
  await broken.locator('[data-fresh]').getByText('“Release 2” brought 1 new error.').waitFor();
  expect(await row.getAttribute('data-value')).toBe('4');
  expect(await broken.locator('[data-error-figure="visits"]').getAttribute('data-value')).toBe('2');
  await row.getByRole('button', { name: 'TypeError: film is not a function' }).click();
  await broken.getByRole('group', { name: 'Pages' }).getByText('/slow').waitFor();
  expect(await violations(page)).toEqual([]);
  await broken.getByRole('tab', { name: 'Not loaded' }).click();
  await broken.getByText('No error matches.').waitFor();

  await list.locator('[data-row="/slow"] button').click();
  await page.waitForURL((url) => url.searchParams.get('f') === 'is:page:/slow');
  await speed.locator('[data-vital="lcp"][data-value="5000"][data-rating="poor"]').waitFor();

  await guest.reload();
  await guest.locator('[data-chapter="speed"]').scrollIntoViewIfNeeded();
  await guest.locator('[data-panel="speed"] [data-vital="lcp"][data-value="1000"]').waitFor();
  await guest.locator('[data-vitals-by="page"] [data-row="/fast"][data-value="1000"]').waitFor();
});
