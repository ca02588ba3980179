// All messages of the sources, with the files that say them.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileFile } from './compile.ts';
import type { Found } from './found.ts';
import { findInPhp } from './php.ts';

const ROOT = join(import.meta.dirname, '../..');
export const WORDPRESS = 'plugins/wordpress/*.php';

export type Located = Found & { files: string[] };

/** By key. */
export function allMessages(patterns: readonly string[] = ['{src,server}/**/*.{svelte,ts}', WORDPRESS]) {
  const messages = new Map<string, Located>();
  const paths = globSync(patterns, { cwd: ROOT }).toSorted();
  for (const path of paths.filter((one) => !/\.(test|d)\.ts$/.test(one))) {
    const use = (key: string, found: Found) => {
      const known = messages.get(key) ?? { ...found, files: [] };
      if (!known.files.includes(path)) known.files.push(path);
      messages.set(key, known);
      return '0';
    };
    const text = readFileSync(join(ROOT, path), 'utf8');
    if (path.endsWith('.php')) findInPhp(text, { file: path, use });
    else compileFile({ path, text }, { isNumbered: false, use });
  }
  return messages;
}
