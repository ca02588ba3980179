// Mentions: an owner chooses where to search, is told of a first mention, and reads, mutes and follows what was found.
import { expect, it } from 'vitest';
import { dayOf, DAY_MS } from '../../../server/vocabulary/time/time.ts';
import { openMentionPlaces } from '../../setup/internet/mention-places.ts';
import { openDashboard, ready } from '../../setup/browser/dashboard.ts';

it('an owner chooses places and words; threads appear with their visits, on the chart and as an alert, and can be muted', async () => {
  const hostile =
    '<img src=x onerror=alert(1)> and a title that is far too long for one line of any panel on any screen';
  const posted = new Date(Date.now() - DAY_MS);
  const story = { created_at: posted.toISOString(), url: 'https://example.com/', comment_count: 1 };
  await using places = await openMentionPlaces();
  const stories = (score: number) => ({
    body: JSON.stringify([
      { ...story, short_id: 'a', title: hostile, score, short_id_url: 'https://lobste.rs/s/a' },
      { ...story, short_id: 'b', title: 'Second', score: -1, short_id_url: 'https://lobste.rs/s/b' },
    ]),
  });
  places.answers.lobsters = stories(12);
  places.answers.github = { status: 403 };
  await using dashboard = await openDashboard({ network: places.network, env: places.env, isBlank: true });
  const { page, server } = dashboard;
  const rv = 'Mozilla/5.0 (X11; Linux x86_64; rv:141.0) Firefox/141.0';
  await dashboard.view('/', { referrer: 'https://lobste.rs/s/a' }, rv);
  await server.settle();
  await page.goto(`${server.url}/example.com?period=today`);
  const panel = page.locator('[data-panel="mentions"]');
  await panel.scrollIntoViewIfNeeded();
  await panel.getByRole('link', { name: 'Choose places' }).click();
  const settings = page.locator('#mentions');
  await settings.getByRole('switch', { name: 'Lobsters' }).check();
  await settings.getByRole('switch', { name: 'GitHub' }).check();
  await settings.getByLabel('Words').fill('Acme, Inc.\nab');
  const save = settings.getByRole('button', { name: 'Save mentions' });
  await save.click();
  await settings.getByText('Words, line 2: must be 3 to 60 characters').waitFor();
  await settings.getByLabel('Words').fill('');
  await save.click();
  await settings.getByText('New searches begin within a minute.').waitFor();
  await page.getByRole('link', { name: 'Reports and alerts' }).click();
  const alerts = page.locator('#alerts');
  await alerts.getByRole('button', { name: 'New alert' }).click();
  await alerts.getByLabel('Alert', { exact: true }).selectOption('First mention');
  await alerts.getByRole('button', { name: 'Add alert' }).click();
  await alerts.locator('[data-alert="mention"]').waitFor();
  for (const job of ['search-mentions', 'notice-mentions', 'tell-alerts']) await server.app.runJob(job);
  await page.reload();
  await alerts.getByText('example.com is mentioned: “Second”').waitFor();
  await page.getByRole('link', { name: 'Integrations' }).click();
  await settings.locator('[data-search="lobsters"]', { hasText: 'Searched' }).waitFor();
  await settings.locator('[data-search="github"]', { hasText: 'Refused' }).waitFor();

  const days = `?period=custom&date_from=${dayOf(Date.now() - 6 * DAY_MS)}&date_to=${dayOf(Date.now())}`;
  await page.goto(`${server.url}/example.com${days}`);
  await panel.scrollIntoViewIfNeeded();
  await ready(page, 'mentions');
  const threads = panel.locator('[data-mention]');
  const first = threads.filter({ hasText: hostile });
  await expect.poll(() => threads.count()).toBe(2);
  expect(await first.locator('.numbers').innerText()).toMatch(/^12 points\s+1 comment\s+1 visit$/);
  const link = first.getByRole('link');
  expect(await link.getAttribute('href')).toBe('https://lobste.rs/s/a');
  expect(await link.getAttribute('rel')).toBe('noreferrer noopener');
  const pennant = page.locator(`[data-pennant="${dayOf(posted.getTime())}"]`);
  await pennant.getByRole('button').focus();
  await expect
    .poll(() => pennant.locator('bdi').allTextContents())
    .toEqual(expect.arrayContaining([`Lobsters: ${hostile}`, 'Lobsters: Second']));

  await panel.getByRole('button', { name: 'Mute “Second”' }).click();
  await expect.poll(() => threads.count()).toBe(1);
  await page.setViewportSize({ width: 390, height: 800 });
  await expect
    .poll(() => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth))
    .toBeLessThanOrEqual(0);
  expect(dashboard.troubles).toEqual([]);
});
