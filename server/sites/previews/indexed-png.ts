// Writes a PNG with a palette: a quarter of the bytes of one with full colours. Drawings have few, and the edges between two of them have shades
// that nobody misses.
import { crc32, deflateSync } from 'node:zlib';

type Image = { pixels: Uint8Array; width: number; height: number };

const SIGNATURE = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
const MAX_COLOURS = 64;
/** Bits of each channel that are left out until the colours are few enough. */
const LEFT_OUT = [0, 3, 4, 5, 6];

/** `pixels`: four bytes each, red, green and blue multiplied by alpha. */
export function encodeIndexed({ pixels, width, height }: Image): Buffer {
  const { colours, indexes } = reduce(new Uint32Array(pixels.slice().buffer));
  const rows = Buffer.alloc(height * (width + 1)); // each begins with the filter 0, which is none
  for (let y = 0; y < height; y += 1) rows.set(indexes.subarray(y * width, (y + 1) * width), y * (width + 1) + 1);
  const alpha = Buffer.from(colours.map((colour) => colour >>> 24));
  const palette = Buffer.from(
    colours.flatMap((colour, index) =>
      [0, 8, 16].map((shift) => Math.round((((colour >>> shift) & 255) * 255) / (alpha[index] || 255))),
    ),
  );
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 3, 0, 0, 0]); // eight bits, with a palette
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', palette),
    chunk('tRNS', alpha),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** The colours of like ones become the most frequent of them, so that areas keep theirs. */
function reduce(pixels: Uint32Array): { colours: number[]; indexes: Uint8Array } {
  const counts = new Map<number, number>();
  for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
  const byCount = [...counts.keys()].sort((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0));
  for (const bits of LEFT_OUT) {
    const mask = (0x01010101 * ((255 << bits) & 255)) >>> 0;
    const groups = new Map<number, number>();
    for (const colour of byCount) {
      const group = (colour & mask) >>> 0;
      if (!groups.has(group)) groups.set(group, colour);
    }
    if (groups.size > MAX_COLOURS) continue;
    const places = new Map([...groups.keys()].map((group, index) => [group, index]));
    return {
      colours: [...groups.values()],
      indexes: Uint8Array.from(pixels, (pixel) => places.get((pixel & mask) >>> 0) ?? 0),
    };
  }
  throw new Error('A drawing with two bits a channel has more than 64 colours.');
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}
