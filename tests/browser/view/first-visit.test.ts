// The page that waits for the first visit: the right snippet for the site's address, and the one thing that is wrong.
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { openInternet } from '../../setup/internet/internet.ts';
import { openDashboard } from '../../setup/browser/dashboard.ts';

const found = (page: Page, title: string) => page.locator('[data-found] h3', { hasText: title }).waitFor();

it('names each thing that is wrong with the page, until the first visit arrives', async () => {
  const snippet = (origin: string, domain = 'example.com') =>
    `<script async data-site="${domain}" src="${origin}/foot.js"></script>`;
  let html = '<h1>Hello</h1>';
  let policy = '';
  await using internet = await openInternet((_request, response) => {
    response.setHeader('content-type', 'text/html').setHeader('content-security-policy', policy).end(html);
  });
  await using dashboard = await openDashboard({ traffic: false, network: internet.network, isBlank: true });
  const { page, server } = dashboard;
  await page.goto(`${server.url}/sites/new?site=example.com`);
  const check = () => page.getByRole('button', { name: /^Check/ }).click();

  await check();
  await found(page, 'There is no snippet on example.com');
  html = snippet('https://old.example.net');
  await check();
  await found(page, 'The snippet loads its script from another server');
  html = snippet(server.url, 'exmaple.com');
  await check();
  await found(page, 'The snippet names another domain: exmaple.com');
  html = snippet(server.url);
  policy = "default-src 'self'";
  await check();
  await found(page, 'The page’s content security policy blocks the script');
  policy = `script-src ${server.url}; connect-src 'none'`;
  await check();
  await found(page, 'The page’s content security policy blocks what the script sends');
  policy = '';
  await check();
  await found(page, 'The snippet on example.com is correct');
  // A report that has arrived says more than the page.
  await server.foot({ site: 'example.com', name: 'pageview', url: 'https://staging.example.net/' });
  await found(page, 'The snippet of example.com runs on staging.example.net');
  await dashboard.view('/');
  await page.getByText('It works. Your first visitor is here!').waitFor();
  expect(dashboard.troubles).toEqual([]);
});

it('gives a site on this machine a snippet that counts there, and warns when visitors cannot load it', async () => {
  await using dashboard = await openDashboard({ traffic: false, isBlank: true });
  const { page, server } = dashboard;
  await page.goto(`${server.url}/sites/new`);
  await page.fill('[name=domain]', 'localhost');
  await page.click('button[type=submit]');
  await page.waitForSelector('[data-snippet]');
  expect(await page.locator('[data-snippet]').innerText()).toBe(
    `<script async data-site="localhost" data-dev src="${server.url}/foot.js"></script>`,
  );
  expect(await page.getByText('Nobody but you can load the script').count()).toBe(0);
  await page.getByRole('button', { name: /^Check/ }).click();
  await found(page, 'Open the page on this machine');
  await page.goto(`${server.url}/sites/new?site=example.com`);
  await page.getByText(`Nobody but you can load the script from ${server.url}`).waitFor();
  expect(await page.locator('[data-snippet]').innerText()).not.toContain('data-dev');
});
