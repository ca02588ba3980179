// Builds the package `footfall`, which npm installs from the server: plain JavaScript with types. `footfall` is `module.ts`, for pages
// built by a bundler, and `frameworks/` has it for React, Vue, Svelte, Next, Nuxt and Astro; `footfall/server` and `footfall/api` are for
// servers, and the command `footfall` for terminals. The version ends with a hash of the content, so that different contents never share an
// address.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const folder = join(root, 'build/package');
const { version, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<string, string>;

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', join(root, 'tracker/server')], {
  stdio: 'inherit',
});
copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
copyFileSync(join(root, 'tracker/package.md'), join(folder, 'README.md'));
copyFileSync(join(root, 'plugins/cli/footfall.mjs'), join(folder, 'footfall.mjs'));

const manifest = {
  name: 'footfall',
  version,
  description: 'Counts pages and events with Footfall, reports from servers, and reads the API',
  license,
  type: 'module',
  sideEffects: false,
  bin: { footfall: './footfall.mjs' },
  exports: {
    '.': { types: './module.d.ts', default: './module.js' },
    './server': { types: './server/main.d.ts', default: './server/main.js' },
    './api': { types: './api/client.d.ts', default: './api/client.js' },
    ...Object.fromEntries(
      ['react', 'vue', 'svelte', 'next', 'nuxt', 'astro'].map((name) => [
        `./${name}`,
        { types: `./frameworks/${name}.d.ts`, default: `./frameworks/${name}.js` },
      ]),
    ),
  },
  // No `peerDependencies`, even optional ones: npm would ask its registry for React on every installation.
};
// `h` first: a part of a version that has only digits must not begin with 0 (semver, 9)
manifest.version = `${version}-h${hashOf(folder, JSON.stringify(manifest))}`;
writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
execFileSync('npm', ['pack', folder, '--silent', '--ignore-scripts', '--pack-destination', folder], { cwd: folder });

/** Returns eight hex digits of a hash over the names and contents of all files. */
function hashOf(place: string, more: string): string {
  const hash = createHash('sha256').update(more);
  const files = readdirSync(place, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  for (const file of files.map((entry) => join(entry.parentPath, entry.name)).sort())
    hash.update(`\0${file.slice(place.length)}\0`).update(readFileSync(file));
  return hash.digest('hex').slice(0, 8);
}
