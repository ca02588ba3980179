// The frames of a sealed export, as a browser and `manage import` send them to the server that can read them. The file is: a mark; the public key of
// the seal and that of its recipient, 32 bytes each; and frames, each with its length in four bytes, of which the highest bit marks the last one.
import { ImportError } from '../import.ts';

export const SEALED_MARK = 'FOOTFALL-SEALED-1\n';
export const KEY_BYTES = 32;
const HEAD_BYTES = SEALED_MARK.length + 2 * KEY_BYTES;
/** Of a frame, encrypted: in base64 it fits into a request. */
export const MAX_FRAME_BYTES = 1_400_000;
export const LAST = 0x8000_0000;

/** `end`: where it ends in the file. */
export type Frame = { index: number; isLast: boolean; bytes: Uint8Array<ArrayBuffer>; end: number };

export async function isSealed(blob: Blob): Promise<boolean> {
  return (await blob.slice(0, SEALED_MARK.length).text()) === SEALED_MARK;
}

/** The two keys. Throws an ImportError for a file that ends before. */
export async function readKeys(name: string, blob: Blob): Promise<Uint8Array<ArrayBuffer>> {
  const keys = new Uint8Array(await blob.slice(SEALED_MARK.length, HEAD_BYTES).arrayBuffer());
  if (keys.length < HEAD_BYTES - SEALED_MARK.length) throw incomplete(name);
  return keys;
}

/** Reads the frames one by one, from the one with a number on. Throws an ImportError if the last one is missing. */
export async function* readFrames(name: string, blob: Blob, first = 0): AsyncGenerator<Frame> {
  let at = HEAD_BYTES;
  for (let index = 0; ; index += 1) {
    const length = new DataView(await blob.slice(at, at + 4).arrayBuffer());
    if (length.byteLength < 4) throw incomplete(name);
    const [isLast, size] = [length.getUint32(0) >= LAST, length.getUint32(0) % LAST];
    if (size > MAX_FRAME_BYTES) throw new ImportError({ what: 'damaged', name });
    if (at + 4 + size > blob.size) throw incomplete(name);
    if (index >= first) {
      const bytes = new Uint8Array(await blob.slice(at + 4, at + 4 + size).arrayBuffer());
      yield { index, isLast, bytes, end: at + 4 + size };
    }
    at += 4 + size;
    if (isLast) return;
  }
}

/** Looks at the lengths of all frames alone. Throws an ImportError like `readFrames`. */
export async function checkWhole(name: string, blob: Blob): Promise<void> {
  for await (const _ of readFrames(name, blob, Infinity));
}

const incomplete = (name: string) => new ImportError({ what: 'incomplete', name });
