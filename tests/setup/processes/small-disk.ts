// A disk that really fills up: some megabytes of memory mounted as one.
import { execFile } from 'node:child_process';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { tempFolder } from '../folder.ts';

const run = promisify(execFile);
const CHUNK = Buffer.alloc(4096);

type Disk = AsyncDisposable & {
  path: string;
  /** Fills it, except for `left` bytes. Returns a function that gives the space back. */
  fill(left: number): () => void;
};

/** Undefined where this user may not mount one. */
export async function smallDisk(megabytes: number): Promise<Disk | undefined> {
  const folder = await tempFolder();
  const { path } = folder;
  const mounted = await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', path]).then(
    () => true,
    () => false,
  );
  const dispose = async () => {
    if (mounted) await run('umount', ['-l', path]);
    await folder[Symbol.asyncDispose]();
  };
  if (mounted) return { path, fill: (left) => fillUp(path, left), [Symbol.asyncDispose]: dispose };
  await dispose();
  return undefined;
}

function fillUp(path: string, left: number): () => void {
  const [spare, ballast] = [join(path, 'spare'), join(path, 'ballast')];
  write(spare, left);
  write(ballast, Infinity);
  rmSync(spare);
  return () => rmSync(ballast);
}

function write(name: string, bytes: number): void {
  const file = openSync(name, 'w');
  try {
    for (let size = 0; size < bytes; size += CHUNK.length) writeSync(file, CHUNK);
  } catch {
    // full
  }
  closeSync(file);
}
