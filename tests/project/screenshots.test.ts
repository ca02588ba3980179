// How screenshots are compared: each picture of a sheet by itself.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { compareSheets, drawSheet, type Size } from '../screenshots/sheets.ts';
import { openBrowser } from '../setup/browser/chromium.ts';
import { tempFolder } from '../setup/folder.ts';

/** As many as a sheet has: four widths in two themes. */
const SIZES: Size[] = [1280, 1280, 1024, 1024, 390, 390, 320, 320].map((width) => ({ width, height: 1600 }));

type Drawn = { withoutCardIn?: number; noise?: number };

/** Screenshots of a page with two cards, one of them small. `noise` is added to every other pixel's channels. */
async function sheetOf(page: Page, { withoutCardIn, noise = 0 }: Drawn = {}): Promise<Buffer> {
  const shots = await page.evaluate(
    ({ sizes, without, added }) =>
      sizes.map(({ width, height }, index) => {
        const canvas = Object.assign(document.createElement('canvas'), { width, height });
        const context = canvas.getContext('2d') as CanvasRenderingContext2D;
        const fill = (colour: string, box: [number, number, number, number]) => {
          context.fillStyle = colour;
          context.fillRect(...box);
        };
        fill('#f6f8f7', [0, 0, width, height]);
        fill('#dfe7e3', [20, 20, width - 40, 400]);
        if (index !== without) fill('#1c7a55', [20, 600, 80, 40]);
        const pixels = context.getImageData(0, 0, width, height);
        for (let at = 0; at < pixels.data.length; at += 1)
          if ((at >> 4) % 2 && at % 4 < 3) pixels.data[at] = (pixels.data[at] ?? 0) - added;
        context.putImageData(pixels, 0, 0);
        return canvas.toDataURL('image/png').split(',')[1] as string;
      }),
    { sizes: SIZES, without: withoutCardIn, added: noise },
  );
  return drawSheet(
    page,
    shots.map((shot) => Buffer.from(shot, 'base64')),
  );
}

test('a sheet differs if one of its pictures does, however small the change is on the whole sheet', async () => {
  await using folder = await tempFolder();
  await using browser = await openBrowser();
  const page = await (await browser.newContext()).newPage();
  const before = await sheetOf(page);
  const compare = async (name: string, drawn: Drawn) =>
    compareSheets(page, { before, after: await sheetOf(page, drawn), sizes: SIZES }, join(folder.path, name));

  expect(await compare('equal', {})).toEqual({ shares: SIZES.map(() => 0), isSame: true });
  expect(await compare('noise', { noise: 24 })).toEqual({ shares: SIZES.map(() => 0), isSame: true });

  const missing = await compare('missing', { withoutCardIn: 6 });
  expect(missing.isSame).toBe(false);
  // A card of 20 × 10 pixels in a picture of 80 × 400. WebP blurs its edges.
  expect(missing.shares[6]).toBeCloseTo(200 / (80 * 400), 3);
  expect(missing.shares.filter((share) => share > 0)).toHaveLength(1);
  const pixels = SIZES.map(({ width, height }) => (width * height) / 16);
  const ofSheet = (missing.shares[6] ?? 0) * ((pixels[6] ?? 0) / pixels.reduce((sum, own) => sum + own, 0));
  expect(ofSheet).toBeLessThan(0.002);
  expect(['equal', 'noise', 'missing'].filter((name) => existsSync(join(folder.path, name)))).toEqual(['missing']);
});
