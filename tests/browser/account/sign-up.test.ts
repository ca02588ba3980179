// Signing up where anybody may: the form, the mail, the first site. And what somebody sees who belongs to no account any more.
import { expect, test } from 'vitest';
import { startSmtp } from '../../setup/internet/smtp.ts';
import { openDashboard } from '../../setup/browser/dashboard.ts';

const ADA = { email: 'ada@example.org', password: 'battery staple of ada' };

test('somebody signs up, confirms their address by mail, leaves the account, and still sees their profile', async () => {
  await using smtp = await startSmtp();
  const env = { SIGNUP: 'open', SMTP_URL: smtp.url, MAIL_FROM: 'Footfall <footfall@stats.example>' };
  await using dashboard = await openDashboard({ width: 390, traffic: false, env, isBlank: true });
  const { page, server, context } = dashboard;
  await context.clearCookies();
  await page.goto(`${server.url}/login`);
  await page.getByRole('link', { name: 'Create an account' }).click();
  await page.getByRole('heading', { name: 'Create an account' }).waitFor(); // the page before has the same fields
  await page.getByLabel('E-mail').fill(ADA.email);
  await page.getByLabel('Password').fill(ADA.password);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Look into your mail' }).waitFor();
  const overflows = () => document.documentElement.scrollWidth > document.documentElement.clientWidth;
  expect(await page.evaluate(overflows)).toBe(false);
  await server.app.runJob('send-mail');
  const link = server.url + (/\/confirm\/\w{40}/.exec(smtp.mails[0]?.text ?? '')?.[0] ?? '');
  await page.goto(link);
  await page.getByLabel('Password').fill('somebody else’s');
  await page.keyboard.press('Enter');
  await page.getByText('The password is wrong').waitFor();
  expect(await page.evaluate(overflows)).toBe(false);
  await page.getByLabel('Password').fill(ADA.password);
  await page.keyboard.press('Enter');
  await page.waitForURL(`${server.url}/sites/new`);
  await page.goto(link);
  await page.getByRole('heading', { name: 'This link does not work' }).waitFor();

  const { db } = server.app.services.directory;
  const ada = db.selectFrom('users').select('id').where('email', '=', ADA.email);
  await db.deleteFrom('members').where('user_id', 'in', ada).execute();
  for (const path of ['/', '/example.com', '/settings/people', '/login']) {
    await page.goto(server.url + path);
    await page.waitForURL(`${server.url}/no-account`);
  }
  await page.locator('[data-section="E-mail address"]').getByText(ADA.email).waitFor();
  await page.locator('[data-section="Sessions"]').getByText('This browser').waitFor();
  expect(await page.evaluate(overflows)).toBe(false);
  await page.getByRole('button', { name: 'Log out' }).click();
  await page.waitForURL(`${server.url}/login`);
  expect(dashboard.troubles).toEqual([]);
});
