// Finds a query's range, and the first day with data, which only the store knows.
import { type AskedPeriod, type Range, resolvePeriod } from '../vocabulary/periods.ts';
import { DAY_MS, dayOf } from '../vocabulary/time.ts';
import type { Reader } from './reader.ts';

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

export async function askRange(reader: Reader, asked: AskedPeriod & { site_id: string }, now: number): Promise<Range> {
  if (asked.period !== 'all') return resolvePeriod(asked, now);
  const { first_event_at } = await askArrivals(reader, asked.site_id);
  return resolvePeriod(asked, now, first_event_at ?? undefined);
}

/** Returns the first day with data when the range begins before it; otherwise null. */
export async function askCountedSince(reader: Reader, siteId: string, range: Range): Promise<string | null> {
  // Cached until an event of these days is stored. That is rare, since nearly always they are past.
  const about = { site_id: siteId, range: { from: 0, to: range.to } };
  const sql = `SELECT count() AS rows, toUnixTimestamp64Milli(min(time)) AS first FROM events
    WHERE site_id = {site_id:String} AND time < fromUnixTimestamp64Milli({to:Int64})`;
  const [row] = await reader.remembered(about, { sql, bound: { site_id: siteId, to: range.to } });
  const hasData = Number(row?.['rows'] ?? 0) > 0;
  const first = hasData ? Number(row?.['first']) : (await askArrivals(reader, siteId)).first_event_at;
  return first !== null && first >= range.from + DAY_MS ? dayOf(first) : null;
}
