// Ways back into an account, as people meet them: a forgotten password, and a click too many in a mail.
import { expect, test } from 'vitest';
import { startSmtp } from '../../setup/internet/smtp.ts';
import { openDashboard } from '../../setup/browser/dashboard.ts';

test('somebody who forgot the password gets a link by mail, chooses a new one, and logs in', async () => {
  await using smtp = await startSmtp();
  const env = { SMTP_URL: smtp.url, MAIL_FROM: 'Footfall <footfall@stats.example>' };
  await using dashboard = await openDashboard({ width: 390, traffic: false, env, isBlank: true });
  const { page, server, context } = dashboard;
  await context.clearCookies();
  await page.goto(`${server.url}/login`);
  await page.getByRole('link', { name: 'Forgot your password?' }).click();
  await page.getByRole('heading', { name: 'Forgotten password' }).waitFor(); // the page before has the same fields
  await page.getByLabel('E-mail').fill('owner@example.com');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Look into your mail' }).waitFor();
  await server.app.runJob('send-mail');
  const link = /\/reset\/\w{40}/.exec(smtp.mails[0]?.text ?? '')?.[0] ?? '';
  await page.goto(`${server.url}${link}`);
  const overflows = () => document.documentElement.scrollWidth > document.documentElement.clientWidth;
  expect(await page.evaluate(overflows)).toBe(false);
  await page.getByLabel('Password').fill('password');
  await page.keyboard.press('Enter');
  await page.getByText('This password is easy to guess').waitFor();
  await page.getByLabel('Password').fill('battery staple of ada');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Your password is changed' }).waitFor();

  await page.goto(`${server.url}${link}`);
  await page.getByLabel('Password').fill('another battery staple');
  await page.keyboard.press('Enter');
  await page.getByText('This link has expired or was used already').waitFor();
  await page.goto(`${server.url}/login`);
  await page.getByLabel('E-mail').fill('owner@example.com');
  await page.getByLabel('Password').fill('battery staple of ada');
  await page.keyboard.press('Enter');
  await page.waitForURL((url) => url.pathname !== '/login');

  await server.logIn('owner@example.com', 'battery staple of ada');
  await page.goto(`${server.url}/settings/security`);
  const section = page.locator('[data-section="Sessions"]');
  await section.locator('[data-session]').nth(1).waitFor();
  expect(await section.getByText('This browser').count()).toBe(1);
  await section.getByRole('button', { name: /^Log out/ }).click();
  await section.locator('[data-session]').nth(1).waitFor({ state: 'detached' });
  expect(await page.evaluate(overflows)).toBe(false);

  const { mail } = server.app.services;
  await page.goto(`${server.url}${mail.unsubscribePath('owner@example.com', 'plan')}`);
  await page.getByRole('button', { name: 'Unsubscribe' }).click();
  await page.getByRole('heading', { name: 'You are unsubscribed' }).waitFor();
  expect(dashboard.troubles).toEqual([]);
});
