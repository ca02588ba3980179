// Draws screenshots small onto sheets, and compares sheets. Chromium does both: it reads and writes every format that is needed.
import { writeFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';

/** A quarter of the size: enough to see what moved, and small enough to commit. */
const SCALE = 0.25;
const GAP = 12;
/** WebP changes colours a little: a pixel counts as changed if one of its channels differs by more than this. */
const TOLERANCE = 40;
/** Share of a picture's pixels that may differ. */
const MAX_CHANGED = 0.002;

const address = (type: string, data: Buffer) => `data:image/${type};base64,${data.toString('base64')}`;

export type Size = { width: number; height: number };

/** The size of a PNG, which is in its header. */
export const sizeOfPng = (png: Buffer): Size => ({ width: png.readUInt32BE(16), height: png.readUInt32BE(20) });

/** Where the sheet shows each screenshot. */
function framesOf(sizes: Size[]): (Size & { x: number; y: number })[] {
  let next = GAP;
  return sizes.map((size) => {
    const [width, height] = [Math.round(size.width * SCALE), Math.round(size.height * SCALE)];
    const x = next;
    next += width + GAP;
    return { x, y: GAP, width, height };
  });
}

/** Puts the screenshots side by side, a quarter of their size. */
export async function drawSheet(page: Page, shots: Buffer[]): Promise<Buffer> {
  const data = await page.evaluate(
    async ({ sources, frames, gap }) => {
      const images = await Promise.all(
        sources.map(async (source) => createImageBitmap(await (await fetch(source)).blob())),
      );
      const width = frames.reduce((sum, frame) => sum + frame.width + gap, gap);
      const height = Math.max(...frames.map((frame) => frame.height)) + 2 * gap;
      const canvas = Object.assign(document.createElement('canvas'), { width, height });
      const context = canvas.getContext('2d') as CanvasRenderingContext2D;
      context.fillStyle = '#8a8f98';
      context.fillRect(0, 0, width, height);
      context.imageSmoothingQuality = 'high';
      for (const [index, frame] of frames.entries())
        context.drawImage(images[index] as ImageBitmap, frame.x, frame.y, frame.width, frame.height);
      return canvas.toDataURL('image/webp', 0.85).split(',')[1] as string;
    },
    { sources: shots.map((shot) => address('png', shot)), frames: framesOf(shots.map(sizeOfPng)), gap: GAP },
  );
  return Buffer.from(data, 'base64');
}

/** Each picture's share of changed pixels, from left to right. */
type Compared = { shares: number[]; isSame: boolean };

/**
 * Compares two sheets picture by picture, so that a small change in one is not lost among the others. `sizes` are those of the screenshots.
 * If a picture differs beyond the tolerance, a picture of the differences is written to `differences`.
 */
export async function compareSheets(
  page: Page,
  { before, after, sizes }: { before: Buffer; after: Buffer; sizes: Size[] },
  differences: string,
): Promise<Compared> {
  const found = await page.evaluate(
    async ({ sources, tolerance, frames }) => {
      const [old, now] = (await Promise.all(
        sources.map(async (source) => createImageBitmap(await (await fetch(source)).blob())),
      )) as [ImageBitmap, ImageBitmap];
      if (old.width !== now.width || old.height !== now.height) return { shares: frames.map(() => 1), picture: '' };
      const pixelsOf = (image: ImageBitmap) => {
        const canvas = new OffscreenCanvas(image.width, image.height);
        const context = canvas.getContext('2d') as OffscreenCanvasRenderingContext2D;
        context.drawImage(image, 0, 0);
        return context.getImageData(0, 0, image.width, image.height);
      };
      const [left, right] = [pixelsOf(old), pixelsOf(now)];
      const marked = new ImageData(old.width, old.height);
      const counts = frames.map(() => 0);
      for (let at = 0; at < left.data.length; at += 4) {
        const differs = [0, 1, 2].some(
          (channel) => Math.abs((left.data[at + channel] ?? 0) - (right.data[at + channel] ?? 0)) > tolerance,
        );
        marked.data.set(differs ? [220, 0, 60, 255] : [...right.data.subarray(at, at + 3), 60], at);
        if (!differs) continue;
        const [x, y] = [(at / 4) % old.width, Math.floor(at / 4 / old.width)];
        const of = frames.findIndex(
          (frame) => x >= frame.x && x < frame.x + frame.width && y >= frame.y && y < frame.y + frame.height,
        );
        if (of >= 0) counts[of] = (counts[of] ?? 0) + 1;
      }
      const canvas = Object.assign(document.createElement('canvas'), { width: old.width, height: old.height });
      (canvas.getContext('2d') as CanvasRenderingContext2D).putImageData(marked, 0, 0);
      return {
        shares: frames.map(({ width, height }, index) => (counts[index] ?? 0) / (width * height)),
        picture: canvas.toDataURL('image/png').split(',')[1] as string,
      };
    },
    { sources: [address('webp', before), address('webp', after)], tolerance: TOLERANCE, frames: framesOf(sizes) },
  );
  const isSame = found.shares.every((share) => share <= MAX_CHANGED);
  if (!isSame && found.picture) await writeFile(differences, found.picture, 'base64');
  return { shares: found.shares, isSame };
}
