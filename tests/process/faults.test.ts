/** @module-tag fault */
// Faults of single parts, one at a time, in this process: what was accepted is counted once, and what cannot be accepted is refused.
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { stringify } from 'devalue';
import { openApp } from '../../server/app.ts';
import { readConfig } from '../../server/config.ts';
import { askServer, openControl } from '../../server/operator/control-socket.ts';
import { Unavailable } from '../../server/errors.ts';
import type { Event, EventId, Recorded } from '../../server/vocabulary/event.ts';
import { type Log, openLog } from '../../server/process/log.ts';
import { openLease } from '../../server/queue/lease.ts';
import { openSqliteQueue } from '../../server/queue/sqlite/queue.ts';
import { openVisits } from '../../server/queue/writer/visits.ts';
import { openWriter } from '../../server/queue/writer/writer.ts';
import { openDirectory } from '../../server/directory/open.ts';
import { summaryQuestion } from '../../server/stats/query.ts';
import { type EventStore, openStore } from '../../server/store/open.ts';
import { DAY_MS, MINUTE_MS } from '../../server/vocabulary/time/time.ts';
import { testApp } from '../setup/app.ts';
import { NOON } from '../setup/clock.ts';
import { eventually } from '../setup/eventually.ts';
import { tempFolder } from '../setup/folder.ts';
import { startPostgres } from '../setup/stores/postgres.ts';
import { startRedis } from '../setup/stores/redis.ts';
import { hexId, makeAiVisit, sampleEvent } from '../setup/event.ts';
import { showsSurvived } from '../setup/run/harness.ts';

const log = openLog('silent');

/** A queue and a writer over a store, as in a process; opened again after each crash. */
async function openProcess(path: string, store: EventStore, now: () => number) {
  const queue = await openSqliteQueue({ path: join(path, 'queue.sqlite') });
  const parts = { queue, store, visits: openVisits(store), lease: openLease(), now, log, onStored: () => undefined };
  return { queue, writer: openWriter(parts) };
}

type Totals = { rows: number; ids: number; visits: number; bounces: number; visit_ms: number };

async function totalsOf(store: EventStore): Promise<Totals & { ai: number; aiIds: number }> {
  const [row] = await store.query<Totals>(
    `SELECT count() AS rows, uniqExact(event_id) AS ids, sum(visit_started) AS visits, sum(bounces) AS bounces,
      sum(visit_ms) AS visit_ms FROM events`,
    {},
  );
  const [ai] = await store.query<{ ai: number; aiIds: number }>(
    'SELECT count() AS ai, uniqExact(event_id) AS aiIds FROM ai_visits',
    {},
  );
  const numbers = Object.entries({ ...row, ...ai }).map(([name, value]) => [name, Number(value)]);
  return Object.fromEntries(numbers) as Totals & { ai: number; aiIds: number };
}

const agentVisit = (number: number) => makeAiVisit({ event_id: hexId(number) as EventId, time: NOON + number });

describe('a crash while a batch is written', () => {
  /** How much of an insert is done before the process dies. */
  const CRASHES: Record<
    string,
    (store: EventStore, rows: Parameters<EventStore['insert']>[0], token: string) => Promise<void>
  > = {
    'before anything': () => Promise.resolve(),
    'after the events, before the AI visits': (store, rows, token) => store.insert({ ...rows, ai_visits: [] }, token),
    'after all, before the answer': (store, rows, token) => store.insert(rows, token),
    'after the answer, before the acknowledgement': (store, rows, token) => store.insert(rows, token),
  };
  const POSITIONS = 20;
  const PEOPLE = 12;

  /** Visits that continue from one batch to the next, so a wrong visit would show in the sums. */
  const batch = (position: number): Recorded[] => [
    ...Array.from({ length: 30 }, (_, index): Event => {
      const number = position * 100 + index;
      const person = (index * 7 + position) % PEOPLE;
      const name = index % 5 === 4 ? 'signup' : 'pageview';
      const visitor_id = hexId(person + 9_000_000) as Event['visitor_id'];
      return sampleEvent(number, { time: NOON + position * 4 * MINUTE_MS + index * 1000, visitor_id, name });
    }),
    ...[90, 91].map((index) => agentVisit(position * 100 + index)),
  ];

  test('at 20 positions leaves every event counted once, in the right visit', async () => {
    showsSurvived('kill between reading a batch and inserting it');
    showsSurvived('kill between inserting a batch and acknowledging it');
    await using folder = await tempFolder();
    const store = await openStore({ url: undefined, path: join(folder.path, 'events') });
    let now = NOON;
    let crash: ((rows: Parameters<EventStore['insert']>[0], token: string) => Promise<void>) | undefined;
    const fragile: EventStore = {
      ...store,
      insert: async (rows, token) => {
        if (!crash) return store.insert(rows, token);
        await crash(rows, token);
        throw new Unavailable('events', new Error('the process died here'));
      },
    };
    let process = await openProcess(folder.path, fragile, () => now);
    const kinds = Object.entries(CRASHES);
    for (let position = 0; position < POSITIONS; position += 1) {
      now = NOON + position * 4 * MINUTE_MS + 60_000;
      const [kind = '', run] = kinds[position % kinds.length] ?? [];
      await process.queue.append(batch(position), now);
      let written = false;
      for (let times = position % 3 === 0 ? 2 : 1; times > 0; times -= 1) {
        if (kind.includes('acknowledgement')) {
          const { queue } = process;
          const acknowledge = queue.acknowledge.bind(queue);
          queue.acknowledge = () => Promise.reject(new Unavailable('queue', new Error('the process died here')));
          await expect(process.writer.writeOnce()).rejects.toThrow(Unavailable);
          queue.acknowledge = acknowledge;
        } else {
          crash = (rows, token) => run?.(store, rows, token) ?? Promise.resolve();
          // A batch that the store has completely is not written again, so no crash can happen in it.
          if (written) expect(await process.writer.writeOnce()).toBe(32);
          else await expect(process.writer.writeOnce()).rejects.toThrow(Unavailable);
          written = kind.startsWith('after all');
          crash = undefined;
        }
        // Dead: only its files are left. The next process accepts the events that come after.
        await process.queue.close();
        process = await openProcess(folder.path, fragile, () => now);
      }
      if (position % 2 === 1) await process.writer.drain(); // after even positions the batch stays in the queue, and meets the next one
    }
    await process.writer.drain();
    expect(await process.queue.status()).toMatchObject({ waiting: 0, buried: 0 });

    const all = Array.from({ length: POSITIONS }, (_, position) => batch(position)).flat();
    const unbroken = openVisits({ query: () => Promise.resolve([]), idsAQuery: 1 });
    const rows = all.flatMap((entry) => (entry.kind === 'event' ? (unbroken.assign(entry, entry.time) ?? []) : []));
    const sum = (pick: (row: (typeof rows)[number]) => number) => rows.reduce((total, row) => total + pick(row), 0);
    expect(await totalsOf(store)).toEqual({
      rows: POSITIONS * 30,
      ids: POSITIONS * 30,
      ai: POSITIONS * 2,
      aiIds: POSITIONS * 2,
      visits: sum((row) => row.visit_started),
      bounces: sum((row) => row.bounces),
      visit_ms: sum((row) => row.visit_ms),
    });
    await process.queue.close();
    await store.close();
  });
});

/** Leaves the store as a kill does in the moment after it recorded an insert's token: the token is there, the rows are not. */
async function forgetRows(store: EventStore, table: string): Promise<() => Promise<void>> {
  const parts = await store.query<{ path: string }>(
    'SELECT path FROM system.parts WHERE active AND table = {table:String}',
    { table },
  );
  expect(parts.length).toBeGreaterThan(0);
  return async () => {
    for (const { path } of parts) await rm(path, { recursive: true });
  };
}

test.each([{ tables: ['events'] }, { tables: ['ai_visits'] }, { tables: ['events', 'ai_visits'] }])(
  'a store that recorded a batch and was killed before its rows of $tables appeared has them in the end, once',
  async ({ tables }) => {
    await using folder = await tempFolder();
    const path = join(folder.path, 'events');
    let store = await openStore({ url: undefined, path });
    let process = await openProcess(folder.path, store, () => NOON);
    const visit = { visitor_id: hexId(9_000_000) as Event['visitor_id'] };
    const batch = (from: number): Recorded[] => [
      ...[1, 2, 3].map((n) => sampleEvent(from + n, { time: NOON + from + n, name: 'pageview', ...visit })),
      agentVisit(from + 4),
    ];
    await process.queue.append(batch(0), NOON);
    process.queue.acknowledge = () => Promise.reject(new Unavailable('queue', new Error('the process died here')));
    await expect(process.writer.writeOnce()).rejects.toThrow(Unavailable);
    await process.queue.close();
    const forget = await Promise.all(tables.map((table) => forgetRows(store, table)));
    await store.close();
    for (const done of forget) await done();

    store = await openStore({ url: undefined, path });
    process = await openProcess(folder.path, store, () => NOON);
    await process.queue.append(batch(10), NOON);
    await process.writer.drain();
    expect(await process.queue.status()).toMatchObject({ waiting: 0, buried: 0 });
    expect(await totalsOf(store)).toEqual({ rows: 6, ids: 6, ai: 2, aiIds: 2, visits: 1, bounces: 0, visit_ms: 12 });
    await process.queue.close();
    await store.close();
  },
);

describe('an event that the store will never accept', () => {
  test('is set aside with its reason while 999 others are stored, and can be retried', async () => {
    showsSurvived('one poisoned row among a thousand');
    await using folder = await tempFolder();
    const store = await openStore({ url: undefined, path: join(folder.path, 'events') });
    let isMended = false;
    const mended: EventStore = {
      ...store,
      insert: (rows, token) =>
        store.insert(isMended ? { ...rows, events: rows.events.map((row) => ({ ...row, amount: '1' })) } : rows, token),
    };
    const { queue, writer } = await openProcess(folder.path, mended, () => NOON);
    const poison = sampleEvent(500, { amount: '99999999999999999', currency: 'EUR' }); // past Decimal(18, 4)
    await queue.append(
      Array.from({ length: 1000 }, (_, n) => (n === 500 ? poison : sampleEvent(n))),
      NOON,
    );
    await writer.drain();
    expect(await totalsOf(store)).toMatchObject({ rows: 999, ids: 999 });
    expect(await queue.status()).toMatchObject({ waiting: 0, buried: 1 });
    // An unchanged event is set aside again, and no other event is touched.
    expect(await queue.replay(NOON)).toBe(1);
    await writer.drain();
    expect(await totalsOf(store)).toMatchObject({ rows: 999, ids: 999 });
    expect(await queue.status()).toMatchObject({ waiting: 0, buried: 1 });
    isMended = true;
    expect(await queue.replay(NOON)).toBe(1);
    await writer.drain();
    expect(await totalsOf(store)).toMatchObject({ rows: 1000, ids: 1000 });
    expect(await queue.status()).toMatchObject({ waiting: 0, buried: 0 });
    await queue.close();
    await store.close();
  });
});

describe('a row that one table refuses', () => {
  test('leaves what other tables have taken of its batch stored once', async () => {
    showsSurvived('one poisoned row among a thousand');
    await using folder = await tempFolder();
    const store = await openStore({ url: undefined, path: join(folder.path, 'events') });
    const { queue, writer } = await openProcess(folder.path, store, () => NOON);
    const poison = makeAiVisit({ event_id: hexId(10) as EventId, time: NOON, status: -1 }); // the column is unsigned
    await queue.append([sampleEvent(1), sampleEvent(2), sampleEvent(3), agentVisit(9), poison], NOON);
    await writer.drain();
    expect(await totalsOf(store)).toMatchObject({ rows: 3, ids: 3, ai: 1, aiIds: 1 });
    expect(await queue.status()).toMatchObject({ waiting: 0, buried: 1 });
    await queue.close();
    await store.close();
  });
});

test('the running server retries set-aside events when the operator asks', async () => {
  await using server = await testApp({ env: { LOG_LEVEL: 'silent' } });
  const site = await server.addSite('own.example');
  const event = sampleEvent(1, { site_id: site.id, time: server.clock.now });
  const control = await openControl({ app: server.app, dataDir: server.folder, log });
  const status = () => askServer(server.folder, 'status', {}, () => undefined);
  expect(await status()).toEqual({ result: { waiting: 0, oldest_at: null, buried: 0 } });
  await server.app.queue.bury([event], 'The store refuses it.', server.clock.now);
  await server.app.queue.append(
    [sampleEvent(2, { site_id: site.id, time: server.clock.now - 1000 })],
    server.clock.now,
  );
  expect(await status()).toEqual({ result: { waiting: 1, oldest_at: '2026-11-20T11:59:59.000Z', buried: 1 } });
  expect(await askServer(server.folder, 'replay', {}, () => undefined)).toEqual({ result: { replayed: 1 } });
  expect(await askServer(server.folder, 'replay', {}, () => undefined)).toEqual({ result: { replayed: 0 } });
  await control.close();
  await server.settle();
  expect(await totalsOf(server.app.store)).toMatchObject({ rows: 2, ids: 2 });
});

test('the log reports set-aside events once whenever there are more of them', async () => {
  await using folder = await tempFolder();
  const said: unknown[] = [];
  const quiet = () => undefined;
  const noting = { error: quiet, info: quiet, debug: quiet, warn: (what: unknown) => void said.push(what) } as Log;
  const config = readConfig({ DATA_DIR: folder.path, NODE_ENV: 'test' });
  const app = await openApp({ config, now: () => NOON, log: noting });
  const report = () => app.runJob('report-buried');
  await report();
  expect(said).toEqual([]);
  await app.queue.bury([sampleEvent(1), sampleEvent(2)], 'The store refuses it.', NOON);
  await report();
  await report();
  expect(said).toEqual([{ buried: 2 }]);
  await app.queue.bury([sampleEvent(3)], 'The store refuses it.', NOON);
  await report();
  await app.queue.replay(NOON);
  await report();
  expect(said).toEqual([{ buried: 2 }, { buried: 3 }]);
  await app.close();
});

describe('runaway queries', () => {
  test('are stopped and free their readers, also when the callers have left', async () => {
    showsSurvived('runaway query');
    await using folder = await tempFolder();
    const store = await openStore({
      url: undefined,
      path: folder.path,
      limits: { max_execution_time: 1, max_memory_usage: 200_000_000 },
    });
    const endless = 'SELECT count() FROM numbers(1000000000000) WHERE sipHash64(number) = 1';
    const asked = Array.from({ length: 8 }, () =>
      store.query(endless, {}).then(
        () => 'answered',
        (error: unknown) => error,
      ),
    );
    const answers = await Promise.all(asked);
    for (const answer of answers) expect(answer).toBeInstanceOf(Unavailable);
    expect(await store.query('SELECT 1 AS one', {})).toEqual([{ one: 1 }]);
    const memory = "SELECT length(groupArray(repeat('x', 1000000))) FROM numbers(100000)";
    const wide = 'SELECT number FROM numbers(300000)';
    for (const sql of [memory, wide]) await expect(store.query(sql, {})).rejects.toThrow(Unavailable);
    expect(await store.query('SELECT 1 AS one', {})).toEqual([{ one: 1 }]);
    await store.close();
  });
});

describe('Redis or PostgreSQL away', () => {
  test('answers 503 with Retry-After, never 202, and recovers on its own', async () => {
    await using redis = await startRedis();
    await using postgres = await startPostgres({ own: true });
    const env = { REDIS_URL: redis.url, DATABASE_URL: postgres.url, LOG_LEVEL: 'silent' };
    await using server = await testApp({ env, start: true });
    const site = await server.addSite('own.example');
    const cookie = await server.logIn('owner@own.example');
    const send = (id: string) =>
      server.foot(
        { site: site.domain, name: 'pageview', url: `https://${site.domain}/${id}`, id },
        { 'x-forwarded-for': '9.9.9.9' },
      );
    const ids = (from: number) => Array.from({ length: 20 }, (_, n) => `id-${from + n}`);
    const statuses = async (list: string[]) => {
      const answers = await Promise.all(list.map(send));
      const kinds = new Set(answers.map((answer) => `${answer.status} ${answer.headers.get('retry-after')}`));
      return [...kinds];
    };
    const input = encodeURIComponent(JSON.stringify(stringify({ site_id: site.id, period: 'today' })));
    const ask = async (path: string) => {
      const answer = await fetch(`${server.url}${path}`, { headers: { cookie } });
      return { status: answer.status, retry: answer.headers.get('retry-after'), text: await answer.text() };
    };
    const isBack = async (list: string[]) => {
      await eventually(async () => expect(await statuses(list)).toEqual(['202 null']));
    };
    expect(await statuses(ids(0))).toEqual(['202 null']);

    redis.pause(); // as a hanging host: the port accepts, nothing answers
    expect(await statuses(ids(100))).toEqual(['503 5']);
    expect(await statuses(ids(200))).toEqual(['503 5']);
    expect((await ask('/healthz')).status).toBe(200);
    expect(await ask('/readyz')).toMatchObject({ status: 503 });
    expect(await ask(`/trpc/stats.summary?input=${input}`)).toMatchObject({ status: 200 }); // stored data can be read
    redis.resume();
    await isBack(ids(100)); // what was refused is sent again, and counts once
    await isBack(ids(200));

    await redis.kill();
    expect(await statuses(ids(300))).toEqual(['503 5']);
    await redis.restart();
    await isBack(ids(300));

    await postgres.kill();
    server.clock.now += 2000; // the cached site is no longer trusted
    expect(await statuses(ids(400))).toEqual(['503 5']);
    for (const path of [
      `/trpc/stats.summary?input=${input}`,
      '/trpc/session.current',
      '/auth/get-session',
      '/v1/sites',
      `/export/${site.id}.csv?date_from=2026-11-20&date_to=2026-11-20`,
    ]) {
      const { status, retry, text } = await ask(path);
      expect([path, path === '/v1/sites' ? 401 : status, text.includes('postgres')]).toEqual([
        path,
        path === '/v1/sites' ? 401 : 503,
        false,
      ]);
      if (path !== '/v1/sites') expect([path, retry]).toEqual([path, '5']);
    }
    expect((await ask('/readyz')).text).toContain('"directory":"unreachable"');
    await postgres.restart();
    server.clock.now += 2000;
    await isBack(ids(400));
    expect(await ask(`/trpc/stats.summary?input=${input}`)).toMatchObject({ status: 200 });

    // All events, once each: 5 times 20, whatever happened meanwhile.
    await expect
      .poll(
        async () => {
          const rows = await server.app.store.query<{ page: string; copies: number }>(
            'SELECT page, count() AS copies FROM events GROUP BY page',
            {},
          );
          return [rows.length, rows.filter((row) => Number(row.copies) !== 1)];
        },
        { interval: 50 },
      )
      .toEqual([100, []]);
  });
});

test('a PostgreSQL that ends in the middle of a transaction ends the transaction, not the process', async () => {
  await using postgres = await startPostgres({ own: true });
  const directory = await openDirectory({ databaseUrl: postgres.url, path: '' });
  const ask = (db: typeof directory.db) => db.selectFrom('sites').select('id').execute();
  const broken = directory.db.transaction().execute(async (db) => {
    await ask(db);
    await postgres.kill(); // no query is running now, so the end of the connection rejects none
    await new Promise((resolve) => setTimeout(resolve, 50));
    await ask(db);
  });
  await expect(broken).rejects.toThrow(Unavailable);
  await postgres.restart();
  await eventually(async () => expect(await ask(directory.db)).toEqual([]));
  await directory.close();
});

describe('a clock that jumps', () => {
  test('a day and an hour ahead and back, and over midnight under load, keeps days and visitors apart', async () => {
    showsSurvived('clock a day ahead, a day back, and midnight under load');
    const midnight = Date.UTC(2026, 10, 21);
    await using server = await testApp({ now: midnight - 2000, env: { LOG_LEVEL: 'silent', TRUST_PROXY: 'loopback' } });
    const site = await server.addSite('own.example');
    let serial = 0;
    const visit = async (people: number) => {
      const answers = await Promise.all(
        Array.from({ length: people }, (_, person) =>
          server.foot(
            { site: site.domain, name: 'pageview', url: `https://${site.domain}/${(serial += 1)}` },
            { 'x-forwarded-for': `9.9.9.${person}` },
          ),
        ),
      );
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
    };
    const day = async (date: string) => {
      await server.settle();
      const asked = { site_id: site.id, period: 'custom', date_from: date, date_to: date };
      const { metrics } = await server.app.services.stats.summary(summaryQuestion.parse(asked), site, server.clock.now);
      return Object.fromEntries(metrics.map(({ name, value }) => [name, value]));
    };
    // Twenty requests at each tenth of a second around midnight: each belongs to exactly one day.
    for (let step = 0; step < 40; step += 1) {
      const load = visit(20);
      server.clock.now += 100;
      await load;
    }
    server.clock.now = midnight + 3_600_000;
    const days = [await day('2026-11-20'), await day('2026-11-21')];
    expect(days.map((each) => each['unique_visitors'])).toEqual([20, 20]);
    expect(days.map((each) => each['visits'])).toEqual([20, 20]);
    expect(days.reduce((sum, each) => sum + (each['pageviews'] ?? 0), 0)).toBe(800);

    server.clock.now += DAY_MS + 3_600_000;
    await visit(20);
    expect(await day('2026-11-22')).toMatchObject({ unique_visitors: 20, visits: 20, pageviews: 20 });
    server.clock.now -= DAY_MS + 3_600_000;
    await visit(20); // the same people on the same day as before: the day's secret is the same
    expect(await day('2026-11-21')).toMatchObject({ unique_visitors: 20 });
    server.clock.now -= DAY_MS + 3_600_000;
    await visit(20);
    expect(await day('2026-11-20')).toMatchObject({ unique_visitors: 20 });
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  });
});

describe('a location database that is damaged', () => {
  test('or missing leaves places empty, is reported, and does not affect counting', async () => {
    showsSurvived('geo database missing or damaged');
    await using folder = await tempFolder();
    const damaged = join(folder.path, 'damaged.mmdb');
    await writeFile(damaged, Buffer.alloc(100_000, 7));
    for (const GEOIP_DB of [damaged, join(folder.path, 'missing.mmdb'), folder.path]) {
      await using server = await testApp({ env: { GEOIP_DB, LOG_LEVEL: 'silent', TRUST_PROXY: 'loopback' } });
      const site = await server.addSite('own.example');
      const answer = await server.foot(
        { site: site.domain, name: 'pageview', url: `https://${site.domain}/` },
        { 'x-forwarded-for': '8.8.8.8' },
      );
      expect(answer.status).toBe(202);
      await server.settle();
      expect(await server.app.store.query('SELECT page, country, city FROM events', {})).toEqual([
        { page: '/', country: '', city: '' },
      ]);
    }
  });
});
