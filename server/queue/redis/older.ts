// Entries that an earlier version left in streams of another layout (layouts.ts). They are moved into today's partitions, in order, and are
// marked as possibly stored: the earlier writer may have been stopped between storing a batch and acknowledging it.
import { createGroup } from '../../process/batching.ts';
import type { EventId, Recorded } from '../../vocabulary/event.ts';
import type { Log } from '../../process/log.ts';
import { partitionOf } from '../../process/redis/partitions.ts';
import { luaScript, type Redis } from '../../process/redis/redis.ts';
import { openRedisLease } from '../lease.ts';
import { type Names, namesOf } from './layouts.ts';
import { type Batch, type Buried, SEEN_MS } from '../queue.ts';
import { openBuried } from './buried.ts';
import { openPartition } from './partition.ts';

/** Entries moved at once. */
const STEP = 500;
/** While processes of an earlier version are still running, their entries are looked for this often. */
const AGAIN_MS = 1000;

export type Older = {
  /** The ids that an earlier version has accepted within the last 24 hours. */
  seen(recorded: Recorded[], now: number): Promise<Set<EventId>>;
  /** The names of what an earlier version has left and what is not over yet. */
  names(): Names[];
  close(): void;
};

type Options = {
  redis: Redis;
  log: Log;
  prefix: string;
  /** Numbers of partitions that were in use before. */
  layouts: readonly number[];
  adopt(batch: Batch): Promise<void>;
  bury(buried: Buried[]): Promise<void>;
};

/** Moves what waits in older layouts, unless their writer is still at work: then it is moved once that has ended. */
export async function openOlder(options: Options): Promise<Older> {
  const { redis, log, prefix, layouts } = options;
  let found: Found[] = (
    await Promise.all(
      layouts.map(async (layout) => {
        const names = namesOf(prefix, layout);
        const exist = await Promise.all(names.map((one) => exists(redis, one)));
        return exist.includes(true) ? [{ layout, names }] : [];
      }),
    )
  ).flat();

  const moveAll = async () => {
    for (const one of [...found]) {
      for (const names of one.names) await move(options, names);
      const areOver = await Promise.all(one.names.map((names) => isOver(redis, names)));
      if (areOver.includes(false)) continue;
      for (const { stream } of one.names) await redis.run('queue', DELETE_EMPTY, [stream]);
      found = found.filter((other) => other !== one);
    }
  };
  await moveAll();

  let moving: Promise<void> | undefined;
  const timer = setInterval(() => {
    if (found.length === 0) return clearInterval(timer);
    moving ??= moveAll()
      .catch((error: unknown) => log.warn({ error }, 'the entries of an earlier version could not be moved yet'))
      .finally(() => (moving = undefined));
  }, AGAIN_MS);
  timer.unref();

  /** Ids that arrive together are looked up in one call for each layout and partition. */
  const lookups = createGroup<Asked, Set<EventId>>(
    async (asked) => {
      const known = await Promise.all(
        found.flatMap((one) =>
          seenIn(
            redis,
            one,
            asked.flatMap(({ ids }) => ids),
          ),
        ),
      );
      const until = new Map<EventId, number>();
      for (const [id, time] of known.flat()) until.set(id, Math.max(time, until.get(id) ?? 0));
      return asked.map(({ ids, now }) => {
        const seen = ids.filter(({ event_id }) => (until.get(event_id) ?? 0) > now);
        return new Set(seen.map(({ event_id }) => event_id));
      });
    },
    { maxSize: STEP, sizeOf: ({ ids }) => ids.length },
  );

  return {
    seen: async (recorded, now) => (found.length === 0 ? NONE : lookups.add({ ids: recorded, now })),
    names: () => found.flatMap(({ names }) => names),
    close: () => clearInterval(timer),
  };
}

const NONE = new Set<EventId>();

type Asked = { ids: Pick<Recorded, 'event_id' | 'site_id'>[]; now: number };
type Found = { layout: number; names: Names[] };

/** Until when ids count as seen in a layout; one call for each of its partitions, whose keys Redis Cluster keeps together. */
function seenIn(redis: Redis, { layout, names }: Found, ids: Asked['ids']): Promise<[EventId, number][]>[] {
  const inParts = Map.groupBy(ids, ({ site_id }) => names[partitionOf(site_id, layout)]?.seen ?? '');
  return [...inParts].map(async ([start, some]) => {
    const keys = some.map(({ event_id }) => start + event_id);
    const untils = (await redis.send('queue', ['MGET', ...keys])) as (string | null)[];
    return some.map(({ event_id }, index): [EventId, number] => [event_id, Number(untils[index] ?? 0)]);
  });
}

/** A process of the earlier version may have appended a moment ago. */
const DELETE_EMPTY = luaScript(1, `if redis.call('XLEN', KEYS[1]) == 0 then return redis.call('DEL', KEYS[1]) end`);

async function move({ redis, log, adopt, bury }: Options, names: Names): Promise<void> {
  if (!(await exists(redis, names))) return; // another process has found it empty, and deleted it
  const lease = openRedisLease(redis, { key: names.lease });
  const from = openPartition({ redis, log, names, leaseToken: lease.fence.token });
  if (!(await lease.hold())) return; // a writer of the earlier version is at work
  try {
    let moved = 0;
    for (let batch = await from.read(STEP); batch; batch = await from.read(STEP)) {
      await adopt(batch); // does nothing for those that were moved before a crash
      await from.acknowledge(batch);
      moved += batch.entries.length;
    }
    if (moved > 0) log.info({ from: names.stream, events: moved }, 'waiting events were moved to partitions');
    await openBuried(redis, names).move(bury);
  } finally {
    await lease.release();
  }
}

const exists = async (redis: Redis, { stream }: Names) => (await redis.send('queue', ['EXISTS', stream])) === 1;

/** True once the stream is empty, and its last entry so old that its seen ids have expired. */
async function isOver(redis: Redis, names: Names): Promise<boolean> {
  const { stream } = names;
  if (!(await exists(redis, names))) return true;
  if (Number(await redis.send('queue', ['XLEN', stream])) > 0) return false;
  const facts = (await redis.send('queue', ['XINFO', 'STREAM', stream], stream)) as Record<string, unknown>;
  const lastAt = Number.parseInt(String(facts['last-generated-id']), 10);
  const [seconds] = (await redis.send('queue', ['TIME'], stream)) as string[];
  return Number(seconds) * 1000 - lastAt > SEEN_MS;
}
