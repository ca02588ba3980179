/** @module-tag fault */
// The start of a later version on the stores of this one: a copy of the program with one migration more in each store. It makes a backup before
// it migrates, this version refuses what it has migrated, and restores the backup. While both run beside each other, nothing is lost or doubled.
import { join } from 'node:path';
import { createClient } from '@clickhouse/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SiteNumbers } from '../../server/api/rest/site-numbers.ts';
import { readConfig } from '../../server/config.ts';
import type { EarlierStore } from '../../server/errors.ts';
import { openPlace } from '../../server/operator/backup-place.ts';
import { runOperation } from '../../server/operator/operations.ts';
import { restoreBackup } from '../../server/operator/restore.ts';
import { upgradeFirst } from '../../server/operator/upgrade.ts';
import { openLog } from '../../server/process/log.ts';
import { DIRECTORY_FILE } from '../../server/directory/open.ts';
import { signIn } from '../setup/accounts/sign-in.ts';
import { PASSWORD, testApp } from '../setup/app.ts';
import { FIREFOX } from '../setup/browser/dashboard.ts';
import { CHROME } from '../setup/browser/user-agent.ts';
import { eventually } from '../setup/eventually.ts';
import { tempFolder } from '../setup/folder.ts';
import { runManage } from '../setup/processes/manage.ts';
import { outcome } from '../setup/outcome.ts';
import { openStream } from '../setup/processes/stream.ts';
import { showsSurvived } from '../setup/run/harness.ts';
import { startServer } from '../setup/server.ts';
import { startClickHouse } from '../setup/stores/clickhouse.ts';
import { laterProgram } from '../setup/stores/later-version.ts';
import { startPostgres } from '../setup/stores/postgres.ts';
import { startRedis } from '../setup/stores/redis.ts';
import { makeSites } from '../setup/processes/sites.ts';

const DOMAIN = 'own.example';
/** So that what an upgrade says can be read. */
const TELLING = { LOG_LEVEL: 'info' };

let later: Awaited<ReturnType<typeof laterProgram>>;
beforeAll(async () => void (later = await laterProgram()));
afterAll(() => later[Symbol.asyncDispose]());

/** A folder of this version with a site of three page views by two people. */
async function usedFolder() {
  const folder = await tempFolder();
  await using app = await testApp({ folder: folder.path, now: Date.now() });
  await app.addSite(DOMAIN);
  const view = (page: string, userAgent: string) =>
    app.foot({ site: DOMAIN, name: 'pageview', url: `https://${DOMAIN}${page}` }, { 'user-agent': userAgent });
  await view('/', CHROME);
  await view('/pricing', CHROME);
  await view('/', FIREFOX);
  await app.settle();
  return folder;
}

const ASKED = { domain: DOMAIN, period: '24h' };
const numbersOf = ({ stats, breakdowns }: SiteNumbers) => ({ stats: stats.data, pages: breakdowns.page });

test('makes a backup, migrates, and shows the same numbers; the version before then refuses, and restores', async () => {
  showsSurvived('upgrade that is taken back');
  await using folder = await usedFolder();
  const manage = (...args: string[]) =>
    runManage(args, { DATA_DIR: folder.path, LOG_LEVEL: 'silent' }, { cwd: later.root });
  const refused = await manage('list');
  expect([refused.code, refused.stderr]).toEqual([
    1,
    `DATA_DIR: ${join(folder.path, DIRECTORY_FILE)} was last used by an earlier version of Footfall: start the server, which upgrades it.\n`,
  ]);
  await using server = await startServer({ DATA_DIR: folder.path, ...TELLING }, { root: later.root });
  expect(await fetch(`${server.url}/healthz`).then((answer) => answer.json())).toMatchObject({ version: '99.0.0' });
  expect(server.output()).toMatch(/they are backed up first, in some 1 s"[^]*they are backed up, and upgraded now/);
  const { stdout } = await manage('stats', '--site', DOMAIN, '--period', ASKED.period, '--json');
  const upgraded = numbersOf(JSON.parse(stdout) as SiteNumbers);
  expect(upgraded.stats).toMatchObject({ pageviews: 3, unique_visitors: 2 });
  await server.end('SIGTERM');
  expect(await outcome(testApp({ folder: folder.path }))).toContain('was made by a later version of Footfall');

  await using restored = await tempFolder();
  const config = readConfig({ DATA_DIR: restored.path });
  const run = { now: Date.now(), onProgress: () => undefined, signal: new AbortController().signal };
  const place = await openPlace(join(folder.path, 'upgrade-backup'), config);
  expect(await restoreBackup(config, { place }, run)).toMatchObject({ sites: 1, events: 3, waiting: 0 });
  await using back = await testApp({ folder: restored.path, now: run.now });
  expect(numbersOf((await runOperation('stats', back.app, ASKED, run)) as SiteNumbers)).toEqual(upgraded);
});

test('makes none where UPGRADE_BACKUP is off, and none for what is new or upgraded', async () => {
  const log = openLog('silent');
  const opened: EarlierStore[] = [];
  const open = (earlier: EarlierStore) => Promise.resolve(void opened.push(earlier));
  await upgradeFirst({ config: readConfig({ UPGRADE_BACKUP: 'off' }), log }, open);
  await upgradeFirst({ config: readConfig({}), log }, open);
  expect(opened).toEqual(['migrate', 'refuse']);
});

test('beside the version before, each event is stored once, and both show the same', async () => {
  showsSurvived('two versions beside each other');
  await using redis = await startRedis();
  await using postgres = await startPostgres({ own: true });
  await using clickhouse = await startClickHouse();
  await using folders = await tempFolder();
  await makeSites({ databaseUrl: postgres.url, path: '' }, [DOMAIN]);

  const stores = { REDIS_URL: redis.url, DATABASE_URL: postgres.url, CLICKHOUSE_URL: clickhouse.url };
  const start = (name: string, root?: string) =>
    startServer({ ...stores, DATA_DIR: join(folders.path, name), ...TELLING }, { ...(root && { root }) });
  await using earlier = await start('earlier');
  const urls = [earlier.url];
  const stream = openStream({ domains: [DOMAIN], urlOf: (tried) => urls[tried % urls.length] ?? '', senders: 4 });
  const passed = (more = 150) => {
    const isPast = stream.passes(more);
    return eventually(() => expect(isPast()).toBe(true));
  };
  await passed();
  await using newer = await start('newer', later.root);
  expect(newer.output()).toContain('they are backed up, and upgraded now');
  urls.push(newer.url);
  await passed();
  const cookies = await Promise.all(urls.map((url) => signIn(url, { email: `owner@${DOMAIN}`, password: PASSWORD })));
  for (const [place, url] of urls.entries())
    expect((await fetch(`${url}/trpc/session.current`, { headers: { cookie: cookies[1 - place] ?? '' } })).status).toBe(
      200,
    );
  urls.shift();
  await earlier.end('SIGTERM');
  await passed();
  await stream.stop();

  const events = createClient({ url: clickhouse.url });
  await eventually(async () => {
    const answer = await events.query({
      query: 'SELECT uniqExact(page) AS pages, count() AS copies FROM events',
      format: 'JSONEachRow',
    });
    const [found] = await answer.json<{ pages: string; copies: string }>();
    const accepted = stream.accepted.size;
    expect([Number(found?.pages), Number(found?.copies)]).toEqual([accepted, accepted]);
  });
  await events.close();
});
