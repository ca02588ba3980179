// Takes hits from all doors, runs the steps, and stores the remaining events durably.
import { bytesFor, createBoundedMap } from '../process/bounded-memory.ts';
import { type Recorded, type SiteId } from '../vocabulary/event.ts';
import type { Queue } from '../queue/queue.ts';
import { addDrops } from '../sites/drops.ts';
import { measuresVitals, recordsErrors } from '../sites/settings.ts';
import type { Directory } from '../directory/open.ts';
import { type Site, siteByDomain } from '../sites/sites.ts';
import type { DropReason } from '../vocabulary/drops.ts';
import { dayOf } from '../vocabulary/time/time.ts';
import type { Context, OwnContext } from './draft.ts';
import type { Door, Hit } from './hit.ts';
import { domainsOf } from './sources/domains.ts';
import { openStrays, type Stray } from './unmatched.ts';
import {
  COUNTS_REPEATED_IDS,
  type HalfWay,
  runOwnSteps,
  runSharedSteps,
  runSteps,
  type StepsOutcome,
} from './steps.ts';

/** A hit and its site. A door that does not know the site passes its domain. */
type SentHit = { hit: Hit; site: Site | string };
export type Outcome = { dropped?: DropReason };
/** A hit after the steps that are not shared, or one whose site is unknown. Plain values, so that it can go to another process. */
export type Judged = { hostname: string } & ({ unknown: string } | { siteId: SiteId; half: HalfWay });

/** The part of a hit that the log of drops and the notes about strays need. */
type Passed = { siteId: SiteId; hostname: string; door: Door; time: number };
/** An event to be recorded, with its door and time. */
type Kept = { recorded: Recorded; door: Door; time: number };

/** What foot.js is to bring along. */
export type Wishes = { vitals: boolean; errors: boolean };

export type Collector = {
  /** Counts a hit, or drops it with a reason. Resolves once the event is durable. Throws Unavailable if it cannot be stored. */
  collect(sent: SentHit, now: number): Promise<Outcome>;
  /** Collects several hits together: either all of their events become durable, or none. */
  collectAll(sent: SentHit[], now: number): Promise<Outcome[]>;
  /** Collects hits that other processes have judged: see `openJudge`. */
  admit(judged: Judged[], now: number): Promise<Outcome[]>;
  /** Returns recent hits for the site, or from its pages, that were not counted because the snippet's domain does not match the host. */
  strayOf(site: Pick<Site, 'id' | 'domain'>, now: number): Stray;
  /** What the site of a page's host asks for beside page views. */
  wishesOf(hostname: string, now: number): Promise<Wishes>;
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
/** Parts of the longest domain of a site that is recognised by the host of a page. */
const MOST_LABELS = 5;
/** How long a site is cached: changes reach every process within this time. */
const SITE_MS = 1000;

export function openCollector(options: Options): Collector {
  const sites = cachedSites((domain) => siteByDomain(options.directory, domain));
  const drops = openDrops(options.directory);
  let accepted = 0;

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

  const dropUnknown = (hostname: string, named: string, now: number) => {
    strays.unknownSite(hostname, named, now);
    return drops.ofNoSite('unknown_site');
  };
  const keepOrDrop = (outcome: StepsOutcome, { siteId, hostname, door, time }: Passed, now: number): Outcome | Kept => {
    if ('recorded' in outcome) return { recorded: outcome.recorded, door, time };
    if (outcome.dropped === 'foreign_host') strays.foreignHost(siteId, hostname, now);
    return drops.of(siteId, outcome.dropped, time);
  };

  const judge = async ({ hit, site: named }: SentHit, now: number): Promise<Outcome | Kept> => {
    const site = typeof named === 'string' ? await sites(named, now) : named;
    const { hostname } = hit.page;
    if (!site) return dropUnknown(hostname, String(named), now);
    const outcome = await runSteps(hit, site, options.context);
    return keepOrDrop(outcome, { siteId: site.id, hostname, door: hit.door, time: hit.time }, now);
  };
  const judgeHalf = async (judged: Judged, now: number): Promise<Outcome | Kept> => {
    const { hostname } = judged;
    if ('unknown' in judged) return dropUnknown(hostname, judged.unknown, now);
    const { siteId, half } = judged;
    const outcome = await runSharedSteps(half, options.context);
    return keepOrDrop(outcome, { siteId, hostname, door: half.door, time: half.time }, now);
  };

  const settle = ({ recorded, door, time }: Kept, isNew: boolean | undefined): Outcome =>
    isNew || !COUNTS_REPEATED_IDS.includes(door) ? {} : drops.of(recorded.site_id, 'repeat_id', time);
  const recordAll = async (judged: (Outcome | Kept)[], now: number): Promise<Outcome[]> => {
    const kept = judged.flatMap((one) => ('recorded' in one ? one.recorded : []));
    const fresh = kept.length > 0 ? await record(kept, now) : [];
    const areNew = fresh.values();
    return judged.map((one) => ('recorded' in one ? settle(one, areNew.next().value) : one));
  };

  return {
    record,
    counts: () => ({ accepted, dropped: drops.counts }),
    strayOf: strays.of,
    wishesOf: async (hostname, now) => {
      // anybody may name a host, so only so many of its domains are looked up
      for (const domain of domainsOf(hostname).slice(-MOST_LABELS)) {
        const site = await sites(domain, now);
        if (site) return { vitals: measuresVitals(site.settings), errors: recordsErrors(site.settings) };
      }
      return { vitals: false, errors: false };
    },
    collect: async (sent, now) => {
      const judged = await judge(sent, now);
      if (!('recorded' in judged)) return judged;
      const [isNew] = await record([judged.recorded], now);
      return settle(judged, isNew);
    },
    collectAll: async (sent, now) => recordAll(await Promise.all(sent.map((one) => judge(one, now))), now),
    admit: async (sent, now) => recordAll(await Promise.all(sent.map((one) => judgeHalf(one, now))), now),
    flushDrops: drops.flush,
  };
}

/** Counts dropped hits: by reason since the start, and by site and day until they are stored. */
function openDrops(directory: Directory) {
  const counts = new Map<DropReason, number>();
  let unstored = new Map<string, { site_id: SiteId; day: string; reason: DropReason; count: number }>();
  const ofNoSite = (reason: DropReason) => {
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
    return { dropped: reason };
  };
  return {
    counts,
    ofNoSite,
    of(siteId: SiteId, reason: DropReason, time: number) {
      const day = dayOf(time);
      const key = `${siteId} ${day} ${reason}`;
      const row = unstored.get(key);
      if (row) row.count += 1;
      else unstored.set(key, { site_id: siteId, day, reason, count: 1 });
      return ofNoSite(reason);
    },
    async flush() {
      if (unstored.size === 0) return;
      const flushing = unstored;
      unstored = new Map();
      try {
        await addDrops(directory, [...flushing.values()]);
      } catch (error) {
        for (const row of flushing.values()) {
          const key = `${row.site_id} ${row.day} ${row.reason}`;
          const since = unstored.get(key);
          unstored.set(key, since ? { ...row, count: row.count + since.count } : row);
        }
        throw error;
      }
    },
  };
}

/** Judges hits in a process that has no store: `admit` of the collector then does the rest. */
export function openJudge(
  siteOf: (domain: string) => Promise<Site | undefined>,
  context: OwnContext,
): (sent: SentHit, now: number) => Promise<Judged> {
  const sites = cachedSites(siteOf);
  return async ({ hit, site: named }, now) => {
    const site = typeof named === 'string' ? await sites(named, now) : named;
    const { hostname } = hit.page;
    if (!site) return { hostname, unknown: String(named) };
    return { hostname, siteId: site.id, half: await runOwnSteps(hit, site, context) };
  };
}

/** Caches sites by domain for a second. Unknown domains are cached too, within the memory limit. */
function cachedSites(
  siteOf: (domain: string) => Promise<Site | undefined>,
): (domain: string, now: number) => Promise<Site | undefined> {
  const cache = createBoundedMap<{ site: Promise<Site | undefined>; readAt: number }>(
    bytesFor('sites'),
    () => SITE_BYTES,
  );
  return (domain, now) => {
    const known = cache.get(domain);
    if (known && Math.abs(now - known.readAt) < SITE_MS) return known.site;
    const site = siteOf(domain);
    cache.set(domain, { site, readAt: now });
    site.catch(() => cache.delete(domain));
    return site;
  };
}
