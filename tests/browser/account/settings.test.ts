// The settings that are more than switches: path rules with their preview, and tokens for the site's own server.
import { expect, test } from 'vitest';
import { openDashboard, ready, rowsOf } from '../../setup/browser/dashboard.ts';

const GPTBOT = 'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)';

test('path rules show their effect before they are saved, are not lost unasked, and take effect afterwards', async () => {
  await using dashboard = await openDashboard({ isBlank: true });
  const { page, view, server } = dashboard;
  for (const path of ['/users/1', '/users/2', '/About/']) await view(path);
  await server.settle();
  await page.goto(`${server.url}/example.com/settings/counting`);
  await page.getByText('None of the 5 most viewed pages of the last 30 days would change.').waitFor();

  const patterns = page.getByRole('textbox', { name: 'Groups' });
  await patterns.fill('users/*');
  await page.getByText('Groups, line 1: must begin with a slash, such as /users/*.').waitFor();
  await patterns.fill('/users/*');
  await page.getByText('The 5 most viewed pages of the last 30 days would become 4:').waitFor();
  await page.getByRole('switch', { name: 'Ignore upper and lower case' }).check();
  const rows = page.locator('form [data-row]');
  await rows.nth(1).waitFor();
  await expect
    .poll(() => rows.evaluateAll((all) => all.map((row) => row.getAttribute('data-row'))))
    .toEqual(['/users/*', '/about/']);
  // Another room is another page.
  const asked: string[] = [];
  page.once('dialog', (dialog) => {
    asked.push(dialog.message());
    void dialog.dismiss();
  });
  await page.getByRole('link', { name: 'Integrations' }).click();
  await expect.poll(() => asked).toEqual(['Leave without saving? Your changes are lost.']);
  // The bar keeps the focus, whichever of its buttons goes or has nothing more to do.
  const save = page.getByRole('button', { name: 'Save changes' });
  const isFocused = () => save.evaluate((button) => button === document.activeElement);
  await save.press('Enter');
  await page.getByText('Saved.').waitFor();
  expect(await isFocused()).toBe(true);
  await patterns.fill('/users/*/posts');
  await page.getByRole('button', { name: 'Discard' }).press('Enter');
  expect([await isFocused(), await patterns.inputValue()]).toEqual([true, '/users/*']);
  await page.keyboard.press('Enter');
  expect(await page.getByText('Saved.').count()).toBe(0);
  server.clock.now += 1_000; // the collector caches a site's settings for a second
  await view('/USERS/3');
  await server.settle();
  await page.goto(`${server.url}/example.com`);
  await ready(page, 'pages');
  await page.waitForSelector('[data-panel="pages"] [data-row="/users/*"]');
  expect(dashboard.troubles).toEqual([]);
});

test('an empty panel of AI visits leads to the token that fills it', async () => {
  await using dashboard = await openDashboard({ width: 390 });
  const { page, server } = dashboard;
  await page.getByText('Three ways to record them').click();
  await page.getByRole('link', { name: 'Add the lines to your server' }).click();
  await page.waitForURL(`${server.url}/example.com/settings/integrations#agents`);
  await page.getByRole('button', { name: 'Create token' }).click();
  const token = (await page.locator('[data-token]').textContent()) ?? '';
  expect(token).toMatch(/^ft_[0-9A-Za-z]{40}$/);
  await page.getByText('not used yet').waitFor();

  const report = { site: 'example.com', url: 'https://example.com/pricing', user_agent: GPTBOT, status: 200 };
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  expect((await server.foot(report, headers)).status).toBe(202);
  await server.settle();
  await page.goto(`${server.url}/example.com`);
  await ready(page, 'ai');
  expect(await rowsOf(page, 'ai')).toEqual([['OpenAI', 1]]);

  await page.goto(`${server.url}/example.com/settings/integrations#agents`);
  await page.getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('button', { name: 'Create token' }).waitFor();
  expect((await server.foot(report, headers)).status).toBe(401);
  const overflows = () => document.documentElement.scrollWidth > document.documentElement.clientWidth;
  await expect.poll(() => page.evaluate(overflows)).toBe(false);
  expect(dashboard.troubles).toEqual([]);
});
