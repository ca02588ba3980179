/** @module-tag fault */
// A whole installation as processes: some that serve, some that write, Redis, PostgreSQL and ClickHouse. Each part is killed in turn under a
// steady stream of events, which senders repeat until they are accepted. No ClickHouse server is available where the tests run: all writers
// share the stand-in of setup/stores/clickhouse-server.ts, chDB behind ClickHouse's protocol, which can be killed, too.
import { join } from 'node:path';
import { createClient } from '@clickhouse/client';
import { expect, test } from 'vitest';
import { PARTITIONS } from '../../server/process/redis/partitions.ts';
import { openRedis } from '../../server/process/redis/redis.ts';
import { startClickHouse } from '../setup/stores/clickhouse.ts';
import { eventually } from '../setup/eventually.ts';
import { tempFolder } from '../setup/folder.ts';
import { formsOf, showsSurvived } from '../setup/run/harness.ts';
import { startPostgres } from '../setup/stores/postgres.ts';
import { sharesOf } from '../setup/stores/queue.ts';
import { startRedis } from '../setup/stores/redis.ts';
import { killReplicated, startRedisCluster } from '../setup/stores/redis-groups.ts';
import { type ServerProcess, startServer } from '../setup/server.ts';
import { openStream } from '../setup/processes/stream.ts';
import { makeSites } from '../setup/processes/sites.ts';

/** Enough for most partitions to have some. */
const DOMAINS: [string, ...string[]] = [
  's0.example',
  ...Array.from({ length: 31 }, (_, number) => `s${number + 1}.example`),
];
const WEBS = 2;
const WRITERS = 3;
/** A fault is over once this many events that were sent after it are accepted, and all before them. */
const AFTER = 150;

type Mortal = { kill(): Promise<void>; restart(): Promise<void> };
type Shared = AsyncDisposable &
  Mortal & { url: string; /** The replica of a master that lives on. Only Redis Cluster has one. */ spare?: Mortal };

/** Kills a master, whose replica takes its place, or the replica of another. */
async function startMortalCluster(): Promise<Shared> {
  const cluster = await startRedisCluster({ replicas: true });
  const [master, spare] = [cluster.masters[0], cluster.replicas[1]];
  if (!master || !spare) throw new Error('no master');
  return { ...cluster, kill: () => killReplicated(master), restart: () => master.restart(), spare };
}

type Form = {
  form: string;
  startShared: () => Promise<Shared>;
  /** Starts another process in place of each that was killed. Starts take most of the time, and do not depend on the form of Redis. */
  replaces: boolean;
};
const FORMS: Form[] = [
  { form: 'one Redis', startShared: startRedis, replaces: true },
  { form: 'Redis Cluster', startShared: startMortalCluster, replaces: false },
];
/** Far above what it takes: on two cores, five processes were not even started after 160 s at a load of 22. */
const WITHIN_MS = 600_000;

test.each(formsOf(FORMS))(
  'with $form, processes that serve and processes that write store each accepted event once, whatever is killed',
  async ({ startShared, replaces }) => {
    showsSurvived('kill -9 of the server under load');
    showsSurvived('kill -9 of Redis');
    showsSurvived('writer dead, another one takes over');
    await using stack = new AsyncDisposableStack();
    const folder = stack.use(await tempFolder());
    const shared = stack.use(await startShared());
    const postgres = stack.use(await startPostgres({ own: true }));
    const clickhouse = stack.use(await startClickHouse());
    await makeSites({ databaseUrl: postgres.url, path: '' }, DOMAINS);

    const stores = { REDIS_URL: shared.url, DATABASE_URL: postgres.url, CLICKHOUSE_URL: clickhouse.url };
    let started = 0;
    const start = (ROLE: 'web' | 'writer') =>
      startServer({ ...stores, ROLE, DATA_DIR: join(folder.path, String((started += 1))) });
    // One after the other: the first runs the migrations, and on a busy machine five that start at once block each other's event loops for seconds.
    const [webs, writers]: [ServerProcess[], ServerProcess[]] = [[], []];
    stack.defer(async () => void (await Promise.all([...webs, ...writers].map((one) => one.end('SIGKILL')))));
    while (webs.length < WEBS) webs.push(await start('web'));
    while (writers.length < WRITERS) writers.push(await start('writer'));
    const redis = await openRedis(shared.url);
    stack.defer(redis.close);

    const stream = openStream({ domains: DOMAINS, urlOf: (tried) => webs[tried % WEBS]?.url ?? '', senders: 6 });
    const passed = (more = AFTER) => {
      const isPast = stream.passes(more);
      return eventually(() => expect(isPast()).toBe(true));
    };
    /** Evenly: with three writers, 6, 6 and 4 partitions are, and so are 6, 5 and 5. */
    const areShared = (count: number) =>
      eventually(async () => {
        const shares = await sharesOf(redis);
        expect(shares.length).toBe(count);
        expect(shares.reduce((sum, share) => sum + share, 0)).toBe(PARTITIONS);
        expect(shares.at(-1)).toBe(Math.ceil(PARTITIONS / count));
      });

    await areShared(WRITERS);
    await passed();
    await webs.shift()?.end('SIGKILL');
    await passed();
    if (replaces) {
      webs.push(await start('web'));
      await passed();
    }

    await writers.shift()?.end('SIGKILL');
    await areShared(WRITERS - 1);
    if (replaces) {
      writers.push(await start('writer'));
      await areShared(WRITERS);
    }

    const { spare } = shared;
    for (const part of [shared, ...(spare ? [spare] : []), postgres, clickhouse]) {
      await part.kill();
      // Events are still accepted: without ClickHouse they wait in the queue, and the replica of a master takes its place.
      if (part === clickhouse || part === spare || (part === shared && spare)) await passed();
      await part.restart();
      await passed();
    }
    await stream.stop();

    const events = createClient({ url: clickhouse.url });
    stack.defer(() => events.close());
    const counts = async () => {
      const query = 'SELECT page, count() AS copies FROM events GROUP BY page';
      const rows = await (
        await events.query({ query, format: 'JSONEachRow' })
      ).json<{ page: string; copies: number }>();
      const stored = new Map(rows.map(({ page, copies }) => [page, Number(copies)]));
      return {
        stored: stored.size,
        lost: [...stream.accepted].filter((page) => !stored.has(page)),
        doubled: [...stored].filter(([, copies]) => copies !== 1),
      };
    };
    const expected = { stored: stream.accepted.size, lost: [], doubled: [] };
    await eventually(async () => expect(await counts()).toEqual(expected), { everyMs: 200 });
    expect(stream.retries()).toBeGreaterThan(0);
    // nothing arrives late, either: the writers stop when they have stored everything
    for (const one of [...webs, ...writers]) expect(await one.end('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(await counts()).toEqual(expected);
  },
  WITHIN_MS,
);
