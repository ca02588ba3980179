// The second factor as people meet it: set up in the settings, and asked for at the next log-in.
import { expect, test } from 'vitest';
import { PASSWORD, testApp } from '../../setup/app.ts';
import { openBrowser } from '../../setup/browser/chromium.ts';
import { codeAt } from '../../setup/accounts/totp.ts';
import { openDashboard } from '../../setup/browser/dashboard.ts';
import { addPasskey, named, openPasskeyPage } from '../../setup/browser/passkeys.ts';

test('an authenticator app is set up, asked for at the next log-in, and replaced by a recovery code', async () => {
  await using dashboard = await openDashboard({ width: 390, traffic: false, isBlank: true });
  const { page, server } = dashboard;
  await page.goto(`${server.url}/settings/security`);
  const section = page.locator('[data-section="Authenticator app"]');
  await section.getByRole('button', { name: 'Set up' }).click();
  await section.getByLabel('Your password').fill('wrong horse battery');
  await section.getByRole('button', { name: 'Continue' }).click();
  await section.getByText('The password is wrong.').waitFor();
  await section.getByLabel('Your password').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await section.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor();
  const secret = ((await section.locator('[data-secret]').textContent()) ?? '').replaceAll(' ', '');
  await section.getByLabel('Code', { exact: true }).fill('000000');
  await section.getByRole('button', { name: 'Turn on' }).click();
  await section.getByText('This code is not valid.').waitFor();
  await section.getByLabel('Code', { exact: true }).fill(codeAt(secret, server.clock.now));
  await page.keyboard.press('Enter');
  await section.locator('[data-recovery-code]').first().waitFor();
  const codes = await section.locator('[data-recovery-code]').allTextContents();
  expect(codes).toHaveLength(10);
  const overflows = () => document.documentElement.scrollWidth > document.documentElement.clientWidth;
  expect(await page.evaluate(overflows)).toBe(false);
  await section.getByRole('button', { name: 'I have saved them' }).click();
  await section.getByText('10 of 10 recovery codes are left.').waitFor();

  const enterPassword = async () => {
    await dashboard.context.clearCookies();
    await page.goto(`${server.url}/login?to=/settings/security`);
    await page.fill('[name=email]', 'owner@example.com');
    await page.fill('[name=password]', PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Enter the code' }).waitFor();
  };
  server.clock.now += 30_000;
  await enterPassword();
  await page.keyboard.type(codeAt(secret, server.clock.now));
  await page.keyboard.press('Enter');
  await page.waitForURL(`${server.url}/settings/security`);
  await enterPassword();
  await page.getByRole('button', { name: 'Use a recovery code' }).click();
  await page.getByLabel('Recovery code').fill(codes[0] ?? '');
  await page.keyboard.press('Enter');
  await section.getByText('9 of 10 recovery codes are left.').waitFor();
  expect(dashboard.troubles).toEqual([]);
});

test('who lacks a required second factor adds a passkey first, and then logs in with nothing else', async () => {
  await using server = await testApp({ now: Date.now(), start: true });
  await using browser = await openBrowser();
  await server.addSite('example.com');
  await server.app.services.directory.db.updateTable('accounts').set({ requires_factor: 1 }).execute();
  const base = named(server.url);
  const { context, page } = await openPasskeyPage(browser);
  await page.goto(`${base}/login?to=/example.com`);
  await page.fill('[name=email]', 'owner@example.com');
  await page.fill('[name=password]', PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Set up a second factor' }).waitFor();
  const section = await addPasskey(page, 'Laptop');
  const everybody = page.getByRole('switch', { name: 'Require a second factor' });
  await everybody.waitFor();
  expect(await everybody.isChecked()).toBe(true);
  await everybody.uncheck();
  await section.getByRole('button', { name: 'Rename Laptop' }).click();
  await section.getByLabel('Name').fill('Phone');
  await page.keyboard.press('Enter');
  await section.locator('[data-passkey="Phone"]').getByText('not used yet').waitFor();

  const logIn = async () => {
    await context.clearCookies();
    await page.goto(`${base}/login?to=/settings/security`);
    await page.getByRole('button', { name: 'Log in with a passkey' }).click();
  };
  await logIn();
  await section.locator('[data-passkey="Phone"]').getByText('last used').waitFor();
  // The password asks for it, too.
  await context.clearCookies();
  await page.goto(`${base}/login?to=/settings/security`);
  await page.fill('[name=email]', 'owner@example.com');
  await page.fill('[name=password]', PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Recovery code' }).waitFor();
  await page.getByRole('button', { name: 'Log in with a passkey' }).click();
  await section.getByRole('button', { name: 'Remove Phone' }).click();
  await section.getByLabel('Your password').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await section.getByText('No passkeys yet.').waitFor();
  await logIn();
  await page.getByText('This passkey does not open an account here. Log in with your password.').waitFor();
});
