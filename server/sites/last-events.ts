// Writes to the directory when each site last had an event: immediately for a site that was quiet, every few seconds for all others.
import type { SiteId } from '../event.ts';
import type { Directory } from '../directory/open.ts';
import { DAY_MS } from '../vocabulary/time.ts';
import { touchLastEvent } from './sites.ts';

/** A site is quiet after half a day without events. A shorter time would make imports of sparse events write for each event. */
const QUIET_MS = DAY_MS / 2;
const MAX_REMEMBERED = 100_000;

export type LastEvents = {
  /** An event of the site was recorded. `time` may be in the past. */
  seen(siteId: SiteId, time: number): void;
  flush(): Promise<void>;
};

export function openLastEvents(directory: Directory, onTrouble: (error: unknown) => void): LastEvents {
  const waiting = new Map<SiteId, number>();
  /** The latest instant that this process has written for a site. */
  const written = new Map<SiteId, number>();
  const underWay = new Set<Promise<void>>();

  const later = (siteId: SiteId, time: number) => waiting.set(siteId, Math.max(time, waiting.get(siteId) ?? time));
  const write = async (siteId: SiteId, time: number) => {
    waiting.delete(siteId);
    if (written.size >= MAX_REMEMBERED) written.clear();
    written.set(siteId, time);
    try {
      await touchLastEvent(directory, [siteId], time);
    } catch (error) {
      later(siteId, time); // retried with the next flush, not with every event
      throw error;
    }
  };

  return {
    seen: (siteId, time) => {
      if (time - (written.get(siteId) ?? -Infinity) < QUIET_MS) {
        later(siteId, time);
        return;
      }
      const writing = write(siteId, time)
        .catch(onTrouble)
        .finally(() => underWay.delete(writing));
      underWay.add(writing);
    },
    flush: async () => {
      await Promise.all(underWay);
      for (const [siteId, time] of [...waiting]) await write(siteId, time);
    },
  };
}
