// The address holds everything that the dashboard shows: a link shows the same, and the back button returns to it.
import { describe, expect, it } from 'vitest';
import { follow, ready, rowsOf, shareDashboard } from '../../setup/browser/dashboard.ts';

describe('of a server that stays as it is', () => {
  const shared = shareDashboard();

  it('shows exact numbers under the names that the API gives them', async () => {
    await using dashboard = await shared();
    await ready(dashboard.page, 'pages');
    for (const [metric, value] of Object.entries({
      unique_visitors: '2',
      visits: '2',
      pageviews: '3',
      bounce_rate: '50',
    }))
      await dashboard.page.waitForSelector(`[data-metric="${metric}"][data-value="${value}"]`);
    expect(await rowsOf(dashboard.page, 'pages')).toEqual([
      ['/', 2],
      ['/pricing', 1],
    ]);
    await ready(dashboard.page, 'sources');
    expect(await rowsOf(dashboard.page, 'sources')).toEqual([
      ['Direct', 1],
      ['Google', 1],
    ]);
    await dashboard.page.waitForSelector('[data-live="current_visitors"][data-value="2"]');
    await dashboard.page.waitForSelector('[data-connection][data-state="online"]');
    expect(dashboard.troubles).toEqual([]);
  });

  it('filters by a click, excludes by a click with a modifier key, and back undoes each', async () => {
    await using dashboard = await shared();
    const { page } = dashboard;
    await ready(page, 'sources');
    await page.click('[data-panel="sources"] [data-row="Google"] button');
    await page.waitForSelector('[data-metric="pageviews"][data-value="2"]');
    expect(new URL(page.url()).searchParams.getAll('f')).toEqual(['is:source:Google']);

    await ready(page, 'pages');
    await page.click('[data-panel="pages"] [data-row="/pricing"] button', { modifiers: ['Alt'] });
    await page.waitForSelector('[data-metric="pageviews"][data-value="1"]');
    expect(new URL(page.url()).searchParams.getAll('f')).toEqual(['is:source:Google', 'is_not:page:/pricing']);

    await page.reload();
    await page.waitForSelector('[data-metric="pageviews"][data-value="1"]');
    await page.goBack();
    await page.waitForSelector('[data-metric="pageviews"][data-value="2"]');
    await page.goBack();
    await page.waitForSelector('[data-metric="pageviews"][data-value="3"]');
  });

  it('keeps metric, details and period in the address, and the tab for the next visit', async () => {
    await using dashboard = await shared();
    const { page } = dashboard;
    await ready(page, 'pages');
    const entries = await page.evaluate(() => history.length);
    await page.click('[data-metric="visits"]');
    await page.click('[data-metric="visits"]'); // it is shown already
    await page.click('[data-panel="pages"] [role=tab]:has-text("Entry")');
    await ready(page, 'pages');
    await page.click('[data-panel="pages"] button:has-text("Details")');
    await page.waitForSelector('dialog table');
    expect(await page.evaluate(() => history.length)).toBe(entries + 2);
    expect(new URL(page.url()).search).toBe('?metric=visits&details=entry_page');
    await page.reload();
    await page.waitForSelector('dialog table');
    await page.keyboard.press('Escape');
    await page.waitForSelector('dialog', { state: 'detached' });
    await page.keyboard.press('e');
    await page.waitForURL('**?period=yesterday&metric=visits');
    // An address may name a tab; choosing the usual one forgets both.
    await follow(page, '/example.com?period=yesterday&metric=visits&pages=exit_page');
    await page.waitForSelector('[data-panel="pages"] [role=tab][aria-selected=true]:has-text("Exit")');
    await page.click('[data-panel="pages"] [role=tab]:has-text("Top")');
    await page.waitForURL('**?period=yesterday&metric=visits');
    await page.waitForSelector('[data-panel="pages"] [role=tab][aria-selected=true]:has-text("Top")');
    await page.waitForSelector('[data-metric="visits"][data-value="0"]');
  });

  it('shows a way back for an address that makes no sense', async () => {
    await using dashboard = await shared({ isBlank: true });
    await dashboard.page.goto(
      `${dashboard.server.url}/example.com?period=custom&date_from=2026-02-30&f=is:password:x&metric=toString&interval=minute&details=%00&pages=nonsense`,
    );
    await dashboard.page.waitForSelector('[data-metric="pageviews"][data-value="3"]');
    await ready(dashboard.page, 'pages');
    const unread = dashboard.page.locator('[data-unread] [role=status]');
    const named = ['is:password:x', 'period=custom', 'date_from=2026-02-30'];
    await expect.poll(() => unread.locator('code').allInnerTexts()).toEqual(named);
    await unread.getByText('and 1 more').waitFor();
    await unread.getByRole('button', { name: 'Dismiss' }).click();
    await unread.waitFor({ state: 'detached' });
    expect(new URL(dashboard.page.url()).search).toBe('?interval=minute&pages=nonsense');
    await dashboard.page.waitForSelector('[data-filter]:focus');
    await dashboard.page.goto(`${dashboard.server.url}/other.example`);
    await dashboard.page.waitForSelector('text=There is no site “other.example” in your account.');
    expect(dashboard.troubles).toEqual([]);
  });

  it('understands the usual keys of analytics dashboards', async () => {
    await using dashboard = await shared();
    const { page, server } = dashboard;
    await ready(page, 'pages');
    const keys = { w: '7d', t: '30d', m: 'month', y: 'year', l: '12mo', a: 'all' };
    for (const [key, period] of Object.entries(keys)) {
      await page.keyboard.press(key);
      await page.waitForURL(`**?period=${period}`);
    }
    await page.keyboard.press('d');
    await page.waitForURL(`${server.url}/example.com`);
    await page.keyboard.press('ArrowLeft');
    await page.waitForURL('**?period=yesterday');
    await page.keyboard.press('ArrowRight');
    await page.waitForURL(`${server.url}/example.com`);
    await page.keyboard.press('x');
    await page.waitForURL('**?compare=none');
    await page.keyboard.press('?');
    await page.waitForSelector('dialog:has-text("Keyboard")');
    await page.keyboard.press('Escape');
    await page.waitForSelector('dialog', { state: 'detached' });
    await page.keyboard.press('f');
    await page.waitForSelector('dialog:has-text("Filter") [aria-label="Dimension"]');
    await page.keyboard.press('Escape');
    await page.waitForSelector('dialog', { state: 'detached' });
    await page.keyboard.press('/');
    await page.waitForSelector('dialog:has-text("Search")');
    await page.keyboard.type('/pri');
    await page.click('dialog [role=option]:has-text("/pricing"):not(:has-text("Entry")):not(:has-text("Exit"))');
    await page.waitForURL('**f=is%3Apage%3A%2Fpricing');
    await page.keyboard.press('Escape');
    await page.waitForURL('**?compare=none');
    await page.keyboard.press('r');
    await page.waitForURL('**/example.com/live?compare=none');
    await page.waitForSelector('[data-live="current_visitors"][data-value="2"]');
  });

  it('forgets what was typed in one list when another is opened a moment later', async () => {
    await using dashboard = await shared({ isBlank: true });
    const { page, server } = dashboard;
    await page.clock.install();
    await page.goto(`${server.url}/example.com?details=source`);
    await page.waitForSelector('dialog tbody tr');
    await page.click('dialog [aria-label="Close"]');
    await page.waitForSelector('dialog', { state: 'detached' });
    await ready(page, 'pages');
    await page.click('[data-panel="pages"] footer button');
    await page.waitForSelector('dialog tbody tr:has-text("/pricing")');
    await page.clock.pauseAt(Date.now() + 60_000);
    await page.fill('dialog input[type=search]', 'pricing');
    await page.evaluate(() => history.go(-2));
    await page.waitForSelector('dialog h2:has-text("Source")');
    await page.clock.runFor(5000);
    expect(new URL(page.url()).search).toBe('?details=source');
  });
});
