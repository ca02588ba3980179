// The demo goes on: visitors come as time passes, those whom the seed would draw for these days. Nothing about them is stored but what they did.
import type { Collector } from '../../collect/collector.ts';
import type { Directory } from '../../directory/open.ts';
import { readSettings } from '../../sites/sites.ts';
import type { Recorded, SiteId } from '../../vocabulary/event.ts';
import { DAY_MS, MINUTE_MS, startOfDay } from '../../vocabulary/time/time.ts';
import type { Period } from '../calendar.ts';
import type { SeedOptions } from './events.ts';

/** What a seeded site remembers of its first seed. `live`: its visitors go on coming. */
export type Seeded = Omit<SeedOptions, 'siteId' | 'domain' | 'now'> & { at: number; live?: boolean };

export const seededIn = (settings: Readonly<Record<string, unknown>>) => settings['seed'] as Seeded | undefined;

export const optionsOf = (site: { id: SiteId; domain: string }, { at, live: _, ...seeded }: Seeded): SeedOptions => ({
  ...seeded,
  siteId: site.id,
  domain: site.domain,
  now: at,
});

/** What came while nothing ran is made up for as far back. */
const CATCH_UP_MS = DAY_MS;
/** Events that are queued at once. */
const AT_ONCE = 500;

type Parts = { directory: Directory; collector: Pick<Collector, 'record'>; isDemoOpen: boolean };

/** A page view comes with its measurements and its errors. The demo's world is loaded once a site needs it: it takes 40 ms. */
async function drawDay(options: SeedOptions, start: number): Promise<Recorded[]> {
  const [{ entriesOfDay }, { vitalsOf }, { errorsOf }] = await Promise.all([
    import('./events.ts'),
    import('./vitals.ts'),
    import('./errors.ts'),
  ]);
  return entriesOfDay(options, start).flatMap((entry): Recorded[] => {
    if (entry.kind !== 'event') return [entry];
    const vitals = vitalsOf(entry, options);
    return [entry, ...(vitals ? [vitals] : []), ...errorsOf(entry, options)];
  });
}

/** Returns the work of one run of its job. `isDemoOpen`: all seeded sites are live. */
export function openDemoFeed({ directory, collector, isDemoOpen }: Parts) {
  /** The days that are drawn, of the sites that were live when they were read last. */
  const days = new Map<string, Recorded[]>();
  let [live, readAt] = [[] as SeedOptions[], -Infinity];

  async function dayOfSite(options: SeedOptions, start: number): Promise<Recorded[]> {
    const key = `${options.siteId} ${start}`;
    const drawn = days.get(key) ?? (await drawDay(options, start));
    days.set(key, drawn);
    return drawn;
  }

  return async ({ now, period: { from, to } }: { now: number; period: Period }): Promise<void> => {
    if (now - readAt >= MINUTE_MS) {
      [live, readAt] = [await liveSites(directory, { isDemoOpen }), now];
      days.clear();
    }
    const last = await lastEvents(directory, live);
    for (const options of live) {
      // The time of a site's last event is stored with a delay. Events that are sent again are recognised by their ids.
      const since = Math.max(options.now, now - CATCH_UP_MS, Math.min(last.get(options.siteId) ?? options.now, from));
      for (let start = startOfDay(since); start <= to; start += DAY_MS) {
        const due = (await dayOfSite(options, start)).filter(({ time }) => time > since && time <= to);
        for (let n = 0; n < due.length; n += AT_ONCE) await collector.record(due.slice(n, n + AT_ONCE), now);
      }
    }
  };
}

async function liveSites({ db }: Pick<Directory, 'db'>, { isDemoOpen }: Pick<Parts, 'isDemoOpen'>) {
  const seededSites = db.selectFrom('sites').select(['id', 'domain', 'settings']).where('paused', '=', 0);
  return (await seededSites.where('settings', 'like', '%"seed":%').execute()).flatMap((row) => {
    const seeded = seededIn(readSettings(row));
    return seeded && (isDemoOpen || seeded.live) ? [optionsOf(row, seeded)] : [];
  });
}

async function lastEvents({ db }: Pick<Directory, 'db'>, sites: readonly SeedOptions[]) {
  if (sites.length === 0) return new Map<SiteId, number | null>();
  const ids = sites.map(({ siteId }) => siteId);
  const rows = await db.selectFrom('sites').select(['id', 'last_event_at']).where('id', 'in', ids).execute();
  return new Map(rows.map((row) => [row.id, row.last_event_at]));
}
