// Draws screenshots small onto sheets, and compares sheets. Chromium does both: it reads and writes every format that is needed.
import { writeFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';

/** A quarter of the size: enough to see what moved, and small enough to commit. */
const SCALE = 0.25;
const GAP = 12;
/** WebP changes colours a little: a pixel counts as changed if one of its channels differs by more than this. */
const TOLERANCE = 40;
/** Share of the pixels that may differ. */
const MAX_CHANGED = 0.002;

const address = (type: string, data: Buffer) => `data:image/${type};base64,${data.toString('base64')}`;

/** Puts the screenshots side by side, a quarter of their size. */
export async function drawSheet(page: Page, shots: Buffer[]): Promise<Buffer> {
  const data = await page.evaluate(
    async ({ sources, scale, gap }) => {
      const images = await Promise.all(
        sources.map(async (source) => createImageBitmap(await (await fetch(source)).blob())),
      );
      const sizes = images.map(({ width, height }) => [Math.round(width * scale), Math.round(height * scale)] as const);
      const width = sizes.reduce((sum, [own]) => sum + own + gap, gap);
      const height = Math.max(...sizes.map(([, own]) => own)) + 2 * gap;
      const canvas = Object.assign(document.createElement('canvas'), { width, height });
      const context = canvas.getContext('2d') as CanvasRenderingContext2D;
      context.fillStyle = '#8a8f98';
      context.fillRect(0, 0, width, height);
      context.imageSmoothingQuality = 'high';
      let left = gap;
      images.forEach((image, index) => {
        const [wide, high] = sizes[index] as readonly [number, number];
        context.drawImage(image, left, gap, wide, high);
        left += wide + gap;
      });
      return canvas.toDataURL('image/webp', 0.85).split(',')[1] as string;
    },
    { sources: shots.map((shot) => address('png', shot)), scale: SCALE, gap: GAP },
  );
  return Buffer.from(data, 'base64');
}

/** Compares two sheets. Where they differ beyond the tolerance, a picture of the differences is written to `differences`. */
export async function compareSheets(
  page: Page,
  { before, after }: { before: Buffer; after: Buffer },
  differences: string,
): Promise<{ share: number; isSame: boolean }> {
  const found = await page.evaluate(
    async ({ sources, tolerance }) => {
      const [old, now] = (await Promise.all(
        sources.map(async (source) => createImageBitmap(await (await fetch(source)).blob())),
      )) as [ImageBitmap, ImageBitmap];
      if (old.width !== now.width || old.height !== now.height) return { share: 1, picture: '' };
      const pixelsOf = (image: ImageBitmap) => {
        const canvas = new OffscreenCanvas(image.width, image.height);
        const context = canvas.getContext('2d') as OffscreenCanvasRenderingContext2D;
        context.drawImage(image, 0, 0);
        return context.getImageData(0, 0, image.width, image.height);
      };
      const [left, right] = [pixelsOf(old), pixelsOf(now)];
      const marked = new ImageData(old.width, old.height);
      let count = 0;
      for (let at = 0; at < left.data.length; at += 4) {
        const differs = [0, 1, 2].some(
          (channel) => Math.abs((left.data[at + channel] ?? 0) - (right.data[at + channel] ?? 0)) > tolerance,
        );
        if (differs) count += 1;
        marked.data.set(differs ? [220, 0, 60, 255] : [...right.data.subarray(at, at + 3), 60], at);
      }
      const canvas = Object.assign(document.createElement('canvas'), { width: old.width, height: old.height });
      (canvas.getContext('2d') as CanvasRenderingContext2D).putImageData(marked, 0, 0);
      return { share: count / (left.data.length / 4), picture: canvas.toDataURL('image/png').split(',')[1] as string };
    },
    { sources: [address('webp', before), address('webp', after)], tolerance: TOLERANCE },
  );
  const isSame = found.share <= MAX_CHANGED;
  if (!isSame && found.picture) await writeFile(differences, found.picture, 'base64');
  return { share: found.share, isSame };
}
