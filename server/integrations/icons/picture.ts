// Makes a small PNG from a stranger's image. The decoder is Rust compiled to WebAssembly, so a fault in it cannot leave its memory. Run it
// on a thread (`thread.ts`), which can be ended. Only pixels are kept: nothing else of the original file is passed on.
import { PhotonImage, resize, SamplingFilter } from '@silvia-odwyer/photon-node';
import { imageSize } from 'image-size';
import { ICON_PX } from '../../vocabulary/icons.ts';
import { distanceFrom } from './download.ts';

/** Four bytes per decoded pixel: 4 MB. */
const MAX_SIDE = 1024;
/** Smaller images are tracking pixels. */
const MIN_SIDE = 8;
const MAX_BYTES = 8192;
const RASTER: readonly string[] = ['png', 'jpg', 'gif', 'webp'];

/**
 * Returns a PNG of at most 32 by 32 pixels; undefined unless the bytes are a PNG, ICO, JPEG, GIF or WebP image. Throws if the image is
 * damaged.
 */
export function toIcon(bytes: Uint8Array): Uint8Array | undefined {
  const image = isIco(bytes) ? bestOfIco(bytes) : bytes;
  if (!image || !hasGoodSize(image)) return undefined;
  const picture = PhotonImage.new_from_byteslice(image);
  const [width, height] = [picture.get_width(), picture.get_height()];
  const scale = ICON_PX / Math.max(width, height);
  const pixels = (side: number) => Math.max(1, Math.round(side * scale));
  const icon = scale < 1 ? resize(picture, pixels(width), pixels(height), SamplingFilter.Lanczos3) : picture;
  const png = icon.get_bytes();
  return png.length <= MAX_BYTES ? png : undefined;
}

function hasGoodSize(image: Uint8Array): boolean {
  const { width, height, type = '' } = isIco(image) ? sizeOfEntry(image) : imageSize(image);
  const isKnown = type === 'ico' || RASTER.includes(type);
  return isKnown && Math.min(width, height) >= MIN_SIDE && Math.max(width, height) <= MAX_SIDE;
}

// An ICO file: a header of 6 bytes, then 16 bytes per entry, then the images, each a PNG or a bitmap without its file header.
const HEADER = 6;
const ENTRY = 16;
const BITMAP_HEADER = 40;
const MAX_ENTRIES = 64;

function isIco(bytes: Uint8Array): boolean {
  return bytes.length >= HEADER + ENTRY && viewOf(bytes).getUint32(0, true) === 0x0001_0000;
}

/** Returns the entry nearest to 32 pixels: unchanged if it is a PNG, otherwise as an ICO file with one entry. */
function bestOfIco(bytes: Uint8Array): Uint8Array | undefined {
  const view = viewOf(bytes);
  const count = Math.min(view.getUint16(4, true), MAX_ENTRIES, Math.floor((bytes.length - HEADER) / ENTRY));
  const entries = Array.from({ length: count }, (_, index) => {
    const at = HEADER + index * ENTRY;
    const [length, start] = [view.getUint32(at + 8, true), view.getUint32(at + 12, true)];
    const side = view.getUint8(at) || 256; // a byte holds up to 255, so 0 means 256
    return { side, colours: view.getUint16(at + 6, true), entry: bytes.subarray(at, at + ENTRY), start, length };
  }).filter(({ start, length }) => length > BITMAP_HEADER && start + length <= bytes.length);
  const [best] = entries.sort((a, b) => distanceFrom(a.side) - distanceFrom(b.side) || b.colours - a.colours);
  if (!best) return undefined;
  const image = bytes.subarray(best.start, best.start + best.length);
  return isPng(image) ? image : icoOf(best.entry, image);
}

function icoOf(entry: Uint8Array, image: Uint8Array): Uint8Array {
  const file = new Uint8Array(HEADER + ENTRY + image.length);
  file.set([0, 0, 1, 0, 1, 0]);
  file.set(entry, HEADER);
  file.set(image, HEADER + ENTRY);
  viewOf(file).setUint32(HEADER + 12, HEADER + ENTRY, true);
  return file;
}

/** Returns the size in the bitmap of the only entry, since the decoder uses that one. Its height includes the mask. */
function sizeOfEntry(file: Uint8Array): { width: number; height: number; type: string } {
  const view = viewOf(file);
  const at = HEADER + ENTRY;
  return { width: view.getInt32(at + 4, true), height: Math.abs(view.getInt32(at + 8, true)) / 2, type: 'ico' };
}

function isPng(bytes: Uint8Array): boolean {
  return bytes.length > 8 && viewOf(bytes).getUint32(0) === 0x8950_4e47;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
