// Searches the files below a folder, byte for byte.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The paths of the files that hold one of the needles. A running server may delete files and folders meanwhile. */
export async function filesWith(folder: string, ...needles: (string | Buffer)[]): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(unlessGone([]));
  const found: string[] = [];
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) found.push(...(await filesWith(path, ...needles)));
    else if (entry.isFile()) {
      const bytes = await readFile(path).catch(unlessGone(Buffer.alloc(0)));
      if (needles.some((needle) => bytes.includes(needle))) found.push(path);
    }
  }
  return found;
}

const unlessGone =
  <T>(nothing: T) =>
  (error: NodeJS.ErrnoException): T => {
    if (error.code === 'ENOENT') return nothing;
    throw error;
  };
