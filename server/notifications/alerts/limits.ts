// Watches figures with a limit: the 75th percentile of a web vital, and the share of visits with an error. An incident lasts from when a figure is
// above its limit until it is clearly below again.
import type { Billing } from '../../config.ts';
import type { Directory } from '../../directory/open.ts';
import { hourOf } from '../../stats/answers/alert-counts.ts';
import type { Stats } from '../../stats/run.ts';
import type { Figure, LimitAsked } from '../../stats/vitals/watched.ts';
import { LIMIT_KINDS, type LimitKind, limitOf } from '../../vocabulary/settings/alerts.ts';
import type { Facts } from '../../vocabulary/settings/alert-words.ts';
import { addIncident, changeIncident, openIncidents, readFacts, type StoredIncident } from './incidents.ts';
import type { AlertContent } from './rules.ts';
import { type Watched, watchedAlerts } from './watched.ts';

type Parts = { directory: Directory; stats: Pick<Stats, 'limited'>; billing: Billing };

/** A value at the limit goes up and down with each page view: it has recovered once it is this far below. */
const RECOVERED = 0.95;
const NOTHING: Figure = { value: null, of: 0 };

/** What is asked for an alert with a limit; undefined for one of another kind. */
export function askedBy({ kind, vital, page, hours }: AlertContent, siteId: string): LimitAsked | undefined {
  if (!isLimitKind(kind)) return undefined;
  return { siteId, hours, what: kind === 'errors' ? 'errors' : { vital, page } };
}

const isLimitKind = (kind: AlertContent['kind']): kind is LimitKind => LIMIT_KINDS.some((one) => one === kind);

type Rule = Pick<AlertContent, 'kind' | 'vital' | 'above' | 'least'>;

/** Whether an incident begins or ends with this figure. Without any page views or visits, it ends: the page may be gone. */
export function judgeLimit(rule: Rule, isOpen: boolean, figure: Figure = NOTHING): 'begins' | 'ends' | undefined {
  const { value, of } = figure;
  if (of === 0) return isOpen ? 'ends' : undefined;
  if (value === null || of < rule.least) return undefined;
  if (isOpen) return value <= limitOf(rule) * RECOVERED ? 'ends' : undefined;
  return value > limitOf(rule) ? 'begins' : undefined;
}

export async function watchLimits(parts: Parts, now: number): Promise<void> {
  const { directory, stats, billing } = parts;
  const watched = await watchedAlerts(directory.db, { kinds: LIMIT_KINDS, billing }, now);
  if (watched.length === 0) return;
  const asked = watched.flatMap(({ alert, site }) => {
    const one = askedBy(alert, site.id);
    return one ? [{ id: alert.id, ...one }] : [];
  });
  const ids = watched.map(({ alert }) => alert.id);
  const [figures, open] = await Promise.all([stats.limited(asked, now + 1), openIncidents(directory.db, ids)]);
  for (const one of watched) {
    const { id } = one.alert;
    await followLimit(parts, { one, stored: open.get(id), figure: figures.get(id) ?? NOTHING }, now);
  }
}

type Following = { one: Watched; stored: StoredIncident | undefined; figure: Figure };

async function followLimit(
  { directory: { db } }: Parts,
  { one, stored, figure }: Following,
  now: number,
): Promise<void> {
  const { alert, row, site } = one;
  const judged = judgeLimit(alert, stored !== undefined, figure);
  const value = figure.value ?? 0;
  const counted: Facts = alert.kind === 'errors' ? { visits: figure.of } : { views: figure.of };
  if (stored) {
    const known = readFacts(stored);
    const highest = Math.max(known.highest ?? 0, value);
    if (judged === 'ends')
      await changeIncident(db, stored.id, { facts: { ...known, value, ...counted }, ended_at: now });
    else if (highest > (known.highest ?? 0))
      await changeIncident(db, stored.id, { facts: { ...known, highest }, ended_at: null });
    return;
  }
  if (judged !== 'begins') return;
  const { vital, page, hours } = alert;
  const what: Facts = alert.kind === 'errors' ? {} : { vital, page };
  const facts: Facts = { ...what, limit: limitOf(alert), hours, value, ...counted, highest: value };
  // At most one in an hour: a value that jumps around the limit is not told each time.
  const key = `${alert.kind} ${row.counted_from} ${hourOf(now)}`;
  await addIncident(db, { alert_id: alert.id, site_id: site.id, key, started_at: now, ended_at: null, facts }, now);
}
