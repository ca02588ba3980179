// zst files: as packers write them, damaged, and made to take all memory.
import { constants, zstdCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { ImportError } from '../import.ts';
import { unpack } from './unpack.ts';

const TEXT = Array.from({ length: 20_000 }, (_, row) => `line ${row} ${(row * 7919) % 104_729}\n`).join('');
const SKIPPABLE = Uint8Array.of(0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3);

async function unpacked(...parts: Uint8Array[]): Promise<string> {
  const [file] = await unpack({ name: 'access.log.zst', blob: new Blob(parts as Uint8Array<ArrayBuffer>[]) });
  const decoder = new TextDecoder();
  let text = '';
  for await (const bytes of file?.bytes() ?? []) text += decoder.decode(bytes, { stream: true });
  return text;
}
const packed = (text: string, params: Record<number, number> = {}): Uint8Array => zstdCompressSync(text, { params });
const refused = async (...parts: Uint8Array[]) => {
  const error: unknown = await unpacked(...parts).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ImportError);
  return (error as ImportError).message;
};
/** A frame without a size of its content. `window`: the exponent of its window beyond a kilobyte. */
const frame = (window: number, blocks: Uint8Array) =>
  Uint8Array.from([0x28, 0xb5, 0x2f, 0xfd, 0, window << 3, ...blocks]);
/** Blocks of 128 KB of the same letter. */
const repeated = (count: number) =>
  Uint8Array.from({ length: count * 4 }, (_, at) => [at === count * 4 - 4 ? 3 : 2, 0, 0x10, 0x61][at % 4] ?? 0);

describe('a zst file is unpacked', () => {
  test.each([
    ['of one frame', () => [packed(TEXT)]],
    ['with a checksum', () => [packed(TEXT, { [constants.ZSTD_c_checksumFlag]: 1 })]],
    ['packed as small as it can be', () => [packed(TEXT, { [constants.ZSTD_c_compressionLevel]: 17 })]],
    [
      'of several frames',
      () => [packed(TEXT.slice(0, 5_000), { [constants.ZSTD_c_checksumFlag]: 1 }), packed(TEXT.slice(5_000))],
    ],
    ['with frames that hold nothing', () => [SKIPPABLE, packed(TEXT), SKIPPABLE]],
  ])('%s', async (_what, parts) => {
    expect((await unpacked(...parts())) === TEXT).toBe(true);
  });

  test('of a frame in one byte after the other', async () => {
    const bytes = [...packed(TEXT.slice(0, 2_000))].map((byte) => Uint8Array.of(byte));
    expect(await unpacked(...bytes)).toBe(TEXT.slice(0, 2_000));
  });

  test('of repeated bytes', async () => {
    expect(await unpacked(frame(10, repeated(2)))).toHaveLength(2 * 128 * 1024);
  });
});

describe('a zst file is refused with a sentence', () => {
  test('that is cut', async () => {
    const whole = packed(TEXT);
    for (const length of [5, 17, 1_000, whole.length - 1])
      expect(await refused(whole.slice(0, length))).toContain('is damaged or not complete');
  });

  test('that is something else behind its mark', async () => {
    expect(await refused(Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd), new TextEncoder().encode(TEXT))).toMatch(
      /is damaged|was packed with/,
    );
  });

  test('that unpacks to far more than it is', async () => {
    expect(await refused(frame(10, repeated(1_000)))).toContain('unpacks to far more than it is');
  });

  test('whose window is larger than 128 MB, in whichever frame', async () => {
    const large = frame(18, repeated(1));
    expect(await refused(large)).toContain('a window of more than 128 MB');
    expect(await refused(packed(TEXT), SKIPPABLE, large)).toContain('a window of more than 128 MB');
    expect(await unpacked(frame(17, repeated(1)))).toHaveLength(128 * 1024);
  });

  test('that needs a dictionary', async () => {
    expect(await refused(Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 1, 0x50, 7, 1, 0, 0))).toContain('a dictionary');
  });
});
