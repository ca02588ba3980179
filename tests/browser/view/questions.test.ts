// Questions in plain words: typed into the search, shown as they were understood, and opened.
import { expect, it } from 'vitest';
import { createShareLink } from '../../../server/sites/sharing/share.ts';
import { openDashboard, ready } from '../../setup/browser/dashboard.ts';

it('says how a question is understood, opens its view, and proposes what was meant', async () => {
  await using dashboard = await openDashboard();
  const { page, server, site } = dashboard;
  await ready(page, 'pages');
  const field = page.locator('dialog [role=combobox]');
  const first = page.locator('dialog [role=option]').first();
  const chips = () =>
    page
      .locator('dialog ul[aria-label="How it was understood"] li')
      .evaluateAll((all) => all.map((one) => one.textContent.trim()));
  const type = async (text: string) => {
    await page.keyboard.press('/');
    await field.waitFor();
    await page.keyboard.type(text);
  };
  // Enter may come before the answer.
  await type('page views by browser on phones today');
  await page.keyboard.press('Enter');
  await page.waitForURL((url) => url.searchParams.get('details') === 'browser');
  expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
    f: 'is:device:mobile',
    metric: 'pageviews',
    devices: 'browser',
    details: 'browser',
    sort: 'pageviews:desc',
  });
  await page.waitForSelector('dialog [data-row="Safari"]');
  await page.keyboard.press('Escape');
  await page.waitForSelector('dialog', { state: 'detached' });

  await type('referrers from google last 7 days');
  await first.filter({ hasText: 'Visits by referrer · Last 7 days · Source is Google' }).waitFor();
  expect(await chips()).toEqual(['by Referrer', 'Source is Google', 'Last 7 days']);
  await page.keyboard.press('Enter');
  await page.waitForURL((url) => url.searchParams.get('sources') === 'referrer');
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.closest('[data-panel]')?.getAttribute('data-panel')))
    .toBe('sources');

  // A letter is wrong: Enter that comes before the answer opens nothing.
  await type('visitors from gogle');
  const before = page.url();
  await page.keyboard.press('Enter');
  await page.waitForSelector('dialog li.unsure:has-text("Source is Google")');
  expect(page.url()).toBe(before);
  await page.keyboard.press('Enter');
  await page.waitForURL((url) => url.searchParams.get('f') === 'is:source:Google' && !url.searchParams.has('sources'));

  // A letter is wrong, and a word is unknown: the proposal is typed in its place.
  await type('vistors on /pricng or <b>prcing</b>');
  await page.waitForSelector('dialog li.unsure:has-text("Not understood")');
  expect((await chips())[0]).toMatch(/^Unique visitors\s*for “vistors”/);
  await field.fill('visitors from gogle today');
  await first.filter({ hasText: 'Source is Google' }).waitFor();
  await field.fill('visitors from chromium xyzzy');
  const proposal = page.locator('dialog [role=group]:has-text("Did you mean") [role=option]').first();
  await proposal.filter({ hasText: 'Chrome' }).click();
  await expect.poll(() => field.inputValue()).toMatch(/^visitors from chrome\S* xyzzy$/);
  await page.keyboard.press('Escape');

  const { token } = await createShareLink(
    server.app.services.directory,
    { siteId: site.id, name: 'link' },
    server.clock.now,
  );
  const asked: string[] = [];
  page.on('request', (request) => void (request.url().includes('stats.ask') && asked.push(request.url())));
  await page.goto(`${server.url}/share/${token}`);
  await page.waitForSelector('[data-panel="pages"][data-state="empty"]');
  await type('page views by browser');
  await page.waitForSelector('dialog .none:has-text("Nothing is called")');
  expect([asked, dashboard.troubles]).toEqual([[], []]);
});
