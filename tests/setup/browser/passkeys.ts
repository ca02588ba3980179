// A browser on a device that has passkeys and unlocks them by itself, and how one is added in the settings.
import type { Page } from 'playwright-core';
import { PASSWORD } from '../app.ts';
import type { OpenBrowser } from './chromium.ts';

/** Browsers bind passkeys to a name, never to an address of numbers. */
export const named = (url: string): string => url.replace('127.0.0.1', 'localhost');

export async function openPasskeyPage(browser: OpenBrowser) {
  const context = await browser.newContext({ reducedMotion: 'reduce' });
  const page = await context.newPage();
  const device = await context.newCDPSession(page);
  await device.send('WebAuthn.enable');
  await device.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return { context, page };
}

/** On the page of the security settings. Returns the section with the passkeys. */
export async function addPasskey(page: Page, name: string) {
  const section = page.locator('[data-section="Passkeys"]');
  await section.getByRole('button', { name: 'Add a passkey' }).click();
  await section.getByLabel('Your password').fill(PASSWORD);
  await section.getByLabel('Name of the passkey').fill(name);
  await page.keyboard.press('Enter');
  await section.locator('[data-recovery-code]').first().waitFor();
  await section.getByRole('button', { name: 'I have saved them' }).click();
  return section;
}
