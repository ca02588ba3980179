// Watches web vitals: an incident lasts from when a vital's 75th percentile is above its limit until it is clearly below again.
import type { Billing } from '../../config.ts';
import type { Directory } from '../../directory/open.ts';
import { hourOf } from '../../stats/answers/alert-counts.ts';
import type { Stats } from '../../stats/run.ts';
import type { Measured } from '../../stats/vitals/watched.ts';
import { limitOf } from '../../vocabulary/settings/alerts.ts';
import type { Facts } from '../../vocabulary/settings/alert-words.ts';
import { addIncident, changeIncident, openIncidents, readFacts, type StoredIncident } from './incidents.ts';
import type { AlertContent } from './rules.ts';
import { type Watched, watchedAlerts } from './watched.ts';

type Parts = { directory: Directory; stats: Pick<Stats, 'speeds'>; billing: Billing };

/** A value at the limit goes up and down with each page view: it has recovered once it is this far below. */
const RECOVERED = 0.95;

type Rule = Pick<AlertContent, 'vital' | 'above' | 'least_views'>;

/** Whether an incident begins or ends with these measurements. Without any, it ends: the page may be gone. */
export function judgeSpeed(rule: Rule, isOpen: boolean, { p75, views }: Measured): 'begins' | 'ends' | undefined {
  if (views === 0) return isOpen ? 'ends' : undefined;
  if (p75 === null || views < rule.least_views) return undefined;
  if (isOpen) return p75 <= limitOf(rule) * RECOVERED ? 'ends' : undefined;
  return p75 > limitOf(rule) ? 'begins' : undefined;
}

export async function watchSpeed(parts: Parts, now: number): Promise<void> {
  const { directory, stats, billing } = parts;
  const watched = await watchedAlerts(directory.db, { kinds: ['speed'], billing }, now);
  if (watched.length === 0) return;
  const asked = watched.map(({ alert: { id, vital, page, hours }, site }) => ({
    id,
    siteId: site.id,
    vital,
    page,
    hours,
  }));
  const [measured, open] = await Promise.all([
    stats.speeds(asked, now + 1),
    openIncidents(
      directory.db,
      watched.map(({ alert }) => alert.id),
    ),
  ]);
  for (const one of watched) {
    const { id } = one.alert;
    await followSpeed(parts, { one, stored: open.get(id), measured: measured.get(id) ?? { p75: null, views: 0 } }, now);
  }
}

type Following = { one: Watched; stored: StoredIncident | undefined; measured: Measured };

async function followSpeed(
  { directory: { db } }: Parts,
  { one, stored, measured }: Following,
  now: number,
): Promise<void> {
  const { alert, row, site } = one;
  const judged = judgeSpeed(alert, stored !== undefined, measured);
  const value = measured.p75 ?? 0;
  if (stored) {
    const known = readFacts(stored);
    const highest = Math.max(known.highest ?? 0, value);
    if (judged === 'ends') {
      const facts: Facts = { ...known, value, views: measured.views };
      await changeIncident(db, stored.id, { facts, ended_at: now });
    } else if (highest > (known.highest ?? 0))
      await changeIncident(db, stored.id, { facts: { ...known, highest }, ended_at: null });
    return;
  }
  if (judged !== 'begins') return;
  const { vital, page, hours } = alert;
  const facts: Facts = { vital, page, limit: limitOf(alert), hours, value, views: measured.views, highest: value };
  // At most one in an hour: a value that jumps around the limit is not told each time.
  const key = `speed ${row.counted_from} ${hourOf(now)}`;
  await addIncident(db, { alert_id: alert.id, site_id: site.id, key, started_at: now, ended_at: null, facts }, now);
}
