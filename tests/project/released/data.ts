// The data of a release, with accounts, stored and waiting events, and what people have set up, and its numbers, as files beside this one: a data
// folder, and one whose directory is in PostgreSQL. node tests/project/released/data.ts VERSION: writes those of this version.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import pg from 'pg';
import type { SiteNumbers } from '../../../server/api/rest/site-numbers.ts';
import { goals } from '../../../server/sites/definitions/goals.ts';
import { runOperation } from '../../../server/operator/operations.ts';
import { DAY_MS, MINUTE_MS } from '../../../server/vocabulary/time/time.ts';
import { testApp, type TestApp } from '../../setup/app.ts';
import { NOON } from '../../setup/clock.ts';
import { makeAiVisit, makeEvent } from '../../setup/event.ts';
import { tempFolder } from '../../setup/folder.ts';
import { programOf } from '../../setup/processes/process.ts';
import { startPostgres } from '../../setup/stores/postgres.ts';

const DOMAIN = 'released.example';
/** The day after the events: theirs is closed, and summed. */
export const LATER = NOON + DAY_MS;

/** The archives of a release, by where its directory is. */
export const ARCHIVES = { sqlite: 'data.tgz', postgres: 'postgres.tgz' } as const;
export type Form = keyof typeof ARCHIVES;
/** In the archive of a directory in PostgreSQL. */
const DUMP = 'directory.sql';

const tar = (...args: string[]) => void execFileSync('tar', ['--gzip', ...args]);

/** Unpacks the data of a release, with the directory's rows in `databaseUrl` if it was in PostgreSQL. */
export async function unpack(archive: string, { folder, databaseUrl }: Place): Promise<void> {
  tar('--extract', '--file', archive, '--directory', folder);
  if (databaseUrl === undefined) return;
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(readFileSync(join(folder, DUMP), 'utf8'));
  await client.end();
}
type Place = { folder: string; databaseUrl: string | undefined };

/** As statements, without the commands of psql that newer versions put around them. */
function dump({ folder, databaseUrl = '' }: Place): void {
  const options = ['--inserts', '--no-owner', '--no-privileges', '--no-comments', `--dbname=${databaseUrl}`];
  const text = execFileSync(programOf('pg_dump'), options, { encoding: 'utf8' });
  writeFileSync(join(folder, DUMP), text.replace(/^\\(?:un)?restrict .*\n/gm, ''));
}

/** What a release counts of its own folder, once nothing waits. */
export async function numbersOf(app: TestApp): Promise<unknown> {
  await app.settle();
  const run = { now: LATER, onProgress: () => undefined, signal: new AbortController().signal };
  const asked = { domain: DOMAIN, period: '7d' };
  const { stats, timeseries, breakdowns } = (await runOperation('stats', app.app, asked, run)) as SiteNumbers;
  return JSON.parse(JSON.stringify({ stats, timeseries, breakdowns }));
}

async function fill(app: TestApp): Promise<void> {
  const site = await app.addSite(DOMAIN);
  const definition = { kind: 'page', page: '/pricing' } as const;
  await goals.create(app.app.services.directory, { siteId: site.id, name: 'Read the prices', definition }, NOON);
  const events = Array.from({ length: 60 }, (_, index) =>
    makeEvent({
      site_id: site.id,
      visitor: `visitor ${index % 20}`,
      time: NOON - DAY_MS * (index % 3) + MINUTE_MS * index,
      page: ['/', '/pricing', '/about'][index % 3] ?? '',
      source: ['Google', '', 'newsletter'][index % 3] ?? '',
    }),
  );
  await app.app.collector.record([...events, makeAiVisit({ site_id: site.id, time: NOON })], NOON);
  await app.settle();
  await app.app.collector.record([makeEvent({ site_id: site.id, visitor: 'waits', time: NOON, page: '/waits' })], NOON);
}

/** Writes an archive, and returns the numbers of what is in it. */
async function write(form: Form, archive: string): Promise<unknown> {
  await using folder = await tempFolder();
  await using postgres = form === 'postgres' ? await startPostgres() : undefined;
  const place = { folder: folder.path, databaseUrl: postgres?.url };
  const options = { folder: folder.path, ...(postgres && { env: { DATABASE_URL: postgres.url } }) };
  {
    await using app = await testApp({ ...options, now: NOON });
    await fill(app);
    if (postgres) dump(place);
    // While it runs: at its end it would store what waits.
    const names = readdirSync(folder.path).filter((name) => /\.sql(ite|$)|^events$/.test(name));
    tar('--create', '--file', archive, '--directory', folder.path, ...names);
  }
  await using app = await testApp({ ...options, now: LATER });
  return await numbersOf(app); // before the app is closed
}

if (process.argv[1] === import.meta.filename) {
  const here = (name: string) => join(import.meta.dirname, `${process.argv[2] ?? ''}.${name}`);
  const numbers = await write('sqlite', here(ARCHIVES.sqlite));
  if (!isDeepStrictEqual(await write('postgres', here(ARCHIVES.postgres)), numbers))
    throw new Error('The numbers depend on where the directory is.');
  writeFileSync(here('numbers.json'), `${JSON.stringify(numbers)}\n`);
}
