// The profile: a new e-mail address, confirmed from both mailboxes.
import { expect, test } from 'vitest';
import { PASSWORD } from '../../setup/app.ts';
import { startSmtp } from '../../setup/internet/smtp.ts';
import { openDashboard } from '../../setup/browser/dashboard.ts';

test('somebody changes their e-mail address: both mailboxes confirm it, and the next log-in needs the new one', async () => {
  await using smtp = await startSmtp();
  const env = { SMTP_URL: smtp.url, MAIL_FROM: 'Footfall <footfall@stats.example>' };
  await using dashboard = await openDashboard({ width: 390, traffic: false, env, isBlank: true });
  const { page, server } = dashboard;
  await page.goto(`${server.url}/settings`);
  await page.waitForURL(`${server.url}/settings/profile`);
  const section = page.locator('[data-section="E-mail address"]');
  await section.getByRole('button', { name: 'Change' }).click();
  await section.getByLabel('Your password').fill('wrong password');
  await section.getByLabel('New e-mail address').fill('owner@example.org');
  await page.keyboard.press('Enter');
  await section.getByText('The password is wrong.').waitFor();
  await section.getByLabel('Your password').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await section.locator('[data-side="New"]').getByText('waiting for its link').waitFor();
  const overflows = () => document.documentElement.scrollWidth > document.documentElement.clientWidth;
  expect(await page.evaluate(overflows)).toBe(false);

  await server.app.runJob('send-mail');
  const linkTo = (to: string) => {
    const text = smtp.mails.find((mail) => mail.to[0] === to)?.text ?? '';
    return server.url + (/\/email\/\w{40}/.exec(text)?.[0] ?? '');
  };
  await page.goto(linkTo('owner@example.com'));
  await page.getByText('From owner@example.com to owner@example.org.').waitFor();
  await page.getByRole('button', { name: 'Confirm' }).click();
  await page.getByRole('heading', { name: 'Confirmed' }).waitFor();
  await page.goto(linkTo('owner@example.com'));
  await page.getByRole('heading', { name: 'This link does not work' }).waitFor();
  await page.goto(linkTo('owner@example.org'));
  await page.getByRole('button', { name: 'Confirm' }).click();
  await page.getByRole('heading', { name: 'Your e-mail address is changed' }).waitFor();
  expect(await page.evaluate(overflows)).toBe(false);
  await page.goto(`${server.url}/settings/profile`);
  await section.getByText('owner@example.org').waitFor();
  await section.getByRole('button', { name: 'Change' }).waitFor();
  await server.logIn('owner@example.org');
  expect(dashboard.troubles).toEqual([]);
});
