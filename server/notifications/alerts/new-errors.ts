// Notices errors that were never seen before and came after a release of a site: each once for each alert.
import type { Billing } from '../../config.ts';
import type { Directory } from '../../directory/open.ts';
import { listNotes } from '../../sites/definitions/notes.ts';
import type { Stats } from '../../stats/run.ts';
import { MAX_TOLD_PER_HOUR } from '../../vocabulary/settings/alerts.ts';
import type { SiteId } from '../../vocabulary/event.ts';
import { DAY_MS, HOUR_MS } from '../../vocabulary/time/time.ts';
import { dayIn } from '../../vocabulary/time/zones.ts';
import { addIncident, incidentsSince } from './incidents.ts';
import { sitesOf, watchedAlerts } from './watched.ts';

/** An error that was first seen longer ago is no news, even if only now enough visits have had it. */
const NEWS_MS = 2 * DAY_MS;
/** Errors of fewer visits may be those of one odd browser. */
const LEAST_VISITS = 3;

type Found = Awaited<ReturnType<Stats['newErrors']>>;
type Releases = Awaited<ReturnType<typeof listNotes>>;

/** The errors that are told: those of some visits that came after a release. `zone`: of the site's days. */
export function withReleases(found: Found, releases: Releases, zone: string) {
  return found.flatMap(({ shape, message, path, first, visits }) => {
    // the latest day first, and within a day in the order of their making
    const day = releases.find((release) => release.day <= dayIn(zone, first))?.day;
    const note = releases.findLast((one) => one.day === day)?.text;
    if (note === undefined || visits < LEAST_VISITS) return [];
    const facts = { name: message, file: path, note, visits };
    return [{ key: `error ${shape}`, started_at: first, ended_at: first, facts }];
  });
}

export async function noticeErrors(
  { directory, stats, billing }: { directory: Directory; stats: Pick<Stats, 'newErrors'>; billing: Billing },
  now: number,
): Promise<void> {
  const { db } = directory;
  const watched = await watchedAlerts(db, { kinds: ['new_error'], billing }, now);
  if (watched.length === 0) return;
  const found = await stats.newErrors(sitesOf(watched), { from: now - NEWS_MS, to: now + 1 });
  const bySite = Map.groupBy(found, ({ site_id }) => site_id);
  if (bySite.size === 0) return;
  const noticed = await incidentsSince(db, {
    alertIds: watched.map(({ alert }) => alert.id),
    since: now - 2 * NEWS_MS,
  });
  for (const { alert, row, site, zone } of watched) {
    const fresh = (bySite.get(site.id) ?? []).filter(({ first }) => first >= row.counted_from);
    if (fresh.length === 0) continue;
    const releases = await listNotes(directory, { siteId: site.id as SiteId, isShared: false, kind: 'release' });
    const known = noticed.get(alert.id) ?? [];
    const keys = new Set(known.map(({ key }) => key));
    const lately = known.filter(({ created_at }) => created_at > now - HOUR_MS && created_at <= now).length;
    const news = withReleases(fresh, releases, zone).filter(({ key }) => !keys.has(key));
    for (const one of news.slice(0, Math.max(0, MAX_TOLD_PER_HOUR - lately)))
      await addIncident(db, { alert_id: alert.id, site_id: site.id, ...one }, now);
  }
}
