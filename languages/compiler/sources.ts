// All messages of the sources, with the files that say them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileFile } from './compile.ts';
import type { Found } from './found.ts';

const ROOT = join(import.meta.dirname, '../..');

export type Located = Found & { files: string[] };

/** By key. `paths` are relative to the project. */
export function allMessages(paths: readonly string[]): Map<string, Located> {
  const messages = new Map<string, Located>();
  for (const path of paths.toSorted().filter((one) => !/\.(test|d)\.ts$/.test(one))) {
    const use = (key: string, found: Found) => {
      const known = messages.get(key) ?? { ...found, files: [] };
      if (!known.files.includes(path)) known.files.push(path);
      messages.set(key, known);
      return '0';
    };
    compileFile({ path, text: readFileSync(join(ROOT, path), 'utf8') }, { isNumbered: false, use });
  }
  return messages;
}
