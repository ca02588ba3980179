// A folder for one test, deleted at the end of the block that created it: `await using folder = await tempFolder();`
import { statfsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type TempFolder = AsyncDisposable & { path: string };

const MEMORY = '/dev/shm';
/** More than all folders of a run take together. Containers often have 64 MB. */
const ROOM_BYTES = 8 * 2 ** 30;

function roomOf(path: string): number {
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  } catch {
    return 0;
  }
}

/** In memory if there is room: tests write thousands of small files, and stores wait until each is on the disk. */
const ROOT = process.env['TMPDIR'] ?? (roomOf(MEMORY) > ROOM_BYTES ? MEMORY : tmpdir());

export async function tempFolder(): Promise<TempFolder> {
  const path = await mkdtemp(join(ROOT, 'footfall-'));
  // The children of an ended process may still write for a moment.
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 5 }) };
}
