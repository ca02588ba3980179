// The quick round before a commit: unit tests, types, and lint and format of what differs from the last commit on the main branch.
// npm run test:quick
import { execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).split('\n').filter(Boolean);
const base =
  git('rev-parse', '--abbrev-ref', 'HEAD')[0] === 'main' ? 'HEAD' : (git('merge-base', 'main', 'HEAD')[0] ?? 'HEAD');
const changed = [...git('diff', '--name-only', base), ...git('ls-files', '--others', '--exclude-standard')].filter(
  existsSync,
);
const code = changed.filter((file) => /\.(ts|js|mjs|svelte)$/.test(file));

/** Runs a program of a package. Its output is shown only if it fails. */
async function check(title: string, [program = '', ...args]: string[]): Promise<boolean> {
  const startedAt = Date.now();
  const child = spawn(`node_modules/.bin/${program}`, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const [out, error, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  console.log(`${status === 0 ? 'ok  ' : 'FAIL'} ${title}, ${Math.round((Date.now() - startedAt) / 1000)} s`);
  if (status !== 0) console.log(out + error);
  return status === 0;
}

const BUILD_INFO = ['--incremental', '--tsBuildInfoFile', 'node_modules/.cache/footfall/types.tsbuildinfo'];
const rounds: [string, string[]][] = [
  ['unit tests', ['vitest', 'run', '--project', 'unit', '--reporter=dot', '--silent']],
  ['types', ['tsc', '-p', 'tsconfig.node.json', ...BUILD_INFO]],
];
if (changed.some((file) => file.startsWith('src/') || file.startsWith('server/')))
  rounds.push(['types of the dashboard', ['svelte-check', '--config', 'svelte.config.js', '--threshold', 'warning']]);
if (code.length > 0) rounds.push([`lint of ${code.length} files`, ['eslint', ...code]]);
if (changed.length > 0)
  rounds.push([`format of ${changed.length} files`, ['prettier', '--check', '--ignore-unknown', ...changed]]);

// Two at a time: each fills a core.
const results: boolean[] = [];
const next = rounds.values();
await Promise.all(
  [1, 2].map(async () => {
    for (const [title, command] of next) results.push(await check(title, command));
  }),
);
process.exitCode = results.every(Boolean) ? 0 : 1;
