// Images of one colour, in the formats in which sites have their icons.
import { PhotonImage } from '@silvia-odwyer/photon-node';
import { crc32, deflateSync } from 'node:zlib';

type Colour = readonly [red: number, green: number, blue: number, alpha: number];
export const RED: Colour = [255, 0, 0, 255];
export const GREEN: Colour = [0, 255, 0, 255];

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const ends = [Buffer.alloc(4), Buffer.alloc(4)] as const;
  ends[0].writeUInt32BE(data.length);
  ends[1].writeUInt32BE(crc32(body));
  return Buffer.concat([ends[0], body, ends[1]]);
}

/** `rows`: how many of them the file holds; all by default. */
export function pngOf(width: number, height: number, colour: Colour = RED, rows = height): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 6], 8); // eight bits a channel, with transparency
  const row = Buffer.concat([Buffer.alloc(1), Buffer.alloc(width * 4, Buffer.from(colour))]);
  const data = deflateSync(Buffer.alloc(row.length * rows, row));
  const parts = [chunk('IHDR', head), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]), ...parts]);
}

/** A bitmap as ICO files hold them. `says` is the size in its header, which may be wrong. */
export function bitmapOf(side: number, colour: Colour = RED, says = side): Buffer {
  const head = Buffer.alloc(40);
  head.writeUInt32LE(40, 0);
  head.writeInt32LE(says, 4);
  head.writeInt32LE(says * 2, 8);
  head.writeUInt16LE(1, 12);
  head.writeUInt16LE(32, 14);
  const [red, green, blue, alpha] = colour;
  const pixels = Buffer.alloc(side * side * 4, Buffer.from([blue, green, red, alpha]));
  return Buffer.concat([head, pixels, Buffer.alloc(Math.ceil(side / 32) * 4 * side)]);
}

export function icoOf(images: { side: number; data: Buffer }[]): Buffer {
  const head = Buffer.alloc(6 + 16 * images.length);
  head.writeUInt16LE(1, 2);
  head.writeUInt16LE(images.length, 4);
  let start = head.length;
  for (const [index, { side, data }] of images.entries()) {
    const at = 6 + 16 * index;
    head.set([side % 256, side % 256], at);
    head.writeUInt16LE(1, at + 4);
    head.writeUInt16LE(32, at + 6);
    head.writeUInt32LE(data.length, at + 8);
    head.writeUInt32LE(start, at + 12);
    start += data.length;
  }
  return Buffer.concat([head, ...images.map(({ data }) => data)]);
}

/** 8 by 8 pixels. Its codes have eight bits, so each pixel is a byte. */
export function gifOf([red, green, blue]: Colour = RED): Buffer {
  const palette = Buffer.alloc(128 * 3);
  palette.set([red, green, blue]);
  const codes = Buffer.from([128, ...Buffer.alloc(64), 129]);
  const screen = Buffer.from([8, 0, 8, 0, 0xf6, 0, 0]);
  const frame = Buffer.from([0x2c, 0, 0, 0, 0, 8, 0, 8, 0, 0, 7, codes.length]);
  return Buffer.concat([Buffer.from('GIF89a'), screen, palette, frame, codes, Buffer.from([0, 0x3b])]);
}

export const jpegOf = (side: number, colour: Colour = RED): Buffer =>
  Buffer.from(PhotonImage.new_from_byteslice(pngOf(side, side, colour)).get_bytes_jpeg(90));
export const webpOf = (side: number, colour: Colour = RED): Buffer =>
  Buffer.from(PhotonImage.new_from_byteslice(pngOf(side, side, colour)).get_bytes_webp());

/** The size of an image, and the colour of its middle. */
export function pictureOf(bytes: Uint8Array): { width: number; height: number; colour: number[] } {
  const picture = PhotonImage.new_from_byteslice(bytes);
  const [width, height] = [picture.get_width(), picture.get_height()];
  const middle = 4 * (Math.floor(height / 2) * width + Math.floor(width / 2));
  return { width, height, colour: [...picture.get_raw_pixels().subarray(middle, middle + 4)] };
}
