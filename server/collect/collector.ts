// Takes hits of any door (browser, image, API, access log), runs the steps, and makes what is left durable.
import { bytesFor, createBoundedMap } from '../bounded-memory.ts';
import { type Recorded, type SiteId } from '../event.ts';
import type { Queue } from '../queue/queue.ts';
import { addDrops } from '../sites/drops.ts';
import type { Directory } from '../directory/open.ts';
import { type Site, siteByDomain } from '../sites/sites.ts';
import { dayOf } from '../vocabulary/time.ts';
import { openStrays, type Stray } from './unmatched.ts';
import { type Context, type Hit, runSteps } from './steps.ts';
import type { DropReason } from '../vocabulary/drops.ts';

export type Collector = {
  /** Counts a hit, or drops it with a reason. Resolves once the event is durable; throws Unavailable when it cannot be. */
  collect(hit: Hit, now: number): Promise<{ dropped?: DropReason }>;
  /** Why the site does not record now (paused, over its quota), if so, and counts it: for events that need no other step. */
  dropReason(site: Site, now: number): DropReason | undefined;
  /** What arrived lately for the site or from its pages and was not counted, because one of the two is named wrongly. */
  strayOf(site: Pick<Site, 'id' | 'domain'>, now: number): Stray;
  /** Makes events durable that need no steps, and says of each whether it is new. */
  record(recorded: Recorded[], now: number): Promise<boolean[]>;
  /** Writes the counts of dropped hits down. Called by a job and at shutdown. */
  flushDrops(): Promise<void>;
};

type Options = {
  directory: Directory;
  queue: Pick<Queue, 'append'>;
  context: Context;
  /** Told of each new event at once, whatever the store is doing. */
  onNew(recorded: Recorded): void;
};

/** A site with its settings, most of which are short. */
const SITE_BYTES = 2_000;
/** How long a site is believed to be as it was: changes reach every process within this time. */
const SITE_MS = 1000;

export function openCollector(options: Options): Collector {
  const sites = cachedSites(options.directory);
  let drops = new Map<string, { site_id: SiteId; day: string; reason: DropReason; count: number }>();

  const drop = (siteId: SiteId, reason: DropReason, time: number) => {
    const day = dayOf(time);
    const key = `${siteId} ${day} ${reason}`;
    const row = drops.get(key);
    if (row) row.count += 1;
    else drops.set(key, { site_id: siteId, day, reason, count: 1 });
    return { dropped: reason };
  };

  const record: Collector['record'] = async (recorded, now) => {
    const fresh = await options.queue.append(recorded, now);
    // The one fork: what is durable now goes to the live windows at once, and to the store when the writer gets to it.
    recorded.forEach((entry, index) => fresh[index] && options.onNew(entry));
    return fresh;
  };

  const strays = openStrays();

  return {
    record,
    strayOf: strays.of,
    dropReason: (site, now) => {
      const reason = site.paused ? 'paused' : options.context.isOverQuota(site) ? 'over_quota' : undefined;
      return reason && drop(site.id, reason, now).dropped;
    },
    collect: async (hit, now) => {
      const site = await sites(hit.payload.site, now);
      if (!site) {
        strays.unknownSite(hit.page.hostname, hit.payload.site, now);
        return { dropped: 'unknown_site' };
      }
      const outcome = await runSteps(hit, site, options.context);
      if ('dropped' in outcome) {
        if (outcome.dropped === 'foreign_host') strays.foreignHost(site.id, hit.page.hostname, now);
        return drop(site.id, outcome.dropped, hit.time);
      }
      const [isNew] = await record([outcome.recorded], now);
      return isNew ? {} : drop(site.id, 'repeat_id', hit.time);
    },
    flushDrops: async () => {
      if (drops.size === 0) return;
      const flushing = drops;
      drops = new Map();
      try {
        await addDrops(options.directory, [...flushing.values()]);
      } catch (error) {
        for (const row of flushing.values()) {
          const key = `${row.site_id} ${row.day} ${row.reason}`;
          const since = drops.get(key);
          drops.set(key, since ? { ...row, count: row.count + since.count } : row);
        }
        throw error;
      }
    },
  };
}

/** Sites by domain, remembered for a second; what does not exist is remembered too, within bounds. */
function cachedSites(directory: Directory): (domain: string, now: number) => Promise<Site | undefined> {
  const cache = createBoundedMap<{ site: Promise<Site | undefined>; readAt: number }>(
    bytesFor('sites'),
    () => SITE_BYTES,
  );
  return (domain, now) => {
    const known = cache.get(domain);
    if (known && Math.abs(now - known.readAt) < SITE_MS) return known.site;
    const site = siteByDomain(directory, domain);
    cache.set(domain, { site, readAt: now });
    site.catch(() => cache.delete(domain));
    return site;
  };
}
