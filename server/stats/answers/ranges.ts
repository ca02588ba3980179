// Finds a query's range and the first day with data, both of which may depend on the store.
import { type AskedPeriod, type Range, resolvePeriod } from '../../vocabulary/time/periods.ts';
import { DAY_MS, dayOf } from '../../vocabulary/time/time.ts';
import { ALWAYS } from '../answer-cache.ts';
import type { Reader } from '../reader.ts';
import type { Asked } from './values.ts';

/** Times of a site's first and last event. */
export type Arrivals = { first_event_at: number | null; last_event_at: number | null };

/**
 * The first instant with an event of the site, or the epoch without any. The store keeps the number of rows of each day, and reads only the
 * rows of the first one.
 */
const FIRST_TIME = `(SELECT toUnixTimestamp64Milli(min(time)) FROM events WHERE site_id = {site_id:String} AND toDate(time) =
  (SELECT min(on_day) FROM (SELECT toDate(time) AS on_day, count() FROM events WHERE site_id = {site_id:String} GROUP BY on_day)))`;
/** The first day with events, as midnight UTC of its date. Rows of neighbouring days of the calendar may count towards the same day. */
const FIRST_DAY = `(SELECT toUnixTimestamp(toDateTime(min(on_day), 'UTC')) * 1000
  FROM (SELECT day AS on_day, count() FROM events WHERE site_id = {site_id:String} GROUP BY on_day))`;

/** The first day that another product counted. */
const FIRST_IMPORTED = `(SELECT toUnixTimestamp(toDateTime(min(day), 'UTC')) * 1000 FROM imported_days WHERE site_id = {site_id:String})`;

/** `include_imported`: false leaves out the days that other products counted. */
type Importing = { site_id: string; include_imported?: boolean | undefined };

export async function askArrivals({ query }: Reader, siteId: string): Promise<Arrivals> {
  const [row] = await query<{ first: string | number; last: string | number; rows: string | number }>(
    `SELECT ${FIRST_TIME} AS first, toUnixTimestamp64Milli(max(time)) AS last, count() AS rows
      FROM events WHERE site_id = {site_id:String}`,
    { site_id: siteId },
  );
  return Number(row?.rows ?? 0) === 0
    ? { first_event_at: null, last_event_at: null }
    : { first_event_at: Number(row?.first), last_event_at: Number(row?.last) };
}

export async function askRange(
  reader: Reader,
  { question, site, now }: Asked<AskedPeriod & Importing>,
): Promise<Range> {
  const zone = site.timezone ?? undefined;
  if (question.period !== 'all') return resolvePeriod(question, now, { zone });
  const firstAt = await askFirst(reader, { ...question, zone });
  return resolvePeriod(question, now, { zone, firstAt: firstAt ?? undefined });
}

/** Returns the first day with data if the range starts before it, else null. */
export async function askCountedSince(reader: Reader, of: Importing, range: Range): Promise<string | null> {
  const first = await askFirst(reader, { ...of, zone: range.zone });
  return first !== null && first >= range.from + DAY_MS ? dayOf(first) : null;
}

/** The instant of the site's first event; in a time zone, midnight UTC of its day there. Null without events and imported days. */
async function askFirst(
  { remembered }: Reader,
  { site_id, include_imported = true, zone }: Importing & Pick<Range, 'zone'>,
): Promise<number | null> {
  const sql = `SELECT ${zone === undefined ? FIRST_TIME : FIRST_DAY} AS first, count() AS rows, ${FIRST_IMPORTED} AS imported
    FROM events WHERE site_id = {site_id:String}`;
  const [row] = await remembered(
    { site_id, range: ALWAYS },
    { sql, bound: { site_id } },
    'nothing about visitors', // only the day is used
  );
  const firsts = [
    ...(Number(row?.['rows'] ?? 0) > 0 ? [Number(row?.['first'])] : []),
    ...(include_imported && Number(row?.['imported'] ?? 0) > 0 ? [Number(row?.['imported'])] : []),
  ];
  return firsts.length > 0 ? Math.min(...firsts) : null;
}
