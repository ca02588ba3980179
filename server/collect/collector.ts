// Takes hits from all doors, runs the steps, and stores the remaining events durably.
import { bytesFor, createBoundedMap } from '../bounded-memory.ts';
import { type Recorded, type SiteId } from '../event.ts';
import type { Queue } from '../queue/queue.ts';
import { addDrops } from '../sites/drops.ts';
import type { Directory } from '../directory/open.ts';
import { type Site, siteByDomain } from '../sites/sites.ts';
import type { DropReason } from '../vocabulary/drops.ts';
import { dayOf } from '../vocabulary/time.ts';
import type { Context } from './draft.ts';
import type { Hit } from './hit.ts';
import { openStrays, type Stray } from './unmatched.ts';
import { COUNTS_REPEATED_IDS, runSteps } from './steps.ts';

/** A hit and its site. A door that does not know the site passes its domain. */
export type SentHit = { hit: Hit; site: Site | string };
export type Outcome = { dropped?: DropReason };

export type Collector = {
  /** Counts a hit, or drops it with a reason. Resolves once the event is durable. Throws Unavailable if it cannot be stored. */
  collect(sent: SentHit, now: number): Promise<Outcome>;
  /** Collects several hits together: either all of their events become durable, or none. */
  collectAll(sent: SentHit[], now: number): Promise<Outcome[]>;
  /** Returns recent hits for the site, or from its pages, that were not counted because the snippet's domain does not match the host. */
  strayOf(site: Pick<Site, 'id' | 'domain'>, now: number): Stray;
  /** Makes events that passed the steps durable. Returns true for each event that is new. */
  record(recorded: Recorded[], now: number): Promise<boolean[]>;
  /** Numbers of events that this process has accepted and dropped since its start. */
  counts(): { accepted: number; dropped: ReadonlyMap<DropReason, number> };
  /** Stores the counts of dropped hits. Called by a job and at shutdown. */
  flushDrops(): Promise<void>;
};

type Options = {
  directory: Directory;
  queue: Pick<Queue, 'append'>;
  context: Context;
  /** Called immediately for each new event, even if the store is down. */
  onNew(recorded: Recorded): void;
};

/** Assumed size of a site with its settings. */
const SITE_BYTES = 2_000;
/** How long a site is cached: changes reach every process within this time. */
const SITE_MS = 1000;

export function openCollector(options: Options): Collector {
  const sites = cachedSites(options.directory);
  let drops = new Map<string, { site_id: SiteId; day: string; reason: DropReason; count: number }>();

  let accepted = 0;
  const dropped = new Map<DropReason, number>();
  const countDrop = (reason: DropReason) => {
    dropped.set(reason, (dropped.get(reason) ?? 0) + 1);
    return { dropped: reason };
  };

  const drop = (siteId: SiteId, reason: DropReason, time: number) => {
    const day = dayOf(time);
    const key = `${siteId} ${day} ${reason}`;
    const row = drops.get(key);
    if (row) row.count += 1;
    else drops.set(key, { site_id: siteId, day, reason, count: 1 });
    return countDrop(reason);
  };

  const record: Collector['record'] = async (recorded, now) => {
    const fresh = await options.queue.append(recorded, now);
    // The only fork: durable events go to the live windows immediately, and to the store when the writer reads them.
    recorded.forEach((entry, index) => {
      if (!fresh[index]) return;
      accepted += 1;
      options.onNew(entry);
    });
    return fresh;
  };

  const strays = openStrays();

  const judge = async ({ hit, site: named }: SentHit, now: number): Promise<Outcome | { recorded: Recorded }> => {
    const site = typeof named === 'string' ? await sites(named, now) : named;
    if (!site) {
      strays.unknownSite(hit.page.hostname, String(named), now);
      return countDrop('unknown_site');
    }
    const outcome = await runSteps(hit, site, options.context);
    if ('recorded' in outcome) return outcome;
    if (outcome.dropped === 'foreign_host') strays.foreignHost(site.id, hit.page.hostname, now);
    return drop(site.id, outcome.dropped, hit.time);
  };
  const settle = ({ hit }: SentHit, recorded: Recorded, isNew: boolean | undefined): Outcome =>
    isNew || !COUNTS_REPEATED_IDS.includes(hit.door) ? {} : drop(recorded.site_id, 'repeat_id', hit.time);

  return {
    record,
    counts: () => ({ accepted, dropped }),
    strayOf: strays.of,
    collect: async (sent, now) => {
      const judged = await judge(sent, now);
      if (!('recorded' in judged)) return judged;
      const [isNew] = await record([judged.recorded], now);
      return settle(sent, judged.recorded, isNew);
    },
    collectAll: async (sent, now) => {
      const judged = await Promise.all(sent.map((one) => judge(one, now)));
      const kept = judged.flatMap((one) => ('recorded' in one ? one.recorded : []));
      const fresh = kept.length > 0 ? await record(kept, now) : [];
      const areNew = fresh.values();
      return sent.map((one, index): Outcome => {
        const outcome = judged[index] ?? {};
        return 'recorded' in outcome ? settle(one, outcome.recorded, areNew.next().value) : outcome;
      });
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

/** Caches sites by domain for a second. Unknown domains are cached too, within the memory limit. */
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
