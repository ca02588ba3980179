// A process that writes, for a test: its queue in Redis, its leases, and the writers of all partitions.
import { openLog } from '../../../server/process/log.ts';
import { openRedisPartitions } from '../../../server/queue/redis/leases.ts';
import { openRoom } from '../../../server/queue/writer/room.ts';
import { openVisits } from '../../../server/queue/writer/visits.ts';
import { openWriter } from '../../../server/queue/writer/writer.ts';
import { openWriters } from '../../../server/queue/writer/writers.ts';
import { openRedis, type Redis } from '../../../server/process/redis/redis.ts';
import type { EventStore } from '../../../server/store/open.ts';
import { NOON } from '../clock.ts';

const log = openLog('silent');
const now = () => NOON;

export type WriterPlace = { url: string; store: EventStore; prefix: string; wrap?: (own: Redis) => Redis };

export async function startQueueWriter({ url, store, prefix, wrap = (own) => own }: WriterPlace) {
  const own = await openRedis(url);
  const opened = await openRedisPartitions({ redis: wrap(own), log, now, prefix });
  const visits = openVisits(store);
  const room = openRoom(4);
  const writers = opened.partitions.map(({ partition, lease }, index) =>
    openWriter({
      store,
      lease,
      room,
      now,
      log,
      onStored: () => undefined,
      queue: { ...partition, bury: opened.queue.bury },
      visits: { ...visits, restore: (at) => visits.restore(at, index) },
    }),
  );
  /** How many partitions it holds now. */
  const held = async () => {
    const each = await Promise.all(opened.partitions.map(({ lease }) => lease.hold()));
    return each.filter(Boolean).length;
  };
  return {
    ...opened,
    held,
    writer: openWriters(writers, opened.leave) /** It announces itself no more, and nobody renews its leases. */,
    die: () => own.close(),
  };
}
