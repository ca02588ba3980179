/** @module-tag long */
/** @module-tag promise */
// The import of an access log through the running server: exact numbers, however often it is interrupted, and no address left behind.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { importAccessLog } from '../../server/collect/doors/import-log.ts';
import { askServer, openControl } from '../../server/operator/control-socket.ts';
import type { Recorded } from '../../server/vocabulary/event.ts';
import { openMemoryWindows } from '../../server/live/memory.ts';
import { openLog } from '../../server/process/log.ts';
import { runOperation } from '../../server/operator/operations.ts';
import type { Progress } from '../../server/operator/progress.ts';
import { DIRECTORY_FILE, openDirectory } from '../../server/directory/open.ts';
import { dropsOf } from '../../server/sites/drops.ts';
import { forgetImports } from '../../server/sites/imports.ts';
import { deleteSite, pauseSite, type Site } from '../../server/sites/sites.ts';
import { knownIds } from '../../server/store/existing-events.ts';
import { testApp, type TestApp } from '../setup/app.ts';
import { CHROME } from '../setup/browser/user-agent.ts';
import { COMPILED } from '../setup/processes/manage.ts';
import { shareOf, showsKept } from '../setup/run/harness.ts';
import { type TempFolder, tempFolder } from '../setup/folder.ts';
import { filesWith } from '../setup/files.ts';

const FIRST_LINE = Date.UTC(2026, 10, 18, 23, 50); // ten minutes, or 600 lines, before midnight
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Line n is from the n-th visitor in the n-th second. Two of ten lines are page views, and one is an AI visit. */
function logLine(n: number): string {
  const asked = [
    { request: `GET /p/${n % 50} HTTP/1.1` },
    { request: `GET /q/${n % 50} HTTP/1.1`, status: 304 },
    { request: 'GET /style.css HTTP/1.1' },
    { request: 'GET /feed/ HTTP/1.1' },
    { request: 'HEAD / HTTP/1.1' },
    { request: 'GET /missing HTTP/1.1', status: 404 },
    {
      request: 'GET /gone HTTP/1.1',
      status: 410,
      agent: 'Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)',
    },
    { request: 'GET / HTTP/1.1', agent: 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)' },
    { request: 'GET / HTTP/1.1', agent: '-' },
    { request: String.raw`\x16\x03\x01` },
  ][n % 10];
  return lineOf({ n, ...asked });
}

function lineOf(asked: { n: number; request?: string; status?: number; agent?: string; referrer?: string }): string {
  const { n, request = 'GET / HTTP/1.1', status = 200, agent = CHROME, referrer = '-' } = asked;
  const time = new Date(FIRST_LINE + n * 1000);
  const two = (part: number) => String(part).padStart(2, '0');
  const day = `${two(time.getUTCDate())}/${MONTHS[time.getUTCMonth()]}/${time.getUTCFullYear()}`;
  const clock = [time.getUTCHours(), time.getUTCMinutes(), time.getUTCSeconds()].map(two).join(':');
  return `${addressOf(n)} - - [${day}:${clock} +0000] "${request}" ${status} ${n} "${referrer}" "${agent}"`;
}

const addressOf = (n: number) =>
  n % 2 ? `2001:db8:77::${(n + 4096).toString(16)}` : `203.0.${113 + (n >> 8)}.${n & 255}`;
const logOf = (from: number, to: number) =>
  `${Array.from({ length: to - from }, (_, n) => logLine(from + n)).join('\n')}\n`;

/** The ten paths of `logLine`, each with this number of views. */
const topPages = (views: number) =>
  ['p/0', 'p/10', 'p/20', 'p/30', 'p/40', 'q/1', 'q/11', 'q/21', 'q/31', 'q/41'].map((name) => ({
    path: `/${name}`,
    views,
  }));

const OF_2500: Awaited<ReturnType<typeof importAccessLog>> = {
  lines: 2500,
  counted: 500,
  ai_visits: 250,
  repeated: 0,
  skipped: { malformed: 250, not_a_page: 500, method: 250, status: 250 },
  dropped: { bot_user_agent: 250, no_user_agent: 250 },
  top_pages: topPages(50),
  already_imported: false,
};
const DROPS_OF_2500 = [
  { day: '2026-11-18', reason: 'bot_user_agent', count: 60 },
  { day: '2026-11-18', reason: 'no_user_agent', count: 60 },
  { day: '2026-11-19', reason: 'bot_user_agent', count: 190 },
  { day: '2026-11-19', reason: 'no_user_agent', count: 190 },
];

let server: TestApp;
let site: Site;
let folder: TempFolder;

beforeEach(async () => {
  server = await testApp();
  site = await server.addSite();
  folder = await tempFolder();
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

async function write(name: string, content: string | Buffer): Promise<string> {
  await writeFile(join(folder.path, name), content);
  return join(folder.path, name);
}

async function importFile(file: string, domain = site.domain): Promise<unknown> {
  const run = { now: server.clock.now, onProgress: () => undefined, signal: new AbortController().signal };
  // What the command prints: the id of the site is for the security log.
  const { site_id, ...printed } = (await runOperation('import', server.app, { file, domain }, run)) as object & {
    site_id: string;
  };
  expect(site_id).toMatch(/^site_/);
  return printed;
}

type Totals = { events: string; visitors: string; visits: string; ai_visits: string };

async function stored(): Promise<Record<keyof Totals, number>> {
  await server.settle();
  const [row] = await server.app.store.query<Totals>(
    `SELECT count() AS events, uniqExact(visitor_id) AS visitors, sum(visit_started) AS visits,
      (SELECT count() FROM ai_visits) AS ai_visits FROM events`,
    {},
  );
  return Object.fromEntries(Object.entries(row ?? {}).map(([name, value]) => [name, Number(value)])) as never;
}

const dropped = () => dropsOf(server.app.services.directory, site.id, '2000-01-01', '2100-01-01');

describe('the import of an access log', () => {
  test.each(['plain', 'gzipped'])(
    'counts page requests from a %s file, and says what it left out and why',
    async (form) => {
      const text = logOf(0, 2500);
      expect(await importFile(await write('log', form === 'plain' ? text : gzipSync(text)))).toEqual(OF_2500);
      expect(await stored()).toEqual({ events: 500, visitors: 500, visits: 500, ai_visits: 250 });
      expect(await dropped()).toEqual(DROPS_OF_2500);
    },
  );

  test('uses the log’s own times, and otherwise counts as from a browser', async () => {
    const referrer = 'https://example.org/';
    const lines = [
      { n: 700, request: 'GET /caf%c3%a9/?utm_source=letter&utm_medium=email HTTP/1.1', referrer },
      { n: 701, request: 'GET /next HTTP/1.1', referrer: `https://${site.domain}/` },
      { n: 640, request: 'GET /missing HTTP/1.1', status: 404, agent: 'ChatGPT-User/1.0' },
    ].map(lineOf);
    // The same address and user agent: one visitor, whose visit came from an e-mail.
    const [first = '', second = '', third = ''] = lines;
    await importFile(await write('log', [first, second.replace(/^\S+/, addressOf(700)), third].join('\n')));
    await server.settle();
    const events = await server.app.store.query('SELECT * FROM events ORDER BY time, page', {});
    expect(events).toMatchObject([
      {
        time: '2026-11-19 00:01:40.000',
        page: '/café/',
        channel: 'Email',
        source: 'letter',
        browser: 'Chrome',
        visit_started: 1,
      },
      { time: '2026-11-19 00:01:41.000', page: '/next', channel: 'Email', entry_page: '/café/', visit_started: 0 },
    ]);
    expect(await server.app.store.query('SELECT * FROM ai_visits', {})).toMatchObject([
      { time: '2026-11-19 00:00:40.000', ai_provider: 'OpenAI', ai_purpose: 'user', ai_page: '/missing', status: 404 },
    ]);
  });

  test('sorts lines that were written late by time', async () => {
    const late = [
      lineOf({ n: 60, request: 'GET /second HTTP/1.1' }),
      lineOf({ n: 0, request: 'GET /first HTTP/1.1' }).replace(/^\S+/, addressOf(60)),
    ];
    await importFile(await write('log', late.join('\n')));
    await server.settle();
    expect(await server.app.store.query('SELECT DISTINCT entry_page FROM events', {})).toEqual([
      { entry_page: '/first' },
    ]);
  });

  test('changes nothing the second time, and says so, also with the unpacked file', async () => {
    await importFile(await write('log.gz', gzipSync(logOf(0, 2500))));
    const before = await stored();
    expect(await importFile(await write('log', logOf(0, 2500)))).toEqual({ ...OF_2500, already_imported: true });
    expect(await stored()).toEqual(before);
    expect(await dropped()).toEqual(DROPS_OF_2500);
  });

  test.each(['in the queue', 'in the store'])(
    'recognises lines that already came in another file and are now %s',
    async (where) => {
      await importFile(await write('log.1', logOf(0, 2500)));
      if (where === 'in the store') {
        await server.settle();
        server.clock.now += 25 * 60 * 60_000; // by now the queue has forgotten the ids
      }
      expect(await importFile(await write('log', logOf(2000, 3500)))).toEqual({
        lines: 1500,
        counted: 200,
        ai_visits: 100,
        repeated: 250,
        skipped: { malformed: 150, not_a_page: 300, method: 150, status: 150 },
        dropped: { bot_user_agent: 100, no_user_agent: 100 },
        top_pages: topPages(20),
        already_imported: false,
      });
      expect(await stored()).toMatchObject({ events: 700, ai_visits: 350 });
      const sum = (await dropped()).reduce((total, { count }) => total + count, 0);
      expect(sum).toBe(700);
    },
  );

  test('counts requests of several people in the same second', async () => {
    const same = lineOf({ n: 1, request: 'GET /launch HTTP/1.1' });
    const lines = [0, 2, 4, 6].map((n) => same.replace(/^\S+/, addressOf(n)));
    await importFile(await write('log', lines.join('\n')));
    expect(await stored()).toMatchObject({ events: 4, visitors: 4 });
  });

  test('gives a visitor one id a day, and a new one the next day', async () => {
    const lines = [0, 300, 700, 900].map((n) => lineOf({ n }).replace(/^\S+/, addressOf(0)));
    await importFile(await write('log', lines.join('\n')));
    expect(await stored()).toMatchObject({ events: 4, visitors: 2, visits: 2 });
  });

  test('limits the length of lines, and skips what is no log line', async () => {
    const lines = [
      'x'.repeat(100_000),
      lineOf({ n: 1, request: `GET /${'long/'.repeat(500)} HTTP/1.1` }),
      lineOf({ n: 2 }).replace('2026', '2226'),
      lineOf({ n: 3 }).replace('2026', '1926'),
      '\0\u{1f4a9}',
      '',
      lineOf({ n: 4 }),
    ];
    expect(await importFile(await write('log', lines.join('\r\n')))).toMatchObject({
      lines: 7,
      counted: 1,
      skipped: { malformed: 6 },
    });
    expect(await importFile(await write('empty', ''))).toMatchObject({ lines: 0, counted: 0 });
  });

  test('imports a log of ten years in one run', async () => {
    const lines = Array.from({ length: 130 }, (_, n) =>
      lineOf({ n }).replace(/\d\d\/Nov\/2026/, `07/${MONTHS[n % 12]}/${2012 + Math.floor(n / 12)}`),
    );
    await importFile(await write('log', lines.join('\n')));
    expect(await stored()).toMatchObject({ events: 130 });
  });

  test('refuses with a sentence what it cannot do', async () => {
    const good = await write('log', logOf(0, 10));
    await expect(importFile(join(folder.path, 'nowhere'))).rejects.toThrow(/cannot be read: ENOENT/);
    await expect(importFile(folder.path)).rejects.toThrow(/is not a file|cannot be read: EISDIR/);
    const damaged = await write('log.gz', gzipSync(logOf(0, 2500)).subarray(0, 2000));
    await expect(importFile(damaged)).rejects.toThrow(/cannot be read: unexpected end of file/);
    await expect(importFile(good, 'other.example')).rejects.toThrow('There is no site other.example');
    await pauseSite(server.app.services.directory, { siteId: site.id, paused: true });
    await expect(importFile(good)).rejects.toThrow('paused');
    expect(await stored()).toMatchObject({ events: 0 });
  });

  test.each([
    ['text', 'Dear reader,\nthis is a letter.\n'],
    [
      'the common format, which has no user agents',
      '203.0.113.7 - - [18/Nov/2026:23:50:00 +0000] "GET / HTTP/1.1" 200 5\n',
    ],
    ['bytes', Buffer.from([0, 1, 2, 10, 255, 254, 10])],
  ])('refuses a file that is no log at all: %s', async (_what, content) => {
    await expect(importFile(await write('letter', content))).rejects.toThrow(
      /is not an access log in the combined format/,
    );
    expect(await server.app.services.directory.db.selectFrom('imports').selectAll().execute()).toEqual([]);
  });

  test('counts seven views for a visitor of a Next.js site, and not what its router loads beside the pages', async () => {
    const pages = ['/', '/pricing', '/blog', '/blog/hello', '/about', '/contact', '/pricing?plan=pro'];
    const parts = [
      '/pricing?_rsc=1',
      '/blog?_rsc=1',
      '/_next/data/x',
      '/_next/image?url=x&w=64',
      '/api/session',
      '/api/plans',
    ];
    const others = ['/socket.io/?EIO=4', '/about.data', '/healthz', '/graphql'];
    const lines = [...pages, ...parts, ...others].map((path, n) =>
      lineOf({ n: 20 * n, request: `GET ${path} HTTP/1.1` }).replace(/^\S+/, addressOf(0)),
    );
    expect(await importFile(await write('log', lines.join('\n')))).toMatchObject({
      counted: 7,
      skipped: { not_a_page: 10 },
      top_pages: [
        { path: '/pricing', views: 2 },
        ...['/', '/about', '/blog', '/blog/hello', '/contact'].map((path) => ({ path, views: 1 })),
      ],
    });
    expect(await stored()).toMatchObject({ events: 7, visitors: 1, visits: 1 });
  });

  test('is deleted with its site', async () => {
    await importFile(await write('log', logOf(0, 10)));
    await deleteSite(server.app.services.directory, { siteId: site.id }, server.clock.now);
    expect(await server.app.services.directory.db.selectFrom('imports').selectAll().execute()).toEqual([]);
  });
});

describe('an interrupted import', () => {
  type Parts = Parameters<typeof importAccessLog>[0];
  const parts = (record: Parts['record']): Parts => ({
    directory: server.app.services.directory,
    geo: server.app.geo,
    windows: openMemoryWindows(),
    record,
    knownIds: (recorded) => knownIds(server.app.store, recorded),
  });
  const input = (file: string) => ({
    file,
    domain: site.domain,
    signal: new AbortController().signal,
    onProgress: () => undefined,
  });

  test.each([
    ['before it recorded its second chunk', 'before'],
    ['after it recorded its second chunk, and before it noted that', 'after'],
  ] as const)('%s continues there, with the same numbers', async (_when, when) => {
    const file = await write('log', logOf(0, 2500));
    let calls = 0;
    const cutShort = async (recorded: Recorded[], now: number) => {
      calls += 1;
      if (calls === 2 && when === 'before') throw new Error('killed');
      const fresh = await server.app.collector.record(recorded, now);
      if (calls === 2) throw new Error('killed');
      return fresh;
    };
    await expect(importAccessLog(parts(cutShort), input(file), server.clock.now)).rejects.toThrow('killed');
    server.clock.now += 60_000;
    expect(await importAccessLog(parts(server.app.collector.record), input(file), server.clock.now)).toEqual(OF_2500);
    expect(await stored()).toEqual({ events: 500, visitors: 500, visits: 500, ai_visits: 250 });
    expect(await dropped()).toEqual(DROPS_OF_2500);
  });

  test('remembers its visitors for a day, and then forgets them', async () => {
    const { db } = server.app.services.directory;
    const file = await write('log', logOf(0, 2500));
    const fail = () => Promise.reject(new Error('killed'));
    await expect(importAccessLog(parts(fail), input(file), server.clock.now)).rejects.toThrow('killed');
    const secrets = () => db.selectFrom('import_secrets').select('secret').execute();
    const [secret] = await secrets();
    await forgetImports(server.app.services.directory, server.clock.now);
    expect(await secrets()).toEqual([secret]);
    await forgetImports(server.app.services.directory, server.clock.now + 1);
    expect(await secrets()).toEqual([]);
    expect(await filesWith(server.folder, secret?.secret ?? '')).toEqual([]);
    expect(await importFile(file)).toEqual(OF_2500);
  });

  test('is not continued by two at once', async () => {
    const file = await write('log', logOf(0, 2500));
    const results = await Promise.allSettled([importFile(file), importFile(file)]);
    const refused = results.filter((result) => result.status === 'rejected').map(({ reason }) => String(reason));
    expect(refused.every((reason) => reason.includes('Another process is importing this file'))).toBe(true);
    expect(await stored()).toMatchObject({ events: 500, ai_visits: 250 });
    expect(await dropped()).toEqual(DROPS_OF_2500);
  });
});

test('no file under DATA_DIR holds an address or a user agent of the log, before or after the writer has stored them', async () => {
  showsKept('no address and no raw user agent in the data folder, Redis, logs and backups');
  const secret = 'Chrome/142.0.0.0 Safari';
  const texts = [...Array.from({ length: 2500 }, (_, n) => addressOf(n)), secret, CHROME];
  await importFile(await write('log', logOf(0, 2500)));
  expect(await filesWith(server.folder, ...texts)).toEqual([]);
  await server.settle();
  expect(await filesWith(server.folder, ...texts)).toEqual([]);
  expect(await server.app.services.directory.db.selectFrom('import_secrets').selectAll().execute()).toEqual([]);
});

describe('the command line', () => {
  const log = openLog('silent');

  test('has the running server do the work, through a socket that only its own user can open', async () => {
    const path = join(server.folder, 'control.sock');
    expect(await askServer(server.folder, 'import', {}, () => undefined)).toBeUndefined();
    // The remains of a killed server.
    const dead = spawn(process.execPath, [
      '-e',
      `require('net').createServer().listen(${JSON.stringify(path)}, () => console.log())`,
    ]);
    await once(dead.stdout, 'data');
    dead.kill('SIGKILL');
    await once(dead, 'exit');

    const control = await openControl({ app: server.app, dataDir: server.folder, log });
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const told: Progress[] = [];
    const file = await write('log', logOf(0, 2500));
    const answer = await askServer(server.folder, 'import', { file, domain: site.domain }, (progress) =>
      told.push(progress),
    );
    expect(answer).toEqual({ result: { site_id: site.id, ...OF_2500 } });
    expect(told.at(-1)).toEqual({ done: 2500, total: 2500 });
    const refused = askServer(server.folder, 'import', { file, domain: 'other.example' }, () => undefined);
    await expect(refused).rejects.toThrow('There is no site other.example');
    await expect(askServer(server.folder, 'import', { file: 3 }, () => undefined)).rejects.toThrow('see its log');
    await control.close();
    expect(await askServer(server.folder, 'import', {}, () => undefined)).toBeUndefined();
  });

  test('counts every line once through kill -9, and prints one line of JSON', async () => {
    await server[Symbol.asyncDispose](); // only one process at a time can open the engine's folder
    const place = join(folder.path, 'data');
    server = await testApp({ folder: place });
    site = await server.addSite();
    await server.app.close();
    const file = await write('log.gz', gzipSync(logOf(0, 20_000)));
    const directory = await openDirectory({ path: join(place, DIRECTORY_FILE) });
    const linesDone = async () => {
      const row = await directory.db.selectFrom('imports').select('lines_done').executeTakeFirst();
      return Number(row?.lines_done ?? 0);
    };
    const command = ['build/server/manage.js', 'import', 'access-log', file, '--site', site.domain];
    const start = () =>
      spawn(process.execPath, command, {
        env: { PATH: process.env['PATH'], ...COMPILED, DATA_DIR: place },
        stdio: ['ignore', 'pipe', 'inherit'],
      });

    // Far before the end, because on a busy machine the kill comes late.
    for (const killAt of shareOf([3_000, 5_000, 1_000], { of: 3, turn: 0 })) {
      const child = start();
      const gone = once(child, 'exit');
      while (child.exitCode === null && (await linesDone()) < killAt)
        await new Promise((resolve) => setImmediate(resolve));
      child.kill('SIGKILL');
      await gone;
      expect(await linesDone()).toBeLessThan(20_000);
    }
    await directory.close();
    const last = start();
    const printed = Buffer.concat(await last.stdout.toArray()).toString();
    expect(printed.split('\n').length).toBe(2);
    expect(JSON.parse(printed)).toEqual({
      lines: 20_000,
      counted: 4000,
      ai_visits: 2000,
      repeated: 0,
      skipped: { malformed: 2000, not_a_page: 4000, method: 2000, status: 2000 },
      dropped: { bot_user_agent: 2000, no_user_agent: 2000 },
      top_pages: topPages(400),
      already_imported: false,
    });
    server = await testApp({ folder: place });
    expect(await stored()).toEqual({ events: 4000, visitors: 4000, visits: 4000, ai_visits: 2000 });
    const drops = await dropped();
    expect(drops.reduce((sum, { count }) => sum + count, 0)).toBe(4000);
  });
});
