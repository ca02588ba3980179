// Installs what is missing on a machine with only Node 20 and npm: dependencies, the build, and Debian packages for the tests. It is plain
// JavaScript without dependencies, because it runs before any are installed.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hashOf, hashOfDocs, hashOfSources } from './sources.mjs';

const root = fileURLToPath(new URL('.', import.meta.url));
const wanted = new Set(process.argv.slice(2));

// Not `npm ci`, which would install everything anew.
keepUp(
  'node_modules/.installed',
  hashOf(['package.json', 'package-lock.json', '.npmrc']),
  'Installing dependencies',
  () => run('npm', ['install', '--no-save', '--no-audit', '--no-fund']),
);
if (wanted.has('--build'))
  keepUp('build/.built', hashOfSources(), 'Building the dashboard and the tracker', () =>
    run('npm', ['run', '--silent', 'build'], { quiet: true }),
  );
if (wanted.has('--build'))
  keepUp('build/docs/.built', hashOfDocs(), 'Building the documentation', () =>
    run('npm', ['run', '--silent', 'docs'], { quiet: true }),
  );
if (wanted.has('--build'))
  keepUp('node_modules/.cache/footfall/.places', hashOf(['package-lock.json']), 'Preparing the place database', () =>
    run('node_modules/.bin/node', ['server/collect/lists/regenerate.ts', 'places'], { quiet: true }),
  );
if (wanted.has('--system')) {
  const { installMissing } = await import('./tests/setup/run/apt-packages.mjs');
  await installMissing();
}

/** Runs `work` unless the stamp file shows that it was done for the same input. */
function keepUp(stamp, hash, title, work) {
  const file = join(root, stamp);
  if (existsSync(file) && readFileSync(file, 'utf8') === hash) return;
  const startedAt = Date.now();
  process.stderr.write(`${title} …\n`);
  work();
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, hash);
  process.stderr.write(`${title}: done in ${Math.round((Date.now() - startedAt) / 1000)} s\n`);
}

function run(command, args, { quiet = false } = {}) {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: root,
    stdio: quiet ? 'pipe' : ['ignore', 2, 2],
    encoding: 'utf8',
  });
  if (status === 0) return;
  process.stderr.write(`${stdout ?? ''}${stderr ?? ''}\n\`${command} ${args.join(' ')}\` failed.\n`);
  process.exit(1);
}
