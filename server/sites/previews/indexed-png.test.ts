import { inflateSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { encodeIndexed } from './indexed-png.ts';

/** The chunks of a PNG, by their types. */
function chunksOf(png: Buffer): Record<string, Buffer> {
  const found: Record<string, Buffer> = {};
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at))
    found[png.toString('latin1', at + 4, at + 8)] = png.subarray(at + 8, at + 8 + png.readUInt32BE(at));
  return found;
}

it('keeps few colours as they are, those that shine through too', () => {
  const pixels = Uint8Array.from([255, 255, 255, 255, 128, 64, 0, 128, 255, 255, 255, 255, 0, 0, 0, 0]);
  const { IHDR, PLTE, tRNS, IDAT } = chunksOf(encodeIndexed({ pixels, width: 2, height: 2 }));
  expect([IHDR?.readUInt32BE(0), IHDR?.readUInt32BE(4), [...(IHDR ?? [])].slice(8)]).toEqual([2, 2, [8, 3, 0, 0, 0]]);
  expect([...inflateSync(IDAT ?? '')]).toEqual([0, 0, 1, 0, 0, 2]);
  expect([...(PLTE ?? [])]).toEqual([255, 255, 255, 255, 128, 0, 0, 0, 0]);
  expect([...(tRNS ?? [])]).toEqual([255, 128, 0]);
});

it('joins many colours, and areas keep theirs', () => {
  const shades = Array.from({ length: 256 }, (_, shade) => [shade, shade, shade, 255]);
  const area = Array.from({ length: 256 }, () => [14, 122, 84, 255]);
  const png = encodeIndexed({ pixels: Uint8Array.from([...shades, ...area].flat()), width: 256, height: 2 });
  const { PLTE, IDAT } = chunksOf(png);
  const indexes = inflateSync(IDAT ?? '');
  const colourAt = (x: number, y: number) => [...(PLTE ?? [])].slice((indexes[y * 257 + 1 + x] ?? 0) * 3).slice(0, 3);
  expect(PLTE?.length).toBeLessThanOrEqual(3 * 64);
  expect(colourAt(7, 1)).toEqual([14, 122, 84]);
  for (const x of [0, 100, 255]) expect(Math.abs((colourAt(x, 0)[0] ?? NaN) - x)).toBeLessThan(8);
});
