// Measures what an event costs each process of an installation on servers, for bench/simulation.ts: the one for requests, Redis, the writer and
// ClickHouse (chDB behind HTTP). The cost of a batch follows from events that are stored as they arrive, which makes many small ones, and from a
// standing queue, which makes few large ones.
// node bench/service-times.ts [seconds of load]. Needs redis-server and postgresql.
import { join } from 'node:path';
import { createClient } from '@clickhouse/client';
import { createAccount } from '../server/accounts/accounts.ts';
import { openDirectory } from '../server/directory/open.ts';
import { createSite } from '../server/sites/sites.ts';
import { eventually } from '../tests/setup/eventually.ts';
import { tempFolder } from '../tests/setup/folder.ts';
import { startClickHouse } from '../tests/setup/stores/clickhouse.ts';
import { startPostgres } from '../tests/setup/stores/postgres.ts';
import { startRedis } from '../tests/setup/stores/redis.ts';
import { load } from './load.ts';
import { type BenchServer, OWNER, print, startServer, usageOf } from './server.ts';

const [seconds = 20] = process.argv.slice(2).map(Number);
/** Some for each of the 16 partitions. */
const SITES = 160;
/** Few enough for two cores that also run the load and all stores. */
const STEADY_PER_SECOND = 500;

await using disposed = new AsyncDisposableStack();
const folder = disposed.use(await tempFolder());
const redis = disposed.use(await startRedis());
const postgres = disposed.use(await startPostgres({ own: true }));
const clickhouse = disposed.use(await startClickHouse());
const stores = { REDIS_URL: redis.url, DATABASE_URL: postgres.url, CLICKHOUSE_URL: clickhouse.url };
const started: Partial<Record<'web' | 'writer', BenchServer>> = {};
const start = async (role: 'web' | 'writer') => {
  const server = await startServer(join(folder.path, role), 'build/server/main.js', { ...stores, ROLE: role });
  disposed.defer(() => server.stop('SIGKILL'));
  started[role] = server;
  return server;
};

const domains = await makeSites();
const events = createClient({ url: clickhouse.url });
const web = await start('web');
let accepted = 0;
const send = async (rate?: number) => {
  const sent = await load(web.url, { domain: domains, seconds, ...(rate !== undefined && { rate }) });
  accepted += sent.accepted;
};
await send(); // compiles what is run often

const accepting = await costs(send);
await start('writer');
const standing = await costs(stored);
const steady = await costs(async () => {
  await send(STEADY_PER_SECOND);
  await stored();
});

/** The cost of an event and of a batch, in µs of CPU, from two mixtures of them. */
function parts(name: 'writer' | 'clickhouse') {
  const [few, many] = [standing, steady];
  const batch =
    (many[name] / many.events - few[name] / few.events) / (many.batches / many.events - few.batches / few.events);
  return {
    batch_us: Math.round(batch),
    event_us: Number(((few[name] - batch * few.batches) / few.events).toFixed(1)),
  };
}
const each = (us: number, count: number) => Number((us / count).toFixed(1));
print({
  standing: { events: standing.events, batches: standing.batches },
  steady: { events: steady.events, batches: steady.batches },
});
print({
  web: { event_us: each(accepting.web, accepting.events) },
  redis: { event_us: each(accepting.redis + standing.redis, accepting.events) },
  writer: parts('writer'),
  clickhouse: parts('clickhouse'),
});

type Costs = Record<'web' | 'redis' | 'writer' | 'clickhouse' | 'events' | 'batches', number>;

/** CPU of each process during `work`, in µs, and what was accepted or stored meanwhile. */
async function costs(work: () => Promise<unknown>): Promise<Costs> {
  const before = await counted();
  await work();
  const after = await counted();
  return Object.fromEntries(
    Object.entries(after).map(([name, value]) => [name, value - before[name as keyof Costs]]),
  ) as Costs;
}

async function counted(): Promise<Costs> {
  const us = async (pid: number | undefined) => (pid === undefined ? 0 : (await usageOf(pid)).cpuSeconds * 1e6);
  const statements = await clickhouse.statements();
  return {
    web: await us(started.web?.pid),
    redis: await us(redis.pid()),
    writer: await us(started.writer?.pid),
    clickhouse: await us(clickhouse.pid()),
    events: started.writer ? await rows() : accepted,
    batches: statements.filter((sql) => sql.startsWith('INSERT INTO events ')).length,
  };
}

async function rows(): Promise<number> {
  return numberOf('SELECT count() AS number FROM events');
}

/** Resolves once all accepted events are stored, and ClickHouse has joined the parts of their inserts. */
function stored(): Promise<void> {
  return eventually(
    async () => {
      const [count, merges] = [await rows(), await numberOf('SELECT count() AS number FROM system.merges')];
      if (count < accepted || merges > 0) throw new Error(`${count} of ${accepted} events are stored.`);
    },
    { everyMs: 500 },
  );
}

async function numberOf(query: string): Promise<number> {
  const answer = await events.query({ query, format: 'JSONEachRow' });
  const [row] = await answer.json<{ number: number }>();
  return Number(row?.number);
}

async function makeSites(): Promise<string[]> {
  const directory = await openDirectory({ databaseUrl: postgres.url, path: '' });
  const now = Date.now();
  const { account } = await createAccount(directory, { ...OWNER, status: 'active' }, now);
  const named = Array.from({ length: SITES }, (_, number) => `site-${number}.example.com`);
  for (const domain of named) await createSite(directory, { accountId: account.id, domain }, now);
  await directory.close();
  return named;
}
