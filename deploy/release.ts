// `npm run release -- VERSION`: makes a release out of what is committed, in a clone of its own. Everything that is published comes to build/release/VERSION:
// the sources, the package, the plugins and clients, the SBOM, the notes, checksums, and with --image the container. Then the commit and the tag are
// taken over.
// --dry: they are not. --checked: `.ci/run` has passed for this commit already. --key FILE: an Ed25519 key (PEM), which signs the checksums.
import { execFileSync } from 'node:child_process';
import { createHash, createPrivateKey, sign } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { isNewer, isReleased } from '../server/vocabulary/texts/version.ts';

const root = join(import.meta.dirname, '..');
const SUMS = 'SHA256SUMS';
/** What the build makes for other programs, and under which name it is published. The clients are imported by their names. */
export const BUILT: Record<string, (version: string) => string> = {
  'build/app/footfall-wordpress.zip': (version) => `footfall-wordpress-${version}.zip`,
  'build/app/footfall.py': () => 'footfall.py',
  'build/package/footfall.mjs': () => 'footfall.mjs',
  'build/footfall.cdx.json': (version) => `footfall-${version}.cdx.json`,
};
const UNRELEASED = / - unreleased$/m;

/** Writes the version into the files of a checkout, and its day into the changelog. Returns the notes: the version's section of the changelog. */
export function setVersion(folder: string, version: string, day: string): string {
  const [, before = ''] = /"version": "([^"]+)"/.exec(readFileSync(join(folder, 'package.json'), 'utf8')) ?? [];
  if (!isReleased(version) || isNewer(before, version))
    throw new Error(`${version} must be a version such as 1.2.0, and not before ${before}.`);
  const changelog = readFileSync(join(folder, 'CHANGELOG.md'), 'utf8');
  const section = changelog.split(/^(?=## )/m).find((part) => part.startsWith(`## ${version} `));
  if (section === undefined || !UNRELEASED.test(section))
    throw new Error(`CHANGELOG.md must have a section "## ${version} - unreleased".`);
  for (const [file, times] of [
    ['package.json', 1],
    ['package-lock.json', 2], // its own, and that of the package at the root
  ] as const) {
    let left = times;
    const text = readFileSync(join(folder, file), 'utf8');
    const setIn = (found: string) => (left-- > 0 ? `"version": "${version}"` : found);
    writeFileSync(join(folder, file), text.replaceAll(`"version": "${before}"`, setIn));
  }
  const notes = section.replace(UNRELEASED, ` - ${day}`);
  writeFileSync(
    join(folder, 'CHANGELOG.md'),
    changelog.replace(section, () => notes),
  );
  return notes;
}

/** Writes the checksums of all files of the folder, as `sha256sum --check` reads them, and their signature. */
export function seal(folder: string, key: string | undefined): void {
  const sums = readdirSync(folder)
    .sort()
    .map(
      (name) =>
        `${createHash('sha256')
          .update(readFileSync(join(folder, name)))
          .digest('hex')}  ${name}\n`,
    )
    .join('');
  writeFileSync(join(folder, SUMS), sums);
  if (key !== undefined)
    writeFileSync(join(folder, `${SUMS}.sig`), sign(null, Buffer.from(sums), createPrivateKey(key)));
}

/** What a release consists of, made in the clone. */
function build(
  clone: string,
  to: string,
  { version, notes, image }: { version: string; notes: string; image: boolean },
): void {
  const run = (program: string, ...args: string[]) =>
    execFileSync(program, args, { cwd: clone, stdio: ['ignore', 2, 2] });
  run('npm', 'run', '--silent', 'build');
  for (const script of ['notices', 'sbom']) run('npm', 'run', '--silent', '--ignore-scripts', script);
  for (const kept of ['promised', 'data']) run('node_modules/.bin/node', `tests/project/released/${kept}.ts`, version);
  run('git', 'add', '--all');
  run('git', 'commit', '--quiet', '--allow-empty', '--message', `build: release ${version}`);
  run(
    'git',
    'archive',
    '--format',
    'tar.gz',
    '--prefix',
    `footfall-${version}/`,
    '--output',
    join(to, `footfall-${version}.tar.gz`),
    'HEAD',
  );
  const made = join(clone, 'build/package');
  for (const name of readdirSync(made)) if (name.endsWith('.tgz')) cpSync(join(made, name), join(to, name));
  for (const [file, nameOf] of Object.entries(BUILT)) cpSync(join(clone, file), join(to, nameOf(version)));
  writeFileSync(join(to, 'NOTES.md'), notes);
  if (!image) return;
  run('npm', 'run', '--silent', '--ignore-scripts', 'image', '--', '--keep');
  run('buildah', 'push', `localhost/footfall:${version}`, `oci-archive:${join(to, `footfall-image-${version}.tar`)}`);
}

function main(): void {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      dry: { type: 'boolean', default: false },
      checked: { type: 'boolean', default: false },
      image: { type: 'boolean', default: false },
      key: { type: 'string' },
      to: { type: 'string', default: join(root, 'build/release') },
    },
  });
  const [version = ''] = positionals;
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  const key = values.key === undefined ? undefined : readFileSync(values.key, 'utf8');
  if (git('status', '--porcelain') !== '')
    throw new Error('Commit your changes first: a release is made of what is committed.');
  if (git('tag', '--list', `v${version}`) !== '') throw new Error(`v${version} is released already.`);
  const scratch = mkdtempSync(join(tmpdir(), 'footfall-release-'));
  const clone = join(scratch, 'clone');
  try {
    git('clone', '--quiet', root, clone);
    if (!values.checked) execFileSync('.ci/run', { cwd: clone, stdio: ['ignore', 2, 2] });
    rmSync(join(clone, 'node_modules'), { recursive: true, force: true });
    symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'));
    for (const setting of ['user.name', 'user.email'])
      execFileSync('git', ['config', setting, git('config', setting)], { cwd: clone });
    const to = join(values.to, version);
    rmSync(to, { recursive: true, force: true });
    const notes = setVersion(clone, version, new Date().toISOString().slice(0, 10));
    mkdirSync(to, { recursive: true });
    build(clone, to, { version, notes, image: values.image });
    seal(to, key);
    process.stdout.write(`${readFileSync(join(to, SUMS), 'utf8')}in ${to}\n`);
    if (values.dry) return;
    git('pull', '--quiet', '--ff-only', clone, 'HEAD');
    git('tag', '--annotate', `v${version}`, '--message', notes);
    process.stdout.write(`Tagged v${version}: push it, and publish the files.\n`);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

if (process.argv[1] === import.meta.filename)
  try {
    main();
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
