// Goals in the browser: an event becomes a goal, visitors reach it while somebody watches, and it filters the dashboard.
import { expect, it } from 'vitest';
import { goals as definitions } from '../../../server/sites/definitions/goals.ts';
import { holdSocket, openDashboard, ready } from '../../setup/browser/dashboard.ts';

const CHROME = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';
const goals = '[data-panel="goals"]';
const strip = '[data-goals]';

it('turns an event into a goal, shows visitors reach it live, and filters every panel by it', async () => {
  await using dashboard = await openDashboard();
  const { page, server, view, troubles } = dashboard;
  const send = async (name: string, path: string) => {
    const url = `https://example.com${path}`;
    await server.foot({ site: 'example.com', name, url }, { 'user-agent': CHROME });
    await server.settle();
  };
  await view('/docs/start', {}, CHROME);
  await send('signup', '/docs/start');
  await ready(page, 'goals');
  await page.waitForSelector(`${strip}[data-state="empty"] button:has-text("New goal")`);

  // One click turns a received event into a goal.
  await page.click(`${goals} [data-offered="signup"][data-value="1"] button`);
  await page.waitForSelector(`${goals} [data-row="signup"][data-value="1"]`);
  await page.waitForSelector(`${goals} [data-offered]`, { state: 'detached' });

  // A second goal is made in the form, which previews its count.
  await page.click(`${goals} button:has-text("New goal")`);
  await page.selectOption('dialog [name=kind]', 'page');
  await page.fill('dialog [name=page]', '/docs/**');
  await page.waitForSelector('dialog [data-preview="1"]');
  expect(await page.inputValue('dialog [name=name]')).toBe('View of /docs/**');
  await page.fill('dialog [name=name]', 'Read the docs');
  await page.click('dialog [type=submit]');
  await page.waitForSelector(`${goals} [data-row="Read the docs"][data-value="1"]`);

  // A third goal says that its event was never received.
  await page.click(`${goals} button:has-text("New goal")`);
  await page.fill('dialog [name=event]', 'refund');
  await page.waitForSelector('dialog [data-preview="0"]');
  await page.click('dialog [type=submit]');
  await page.waitForSelector(`${goals} [data-row="refund"]:has-text("its event was never received")`);

  // A visitor converts while the dashboard is open.
  await send('signup', '/docs/start');
  await page.waitForSelector(`${goals} [data-row="signup"][data-value="2"]`);
  await page.waitForSelector(`${strip} [data-goal][data-value="2"]:has-text("signup")`);

  // One of three visitors has signed up: from a page that nobody else saw.
  await page.click(`${goals} [data-row="signup"] button`);
  await page.waitForSelector('[data-metric="conversions"][data-value="2"]');
  await page.waitForSelector('[data-panel="pages"] [data-row="/docs/start"]:has-text("100%")');
  expect(await page.locator('[data-panel="pages"] [data-row]').count()).toBe(1);
  const rate = await page.getAttribute('[data-metric="conversion_rate"]', 'data-value');
  expect(Number(rate)).toBeCloseTo(100 / 3);
  await page.waitForSelector('[data-panel="devices"] [data-row="Chrome"]:has-text("100%")');
  expect(await page.locator('button:has-text("Goal is signup")').count()).toBeGreaterThan(0);
  await page.waitForSelector(`${goals} [data-row="Read the docs"][data-value="1"]`); // the others keep their numbers
  await page.click('[data-metric="conversions"]');
  await page.waitForURL(/metric=conversions/);

  // The row of a page offers to make it a goal.
  await page.hover('[data-panel="pages"] [data-row]');
  await page.click('[data-panel="pages"] [data-row] [aria-label="Create a goal for /docs/start"]');
  await page.waitForSelector('dialog [data-preview="1"]');
  expect(await page.inputValue('dialog [name=page]')).toBe('/docs/start');
  await page.click('dialog [aria-label=Close]');

  // A goal is renamed and deleted, and its event is offered again.
  await page.click(`${goals} button:has-text("Edit")`);
  await page.fill('dialog [aria-label="Name of signup"]', 'Signed up');
  await page.press('dialog [aria-label="Name of signup"]', 'Enter');
  await page.waitForSelector(`${goals} [data-row="Signed up"]`, { state: 'attached' });
  await page.click('dialog [aria-label="Move Signed up down"]');
  await page.waitForSelector('dialog li:nth-child(2) [aria-label="Name of Signed up"]');
  await page.click('dialog [aria-label="Delete Signed up"]');
  await page.click('dialog button:has-text("Delete")');
  await page.waitForSelector(`${goals} [data-offered="signup"][data-value="2"]`, { state: 'attached' });
  expect(troubles).toEqual([]);
});

it('shows as many goals as fit under the figures, filters by them, links to the others, and leaves a phone to their chapter', async () => {
  await using dashboard = await openDashboard({ isBlank: true });
  const { page, server, site, browser, context, troubles } = dashboard;
  const { directory } = server.app.services;
  for (let number = 1; number <= 9; number += 1) {
    const definition = { kind: 'page' as const, page: number === 2 ? '/pricing' : `/step-${number}` };
    await definitions.create(directory, { siteId: site.id, name: `Goal ${number}`, definition }, server.clock.now);
  }
  let isDown = true;
  await holdSocket(page);
  await page.route(/stats\.breakdown/, (route) => (isDown ? route.abort() : route.continue()));
  await page.goto(`${server.url}/example.com`);
  await page.waitForSelector(`${strip}[data-state="failed"]`);
  isDown = false;
  await page.click(`${strip} button:has-text("Try again")`);
  await page.waitForSelector(`${strip}[data-state="ready"]`);

  // In 1,200 pixels, less the borders, there is room for five goals and the button for the others.
  const shown = () =>
    page.$$eval('[data-goals] [data-goal]', (all) => all.map((one) => one.getAttribute('data-value')));
  await expect.poll(shown).toEqual(['0', '1', '0', '0', '0']);
  await page.waitForSelector(`${strip} [data-goal]:has-text("Goal 2"):has-text("50%")`);
  await page.click(`${strip} button:has-text("4 more")`);
  await page.waitForSelector(`${goals}:focus-within`);
  await page.click(`${strip} [data-goal]:has-text("Goal 2")`);
  await page.waitForSelector('[data-metric="unique_visitors"][data-value="1"]');
  expect(await page.getAttribute(`${strip} [data-goal]:has-text("Goal 2")`, 'aria-pressed')).toBe('true');

  const phone = await browser.newContext({
    viewport: { width: 390, height: 844 },
    isMobile: true,
    hasTouch: true,
    storageState: await context.storageState(),
  });
  const touched = await phone.newPage();
  await touched.goto(`${server.url}/example.com`);
  await touched.waitForSelector(`${goals} [data-row="Goal 2"]`); // the chapter alone: the strip would stand before the pages
  expect(await touched.locator(strip).isVisible()).toBe(false);
  const over = () => touched.$eval('html', ({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
  await expect.poll(over).toBe(0);

  // On a phone, a page becomes a goal in its card.
  await touched.goto(`${server.url}/example.com?details=page&row=/pricing`);
  const flag = touched.locator('dialog [aria-label="Create a goal for /pricing"]');
  await flag.waitFor();
  await expect.poll(() => flag.boundingBox()).toMatchObject({ width: 44, height: 44 }); // its dialog opens a little smaller
  await flag.tap();
  await touched.waitForSelector('dialog [data-preview="1"]');
  await touched.tap('dialog [type=submit]');
  await touched.waitForSelector('dialog [type=submit]', { state: 'detached' });
  await touched.tap('dialog [aria-label=Close]');
  await touched.waitForSelector(`${goals} [data-row="View of /pricing"][data-value="1"]`);
  expect(troubles).toEqual([]);
});
