// Builds the package `footfall`, which npm installs from `/footfall.tgz` of the server: plain JavaScript with its types.
// `footfall` is `module.ts`, for pages that a bundler makes; `footfall/server` tells of AI agents.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const folder = join(root, 'build/package');
const { version, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<string, string>;

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', join(root, 'tracker/server')], {
  stdio: 'inherit',
});
writeFileSync(
  join(folder, 'package.json'),
  JSON.stringify({
    name: 'footfall',
    version,
    license,
    type: 'module',
    sideEffects: false,
    exports: {
      '.': { types: './module.d.ts', default: './module.js' },
      './server': { types: './server/main.d.ts', default: './server/main.js' },
    },
  }),
);
execFileSync('npm', ['pack', folder, '--silent', '--ignore-scripts', '--pack-destination', folder], { cwd: folder });
renameSync(join(folder, `footfall-${version}.tgz`), join(folder, 'footfall.tgz'));
