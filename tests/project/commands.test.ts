// Every command on every page. A command is in a block of shell text, or in a sentence between backticks. It is run here as it stands there,
// with places that exist on this machine; what takes minutes or needs somebody else's service names the test that runs it.
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { listPages } from '../../docs/site/pages.ts';
import { readConfig } from '../../server/config.ts';
import { openControl } from '../../server/operator/control-socket.ts';
import { COMMANDS, outcomeOf } from '../../server/operator/manage.ts';
import { openLog } from '../../server/process/log.ts';
import { keyFor } from '../setup/api/rest.ts';
import { testApp, type TestApp } from '../setup/app.ts';
import { createAccount } from '../../server/accounts/accounts.ts';
import { SAMPLES } from '../setup/exports.ts';

const root = new URL('../..', import.meta.url).pathname;
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const files = listPages().flatMap(({ pages }) => pages.flatMap(({ file }) => file ?? []));

const SHELL = /^[ \t]*```(?:sh|bash)\n([\s\S]*?)^[ \t]*```$/gm;
const SETTING = /^[A-Z][A-Z_]+=[^ ]*( [a-z]+| Login)*$/;
const IN_A_SENTENCE = /`((?:npm|npx|node|curl|docker|podman|kubectl|psql|pg_dump) [^`]+)`/g;

/** Whole commands: a line that ends in a backslash goes on, and so does one with an open quotation mark. Without remarks. */
function commandsIn(page: string): string[] {
  const blocks = [...page.matchAll(SHELL)].flatMap(([, block = '']) => {
    const commands: string[] = [];
    let open = '';
    const lines = block
      .split('\n')
      .map((one) => one.replace(/(^|\s)# .*$/, '').trim())
      .filter((one) => one !== '');
    if (lines.every((one) => SETTING.test(one))) return [lines.join('\n')]; // they belong together
    for (const line of lines) {
      open += open === '' ? line : ` ${line}`;
      if (open.endsWith('\\')) open = open.slice(0, -1).trim();
      else if (open.replace(/[^']/g, '').length % 2 === 0) {
        if (open !== '') commands.push(open);
        open = '';
      }
    }
    return commands;
  });
  const sentences = [...page.replace(SHELL, '').matchAll(IN_A_SENTENCE)].map(([, command = '']) => command);
  return [...blocks, ...sentences];
}

// The list of the operator's commands creates what other pages use.
const pages = ['docs/commands.md', ...files.filter((file) => file !== 'docs/commands.md')];
const commands = [...new Set(pages.flatMap((file) => commandsIn(read(file))))];

let server: TestApp;
let control: { close(): Promise<void> };
let place: string;
const made: { ids: string[]; key: string; siteId: string } = { ids: [], key: '', siteId: '' };

beforeAll(async () => {
  server = await testApp({ now: Date.now() });
  place = server.folder;
  control = await openControl({ app: server.app, dataDir: place, log: openLog('silent') });
  const { directory } = server.app.services;
  await createAccount(
    directory,
    { email: 'old@example.com', password: 'correct horse battery', plan: 'pro' },
    Date.now(),
  );
  const site = await server.addSite('api.example', 'pro');
  made.siteId = site.id;
  made.key = await keyFor(server, site);
  const line = '203.0.113.7 - - [20/Nov/2026:10:00:00 +0000] "GET / HTTP/1.1" 200 5 "-" "Mozilla/5.0"\n';
  await writeFile(join(place, 'access.log.gz'), gzipSync(line));
  for (const { blob } of SAMPLES.csv.files())
    await writeFile(join(place, 'export.csv'), Buffer.from(await blob.arrayBuffer()));
});
afterAll(async () => {
  await control.close();
  await server[Symbol.asyncDispose]();
});

const wordsOf = async (command: string): Promise<string[]> => {
  const { stdout } = await promisify(execFile)('bash', ['-c', `printf '%s\\0' ${command}`]);
  return stdout.split('\0').slice(0, -1);
};

/** What the pages name, as it is on this machine. */
function here(word: string): string {
  const newest = (prefix: string) => made.ids.findLast((id) => id.startsWith(prefix)) ?? '';
  return word
    .replace(/^(\w+_)…$/, (_all, prefix: string) => newest(prefix))
    .replace('/var/log/nginx/access.log.gz', join(place, 'access.log.gz'))
    .replace(/^FILE$/, join(place, 'access.log.gz'))
    .replace('export.zip', join(place, 'export.csv'))
    .replace('/srv/backups', join(place, 'backups'));
}

async function manage(line: string): Promise<void> {
  const args = (await wordsOf(line.replace(/ < \S+$/, ''))).map(here);
  const stdin = args.indexOf('--password-stdin'); // tests/operator/manage.test.ts gives it one
  if (stdin >= 0) args.splice(stdin, 1, '--password', 'correct horse battery');
  const env = { DATA_DIR: place, LOG_LEVEL: 'silent', NODE_ENV: 'test' };
  const { code, stdout, stderr } = await outcomeOf(args, { readConfig: () => readConfig(env), say: () => undefined });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  made.ids.push(...(stdout.match(/\b[a-z]+_\w{8,}/g) ?? []));
}

/** The command exists, and a test of that file runs it. */
const runIn = (file: string, says: string) => () => expect(read(file)).toContain(says);
const isCommand = (words: readonly string[]) =>
  expect(COMMANDS.map(({ name }) => name).some((name) => words.join(' ').startsWith(name))).toBe(true);

/** A server would start with these settings. */
async function startsWith(settings: string): Promise<void> {
  const words = await wordsOf(settings.replaceAll('…', 'x'));
  const env = Object.fromEntries(
    words.map((word) => [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)]),
  );
  expect(() => readConfig({ ...env, DATA_DIR: place })).not.toThrow();
}

async function curl(command: string): Promise<void> {
  const script = command
    .replaceAll('https://stats.example.com', server.url)
    .replaceAll('site_…', made.siteId)
    .replace('curl ', 'curl --silent --show-error --fail-with-body ');
  const env = { PATH: process.env['PATH'], FOOTFALL_KEY: made.key, SITE_ID: made.siteId, day: '2026-11-20' };
  const { stdout } = await promisify(execFile)('bash', ['-c', script], { cwd: place, env });
  expect(stdout).not.toContain('"error"');
}

async function footfall(part: string): Promise<void> {
  const args = await wordsOf(part.replace('example.com', 'api.example'));
  const env = { FOOTFALL_URL: server.url, FOOTFALL_KEY: made.key };
  await promisify(execFile)(process.execPath, [join(root, 'plugins/cli/footfall.mjs'), ...args], { env });
}

/** How each command is run: the first row that fits. It is given the group of the pattern. */
const WAYS: [pattern: RegExp, run: (part: string) => unknown][] = [
  [/^npm run manage -- (backup(?: --to s3:.*)?)$/, runIn('tests/operator/backup.test.ts', 's3://')],
  [/^DATA_DIR=\S+ npm run manage -- (restore .*|verify)$/, (part) => (isCommand(part.split(' ')), backupTest())],
  [/^npm run manage -- (import .*\.sealed .*)$/, runIn('tests/jobs/sealed-imports.test.ts', '.sealed')],
  [
    /^npm run manage -- (mail test .*)$/,
    (part) => (isCommand(part.split(' ')), runIn('tests/messages/mail.test.ts', 'sendTest')()),
  ],
  [/^npm run manage -- (.+)$/, manage],
  [/^npm run manage$/, () => manage('--help')],
  [/^docker compose -p footfall exec footfall node build\/server\/manage\.js (.+)$/, (part) => inContainer(part)],
  [/^npm test -- (\S+(?: -t \w+)?)$/, hasTest],
  [
    /^npm run bench -- (.+)$/,
    (part) => part.split(' ').forEach((name) => expect(existsSync(join(root, `bench/${name}.ts`))).toBe(true)),
  ],
  [/^npm run seed -- (--live)$/, runIn('tests/operator/seed.test.ts', 'live')],
  [/^npm (?:run )?([\w:-]+)$/, (name) => expect(Object.keys(manifest.scripts)).toContain(name)],
  [
    /^npm install https:\/\/stats\.example\.com\/footfall-VERSION\.tgz$/,
    runIn('tests/collect/package.test.ts', 'footfall-'),
  ],
  [/^((?:[A-Z_]+=\S+ )+)npm start$/, startsWith],
  [/^([A-Z][A-Z_]+=.+)$/s, (settings) => startsWith(settings.split('\n').map(quoted).join(' '))],
  [/^node footfall\.mjs (live)$/, runIn('tests/api/cli.test.ts', 'live')],
  [/^(?:node footfall\.mjs|npx footfall) (.+)$/, footfall],
  [/^(export FOOTFALL_URL=.+)$/, (part) => promisify(execFile)('bash', ['-ec', part])],
  [/^node (\S+)(?: --build)?$/, (file) => expect(existsSync(join(root, file))).toBe(true)],
  [/^(day=.+)$/, (part) => promisify(execFile)('bash', ['-ec', part])],
  [/^(curl .+)$/s, curl],
  [/^bq load /, runIn('tests/jobs/exports.test.ts', 'parquet')], // BigQuery is a service of Google; DuckDB reads the same files
  [/^pg_dump /, runIn('tests/jobs/imported-hits.test.ts', 'website_event')],
];

test.each(commands)('%s', async (command) => {
  const [pattern, run] = WAYS.find(([one]) => one.test(command)) ?? [];
  expect(pattern, 'this command has no row in WAYS: nothing runs it').toBeDefined();
  await run?.(pattern?.exec(command)?.[1] ?? '');
});

test('every row of the table has a command', () => {
  const idle = WAYS.filter(
    ([pattern]) => !commands.some((command) => WAYS.find(([one]) => one.test(command))?.[0] === pattern),
  );
  expect(idle.map(([pattern]) => String(pattern))).toEqual([]);
  expect(commands.length).toBeGreaterThan(60);
});

const backupTest = runIn('tests/operator/backup.test.ts', 'restore');
const quoted = (setting: string) => `'${setting}'`;

function inContainer(args: string): void {
  isCommand(args.split(' '));
  expect(read('deploy/compose/one-machine.yaml')).toMatch(/^ {2}footfall:$/m);
}

function hasTest(part: string): void {
  const [file = '', word = ''] = part.split(' -t ');
  expect(read(file)).toMatch(new RegExp(`(test|it)\\('[^']*${word}`));
}
