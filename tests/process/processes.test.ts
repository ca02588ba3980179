/** @module-tag fault */
// The server as processes: several on shared stores, killed and stopped under load, and the message of one that cannot start.
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient } from '@clickhouse/client';
import { io as connect } from 'socket.io-client';
import { describe, expect, test } from 'vitest';
import { DIRECTORY_FILE } from '../../server/directory/open.ts';
import { openStore } from '../../server/store/open.ts';
import { PASSWORD } from '../setup/app.ts';
import { startClickHouse } from '../setup/stores/clickhouse.ts';
import { eventually } from '../setup/eventually.ts';
import { tempFolder } from '../setup/folder.ts';
import { startPostgres } from '../setup/stores/postgres.ts';
import { startRedis } from '../setup/stores/redis.ts';
import { failToStart, startServer } from '../setup/server.ts';
import { signIn } from '../setup/accounts/sign-in.ts';
import { showsSurvived } from '../setup/run/harness.ts';
import { sendPageview } from '../setup/processes/stream.ts';
import { makeSites } from '../setup/processes/sites.ts';

const DOMAIN = 'own.example';
const EMAIL = `owner@${DOMAIN}`;

const send = (url: string, id: string) => sendPageview(url, { domain: DOMAIN, id });

/** Sends from `senders` at once until told to stop. Returns what was accepted, and what was answered otherwise or not at all. */
function underLoad(urlOf: (serial: number) => string, senders: number) {
  const accepted = new Set<string>();
  const others: Record<string, number> = {};
  let serial = 0;
  let isOn = true;
  const run = async () => {
    while (isOn) {
      const number = (serial += 1);
      const status = await send(urlOf(number), `load-${number}`);
      if (status === 202) accepted.add(`/load-${number}`);
      else others[String(status)] = (others[String(status)] ?? 0) + 1;
      if (status === undefined) await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const running = Promise.all(Array.from({ length: senders }, run));
  const stop = async () => {
    isOn = false;
    await running;
  };
  return { accepted, others, stop };
}

describe('two processes on Redis, PostgreSQL and ClickHouse', () => {
  test('are one server: each shows what the other accepted, through faults, and when the writing one is killed', async () => {
    showsSurvived('writer dead, another one takes over');
    await using redis = await startRedis();
    await using postgres = await startPostgres();
    await using clickhouse = await startClickHouse();
    await using folders = await tempFolder();
    const [site] = await makeSites({ databaseUrl: postgres.url, path: join(folders.path, 'unused') }, [DOMAIN]);
    const env = { REDIS_URL: redis.url, DATABASE_URL: postgres.url, CLICKHOUSE_URL: clickhouse.url };
    const events = createClient({ url: clickhouse.url });
    const rows = async () => {
      const answer = await events.query({
        query: 'SELECT page, count() AS copies FROM events GROUP BY page',
        format: 'JSONEachRow',
      });
      return new Map(
        (await answer.json<{ page: string; copies: number }>()).map((row) => [row.page, Number(row.copies)]),
      );
    };
    const first = await startServer({ ...env, DATA_DIR: join(folders.path, 'first') });
    expect(await send(first.url, 'first-1')).toBe(202);
    await eventually(async () => expect([...(await rows())]).toEqual([['/first-1', 1]])); // the first one writes at this time
    await using second = await startServer({ ...env, DATA_DIR: join(folders.path, 'second'), WORKERS: '2' });

    // Signed in at the first, shown by the second.
    const cookie = await signIn(first.url, { email: EMAIL, password: PASSWORD });
    const browser = connect(second.url, { transports: ['websocket'], extraHeaders: { cookie, origin: second.url } });
    const pages = new Set<string>();
    const current: number[] = [];
    browser.on('live', (_number: number, current_visitors: number) => current.push(current_visitors));
    browser.on('list', (_number: number, _list: string, _rows: unknown, activity: [number, number, ...string[]][]) => {
      for (const [, , ...names] of activity) for (const name of names) pages.add(name);
    });
    const watches = await new Promise((resolve) =>
      browser.on('connect', () => browser.emit('watch', site.id, resolve)),
    );
    expect(watches).toBe(true);
    await eventually(async () => {
      expect(await send(first.url, 'seen-2')).toBe(202); // until the first one has heard that somebody is watching
      expect([pages.has('/seen-2'), current.at(-1)]).toEqual([true, 2]);
    });

    // Each event goes to both, one after the other, while ClickHouse refuses, or resets after storing.
    const urls = [first.url, second.url];
    await clickhouse.fail('refuse', 'reset', 'refuse', 'reset');
    const both = Array.from({ length: 300 }, (_, number) => `both-${number}`);
    const answers = await Promise.all(
      both.map(async (id, n) => [await send(urls[n % 2] ?? '', id), await send(urls[(n + 1) % 2] ?? '', id)]),
    );
    expect(new Set(answers.flat())).toEqual(new Set([202]));

    const load = underLoad((serial) => urls[serial % 2] ?? '', 8);
    await eventually(() => expect(load.accepted.size).toBeGreaterThan(200));
    clickhouse.pause(); // events are still accepted
    const taken = load.accepted.size;
    await eventually(() => expect(load.accepted.size).toBeGreaterThan(taken + 100));
    clickhouse.resume();
    await first.end('SIGKILL');
    const sinceKill = load.accepted.size;
    await eventually(() => expect(load.accepted.size).toBeGreaterThan(sinceKill + 100));
    await load.stop();
    expect(Object.keys(load.others)).toEqual(['undefined']); // the dead one does not answer, and the other only accepts

    const expected = new Map(
      [...both.map((id) => `/${id}`), '/first-1', '/seen-2', ...load.accepted].map((page) => [page, 1]),
    );
    await expect
      .poll(
        async () => {
          const stored = await rows();
          const lost = [...expected.keys()].filter((page) => !stored.has(page)).length;
          return { lost, doubled: [...stored.values()].filter((copies) => copies !== 1).length };
        },
        { interval: 200 },
      )
      .toEqual({ lost: 0, doubled: 0 });
    browser.disconnect();
    await events.close();
    expect((await second.end('SIGTERM')).code).toBe(0);
  });
});

describe('one process on a folder of its own', () => {
  test('is its only user, and writes everything that it accepted when it is stopped under load', async () => {
    showsSurvived('second process on the same data folder');
    showsSurvived('SIGTERM under load');
    await using folder = await tempFolder();
    const [site] = await makeSites({ path: join(folder.path, DIRECTORY_FILE) }, [DOMAIN]);
    const server = await startServer({ DATA_DIR: folder.path });
    const load = underLoad(() => server.url, 20);
    await eventually(() => expect(load.accepted.size).toBeGreaterThan(100));

    const second = await failToStart({ DATA_DIR: folder.path });
    expect(second.code).toBe(1);
    expect(second.said.trim().split('\n').length).toBe(1);
    expect(second.said).toMatch(/^Footfall did not start\. Another process uses the queue/);
    expect(second.said).not.toMatch(/\bat .*:\d+:\d+/);
    const before = load.accepted.size;
    await eventually(() => expect(load.accepted.size).toBeGreaterThan(before + 100)); // the first process continues

    const cookie = await signIn(server.url, { email: EMAIL, password: PASSWORD });
    const browser = connect(server.url, { transports: ['websocket'], reconnection: false, extraHeaders: { cookie } });
    await new Promise((resolve) => browser.on('connect', () => browser.emit('watch', site.id, resolve)));
    const ended = await server.end('SIGTERM');
    await load.stop();
    expect([ended.code, ended.signal]).toEqual([0, null]);
    // Later requests were refused by the system, or by a server that was stopping.
    expect(Object.keys(load.others).filter((status) => !['undefined', '503'].includes(status))).toEqual([]);

    const store = await openStore({ url: undefined, path: join(folder.path, 'events') });
    const rows = await store.query<{ page: string; copies: number }>(
      'SELECT page, count() AS copies FROM events GROUP BY page',
      {},
    );
    await store.close();
    const stored = new Map(rows.map((row) => [row.page, Number(row.copies)]));
    expect([...load.accepted].filter((page) => !stored.has(page))).toEqual([]);
    expect([...stored.values()].filter((copies) => copies !== 1)).toEqual([]);
  });
});

describe('a process that cannot start', () => {
  /** Reasons, and what the sentence about each must name. */
  const REASONS: Record<string, { env: Record<string, string>; says: RegExp }> = {
    'a Redis that is not there': {
      env: { REDIS_URL: 'redis://127.0.0.1:1' },
      says: /REDIS_URL: no Redis answers at 127\.0\.0\.1:1/,
    },
    'a PostgreSQL that is not there': {
      env: { DATABASE_URL: 'postgres://u:secret@127.0.0.1:1/x' },
      says: /directory|DATABASE_URL/,
    },
    'a ClickHouse that is not there': {
      env: { CLICKHOUSE_URL: 'http://u:secret@127.0.0.1:1/x' },
      says: /events|CLICKHOUSE_URL/,
    },
    'a role without shared stores': { env: { ROLE: 'web' }, says: /ROLE=web/ },
    'a port out of range': { env: { PORT: '70000' }, says: /PORT/ },
    'half a certificate': { env: { TLS_CERT: '/nowhere' }, says: /TLS_CERT and TLS_KEY/ },
    'a certificate that is not there': { env: { TLS_CERT: '/nowhere', TLS_KEY: '/nowhere' }, says: /\/nowhere/ },
    'a base address without TLS': { env: { BASE_URL: 'http://stats.example' }, says: /BASE_URL/ },
    'a proxy that is no range': { env: { TRUST_PROXY: '999.1.1.1/99' }, says: /TRUST_PROXY/ },
  };

  test('says so in one sentence, without a stack or a password, and exits with 1', async () => {
    await using folder = await tempFolder();
    const said = await Promise.all(
      Object.entries(REASONS).map(async ([reason, { env, says }], index) => {
        const ended = await failToStart({ ...env, DATA_DIR: join(folder.path, String(index)) });
        return { reason, ...ended, says: says.test(ended.said) };
      }),
    );
    for (const each of said) {
      expect(each).toMatchObject({ reason: each.reason, code: 1, says: true });
      expect(each.said).toMatch(/^Footfall did not start\. /);
      expect(each.said).not.toMatch(/\n +at |node:internal|secret/);
    }
  });

  test('because it may not write to its folder names the folder', async () => {
    showsSurvived('data folder read-only');
    await using folder = await tempFolder();
    await chmod(folder.path, 0o555);
    // Root may write anywhere, so the test needs another user.
    const options = process.getuid?.() === 0 ? { user: { uid: 65_534, gid: 65_534 } } : {};
    for (const DATA_DIR of [folder.path, join(folder.path, 'below')]) {
      const { code, said } = await failToStart({ DATA_DIR }, options);
      expect([code, said.trim().split('\n').length]).toEqual([1, 1]);
      expect(said).toMatch(/^Footfall did not start\. /);
      expect(said).toContain(folder.path);
      expect(said).toMatch(/DATA_DIR/);
    }
    await chmod(folder.path, 0o755);
  });
});
