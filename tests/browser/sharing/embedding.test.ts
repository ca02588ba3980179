// A shared dashboard, and pieces of one, within a page of another website.
import { readCatalogue } from '../../../languages/compiler/catalogues.ts';
import { expect, it } from 'vitest';
import { createShareLink, revokeShareLink } from '../../../server/sites/sharing/share.ts';
import { heightOfPiece, type Piece } from '../../../server/vocabulary/settings/pieces.ts';
import { codeFor } from '../../../src/lib/settings/sharing/piece-code.ts';
import { funnels } from '../../../server/sites/definitions/funnels.ts';
import { violations } from '../../setup/browser/axe.ts';
import { openDashboard } from '../../setup/browser/dashboard.ts';
import { openWebsite } from './website.ts';

const [GERMAN, FRENCH] = [readCatalogue('de'), readCatalogue('fr')];

it('a dashboard is live and in the theme that the page asks for, once its link allows it, and leads out of the frame', async () => {
  await using website = await openWebsite();
  const { origin } = website;
  await using opened = await openDashboard();
  const { page, server, browser } = opened;
  const dialog = page.locator('dialog[open]');
  const [numbers, ofCode] = [
    dialog.locator('form').getByLabel('Language and region'),
    dialog.locator('.code').getByLabel('Language and region'),
  ];
  const make = async (hosts: string, region: string) => {
    await numbers.selectOption(region);
    const embed = dialog.getByLabel('Websites that may show it in a frame');
    await embed.fill(hosts);
    await dialog.getByRole('button', { name: 'Create link' }).click();
    await dialog.locator(`li:nth-child(${hosts ? 2 : 1})`).waitFor();
    expect([await embed.inputValue(), await numbers.inputValue()]).toEqual(['', '']);
    return await dialog.locator('[data-token]').innerText();
  };
  await page.getByRole('button', { name: 'Share' }).click();
  const pieces = dialog.getByRole('button', { name: 'Live pieces for other pages' });
  const closed = await make('', '');
  expect(await pieces.count()).toBe(0);
  const german = await make(`${origin}/blog, blog.example`, 'de-DE');
  const open = german.replace(/\?lang=de-DE$/, '');
  expect(german).not.toBe(open);
  expect(
    await dialog
      .locator('li')
      .filter({ hasText: `in frames of ${website.host}, blog.example` })
      .count(),
  ).toBe(1);
  await pieces.click();
  const preview = dialog.frameLocator('[data-piece-preview]');
  await preview.getByRole('heading', { name: GERMAN['Unique visitors'] as string }).waitFor();
  await dialog.getByLabel('Piece').selectOption('list');
  await dialog.getByLabel('List of').selectOption('source');
  await dialog.getByLabel('Rows').selectOption('3');
  await preview.getByRole('heading', { name: GERMAN['Source'] as string }).waitFor();
  expect(await dialog.locator('[data-piece-code]').innerText()).toContain(
    `src="${open}?piece=list&#38;dimension=source&#38;rows=3&#38;lang=de-DE"`,
  );
  // As the link, until another region is chosen.
  await ofCode.selectOption('');
  expect(await dialog.locator('[data-piece-code]').innerText()).not.toContain('lang');
  await ofCode.selectOption('fr-FR');
  expect(await dialog.locator('[data-piece-preview]').getAttribute('src')).toContain('&lang=fr-FR');
  await dialog.getByLabel('Colours').last().selectOption('light');
  await dialog.getByLabel('Piece').selectOption('dashboard');
  await dialog.getByRole('tab', { name: 'WordPress' }).click();
  const code = await dialog.locator('[data-piece-code]').innerText();
  expect(code).toContain(`src="${open}?lang=fr-FR&#38;theme=light"`);

  Object.assign(website.pages, {
    '/dark': code.replace('theme=light', 'theme=dark'),
    '/light': code,
    '/closed': code.replace(open, closed),
  });
  const context = await browser.newContext({ viewport: { width: 1000, height: 1700 }, colorScheme: 'light' });
  await using reader = { page: await context.newPage(), [Symbol.asyncDispose]: () => context.close() };
  const frame = reader.page.frameLocator('iframe');
  for (const theme of ['dark', 'light']) {
    await reader.page.goto(`${origin}/${theme}`);
    await frame.locator('[data-panel="pages"]:not([data-state="loading"])').waitFor();
    expect(await frame.locator('html').getAttribute('data-theme')).toBe(theme);
    // The address changes with the view, and pages load again by themselves after an update of the server.
    await frame.getByRole('button', { name: FRENCH['Previous period'] as string, exact: true }).click();
    const inside = () => reader.page.frames()[1]?.evaluate(() => location.search);
    await expect.poll(inside).not.toContain('theme');
    await reader.page.frames()[1]?.evaluate(() => location.reload());
    await frame.locator('[data-panel="pages"]:not([data-state="loading"])').waitFor();
    expect(await frame.locator('html').getAttribute('data-theme')).toBe(theme);
  }
  await frame.locator('[data-live="current_visitors"]').filter({ hasText: 'moins de 3' }).waitFor();
  const [home] = await Promise.all([
    context.waitForEvent('page'),
    frame.getByRole('link', { name: FRENCH['Counted by Footfall'] as string }).click(),
  ]);
  await home.waitForURL(`${server.url}/`);
  await home.getByRole('heading', { level: 1 }).waitFor();

  const refused = reader.page.waitForEvent('console', (message) => message.text().includes('frame-ancestors'));
  await reader.page.goto(`${origin}/closed`);
  await refused;
  expect(opened.troubles).toEqual([]);
});

it('pieces are live in a page with a strict policy, as high as their frames from the start, and end with their link', async () => {
  let stats = '';
  await using website = await openWebsite(() => `default-src 'none'; script-src ${stats}; frame-src ${stats}`);
  await using opened = await openDashboard({ isBlank: true });
  const { server, site, browser, view } = opened;
  stats = server.url;
  const { directory } = server.app.services;
  const now = server.clock.now;
  const shows = { fewest: 1, embedded_on: [website.host] };
  const { token, id: linkId } = await createShareLink(directory, { siteId: site.id, name: 'blog', shows }, now);
  const steps = ['/', '/pricing'].map((path) => ({ kind: 'page' as const, page: path }));
  const definition = { steps, within: 'visit', order: 'any_between' } as const;
  const funnel = await funnels.create(directory, { siteId: site.id, name: 'To prices', definition }, now);
  const address = `${stats}/share/${token}`;
  const period = 'today' as const;
  const asked = {
    figure: { piece: 'figure', metric: 'pageviews', period },
    chart: { piece: 'chart', period },
    list: { piece: 'list', rows: 3, period, dimension: 'browser' },
    map: { piece: 'map', period },
    funnel: { piece: 'funnel', period, funnel: funnel.id },
    live: { piece: 'live' },
    wall: { piece: 'wall' },
    overview: { piece: 'overview', period },
  } as const;
  const names = Object.keys(asked) as (keyof typeof asked)[];
  const frames = names.map((piece) => codeFor('html', { address, asked: asked[piece], theme: 'auto', steps: 2 }));
  website.pages['/blog'] = frames.join('\n').replaceAll(' loading="lazy"', '');
  const context = await browser.newContext({ viewport: { width: 700, height: 4200 }, colorScheme: 'light' });
  const reader = await context.newPage();
  const said: string[] = [];
  reader.on('console', (message) => said.push(message.text()));
  reader.on('pageerror', (error) => said.push(error.message));
  await reader.goto(`${website.origin}/blog`);
  const frameOf = (piece: Piece) => reader.frameLocator(`iframe[src*="piece=${piece}"]`);
  const totalOf = (piece: Piece) => frameOf(piece).locator('.total b');

  // Their scripts have run: a script of the page has told each its theme.
  for (const piece of names) await frameOf(piece).locator('html[data-theme=light]').waitFor();
  const heights = await reader.$$eval('iframe', (all) => all.map((frame) => [frame.height, frame.offsetHeight]));
  expect(heights).toEqual(
    names.map((piece) => {
      const height = piece === 'map' ? 349 : heightOfPiece(asked[piece], 2); // one line of names fits
      return [String(heightOfPiece(asked[piece], 2)), piece === 'list' ? height - 34 : height]; // there are two browsers
    }),
  );
  expect(await totalOf('figure').innerText()).toBe('3');
  await totalOf('live').filter({ hasText: /^2$/ }).waitFor();
  const wall = frameOf('wall');
  const sayOf = async (section: string) => (await wall.locator(section).innerText()).split(/\s+/).join(' ');
  await totalOf('wall').filter({ hasText: /^2$/ }).waitFor();
  await expect.poll(() => sayOf('.pages')).toBe('Pages now / 1 /pricing 1');
  for (const piece of names) {
    const inside = reader.frames().find((frame) => frame.url().includes(`piece=${piece}`));
    expect([piece, await inside?.evaluate(() => document.querySelector('main')?.ariaLabel)]).toEqual([
      piece,
      expect.stringMatching(/^(Page views|Unique visitors|Browser|To prices|Visitors now)/),
    ]);
  }

  await view(
    '/pricing',
    {},
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36',
  );
  await totalOf('figure').filter({ hasText: /^4$/ }).waitFor();
  await totalOf('live').filter({ hasText: /^3$/ }).waitFor();
  await totalOf('wall').filter({ hasText: /^3$/ }).waitFor();
  await totalOf('overview').filter({ hasText: /^3$/ }).waitFor();
  await frameOf('overview').locator('.figures dd b').nth(2).filter({ hasText: /^4$/ }).waitFor();
  await wall.locator('.figures dd b').first().filter({ hasText: /^3$/ }).waitFor();
  await expect.poll(() => sayOf('.pages')).toBe('Pages now /pricing 2 / 1');
  expect(await sayOf('.figures')).toBe('Today Unique visitors 3 Page views 4 Visits 3');
  await frameOf('list').locator('li').nth(2).waitFor();
  await expect
    .poll(() => reader.locator('iframe[src*="piece=list"]').evaluate((frame) => frame.clientHeight))
    .toBe(191);

  await reader.evaluate(() => document.documentElement.setAttribute('bgcolor', ''));
  await reader.evaluate(() => (document.body.style.background = 'oklch(0.2 0.02 240)'));
  for (const piece of names) await frameOf(piece).locator('html[data-theme=dark]').waitFor();
  expect(await context.cookies()).toEqual([]);
  expect(said).toEqual([]);
  const alone = await context.newPage();
  await alone.goto(`${address}?piece=chart&period=today`);
  expect(await violations(alone)).toEqual([]);

  await revokeShareLink(directory, { siteId: site.id, linkId }, server.clock.now);
  for (const piece of names) await frameOf(piece).getByText('There is no such shared dashboard.').waitFor();
});
