// A folder for one test, deleted at the end of the block that created it: `await using folder = await tempFolder();`
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type TempFolder = AsyncDisposable & { path: string };

export async function tempFolder(): Promise<TempFolder> {
  const path = await mkdtemp(join(tmpdir(), 'footfall-'));
  // The children of an ended process may still write for a moment.
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 5 }) };
}
