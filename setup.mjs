// Installs what is missing on a machine with only Node 20 and npm: dependencies, the build, and Debian packages for the tests. It is plain
// JavaScript without dependencies, because it runs before any are installed.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('.', import.meta.url));
const wanted = new Set(process.argv.slice(2));

// Not `npm ci`: it needs the packages of every platform, and fails if a registry lacks some of them.
keepUp(
  'node_modules/.installed',
  hashOf(['package.json', 'package-lock.json', '.npmrc']),
  'Installing dependencies',
  () => run('npm', ['install', '--no-save', '--no-audit', '--no-fund']),
);
if (wanted.has('--build'))
  keepUp(
    'build/.built',
    hashOf(['src', 'static', 'tracker', 'svelte.config.js', 'vite.config.ts', 'package-lock.json']),
    'Building the dashboard and the tracker',
    () => run('npm', ['run', '--silent', 'build'], { quiet: true }),
  );
if (wanted.has('--build'))
  keepUp('node_modules/.cache/footfall/.places', hashOf(['package-lock.json']), 'Preparing the place database', () =>
    run('node_modules/.bin/node', ['server/collect/lists/regenerate.ts', 'places'], { quiet: true }),
  );
if (wanted.has('--system')) {
  const { installMissing } = await import('./tests/setup/apt-packages.mjs');
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

/** Hashes names and contents of all files, not their times, so that a fresh checkout does not repeat the work. */
function hashOf(paths) {
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
