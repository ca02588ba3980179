// The logs of an account and of a webhook are endless lists: only the entries in view are rendered, and the keyboard reaches all others.
import { expect, test } from 'vitest';
import { logAction } from '../../../server/accounts/account-log.ts';
import { openReceivers } from '../../setup/internet/receiver.ts';
import { openDashboard } from '../../setup/browser/dashboard.ts';

/** More than the window shows, and less than a page of a log holds. */
const RENDERED = 45;

test('the log of an account with 300 entries is scrolled by keyboard, and starts at its top again with a filter', async () => {
  await using dashboard = await openDashboard({ traffic: false, isBlank: true });
  const { page, server, site } = dashboard;
  const { directory } = server.app.services;
  const { account_id } = site;
  for (let number = 0; number < 300; number += 1)
    await logAction(
      directory.db,
      { action: number % 3 === 0 ? 'key_revoked' : 'key_made', account_id, actor: 'operator', name: `key ${number}` },
      server.clock.now - 86_400_000 + number,
    );
  const { total } = await directory.db
    .selectFrom('account_log')
    .where('account_id', '=', account_id)
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();

  const asked: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('accounts.log')) asked.push(request.url());
  });
  await page.goto(`${server.url}/settings/log`);
  const entries = page.locator('[data-section="Log"] li[aria-posinset]');
  await page.getByText('key 299', { exact: true }).waitFor();
  expect(await entries.count()).toBeLessThan(RENDERED);
  expect(asked.length).toBe(1);
  const first = entries.first();
  expect([await first.getAttribute('aria-posinset'), await first.getAttribute('aria-setsize')]).toEqual([
    '1',
    String(total),
  ]);

  await page.getByRole('region', { name: 'Entries of the log' }).focus();
  await page.keyboard.press('End');
  await page.getByText('key 0', { exact: true }).waitFor();
  expect(await entries.last().getAttribute('aria-posinset')).toBe(String(total));
  expect(await entries.count()).toBeLessThan(RENDERED);
  await page.keyboard.press('Home');
  await page.getByText('key 299', { exact: true }).waitFor();
  await page.keyboard.press('End');
  await page.getByText('key 0', { exact: true }).waitFor();

  await page.getByLabel('What').selectOption('key_revoked');
  await page.getByText('key 297', { exact: true }).waitFor();
  await expect.poll(() => entries.first().getAttribute('aria-setsize')).toBe('100');
  expect(await entries.first().getAttribute('aria-posinset')).toBe('1');
  await page.getByLabel('What').selectOption('site_deleted');
  await page.getByText('Nothing matches. Choose somebody or something else.').waitFor();
  expect(dashboard.troubles).toEqual([]);
});

test('Tab reaches every delivery of a webhook, and one that was sent again is seen to be', async () => {
  await using receivers = await openReceivers((_received, response) => response.writeHead(200).end('thanks'));
  await using dashboard = await openDashboard({
    traffic: false,
    network: receivers.network,
    width: 390,
    height: 844,
    isBlank: true,
  });
  const { page, server, site } = dashboard;
  const { directory, webhooks } = server.app.services;
  const { account_id: accountId } = site;
  const url = 'https://team.hooks.example/token';
  const webhook = await webhooks.create({ accountId, name: 'Team', format: 'standard', url });
  const at = (number: number) => server.clock.now - 3_600_000 + number * 1_000;
  const deliveries = Array.from({ length: 120 }, (_, number) => ({
    id: `msg_${String(number).padStart(16, '0')}`,
    webhook_id: webhook.id,
    site_id: null,
    key: `key ${number}`,
    state: 'failed' as const,
    message: JSON.stringify({ type: 'report', title: `Report ${number}`, lines: [], path: '/', data: {} }),
    created_at: at(number),
    queued_at: at(number),
    due_at: at(number),
    attempts: 9,
    attempted_at: at(number),
    status: 500,
    answer: 'A long answer. '.repeat(20),
    ended_at: at(number),
  }));
  await directory.db.insertInto('webhook_deliveries').values(deliveries).execute();

  await page.goto(`${server.url}/settings/webhooks`);
  const row = page.locator('[data-webhook=Team]');
  await row.getByRole('button', { name: /^Log/ }).click();
  const entries = row.locator('li[aria-posinset]');
  await row.getByText('Report 119', { exact: true }).waitFor();
  expect(await entries.count()).toBeLessThan(RENDERED);
  expect(await entries.first().getAttribute('aria-setsize')).toBe('120');
  const heights = await entries.evaluateAll((all) => all.map((one) => (one as HTMLElement).offsetHeight));
  expect(new Set(heights).size).toBe(1);

  const again = (number: number) => row.getByRole('button', { name: new RegExp(`^Send again ?: Report ${number}$`) });
  await again(119).focus();
  for (let number = 118; number >= 60; number -= 1) {
    await page.keyboard.press('Tab');
    await expect.poll(() => again(number).evaluate((button) => button === document.activeElement)).toBe(true);
  }
  expect(await entries.count()).toBeLessThan(RENDERED);
  await page.keyboard.press('Enter');
  await expect.poll(() => receivers.received.length).toBe(1);
  const sent = row.locator('li', { hasText: 'Report 60' }).locator('[data-delivery]');
  await expect.poll(() => sent.getAttribute('data-delivery')).not.toBe('failed');
  expect(dashboard.troubles).toEqual([]);
});
