// Kills (kill -9) one of three writers again and again, and measures how long events wait for others to take over its partitions: from the
// death until one event of each partition that was accepted after it is stored. In turns with the same without a death.
// node bench/takeover.ts [kills]. Needs redis-server and postgresql; several writers share the ClickHouse of the tests.
import { join } from 'node:path';
import { createClient } from '@clickhouse/client';
import { openLog } from '../server/process/log.ts';
import { openRedisQueue } from '../server/queue/redis/queue.ts';
import { openRedis } from '../server/process/redis/redis.ts';
import { startClickHouse } from '../tests/setup/stores/clickhouse.ts';
import { sampleEvent } from '../tests/setup/event.ts';
import { eventually } from '../tests/setup/eventually.ts';
import { tempFolder } from '../tests/setup/folder.ts';
import { startPostgres } from '../tests/setup/stores/postgres.ts';
import { sharesOf, sitesPerPartition } from '../tests/setup/stores/queue.ts';
import { startRedis } from '../tests/setup/stores/redis.ts';
import { type BenchServer, print, startServer } from './server.ts';

const [kills = 6] = process.argv.slice(2).map(Number);
const WRITERS = 3;
const SITES = sitesPerPartition(1);

await using disposed = new AsyncDisposableStack();
const folder = disposed.use(await tempFolder());
const shared = disposed.use(await startRedis());
const postgres = disposed.use(await startPostgres({ own: true }));
const clickhouse = disposed.use(await startClickHouse());
const stores = { REDIS_URL: shared.url, DATABASE_URL: postgres.url, CLICKHOUSE_URL: clickhouse.url, ROLE: 'writer' };
const writers: BenchServer[] = [];
disposed.defer(async () => void (await Promise.all(writers.map((writer) => writer.stop('SIGKILL')))));
let started = 0;
const start = async () =>
  writers.push(await startServer(join(folder.path, String((started += 1))), 'build/server/main.js', stores));
while (writers.length < WRITERS) await start();

const redis = await openRedis(shared.url);
const queue = await openRedisQueue({ redis, log: openLog('warn') });
const events = createClient({ url: clickhouse.url });
let appended = 0;

async function stored(): Promise<number> {
  const answer = await events.query({ query: 'SELECT count() AS rows FROM events', format: 'JSONEachRow' });
  const [row] = await answer.json<{ rows: number }>();
  return Number(row?.rows);
}

/** Milliseconds from the call of `die` until an event of each partition is stored. */
async function wait(die: () => Promise<void>): Promise<number> {
  await eventually(async () => {
    if ((await sharesOf(redis)).join() !== '4,6,6') throw new Error('the partitions are not shared yet');
  });
  const from = performance.now();
  await die();
  const entries = SITES.map((site_id) => sampleEvent((appended += 1), { site_id }));
  await queue.append(entries, Date.now());
  await eventually(async () => {
    if ((await stored()) !== appended) throw new Error('not stored yet');
  });
  return Math.round(performance.now() - from);
}

const [withDeath, without]: [number[], number[]] = [[], []];
for (let round = 0; round < kills; round += 1) {
  without.push(await wait(() => Promise.resolve()));
  withDeath.push(await wait(async () => writers.shift()?.stop('SIGKILL')));
  await start();
  print({ round, without_a_death_ms: without.at(-1), with_a_death_ms: withDeath.at(-1) });
}
print({ kills, without_a_death_ms: Math.max(...without), slowest_ms: Math.max(...withDeath), events: appended });
await queue.close();
await redis.close();
await events.close();
