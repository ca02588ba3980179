// The sources of the dashboard, the tracker and the plugins. Plain JavaScript without dependencies, because setup.mjs runs before any are installed.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('.', import.meta.url));

/** All that decides what a build contains. The dashboard shares code with the server, and must fit what the server answers. */
export const hashOfSources = () =>
  hashOf([
    'src',
    'languages',
    'static',
    'server',
    'tracker',
    'plugins',
    'svelte.config.js',
    'vite.config.ts',
    'compress.ts',
    'package-lock.json',
  ]);

/** All that decides what the bundle of the server contains. */
export const hashOfServer = () => hashOf(['server', 'src', 'deploy/bundle.ts', 'package.json', 'package-lock.json']);

/** All that decides what the documentation contains: its pages, its frame, and the description of the API. */
export const hashOfDocs = () =>
  hashOf([
    'docs',
    ...readdirSync(root).filter((name) => name.endsWith('.md')),
    'tracker/README.md',
    'deploy/README.md',
    'server',
    'src/tokens.css',
    'src/breakpoints.css',
    'static',
    'compress.ts',
    'package-lock.json',
  ]);

/** Hashes names and contents of all files, not their times, so that a fresh checkout does not repeat the work. */
export function hashOf(paths) {
  const hash = createHash('sha256');
  const add = (path) => {
    const file = join(root, path);
    if (!existsSync(file)) return;
    if (statSync(file).isDirectory()) for (const name of readdirSync(file).sort()) add(join(path, name));
    else if (!/\.test\.ts$/.test(path)) hash.update(path).update('\0').update(readFileSync(file)).update('\0');
  };
  for (const path of paths) add(path);
  return hash.digest('hex');
}
