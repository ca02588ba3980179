/** @module-tag attack */
/** @module-tag fault */
// Tests backups: made while events are collected, restored into empty stores of either kind, and useless for identifying visitors.
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { App } from '../../server/app.ts';
import { type Manifest, openPlace } from '../../server/operator/backup-place.ts';
import { restoreBackup } from '../../server/operator/restore.ts';
import { runOperation, type Run } from '../../server/operator/operations.ts';
import { type Config, readConfig } from '../../server/config.ts';
import { type makeBackup, WORK_FOLDER } from '../../server/operator/backup.ts';
import type { Recorded, SiteId } from '../../server/vocabulary/event.ts';
import { openLease } from '../../server/queue/lease.ts';
import type { Partition, Queue } from '../../server/queue/queue.ts';
import { openVisits } from '../../server/queue/writer/visits.ts';
import { openWriter } from '../../server/queue/writer/writer.ts';
import { openLog } from '../../server/process/log.ts';
import { ARCHIVED } from '../../server/directory/tables.ts';
import { secretOf } from '../../server/directory/server-keys.ts';
import { saltOf } from '../../server/sites/salts.ts';
import { TABLES } from '../../server/store/rows.ts';
import { DAY_MS, dayOf } from '../../server/vocabulary/time/time.ts';
import { testApp, type TestApp } from '../setup/app.ts';
import { CHROME } from '../setup/browser/user-agent.ts';
import { startClickHouse } from '../setup/stores/clickhouse.ts';
import { makeAiVisit, makeError, makeEvent, makeVitals } from '../setup/event.ts';
import { filesWith } from '../setup/files.ts';
import { tempFolder } from '../setup/folder.ts';
import { formsOf, showsRefused, showsSurvived, sized } from '../setup/run/harness.ts';
import { startPostgres } from '../setup/stores/postgres.ts';
import { startRedis } from '../setup/stores/redis.ts';
import { S3_KEYS, startS3 } from '../setup/stores/s3.ts';
import { runManage } from '../setup/processes/manage.ts';
import { startServer } from '../setup/server.ts';

type Made = Awaited<ReturnType<typeof makeBackup>>;

const FORMS = ['embedded', 'servers'] as const;

/** Empty stores, and the environment that describes them. */
async function emptyStores(form: (typeof FORMS)[number]) {
  const stack = new AsyncDisposableStack();
  const folder = stack.use(await tempFolder());
  const none: Record<string, string> = {};
  if (form === 'embedded') return { stack, env: none, folder: folder.path };
  const [redis, postgres, clickhouse] = [await startRedis(), await startPostgres(), await startClickHouse()];
  for (const each of [redis, postgres, clickhouse]) stack.use(each);
  // Every table is taken for one that is too large to be dropped by accident, as those of 50 GB are.
  const CLICKHOUSE_URL = `${clickhouse.url}?ch_max_table_size_to_drop=1`;
  const env: Record<string, string> = { REDIS_URL: redis.url, DATABASE_URL: postgres.url, CLICKHOUSE_URL };
  return { stack, env, folder: folder.path };
}

/** What the command `backup` does in the running server. */
async function backUp(app: App, to: string, { keep, ...run }: Partial<Run> & { keep?: number } = {}): Promise<Made> {
  const quiet = { now: app.services.now(), onProgress: () => undefined, signal: new AbortController().signal };
  return (await runOperation('backup', app, { to, keep }, { ...quiet, ...run })) as Made;
}

async function restore(config: Config, from: string, at?: string) {
  const run = { now: Date.UTC(2026, 10, 20, 12), onProgress: () => undefined };
  return restoreBackup(config, { place: await openPlace(from, config), at }, run);
}

/** A writer that has just started takes each visit for one whose rows may be out of order, so that column may differ. */
const rowsOf = ({ app }: TestApp, table: string = 'events') =>
  app.store.query<Record<string, unknown>>(`SELECT * EXCEPT out_of_order FROM ${table} ORDER BY event_id`, {});
/** The rows of the tables that the writer fills, without events. */
const othersOf = async (server: TestApp) => {
  const tables = Object.keys(TABLES).filter((table) => table !== 'events');
  return Object.fromEntries(
    await Promise.all(tables.map(async (table) => [table, await rowsOf(server, table)] as const)),
  );
};

/** A measurement and an error that an import brought. */
async function storeImported({ app }: TestApp, of: { site_id: SiteId; time: number }): Promise<void> {
  const begun = { siteId: of.site_id, format: 'sealed', file: 'x', content: 1 };
  const { id: import_id } = await app.services.importing.begin(begun);
  const imported = { ...of, visit_id: 204n, entry_page: '/', import_id };
  const vitals = [{ ...makeVitals(), ...imported }];
  const errors = [{ ...makeError(), ...imported }];
  await app.store.insert({ events: [], ai_visits: [], vitals, errors }, 'imported');
}

/** The tables of the directory that a backup holds, row for row. */
async function tablesOf({ app }: TestApp) {
  const { db } = app.services.directory;
  const tables = Object.entries(ARCHIVED).filter(([name, is]) => is === 'kept' && name !== 'secrets');
  const rows = tables.map(([name]) =>
    db
      .selectFrom(name as keyof typeof ARCHIVED)
      .selectAll()
      .execute(),
  );
  return Object.fromEntries((await Promise.all(rows)).map((all, i) => [tables[i]?.[0], all]));
}

describe.each(FORMS)('a backup of %s stores', (from) => {
  test('made while events are collected has each event once, and can be restored into the other kind of stores', async () => {
    showsSurvived('backup while writing, restored on an empty machine');
    await using own = await emptyStores(from).then((stores) => Object.assign(stores.stack, stores));
    await using backup = await tempFolder();
    const folder = join(backup.path, 'backup');
    let expected: Awaited<ReturnType<typeof contents>>;
    const contents = async (server: TestApp) => ({
      rows: await rowsOf(server),
      others: await othersOf(server),
      tables: await tablesOf(server),
    });
    {
      await using server = await testApp({ folder: own.folder, env: own.env });
      const site = await server.addSite('own.example');
      const now = server.clock.now;
      const event = (id: number, time: number) =>
        makeEvent({
          id: String(id),
          visitor: String(id % 7),
          site_id: site.id,
          time,
          page: `/${id}\t"\\'é`,
          props: { 'a\nb': `{${id}}` },
        });
      const record = (events: Recorded[]) => server.app.collector.record(events, now);
      await record(Array.from({ length: 40 }, (_, id) => event(id, now - (id % 4) * 40 * DAY_MS)));
      await record([
        makeAiVisit({ site_id: site.id, time: now, hostname: 'own.example' }),
        makeVitals({ site_id: site.id, time: now, event_id: event(501, now).event_id }),
        makeError({ site_id: site.id, time: now, event_id: event(502, now).event_id }),
      ]);
      await server.settle();
      await storeImported(server, { site_id: site.id, time: now });
      await server.app.store.supersede([
        { site_id: site.id, time: now, event_id: event(3, now).event_id, replaced: false },
      ]);
      await record(Array.from({ length: 20 }, (_, id) => event(100 + id, now)));
      const refused = event(300, now);
      await server.app.queue.bury([refused], 'out of range', now);
      // While the backup is made, more events arrive, and the writer stores them.
      const { queue } = server.app;
      const moving: Queue = {
        ...queue,
        contents: async function* () {
          yield* queue.contents();
          await record([event(200, now)]);
        },
      };
      let arrived = 400;
      const later: Promise<unknown>[] = [];
      const onProgress = () => {
        later.push(record([event(arrived++, now)]).then(() => server.settle()));
      };
      const made = await backUp({ ...server.app, queue: moving }, folder, { onProgress });
      expect(made).toMatchObject({ events: 40, ai_visits: 1, waiting: 20 });
      await Promise.all(later);
      await server.settle();
      expected = await contents(server);
      expect(expected.rows.length).toBe(61 + later.length);
      const counts = Object.entries(expected.others).map(([table, rows]) => [table, rows.length]);
      expect(Object.fromEntries(counts)).toEqual({ ai_visits: 1, superseded: 1, vitals: 2, errors: 2 });
      expected.rows = expected.rows.filter(({ page }) => Number.parseInt(String(page).slice(1)) < 200);
    }
    const to = from === 'embedded' ? 'servers' : 'embedded';
    await using other = await emptyStores(to).then((stores) => Object.assign(stores.stack, stores));
    const config = readConfig({ DATA_DIR: other.folder, ...other.env });
    expect(await restore(config, folder)).toMatchObject({ sites: 1, events: 40, ai_visits: 1, waiting: 20 });
    await using server = await testApp({ folder: other.folder, env: other.env });
    await server.settle();
    expect(await contents(server)).toEqual(expected);
    expect(await server.app.queue.status()).toMatchObject({ waiting: 0, buried: 1 });
    // The restored server works: people sign in, and events count.
    expect(await server.logIn('owner@own.example')).toMatch(/footfall_session=/);
    await server.foot({ site: 'own.example', name: 'pageview', url: 'https://own.example/' });
    await server.settle();
    expect((await rowsOf(server)).length).toBe(61);
  });
});

describe.each(formsOf(FORMS))('a backup of %s stores', (from) => {
  test('restored into the other kind of stores has purged visits, which can still be put back', async () => {
    await using own = await emptyStores(from).then((stores) => Object.assign(stores.stack, stores));
    await using backup = await tempFolder();
    const purged = { dimension: 'source' as const, operator: 'is' as const, values: ['spam.example'] };
    const pagesOf = async (server: TestApp) => (await rowsOf(server)).map(({ page }) => page).sort();
    let siteId: SiteId;
    let id: string;
    {
      await using server = await testApp({ folder: own.folder, env: own.env });
      const site = await server.addSite('own.example');
      siteId = site.id;
      const of = { site_id: site.id, time: server.clock.now - 60_000 };
      await server.app.collector.record(
        [
          makeEvent({ ...of, visitor: 'spam', page: '/casino', source: 'spam.example' }),
          makeEvent({ ...of, visitor: 'good', page: '/' }),
        ],
        server.clock.now,
      );
      await server.settle();
      const { stats, purging } = server.app.services;
      const question = { site_id: site.id, period: 'today' as const, compare: 'none' as const, filters: [purged] };
      const rows = await stats.purgeable(question, site, server.clock.now);
      ({ id } = await purging.purge({ siteId, name: 'Spam', definition: {}, rows }));
      await backUp(server.app, join(backup.path, 'backup'));
    }
    const to = from === 'embedded' ? 'servers' : 'embedded';
    await using other = await emptyStores(to).then((stores) => Object.assign(stores.stack, stores));
    await restore(readConfig({ DATA_DIR: other.folder, ...other.env }), join(backup.path, 'backup'));
    await using server = await testApp({ folder: other.folder, env: other.env });
    await server.app.runJob('finish-purges');
    expect(await pagesOf(server)).toEqual(['/']);
    await server.app.services.purging.undo({ siteId, id });
    expect(await pagesOf(server)).toEqual(['/', '/casino']);
  });

  test('restored keeps the waiting events, and brings back nothing of a site that was deleted meanwhile', async () => {
    await using own = await emptyStores(from).then((stores) => Object.assign(stores.stack, stores));
    await using backup = await tempFolder();
    const folder = join(backup.path, 'backup');
    {
      await using server = await testApp({ folder: own.folder, env: own.env });
      const [kept, gone] = [await server.addSite('kept.example'), await server.addSite('gone.example')];
      const now = server.clock.now;
      for (const site of [kept, gone])
        await server.app.collector.record([makeEvent({ site_id: site.id, time: now })], now);
      await server.settle();
      for (const site of [kept, gone])
        await server.app.collector.record([makeEvent({ site_id: site.id, time: now })], now);
      const onProgress = async ({ done }: { done: number }) => {
        if (done === 0) await server.app.services.directory.db.deleteFrom('sites').where('id', '=', gone.id).execute();
      };
      await backUp(server.app, folder, { onProgress: (progress) => void onProgress(progress) });
    }
    await using other = await emptyStores('embedded').then((stores) => Object.assign(stores.stack, stores));
    const config = readConfig({ DATA_DIR: other.folder });
    const restored = await restore(config, folder);
    expect(restored).toMatchObject({ sites: 1, events: 1, ai_visits: 0, waiting: 1 });
    if (from === 'embedded') return;
    // The servers are still in use, so nothing can be restored into them.
    for (const [name, says] of [
      ['CLICKHOUSE_URL', 'this database is not empty'],
      ['REDIS_URL', 'this Redis already has events'],
    ] as const) {
      await using used = await tempFolder();
      const env = { DATA_DIR: used.path, [name]: own.env[name] };
      await expect(restore(readConfig(env), folder)).rejects.toThrow(`${name}: ${says}`);
      expect(await readdir(used.path)).toEqual([]);
    }
  });

  test('holds no salt, no session and no token: nobody can test addresses against it, or sign in with it', async () => {
    showsRefused('backup that keeps the salt', 2);
    await using own = await emptyStores(from).then((stores) => Object.assign(stores.stack, stores));
    await using backup = await tempFolder();
    const folder = join(backup.path, 'backup');
    await using server = await testApp({ folder: own.folder, env: own.env });
    await server.addSite('own.example');
    const { directory } = server.app.services;
    const now = server.clock.now;
    const salt = await saltOf(directory, { zone: 'UTC', day: dayOf(now) }, now);
    const signing = await secretOf(directory, 'sessions', now);
    const cookie = await server.logIn('owner@own.example');
    const token = decodeURIComponent(cookie).split('=')[1]?.split('.')[0] ?? '';
    expect(token.length).toBeGreaterThan(20);
    await server.foot({ site: 'own.example', name: 'pageview', url: 'https://own.example/' });
    await backUp(server.app, folder);
    expect((await filesWith(folder, 'own.example')).length).toBeGreaterThan(1);
    expect(await filesWith(folder, salt, salt.toString('hex'), signing, token, '127.0.0.1', CHROME)).toEqual([]);
    const [moment = ''] = await readdir(join(folder, 'backups'));
    const { directory: tables } = JSON.parse(await readFile(join(folder, 'backups', moment), 'utf8')) as Manifest;
    expect(Object.keys(tables).sort()).toEqual(
      Object.entries(ARCHIVED)
        .flatMap(([name, is]) => (is === 'kept' ? [name] : []))
        .sort(),
    );
    for (const name of ['', 'files', 'backups']) expect((await stat(join(folder, name))).mode & 0o077).toBe(0);
    for (const name of await readdir(join(folder, 'files')))
      expect((await stat(join(folder, 'files', name))).mode & 0o077).toBe(0);
  });
});

test('an event that another process stores while the backup begins is in it, and is restored once', async () => {
  await using backup = await tempFolder();
  const folder = join(backup.path, 'backup');
  {
    await using server = await testApp();
    const { queue, store, services } = server.app;
    const site = await server.addSite('own.example');
    const { now } = server.clock;
    await server.app.collector.record([makeEvent({ site_id: site.id, time: now })], now);
    const other = openWriter({
      queue: queue as Queue & Partition, // in SQLite the queue is its only partition
      store,
      visits: openVisits(store),
      lease: openLease(),
      log: openLog('silent'),
      now: services.now,
      onStored: () => undefined,
    });
    const afterFirst = once(() => other.drain());
    const reading: Queue = {
      ...queue,
      contents: async function* () {
        yield* queue.contents();
        await afterFirst();
      },
    };
    const snapshot = async () => {
      const taken = await store.snapshot();
      await afterFirst();
      return taken;
    };
    const made = await backUp({ ...server.app, queue: reading, store: { ...store, snapshot } }, folder);
    expect([made.events, made.waiting]).toEqual([1, 1]);
  }
  await using data = await tempFolder();
  const config = readConfig({ DATA_DIR: data.path });
  expect(await restore(config, folder)).toMatchObject({ events: 1, waiting: 0 });
});

/** Runs `work` at the first call only. */
function once(work: () => Promise<void>): () => Promise<void> {
  let started: Promise<void> | undefined;
  return () => (started ??= work());
}

test('restoring into a folder that is not empty is refused, and a failed restore leaves the folder empty', async () => {
  await using backup = await tempFolder();
  const folder = join(backup.path, 'backup');
  const now = Date.UTC(2026, 10, 20, 12);
  {
    await using server = await testApp();
    const site = await server.addSite('own.example');
    await server.app.collector.record([makeEvent({ site_id: site.id, time: now })], now);
    await server.settle();
    await backUp(server.app, folder);
  }
  await using data = await tempFolder();
  const config = readConfig({ DATA_DIR: data.path });
  await writeFile(join(data.path, 'kept'), 'kept');
  await expect(restore(config, folder)).rejects.toThrow(`DATA_DIR: ${data.path} is not empty: `);
  expect(await readdir(data.path)).toEqual(['kept']);
  await rm(join(data.path, 'kept'));

  await expect(restore(config, join(backup.path, 'none'))).rejects.toThrow('/none has no complete backup.');
  await expect(restore(config, folder, '2026-11-20T11:59:59Z')).rejects.toThrow(
    'has no complete backup of 2026-11-20T11',
  );
  await expect(restore(config, 'ftp://host/folder')).rejects.toThrow('ftp://host/folder must be a folder, or a bucket');
  await expect(restore(config, 's3://bucket/folder')).rejects.toThrow('S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY');
  const rows = (await readdir(join(folder, 'files'))).find((name) => name.endsWith('.tsv.zst')) ?? '';
  await writeFile(join(folder, 'files', rows), 'other rows');
  await expect(restore(config, folder)).rejects.toThrow(`${rows} is damaged.`);
  expect(await readdir(data.path)).toEqual([]);
  await rm(join(folder, 'files', rows));
  await expect(restore(config, folder)).rejects.toThrow(`${rows} is missing.`);
  expect(await readdir(data.path)).toEqual([]);
  const [moment = ''] = await readdir(join(folder, 'backups'));
  const made = JSON.parse(await readFile(join(folder, 'backups', moment), 'utf8')) as Manifest;
  for (const later of [{ migration: '999_later' }, { format: 3 }]) {
    await writeFile(join(folder, 'backups', moment), JSON.stringify({ ...made, ...later }));
    await expect(restore(config, folder)).rejects.toThrow('made by a later version');
    expect(await readdir(data.path)).toEqual([]);
  }
});

test('a backup writes only what the last one lacks, an older moment can be restored, and --keep removes what nobody needs', async () => {
  await using backup = await tempFolder();
  const folder = join(backup.path, 'backup');
  const rowFiles = async () => (await readdir(join(folder, 'files'))).filter((name) => name.endsWith('.tsv.zst'));
  let kept: Made;
  {
    await using server = await testApp();
    const [site, gone] = [await server.addSite('own.example'), await server.addSite('gone.example')];
    const { now } = server.clock;
    const record = async (id: string, { time = now, site_id = site.id } = {}) => {
      await server.app.collector.record([makeEvent({ id, site_id, time, day: '' })], now);
      await server.settle();
    };
    await record('1', { time: now - 3 * DAY_MS });
    await record('2', { time: now - 2 * DAY_MS, site_id: gone.id });
    await record('3');
    const first = await backUp(server.app, folder);
    expect([first.made_at, first.events, (await rowFiles()).length]).toEqual(['2026-11-20T12:00:00.000Z', 3, 3]);
    const same = await backUp(server.app, folder);
    expect([same.made_at, same.written_bytes]).toEqual(['2026-11-20T12:00:00.001Z', 0]);
    await record('4');
    const before = await rowFiles();
    await backUp(server.app, folder);
    expect((await rowFiles()).filter((name) => !before.includes(name)).length).toBe(1); // today
    await server.app.services.deleteSite(gone.id);
    kept = await backUp(server.app, folder, { keep: 1 });
    expect([kept.events, (await rowFiles()).length, (await readdir(join(folder, 'backups'))).length]).toEqual([
      3, 2, 1,
    ]);
    await record('5');
    expect(await backUp(server.app, folder)).toMatchObject({ events: 4 });
  }
  const countsAt = async (at?: string) => {
    await using data = await tempFolder();
    const { events, sites } = await restore(readConfig({ DATA_DIR: data.path }), folder, at);
    return [events, sites];
  };
  expect(await countsAt()).toEqual([4, 1]);
  expect(await countsAt(kept.made_at)).toEqual([3, 1]);
});

test('a backup writes files again that its place lost or cut short, and goes on after a manifest that is damaged', async () => {
  await using backup = await tempFolder();
  const folder = join(backup.path, 'backup');
  await mkdir(folder, { mode: 0o755 });
  const files = async () => (await readdir(join(folder, 'files'))).filter((name) => name.endsWith('.tsv.zst')).sort();
  {
    await using server = await testApp();
    const site = await server.addSite('own.example');
    const { now } = server.clock;
    for (const time of [now - DAY_MS, now])
      await server.app.collector.record([makeEvent({ site_id: site.id, time, day: '' })], now);
    await server.settle();
    await backUp(server.app, folder);
    expect((await stat(folder)).mode & 0o777).toBe(0o755); // it is not ours
    const [lost = '', cut = ''] = await files();
    await rm(join(folder, 'files', lost));
    await writeFile(join(folder, 'files', cut), '');
    const again = await backUp(server.app, folder);
    expect(again.written_bytes).toBeGreaterThan(0);
    expect((await files()).length).toBe(2);
    const moment = (await readdir(join(folder, 'backups'))).sort().at(-1) ?? '';
    await writeFile(join(folder, 'backups', moment), '{"format":2');
    await using other = await tempFolder();
    await expect(restore(readConfig({ DATA_DIR: other.path }), folder)).rejects.toThrow(
      `the backup ${moment.replace('.json', '')} is damaged`,
    );
    expect(await backUp(server.app, folder, { keep: 2 })).toMatchObject({ events: 2 });
  }
  await using data = await tempFolder();
  expect(await restore(readConfig({ DATA_DIR: data.path }), folder)).toMatchObject({ events: 2 });
});

test('a backup that another process has taken over writes no manifest, and leaves the other one’s files alone', async () => {
  await using backup = await tempFolder();
  const folder = join(backup.path, 'backup');
  await using server = await testApp();
  const site = await server.addSite('own.example');
  const { now } = server.clock;
  await server.app.collector.record([makeEvent({ site_id: site.id, time: now })], now);
  await server.settle();
  const { store, services } = server.app;
  const { db } = services.directory;
  const snapshot = async () => {
    const taken = await store.snapshot();
    // The last day was saved when the lease was lost.
    const copyOut: typeof taken.copyOut = async (day, file) => {
      await taken.copyOut(day, file);
      await db.updateTable('leases').set({ holder: 'another' }).where('name', '=', 'backup').execute();
    };
    return { ...taken, copyOut };
  };
  await expect(backUp({ ...server.app, store: { ...store, snapshot } }, folder)).rejects.toThrow('was interrupted');
  expect(await readdir(join(folder, 'backups'))).toEqual([]);
  expect(await readdir(server.folder)).toContain(WORK_FOLDER);
  expect(await db.selectFrom('leases').select('holder').where('name', '=', 'backup').execute()).toEqual([
    { holder: 'another' },
  ]);
});

test('a backup in S3-compatible storage is signed, incremental, restored and pruned as one in a folder', async () => {
  await using s3 = await startS3('backups');
  const env = { S3_ENDPOINT: s3.url, ...S3_KEYS };
  const place = 's3://backups/of footfall';
  {
    await using server = await testApp({ env });
    const site = await server.addSite('own.example');
    const { now } = server.clock;
    await server.app.collector.record([makeEvent({ site_id: site.id, time: now - DAY_MS, day: '' })], now);
    await server.settle();
    await backUp(server.app, place);
    // random, so that it stays large when compressed: files of more than 8 MB are uploaded in parts
    const props = () => ({ a: randomBytes(3_000_000).toString('base64') });
    const large = Array.from({ length: 4 }, () => makeEvent({ site_id: site.id, time: now, day: '', props: props() }));
    await server.app.collector.record(large, now);
    await server.settle();
    const second = await backUp(server.app, place);
    expect(second.written_bytes).toBeGreaterThan(9_000_000);
    expect(Math.max(...[...s3.objects.values()].map(({ length }) => length))).toBeGreaterThan(8 * 1024 * 1024);
    const files = s3.objects.size;
    await backUp(server.app, place, { keep: 1 });
    expect(s3.objects.size).toBeLessThan(files);
  }
  expect([...s3.objects.keys()].every((key) => /^of footfall\/(files|backups)\//.test(key))).toBe(true);
  expect(s3.refused).toEqual([]);
  await using data = await tempFolder();
  const config = readConfig({ DATA_DIR: data.path, ...env });
  expect(await restore(config, place)).toMatchObject({ sites: 1, events: 5 });
  const wrong = readConfig({ DATA_DIR: data.path, ...env, S3_SECRET_ACCESS_KEY: 'another secret' });
  await expect(restore(wrong, place)).rejects.toThrow(`${place}: `);
  await expect(restore(config, 's3://other/footfall')).rejects.toThrow('s3://other/footfall: there is no such bucket.');
});

test('while events are collected and stored, each of many backups has the events up to one moment: none is lost, none is doubled', async () => {
  showsSurvived('backup while writing, restored on an empty machine');
  await using backup = await tempFolder();
  const folder = join(backup.path, 'backup');
  const SENDERS = 4;
  const moments: { made_at: string; acknowledged: number[]; sent: number[] }[] = [];
  {
    await using server = await testApp();
    const site = await server.addSite('own.example');
    const { now } = server.clock;
    const sent = Array<number>(SENDERS).fill(0);
    const acknowledged = Array<number>(SENDERS).fill(0);
    let isOver = false;
    // Each sender waits for an answer before it sends its next event, so the backup's events of a sender must be its first ones.
    const send = async (sender: number) => {
      while (!isOver) {
        const number = (sent[sender] ?? 0) + 1;
        sent[sender] = number;
        const event = makeEvent({ id: `${sender}${String(number).padStart(7, '0')}`, site_id: site.id, time: now });
        await server.app.collector.record([{ ...event, page: `/${sender}/${number}` }], now);
        acknowledged[sender] = number;
      }
    };
    const write = async () => {
      while (!isOver) await server.app.writer.writeOnce();
    };
    const running = [write(), ...Array.from({ length: SENDERS }, (_, sender) => send(sender))];
    for (let i = 0; i < sized({ short: 4, long: 12 }); i += 1) {
      const before = [...acknowledged];
      const { made_at } = await backUp(server.app, folder);
      moments.push({ made_at, acknowledged: before, sent: [...sent] });
    }
    isOver = true;
    await Promise.all(running);
  }
  // Restoring takes seconds, so the short form restores some of them.
  const every = moments.length / sized({ short: 2, long: moments.length });
  for (const { made_at, acknowledged, sent } of moments.filter((_, index) => index % every === 0)) {
    await using data = await tempFolder();
    await restore(readConfig({ DATA_DIR: data.path }), folder, made_at);
    await using server = await testApp({ folder: data.path });
    await server.settle();
    const rows = await server.app.store.query<{ sender: string; last: string; rows: string }>(
      `SELECT splitByChar('/', page)[2] AS sender, max(toUInt32(splitByChar('/', page)[3])) AS last, count() AS rows
        FROM events GROUP BY sender ORDER BY sender`,
      {},
    );
    for (const [sender, { last, rows: count }] of rows.entries()) {
      expect(Number(count)).toBe(Number(last)); // its first events, each once
      expect(Number(last)).toBeGreaterThanOrEqual(acknowledged[sender] ?? 0);
      expect(Number(last)).toBeLessThanOrEqual(sent[sender] ?? 0);
    }
    expect(rows.length).toBe(SENDERS);
  }
});

test('the operator backs up a running server, and restores it into another folder', async () => {
  await using temp = await tempFolder();
  const [data, folder, restored] = ['data', 'backup', 'restored'].map((name) => join(temp.path, name)) as [
    string,
    string,
    string,
  ];
  const manage = async (DATA_DIR: string, ...args: string[]) => {
    const { code, stdout, stderr } = await runManage(args, { DATA_DIR });
    if (code !== 0) throw new Error(stderr);
    return JSON.parse(stdout) as { accounts?: unknown };
  };
  await using server = await startServer({ DATA_DIR: data });
  const account = ['--email', 'ada@example.com', '--password', 'correct horse battery', '--plan', 'pro'];
  await manage(data, 'account', 'create', ...account);
  await manage(data, 'site', 'create', '--account', 'ada@example.com', '--domain', 'example.com');
  const body = JSON.stringify({ site: 'example.com', name: 'pageview', url: 'https://example.com/' });
  const headers = { 'content-type': 'text/plain', 'user-agent': CHROME };
  expect((await fetch(`${server.url}/foot`, { method: 'POST', headers, body })).status).toBe(202);
  const { events, waiting } = (await manage(data, 'backup', '--to', folder)) as unknown as Made;
  expect(events + waiting).toBe(1);
  const before = await manage(data, 'list');
  const counts = (await manage(restored, 'restore', '--from', folder)) as Record<
    'events' | 'waiting' | 'sites',
    number
  >;
  expect([counts.sites, counts.events + counts.waiting]).toEqual([1, 1]);
  expect(await manage(restored, 'list')).toEqual(before);
  await expect(manage(restored, 'backup', '--to', folder, '--running')).rejects.toThrow('No server is running');
  await expect(manage(data, 'restore', '--from', folder)).rejects.toThrow(
    `DATA_DIR: ${data} is not empty: stop the server`,
  );
});
