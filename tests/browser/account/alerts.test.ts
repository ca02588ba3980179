// An owner makes an alert, is told of a payment by mail, and finds it in the history and as a mark on the chart.
import { expect, test } from 'vitest';
import { startSmtp } from '../../setup/internet/smtp.ts';
import { openDashboard, ready } from '../../setup/browser/dashboard.ts';

test('an alert about payments is made, fires, and is marked on the chart', async () => {
  await using smtp = await startSmtp();
  const env = { SMTP_URL: smtp.url, MAIL_FROM: 'Footfall <footfall@stats.example>' };
  await using dashboard = await openDashboard({ env, isBlank: true });
  const { page, server, view } = dashboard;
  await page.goto(`${server.url}/example.com/settings/reports`);
  await page.getByText('No alerts yet.').waitFor();
  await page.getByRole('button', { name: 'New alert' }).click();
  const form = page.getByRole('form', { name: 'New alert' });
  await form.getByLabel('Alert').selectOption({ label: 'Payment' });
  await form.getByText('In the last 30 days it would have alerted you never.').waitFor();
  await form.getByLabel('owner@example.com').check();
  await form.getByRole('button', { name: 'Add alert' }).click();
  await page.locator('[data-alert=payment]').getByText('owner@example.com').waitFor();

  await view('/thanks', { name: 'purchase', revenue: { amount: 42.5, currency: 'EUR' } });
  await server.settle();
  for (const job of ['count-alerts', 'tell-alerts', 'send-mail']) await server.app.runJob(job);
  expect(smtp.mails.map(({ to, text }) => [to[0], text.includes('Recorded ')])).toEqual([['owner@example.com', true]]);

  await page.reload();
  await page.getByRole('list', { name: 'What alerts have noticed' }).getByText('A payment of €42.50').waitFor();
  await page.goto(`${server.url}/example.com`);
  await ready(page, 'pages');
  const pennant = page.locator('[data-pennant]');
  await pennant.getByRole('button').focus();
  expect(await pennant.locator('bdi').textContent()).toContain('A payment of €42.50 on example.com');
  expect(dashboard.troubles).toEqual([]);
});

test('an alert about slow pages, and one about errors, keep what was typed before Enter; a form stays while others change', async () => {
  await using dashboard = await openDashboard({ isBlank: true });
  const { page, server } = dashboard;
  await page.goto(`${server.url}/example.com/settings/reports`);
  const form = page.getByRole('form', { name: 'New alert' });
  const begin = async (label: string) => {
    await page.getByRole('button', { name: 'New alert' }).click();
    await form.getByLabel('Alert').selectOption({ label });
  };
  await begin('Slow pages');
  await form.getByText('This site does not measure speed yet.').waitFor();
  await form.getByLabel('Web vital').selectOption('cls');
  await form.getByLabel('Above').fill('0.3');
  await form.getByLabel('Page', { exact: true }).fill('/checkout');
  await form.getByLabel('Page', { exact: true }).press('Enter');
  await page.getByText('Slow pages: CLS of /checkout above 0.3').waitFor();
  await begin('Errors on pages');
  await form.getByLabel('Counted over').selectOption({ label: 'The last 6 hours' });
  await form.getByLabel('Above').fill('3.5');
  await form.getByLabel('Above').press('Enter');
  const row = page.locator('[data-alert=errors]');
  await row.getByText('Errors on pages, in more than 3.5% of visits').waitFor();
  expect(await row.textContent()).toContain('Over the last 6 hours');
  // The form stays while other alerts are paused and deleted.
  await begin('Payment');
  await row.getByRole('button', { name: 'Pause' }).click();
  await row.getByRole('button', { name: 'Resume' }).waitFor();
  const slow = page.locator('[data-alert=speed]');
  const remove = async (alert: typeof row) => {
    for (let press = 0; press < 2; press += 1) await alert.getByRole('button', { name: 'Delete' }).click();
    await alert.waitFor({ state: 'detached' });
  };
  await remove(slow);
  expect(await form.getByLabel('Alert').inputValue()).toBe('payment');
  await row.getByRole('button', { name: 'Edit' }).click();
  await remove(row);
  await page.getByRole('button', { name: 'New alert' }).waitFor();
  expect(dashboard.troubles).toEqual([]);
});
