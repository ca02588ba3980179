/** @module-tag fault */
// The contract of the forms of the event store: chDB in-process, ClickHouse over HTTP, and a cluster as far as setup/stores/clickhouse-cluster.ts goes.
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Unavailable } from '../../server/errors.ts';
import {
  AI_VISIT_COLUMNS,
  type AiVisit,
  BLANK_AI_VISIT,
  BLANK_EVENT,
  blankOf,
  type Column,
  type ColumnType,
  EVENT_COLUMNS,
  type EventId,
  type SiteId,
  VISIT_COLUMNS,
  type VisitedEvent,
} from '../../server/vocabulary/event.ts';
import { RowsRefused } from '../../server/store/errors.ts';
import { type EventStore, openStore } from '../../server/store/open.ts';
import { PURGED_TABLES, TABLES } from '../../server/store/rows.ts';
import { type ClickHouse, startClickHouse } from '../setup/stores/clickhouse.ts';
import { ONE_SHARD } from '../setup/stores/clickhouse-cluster.ts';
import { NOON } from '../setup/clock.ts';
import { makeAiVisit, makeEvent, visitedEvent } from '../setup/event.ts';
import { showsSurvived } from '../setup/run/harness.ts';
import { type TempFolder, tempFolder } from '../setup/folder.ts';

const NO_VISIT = blankOf(VISIT_COLUMNS);
const FILLED: Record<ColumnType, unknown> = {
  text: 'x',
  id: 'ffffffffffffffff',
  instant: NOON,
  day: '2026-11-04',
  number: 1,
  flag: true,
  amount: '1.5000',
  texts: { plan: 'pro' },
  bigint: 1n,
  measure: 1.5,
};
/** A value other than the blank one for each column. */
const filled = (columns: Record<string, Column>) =>
  Object.fromEntries(Object.entries(columns).map(([name, { type }]) => [name, FILLED[type]]));

const visited = (given: Parameters<typeof makeEvent>[0] = {}) => visitedEvent(makeEvent(given));

describe.each(['chDB', 'ClickHouse over HTTP', 'a ClickHouse cluster'])('the event store in %s', (form) => {
  let folder: TempFolder;
  let clickhouse: ClickHouse | undefined;
  let store: EventStore;

  beforeAll(async () => {
    folder = await tempFolder();
    const isCluster = form === 'a ClickHouse cluster';
    if (form !== 'chDB') clickhouse = await startClickHouse(isCluster ? 0 : undefined);
    const cluster = isCluster ? ONE_SHARD : undefined;
    const limits = { max_execution_time: 3600 }; // what ends earlier was ended by us
    store = await openStore({ url: clickhouse?.url, cluster, path: folder.path, limits });
  });
  afterAll(async () => {
    await store.close();
    await clickhouse?.[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  });

  const countOf = async (name: string) => {
    const [row] = await store.query<{ rows: number | string }>(
      'SELECT count() AS rows FROM events WHERE name = {name:String}',
      {
        name,
      },
    );
    return Number(row?.rows);
  };

  test('accepts the events of one token once, however often they come', async () => {
    const events = [visited({ name: 'once' }), visited({ name: 'once' })];
    await store.insert({ events, ai_visits: [] }, 'token-1');
    await store.insert({ events, ai_visits: [] }, 'token-1');
    expect(await countOf('once')).toBe(2);
    await store.insert({ events, ai_visits: [] }, 'token-2');
    expect(await countOf('once')).toBe(4);
  });

  test('runs statements that derive rows with their own values, also those given at the same moment', async () => {
    const goals = Array.from({ length: 20 }, (_, index) => `goal_${index}`);
    await Promise.all(
      goals.map((goal, conversions) =>
        store.derive({
          sql: `INSERT INTO day_goals (site_id, day, summing, goal, conversions)
            SELECT 'site_TURNSTURNSTURN', toDate('2026-11-01'), 'turns', {goal:String}, {conversions:UInt64}`,
          bound: { goal, conversions },
        }),
      ),
    );
    const rows = await store.query<{ goal: string; conversions: string }>(
      "SELECT goal, conversions FROM day_goals WHERE summing = 'turns'",
      {},
    );
    const found = new Map(rows.map(({ goal, conversions }) => [goal, Number(conversions)]));
    expect(found).toEqual(new Map(goals.map((goal, index) => [goal, index])));
  });

  test.each(Object.entries(TABLES))(
    'has the columns that the writer fills, and no other: %s',
    async (table, { columns }) => {
      const described = await store.query<{ name: string }>(`DESCRIBE TABLE ${table}`, {});
      expect(described.map(({ name }) => name).sort()).toEqual([...columns].sort());
    },
  );

  test.each(Object.entries(PURGED_TABLES))('keeps purged rows of %s with all of their columns', async (table, kept) => {
    const columnsOf = async (name: string) =>
      (await store.query<{ name: string; type: string }>(`DESCRIBE TABLE ${name}`, {})).map(
        (one) => `${one.name} ${one.type}`,
      );
    expect((await columnsOf(kept)).sort()).toEqual(
      [...(await columnsOf(table)), 'purge LowCardinality(String)'].sort(),
    );
  });

  test('returns every field unchanged, whatever it holds', async () => {
    const name = `it's "quoted" \\ back\nline\ttab {p:String} -- ' OR 1=1 \u202e 🦶`;
    const event = visited({
      name,
      page: '/caf\u00e9/\u4e2d',
      props: { "k'\\": "v'\\ \n", '=1+1': '@x' },
      amount: '12.3400',
      currency: 'EUR',
      confirmed: true,
    });
    await store.insert({ events: [{ ...event, event_id: 'ffffffffffffffff' as EventId }], ai_visits: [] }, 'token-3');
    const rows = await store.query(
      `SELECT name, page, props, toString(amount) AS amount, confirmed, toString(event_id) AS id, toUnixTimestamp64Milli(time) = {time:Int64} AS same_time
        FROM events WHERE name = {name:String} AND has({pages:Array(String)}, page)`,
      { name, time: event.time, pages: ["'", event.page] },
    );
    expect(rows).toEqual([
      {
        name,
        page: event.page,
        props: event.props,
        amount: '12.34',
        confirmed: 1,
        id: '18446744073709551615',
        same_time: 1,
      },
    ]);
  });

  test('stores the same for a column that is blank in all rows of an insert, which lacks it, as for one that is not', async () => {
    const site_id = 'site_BLANKBLANKBLANK' as SiteId;
    // All that the engine would fill in by itself would be wrong: the day, the confirmation by a server, and the order of the reports.
    const time = NOON;
    const blank = {
      event: { ...visitedEvent({ ...BLANK_EVENT, site_id, time, day: '2026-11-03', name: 'engagement' }), ...NO_VISIT },
      visit: { ...BLANK_AI_VISIT, site_id, time, day: '2026-11-03' },
    };
    const full = {
      event: { kind: 'event', ...filled({ ...EVENT_COLUMNS, ...VISIT_COLUMNS }), site_id, time } as VisitedEvent,
      visit: { kind: 'ai_visit', ...filled(AI_VISIT_COLUMNS), site_id, time } as AiVisit,
    };
    const columnsOf = (table: 'events' | 'ai_visits', rows: unknown[]) => TABLES[table].toCells(rows as never).columns;
    expect(columnsOf('events', [blank.event, full.event])).toEqual(TABLES.events.columns);
    expect(columnsOf('ai_visits', [blank.visit, full.visit])).toEqual(TABLES.ai_visits.columns);
    expect(columnsOf('events', [blank.event]).sort()).toEqual(
      ['site_id', 'time', 'day', 'name', 'device', 'confirmed', 'out_of_order'].sort(),
    );
    expect(columnsOf('ai_visits', [blank.visit]).sort()).toEqual(['site_id', 'time', 'day', 'ai_purpose'].sort());

    await store.insert({ events: [blank.event], ai_visits: [blank.visit] }, 'token-blank');
    await store.insert(
      { events: [blank.event, full.event], ai_visits: [blank.visit, full.visit] },
      'token-blank-and-full',
    );
    for (const [table, condition] of [
      ['events', "name = 'engagement'"],
      ['ai_visits', "ai_agent = ''"],
    ]) {
      const [alone, beside, ...others] = await store.query(
        `SELECT * FROM ${table} WHERE site_id = {site_id:String} AND ${condition}`,
        { site_id },
      );
      expect(alone).toMatchObject({ day: '2026-11-03' });
      expect(beside).toEqual(alone);
      expect(others).toEqual([]);
    }
    const [stored] = await store.query<object>(
      "SELECT confirmed, out_of_order, visitor_id FROM events WHERE site_id = {site_id:String} AND name = 'engagement' LIMIT 1",
      { site_id },
    );
    expect(Object.values(stored ?? {}).map(Number)).toEqual([0, 0, 0]);
  });

  test('keeps AI visits apart', async () => {
    const visit = makeAiVisit({ status: 404 });
    await store.insert({ events: [], ai_visits: [visit] }, 'token-4');
    const { site_id } = visit;
    expect(
      await store.query('SELECT ai_agent, status FROM ai_visits WHERE site_id = {site_id:String}', { site_id }),
    ).toEqual([{ ai_agent: 'GPTBot', status: 404 }]);
  });

  test('reads through a connection that cannot write, read files or reach other hosts', async () => {
    let asked = 0;
    const canary = createServer((_request, response) => {
      asked += 1;
      response.end('1');
    });
    await new Promise<void>((resolve) => canary.listen(0, '127.0.0.1', resolve));
    const port = (canary.address() as { port: number }).port;
    await writeFile(join(folder.path, 'canary.csv'), 'secret');
    for (const sql of [
      `SELECT * FROM file('${folder.path}/canary.csv', 'CSV', 'a String')`,
      `SELECT * FROM url('http://127.0.0.1:${port}/', 'CSV', 'a String')`,
      `INSERT INTO FUNCTION file('${folder.path}/out.csv', 'CSV', 'a String') VALUES ('x')`,
      `INSERT INTO events (site_id) VALUES ('x')`,
      'DROP TABLE events',
      'SET readonly = 0',
      'SET max_memory_usage = 0',
    ])
      await expect(store.query(sql, {}), sql).rejects.toThrow();
    canary.close();
    expect(asked).toBe(0);
    expect(await countOf('once')).toBe(4);
  });

  test('refuses rows that can never be stored, and says that they are the cause', async () => {
    const rows = { events: [visited({ amount: 'not a number' })], ai_visits: [] };
    await expect(store.insert(rows, 'token-5')).rejects.toThrow(RowsRefused);
  });

  test('returns no rows of a query that failed before', async () => {
    for (let round = 0; round < 20; round += 1) {
      await expect(store.query('SELECT number FROM numbers(300000)', {})).rejects.toThrow(Unavailable);
      const asked = Array.from({ length: 4 }, (_, index) =>
        store.query('SELECT {text:String} AS text', { text: `${round}.${index}` }),
      );
      expect(await Promise.all(asked)).toEqual([0, 1, 2, 3].map((index) => [{ text: `${round}.${index}` }]));
    }
  });

  test('ends the queries of a thousand requesters who leave, and no other', async () => {
    const leaving = new AbortController();
    const heavy = 'SELECT sum(cityHash64(number)) AS sum FROM numbers(1000000000000)'; // takes hours
    const stays = store.query('SELECT sum(cityHash64(number)) AS sum FROM numbers(100000000)', {}, { lane: 'stays' });
    const asked = Array.from({ length: 1000 }, (_, index) =>
      store.query(heavy, {}, { lane: `account ${index % 2}`, signal: leaving.signal }),
    );
    const running = async () => {
      const sql = `SELECT count() AS running FROM system.processes
        WHERE query LIKE '%numbers(1000000000000)%' AND query NOT LIKE '%system.processes%'`;
      const [row] = await store.query<{ running: number | string }>(sql, {}, { lane: 'watches' });
      return Number(row?.running);
    };
    await expect.poll(running).toBeGreaterThan(0);
    leaving.abort();
    const ended = await Promise.allSettled(asked);
    const { reason } = ended[0] as PromiseRejectedResult;
    expect(reason).toMatchObject({ code: 'service_unavailable', message: 'The requester has left.' });
    expect(new Set(ended.map(({ status }) => status))).toEqual(new Set(['rejected']));
    await expect.poll(running).toBe(0);
    expect(await stays).toHaveLength(1);
  });

  test('deletes all rows of a site, and none of another', async () => {
    const other = visited({ name: 'other', site_id: 'site_OTHEROTHEROTHERO' as SiteId });
    await store.insert({ events: [other], ai_visits: [] }, 'token-6');
    await store.deleteSite(other.site_id);
    expect(await countOf('other')).toBe(0);
    expect(await countOf('once')).toBe(4);
  });
});

describe('ClickHouse over HTTP, failing', () => {
  test('is Unavailable while it refuses or resets, and counts a batch once that was reset after it was stored', async () => {
    showsSurvived('external ClickHouse refuses, fails, hangs, or resets after the commit');
    await using clickhouse = await startClickHouse();
    const store = await openStore({ url: clickhouse.url, path: '' });
    const rows = { events: [visited({ name: 'again' })], ai_visits: [] };
    await clickhouse.fail('refuse');
    await expect(store.insert(rows, 'a')).rejects.toThrow(Unavailable);
    await clickhouse.fail('reset');
    await expect(store.insert(rows, 'a')).rejects.toThrow(Unavailable);
    await store.insert(rows, 'a');
    expect(await store.query('SELECT count() = 1 AS once FROM events', {})).toEqual([{ once: 1 }]);
    await store.close();
  });

  test.each([
    [
      'Code: 573. DB::ErrnoException: Cannot open epoll descriptor, errno: 24, strerror: Too many open files. (EPOLL_ERROR)',
      Unavailable,
    ],
    ['Code: 243. DB::Exception: Cannot reserve 1.00 MiB, not enough space. (NOT_ENOUGH_SPACE)', Unavailable],
    ['Code: 47. DB::Exception: Unknown identifier. (UNKNOWN_IDENTIFIER)', Error],
  ])('with "%s" throws Unavailable only if a retry may help', async (text, kind) => {
    let fails = false;
    const server = createServer((request, response) => {
      request.resume();
      request.on('end', () => response.writeHead(fails ? 500 : 200).end(fails ? text : ''));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const store = await openStore({ url: `http://127.0.0.1:${port}`, path: '' });
    fails = true;
    const error: unknown = await store.query('SELECT 1', {}).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(kind);
    expect(error instanceof Unavailable).toBe(kind === Unavailable);
    await store.close();
    server.close();
  });

  test('that cannot be reached is reported in one sentence', async () => {
    await expect(openStore({ url: 'http://127.0.0.1:9', path: '' })).rejects.toThrow(Unavailable);
  });
});
