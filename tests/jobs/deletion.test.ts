/** @module-tag attack */
/** @module-tag promise */
// A deleted site is gone: its rows, its waiting events, and what another process still writes.
import { createClient } from '@clickhouse/client';
import { createChdbConnection } from 'chdb/connection';
import { sql } from 'kysely';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { SiteId } from '../../server/vocabulary/event.ts';
import { openRedis } from '../../server/process/redis/redis.ts';
import { createShareLink } from '../../server/sites/sharing/share.ts';
import { deletedBefore } from '../../server/sites/sites.ts';
import { ALL_TABLES } from '../../server/store/rows.ts';
import { MINUTE_MS } from '../../server/vocabulary/time/time.ts';
import { testApp } from '../setup/app.ts';
import { startClickHouse } from '../setup/stores/clickhouse.ts';
import { makeAiVisit, makeEvent } from '../setup/event.ts';
import { eventually } from '../setup/eventually.ts';
import { filesWith } from '../setup/files.ts';
import { tempFolder } from '../setup/folder.ts';
import { showsKept, showsRefused } from '../setup/run/harness.ts';
import { startPgBouncer, startPostgres } from '../setup/stores/postgres.ts';
import { startRedis } from '../setup/stores/redis.ts';

const rowsOf = async (server: Awaited<ReturnType<typeof testApp>>, siteId: SiteId) => {
  const [row] = await server.app.store.query<{ rows: number }>(
    'SELECT count() AS rows FROM events WHERE site_id = {id:String}',
    { id: siteId },
  );
  return Number(row?.rows);
};

describe('a deleted site', () => {
  test('leaves no rows, neither stored nor waiting, and counts nothing more', async () => {
    showsKept('a deleted site leaves data, queue, dead letters and caches within a minute');
    await using server = await testApp();
    const site = await server.addSite('gone.example');
    const kept = await server.addSite('kept.example');
    const view = (domain: string, path: string) => ({
      site: domain,
      name: 'pageview',
      url: `https://${domain}${path}`,
    });
    await server.foot(view('gone.example', '/1'));
    await server.foot(view('kept.example', '/1'));
    await server.settle();
    await server.foot(view('gone.example', '/2'));
    await server.app.services.deleteSite(site.id);
    server.clock.now += 1000;
    expect((await server.foot(view('gone.example', '/3'))).status).toBe(202);
    await server.settle();
    expect([await rowsOf(server, site.id), await rowsOf(server, kept.id)]).toEqual([0, 1]);
  });

  test('includes what another process wrote after the deletion', async () => {
    await using server = await testApp();
    const site = await server.addSite('gone.example');
    await server.app.services.deleteSite(site.id);
    await server.app.collector.record([makeEvent({ site_id: site.id, time: server.clock.now })], server.clock.now);
    await server.settle();
    expect(await rowsOf(server, site.id)).toBe(1);
    await server.app.runJob('finish-deletions');
    expect(await rowsOf(server, site.id)).toBe(1); // more may still arrive
    server.clock.now += 5 * MINUTE_MS + 1;
    await server.app.runJob('finish-deletions');
    expect(await rowsOf(server, site.id)).toBe(0);
  });

  test('is not forgotten while its events wait in the queue, as after a long failure of the store', async () => {
    await using server = await testApp();
    const site = await server.addSite('gone.example');
    const { directory } = server.app.services;
    await server.app.services.deleteSite(site.id);
    await server.app.collector.record([makeEvent({ site_id: site.id, time: server.clock.now })], server.clock.now);
    server.clock.now += 10 * MINUTE_MS;
    await server.app.runJob('finish-deletions');
    expect(await deletedBefore(directory, server.clock.now)).toEqual([site.id]);
    await server.settle();
    expect(await rowsOf(server, site.id)).toBe(1);
    await server.app.runJob('finish-deletions');
    expect([await rowsOf(server, site.id), await deletedBefore(directory, server.clock.now)]).toEqual([0, []]);
  });
});

/** Stores pages uncompressed, so that a search of the files finds their text. */
async function storePlainly(folder: string) {
  const client = createClient({ connection: createChdbConnection({ path: join(folder, 'events') }) as never });
  for (const [table, column] of Object.entries({ events: 'page', ai_visits: 'ai_page' }))
    await client.command({ query: `ALTER TABLE ${table} MODIFY COLUMN ${column} CODEC(NONE)` });
  // Replaced files go at once, instead of after some 30 seconds by the engine's own clock.
  const atOnce =
    'old_parts_lifetime = 0, cleanup_delay_period = 0, cleanup_delay_period_random_add = 0, max_cleanup_delay_period = 1';
  for (const table of ALL_TABLES) await client.command({ query: `ALTER TABLE ${table} MODIFY SETTING ${atOnce}` });
  await client.close();
}

describe('within the minute a deleted site', () => {
  const CANARY = '/canary-b7a0e4f1c2';

  test('is in no file of the data folder: not in the store, the queue, the dead letters, the directory or their logs', async () => {
    showsRefused('deleted rows left in files');
    showsKept('a deleted site leaves data, queue, dead letters and caches within a minute');
    await using folder = await tempFolder();
    {
      await using once = await testApp({ folder: folder.path });
      await once.app.store.ping(); // makes the tables
    }
    await storePlainly(folder.path); // the engine reads settings when it opens a table
    await using server = await testApp({ folder: folder.path });
    const [gone, kept] = [await server.addSite('gone.example'), await server.addSite('kept.example')];
    const { now } = server.clock;
    const event = (siteId: SiteId, page: string, time = now) =>
      makeEvent({ site_id: siteId, visitor: page, time, page });
    const settings = { [CANARY]: 1 };
    await server.app.services.directory.db
      .updateTable('sites')
      .set({ settings: JSON.stringify(settings) })
      .where('id', '=', gone.id)
      .execute();
    for (const month of [0, 1, 2]) {
      const time = now - month * 31 * 24 * 60 * MINUTE_MS;
      await server.app.collector.record([event(gone.id, CANARY, time), event(kept.id, '/kept-page', time)], now);
      await server.settle();
    }
    const agent = makeAiVisit({ site_id: gone.id, time: now, hostname: 'gone.example', ai_page: CANARY });
    await server.app.collector.record([agent], now);
    await server.settle();
    await server.app.queue.bury([event(gone.id, CANARY), event(kept.id, '/buried')], 'refused', now);
    await server.app.collector.record([event(gone.id, CANARY)], now);
    const places = async (needle: string) =>
      new Set(
        (await filesWith(server.folder, needle)).map((path) => path.slice(server.folder.length + 1).split(/[/.]/)[0]),
      );
    expect(await places(CANARY)).toEqual(new Set(['events', 'queue', 'directory']));

    await server.app.services.deleteSite(gone.id);
    await server.app.runJob('erase-deleted');
    const patience = { everyMs: 100, withinMs: 240_000 };
    await eventually(async () => expect(await filesWith(server.folder, CANARY)).toEqual([]), patience);
    expect(await places('/kept-page')).toEqual(new Set(['events']));
    expect(await rowsOf(server, kept.id)).toBe(3);
    expect(await server.app.queue.status()).toMatchObject({ waiting: 0, buried: 1 });
    expect(await server.app.services.windows.snapshot(gone.id, now)).toMatchObject({ current_visitors: 0, pages: [] });
  });

  test('is in no file of Redis, and in no window', async () => {
    showsRefused('deleted rows left in files');
    await using redis = await startRedis();
    await using clickhouse = await startClickHouse();
    await using server = await testApp({ env: { REDIS_URL: redis.url, CLICKHOUSE_URL: clickhouse.url } });
    const gone = await server.addSite('gone.example');
    const { now } = server.clock;
    const event = () => makeEvent({ site_id: gone.id, time: now, page: CANARY });
    await server.app.collector.record([event()], now);
    await server.settle();
    await server.app.queue.bury([event()], 'refused', now);
    await server.app.collector.record([event()], now);
    await eventually(async () => expect((await filesWith(redis.folder, CANARY)).length).toBeGreaterThan(0));
    await server.app.services.deleteSite(gone.id);
    await server.app.runJob('erase-deleted');
    await eventually(async () => expect(await filesWith(redis.folder, CANARY)).toEqual([]));
    expect(await server.app.queue.status()).toMatchObject({ waiting: 0, buried: 0 });
    expect(await server.app.services.windows.snapshot(gone.id, now)).toMatchObject({ current_visitors: 0, pages: [] });
    expect(await rowsOf(server, gone.id)).toBe(0);
  });

  test('is in no snapshot of Redis', async () => {
    showsRefused('deleted rows left in files');
    const config = { save: '3600 1', appendonly: 'no', rdbcompression: 'no' };
    await using redis = await startRedis({ config });
    await using server = await testApp({ env: { REDIS_URL: redis.url } });
    const gone = await server.addSite('gone.example');
    const { now } = server.clock;
    await server.app.queue.bury([makeEvent({ site_id: gone.id, time: now, page: CANARY })], 'refused', now);
    const client = await openRedis(redis.url);
    await client.send('queue', ['SAVE']);
    expect(await filesWith(redis.folder, CANARY)).toHaveLength(1);
    await server.app.services.deleteSite(gone.id);
    await server.app.runJob('erase-deleted');
    await eventually(async () => expect(await filesWith(redis.folder, CANARY)).toEqual([]));
    await client.close();
  });

  test.each(['alone', 'behind PgBouncer'])(
    'is in no table of PostgreSQL %s, neither in live nor in dead rows',
    async (form) => {
      showsRefused('deleted rows left in files');
      await using postgres = await startPostgres();
      await using pooled = form === 'alone' ? null : await startPgBouncer(postgres);
      await using server = await testApp({ env: { DATABASE_URL: (pooled ?? postgres).url } });
      const [gone, kept] = [await server.addSite('gone.example'), await server.addSite('kept.example')];
      const { db } = server.app.services.directory;
      await createShareLink(server.app.services.directory, { siteId: gone.id, name: CANARY }, server.clock.now);
      await createShareLink(server.app.services.directory, { siteId: kept.id, name: '/kept-link' }, server.clock.now);
      const settings = JSON.stringify({ [CANARY]: 1 });
      await db.updateTable('sites').set({ settings }).where('id', '=', gone.id).execute();
      const { rows } = await sql<{ folder: string }>`
      select current_setting('data_directory') || '/base/' || oid as folder from pg_database where datname = current_database()
    `.execute(db);
      const tables = async (needle: string) => {
        await sql`checkpoint`.execute(db);
        return (await filesWith(rows[0]?.folder ?? '', needle)).length;
      };
      expect(await tables(CANARY)).toBe(2);
      await server.app.services.deleteSite(gone.id);
      await server.app.runJob('erase-deleted');
      expect([await tables(CANARY), await tables('/kept-link')]).toEqual([0, 1]);
    },
  );

  test('does not wait for a table of PostgreSQL that somebody else has locked', async () => {
    await using postgres = await startPostgres();
    await using server = await testApp({ env: { DATABASE_URL: postgres.url } });
    const gone = await server.addSite('gone.example');
    await server.app.services.deleteSite(gone.id);
    await server.app.services.directory.db.transaction().execute(async (trx) => {
      await sql`lock table share_links in share row exclusive mode`.execute(trx);
      await server.app.runJob('erase-deleted');
    });
    server.clock.now += 6 * MINUTE_MS;
    await server.app.runJob('finish-deletions');
    expect(await deletedBefore(server.app.services.directory, Number.MAX_SAFE_INTEGER)).toEqual([]);
  });
});

test('a batch that is requested twice at once is written once, and its visits counted once', async () => {
  await using server = await testApp();
  const site = await server.addSite();
  const first = makeEvent({ site_id: site.id, visitor: 'x', time: server.clock.now });
  await server.app.collector.record([first], server.clock.now);
  await Promise.all([server.app.writer.writeOnce(), server.app.writer.writeOnce(), server.app.writer.drain()]);
  await server.app.collector.record(
    [makeEvent({ site_id: site.id, visitor: 'x', time: server.clock.now + MINUTE_MS })],
    server.clock.now,
  );
  await server.settle();
  const rows = await server.app.store.query(
    'SELECT count() AS rows, sum(bounces) AS bounces, sum(visit_ms) AS ms FROM events',
    {},
  );
  expect(rows).toEqual([{ rows: 2, bounces: 0, ms: MINUTE_MS }]);
});
