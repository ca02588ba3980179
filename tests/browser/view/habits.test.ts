// Dates and numbers of the dashboard as the reader's region writes them: from the browser, from the profile, and from the address of a share link.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { follow, openDashboard, ready } from '../../setup/browser/dashboard.ts';

/** A Tuesday in October 2026. */
const NOW = Date.UTC(2026, 9, 27, 15, 30);

const plain = (text: string | null) => (text ?? '').replaceAll(/\s+/g, ' ').trim();

async function read(page: Page, url: string) {
  await page.clock.setFixedTime(NOW);
  await page.goto(`${url}/example.com?period=today`);
  await ready(page, 'pages');
  const bounces = plain(await page.locator('[data-metric="bounce_rate"]').textContent());
  // The axis is drawn on a canvas; the chart's table names the same points.
  const hour = plain(await page.locator('main table tbody th').first().textContent());
  await page.keyboard.press('c');
  const grid = page.locator(':popover-open [role=grid]');
  await grid.locator('[role=gridcell]').first().waitFor();
  const columns = await grid.locator('thead th').allTextContents();
  const label = await page.locator(':popover-open [data-day="2026-10-27"]').getAttribute('aria-label');
  return { percent: /\d{1,3}\s?%/.exec(bounces)?.[0], hour, columns: columns.join(' '), label };
}

const EUROPE = 'Mo Tu We Th Fr Sa Su';
test.each([
  ['de-DE', '50 %', '27. Okt., 00:00–01:00', 'Mo Di Mi Do Fr Sa So', 'Dienstag, 27. Oktober 2026, heute, ausgewählt'],
  ['en-GB', '50%', '27 Oct, 00:00–01:00', EUROPE, 'Tuesday 27 October 2026, today, selected'],
  ['en-US', '50%', 'Oct 27, 12 AM–1 AM', 'Su Mo Tu We Th Fr Sa', 'Tuesday, October 27, 2026, today, selected'],
])('a browser in %s', async (locale, percent, hour, columns, label) => {
  await using dashboard = await openDashboard({ now: NOW, locale, timezone: 'UTC', isBlank: true });
  const { page, server, troubles } = dashboard;
  const shown = await read(page, server.url);
  expect({ ...shown, label: shown.label?.replace('Tuesday, 27', 'Tuesday 27') }).toEqual({
    percent,
    hour,
    columns,
    label,
  });
  expect(troubles).toEqual([]);
});

async function keptHabits({ app }: Awaited<ReturnType<typeof openDashboard>>['server']): Promise<unknown> {
  const { habits } = await app.services.directory.db.selectFrom('users').select('habits').executeTakeFirstOrThrow();
  return JSON.parse(habits ?? '{}');
}

test('the profile overrides the browser at once, and the choice stays', async () => {
  await using dashboard = await openDashboard({
    now: NOW,
    locale: 'en-US',
    timezone: 'UTC',
    traffic: false,
    width: 390,
    isBlank: true,
  });
  const { page, server } = dashboard;
  await page.goto(`${server.url}/settings/profile`);
  const preview = page.locator('[data-preview]');
  const says = (words: string) => expect.poll(async () => plain(await preview.textContent())).toBe(words);
  await says('Oct 27, 2026, 2:05 PM · 12,345.6 · €12,345.60 · weeks begin on Sunday');
  await page.getByLabel('Region').selectOption({ label: 'Germany' });
  await says('27 Oct 2026, 14:05 · 12.345,6 · 12.345,60 € · weeks begin on Monday');
  await page.getByLabel('Weeks begin on').selectOption({ label: 'Saturday' });
  await page.getByLabel('Hours').selectOption({ label: '12 hours' });
  await expect.poll(() => keptHabits(server)).toEqual({ language: null, locale: 'de-DE', hours: 12, first_day: 6 });
  await page.reload();
  await says('27 Oct 2026, 2:05 pm · 12.345,6 · 12.345,60 € · weeks begin on Saturday');
  await page.getByLabel('Region').selectOption('');
  await says('Oct 27, 2026, 2:05 PM · 12,345.6 · €12,345.60 · weeks begin on Saturday');
});

test('a language is chosen in the profile: all words change at once, nothing is asked again, and later choices keep it', async () => {
  await using dashboard = await openDashboard({
    now: NOW,
    locale: 'fr-FR',
    timezone: 'UTC',
    traffic: false,
    isBlank: true,
  });
  const { page, server, context, troubles } = dashboard;
  await page.goto(`${server.url}/settings/profile`);
  const shown = () =>
    page.evaluate(() => [
      document.documentElement.lang,
      document.documentElement.dir,
      document.querySelector('h1')?.innerText,
    ]);
  const language = page.locator('select').first();
  await language.waitFor();
  expect([await shown(), await language.locator('option').first().innerText()]).toEqual([
    ['fr', 'ltr', 'Profil'],
    'Comme ce navigateur (Français)',
  ]);
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  for (const [tag, dir, title] of [
    ['ar', 'rtl', 'الملف الشخصي'],
    ['ja', 'ltr', 'プロフィール'],
    ['en', 'ltr', 'Profile'],
  ] as const) {
    await language.selectOption(tag);
    await expect.poll(shown).toEqual([tag, dir, title]);
  }
  // Of two choices the last one counts, though the messages of the first come later.
  const german = Promise.withResolvers<undefined>();
  await page.route('**/de.*.json', async (route) => {
    await german.promise;
    await route.continue();
  });
  const loaded = page.waitForResponse('**/de.first.*json');
  await language.selectOption('de');
  await language.selectOption('es');
  await expect.poll(shown).toEqual(['es', 'ltr', 'Perfil']);
  german.resolve(undefined);
  await page.evaluate(async (file) => (await fetch(file)).text(), (await loaded).url());
  expect(await shown()).toEqual(['es', 'ltr', 'Perfil']);
  await language.selectOption('en');
  expect(asked.filter((path) => path.startsWith('/trpc/') && path !== '/trpc/profile.keepHabits')).toEqual([]);
  // The session was loaded before.
  await follow(page, '/settings/security');
  await page.getByRole('heading', { name: 'Security', exact: true }).waitFor();
  await follow(page, '/settings/profile');
  await language.waitFor();
  expect(await language.inputValue()).toBe('en');
  await page.getByLabel('Hours').selectOption({ label: '24 hours' });
  await expect.poll(() => keptHabits(server)).toEqual({ language: 'en', locale: null, hours: 24, first_day: null });
  // Another browser has the choice once somebody logs in.
  await page.evaluate(() => localStorage.clear());
  const other = await context.newPage();
  await other.goto(`${server.url}/settings/profile`);
  await other.getByRole('heading', { name: 'Profile', exact: true }).waitFor();
  expect(troubles).toEqual([]);
});
