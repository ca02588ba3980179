// Measures how long an event waits behind the backlog of a hot site, in the same partition of the queue in Redis and in another one.
// node bench/hot-site.ts [events in the backlog]
import { partitionOf } from '../server/partitions.ts';
import { sampleEvent } from '../tests/setup/event.ts';
import { NOON } from '../tests/setup/clock.ts';
import { sitesPerPartition } from '../tests/setup/queue.ts';
import { startQueueWriter } from '../tests/setup/queue-writer.ts';
import { startRedis } from '../tests/setup/redis.ts';
import { testStore } from '../tests/setup/store.ts';
import type { EventStore } from '../server/store/open.ts';
import { print } from './server.ts';

const [events = 200_000] = process.argv.slice(2).map(Number);
const GROUP = 1_000;
const [hot, neighbour, other] = sitesPerPartition(2);
if (!hot || !neighbour || !other) throw new Error('no sites');

await using redis = await startRedis();
await using store = await testStore();
const storedAt = new Map<string, number>();
const insert: EventStore['insert'] = async (rows, token) => {
  await store.insert(rows, token);
  for (const { site_id } of rows.events) storedAt.set(site_id, performance.now());
};
const writing = await startQueueWriter({ url: redis.url, store: { ...store, insert }, prefix: 'hot' });
for (let from = 0; from < events; from += GROUP) {
  const group = Array.from({ length: GROUP }, (_, index) => sampleEvent(from + index, { site_id: hot }));
  await writing.queue.append(group, NOON);
}
await writing.queue.append([sampleEvent(events, { site_id: neighbour })], NOON);
await writing.queue.append([sampleEvent(events + 1, { site_id: other })], NOON);
const startedAt = performance.now();
await writing.writer.drain();
const drainedMs = Math.round(performance.now() - startedAt);
const after = (site: string) => Math.round((storedAt.get(site) ?? NaN) - startedAt);
print({
  backlog: events,
  partitions: [hot, neighbour, other].map((site) => partitionOf(site)).join(' '),
  same_partition_ms: after(neighbour),
  other_partition_ms: after(other),
  all_ms: drainedMs,
});
await writing.writer.stop();
await writing.die();
