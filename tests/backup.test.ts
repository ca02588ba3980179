/** @module-tag attack */
/** @module-tag fault */
// Tests backups: made while events are collected, restored into empty stores of either kind, and useless for identifying visitors.
import { readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { makeBackup, restoreBackup } from '../server/operator/backup.ts';
import { readConfig } from '../server/config.ts';
import type { Recorded } from '../server/event.ts';
import type { Queue } from '../server/queue/queue.ts';
import { ARCHIVED } from '../server/directory/archive.ts';
import { secretOf } from '../server/directory/server-keys.ts';
import { saltOf } from '../server/sites/salts.ts';
import { DAY_MS, dayOf } from '../server/vocabulary/time.ts';
import { testApp, type TestApp } from './setup/app.ts';
import { CHROME } from './setup/user-agent.ts';
import { startClickHouse } from './setup/clickhouse.ts';
import { makeAiVisit, makeEvent } from './setup/event.ts';
import { filesWith } from './setup/files.ts';
import { tempFolder } from './setup/folder.ts';
import { showsRefused, showsSurvived } from './setup/harness.ts';
import { startPostgres } from './setup/postgres.ts';
import { startRedis } from './setup/redis.ts';
import { startServer } from './setup/server.ts';

const FORMS = ['embedded', 'servers'] as const;

/** Empty stores, and the environment that describes them. */
async function emptyStores(form: (typeof FORMS)[number]) {
  const stack = new AsyncDisposableStack();
  const folder = stack.use(await tempFolder());
  if (form === 'embedded') return { stack, env: {}, folder: folder.path };
  const [redis, postgres, clickhouse] = [await startRedis(), await startPostgres(), await startClickHouse()];
  for (const each of [redis, postgres, clickhouse]) stack.use(each);
  const env = { REDIS_URL: redis.url, DATABASE_URL: postgres.url, CLICKHOUSE_URL: clickhouse.url };
  return { stack, env, folder: folder.path };
}

const quiet = { onProgress: () => undefined };
const storesOf = ({ app }: TestApp) => ({ directory: app.services.directory, store: app.store, queue: app.queue });
const rowsOf = ({ app }: TestApp) => app.store.query('SELECT * FROM events ORDER BY event_id', {});
const agentsOf = ({ app }: TestApp) => app.store.query('SELECT * FROM ai_visits ORDER BY event_id', {});

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
      agents: await agentsOf(server),
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
      await record([makeAiVisit({ site_id: site.id, time: now, hostname: 'own.example' })]);
      await server.settle();
      await record(Array.from({ length: 20 }, (_, id) => event(100 + id, now)));
      const refused = event(300, now);
      await server.app.queue.bury([refused], 'out of range', now);
      // Between reading the queue and reading the events, the writer stores what waits, and more arrives.
      const { queue, ...others } = storesOf(server);
      const moving: Queue = {
        ...queue,
        contents: async function* () {
          yield* queue.contents();
          await server.settle();
          await record([event(200, now)]);
          await server.settle();
        },
      };
      let arrived = 400;
      const onProgress = () => void record([event(arrived++, now)]);
      expect(await makeBackup({ ...others, queue: moving }, { folder }, { now, onProgress })).toEqual({ folder });
      expected = await contents(server);
      expect([expected.rows.length, expected.agents.length]).toEqual([61, 1]);
    }
    const to = from === 'embedded' ? 'servers' : 'embedded';
    await using other = await emptyStores(to).then((stores) => Object.assign(stores.stack, stores));
    const config = readConfig({ DATA_DIR: other.folder, ...other.env });
    expect(await restoreBackup(config, { folder }, { now: Date.UTC(2026, 10, 20, 12), ...quiet })).toEqual({
      sites: 1,
      events: 61,
      ai_visits: 1,
      waiting: 0,
    });
    await using server = await testApp({ folder: other.folder, env: other.env });
    expect(await contents(server)).toEqual(expected);
    expect(await server.app.queue.status()).toMatchObject({ waiting: 0, buried: 1 });
    // The restored server works: people sign in, and events count.
    expect(await server.logIn('owner@own.example')).toMatch(/footfall_session=/);
    await server.foot({ site: 'own.example', name: 'pageview', url: 'https://own.example/' });
    await server.settle();
    expect((await rowsOf(server)).length).toBe(62);
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
      await makeBackup(storesOf(server), { folder }, { now, onProgress: (progress) => void onProgress(progress) });
    }
    await using other = await emptyStores('embedded').then((stores) => Object.assign(stores.stack, stores));
    const config = readConfig({ DATA_DIR: other.folder });
    const restored = await restoreBackup(config, { folder }, { now: Date.UTC(2026, 10, 20, 12), ...quiet });
    expect(restored).toEqual({ sites: 1, events: 1, ai_visits: 0, waiting: 1 });
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
    await makeBackup(storesOf(server), { folder }, { now, ...quiet });
    expect((await filesWith(folder, 'own.example')).length).toBeGreaterThan(1);
    expect(await filesWith(folder, salt, salt.toString('hex'), signing, token, '127.0.0.1', CHROME)).toEqual([]);
    expect((await readdir(join(folder, 'directory'))).sort()).toEqual(
      Object.entries(ARCHIVED)
        .flatMap(([name, is]) => (is === 'kept' ? [`${name}.ndjson`] : []))
        .sort(),
    );
    for (const name of [folder, join(folder, 'directory'), join(folder, 'events')])
      expect((await stat(name)).mode & 0o077).toBe(0);
  });
});

test('restoring into a folder that is not empty is refused, and a failed restore leaves the folder empty', async () => {
  await using backup = await tempFolder();
  const folder = join(backup.path, 'backup');
  const now = Date.UTC(2026, 10, 20, 12);
  {
    await using server = await testApp();
    const site = await server.addSite('own.example');
    await server.app.collector.record([makeEvent({ site_id: site.id, time: now })], now);
    await server.settle();
    await makeBackup(storesOf(server), { folder }, { now, ...quiet });
    await expect(makeBackup(storesOf(server), { folder }, { now, ...quiet })).rejects.toThrow(
      `${folder} is not empty: `,
    );
  }
  await using data = await tempFolder();
  const config = readConfig({ DATA_DIR: data.path });
  const restore = (from: string) => restoreBackup(config, { folder: from }, { now, ...quiet });
  await writeFile(join(data.path, 'kept'), 'kept');
  await expect(restore(folder)).rejects.toThrow(`DATA_DIR: ${data.path} is not empty: `);
  expect(await readdir(data.path)).toEqual(['kept']);
  await rm(join(data.path, 'kept'));

  await expect(restore(join(backup.path, 'none'))).rejects.toThrow('is not a complete backup: it has no backup.json');
  await writeFile(join(folder, 'events', 'events-202611.tsv.zst'), 'no zstd');
  await expect(restore(folder)).rejects.toThrow();
  expect(await readdir(data.path)).toEqual([]);
  const later = { format: 1, made_at: new Date(now).toISOString(), migration: '999_later' };
  await writeFile(join(folder, 'backup.json'), JSON.stringify(later));
  await expect(restore(folder)).rejects.toThrow('made by a later version');
  expect(await readdir(data.path)).toEqual([]);
});

test('the operator backs up a running server, and restores it into another folder', async () => {
  await using temp = await tempFolder();
  const [data, folder, restored] = ['data', 'backup', 'restored'].map((name) => join(temp.path, name)) as [
    string,
    string,
    string,
  ];
  const manage = async (DATA_DIR: string, ...args: string[]) => {
    const env = { PATH: process.env['PATH'], DATA_DIR, UV_THREADPOOL_SIZE: '16' };
    const { stdout } = await promisify(execFile)(process.execPath, ['server/operator/manage.ts', ...args], { env });
    return JSON.parse(stdout) as { accounts?: unknown };
  };
  await using server = await startServer({ DATA_DIR: data });
  const account = ['--email', 'ada@example.com', '--password', 'correct horse battery', '--plan', 'pro'];
  await manage(data, 'account', 'create', ...account);
  await manage(data, 'site', 'create', '--account', 'ada@example.com', '--domain', 'example.com');
  const body = JSON.stringify({ site: 'example.com', name: 'pageview', url: 'https://example.com/' });
  const headers = { 'content-type': 'text/plain', 'user-agent': CHROME };
  expect((await fetch(`${server.url}/foot`, { method: 'POST', headers, body })).status).toBe(202);
  expect(await manage(data, 'backup', folder)).toEqual({ folder });
  const before = await manage(data, 'list');
  const counts = (await manage(restored, 'restore', folder)) as Record<'events' | 'waiting' | 'sites', number>;
  expect([counts.sites, counts.events + counts.waiting]).toEqual([1, 1]);
  expect(await manage(restored, 'list')).toEqual(before);
  await expect(manage(data, 'restore', folder)).rejects.toThrow(`DATA_DIR: ${data} is not empty: stop the server`);
});
