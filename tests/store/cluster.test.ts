/** @module-tag long */
// The store on a ClickHouse cluster: what its statements say, and its answers as far as one process can be a cluster. See
// setup/stores/clickhouse-cluster.ts for what is real there.
import { createServer } from 'node:http';
import { join } from 'node:path';
import { createClient } from '@clickhouse/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PARTITIONS, partitionOf } from '../../server/process/redis/partitions.ts';
import { openVisits } from '../../server/queue/writer/visits.ts';
import type { Stats } from '../../server/stats/run.ts';
import { addressesOf } from '../../server/vocabulary/addresses/clickhouse.ts';
import { SNAPSHOTS } from '../../server/store/archive.ts';
import { READS } from '../../server/store/cluster.ts';
import { openHosts, QUIET } from '../../server/store/hosts.ts';
import { type EventStore, openStore } from '../../server/store/open.ts';
import { ALL_TABLES } from '../../server/store/rows.ts';
import { type ClickHouse, startClickHouse } from '../setup/stores/clickhouse.ts';
import { ONE_SHARD, TWO } from '../setup/stores/clickhouse-cluster.ts';
import { makeEvent, SITE } from '../setup/event.ts';
import { tempFolder } from '../setup/folder.ts';
import { askZoned, fillStores, NOW, QUESTIONS, statsOf, sumDaysOf, summedQuestions } from '../setup/stats/questions.ts';
import { shareOf } from '../setup/run/harness.ts';
import { testStore } from '../setup/store.ts';

const opened = new AsyncDisposableStack();
let clickhouse: ClickHouse;
let local: EventStore;
let cluster: EventStore;
/** The same rows through the distributed tables of two shards, of which only the one with SITE answers. */
let halfCluster: EventStore;
let statements: string[];

beforeAll(async () => {
  local = opened.use(await testStore());
  clickhouse = opened.use(await startClickHouse((partitionOf(SITE) % 2) as 0 | 1));
  cluster = await openStore({ url: clickhouse.url, cluster: ONE_SHARD, path: '' });
  opened.defer(() => cluster.close());
  const client = createClient({
    url: `${clickhouse.url}/${TWO}`,
    clickhouse_settings: { ...READS, readonly: '1' },
    log: QUIET,
  });
  opened.defer(() => client.close());
  halfCluster = {
    ...cluster,
    query: async (query, bound) => (await client.query({ query, query_params: bound, format: 'JSONEachRow' })).json(),
  };
  await fillStores([local, cluster]);
});
afterAll(() => opened.disposeAsync());

/** Questions about other sites too: they need every shard. */
const OF_OTHER_SITES: readonly string[] = ['countEventsBySite', 'hours', 'dayViews'];

describe('a cluster gives the answers of one store to', () => {
  test.each(Object.entries(QUESTIONS))('%s, also while a shard without the site is away', async (name, questions) => {
    const [one, whole, half] = [local, cluster, halfCluster].map(statsOf) as [Stats, Stats, Stats];
    for (const [index, ask] of shareOf(questions, { of: 4, turn: 1 }).entries()) {
      const needsAll = OF_OTHER_SITES.includes(name);
      expect(await ask(needsAll ? whole : half), String(index)).toEqual(await ask(one));
      if (needsAll) await expect(ask(half)).rejects.toThrow('up-to-date replicas');
    }
  });

  test('questions about summed days', async () => {
    expect(await sumDaysOf(local)).toBe(2);
    expect(await sumDaysOf(cluster)).toBe(2);
    for (const [index, ask] of [...shareOf(summedQuestions(), { of: 4, turn: 1 }), askZoned].entries()) {
      expect(await ask(statsOf(halfCluster)), String(index)).toEqual(await ask(statsOf(local)));
    }
  });

  test('the writer, which reads the open visits of a partition', async () => {
    const event = makeEvent({ time: NOW });
    const restored = [local, cluster].map((store) => openVisits(store));
    for (const visits of restored) await visits.restore(NOW, partitionOf(SITE));
    const [one, other] = restored.map((visits) => visits.assign(event, NOW));
    expect(other).toEqual(one);
  });
});

describe('a cluster', () => {
  const countOf = async (site: string) => {
    const [row] = await cluster.query<{ rows: string }>(
      'SELECT count() AS rows FROM events WHERE site_id = {site:String}',
      { site },
    );
    return Number(row?.rows);
  };

  test('takes rows out and puts them back, by their ids', async () => {
    const of = { site_id: SITE, purge: 'purge_cluster' };
    const where = "site_id = {site_id:String} AND name = 'pageview'";
    const before = await countOf(SITE);
    await cluster.purged.choose({ ...of, table: 'events', where, bound: {} });
    await cluster.purged.choose({ ...of, table: 'ai_visits', where: 'site_id = {site_id:String}', bound: {} });
    const { pageviews, ai_visits } = await cluster.purged.counts(of);
    expect(ai_visits).toBe(3);
    expect(await cluster.purged.takeOut(of)).toBe(true);
    expect(await countOf(SITE)).toBeLessThanOrEqual(before - pageviews);
    expect(await cluster.query('SELECT 1 FROM ai_visits', {})).toEqual([]);
    expect(await cluster.purged.takeOut(of)).toBe(false);
    await cluster.purged.putBack(of);
    expect(await countOf(SITE)).toBe(before);
    await cluster.purged.drop(of);
    expect(await cluster.purged.all()).toEqual([]);
  });

  test('puts every row of a backup back', async () => {
    await using folder = await tempFolder();
    const snapshot = await cluster.snapshot();
    const [day] = (await snapshot.days()).filter(({ table }) => table === 'events');
    const file = join(folder.path, 'day.zst');
    if (day) await snapshot.copyOut(day, file);
    const before = await countOf(SITE);
    await cluster.load('events', file);
    expect(await countOf(SITE)).toBe(before + (day?.rows ?? NaN));
    await snapshot.drop();
    expect(await cluster.query('EXISTS TABLE backup_events', {})).toEqual([{ result: 0 }]);
  });

  test('replaces a day of search terms, and keeps nothing of the earlier reading', async () => {
    const rows = [
      { term: 'new', page: '/', hostname: '', country: '', device: '', clicks: 1, impressions: 2, positions: 3 },
    ];
    const of = { site_id: SITE, connection: 'search_1', day: '2026-11-16', version: NOW + 1 };
    await cluster.saveSearchDay({ ...of, rows, isStored: true });
    const stored = await cluster.query("SELECT term FROM search_rows WHERE day = '2026-11-16'", {});
    expect(stored).toEqual([{ term: 'new' }]);
    await cluster.dropSearches({ site_id: SITE, except: '' });
    expect(await cluster.query('SELECT 1 FROM search_rows', {})).toEqual([]);
  });

  test('erases a deleted site from every table', async () => {
    await cluster.deleteSite(SITE);
    await cluster.eraseDeleted();
    for (const table of ALL_TABLES) expect(await cluster.query(`SELECT 1 FROM ${table}`, {}), table).toEqual([]);
    const left = 'SELECT toString(sum(rows)) AS rows FROM system.parts WHERE active AND table = {table:String}';
    expect(await cluster.query(left, { table: 'events_local' })).toEqual([{ rows: '0' }]);
  });

  test('answers pings of all shards, and waits for all replicas', async () => {
    await cluster.ping();
    await cluster.settle();
    const sent = await clickhouse.statements();
    expect(sent).toContain(`SELECT count() FROM cluster(${ONE_SHARD}, system.one)`);
    expect(sent).toContain(`SYSTEM SYNC REPLICA ON CLUSTER ${ONE_SHARD} events_local LIGHTWEIGHT`);
  });

  test('that is not defined is refused with a sentence', async () => {
    const opening = openStore({ url: clickhouse.url, cluster: 'unknown', path: '' });
    await expect(opening).rejects.toThrow('CLICKHOUSE_CLUSTER: ClickHouse knows no cluster unknown');
  });
});

/** Runs after the tests above, which issue every statement that there is. The server has parsed each of them. */
describe('of the statements in a cluster', () => {
  beforeAll(async () => {
    await sumDaysOf(cluster);
    statements = (await clickhouse.statements()).filter((sql) => !/^\s*EXPLAIN/.test(sql));
  });

  test.each([...ALL_TABLES, 'migrations'])('%s is replicated, and distributed by site', (table) => {
    const key = table === 'migrations' ? 'name' : 'site_id';
    const [rows, front] = ['_local', ''].map((end) =>
      statements.find((sql) => sql.startsWith(`CREATE TABLE IF NOT EXISTS ${table}${end} ON CLUSTER ${ONE_SHARD} `)),
    );
    expect(rows).toMatch(
      new RegExp(
        `ENGINE = Replicated\\w*MergeTree\\('/clickhouse/tables/{shard}/{database}/${table}_local', '{replica}'`,
      ),
    );
    // Only these take inserts with a token; others would drop rows that equal deleted ones.
    const takesTokens = ['events', 'ai_visits', 'vitals', 'errors', 'imported_sums'].includes(table);
    const window = takesTokens ? '10000, replicated_deduplication_window_seconds = 604800' : '0'; // a week
    expect(rows).toMatch(new RegExp(` replicated_deduplication_window = ${window}(?!\\d)`));
    expect(front).toContain(`Distributed(${ONE_SHARD}, 'default', ${table}_local, CRC32(${key}))`);
  });

  test('no other table is created but those of a backup', () => {
    const created = statements.flatMap((sql) => /^CREATE TABLE (?:IF NOT EXISTS )?(\w+)/.exec(sql)?.[1] ?? []);
    const tables = [...ALL_TABLES, 'migrations', 'vitals_moved', ...SNAPSHOTS].flatMap((table) => [
      table,
      `${table}_local`,
    ]);
    expect([...new Set(created)].sort()).toEqual(tables.sort());
  });

  test('each that changes tables or rows is for the whole cluster, and waits for all replicas', () => {
    const changes = statements.filter((sql) => !/^\s*(SELECT|INSERT|EXISTS|WITH|DESCRIBE|\()/.test(sql));
    expect(changes.length).toBeGreaterThan(50);
    expect(changes.filter((sql) => !sql.includes(` ON CLUSTER ${ONE_SHARD}`))).toEqual([]);
    expect(changes.filter((sql) => sql.includes('mutations_sync = 1'))).toEqual([]);
    const ofRows = changes.filter((sql) =>
      /^(DELETE|TRUNCATE|ALTER TABLE \w+ .*(DELETE|APPLY|PROJECTION|SETTING))/.test(sql),
    );
    expect(ofRows.filter((sql) => !/^[A-Z ]+ \w+_local /.test(sql))).toEqual([]);
    expect(changes.filter((sql) => /\(\s*SELECT/.test(sql) && !/PROJECTION/.test(sql))).toEqual([]); // no replica asks by itself
  });

  test('inserts go to the tables in front', () => {
    const inserts = statements.flatMap((sql) => /^\s*INSERT INTO (\w+)/.exec(sql)?.[1] ?? []);
    expect(inserts.length).toBeGreaterThan(20);
    expect(inserts.filter((table) => table.endsWith('_local'))).toEqual([]);
  });
});

test('one server gets the statements that it always got', async () => {
  await using server = await startClickHouse();
  const store = await openStore({ url: server.url, path: '' });
  await fillStores([store]);
  await sumDaysOf(store);
  await store.settle();
  await store.ping();
  await (await store.snapshot()).drop();
  await store.deleteSite(SITE);
  await store.eraseDeleted();
  await store.close();
  const sent = await server.statements();
  expect(
    sent.filter((sql) => /_local|ON CLUSTER|[cC]luster\w*\(|Replicated|Distributed|SYSTEM SYNC/.test(sql)),
  ).toEqual([]);
  expect(sent).toContain('SELECT 1');
});

describe('the hosts of a cluster', () => {
  test('are read from one address', () => {
    expect(addressesOf('https://user:p,w@one:8443,two:8443/footfall')).toEqual([
      'https://user:p,w@one:8443/footfall',
      'https://user:p,w@two:8443/footfall',
    ]);
    expect(addressesOf('http://localhost:8123')).toEqual(['http://localhost:8123']);
    for (const wrong of ['http://one:8123,,two:8123', 'redis://one', 'http://one:x,two:1'])
      expect(() => addressesOf(wrong)).toThrow('must be an address such as');
  });

  test('stand in for one that cannot be reached, and are asked first from then on', async () => {
    let asked = 0;
    const host = createServer((request, response) => {
      request.resume();
      asked += 1;
      response.end('{"one":1}\n');
    });
    await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
    const { port } = host.address() as { port: number };
    const client = openHosts([`http://127.0.0.1:1`, `http://127.0.0.1:${port}`, `http://127.0.0.1:2`])({
      request_timeout: 5_000,
    });
    for (let round = 1; round <= 3; round += 1) {
      const answer = await client.query({ query: 'SELECT 1 AS one', format: 'JSONEachRow' });
      expect(await answer.json()).toEqual([{ one: 1 }]);
      expect(asked).toBe(round);
    }
    host.close();
    host.closeAllConnections();
    await expect(client.command({ query: 'SELECT 1' })).rejects.toThrow(/ECONNREFUSED|socket hang up/);
    await client.close();
  });
});

test('with 2, 4, 8 or 16 shards, the sites of one partition of the queue share a shard', () => {
  const sites = Array.from({ length: 500 }, (_, index) => `site_${index}`) as (typeof SITE)[];
  for (const shards of [2, 4, 8, PARTITIONS])
    for (const site of sites) expect(partitionOf(site, 2 ** 32) % shards).toBe(partitionOf(site) % shards);
});
