// Notices threads that mention a site for the first time, each once for each alert.
import type { Billing } from '../../config.ts';
import type { Directory } from '../../directory/open.ts';
import { newMentions } from '../../integrations/mentions/stored.ts';
import { MAX_TOLD_PER_HOUR } from '../../vocabulary/settings/alerts.ts';
import { cut } from '../../vocabulary/texts/spelling.ts';
import { DAY_MS, HOUR_MS } from '../../vocabulary/time/time.ts';
import { addIncident, incidentsSince } from './incidents.ts';
import { sitesOf, watchedAlerts } from './watched.ts';

/** Characters of a title in a mail's subject. */
const MAX_NAME = 140;
/** A mention that waited longer than this, because too many were told before it, is not told any more. */
const NEWS_MS = DAY_MS;

export async function noticeMentions(
  { directory, billing }: { directory: Directory; billing: Billing },
  now: number,
): Promise<void> {
  const { db } = directory;
  const watched = await watchedAlerts(db, { kinds: ['mention'], billing }, now);
  if (watched.length === 0) return;
  const news = await newMentions(directory, { siteIds: sitesOf(watched), from: now - NEWS_MS, to: now + 1 });
  if (news.length === 0) return;
  const bySite = Map.groupBy(news, ({ site_id }) => site_id);
  const noticed = await incidentsSince(db, { alertIds: watched.map(({ alert }) => alert.id), since: now - NEWS_MS });
  for (const { alert, row, site } of watched) {
    const known = noticed.get(alert.id) ?? [];
    const lately = known.filter(({ created_at }) => created_at > now - HOUR_MS && created_at <= now).length;
    const keys = new Set(known.map(({ key }) => key));
    const fresh = (bySite.get(site.id) ?? []).filter(
      ({ id, found_at }) => found_at >= row.counted_from && !keys.has(keyOf(id)),
    );
    for (const { id, place, title, url, posted_at } of fresh.slice(0, Math.max(0, MAX_TOLD_PER_HOUR - lately))) {
      const moment = { key: keyOf(id), started_at: posted_at, ended_at: posted_at };
      const facts = { name: cut(title, MAX_NAME), place, url };
      await addIncident(db, { alert_id: alert.id, site_id: site.id, ...moment, facts }, now);
    }
  }
}

const keyOf = (mentionId: string) => `mention ${mentionId}`;
