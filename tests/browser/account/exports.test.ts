// A site that moves within the browser: its export is made, downloaded, dropped on another site, and counts there; and the open form.
import { expect, test } from 'vitest';
import { DAY_MS, dayOf } from '../../../server/vocabulary/time/time.ts';
import { createSite } from '../../../server/sites/sites.ts';
import { openDashboard, ready, rowsOf } from '../../setup/browser/dashboard.ts';
import { makeEvent } from '../../setup/event.ts';
import { unzip } from '../../setup/imports.ts';

test('a site is exported as tables, and sealed, and moves to another one whole', async () => {
  await using dashboard = await openDashboard({ traffic: false, isBlank: true });
  const { page, server, site, troubles } = dashboard;
  const { directory } = server.app.services;
  const yesterday = server.clock.now - DAY_MS;
  const views = ['/a', '/a', '/b'].map((path, index) =>
    makeEvent({ site_id: site.id, visitor: `v${index}`, time: yesterday + index, page: path }),
  );
  await server.app.collector.record(views, server.clock.now);
  await server.settle();
  await createSite(directory, { accountId: site.account_id, domain: 'moved.example' }, server.clock.now);

  await page.goto(`${server.url}/moved.example/settings/data`);
  const card = page.locator('#import');
  await card.getByText('Coming from another Footfall?').click();
  const key = (await card.locator('[data-receiving-key]').textContent()) ?? '';
  expect(key).toMatch(/^footfall-key-[\w-]{43}$/);

  await page.goto(`${server.url}/settings/account`);
  const form = page.locator('[data-exports]');
  await form.getByRole('button', { name: 'Create export' }).click();
  await page.locator('[data-export="open"][data-state="waiting"]').waitFor();
  await form.getByLabel('What to export').selectOption({ label: 'example.com' });
  await form.getByLabel('Format').selectOption({ label: 'Sealed, for another Footfall' });
  await form.getByLabel('Key of the other server').fill('footfall-key-wrong');
  await form.getByRole('button', { name: 'Create export' }).click();
  await form.getByText('must be the one that the other server shows').waitFor();
  await form.getByLabel('Key of the other server').fill(key);
  await form.getByRole('button', { name: 'Create export' }).click();
  await page.locator('[data-export="sealed"]').waitFor();
  await server.app.runJob('make-exports');
  const [open, sealed] = ['open', 'sealed'].map((kind) => page.locator(`[data-export="${kind}"][data-state="ready"]`));
  if (!open || !sealed) throw new Error('There are two.');
  await sealed.waitFor();
  const fileOf = async (row: typeof open) => {
    const address = await row.getByRole('link', { name: 'Download' }).getAttribute('href');
    const answer = await page.request.get(`${server.url}${address}`);
    expect(answer.status()).toBe(200);
    return answer.body();
  };
  const tables = await unzip(new Blob([new Uint8Array(await fileOf(open))]));
  expect(Object.keys(tables)).toContain(`example.com/events/${dayOf(yesterday).slice(0, 7)}.parquet`);
  const buffer = await fileOf(sealed);
  await open.getByRole('button', { name: 'Delete' }).click();
  await open.waitFor({ state: 'detached' });

  await page.goto(`${server.url}/moved.example/settings/data`);
  await page.setInputFiles('#import input[type=file]', { name: 'example.com.sealed', mimeType: '', buffer });
  await card.locator('[data-preview] [data-total="Page views"][data-value="3"]').waitFor();
  expect(await card.locator('[data-product]').textContent()).toBe('Footfall, sealed');
  await card.getByRole('button', { name: 'Import', exact: true }).click();
  await card.getByText('“example.com.sealed” is imported: 1 day').waitFor();
  await page.goto(`${server.url}/moved.example?period=yesterday`);
  await ready(page, 'pages');
  expect(await rowsOf(page, 'pages')).toEqual([
    ['/a', 2],
    ['/b', 1],
  ]);

  // A part of a file says what is wrong, before anything is stored.
  await page.goto(`${server.url}/moved.example/settings/data`);
  const half = buffer.subarray(0, buffer.length - 10);
  await page.setInputFiles('#import input[type=file]', { name: 'half.sealed', mimeType: '', buffer: half });
  await card.getByText('“half.sealed” is not complete.').waitFor();
  expect(troubles).toEqual([]);
});
