// An owner makes an alert, is told of a payment by mail, and finds it in the history and as a mark on the chart.
import { expect, test } from 'vitest';
import { startSmtp } from '../../setup/internet/smtp.ts';
import { openDashboard, ready } from '../../setup/browser/dashboard.ts';

test('an alert about payments is made, fires, and is marked on the chart', async () => {
  await using smtp = await startSmtp();
  const env = { SMTP_URL: smtp.url, MAIL_FROM: 'Footfall <footfall@stats.example>' };
  await using dashboard = await openDashboard({ env });
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
