// Measures how long an event waits behind the backlog of a hot site: in Redis, in the same partition of the queue and in another one, and in
// embedded stores.
// node bench/hot-site.ts [events in the backlog]
import type { SiteId } from '../server/vocabulary/event.ts';
import { openLog } from '../server/process/log.ts';
import { openLease } from '../server/queue/lease.ts';
import type { Queue } from '../server/queue/queue.ts';
import { openSqliteQueue } from '../server/queue/sqlite/queue.ts';
import { openVisits } from '../server/queue/writer/visits.ts';
import { openWriter } from '../server/queue/writer/writer.ts';
import type { EventStore } from '../server/store/open.ts';
import { sampleEvent } from '../tests/setup/event.ts';
import { NOON } from '../tests/setup/clock.ts';
import { tempFolder } from '../tests/setup/folder.ts';
import { sitesPerPartition } from '../tests/setup/stores/queue.ts';
import { startQueueWriter } from '../tests/setup/stores/queue-writer.ts';
import { startRedis } from '../tests/setup/stores/redis.ts';
import { testStore } from '../tests/setup/store.ts';
import { print } from './server.ts';

const [events = 200_000] = process.argv.slice(2).map(Number);
const GROUP = 1_000;
const [hot, neighbour, other] = sitesPerPartition(2) as [SiteId, SiteId, SiteId];

for (const measure of [inRedis, embedded]) {
  await using store = await testStore();
  const storedAt = new Map<string, number>();
  const insert: EventStore['insert'] = async (rows, token) => {
    await store.insert(rows, token);
    for (const { site_id } of rows.events) storedAt.set(site_id, performance.now());
  };
  await measure({ ...store, insert }, async (queue, drain) => {
    for (let from = 0; from < events; from += GROUP) {
      const group = Array.from({ length: GROUP }, (_, index) => sampleEvent(from + index, { site_id: hot }));
      await queue.append(group, NOON);
    }
    await queue.append([sampleEvent(events, { site_id: neighbour })], NOON);
    await queue.append([sampleEvent(events + 1, { site_id: other })], NOON);
    const startedAt = performance.now();
    await drain();
    const after = (site: SiteId) => Math.round((storedAt.get(site) ?? NaN) - startedAt);
    const all_ms = Math.round(performance.now() - startedAt);
    const isRedis = measure === inRedis;
    print({
      stores: isRedis ? 'redis' : 'embedded',
      backlog: events,
      ...(isRedis && { other_partition_ms: after(other) }),
      neighbour_ms: after(neighbour),
      all_ms,
    });
  });
}

type Work = (queue: Pick<Queue, 'append'>, drain: () => Promise<void>) => Promise<void>;

async function inRedis(store: EventStore, work: Work): Promise<void> {
  await using redis = await startRedis();
  const { queue, writer, die } = await startQueueWriter({ url: redis.url, store, prefix: 'hot' });
  await work(queue, writer.drain);
  await writer.stop();
  await die();
}

async function embedded(store: EventStore, work: Work): Promise<void> {
  await using folder = await tempFolder();
  const queue = await openSqliteQueue({ path: `${folder.path}/queue.db` });
  const options = { queue, store, visits: openVisits(store), now: () => NOON, log: openLog('silent') };
  const writer = openWriter({ ...options, lease: openLease(), onStored: () => undefined });
  await work(queue, writer.drain);
  await writer.stop();
  await queue.close();
}
