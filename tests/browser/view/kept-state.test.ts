// The view is kept when people leave it: for another site, for the live view and back, and offline.
import { describe, expect, it } from 'vitest';
import type { SiteId } from '../../../server/vocabulary/event.ts';
import { createSite, setHosts, siteById } from '../../../server/sites/sites.ts';
import { DAY_MS } from '../../../server/vocabulary/time/time.ts';
import { roomsFilled } from '../../setup/browser/chromium.ts';
import { sampleEvent } from '../../setup/event.ts';
import { follow, openDashboard, ready, shareDashboard } from '../../setup/browser/dashboard.ts';

it('keeps the view across the live view, another site and back', async () => {
  await using dashboard = await openDashboard({ isBlank: true });
  const { page, server, site } = dashboard;
  await createSite(
    server.app.services.directory,
    { accountId: site.account_id, domain: 'xn--mnchen-3ya.de' },
    (server.clock.now += 1), // the younger site is the second of the list
  );
  const [filter, ofThisSite] = ['&f=is%3Asource%3AGoogle', '&f=is%3Agoal%3Agoal_0123456789ABCDEF'];
  const elsewhere = `?period=7d&compare=year${filter}&metric=visits&pages=entry_page`;
  const view = elsewhere.replace(filter, filter + ofThisSite);
  await page.goto(`${server.url}/example.com${view}`);
  await page.waitForSelector('[data-panel="pages"][data-state="empty"]');
  await page.keyboard.press('r');
  await page.waitForURL(`${server.url}/example.com/live${view}`);
  await page.waitForSelector('[data-live="current_visitors"][data-value="2"]');
  await page.keyboard.press('Escape');
  await page.waitForURL(`${server.url}/example.com${view}`);
  await page.waitForSelector('[data-panel="pages"][data-state="empty"]');
  await page.keyboard.press('2');
  await page.waitForURL(`${server.url}/xn--mnchen-3ya.de${elsewhere}`);
  // Shown as people write it, and accepted from an address in that form.
  await page.waitForSelector('[aria-label="Site: münchen.de. Switch site"]');
  await page.goBack();
  await page.waitForURL(`${server.url}/example.com${view}`);
  await page.goto(`${server.url}/münchen.de`);
  await page.waitForSelector('[aria-label="Site: münchen.de. Switch site"]');
});

it('shows an international domain as people write it on every screen, and accepts it in that form', async () => {
  await using dashboard = await openDashboard({ isBlank: true });
  const { page, server, site } = dashboard;
  const { directory } = server.app.services;
  const made = await createSite(
    directory,
    { accountId: site.account_id, domain: 'xn--mnchen-3ya.de' },
    server.clock.now + 1, // sites are in the order in which they were made
  );
  await setHosts(directory, { siteId: made.id, hosts: ['bücher.example'] });
  await page.goto(`${server.url}/sites/new`);
  await page.getByLabel('Domain').fill('https://xn--mnchen-3ya.de/');
  await page.getByText('Will be added as münchen.de').waitFor();
  await follow(page, '/sites/new?site=xn--mnchen-3ya.de');
  await page.getByRole('heading', { name: 'Add this line to münchen.de' }).waitFor();
  await page.getByText('Open a page of münchen.de that has the snippet.').waitFor();
  expect(await page.locator('main').innerText()).not.toMatch(/xn--mnchen-3ya\.de(?!")/); // except for the snippet's own data-site

  await page.goto(`${server.url}/münchen.de/settings`);
  await expect.poll(() => page.getByRole('textbox', { name: 'Domain', exact: true }).inputValue()).toBe('münchen.de');
  expect(await page.getByRole('button', { name: 'Rename' }).isDisabled()).toBe(true);
  await page.getByRole('link', { name: 'Counting' }).click();
  await page.waitForFunction(() => document.querySelector('textarea')?.value === 'bücher.example');
  await page.getByLabel('Additional hosts').fill('bücher.example\nstraße.example');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.getByText('Saved.').waitFor();
  expect((await siteById(directory, made.id))?.extra_hosts).toEqual(['xn--bcher-kva.example', 'xn--strae-oqa.example']);
  await page.getByRole('link', { name: 'General' }).click();
  await page.getByRole('textbox', { name: 'Domain', exact: true }).fill('köln.de');
  await page.getByRole('button', { name: 'Rename' }).click();
  await page.waitForURL(`${server.url}/xn--kln-sna.de/settings`);
  await page.getByRole('link', { name: 'Danger' }).click();
  await page.getByLabel('Type köln.de to confirm').fill('köln.de');
  await page.getByRole('button', { name: 'Delete site' }).click();
  await page.waitForURL((url) => !url.pathname.includes('/settings'));
  expect(await siteById(directory, made.id)).toBeUndefined();
});

it('says when counting began if that was within the compared range', async () => {
  await using dashboard = await openDashboard({ isBlank: true });
  const { page, server, site } = dashboard;
  const time = server.clock.now - 10 * DAY_MS;
  await server.app.collector.record([sampleEvent(1, { site_id: site.id, time })], server.clock.now);
  await server.settle();
  await page.goto(`${server.url}/example.com?period=7d&compare=previous`);
  const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' }).format(time);
  const said = page.locator('[data-no-data]');
  await said.waitFor();
  await expect.poll(async () => (await said.innerText()).replace(/\s+/g, ' ')).toBe(`: data only since ${day}`);
  await page.waitForSelector('[data-metric="visits"] .change:not(:empty)');
});

it('keeps search and sorting of a full list in the address, and finds entries by their displayed names', async () => {
  await using dashboard = await openDashboard({ traffic: false, isBlank: true });
  const { page, server } = dashboard;
  await server.app.collector.record(
    Array.from({ length: 60 }, (_, number) => eventOf(dashboard.site.id, number, server.clock.now)),
    server.clock.now,
  );
  await server.settle();
  await page.goto(`${server.url}/example.com?details=page`);
  await page.waitForSelector('dialog tbody tr');
  await page.click('dialog thead button:has-text("Visits")');
  await page.waitForURL('**details=page&sort=visits%3Adesc');
  await page.fill('dialog [type=search]', '/p5');
  await page.waitForURL('**details=page&search=%2Fp5&sort=visits%3Adesc');
  await page.waitForFunction(() => document.querySelectorAll('dialog tbody tr').length === 11);
  await page.reload();
  await page.waitForFunction(() => document.querySelectorAll('dialog tbody tr').length === 11);
  await expect.poll(() => page.inputValue('dialog [type=search]')).toBe('/p5');
  await page.goto(`${server.url}/example.com?details=country&search=unit`);
  await page.waitForSelector('dialog tbody tr:has-text("United Kingdom")');
  expect(await page.locator('dialog tbody tr').count()).toBe(1);
  expect(dashboard.troubles).toEqual([]);
});

const eventOf = (siteId: SiteId, number: number, now: number) =>
  sampleEvent(number, { site_id: siteId, time: now - number, page: `/p${number}`, country: number % 2 ? 'GB' : 'DE' });

it('says that a site is paused, and stops saying so when it is resumed', async () => {
  await using dashboard = await openDashboard();
  const { page } = dashboard;
  await ready(page, 'pages');
  await follow(page, '/example.com/settings/counting');
  const pause = async () => {
    await page.getByRole('switch', { name: 'Pause' }).click();
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Saved.').waitFor();
    await page.getByRole('link', { name: 'example.com' }).click();
  };
  await pause();
  await page.click('[data-paused] a');
  await pause();
  await ready(page, 'pages');
  await page.waitForSelector('[data-paused]', { state: 'detached' });
});

describe('of a server that stays as it is', () => {
  const shared = shareDashboard();

  it('X switches the comparison off, and on again as it was', async () => {
    await using dashboard = await shared({ isBlank: true });
    const { page, server } = dashboard;
    await page.goto(`${server.url}/example.com?period=7d&compare=year`);
    await page.waitForSelector('[data-metric="visits"][data-value="0"]');
    await page.keyboard.press('x');
    await page.waitForURL('**compare=none');
    await page.reload();
    await page.waitForSelector('[data-metric="visits"][data-value="0"]');
    await page.keyboard.press('x');
    await page.waitForURL('**compare=year');
    // Nothing was counted a year ago, nor in any other range to compare with.
    await expect.poll(() => page.locator('[data-no-data]').innerText()).toMatch(/^: no data before \d+ \w+ 20\d\d$/);
    await expect.poll(() => page.locator('[data-metric] .change:not(:empty) span').count()).toBe(0);
  });

  it('paints the shell before the session answers', async () => {
    await using dashboard = await shared({ isBlank: true });
    const { page, server } = dashboard;
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/trpc/session.current**', async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(`${server.url}/example.com`, { waitUntil: 'commit' });
    await page.waitForSelector('#shell .shell-bar');
    expect(await page.locator('#shell').boundingBox()).toMatchObject({ y: 0 });
    release();
    await ready(page, 'pages');
    await page.waitForSelector('#shell', { state: 'detached' });
  });

  it('keeps the last numbers and shows a notice while the server cannot be reached; a dialog that could not load offers to retry', async () => {
    await using dashboard = await shared();
    const { page } = dashboard;
    await page.waitForSelector('[data-metric="pageviews"][data-value="3"]');
    await ready(page, 'pages');
    // A part that has not been answered yet has no numbers to keep.
    await page.waitForSelector('[data-panel="ai"][data-state="empty"]');
    await page.waitForLoadState('networkidle');
    await roomsFilled(page);
    await page.route(/\/trpc\/|\/_app\//, (route) => route.abort());
    await page.keyboard.press('e');
    await page.waitForSelector('[data-offline]');
    expect(await page.locator('[data-offline]').count()).toBe(1);
    expect(await page.locator('[data-state="failed"]').count()).toBe(0);
    await page.waitForSelector('[data-metric="pageviews"][data-value="3"]');
    await page.waitForSelector('[data-panel="pages"] [data-row="/pricing"]');
    await page.keyboard.press('?');
    await page.waitForSelector('dialog:has-text("This part of the page could not be loaded.")');
    await page.unroute(/\/trpc\/|\/_app\//);
    await page.click('dialog button:has-text("Try again")');
    await page.waitForSelector('dialog kbd');
    await page.keyboard.press('Escape');
    // It reconnects by itself, and answers what was asked meanwhile.
    await page.waitForSelector('[data-metric="pageviews"][data-value="0"]');
    await page.waitForSelector('[data-offline]', { state: 'detached' });
  });
});
