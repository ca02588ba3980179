// From a new site to its first visit, and the three next steps: each is done in one click, can be taken back, and never comes again.
import { expect, it } from 'vitest';
import { openInternet } from '../../setup/internet/internet.ts';
import { openDashboard } from '../../setup/browser/dashboard.ts';
import { pngOf } from '../../setup/browser/images.ts';

const WITH_MAIL = { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'Footfall <footfall@stats.example>' };

it('proposes time zone, currency and icon, then a goal, a report and a link', async () => {
  await using internet = await openInternet((_request, response) => void response.end(pngOf(64, 64)));
  const options = { traffic: false, env: WITH_MAIL, network: internet.network, timezone: 'Europe/Vienna' };
  await using dashboard = await openDashboard({ ...options, locale: 'en-AT', isBlank: true });
  const { server, context } = dashboard;
  const { directory } = server.app.services;
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const { page } = dashboard;
  const click = (name: string) => page.getByRole('button', { name, exact: true }).click();

  await page.goto(`${server.url}/sites/new`);
  await page.getByText('Its days begin at midnight in Europe/Vienna.').waitFor();
  await page.getByText('Its currency is Euro.').waitFor();
  await click('Decide later');
  await page.getByText('The first payment proposes the currency.').waitFor();
  await page.reload();
  await page.fill('[name=domain]', 'shop.example.org');
  await click('Add site');
  await page.waitForSelector('h1 .shown img[src^="/icons/shop.example.org/"]');
  const site = await directory.db.selectFrom('sites').selectAll().where('domain', '=', 'shop.example.org').execute();
  expect(site).toMatchObject([{ timezone: 'Europe/Vienna', expected_currency: 'EUR', currency: null }]);

  const visit = (path: string) =>
    server.foot({ site: 'shop.example.org', name: 'pageview', url: `https://shop.example.org${path}` });
  await visit('/');
  await click('Open the dashboard');
  const step = (name: string) => page.locator(`[data-next-step=${name}]`);
  await step('goal').getByText('A goal is proposed here once visitors have seen more than the front page').waitFor();
  await visit('/pricing');
  await step('goal').getByText('Count visits to /pricing as a goal').waitFor();
  expect(await page.locator('[data-metric=revenue]').count()).toBe(0);

  await click('Count it');
  await step('goal').getByText('“View of /pricing” is a goal of this site now.').waitFor();
  await page.getByRole('heading', { name: 'Three next steps' }).waitFor();
  await step('report').getByText('Get a summary every Monday at owner@example.com').waitFor();
  await click('Mail it to me');
  const mailed = step('report').getByText('A summary comes every Monday to owner@example.com.');
  await mailed.waitFor();
  await step('report').getByRole('button', { name: 'Undo' }).click();
  await click('Mail it to me');
  await mailed.waitFor();
  await click('Make the link');
  await step('link').getByText('Copied. Anyone with this link sees this dashboard:').waitFor();
  const address = await step('link').locator('[data-token]').innerText();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(address);

  const { db } = directory;
  const whole = await Promise.all([
    db.selectFrom('goals').select(['name', 'definition']).execute(),
    db.selectFrom('reports').select(['name', 'frequency', 'hour', 'timezone', 'personal']).execute(),
    db.selectFrom('share_links').select('name').execute(),
  ]);
  expect(whole).toEqual([
    [{ name: 'View of /pricing', definition: '{"kind":"page","page":"/pricing"}' }],
    [{ name: 'shop.example.org', frequency: 'weekly', hour: 8, timezone: 'Europe/Vienna', personal: 1 }],
    [{ name: 'Anyone with the link' }],
  ]);
  await expect
    .poll(() => db.selectFrom('arrangements').select('content').execute())
    .toEqual([{ content: '{"next_steps":["goal","report","link"]}' }]);
  await page.reload();
  await page.waitForSelector('[data-panel="pages"][data-state="ready"]');
  expect(await page.locator('[data-next-steps]').count()).toBe(0);
  await page.goto(address);
  await page.waitForSelector('[data-panel="pages"]:not([data-state="loading"])');
  expect(await page.locator('[data-next-steps]').count()).toBe(0);
  expect(dashboard.troubles).toEqual([]);
});

it('a step that is not wanted goes, and with the last one the card', async () => {
  await using dashboard = await openDashboard({ isNew: true });
  const { page } = dashboard;
  const { db } = dashboard.server.app.services.directory;
  await page.getByRole('heading', { name: 'Two next steps' }).waitFor(); // there is no mail
  await page.locator('[data-next-step=goal]').getByRole('button', { name: 'No, thanks' }).click();
  await page.getByRole('heading', { name: 'Next step', exact: true }).waitFor();
  await page.locator('[data-next-step=link]').getByRole('button', { name: 'No, thanks' }).click();
  await page.waitForSelector('[data-next-steps]', { state: 'detached' });
  await expect
    .poll(() => db.selectFrom('arrangements').select('content').execute())
    .toEqual([{ content: '{"next_steps":["goal","link"]}' }]);
  await page.reload();
  await page.waitForSelector('[data-panel="pages"][data-state="ready"]');
  expect(await page.locator('[data-next-steps]').count()).toBe(0);
});
