// Finds a query's range and the first day with data, both of which may depend on the store.
import { type AskedPeriod, type Range, resolvePeriod } from '../vocabulary/periods.ts';
import { DAY_MS, dayOf } from '../vocabulary/time.ts';
import { FURTHEST_MS } from '../vocabulary/zones.ts';
import type { Reader } from './reader.ts';
import { timesOf } from './scope.ts';
import type { Asked } from './values.ts';

/** After every event: the store's times end in 2299. */
const LAST_TIME = Date.UTC(2299, 0, 1);

/** Times of a site's first and last event. */
export type Arrivals = { first_event_at: number | null; last_event_at: number | null };

export async function askArrivals({ query }: Reader, siteId: string): Promise<Arrivals> {
  const [row] = await query<{ first: string | number; last: string | number; rows: string | number }>(
    `SELECT toUnixTimestamp64Milli(min(time)) AS first, toUnixTimestamp64Milli(max(time)) AS last, count() AS rows
      FROM events WHERE site_id = {site_id:String}`,
    { site_id: siteId },
  );
  return Number(row?.rows ?? 0) === 0
    ? { first_event_at: null, last_event_at: null }
    : { first_event_at: Number(row?.first), last_event_at: Number(row?.last) };
}

export async function askRange(
  reader: Reader,
  { question, site, now }: Asked<AskedPeriod & { site_id: string }>,
): Promise<Range> {
  const zone = site.timezone ?? undefined;
  if (question.period !== 'all') return resolvePeriod(question, now, { zone });
  const firstAt = zone
    ? await askFirstDay(reader, { site_id: question.site_id, before: now + FURTHEST_MS })
    : (await askArrivals(reader, question.site_id)).first_event_at;
  return resolvePeriod(question, now, { zone, firstAt: firstAt ?? undefined });
}

/** The first day with events from before an instant, as midnight UTC of its date. Null without events. */
async function askFirstDay(
  { remembered }: Reader,
  { site_id, before }: { site_id: string; before: number },
): Promise<number | null> {
  const sql = `SELECT count() AS rows, toUnixTimestamp(toDateTime(min(day), 'UTC')) * 1000 AS first FROM events
    WHERE site_id = {site_id:String} AND time < fromUnixTimestamp64Milli({to:Int64})`;
  const range = { from: 0, to: before };
  const [row] = await remembered({ site_id, range }, { sql, bound: { site_id, to: before } });
  return Number(row?.['rows'] ?? 0) > 0 ? Number(row?.['first']) : null;
}

/** Returns the first day with data if the range starts before it, else null. */
export async function askCountedSince(reader: Reader, siteId: string, range: Range): Promise<string | null> {
  const first = await askFirst(reader, siteId, range);
  return first !== null && first >= range.from + DAY_MS ? dayOf(first) : null;
}

async function askFirst(reader: Reader, siteId: string, range: Range): Promise<number | null> {
  // Cached until an event is stored on these days. That is rare, since they are nearly always past.
  const { to } = timesOf(range);
  if (range.zone !== undefined)
    return (
      (await askFirstDay(reader, { site_id: siteId, before: to })) ??
      (await askFirstDay(reader, { site_id: siteId, before: LAST_TIME }))
    );
  const about = { site_id: siteId, range: { from: 0, to } };
  const sql = `SELECT count() AS rows, toUnixTimestamp64Milli(min(time)) AS first FROM events
    WHERE site_id = {site_id:String} AND time < fromUnixTimestamp64Milli({to:Int64})`;
  const [row] = await reader.remembered(about, { sql, bound: { site_id: siteId, to } });
  const hasData = Number(row?.['rows'] ?? 0) > 0;
  return hasData ? Number(row?.['first']) : (await askArrivals(reader, siteId)).first_event_at;
}
