// Searches the files below a folder, byte for byte.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The paths of the files that hold one of the needles. The folder must be there; what is in it may be deleted by a running server meanwhile. */
export async function filesWith(folder: string, ...needles: (string | Buffer)[]): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) found.push(...(await filesWith(path, ...needles).catch(unlessGone([]))));
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
