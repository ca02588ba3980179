// A domain that another account has: it is added by proving that it is one's own, and the other account sees what happened.
import { expect, test } from 'vitest';
import { OWNERSHIP } from '../../../server/vocabulary/settings/ownership.ts';
import { PASSWORD } from '../../setup/app.ts';
import { openInternet } from '../../setup/internet/internet.ts';
import { openDashboard } from '../../setup/browser/dashboard.ts';

test('a domain of another account is verified and taken over, and the other account is told before and after', async () => {
  const texts: string[] = [];
  await using internet = await openInternet(
    (_request, response) => response.end('<h1>Hello</h1>'),
    undefined,
    () => texts,
  );
  await using dashboard = await openDashboard({ env: { SIGNUP: 'open' }, network: internet.network, traffic: false });
  const { page, server, browser } = dashboard;
  await server.addSite('bob.example');
  const bob = await (await browser.newContext({ viewport: { width: 390, height: 844 } })).newPage();
  await bob.goto(`${server.url}/login?to=/sites/new`);
  await bob.fill('[name=email]', 'owner@bob.example');
  await bob.fill('[name=password]', PASSWORD);
  await bob.click('button[type=submit]');
  await bob.fill('[name=domain]', 'example.com');
  await bob.getByRole('button', { name: 'Add site' }).click();
  const card = bob.getByRole('region', { name: 'Verify example.com' });
  await card.getByRole('button', { name: 'Check now' }).click();
  await card.locator('[data-way=file] [data-seen=missing]').waitFor();
  const record = (await card.locator('[data-way=dns] code').textContent()) ?? '';
  expect(record).toMatch(new RegExp(`^${OWNERSHIP.name}=[0-9a-f]{32}$`));
  const overflows = () => document.documentElement.scrollWidth > document.documentElement.clientWidth;
  expect(await bob.evaluate(overflows)).toBe(false);

  await page.reload();
  await page.locator('[data-wanted="example.com"]').getByRole('link', { name: 'Verify that it is yours' }).click();
  await page.getByText('Another account wants to count example.com. Verify that it is yours to keep it.').waitFor();

  texts.push(record);
  await card.getByRole('button', { name: 'Check now' }).click();
  await bob.getByRole('heading', { name: 'Add this line to example.com' }).waitFor();
  await page.goto(`${server.url}/example.com.until-${new Date(server.clock.now).toISOString().slice(0, 10)}`);
  await page.locator('[data-lost]').getByText('this site no longer counts').waitFor();
  expect(dashboard.troubles).toEqual([]);
});
