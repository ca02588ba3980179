/** @module-tag fault */
// A whole installation as processes: two that serve, three that write, Redis, PostgreSQL and ClickHouse. Each part is killed in turn under a
// steady stream of events, which senders repeat until they are accepted. No ClickHouse server is available where the tests run: all writers
// share the stand-in of setup/clickhouse-server.ts, chDB behind ClickHouse's protocol, which can be killed, too.
import { join } from 'node:path';
import { createClient } from '@clickhouse/client';
import { expect, test } from 'vitest';
import { createAccount } from '../server/accounts/accounts.ts';
import { openDirectory } from '../server/directory/open.ts';
import { openRedis } from '../server/redis/redis.ts';
import { createSite } from '../server/sites/sites.ts';
import { PASSWORD } from './setup/app.ts';
import { startClickHouse } from './setup/clickhouse.ts';
import { eventually } from './setup/eventually.ts';
import { tempFolder } from './setup/folder.ts';
import { showsSurvived } from './setup/harness.ts';
import { startPostgres } from './setup/postgres.ts';
import { sharesOf } from './setup/queue.ts';
import { startRedis } from './setup/redis.ts';
import { type ServerProcess, startServer } from './setup/server.ts';
import { openStream } from './setup/stream.ts';

/** Enough for most partitions to have some. */
const DOMAINS = Array.from({ length: 32 }, (_, number) => `s${number}.example`);
const [WEBS, WRITERS] = [2, 3];
/** A fault is over once this many events that were sent after it are accepted, and all before them. */
const AFTER = 150;

async function makeSites(databaseUrl: string): Promise<void> {
  const directory = await openDirectory({ databaseUrl, path: '' });
  const now = Date.now();
  const who = { email: 'owner@s0.example', password: PASSWORD, status: 'active' as const };
  const { account } = await createAccount(directory, who, now);
  for (const domain of DOMAINS) await createSite(directory, { accountId: account.id, domain }, now);
  await directory.close();
}

test('two that serve and three that write store each accepted event once, whatever is killed', async () => {
  showsSurvived('kill -9 of the server under load');
  showsSurvived('kill -9 of Redis');
  showsSurvived('writer dead, another one takes over');
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await tempFolder());
  const shared = stack.use(await startRedis());
  const postgres = stack.use(await startPostgres({ own: true }));
  const clickhouse = stack.use(await startClickHouse());
  await makeSites(postgres.url);

  const stores = { REDIS_URL: shared.url, DATABASE_URL: postgres.url, CLICKHOUSE_URL: clickhouse.url };
  let started = 0;
  const start = (ROLE: 'web' | 'writer') =>
    startServer({ ...stores, ROLE, DATA_DIR: join(folder.path, String((started += 1))) });
  // the first one runs the migrations, which the others would wait for
  const webs = [await start('web')];
  const others = Array.from({ length: WEBS + WRITERS - 1 }, (_, n) => start(n < WEBS - 1 ? 'web' : 'writer'));
  const processes = await Promise.all(others);
  webs.push(...processes.slice(0, WEBS - 1));
  const writers = processes.slice(WEBS - 1);
  stack.defer(async () => void (await Promise.all([...webs, ...writers].map((one) => one.end('SIGKILL')))));
  const redis = await openRedis(shared.url);
  stack.defer(redis.close);

  const stream = openStream({ domains: DOMAINS, urlOf: (tried) => webs[tried % WEBS]?.url ?? '', senders: 6 });
  const passed = (more = AFTER) => {
    const isPast = stream.passes(more);
    return eventually(() => expect(isPast()).toBe(true), { withinMs: 60_000 });
  };
  const areShared = (shares: number[]) => eventually(async () => expect(await sharesOf(redis)).toEqual(shares));
  const replace = async (list: ServerProcess[], role: 'web' | 'writer') => {
    await list.shift()?.end('SIGKILL');
    await passed();
    list.push(await start(role));
  };

  await areShared([4, 6, 6]);
  await passed();
  await replace(webs, 'web');
  await passed();

  await writers.shift()?.end('SIGKILL');
  await areShared([8, 8]);
  writers.push(await start('writer'));
  await areShared([4, 6, 6]);

  for (const part of [shared, postgres, clickhouse]) {
    await part.kill();
    if (part === clickhouse) await passed(); // events are still accepted: they wait in the queue
    await part.restart();
    await passed();
  }
  await stream.stop();

  const events = createClient({ url: clickhouse.url });
  stack.defer(() => events.close());
  const counts = async () => {
    const query = 'SELECT page, count() AS copies FROM events GROUP BY page';
    const rows = await (await events.query({ query, format: 'JSONEachRow' })).json<{ page: string; copies: number }>();
    const stored = new Map(rows.map(({ page, copies }) => [page, Number(copies)]));
    return {
      stored: stored.size,
      lost: [...stream.accepted].filter((page) => !stored.has(page)),
      doubled: [...stored].filter(([, copies]) => copies !== 1),
    };
  };
  const expected = { stored: stream.accepted.size, lost: [], doubled: [] };
  await eventually(async () => expect(await counts()).toEqual(expected), { withinMs: 60_000, everyMs: 200 });
  expect(stream.retries()).toBeGreaterThan(0);
  // nothing arrives late, either: the writers stop when they have stored everything
  for (const one of [...webs, ...writers]) expect(await one.end('SIGTERM')).toEqual({ code: 0, signal: null });
  expect(await counts()).toEqual(expected);
});
