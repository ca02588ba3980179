// Writes to the directory when each site last had an event: immediately for a site that was quiet, every few seconds in one statement
// for all others.
import type { SiteId } from '../vocabulary/event.ts';
import type { Directory } from '../directory/open.ts';
import { DAY_MS } from '../vocabulary/time/time.ts';
import { touchLastEvents } from './sites.ts';

/** A site is quiet after half a day without events. A shorter time would make imports of sparse events write for each event. */
const QUIET_MS = DAY_MS / 2;
const MAX_REMEMBERED = 100_000;
/** Quiet sites that are written immediately between two flushes. In the morning thousands of sites get their first event; those wait. */
const MAX_IMMEDIATE = 20;

export type LastEvents = {
  /** An event of the site was recorded. `time` may be in the past. */
  seen(siteId: SiteId, time: number): void;
  flush(): Promise<void>;
};

export function openLastEvents(directory: Directory, onTrouble: (error: unknown) => void): LastEvents {
  let waiting = new Map<SiteId, number>();
  /** The latest instant that this process has written for a site. */
  const written = new Map<SiteId, number>();
  const underWay = new Set<Promise<void>>();
  let immediate = 0;

  const later = (siteId: SiteId, time: number) => waiting.set(siteId, Math.max(time, waiting.get(siteId) ?? time));
  const write = async (times: ReadonlyMap<SiteId, number>) => {
    if (written.size >= MAX_REMEMBERED) written.clear();
    for (const [siteId, time] of times) written.set(siteId, time);
    try {
      await touchLastEvents(directory, times);
    } catch (error) {
      for (const [siteId, time] of times) later(siteId, time); // retried with the next flush, not with every event
      throw error;
    }
  };

  return {
    seen: (siteId, time) => {
      const isQuiet = time - (written.get(siteId) ?? -Infinity) >= QUIET_MS;
      if (!isQuiet || immediate >= MAX_IMMEDIATE) {
        later(siteId, time);
        return;
      }
      immediate += 1;
      const writing = write(new Map([[siteId, time]]))
        .catch(onTrouble)
        .finally(() => underWay.delete(writing));
      underWay.add(writing);
    },
    flush: async () => {
      await Promise.all(underWay);
      immediate = 0;
      const times = waiting;
      waiting = new Map();
      await write(times);
    },
  };
}
