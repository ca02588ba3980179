// Importing another product's numbers in the browser: what is in the files, that they count, and that they can be taken out again.
import { gzipSync, zstdCompressSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { createAccount } from '../../../server/accounts/accounts.ts';
import { addMember } from '../../../server/accounts/people/people.ts';
import { dayOf, DAY_MS } from '../../../server/vocabulary/time/time.ts';
import { PASSWORD } from '../../setup/app.ts';
import { enter, follow, openDashboard, ready, rowsOf } from '../../setup/browser/dashboard.ts';
import { zipOf } from '../../setup/imports.ts';
import { logOf } from '../../setup/logs.ts';

type Sent = { name: string; mimeType: string; buffer: Buffer };

const OF_PLAUSIBLE = 'Plausible tells visitors apart by address and browser, hashed with a key that changes every day.';

const textFile = (name: string, text: string): Sent => ({ name, mimeType: 'text/csv', buffer: Buffer.from(text) });

/** Three days of 2025, and today, which has events of its own. The row without a day is left out. */
async function plausibleZip(): Promise<Sent> {
  const { name, blob } = await zipOf('plausible.zip', {
    'imported_visitors_20250130_20250201.csv': `"date","visitors","pageviews","bounces","visits","visit_duration"
"2025-01-30",10,30,4,12,600
"2025-01-31",5,9,2,5,100
"2025-02-01",1,1,1,1,0
"${dayOf(Date.now())}",100,200,50,120,900
"no day",1,1,1,1,1
`,
    'imported_pages_20250130_20250201.csv': `"date","hostname","page","visits","visitors","pageviews"
"2025-01-30","example.com","/old",10,8,20
"2025-01-31","example.com","/older",5,5,9
`,
  });
  return { name, mimeType: 'application/zip', buffer: Buffer.from(await blob.arrayBuffer()) };
}

const choose = (page: Page, ...files: Sent[]) => page.setInputFiles('#import input[type=file]', files);

/** Drops a file as a file manager does. */
async function drop(page: Page, { name, mimeType, buffer }: Sent): Promise<void> {
  const given = { name, mimeType, bytes: [...buffer] };
  const dataTransfer = await page.evaluateHandle((file) => {
    const data = new DataTransfer();
    data.items.add(new File([new Uint8Array(file.bytes)], file.name, { type: file.mimeType }));
    return data;
  }, given);
  const area = page.locator('#import label', { hasText: 'Drop files here' });
  await area.dispatchEvent('dragover', { dataTransfer });
  await area.dispatchEvent('drop', { dataTransfer });
}

const totalsOf = (page: Page) =>
  page.$$eval('[data-preview] [data-total]', (all) => all.map((one) => Number(one.getAttribute('data-value'))));
const metricOf = async (page: Page, metric: string) =>
  Number(await page.locator(`[data-metric="${metric}"][data-value]`).getAttribute('data-value'));

test('an export of Plausible is shown, imported, seen in the dashboard, and removed', async () => {
  await using dashboard = await openDashboard({ isBlank: true });
  const { page, server, troubles } = dashboard;
  await page.goto(`${server.url}/example.com/settings/data`);
  await page.locator('#import [data-imports][data-state="ready"]').waitFor();
  await drop(page, await plausibleZip());
  const card = page.locator('#import');
  await card.locator('[data-preview]').waitFor();
  expect(await card.locator('h3').textContent()).toBe('plausible.zip');
  expect(await card.locator('[data-product]').textContent()).toBe('Plausible, daily totals');
  expect(await totalsOf(page)).toEqual([4, 240, 116, 138]);
  expect((await card.locator('[data-counting]').textContent())?.trim()).toBe(
    `${OF_PLAUSIBLE} Visitors of several days are added up.`,
  );
  const months = await card.locator('[data-month]').evaluateAll((rows) => rows.map((row) => row.textContent));
  expect(months.slice(0, 2).map((text) => text?.trim())).toEqual(['January 20253915', 'February 202511']);
  await card.getByText('1 row of 7 is left out').waitFor();
  await card.getByText('imported_visitors_20250130_20250201.csv, line 6').waitFor();
  await card.getByText('1 of these days has numbers of its own: it keeps them.').waitFor();
  await card.getByText('What the columns become').click();
  expect(await card.locator('[data-column="visit_duration"]').textContent()).toContain('Visit duration, sum');

  await card.getByRole('button', { name: 'Import', exact: true }).click();
  await card.getByText('“plausible.zip” is imported: 4 days').waitFor();
  const row = card.locator('[data-import="plausible.zip"][data-state="done"]');
  await row.getByText('240 page views · 116 visitors · 1 row left out').waitFor();

  // The same file again says so, before anything is asked about it.
  await choose(page, await plausibleZip());
  await card.getByText('plausible.zip: this was imported before').waitFor();
  expect(await card.locator('[data-preview], [data-earlier-imports]').count()).toBe(0);
  expect(await card.getByRole('button', { name: 'Import', exact: true }).count()).toBe(0);
  await card.getByRole('button', { name: 'Choose other files' }).click();

  await follow(page, '/example.com?period=custom&date_from=2025-01-30&date_to=2025-02-01');
  await page.waitForSelector('[data-metric="pageviews"][data-value="40"]');
  expect(await metricOf(page, 'unique_visitors')).toBe(16);
  expect(await metricOf(page, 'visits')).toBe(18);
  await ready(page, 'pages');
  expect(await rowsOf(page, 'pages')).toEqual([
    ['/old', 20],
    ['/older', 9],
  ]);
  // The card says how another product counts.
  await page.locator('[data-metric="pageviews"]').focus();
  await page.keyboard.press('i');
  await page
    .locator('[data-card][data-state="ready"] [data-exact]')
    .getByText('Imported days: as the other product counted them.')
    .waitFor();
  await page.keyboard.press('Escape');
  await page.locator('[data-metric="unique_visitors"]').focus();
  await page.keyboard.press('i');
  await page.locator('[data-card="unique_visitors"] [data-exact]').getByText(OF_PLAUSIBLE).waitFor();
  await page.keyboard.press('Escape');
  await follow(page, '/example.com');
  await page.waitForSelector('[data-metric="pageviews"][data-value="3"]'); // today keeps its own

  await follow(page, '/example.com/settings/data');
  await row.getByRole('button', { name: 'Remove' }).click();
  await card.getByText('Its days disappear from all numbers at once.').waitFor();
  await card.getByRole('button', { name: 'Remove for good' }).click();
  await card.getByText('“plausible.zip” was removed.').waitFor();
  expect(await row.count()).toBe(0);
  await card.getByRole('heading', { level: 2 }).and(page.locator(':focus')).waitFor();
  await follow(page, '/example.com?period=custom&date_from=2025-01-30&date_to=2025-02-01');
  await page.waitForSelector('[data-metric="pageviews"][data-value="0"]');
  expect(troubles).toEqual([]);
});

test('a CSV of no known product is mapped by hand, replaces days if that is wanted, and goes on where it ended', async () => {
  await using dashboard = await openDashboard({ width: 390, isBlank: true });
  const { page, server, site, troubles } = dashboard;
  const today = dayOf(Date.now());
  const before = dayOf(Date.now() - DAY_MS);
  const pages = Array.from({ length: 2_500 }, (_, n) => `${before},/page-${n},${n % 3},1`);
  const csv = textFile(
    'numbers.csv',
    ['Day;Address;Looks;Heads', ...pages, `${today},/today,50,40`].join('\n').replaceAll(',', ';'),
  );
  await page.goto(`${server.url}/example.com/settings/data`);
  const card = page.locator('#import');
  await choose(page, csv);
  await card.getByText('is not an export that Footfall knows').waitFor();
  expect(await card.getByRole('button', { name: 'Import', exact: true }).count()).toBe(0);
  await card.getByLabel('Looks').selectOption('pageviews');
  await card.locator('[data-preview]').waitFor();
  await card.getByLabel('Heads').selectOption('visitors');
  await card.getByLabel('Address').selectOption('page');
  await expect.poll(() => totalsOf(page)).toEqual([2, 2_549, 2_540]);
  await card.getByRole('switch').check();
  await card.getByText('1 of these days has numbers of its own: the import takes their place').waitFor();
  const overflows = () => document.documentElement.scrollWidth > document.documentElement.clientWidth;
  expect(await page.evaluate(overflows)).toBe(false);

  // The second part does not get through. After a reload the same file goes on with it, and its columns are known.
  const isPart = /\/trpc\/imports\.add/;
  const parts: number[] = [];
  await page.route(isPart, (route) => {
    parts.push(parts.length);
    return parts.length === 2 ? route.abort() : route.continue();
  });
  await card.getByRole('button', { name: 'Import', exact: true }).click();
  await card.getByText('The server cannot be reached.').waitFor();
  await page.reload();
  await card
    .locator('[data-import="numbers.csv"][data-state="reading"]')
    .getByText('Choose the same file again')
    .waitFor();
  await choose(page, csv);
  await card.locator('[data-preview]').waitFor();
  expect(await totalsOf(page)).toEqual([2, 2_549, 2_540]);
  await card.getByRole('switch').check();
  await card.getByRole('button', { name: 'Import', exact: true }).click();
  await card.getByText('“numbers.csv” is imported: 2 days').waitFor();
  await page.getByRole('link', { name: 'See them in the dashboard' }).click();
  await page.waitForSelector('[data-metric="pageviews"][data-value="2549"]');
  expect(await metricOf(page, 'unique_visitors')).toBe(2_540);

  // Cancelled while it is sent: nothing stays.
  await follow(page, '/example.com/settings/data');
  await page.unroute(isPart);
  await page.route(isPart, (route) => route.abort());
  await choose(page, textFile('more.csv', 'Day;Looks\n2024-05-01;7\n'));
  await card.getByLabel('Looks').selectOption('pageviews');
  await card.getByRole('button', { name: 'Import', exact: true }).click();
  await card.getByRole('button', { name: 'Try again' }).waitFor();
  await card.getByRole('button', { name: 'Cancel' }).click();
  await card.getByText('Drop files here, or choose them').waitFor();
  const rows = await server.app.services.directory.db
    .selectFrom('imports')
    .where('site_id', '=', site.id)
    .select('file')
    .execute();
  expect(rows).toEqual([{ file: 'numbers.csv' }]);
  expect(troubles).toEqual([]);
});

test('which import counts has to be chosen where two overlap, and days with events are chosen one by one', async () => {
  await using dashboard = await openDashboard({ width: 390, isBlank: true });
  const { page, server, site, troubles } = dashboard;
  const visitOn = async (time: number) => {
    const before = server.clock.now;
    server.clock.now = time;
    await server.foot({ site: site.domain, name: 'pageview', url: `https://${site.domain}/` });
    await server.settle();
    server.clock.now = before;
  };
  const [day, before] = [dayOf(Date.now()), dayOf(Date.now() - DAY_MS)];
  await visitOn(Date.now() - DAY_MS);
  const rows = (...days: string[]) => ['date,pageviews,visitors', ...days].join('\n');
  await page.goto(`${server.url}/example.com/settings/data`);
  const card = page.locator('#import');
  const start = card.getByRole('button', { name: 'Import', exact: true });
  await choose(page, textFile('first.csv', rows('2025-01-01,7,7', '2025-01-02,7,7')));
  await start.click();
  await card.getByText('“first.csv” is imported: 2 days').waitFor();
  await card.getByText('by owner@example.com').waitFor();

  await choose(page, textFile('second.csv', rows('2025-01-02,100,9', `${before},100,9`, `${day},100,9`)));
  await card.getByText('1 of these days is imported already, from').waitFor();
  await card.getByText('Choose above which import counts, to go on.').waitFor();
  expect(await start.getAttribute('aria-disabled')).toBe('true');
  await card.getByText('2 of these days have numbers of their own: they keep them.').waitFor();
  await card.locator('[data-single-days] summary').press('Enter');
  await card.locator(`[data-single-days] input[value="${before}"]`).press('Space');
  await card.getByText('the import takes the place of 1 of them').waitFor();
  const overflows = () => document.documentElement.scrollWidth > document.documentElement.clientWidth;
  expect(await page.evaluate(overflows)).toBe(false);
  await card.getByLabel('The earlier import').press('Space');
  await start.click();
  await card.getByText('“second.csv” is imported: 3 days').waitFor();
  const { db } = server.app.services.directory;
  const kept = await db.selectFrom('imports').select(['file', 'replaced', 'keeps_others']).orderBy('file').execute();
  expect(kept).toEqual([
    { file: 'first.csv', replaced: '[]', keeps_others: 0 },
    { file: 'second.csv', replaced: JSON.stringify([before]), keeps_others: 1 },
  ]);
  await follow(page, '/example.com?period=custom&date_from=2025-01-01&date_to=2025-01-02');
  await page.waitForSelector('[data-metric="pageviews"][data-value="14"]');
  // A number that the file does not tell is no 0.
  await follow(page, '/example.com?period=custom&date_from=2025-01-01&date_to=2025-01-02&metric=visits&numbers=table');
  await page.getByRole('cell', { name: '–' }).nth(1).waitFor();
  await page.locator('[data-metric="bounce_rate"]').focus();
  await page.keyboard.press('i');
  await page.locator('[data-parts]').getByText('does not tell this number').waitFor();
  expect(troubles).toEqual([]);
});

test('single page views of Umami become visits', async () => {
  await using dashboard = await openDashboard({ isBlank: true });
  const { page, server, troubles } = dashboard;
  const csv = textFile(
    'website_event.csv',
    `website_id,session_id,visit_id,hostname,url_path,event_type,created_at
w,s1,v1,example.com,/a,1,2025-03-01 10:00:00
w,s1,v1,example.com,/b,1,2025-03-01 10:01:00
w,s2,v2,example.com,/a,1,2025-03-02 10:00:00
`,
  );
  await page.goto(`${server.url}/example.com/settings/data`);
  const card = page.locator('#import');
  await choose(page, csv);
  await card.getByText('Umami, single page views').waitFor();
  await card.getByText('Single page views become visits').waitFor();
  expect(await totalsOf(page)).toEqual([2, 3, 2]);
  await card.getByRole('button', { name: 'Import', exact: true }).click();
  await page.getByRole('link', { name: 'See them in the dashboard' }).click();
  await page.waitForSelector('[data-metric="pageviews"][data-value="3"]');
  expect(await metricOf(page, 'visits')).toBe(2);
  await ready(page, 'pages');
  expect(await rowsOf(page, 'pages')).toEqual([
    ['/a', 2],
    ['/b', 1],
  ]);
  expect(troubles).toEqual([]);
});

test('access logs, as gz and as zst, say what they hold, and become visits', async () => {
  await using dashboard = await openDashboard({ isBlank: true });
  const { page, server, troubles } = dashboard;
  const at = (minute: number) => Date.UTC(2025, 0, 30, 10, minute);
  const [ann, bot] = [
    { address: '203.0.113.7' },
    { address: '203.0.113.8', userAgent: 'Mozilla/5.0 (compatible; GPTBot/1.2)' },
  ];
  const later = logOf('combined', [
    { ...ann, time: at(9), target: '/pricing' },
    { ...ann, time: at(9), target: '/logo.png' },
    { ...bot, time: at(9), target: '/gone', status: 404 },
  ]);
  const earlier = logOf('Caddy', [{ ...ann, time: at(0) }], 'example.com');
  await page.goto(`${server.url}/example.com/settings/data`);
  await choose(
    page,
    { name: 'access.log', mimeType: 'text/plain', buffer: zstdCompressSync(`${later}no request\n`) },
    { name: 'access.log.1.gz', mimeType: 'application/gzip', buffer: gzipSync(earlier) },
  );
  const card = page.locator('#import');
  await card.locator('[data-preview]').waitFor();
  expect(await card.locator('[data-product]').textContent()).toBe('Access log, single page views');
  expect(await totalsOf(page)).toEqual([1, 2, 1]);
  await card.getByText('2 rows of 5 are left out').waitFor();
  await card.getByText('access.log, line 4').waitFor();
  await card.getByText('1 request got an error or a redirect').waitFor();
  await card.getByRole('button', { name: 'Import', exact: true }).click();
  const row = card.locator('[data-import="access.log and 1 other file"][data-state="done"]');
  await row.getByText('2 page views · 1 visitor · 1 AI visit · 2 rows left out').waitFor();
  await card.locator('summary', { hasText: 'Rows left out' }).click();
  await card
    .getByText('The request is not for a page, but for an image, a feed or an API, for example: 1 row')
    .waitFor();
  await follow(page, '/example.com?period=custom&date_from=2025-01-30&date_to=2025-01-30');
  await page.waitForSelector('[data-metric="pageviews"][data-value="2"]');
  expect([await metricOf(page, 'visits'), await metricOf(page, 'visit_duration')]).toEqual([1, 539.75]); // Caddy has parts of a second
  expect(troubles).toEqual([]);
});

test('files that cannot be imported say why, and people who may not change the site have no card', async () => {
  await using dashboard = await openDashboard({ isBlank: true });
  const { page, server, site, browser, troubles } = dashboard;
  const { directory } = server.app.services;
  await page.goto(`${server.url}/sites/new?site=example.com`);
  await page.getByRole('link', { name: 'Coming from another product? Import its numbers' }).click();
  await page.waitForURL(`${server.url}/example.com/settings/data#import`);
  const card = page.locator('#import');
  await choose(page, {
    name: 'picture.png',
    mimeType: 'image/png',
    buffer: Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0]),
  });
  await card.getByText('“picture.png” is not an export that Footfall knows.').waitFor();
  expect(await card.getByRole('button', { name: 'Import', exact: true }).count()).toBe(0);
  await card.getByRole('button', { name: 'Choose other files' }).click();
  await choose(page, textFile('later.csv', 'date,pageviews\n2099-01-01,5\n'));
  await card.getByText('The file has days up to 1 Jan 2099.').waitFor();
  expect(await card.getByRole('button', { name: 'Import', exact: true }).count()).toBe(0);

  const { account, user } = await createAccount(
    directory,
    { email: 'reader@example.com', password: PASSWORD },
    server.clock.now,
  );
  await directory.db.deleteFrom('accounts').where('id', '=', account.id).execute();
  const place = { role: 'viewer' as const, siteIds: null };
  await addMember(directory.db, { accountId: site.account_id, userId: user.id, place }, server.clock.now);
  const context = await browser.newContext();
  await enter(context, { url: server.url, cookie: await server.logIn('reader@example.com') });
  const reader = await context.newPage();
  await reader.goto(`${server.url}/example.com/settings`);
  await reader.locator('[data-section="Snippet"]').waitFor();
  const index = reader.getByRole('navigation', { name: 'Site settings' });
  expect(await index.getByRole('link').allTextContents()).toEqual(['General', 'Reports and alerts']);
  await reader.goto(`${server.url}/example.com/settings#import`);
  await reader.getByText('Only owners and admins of the account can see and change this.').waitFor();
  expect(await reader.locator('#import, [data-section="Import"]').count()).toBe(0);
  expect(troubles).toEqual([]);
});
