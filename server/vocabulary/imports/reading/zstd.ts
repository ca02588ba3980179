// Unpacks zst. The frames are followed beside the decoder (RFC 8878, section 3): it would take up to two gigabytes of memory for a frame that asks for
// them, and does not know dictionaries.
import { Decompress } from 'fzstd';
import { ImportError } from '../import.ts';

/** As much as `zstd -d` takes by default. */
const MAX_WINDOW_BYTES = 128 * 1024 ** 2;

/** Whether a file begins with a frame, or with one that pzstd and others write before it. */
export const isZstd = ([a = 0, b, c, d]: Uint8Array): boolean =>
  (a === 0x28 && b === 0xb5 && c === 0x2f && d === 0xfd) ||
  ((a & 0xf0) === 0x50 && b === 0x2a && c === 0x4d && d === 0x18);

/** `limit` hears of all bytes before they are kept, and may throw. */
export function openZstd(name: string, limit: (bytes: number) => void) {
  let parts: Uint8Array[] = [];
  const follow = followFrames(name);
  const decoder = new Decompress((part) => {
    limit(part.length);
    parts.push(part);
  });
  const taken = (): Uint8Array[] => {
    const before = parts;
    parts = [];
    return before;
  };
  return {
    add(bytes: Uint8Array): Uint8Array[] {
      follow(bytes);
      decoder.push(bytes);
      return taken();
    },
    /** Throws if the last frame is not complete. */
    end(): Uint8Array[] {
      decoder.push(new Uint8Array(0), true);
      return taken();
    },
  };
}

const numberOf = (bytes: readonly number[], from: number, length: number): number =>
  bytes.slice(from, from + length).reduce((sum, byte, index) => sum + byte * 256 ** index, 0);

const isSkippable = (start: readonly number[]) => start[3] === 0x18;
/** What the fifth byte of a frame says of its header. `size`: how many bytes tell that of the content. */
function described(start: readonly number[]) {
  const byte = start[4] ?? 0;
  const isSingle = (byte & 0x20) !== 0;
  const size = byte >> 6 === 0 ? Number(isSingle) : 1 << (byte >> 6);
  return { isSingle, size, hasChecksum: (byte & 4) !== 0, dictionary: [0, 1, 2, 4][byte & 3] ?? 0 };
}

function headerLength(start: readonly number[]): number {
  if (start.length < 5) return 5;
  if (isSkippable(start)) return 8;
  const { isSingle, size, dictionary } = described(start);
  return 5 + (isSingle ? 0 : 1) + dictionary + size;
}

function windowOf(header: readonly number[]): number {
  const { isSingle, size, dictionary } = described(header);
  if (isSingle) return numberOf(header, 5 + dictionary, size);
  const byte = header[5] ?? 0;
  return 2 ** (10 + (byte >> 3)) * (1 + (byte & 7) / 8);
}

/** Throws an ImportError for a frame that needs too much memory, or a dictionary. */
function followFrames(name: string): (bytes: Uint8Array) => void {
  let seen: number[] = [];
  let skipped = 0; // bytes that are still to come of what needs no look
  let isInFrame = false;
  let hasChecksum = false;
  const readFrame = () => {
    if (isSkippable(seen)) {
      skipped = numberOf(seen, 4, 4);
      return;
    }
    if (windowOf(seen) > MAX_WINDOW_BYTES || described(seen).dictionary > 0)
      throw new ImportError({ what: 'zstd_window', name });
    ({ hasChecksum } = described(seen));
    isInFrame = true;
  };
  const readBlock = () => {
    const value = numberOf(seen, 0, 3);
    const isLast = (value & 1) === 1;
    const isRepeatedByte = ((value >> 1) & 3) === 1;
    skipped = (isRepeatedByte ? 1 : value >> 3) + (isLast && hasChecksum ? 4 : 0);
    isInFrame = !isLast;
  };
  return (bytes) => {
    for (let at = 0; at < bytes.length;) {
      if (skipped > 0) {
        const step = Math.min(skipped, bytes.length - at);
        skipped -= step;
        at += step;
        continue;
      }
      seen.push(bytes[at] ?? 0);
      at += 1;
      if (seen.length < (isInFrame ? 3 : headerLength(seen))) continue;
      if (isInFrame) readBlock();
      else readFrame();
      seen = [];
    }
  };
}
