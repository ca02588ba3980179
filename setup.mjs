// Installs what is missing on a machine with only Node 20 and npm: dependencies, the build, and for the tests their own packages (those of
// tests/package.json: half of all) and Debian's. It is plain JavaScript without dependencies, because it runs before any are installed.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { hashOf, hashOfDocs, hashOfServer, hashOfSources } from './sources.mjs';

const root = fileURLToPath(new URL('.', import.meta.url));
const wanted = new Set(process.argv.slice(2));

// Debian's packages beside npm's and the build.
const system = wanted.has('--system') ? installSystem() : undefined;
system?.catch(() => undefined); // it is reported where it is waited for
await installPackages();
if (wanted.has('--build')) await build();
else if (wanted.has('--bundle')) await bundle();
await system;

/** Whoever only runs Footfall needs no packages of the tests. */
function installPackages() {
  const own = hashOf(['package.json', 'tests/package.json', 'package-lock.json', '.npmrc']);
  const forTests = wanted.has('--tests') || wanted.has('--system');
  // Not `npm ci`, which would install everything anew.
  const args = ['install', '--no-save', '--no-audit', '--no-fund', ...(forTests ? [] : ['--workspaces=false'])];
  const hash = forTests ? `${own} with tests` : own;
  return keepUp('node_modules/.installed', hash, 'Installing dependencies', () => run('npm', args));
}

async function installSystem() {
  const { installMissing } = await import('./tests/setup/run/apt-packages.mjs');
  await installMissing();
}

/** The dashboard takes most of the time, and one core: all else is made beside it, one after another. */
async function build() {
  const sources = hashOfSources();
  const dashboard = keepUp('build/.built', sources, 'Building the dashboard', () => script('build:app'));
  await bundle();
  await preparePlaces();
  await keepUp('build/tracker/.built', sources, 'Building the tracker', () => script('build:tracker'));
  await keepUp('build/docs/.built', hashOfDocs(), 'Building the documentation', () => script('docs'));
  await dashboard;
}

function bundle() {
  return keepUp('build/server/.built', hashOfServer(), 'Bundling the server', () => script('bundle'));
}

function preparePlaces() {
  return keepUp(
    'node_modules/.cache/footfall/.places',
    hashOf(['package-lock.json']),
    'Preparing the place database',
    () => run('node_modules/.bin/node', ['server/collect/lists/regenerate.ts', 'places'], { quiet: true }),
  );
}

/** Runs `work` unless the stamp file begins with `hash`, which shows that it was done for the same input. */
async function keepUp(stamp, hash, title, work) {
  const file = join(root, stamp);
  if (existsSync(file) && readFileSync(file, 'utf8').startsWith(hash)) return;
  const startedAt = Date.now();
  process.stderr.write(`${title} …\n`);
  await work();
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, hash);
  process.stderr.write(`${title}: done in ${Math.round((Date.now() - startedAt) / 1000)} s\n`);
}

function script(name) {
  return run('npm', ['run', '--silent', name], { quiet: true });
}

async function run(command, args, { quiet = false } = {}) {
  const child = spawn(command, args, { cwd: root, stdio: quiet ? ['ignore', 'pipe', 'pipe'] : ['ignore', 2, 2] });
  const said = quiet ? Promise.all([text(child.stdout), text(child.stderr)]) : Promise.resolve([]);
  const status = await new Promise((ended, failed) => child.once('error', failed).once('close', ended));
  if (status === 0) return;
  process.stderr.write(`${(await said).join('')}\n\`${command} ${args.join(' ')}\` failed.\n`);
  process.exit(1);
}
