// Checks every screen with axe: names, roles, contrast in both themes, and targets large enough for a thumb.
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { violations } from '../../setup/browser/axe.ts';
import { drawn, resize, roomsFilled } from '../../setup/browser/chromium.ts';
import { makeAiVisit } from '../../setup/event.ts';
import { follow, openDashboard, ready, shareDashboard } from '../../setup/browser/dashboard.ts';

/** The minimum that phone makers recommend; WCAG 2.2 AA requires 24. */
const THUMB_PX = 40;
/** WCAG 2.2 AA. */
const POINTER_PX = 24;

/** Opens a screen, and waits until it is complete. */
const SCREENS: { path: string; shows: string; open?: (page: Page) => Promise<unknown> }[] = [
  { path: '/', shows: '[data-state="ready"] [data-site]' },
  { path: '/sites/new', shows: '[name=domain]' },
  { path: '/sites/new?site=example.com', shows: '[data-snippet]' },
  {
    path: '/example.com',
    shows: '[data-panel="ai"][data-state="empty"] [open] code',
    open: async (page) => {
      await page.locator('[data-panel="ai"]').evaluate((panel) => panel.scrollIntoView());
      await page.getByText('Three ways to record them').click();
    },
  },
  { path: '/example.com?f=is:source:Google', shows: '[aria-label="Filters"]' },
  {
    path: '/example.com?f=is:country:DE',
    shows: '[data-panel="places"] [data-place="DE-BE"]',
    open: (page) => page.locator('[data-panel="places"]').scrollIntoViewIfNeeded(), // the map loads when it is near
  },
  {
    path: '/example.com?journey=page:/',
    shows: '[data-panel="journeys"][data-state="ready"] [data-block]',
    open: (page) => page.$eval('[data-panel="journeys"]', (panel) => panel.scrollIntoView()),
  },
  { path: '/example.com/live', shows: '[data-panel="live_pages"] [data-row]' },
  { path: '/example.com?details=page', shows: 'dialog tr:has([data-trend]) [data-column]' },
  {
    path: '/example.com?details=page&row=/',
    shows: 'dialog [data-part="Sources"][data-state="ready"]',
  },
  { path: '/example.com', shows: 'dialog [role=option]', open: (page) => page.keyboard.press('/') },
  { path: '/example.com', shows: 'dialog [aria-label="Dimension"]', open: (page) => page.keyboard.press('f') },
  { path: '/example.com', shows: 'dialog kbd', open: (page) => page.keyboard.press('?') },
  {
    path: '/example.com',
    shows: '[data-card][data-state="ready"] [data-dropped]',
    open: async (page) => {
      await page.focus('[data-metric="bounce_rate"]');
      await page.keyboard.press('i');
    },
  },
  { path: '/example.com', shows: ':popover-open form', open: (page) => page.keyboard.press('c') },
  {
    path: '/example.com',
    shows: 'dialog [type=date]',
    open: async (page) => {
      await page.getByRole('slider').focus();
      await page.keyboard.press('+');
    },
  },
  {
    path: '/example.com',
    shows: ':popover-open [href="/sites/new"]',
    open: (page) => page.click('[aria-label^="Site: "]'),
  },
  {
    path: '/example.com',
    shows: ':popover-open fieldset',
    open: (page) => page.click('[aria-label="Account and theme"]'),
  },
  { path: '/example.com/settings', shows: '#snippet [role=tabpanel]' },
  { path: '/example.com/settings/counting', shows: '#revenue input' },
  { path: '/example.com/settings/exclusions', shows: '#left-out textarea' },
  { path: '/example.com/settings/goals', shows: '[data-funnels][data-state="ready"]' },
  { path: '/example.com/settings/people', shows: '#transparency textarea' },
  { path: '/example.com/settings/reports', shows: '[data-reports][data-state="ready"]' },
  { path: '/example.com/settings/integrations', shows: '#mentions textarea' },
  { path: '/example.com/settings/data', shows: '[data-imports][data-state="ready"]' },
  { path: '/example.com/settings/danger', shows: '#delete input' },
  { path: '/example.com/settings/access', shows: '[data-access=person]' },
  { path: '/settings/profile', shows: '[data-section="E-mail address"]' },
  { path: '/settings/security', shows: '[data-section="Password"]' },
  { path: '/settings/plan', shows: '[aria-label="Events used"]' },
  { path: '/settings/people', shows: '[data-section="People"] [data-row]' },
  { path: '/settings/log', shows: '[data-section="Log"] [data-row]' },
  { path: '/settings/keys', shows: '[data-section="API keys"]' },
  { path: '/settings/webhooks', shows: '[data-section="Add a webhook"]' },
  { path: '/no.such.site', shows: 'text=There is nothing here' },
];

/** Goes there as people do who are on a page of the dashboard already, which is loaded only once. */
async function show(page: Page, url: string, { path, shows, open }: (typeof SCREENS)[number]): Promise<void> {
  const isOpen = page.url().startsWith(url);
  if (isOpen) await closeAll(page);
  if (!isOpen || path === '/no.such.site') await page.goto(url + path);
  else if (page.url() !== url + path) await follow(page, path);
  if (path.startsWith('/example.com')) await page.waitForSelector('[data-live="current_visitors"], h1:visible');
  if (path === '/example.com') await page.waitForSelector('[data-panel="pages"][data-state="ready"]');
  await page.waitForFunction(() => !document.querySelector('.stale')); // the numbers of the view before are pale
  await open?.(page);
  await page.waitForSelector(shows);
}

/** Dialogs and menus, as people close them. */
async function closeAll(page: Page): Promise<void> {
  const opened = page.locator('dialog[open], :popover-open');
  while ((await opened.count()) > 0) {
    await page.keyboard.press('Escape');
    await drawn(page);
  }
}

describe('of a server that stays as it is', () => {
  const shared = shareDashboard();

  it('axe finds no fault on any screen, in either theme', async () => {
    await using dashboard = await shared({ isBlank: true });
    const outside = await (await dashboard.browser.newContext()).newPage();
    const found: Record<string, string[]> = {};
    const check = async (page: Page, screen: string) => {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        const here = await violations(page, { ofColours: colorScheme === 'dark' });
        if (here.length > 0) found[`${screen}, ${colorScheme}`] = here;
      }
    };
    for (const screen of SCREENS) {
      await show(dashboard.page, dashboard.server.url, screen);
      await check(dashboard.page, `${screen.path} ${screen.shows}`);
    }
    for (const [path, shows] of [
      ['/', 'h1'],
      ['/login', '[name=password]'],
    ] as const) {
      await outside.goto(dashboard.server.url + path);
      await outside.waitForSelector(shows);
      await check(outside, `${path}, signed out`);
    }
    expect(found).toEqual({});
  });

  it('every target on a phone is large enough for a thumb', async () => {
    await using dashboard = await shared({ isBlank: true });
    const state = await dashboard.context.storageState();
    const phone = await dashboard.browser.newContext({
      storageState: state,
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
      reducedMotion: 'reduce',
    });
    const page = await phone.newPage();
    for (const screen of SCREENS.filter(({ open }) => !open || /'c'|scrollIntoView/.test(open.toString()))) {
      await show(page, dashboard.server.url, screen);
      const small = await page.evaluate((least) => {
        const top = document.querySelector('dialog[open], :popover-open') ?? document.body;
        return [...top.querySelectorAll('a[href], button, select, input:not([type=radio])')]
          .filter((element) => !element.closest('p, .notice, .end > span')) // a link in a sentence is as high as its line
          .map((element) => {
            // The label beside a box can be pressed as well.
            const isBox = element.matches('[type=checkbox]:not([role=switch])');
            const pressed = (isBox && element.closest('label')) || element;
            return { element, box: pressed.getBoundingClientRect() };
          })
          .filter(({ element, box }) => {
            // The target of a switch is larger than its picture.
            const more = element.matches('[role=switch]')
              ? -2 * Number.parseFloat(getComputedStyle(element, '::after').top)
              : 0;
            return box.width > 0 && (box.height + more < least || box.width < 24);
          })
          .map(({ element, box }) => `${element.outerHTML.slice(0, 90)} ${box.width} × ${box.height}`);
      }, THUMB_PX);
      expect(small, screen.path).toEqual([]);
    }
  });

  it('what gets the focus is in the window, not under the header, and has an outline, also at 400 %', async () => {
    await using dashboard = await shared();
    const { page } = dashboard;
    await ready(page, 'pages');
    const STEPS = 50;
    for (const size of [
      { width: 320, height: 256 }, // 1280 × 1024 at 400 %
      { width: 390, height: 844 },
      { width: 1280, height: 700 },
    ]) {
      const at = `${size.width} × ${size.height}`;
      await resize(page, size);
      // Panels load when they come into view, and move what is below them.
      await page.waitForFunction(() => {
        const panel = document.querySelector('[data-panel][data-state="loading"]');
        panel?.scrollIntoView();
        return !panel;
      });
      await page.locator('footer :is(a, button)').last().focus();
      const kinds = new Set<string>();
      for (let step = 1; step <= STEPS; step += 1) {
        await page.keyboard.press('Shift+Tab');
        await drawn(page);
        const look = () =>
          page.evaluate(() => {
            const focused = document.activeElement as HTMLElement;
            const box = focused.getBoundingClientRect();
            const hit = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
            const { outlineStyle, outlineWidth } = getComputedStyle(focused);
            const isRow = focused.closest('[data-row]') !== null;
            return {
              name: focused.getAttribute('aria-label') ?? focused.textContent?.trim().slice(0, 40),
              kind: isRow ? 'row' : (focused.getAttribute('role') ?? focused.localName),
              isSwiped: focused.closest('[data-block], .figures') !== null,
              isInside: box.top >= -0.5 && box.bottom <= innerHeight + 0.5,
              isUncovered: focused.contains(hit),
              isOutlined: outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2,
            };
          });
        const { kind, isSwiped } = await look();
        if (isSwiped) continue; // journeys and the row of figures scroll sideways too: they are not looked at here
        kinds.add(kind);
        await expect
          .poll(look, { message: `${at}, step ${step}`, timeout: 5000 })
          .toMatchObject({ isInside: true, isUncovered: true, isOutlined: true });
      }
      expect([...kinds], at).toEqual(expect.arrayContaining(['button', 'a', 'tab', 'row']));
    }
    await page.goto(`${dashboard.server.url}/example.com?details=page`);
    const field = page.locator('dialog input[type=search]');
    await field.focus();
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Tab');
    const outline = await page.$eval('dialog .search:focus-within', (search) => {
      const { outlineStyle, outlineWidth } = getComputedStyle(search); // around the field and its icon
      return [outlineStyle, outlineWidth];
    });
    expect(outline).toEqual(['solid', '3px']);
  });
});

it('the list of keyboard shortcuts scrolls by keyboard in a low window', async () => {
  await using dashboard = await openDashboard({ width: 390, height: 400 });
  const { page } = dashboard;
  await ready(page, 'pages');
  await page.keyboard.press('?');
  await page.waitForSelector('dialog kbd');
  expect(await violations(page)).toEqual([]);
  const content = page.getByRole('region', { name: 'Keyboard shortcuts' });
  await page.keyboard.press('Tab'); // Close
  await page.keyboard.press('Tab');
  await content.and(page.locator(':focus')).waitFor();
  await page.keyboard.press('End');
  await expect.poll(() => content.evaluate(({ scrollTop }) => scrollTop)).toBeGreaterThan(0);
});

it('every target in the head of a panel is large enough for a pointer, in panels on AI agents too', async () => {
  await using dashboard = await openDashboard({ isBlank: true });
  const { page, server, site } = dashboard;
  const seen = makeAiVisit({ site_id: site.id, time: server.clock.now });
  await server.app.collector.record([seen], server.clock.now);
  await server.settle();
  await page.goto(`${server.url}/example.com`);
  for (const width of [1600, 1280, 390]) {
    await resize(page, { width, height: 900 });
    await page.locator('[data-panel="ai"]').evaluate((panel) => panel.scrollIntoView());
    for (const panel of ['ai_pages', 'ai_agents', 'pages']) await ready(page, panel);
    await roomsFilled(page);
    await page.evaluate(() => scrollTo(0, 0)); // no title is half under the header that stays in sight
    const small = await page.$$eval(
      '[data-panel] :is(header, .columns) :is(a[href], button, select)',
      (targets, least) =>
        targets
          .map((target) => ({ target, box: target.getBoundingClientRect() }))
          .filter(({ box }) => box.width > 0 && (box.height < least || box.width < least))
          .map(({ target, box }) => `${target.textContent} ${box.width} × ${box.height}`),
      POINTER_PX,
    );
    expect(small, `${width} pixels`).toEqual([]);
    expect(await violations(page), `${width} pixels`).toEqual([]);
  }
});
