// The live view on a wall screen: complete as soon as it opens, moving with each arrival, and not cut off on any screen.
import { expect, test } from 'vitest';
import { goals } from '../../../server/sites/definitions/goals.ts';
import { configureSite } from '../../../server/sites/sites.ts';
import { createShareLink } from '../../../server/sites/sharing/share.ts';
import { NO_RULES, type Part } from '../../../server/vocabulary/settings/share-links.ts';
import type { EventId } from '../../../server/vocabulary/event.ts';
import { HOUR_MS, MINUTE_MS } from '../../../server/vocabulary/time/time.ts';
import { resize } from '../../setup/browser/chromium.ts';
import { NOON } from '../../setup/clock.ts';
import { hexId, makeEvent, makeVitals } from '../../setup/event.ts';
import { openDashboard } from '../../setup/browser/dashboard.ts';

const WALLS = [
  { width: 1920, height: 1080 },
  { width: 1024, height: 768 },
  { width: 1080, height: 1920 },
];

test('the wall is complete as soon as it opens, shows arrivals and goals, filters, and fits every screen', async () => {
  await using dashboard = await openDashboard({ traffic: false, isBlank: true });
  const { server, site, browser, context } = dashboard;
  const { directory } = server.app.services;
  const arrive = async (visitor: string, more: Parameters<typeof makeEvent>[0] = {}) => {
    const event = makeEvent({ site_id: site.id, visitor, source: 'Google', time: server.clock.now, ...more });
    await server.app.collector.record([event], server.clock.now);
  };
  const definition = { kind: 'event' as const, event: 'signup', props: {} };
  const goal = await goals.create(directory, { siteId: site.id, name: 'Sign up', definition }, server.clock.now);
  await arrive('ada', { page: '/pricing', country: '' });
  await arrive('bob', { page: '/', country: '' });
  await server.settle();

  const wall = await browser.newContext({
    storageState: await context.storageState(),
    viewport: WALLS[0] ?? null,
    reducedMotion: 'no-preference',
  });
  const page = await wall.newPage();
  // Records what the wall shows first, and counts the rings on its map.
  await page.addInitScript(() => {
    const kept = Object.assign(globalThis, { first: undefined as unknown, rings: 0 });
    const valueOf = (selector: string) => document.querySelector(selector)?.getAttribute('data-value');
    new MutationObserver((changes) => {
      if (document.querySelector('.wall'))
        kept.first ??= {
          now: valueOf('[data-live="current_visitors"]'),
          today: valueOf('[data-today="unique_visitors"]'),
          page: valueOf('[data-panel="live_pages"] [data-row="/pricing"]'),
        };
      for (const { addedNodes } of changes)
        for (const node of addedNodes) if (node instanceof Element && node.hasAttribute('data-ring')) kept.rings += 1;
    }).observe(document, { childList: true, subtree: true });
  });
  await page.goto(`${server.url}/example.com/live`);
  await page.waitForSelector('[data-panel="live_map"] [data-rings]', { state: 'attached' });
  await page.waitForSelector('[data-connection][data-state="online"]');
  const kept = <Name extends 'first' | 'rings'>(name: Name) =>
    page.evaluate((key) => (globalThis as unknown as Record<string, unknown>)[key], name);
  expect(await kept('first')).toEqual({ now: '2', today: '2', page: '1' });
  await page.getByText('No goal has been reached yet today.').waitFor();
  const legend = page.locator('[data-panel="live_map"] [data-legend]');
  expect(await legend.isVisible()).toBe(false);

  await arrive('cy', { page: '/pricing', country: 'BR', region: 'BR-SP' });
  await page.waitForSelector('[data-panel="live_countries"] [data-row="BR"][data-value="1"]');
  await page.waitForFunction(() => (globalThis as unknown as { rings: number }).rings === 1);
  await expect.poll(() => page.locator('[data-panel="live_activity"]').innerText()).toContain('1 view');
  expect(await page.locator('[data-panel="live_activity"]').innerText()).not.toMatch(/Brazil|Google/);
  await arrive('cy', { page: '/pricing', name: 'signup', country: 'BR', region: 'BR-SP' });
  await server.settle();
  await page.waitForSelector(`[data-panel="live_goals"] [data-row="${goal.id}"][data-value="1"]`);
  await page.waitForSelector('[data-today="unique_visitors"][data-value="3"]');
  await page.waitForSelector('[data-panel="live_map"] [data-place="BR"].lit');
  expect(await legend.isVisible()).toBe(true);

  // Nothing scrolls, and no card is cut off.
  for (const size of WALLS) {
    await resize(page, size);
    const shape = () =>
      page.evaluate(() => ({
        spare: document.documentElement.scrollHeight - document.documentElement.clientHeight,
        low: [...document.querySelectorAll('[data-panel]')]
          .filter((card) => card.clientHeight < 90 || card.getBoundingClientRect().bottom > innerHeight)
          .map((card) => card.getAttribute('data-panel')),
        wide: [...document.querySelectorAll('[data-panel] ol, [data-panel] dl')]
          .filter((list) => list.scrollWidth > list.clientWidth)
          .map((list) => list.closest('[data-panel]')?.getAttribute('data-panel')),
      }));
    await expect.poll(shape, { message: JSON.stringify(size) }).toEqual({ spare: 0, low: [], wide: [] });
  }

  await page.click('[data-panel="live_countries"] [data-row="BR"] a');
  await page.waitForURL((url) => url.pathname === '/example.com' && url.searchParams.get('f') === 'is:country:BR');

  // A viewer of a share link gets no goal that fewer than three visitors reached.
  const link = await createShareLink(directory, { siteId: site.id, name: 'wall' }, server.clock.now);
  const guest = await (await browser.newContext()).newPage();
  await guest.goto(`${server.url}/share/${link.token}/live`);
  await guest.getByText('No goal has been reached yet today.').waitFor();
  for (const visitor of ['dan', 'eve']) await arrive(visitor, { name: 'signup' });
  await server.settle();
  server.clock.now += 20_000; // a shared dashboard leaves out the last ten seconds
  await guest.waitForSelector(`[data-panel="live_goals"] [data-row="${goal.id}"][data-value="3"]`);
  expect(dashboard.troubles).toEqual([]);
});

test('the wall of a site with a visit an hour shows the day, and who is there above it', async () => {
  await using dashboard = await openDashboard({ traffic: false, now: NOON, isBlank: true });
  const { page, server, site } = dashboard;
  const arrive = async (visitor: string, time: number, more: Parameters<typeof makeEvent>[0] = {}) => {
    const event = makeEvent({ site_id: site.id, visitor, source: 'Google', country: 'DE', time, ...more });
    await server.app.collector.record([event], time);
  };
  const { now } = server.clock;
  for (const ago of [1, 2, 3]) await arrive(`visitor ${ago}`, now - ago * HOUR_MS, { page: '/pricing' });
  await server.settle();
  await page.setViewportSize({ width: 1920, height: 1080 });
  await page.goto(`${server.url}/example.com/live`);
  await page.waitForSelector('[data-live="current_visitors"][data-value="0"]');
  const listed = (panel: string) =>
    page.$$eval(`[data-panel="live_${panel}"] [data-of-day]`, (rows) =>
      rows.map(
        (row) =>
          `${row.getAttribute('data-of-day')} ${row.querySelector('strong')?.textContent.trim().split(/\s+/)[0]}`,
      ),
    );
  await expect.poll(() => listed('pages')).toEqual(['/pricing 3']);
  await expect.poll(() => listed('sources')).toEqual(['Google 3']);
  await expect.poll(() => listed('countries')).toEqual(['DE 3']);
  await expect.poll(() => page.locator('[data-panel="live_pages"] h2').innerText()).toBe('Pages today');
  // Rows of the day are no live rows.
  expect(await page.locator('[data-panel="live_pages"][data-state="empty"] [data-row]').count()).toBe(0);

  // A source that no list knows is stored in lower case, and shown as it is spelled.
  await arrive('dan', server.clock.now, { page: '/', source: 'no code', utm_source: 'No Code' });
  await server.settle();
  await page.waitForSelector('[data-panel="live_sources"] [data-row="No Code"][data-value="1"]');
  await page.waitForSelector('[data-panel="live_pages"][data-state="ready"] [data-row="/"][data-value="1"]');
  await expect.poll(() => page.locator('[data-panel="live_pages"] h2').innerText()).toBe('Pages now');
  // With so few visitors, what the day has had follows below.
  await expect.poll(() => listed('pages')).toEqual(['/pricing 3']);
  expect(await page.locator('[data-panel="live_pages"] ol').innerText()).toMatch(/^\/[^]*Earlier today[^]*\/pricing/);
  expect(dashboard.troubles).toEqual([]);
});

test('the wall says how fast pages feel, where the site measures it', async () => {
  await using dashboard = await openDashboard({ traffic: false, isBlank: true });
  const { page, server, site } = dashboard;
  const { directory } = server.app.services;
  const about = { site_id: site.id, time: server.clock.now - MINUTE_MS };
  const vitals = [1000, 2610, 2610].map((lcp, index) => ({
    ...makeVitals({ ...about, event_id: hexId(index + 1) as EventId, lcp, inp: null, cls: 0.3 }),
    visit_id: 1n,
    entry_page: '/',
    import_id: '',
  }));
  await server.app.store.insert({ events: [], ai_visits: [], vitals }, 'measured');
  await configureSite(directory, { siteId: site.id, settings: { vitals: true } }, server.clock.now);
  await page.goto(`${server.url}/example.com/live`);
  const felt = page.locator('[data-panel=live_speed]');
  await felt.locator('[data-speed=lcp]').waitFor();
  expect(await felt.locator('dl > div').allTextContents()).toEqual([
    expect.stringMatching(/^LCP\s+2\.6 s\s+needs improvement$/),
    expect.stringMatching(/^CLS\s+0\.3\s+poor$/),
  ]);
  expect(await felt.locator('[data-speed=lcp]').getAttribute('data-value')).toBe('2620');
  expect(dashboard.troubles).toEqual([]);
});

test('the wall of a link has the cards that the link shows, which share the room, and asks for nothing else', async () => {
  await using dashboard = await openDashboard({ isBlank: true });
  const { server, site, page } = dashboard;
  const { directory } = server.app.services;
  const refused: string[] = [];
  page.on('response', (response) => void (response.status() < 400 || refused.push(response.url())));
  const cards: [parts: Part[], cards: string[]][] = [
    [[], []],
    [['pages'], ['pages', 'activity']],
    [['goals'], ['goals']],
    [
      ['sources', 'places'],
      ['map', 'sources', 'countries'],
    ],
    [
      ['places', 'pages'],
      ['map', 'pages', 'countries', 'activity'],
    ],
    [
      ['places', 'pages', 'goals'],
      ['map', 'pages', 'countries', 'goals', 'activity'],
    ],
  ];
  for (const [parts, names] of cards) {
    const rules = { ...NO_RULES, parts: ['live' as const, ...parts] };
    const asked = { siteId: site.id, name: 'few', shows: { fewest: 1 }, rules };
    const link = await createShareLink(directory, asked, server.clock.now);
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.goto(`${server.url}/share/${link.token}/live`);
    await page.locator('[data-today="unique_visitors"][data-value="2"]').waitFor();
    const panels = await page.locator('main > [data-panel]').all();
    const shown = await Promise.all(panels.map(async (panel) => (await panel.getAttribute('data-panel')) ?? ''));
    expect(shown).toEqual(['today', ...names].map((name) => `live_${name}`));
    if (names.length === 0) continue;
    for (const width of [1280, 1080]) {
      await resize(page, { width, height: width === 1080 ? 1920 : 900 });
      const room = await page.locator('main').boundingBox();
      const last = await panels.at(-1)?.boundingBox();
      expect([names, (last?.x ?? 0) + (last?.width ?? 0), (last?.y ?? 0) + (last?.height ?? 0)]).toEqual([
        names,
        (room?.x ?? 0) + (room?.width ?? 0),
        (room?.y ?? 0) + (room?.height ?? 0),
      ]);
    }
  }
  expect(refused).toEqual([]);
});
