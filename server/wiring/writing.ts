// Writing: batches from the queue to the store, by one process at a time.
import { type Deletion, openDeletion } from '../site-deletion.ts';
import type { SiteId } from '../event.ts';
import { isRecent } from '../live/restore.ts';
import { openVisits } from '../queue/visits.ts';
import { openWriter, type Writer } from '../queue/writer.ts';
import { openVersions, type VersionOf } from '../stats/answer-cache.ts';
import { type Setting, warnStale } from './setting.ts';
import type { Stores } from './stores.ts';

/** By then the writer has been through what waited at the start. */
const CATCH_UP_MS = 60_000;

export type Writing = {
  writer: Writer;
  /** See `stats/answer-cache.ts`. */
  versionOf: VersionOf;
  deletion: Deletion;
};

/** `onStored` is told which sites have events in the store that were not there before. */
export function openWriting(
  { config, now, log }: Setting,
  { directory, redis, queue, lease, store, windows }: Stores,
  onStored: (siteIds: Set<SiteId>) => void,
): Writing {
  const openedAt = now();
  const versions = openVersions();
  const writer = openWriter({
    queue,
    store,
    visits: openVisits(store),
    lease,
    now,
    log,
    onStored: (entries) => {
      versions.stored(entries);
      // What waited in the queue when this process started is in no window yet; recording twice changes nothing.
      if (!redis && now() - openedAt < CATCH_UP_MS)
        for (const entry of entries)
          if (entry.kind === 'event' && isRecent(entry.time, now()))
            void windows.record(entry).catch(warnStale(log, 'live windows'));
      onStored(new Set(entries.map((entry) => entry.site_id)));
    },
  });
  // Where other processes write too, nobody here knows when an answer is out of date.
  const isOnlyWriter = config.ROLE === 'all' && !config.CLICKHOUSE_URL;
  return {
    writer,
    versionOf: isOnlyWriter ? versions.of : () => undefined,
    deletion: openDeletion({ directory, queue, store, windows, writer, versions, now }),
  };
}
