// Searches the files below a folder, byte for byte.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The paths of the files that hold one of the needles. */
export async function filesWith(folder: string, ...needles: (string | Buffer)[]): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const found: string[] = [];
  for (const entry of entries.filter((one) => one.isFile())) {
    const path = join(entry.parentPath, entry.name);
    const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return Buffer.alloc(0); // deleted since
      throw error;
    });
    if (needles.some((needle) => bytes.includes(needle))) found.push(path);
  }
  return found;
}
