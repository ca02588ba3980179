// Printing, or saving as PDF: the live view fits on one page, an open side dialog takes the place of its page, and nothing is printed that only
// a screen can use.
import { inflateSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { openDashboard } from '../../setup/browser/dashboard.ts';

/** How many pieces of text each page of a PDF has. */
function textsOf(pdf: Buffer): number[] {
  const file = pdf.toString('latin1');
  return [...file.matchAll(/\/Type \/Page\b[^]*?\/Contents (\d+) 0 R/g)].map(([, id = '']) => {
    const at = file.indexOf(`\n${id} 0 obj`);
    const length = Number(/\/Length (\d+)/.exec(file.slice(at))?.[1]);
    const start = file.indexOf('stream\n', at) + 'stream\n'.length;
    const drawing = inflateSync(pdf.subarray(start, start + length)).toString('latin1');
    return drawing.match(/T[jJ]\b/g)?.length ?? 0;
  });
}

it('prints the live view on one page, without buttons', async () => {
  await using dashboard = await openDashboard({ width: 1200, isBlank: true });
  const { page, server } = dashboard;
  await page.goto(`${server.url}/example.com/live`);
  await page.waitForSelector('[data-panel="live_map"] [data-rings]', { state: 'attached' });
  await page.waitForSelector('[data-panel="live_pages"] [data-row="/pricing"]');
  const texts = textsOf(await page.pdf({ preferCSSPageSize: true, printBackground: true }));
  expect(texts).toHaveLength(1);
  expect(texts[0]).toBeGreaterThan(20);
  await page.emulateMedia({ media: 'print' });
  for (const name of ['Full screen', 'Back to the dashboard'])
    expect(await page.getByText(name).or(page.getByLabel(name)).filter({ visible: true }).count(), name).toBe(0);
  expect(await page.locator('.wall > header').innerText()).toMatch(/^example\.com\s+\d\d:\d\d$/);
  const cut = await page.$$eval('[data-panel]', (cards) =>
    cards.filter((card) => card.getBoundingClientRect().right > innerWidth).map((card) => card.outerHTML.slice(0, 80)),
  );
  expect(cut).toEqual([]);
  expect(dashboard.troubles).toEqual([]);
});

it('prints the details that are open instead of the page beneath', async () => {
  await using dashboard = await openDashboard({ width: 1200, isBlank: true });
  const { page, server, view } = dashboard;
  for (let number = 0; number < 120; number += 1) await view(`/page/${number}`);
  await server.settle();
  await page.goto(`${server.url}/example.com?details=page`);
  await page.waitForSelector('dialog tr[data-row="/page/0"]');
  const rows = await page.locator('dialog tr[data-row]').count();
  const texts = textsOf(await page.pdf({ preferCSSPageSize: true, printBackground: true }));
  expect(rows).toBeGreaterThan(10);
  expect(texts.length).toBeLessThanOrEqual(2);
  expect(texts.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(rows);
  await page.emulateMedia({ media: 'print' });
  expect(await page.locator('[data-print-heading]').innerText()).toMatch(/^example\.com\s+Today/);
  for (const shown of ['Page', '/page/0'])
    expect(await page.locator('dialog').getByText(shown, { exact: true }).first().isVisible(), shown).toBe(true);
  for (const name of ['Copy or download these numbers', 'Close', 'Filter', 'Search'])
    expect(
      await page
        .getByText(name, { exact: true })
        .or(page.getByLabel(name, { exact: true }))
        .filter({ visible: true })
        .count(),
      name,
    ).toBe(0);
  expect(await page.locator('[data-panel]').filter({ visible: true }).count()).toBe(0);
  expect(dashboard.troubles).toEqual([]);
});
