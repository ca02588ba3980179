// Writing: batches are moved from the queue to the store, by one process at a time for each partition.
import { type Deletion, openDeletion } from './site-deletion.ts';
import type { Geo } from '../collect/places/geo.ts';
import type { Directory } from '../directory/open.ts';
import type { Recorded, SiteId } from '../vocabulary/event.ts';
import type { Flood } from '../live/flood.ts';
import { isRecent } from '../live/restore.ts';
import type { Windows } from '../live/windows.ts';
import type { PartitionLease } from '../queue/lease.ts';
import type { Partition, Queue } from '../queue/queue.ts';
import type { Redis } from '../process/redis/redis.ts';
import { type Importing, openImporting } from './importing.ts';
import { openPurging, type Purging } from './purging.ts';
import { openRoom } from '../queue/writer/room.ts';
import { openVisits } from '../queue/writer/visits.ts';
import { openWriter, type Writer } from '../queue/writer/writer.ts';
import { openWriters } from '../queue/writer/writers.ts';
import { shortVersions, type VersionOf, type Versions } from '../stats/answer-cache.ts';
import { openSumming } from '../stats/days/sum-days.ts';
import type { EventStore } from '../store/open.ts';
import { type Setting, warnStale } from '../process/setting.ts';

/** Batches of several partitions that are in memory together. */
export const BATCHES_AT_ONCE = 4;

/** What keeps the data of the process, each in its embedded or its server form. `app.ts` opens them. */
export type Stores = {
  directory: Directory;
  /** State that processes share; undefined if this process runs alone. */
  redis: Redis | undefined;
  queue: Queue;
  /** The parts of the queue, each with the lease of the process that writes from it to the store. */
  partitions: { partition: Partition; lease: PartitionLease }[];
  /** Leaves the partitions to other processes. */
  leave(): Promise<void>;
  store: EventStore;
  /** Which answers of this process are out of date, by what it has stored. */
  versions: Versions;
  windows: Windows;
  /** Counts the events and the visitors of an address. */
  flood: Flood;
};

export type Writing = {
  writer: Writer;
  /** See `stats/answer-cache.ts`. Undefined if other processes write too. */
  versionOf: VersionOf;
  /** The same for answers that may be a second old. */
  recentVersionOf: VersionOf;
  /** Call this when another process has announced that it stored events of a site. */
  heard(siteId: SiteId): void;
  deletion: Deletion;
  purging: Purging;
  importing: Importing;
  /** Sums the closed days whose events have changed. Called by a job. */
  sumDays(options: { now: number; signal: AbortSignal }): Promise<number>;
};

/** `onStored` receives the sites that have new events in the store. */
export function openWriting(
  { config, now, log }: Setting,
  { directory, redis, queue, partitions, leave, store, versions, windows, geo }: Stores & { geo: Geo },
  onStored: (siteIds: Set<SiteId>) => void,
): Writing {
  // The windows do not know the events that waited in the queue when this process started. The writer stores them before all others.
  let unknown = redis ? 0 : Infinity;
  if (!redis) void queue.status().then(({ waiting }) => (unknown = waiting), warnStale(log, 'live windows'));
  const stored = (entries: Recorded[]) => {
    versions.stored(entries); // once more: rows of an insert that was given up may have appeared only now
    const waited = entries.slice(0, unknown);
    unknown -= waited.length;
    for (const entry of waited)
      if (entry.kind === 'event' && isRecent(entry.time, now()))
        void windows.record(entry).catch(warnStale(log, 'live windows'));
    onStored(new Set(entries.map((entry) => entry.site_id)));
  };
  const visits = openVisits(store);
  const room = openRoom(config.CLICKHOUSE_URL ? BATCHES_AT_ONCE : 1);
  // A process that only serves never asks for a lease: it would count as a writer, and the others would leave it a share that nobody writes.
  const writers = (config.ROLE === 'web' ? [] : partitions).map(({ partition, lease }, index) =>
    openWriter({
      store,
      lease,
      room,
      now,
      log,
      onStored: stored,
      queue: { ...partition, bury: queue.bury },
      visits: partitions.length === 1 ? visits : { ...visits, restore: (at) => visits.restore(at, index) },
    }),
  );
  const writer = openWriters(writers, leave);
  // If other processes may write too, this one cannot tell when a cached answer is out of date.
  const isOnlyWriter = config.ROLE === 'all' && !config.CLICKHOUSE_URL;
  return {
    writer,
    versionOf: isOnlyWriter ? versions.of : () => undefined,
    recentVersionOf: isOnlyWriter ? versions.of : shortVersions(versions),
    heard: versions.heard,
    deletion: openDeletion({ directory, queue, store, windows, writer, versions, now }),
    purging: openPurging({
      directory,
      store,
      windows,
      writer,
      versions,
      now,
      log,
      onChanged: onStored,
    }),
    importing: openImporting({ directory, store, versions, geo, now, onChanged: onStored }),
    sumDays: openSumming({
      store,
      versions,
      onFailed: (error, day) =>
        log.warn({ error, ...day }, 'a day could not be summed: it is counted from its events, which takes longer'),
    }),
  };
}
