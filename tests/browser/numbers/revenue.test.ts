// Money on the dashboard, and figures that count events or whole visits, as read and clicked in a real browser.
import { expect, test } from 'vitest';
import { keyFor, restOf } from '../../setup/api/rest.ts';
import { follow, openDashboard, ready, rowsOf } from '../../setup/browser/dashboard.ts';

const figures = ['unique_visitors', 'visits', 'pageviews', 'events', 'revenue', 'orders'];

test('a forged first payment only proposes its currency, and the dashboard shows amounts in other currencies', async () => {
  await using dashboard = await openDashboard({ isBlank: true });
  const { page, view, server } = dashboard;
  const pay = (amount: number, currency: string) =>
    view('/checkout', { name: 'purchase', revenue: { amount, currency } });
  await pay(50, 'ZAR'); // forged, before the first customer
  await pay(20, 'EUR');
  await pay(1_000_000_000, 'EUR');
  await server.settle();
  await page.goto(`${server.url}/example.com?metric=revenue`);
  const about = page.getByRole('region', { name: 'About the revenue' });
  const unconfirmed = page.locator('[data-currency]');
  await unconfirmed.getByText('Revenue is shown in ZAR, the currency of the first payment.').waitFor();
  await about.getByText('In other currencies, not included in revenue: €20 (1 order).').waitFor();
  await about.getByText('Implausible amounts, not included in revenue: 1 order.').waitFor();
  expect(await page.locator('[data-metric="implausible_orders"], [data-metric="revenue_confirmed"]').count()).toBe(0);

  await unconfirmed.getByRole('link', { name: 'Choose another currency' }).click();
  await page.waitForURL(`${server.url}/example.com/settings/counting#revenue`);
  await page.getByText('The first payment was in ZAR.').waitFor();
  await page.getByLabel('Revenue currency').fill('eur');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.getByText('Saved.').waitFor();
  await page.getByText('The first payment was in ZAR.').waitFor({ state: 'detached' });

  await follow(page, '/example.com?metric=revenue');
  await about.getByText('All revenue was reported by browsers. None of it is confirmed by your server.').waitFor();
  await about.getByText('In other currencies, not included in revenue: ZAR 50 (1 order).').waitFor();
  expect(await unconfirmed.count()).toBe(0);
  expect(dashboard.troubles).toEqual([]);
});

test('a proposed currency is accepted with one click, and a higher limit lets a large order in', async () => {
  await using dashboard = await openDashboard({ width: 390, isBlank: true });
  const { page, view, server } = dashboard;
  await view('/checkout', { name: 'purchase', revenue: { amount: 250_000, currency: 'EUR' } });
  await view('/checkout', { name: 'purchase', revenue: { amount: 10, currency: 'EUR' } });
  await server.settle();
  await page.goto(`${server.url}/example.com`);
  await page.getByRole('button', { name: 'Use EUR' }).click();
  await page.getByText('Revenue is shown in EUR, the currency').waitFor({ state: 'detached' });
  await follow(page, '/example.com?metric=revenue');
  await page.getByRole('button', { name: 'All notes on the revenue' }).click();
  await page.getByRole('link', { name: 'Currency and largest plausible amount' }).click();
  await page.getByLabel('Largest plausible amount').fill('250000');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.getByText('Saved.').waitFor();
  await follow(page, '/example.com');
  await page.waitForSelector('[data-metric="revenue"][data-value="250010"]');
  const overflows = () => document.documentElement.scrollWidth > document.documentElement.clientWidth;
  await expect.poll(() => page.evaluate(overflows)).toBe(false);
  expect(dashboard.troubles).toEqual([]);
});

test('a filter on an event keeps the figures and pages of its visits, and the dashboard says so', async () => {
  await using dashboard = await openDashboard({ isBlank: true });
  const { page, view, server } = dashboard;
  await view('/welcome', { name: 'signup', revenue: { amount: 5, currency: 'EUR' } });
  await server.settle();
  await page.goto(`${server.url}/example.com?f=is:event:signup`);
  await page.waitForSelector('[data-metric="revenue"][data-value="5"]');
  const values = await Promise.all(figures.map((name) => page.getAttribute(`[data-metric="${name}"]`, 'data-value')));
  expect(values).toEqual(['1', '1', '2', '1', '5', '1']);
  await page.focus('[data-metric="visits"]');
  await page.keyboard.press('i');
  await page.getByText('All other figures cover visits with a match.').waitFor();
  await page.keyboard.press('Escape');
  await ready(page, 'pages');
  await page.waitForSelector('[data-panel="pages"] [data-row="/pricing"][data-value="1"]');
  expect(dashboard.troubles).toEqual([]);
});

test("a shop's order is claimed by a browser, confirmed and partly refunded by its server, and its source has the exact figures", async () => {
  await using dashboard = await openDashboard({ isBlank: true });
  const { page, view, server, site } = dashboard;
  await server.app.services.directory.db
    .updateTable('sites')
    .set({ currency: 'EUR' })
    .where('id', '=', site.id)
    .execute();
  const rest = await restOf(server, await keyFor(server, site));
  const tell = async (name: string, amount: number, order_id: string, props = {}) => {
    const body = { site_id: site.id, name, url: 'https://example.com/checkout', order_id, props };
    const { status } = await rest.ask('/v1/events', { body: { ...body, revenue: { amount, currency: 'EUR' } } });
    expect(status).toBe(202);
    await server.settle();
  };
  await view('/thanks', { name: 'purchase', revenue: { amount: 30, currency: 'EUR' }, order_id: 1001 });
  await view('/thanks', { name: 'purchase', revenue: { amount: 30, currency: 'EUR' }, order_id: 1001 }); // loaded again
  await server.settle();
  await tell('purchase', 29, '1001');
  await tell('refund', -9, '1001');
  await tell('purchase', 50, '2002', { product: 'Lamp' }); // from a customer whose browser blocks scripts
  await page.goto(`${server.url}/example.com`);
  await page.waitForSelector('[data-metric="revenue"][data-value="70"]');
  const tiles = ['orders', 'average_order'].map((name) => page.getAttribute(`[data-metric="${name}"]`, 'data-value'));
  expect(await Promise.all(tiles)).toEqual(['2', '39.5']);
  const about = page.getByRole('region', { name: 'About the revenue' });
  await page.click('[data-metric="revenue"]');
  await about.getByText('Confirmed by your server: €70. Reported by browsers only: €0.').waitFor();
  await about.getByText('Refunds, already taken off the revenue: €9.').waitFor();
  await page.waitForSelector('[data-panel="payments"] [data-row="Google"][data-value="20"]');
  expect(await rowsOf(page, 'payments')).toEqual([
    ['Direct', 50],
    ['Google', 20],
  ]);
  await page.getByLabel('Payments by').selectOption('entry_page');
  await page.waitForSelector('[data-panel="payments"] [data-row="/"][data-value="20"]');
  // By what was bought: the server keeps the choice, and the full list lists the same.
  await page.getByLabel('Payments by').selectOption({ label: 'product' });
  await page.waitForSelector('[data-panel="payments"] [data-row="Lamp"][data-value="50"] [data-beside="1"]');
  await page.reload();
  await page.waitForSelector('[data-panel="payments"] [data-row="Lamp"][data-value="50"]');
  expect(await rowsOf(page, 'payments')).toEqual([['Lamp', 50]]);
  await page.click('[data-panel="payments"] footer button:has-text("Details")');
  await page.waitForSelector('dialog [aria-label="Search product"]');
  await page.waitForSelector('dialog tbody tr:has-text("Lamp"):has-text("€50")');
  expect(dashboard.troubles).toEqual([]);
});
