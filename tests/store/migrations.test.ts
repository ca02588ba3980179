/** @module-tag fault */
// The migrations of the event store in each of its forms: they run once, and a start that is killed is completed by the next.
import { execFile } from 'node:child_process';
import { copyFile, readdir } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { migrateStore } from '../../server/store/migrate.ts';
import { openStore } from '../../server/store/open.ts';
import { makeAiVisit, SITE } from '../setup/event.ts';
import { tempFolder } from '../setup/folder.ts';
import { outcome } from '../setup/outcome.ts';
import { showsSurvived } from '../setup/run/harness.ts';
import { startClickHouse } from '../setup/stores/clickhouse.ts';
import { ONE_SHARD } from '../setup/stores/clickhouse-cluster.ts';
import { versionsOfStore } from '../setup/stores/later-version.ts';
import { openMigrating, type StorePlace } from '../setup/stores/migrate-store.ts';

/** Changes of a start that has nothing to do: it makes sure of the table of migrations, and in a cluster of the one in front of it. */
const AT_LEAST = { chDB: 1, 'ClickHouse over HTTP': 1, 'a ClickHouse cluster': 2 };

const PROGRAM = new URL('../setup/stores/migrate-store.ts', import.meta.url).pathname;

describe.each(Object.keys(AT_LEAST) as (keyof typeof AT_LEAST)[])('the event store in %s', (form) => {
  async function emptyPlace(): Promise<AsyncDisposable & { place: StorePlace }> {
    if (form === 'chDB') {
      const folder = await tempFolder();
      return { ...folder, place: { path: folder.path } };
    }
    const isCluster = form === 'a ClickHouse cluster';
    const clickhouse = await startClickHouse(isCluster ? 0 : undefined);
    return { ...clickhouse, place: { url: clickhouse.url, path: '', ...(isCluster && { cluster: ONE_SHARD }) } };
  }

  /** Returns the number of changes that the start makes. */
  async function start(place: StorePlace, schema: URL): Promise<number> {
    let changes = 0;
    const client = await openMigrating(place, () => void (changes += 1));
    await migrateStore(client, '', { folder: schema }).finally(() => client.close());
    return changes;
  }

  /** Starts again and again: the first start is killed at its first change, the second at its second, until one makes fewer. */
  async function startKilled(place: StorePlace, schema: URL): Promise<number> {
    for (let killedAt = 1; ; killedAt += 1) {
      const args = [PROGRAM, JSON.stringify(place), schema.href, String(killedAt)];
      const ended = await promisify(execFile)(process.execPath, args).catch((error: { signal?: string }) => error);
      if ('signal' in ended && ended.signal === 'SIGKILL') continue;
      expect(ended).toEqual({ stdout: '', stderr: '' });
      return killedAt - 1;
    }
  }

  /** Starts a version that has the migrations before one. */
  async function startBefore(first: string, place: StorePlace, { today }: { today: URL }): Promise<void> {
    await using folder = await tempFolder();
    const before = pathToFileURL(`${folder.path}/`);
    for (const name of (await readdir(today)).filter((one) => one < first))
      await copyFile(new URL(name, today), new URL(name, before));
    await start(place, before);
  }

  async function ask(place: StorePlace, query: string): Promise<unknown[]> {
    const client = await openMigrating(place);
    const answer = await client.query({ query, format: 'JSONEachRow' });
    return answer.json().finally(() => client.close());
  }
  const shapeOf = async (place: StorePlace) => [
    await ask(
      place,
      `SELECT name, engine, replaceRegexpAll(create_table_query, '\\s+', ' ') AS made FROM system.tables
        WHERE database = currentDatabase() ORDER BY name`,
    ),
    await ask(place, 'SELECT name, toUInt32(count()) AS runs FROM migrations GROUP BY name ORDER BY name'),
  ];
  const sentence = ({ path }: StorePlace) =>
    `${form === 'chDB' ? `DATA_DIR: ${path}` : 'CLICKHOUSE_URL: this database'} was made by a later version of Footfall, or by one before 1.0.0: use that version.`;

  test('is complete after starts that were killed at each of their changes', async () => {
    showsSurvived('migration killed half-way');
    await using versions = await versionsOfStore();
    await using killed = await emptyPlace();
    await using whole = await emptyPlace();
    await start(whole.place, versions.today);
    expect(await startKilled(killed.place, versions.today)).toBeGreaterThan(5);
    expect(await shapeOf(killed.place)).toEqual(await shapeOf(whole.place));
    expect(await start(killed.place, versions.today)).toBe(AT_LEAST[form]);
  });

  test('gets the migration of a later version once, keeps its rows, and is then refused by this version', async () => {
    showsSurvived('migration killed half-way');
    await using versions = await versionsOfStore();
    await using own = await emptyPlace();
    const store = await openStore(own.place);
    await store.insert({ events: [], ai_visits: [makeAiVisit({ ai_page: '/kept' })] }, 'token');
    await store.close();

    expect(await startKilled(own.place, versions.later)).toBeGreaterThan(3);
    expect(await start(own.place, versions.later)).toBe(AT_LEAST[form]);
    const shape = await shapeOf(own.place);
    const names = await readdir(versions.later);
    expect(shape[1]).toEqual(names.sort().map((name) => ({ name, runs: 1 })));
    const columns = "SELECT name, type FROM system.columns WHERE database = currentDatabase() AND table = 'later'";
    expect(await ask(own.place, columns)).toEqual([
      { name: 'site_id', type: 'LowCardinality(String)' },
      { name: 'number', type: 'UInt8' },
    ]);
    expect(await outcome(openStore(own.place))).toBe(`bad_request: ${sentence(own.place)}`);
    expect(await shapeOf(own.place)).toEqual(shape);
    expect(await ask(own.place, 'SELECT ai_page, later FROM ai_visits')).toEqual([{ ai_page: '/kept', later: 7 }]);
  });

  test('keeps each measurement once while its table is sorted anew, also if that is killed half-way', async () => {
    showsSurvived('migration killed half-way');
    await using versions = await versionsOfStore();
    await using own = await emptyPlace();
    await startBefore('008', own.place, versions);
    const client = await openMigrating(own.place);
    const rows = Array.from({ length: 100 }, (_, index) => [
      SITE,
      `2026-0${1 + (index % 9)}-15 10:00:00.${100 + index}`,
      index + 1,
      index % 7,
      index,
    ]);
    await client.insert({
      table: 'vitals',
      columns: ['site_id', 'time', 'event_id', 'visitor_id', 'lcp'],
      values: rows,
      format: 'JSONCompactEachRow',
    });
    await client.close();
    expect(await startKilled(own.place, versions.today)).toBeGreaterThan(5);
    const kept =
      'SELECT toUInt32(count()) AS n, toUInt32(uniqExact(lcp)) AS different, toUInt32(sum(lcp)) AS total FROM vitals';
    expect(await ask(own.place, kept)).toEqual([{ n: 100, different: 100, total: 4950 }]);
    const [, others] = await shapeOf(own.place);
    expect(JSON.stringify(others)).toContain('008-vitals-by-visitor.sql');
  });

  test('keeps errors that were stored before one could come by an import, also if that is killed half-way', async () => {
    showsSurvived('migration killed half-way');
    await using versions = await versionsOfStore();
    await using own = await emptyPlace();
    await startBefore('009', own.place, versions);
    const client = await openMigrating(own.place);
    const columns: [string, ...string[]] = ['site_id', 'time', 'event_id', 'error_shape', 'occurrences'];
    const values = [[SITE, '2026-01-15 10:00:00.000', 1, '0123456789ab', 3]];
    for (const table of ['errors', 'purged_errors']) {
      await client.command({ query: `ALTER TABLE ${table} DROP COLUMN import_id` }); // which this version has added
      await client.insert({ table, columns, values, format: 'JSONCompactEachRow' });
    }
    await client.close();
    expect(await startKilled(own.place, versions.today)).toBeGreaterThan(1);
    for (const table of ['errors', 'purged_errors'])
      expect(await ask(own.place, `SELECT error_shape, occurrences, import_id FROM ${table}`)).toEqual([
        { error_shape: '0123456789ab', occurrences: 3, import_id: '' },
      ]);
    expect(await start(own.place, versions.today)).toBe(AT_LEAST[form]);
  });

  test('is refused if a version before 1.0.0 made it, and stays as it is', async () => {
    await using versions = await versionsOfStore();
    await using own = await emptyPlace();
    await start(own.place, versions.today);
    const client = await openMigrating(own.place);
    await client.insert({ table: 'migrations', values: [{ name: '002-ai-visits.sql' }], format: 'JSONEachRow' });
    await client.close();
    const shape = await shapeOf(own.place);
    expect(await outcome(openStore(own.place))).toBe(`bad_request: ${sentence(own.place)}`);
    expect(await shapeOf(own.place)).toEqual(shape);
  });
});
