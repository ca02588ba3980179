// When sites last had an event: told to the directory at once for a site that was quiet, and every few seconds for all others.
import type { SiteId } from '../event.ts';
import type { Directory } from '../directory/open.ts';
import { DAY_MS } from '../vocabulary/time.ts';
import { touchLastEvent } from './sites.ts';

/** A site counts as quiet after a day. An import of years, whose events are as far apart, still tells the directory rarely. */
const QUIET_MS = DAY_MS / 2;
const MAX_KNOWN = 100_000;

export type Touches = {
  /** An event of the site was recorded at `time`, which may lie back. */
  seen(siteId: SiteId, time: number): void;
  flush(): Promise<void>;
};

export function openTouches(directory: Directory, onTrouble: (error: unknown) => void): Touches {
  const waiting = new Map<SiteId, number>();
  /** The latest instant that this process has told of a site. */
  const told = new Map<SiteId, number>();
  const underWay = new Set<Promise<void>>();

  const later = (siteId: SiteId, time: number) => waiting.set(siteId, Math.max(time, waiting.get(siteId) ?? time));
  const tell = async (siteId: SiteId, time: number) => {
    waiting.delete(siteId);
    if (told.size >= MAX_KNOWN) told.clear();
    told.set(siteId, time);
    try {
      await touchLastEvent(directory, [siteId], time);
    } catch (error) {
      later(siteId, time); // with the next flush, not with the next event
      throw error;
    }
  };

  return {
    seen: (siteId, time) => {
      if (time - (told.get(siteId) ?? -Infinity) < QUIET_MS) {
        later(siteId, time);
        return;
      }
      const telling = tell(siteId, time)
        .catch(onTrouble)
        .finally(() => underWay.delete(telling));
      underWay.add(telling);
    },
    flush: async () => {
      await Promise.all(underWay);
      for (const [siteId, time] of [...waiting]) await tell(siteId, time);
    },
  };
}
