// The recipes of docs/exports.md, run as they stand there: DuckDB and PostgreSQL read an open export, and count what the dashboard counts.
import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { BlobReader, Uint8ArrayWriter, ZipReader } from '@zip.js/zip.js/lib/zip-core-custom.js';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { askExport, listExports } from '../../server/accounts/exports.ts';
import { DAY_MS } from '../../server/vocabulary/time/time.ts';
import { testApp, type TestApp } from '../setup/app.ts';
import { makeEvent } from '../setup/event.ts';
import { findProgram } from '../setup/run/apt-packages.mjs';
import { startPostgres } from '../setup/stores/postgres.ts';

const PAGE = new URL('../../docs/exports.md', import.meta.url);

/** The first block of code below a heading. */
async function recipeOf(heading: string): Promise<string> {
  const [, below = ''] = (await readFile(PAGE, 'utf8')).split(`### ${heading}\n`);
  return /```sql\n([\s\S]*?)```/.exec(below)?.[1] ?? '';
}

let server: TestApp;
beforeAll(async () => {
  server = await testApp();
  const site = await server.addSite();
  const { directory, exporting } = server.app.services;
  const day = Date.UTC(2026, 10, 18, 9);
  const pages = ['/a', '/b', '/it’s "quoted", really', '/a'];
  const views = pages.map((page, index) =>
    makeEvent({ site_id: site.id, visitor: `v${index}`, time: index === 3 ? day + DAY_MS : day, page }),
  );
  await server.app.collector.record(views, server.clock.now);
  await server.settle();
  const { db } = directory;
  const owner = await db
    .selectFrom('members')
    .select('user_id')
    .where('account_id', '=', site.account_id)
    .executeTakeFirstOrThrow();
  const wish = {
    accountId: site.account_id,
    siteId: site.id,
    userId: owner.user_id,
    kind: 'open' as const,
    recipient: null,
  };
  await askExport(directory, wish, server.clock.now);
  await server.app.runJob('make-exports');
  const [one] = await listExports(directory, { accountId: site.account_id }, server.clock.now);
  if (!one) throw new Error('The export is not made.');
  const bytes = await new Response((await exporting.read(one, { first: 0, last: one.bytes - 1 })) as never).blob();
  for (const entry of await new ZipReader(new BlobReader(bytes), { useWebWorkers: false }).getEntries()) {
    if (entry.directory) continue;
    const path = join(server.folder, 'unpacked', entry.filename);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, await entry.getData(new Uint8ArrayWriter()));
  }
});
afterAll(() => server[Symbol.asyncDispose]());

const SUMS = [
  ['/a', 2],
  ['/b', 1],
  ['/it’s "quoted", really', 1],
];

test('DuckDB', async () => {
  const recipe = (await recipeOf('DuckDB')).replaceAll("'example.com/", `'${server.folder}/unpacked/example.com/`);
  const database = await DuckDBInstance.create(':memory:');
  const connection = await database.connect();
  const [byDay = '', byPage = ''] = recipe.split(';');
  const rowsOf = async (sql: string) => (await connection.runAndReadAll(sql)).getRowsJson();
  expect(await rowsOf(byDay)).toEqual([
    ['2026-11-18', '3', '3'],
    ['2026-11-19', '1', '1'],
  ]);
  expect(await rowsOf(byPage)).toEqual(SUMS.map(([page, views]) => [page, String(views)]));
  connection.closeSync();
  database.closeSync();
});

test('PostgreSQL', async () => {
  await using postgres = await startPostgres();
  const psql = findProgram('psql') ?? 'psql';
  const run = async (sql: string) => {
    const options = { cwd: join(server.folder, 'unpacked') };
    const given = [
      '--no-psqlrc',
      '--quiet',
      '--tuples-only',
      '--no-align',
      '-v',
      'ON_ERROR_STOP=1',
      '-d',
      postgres.url,
    ];
    const file = join(server.folder, 'recipe.sql');
    await writeFile(file, sql);
    return (await promisify(execFile)(psql, [...given, '-f', file], options)).stdout;
  };
  await run(await recipeOf('PostgreSQL'));
  const pages = await run(
    "SELECT value, sum(pageviews) FROM daily_sums WHERE dimension = 'page' GROUP BY value ORDER BY 2 DESC, 1;",
  );
  expect(pages.trim().split('\n')).toEqual(SUMS.map(([page, views]) => `${page}|${views}`));
});
