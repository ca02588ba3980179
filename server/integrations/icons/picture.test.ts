/** @module-tag attack */
// Images from strangers: which become icons, and which are refused.
import { expect, test } from 'vitest';
import {
  bitmapOf,
  gifOf,
  GREEN,
  icoOf,
  jpegOf,
  pictureOf,
  pngOf,
  RED,
  webpOf,
} from '../../../tests/setup/browser/images.ts';
import { toIcon } from './picture.ts';
import { decodeOnThread } from './thread.ts';

const PNG = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="32" height="32"><script>alert(1)</script></svg>';
const HTML = '<!doctype html><title>Not found</title><script>alert(1)</script>';

test('every format that sites use becomes a PNG of at most 32 by 32 pixels', () => {
  const images = {
    'a large PNG': pngOf(512, 512),
    'a small PNG': pngOf(16, 16),
    'a JPEG': jpegOf(64),
    'a WebP': webpOf(64),
    'a GIF': gifOf(),
    'an ICO with a bitmap': icoOf([{ side: 16, data: bitmapOf(16) }]),
    'an ICO with a PNG': icoOf([{ side: 256, data: pngOf(256, 256) }]),
  };
  for (const [name, image] of Object.entries(images)) {
    const icon = Buffer.from(toIcon(image) ?? []);
    expect([name, icon.subarray(0, 8)]).toEqual([name, PNG]);
    const { width, height, colour } = pictureOf(icon);
    expect([name, width, height]).toEqual([name, width, width]);
    expect(width).toBeLessThanOrEqual(32);
    for (const [channel, value] of RED.entries())
      expect(Math.abs((colour[channel] ?? -1) - value)).toBeLessThanOrEqual(3);
  }
});

test('an image that is not square keeps its aspect ratio', () => {
  expect(pictureOf(toIcon(pngOf(128, 64)) ?? PNG)).toMatchObject({ width: 32, height: 16 });
});

test('the entry of an ICO file that is closest to 32 pixels is used', () => {
  const sides = [16, 48, 32, 256];
  for (const best of sides.filter((side) => side !== 16)) {
    const listed = sides.filter((side) => side === 16 || side >= best);
    const file = icoOf(listed.map((side) => ({ side, data: bitmapOf(side, side === best ? GREEN : RED) })));
    expect([best, pictureOf(toIcon(file) ?? PNG).colour]).toEqual([best, [...GREEN]]);
  }
});

/** Everything that a hostile server may send in place of an icon. */
const HOSTILE: Record<string, Buffer> = {
  nothing: Buffer.alloc(0),
  'a page': Buffer.from(HTML),
  'a vector image': Buffer.from(SVG),
  'a vector image that begins like XML': Buffer.from(`<?xml version="1.0"?>${SVG}`),
  'a PNG of a billion pixels': pngOf(30_000, 30_000, RED, 1),
  'a PNG that is too wide': pngOf(2000, 16),
  'a counting pixel': pngOf(1, 1),
  'a PNG that ends early': pngOf(64, 64).subarray(0, 60),
  'only the beginning of a PNG': PNG,
  'an ICO without entries': Buffer.concat([icoOf([]), Buffer.alloc(64)]),
  'an ICO whose entry points past the end of the file': icoOf([{ side: 32, data: bitmapOf(32) }]).subarray(0, 200),
  'an ICO whose bitmap claims another size': icoOf([{ side: 32, data: bitmapOf(32, RED, 30_000) }]),
  'an ICO with a PNG of a billion pixels': icoOf([{ side: 32, data: pngOf(30_000, 30_000, RED, 1) }]),
  'an ICO in an ICO': icoOf([{ side: 32, data: icoOf([{ side: 32, data: bitmapOf(32) }]) }]),
  'a cursor': Buffer.concat([Buffer.from([0, 0, 2, 0]), icoOf([{ side: 32, data: bitmapOf(32) }]).subarray(4)]),
  'a PDF': Buffer.from('%PDF-1.7\n'),
};

test.each(Object.keys(HOSTILE))('%s does not become an icon', async (name) => {
  expect(await decodeOnThread(HOSTILE[name] ?? PNG)).toBeUndefined();
});

test('an icon contains only pixels, and no other data of the file', async () => {
  const file = Buffer.concat([pngOf(64, 64), Buffer.from(HTML)]);
  const icon = await decodeOnThread(file);
  expect(icon?.subarray(0, 8)).toEqual(PNG);
  expect(icon?.includes('script')).toBe(false);
});

test('a file that is damaged anywhere yields a small PNG or nothing', () => {
  let seed = 7;
  const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
  const files = [pngOf(48, 48), icoOf([{ side: 16, data: bitmapOf(16) }]), gifOf(), jpegOf(32), webpOf(32)];
  for (let round = 0; round < 200; round++) {
    const file = Buffer.from(files[round % files.length] ?? PNG);
    for (let hit = 0; hit <= round % 7; hit++) file[random(file.length)] = random(256);
    let icon: Uint8Array | undefined;
    try {
      icon = toIcon(file);
    } catch {
      continue; // in the server, this ends the worker thread
    }
    if (!icon) continue;
    expect(icon.length).toBeLessThanOrEqual(8192);
    expect(Buffer.from(icon.subarray(0, 8))).toEqual(PNG);
  }
});
