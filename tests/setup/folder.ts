// A folder of a test's own, gone with the block that made it: `await using folder = await tempFolder();`
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type TempFolder = AsyncDisposable & { path: string };

export async function tempFolder(): Promise<TempFolder> {
  const path = await mkdtemp(join(tmpdir(), 'footfall-'));
  // The children of a process that was ended may write for a moment yet.
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 5 }) };
}
