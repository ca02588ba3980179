// Single sign-on as people meet it: the button, the settings of somebody without a password, and a log-in that fails.
import { expect, test } from 'vitest';
import { createAccount } from '../../../server/accounts/accounts.ts';
import { PASSWORD, testApp } from '../../setup/app.ts';
import { openBrowser } from '../../setup/browser/chromium.ts';
import { startIssuer } from '../../setup/internet/issuer.ts';
import { freePort } from '../../setup/processes/process.ts';

const ELEVEN_MINUTES = 11 * 60_000;

test('somebody logs in with the company’s login, confirms a change without a password, and reads why they may not come in', async () => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  await using issuer = await startIssuer(`${url}/oidc/callback`);
  const env = { ...issuer.env, BASE_URL: url, LOG_LEVEL: 'silent' };
  await using server = await testApp({ port, env, now: Date.now() - ELEVEN_MINUTES, start: true });
  const operator = { email: 'boss@company.example', password: PASSWORD, kind: 'operator', status: 'active' } as const;
  await createAccount(server.app.services.directory, operator, server.clock.now);
  issuer.people['ada'] = { email: 'ada@company.example', email_verified: true };
  issuer.next = { subject: 'ada' };
  issuer.forge = ({ claims }) => (claims['auth_time'] ??= Math.floor(Date.now() / 1_000)); // as most issuers do

  await using browser = await openBrowser();
  const context = await browser.newContext({ reducedMotion: 'reduce', viewport: { width: 390, height: 800 } });
  const page = await context.newPage();
  const button = page.getByRole('link', { name: 'Log in with Company Login' });
  await page.goto(`${url}/login?to=/settings/security`);
  await button.click();
  await page.waitForURL(`${url}/settings/security`);
  await page.getByText('You log in with Company Login and have no password here.').waitFor();
  const section = page.locator('[data-section="Authenticator app"]');
  await section.getByRole('button', { name: 'Set up' }).click();
  await section.getByText('You have just logged in, so no password is needed.').waitFor();
  await section.getByRole('button', { name: 'Continue' }).click();
  await section.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor();

  server.clock.now += ELEVEN_MINUTES;
  await page.reload();
  await section.getByRole('button', { name: 'Set up' }).click();
  await section.getByText('You have no password here.').waitFor();
  await section.getByRole('link', { name: 'Log in with Company Login' }).click();
  await section.getByRole('button', { name: 'Set up' }).click();
  await section.getByText('You have just logged in, so no password is needed.').waitFor();

  // Somebody who is logged in may be asked for the second factor too.
  await page.goto(`${url}/login?sso=second_factor&to=/settings/security&authenticator=1`);
  await page.getByLabel(/code/i).first().waitFor();

  await context.clearCookies();
  issuer.next = undefined;
  await page.goto(`${url}/login`);
  await button.click();
  await page.getByText('Company Login did not let you in, or you cancelled.').waitFor();
  const overflows = () => document.documentElement.scrollWidth > document.documentElement.clientWidth;
  expect(await page.evaluate(overflows)).toBe(false);
});
