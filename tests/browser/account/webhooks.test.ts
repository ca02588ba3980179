// The webhooks of an account: added, tested, sent again, edited, given a new secret and deleted.
import { expect, test } from 'vitest';
import { openReceivers } from '../../setup/internet/receiver.ts';
import { openDashboard } from '../../setup/browser/dashboard.ts';

test('an owner adds a webhook, sees a failed test, sends it again, edits it, and deletes it', async () => {
  let status = 500;
  await using receivers = await openReceivers((_received, response) => response.writeHead(status).end('no such room'));
  await using dashboard = await openDashboard({ traffic: false, network: receivers.network, isBlank: true });
  const { page, server } = dashboard;
  await page.goto(`${server.url}/settings`);
  await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Webhooks' }).click();
  await page.getByText('No webhooks yet.').waitFor();

  await page.getByLabel('Address').fill('http://plain.example/');
  await page.getByRole('button', { name: 'Add webhook' }).click();
  await page.getByText('must be an https address').waitFor();
  await page.getByLabel('Address').fill('https://team.hooks.example/token-of-the-address');
  await page.getByLabel('Name (optional)').fill('Team');
  await page.getByRole('button', { name: 'Add webhook' }).click();
  const secret = await page.locator('[data-token]').textContent();
  expect(secret).toMatch(/^whsec_/);

  const row = page.locator('[data-webhook=Team]');
  await row.getByText('Signed JSON · team.hooks.example').waitFor();
  await row.getByRole('button', { name: 'Send test' }).click();
  const delivery = row.locator('[data-delivery]');
  await delivery.getByText('Answered 500: no such room').waitFor();
  expect(await delivery.textContent()).toMatch(/Next attempt on .+, after one attempt/);

  status = 200;
  await row.getByRole('button', { name: 'Send test' }).click();
  await row.locator('[data-delivery=delivered]').getByText('Answered 200: no such room').waitFor();
  await row.getByRole('button', { name: /^Send again/ }).click();
  await expect.poll(() => receivers.received.length).toBe(3);
  const [, second, third] = receivers.received;
  expect(third?.headers['webhook-id']).toBe(second?.headers['webhook-id']);

  await row.getByRole('button', { name: 'Edit' }).click();
  await row.getByLabel('New address').fill('http://plain.example/');
  await row.getByRole('button', { name: 'Save' }).click();
  await row.getByText('must be an https address').waitFor();
  await row.getByLabel('New address').fill('https://moved.hooks.example/another-token');
  await row.getByRole('button', { name: 'Save' }).click();
  await row.getByText('Signed JSON · moved.hooks.example').waitFor();

  await row.getByRole('button', { name: 'New secret' }).click();
  await row.getByText('For 24 hours the old one signs too.').waitFor();
  expect(await row.locator('[data-token]').textContent()).not.toBe(secret);
  expect(await page.content()).not.toContain('token-of-the-address');

  await row.getByRole('button', { name: 'Delete' }).click();
  await row.getByText('Its log and what waits to be sent are deleted too.').waitFor();
  await row.getByRole('button', { name: 'Delete for good' }).click();
  await page.getByText('No webhooks yet.').waitFor();
  expect(dashboard.troubles).toEqual([]);
});
