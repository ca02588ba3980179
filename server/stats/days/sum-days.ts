// The job that sums closed days. It finds the days whose rows are not the ones that were summed, and sums them again.
import { randomBytes } from 'node:crypto';
import type { EventStore } from '../../store/open.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, readDay } from '../../vocabulary/time/time.ts';
import { UTC } from '../../vocabulary/time/zones.ts';
import type { Versions } from '../answer-cache.ts';
import { buildSums } from './day-sums.ts';
import { buildSplitVisits, buildVisits } from './write-visits.ts';
import type { Scope } from '../sql/scope.ts';
import { DIMENSIONS_SQL, type Fingerprint, HAS_DIMENSIONS, OF_ROWS, REPLACED } from './summed-days.ts';

/** Days with fewer rows are read from their events, which takes no longer. */
const LEAST_ROWS = 1_000;
/** A day is closed when no event has come for this long. If that is wrong, as at night on a quiet site, the day is summed again later. */
const QUIET_MS = 30 * MINUTE_MS;
/** A run ends after this time, so that it never overlaps the next. The days that are left are summed then, the latest first. */
const RUN_MS = 40_000;
/** The visits of larger days are written in slices, since the engine holds those of one statement in memory: about 130 bytes an event. */
const EVENTS_AT_ONCE = 300_000;
const MAX_DAYS = 1_000;

/** A day that could not be summed is tried again after this time. */
const RETRY_MS = HOUR_MS;
/** A day that was summed without its visits is summed again after this time: until then its sums are in use. */
const RETRY_VISITS_MS = DAY_MS;

type Parts = {
  store: Pick<EventStore, 'query' | 'derive'>;
  versions: Pick<Versions, 'stored'>;
  onFailed(error: unknown, day: OneDay): void;
};
type Options = { now: number; leastRows?: number; eventsAtOnce?: number; signal?: AbortSignal };
type OneDay = { site_id: string; day: string };

/** The function returns how many days it summed. A day that fails holds up no other. */
export function openSumming({ store, versions, onFailed }: Parts): (options: Options) => Promise<number> {
  const failedAt = new Map<string, number>();
  return async ({ now, leastRows = LEAST_ROWS, eventsAtOnce = EVENTS_AT_ONCE, signal }) => {
    const deadline = performance.now() + RUN_MS;
    for (const [key, at] of failedAt) if (at <= now - RETRY_MS) failedAt.delete(key);
    let summed = 0;
    for (const { site: site_id, date: day, ...before } of await askChangedDays(store, { now, leastRows })) {
      if (performance.now() > deadline || signal?.aborted) break;
      const key = `${day} ${site_id}`;
      if (failedAt.has(key)) continue;
      try {
        const onVisitsFailed = (error: unknown) => onFailed(error, { site_id, day });
        const slices = Math.ceil(Number(before.row_count) / eventsAtOnce);
        if (await sumDay(store, { site_id, day, before, slices, now, onVisitsFailed })) summed += 1;
      } catch (error) {
        failedAt.set(key, now);
        onFailed(error, { site_id, day });
      }
      versions.stored([{ site_id, time: readDay(day) ?? now }]);
    }
    return summed;
  };
}

const OF_DAY = 'site_id = {site_id:String} AND day = {day:Date}';
/** Condition for the rows that a run has derived. */
export const OF_RUN = `${OF_DAY} AND summing = {summing:String}`;
/** How many events of a day have been replaced, as text; the join gives '' for none. */
const GONE = "if(lost.gone = '', '0', lost.gone)";

type ChangedDay = Fingerprint & { site: string; date: string };

/** The closed days of all sites that have never been summed, whose rows have changed since, or that lack a dimension or their visits. */
async function askChangedDays(
  { query }: Pick<EventStore, 'query'>,
  { now, leastRows }: { now: number; leastRows: number },
): Promise<ChangedDay[]> {
  return query<ChangedDay>(
    `SELECT now.site_id AS site, toString(now.day) AS date, now.row_count AS row_count, now.row_ids AS row_ids, ${GONE} AS replaced
    FROM (SELECT site_id, day, ${OF_ROWS}, max(time) AS last_at FROM events GROUP BY site_id, day
      HAVING count() >= {least_rows:Int64} AND last_at < fromUnixTimestamp64Milli({quiet_since:Int64})) AS now
    LEFT JOIN (${REPLACED} GROUP BY site_id, on_day) AS lost ON lost.site_id = now.site_id AND lost.on_day = now.day
    LEFT JOIN (SELECT * FROM summed_days FINAL) AS summed ON summed.site_id = now.site_id AND summed.day = now.day
    WHERE (now.row_count, now.row_ids, ${GONE}) != (toString(summed.row_count), toString(summed.row_ids), toString(summed.replaced))
      OR NOT ${HAS_DIMENSIONS}
      OR (summed.has_visits = 0 AND summed.version <= {visits_tried_before:Int64})
    ORDER BY now.day DESC, now.site_id LIMIT ${String(MAX_DAYS)}`,
    { least_rows: leastRows, quiet_since: now - QUIET_MS, visits_tried_before: now - RETRY_VISITS_MS },
  );
}

type Run = OneDay & { summing: string };
type Summing = OneDay & { before: Fingerprint; slices: number; now: number; onVisitsFailed(error: unknown): void };

/** Returns false if rows of the day were stored or deleted meanwhile: a later run sums it again. */
async function sumDay(
  store: Parts['store'],
  { before, slices, now, onVisitsFailed, ...of }: Summing,
): Promise<boolean> {
  await deleteUnusedSums(store, of);
  const run: Run = { ...of, summing: randomBytes(6).toString('base64url') }; // short, since questions name one for each day
  const written = await writeDay(store, run, { before, slices, onVisitsFailed }).catch(async (error: unknown) => {
    await Promise.allSettled([deleteRun(store, run)]); // the next run deletes what is left
    throw error;
  });
  if (!written) {
    await deleteRun(store, run); // a site that was deleted meanwhile must leave nothing
    return false;
  }
  // TRICKY: if this fails, the row may be stored all the same, so the run's rows must stay.
  await store.derive({
    sql: `INSERT INTO summed_days (site_id, day, summing, row_count, row_ids, replaced, mixed, has_visits, dimensions, version)
      SELECT {site_id:String}, {day:Date}, {summing:String}, {row_count:UInt64}, {row_ids:UInt64}, {replaced:UInt64},
        {mixed:UInt64}, {has_visits:UInt8}, ${DIMENSIONS_SQL},
        greatest({version:UInt64}, (SELECT max(version) FROM summed_days WHERE ${OF_DAY}) + 1)`, // also if the clock was set back
    bound: { ...run, ...before, mixed: written.mixed, has_visits: written.hasVisits ? 1 : 0, version: now },
  });
  return true;
}

/** Writes the sums and the visits. A day whose visits cannot be written has only sums. Undefined if the day's rows have changed. */
async function writeDay(
  store: Parts['store'],
  { summing, ...of }: Run,
  { before, slices, onVisitsFailed }: Pick<Summing, 'before' | 'slices' | 'onVisitsFailed'>,
): Promise<{ hasVisits: boolean; mixed: number } | undefined> {
  const scope = scopeOfDay(of.site_id, of.day);
  await store.derive(buildSums(scope, { day: of.day, summing }));
  const written = { hasVisits: true, mixed: 0 };
  try {
    for (let slice = 0; slice < slices; slice += 1)
      await store.derive(buildVisits(scope, { day: of.day, summing, slice, slices }));
    written.mixed = await countMixed(store, { ...of, summing, scope: slices > 1 ? scope : undefined });
  } catch (error) {
    written.hasVisits = false;
    onVisitsFailed(error);
    await deleteRows(store, 'day_visits', { ...of, summing });
  }
  const after = await askFingerprint(store, of);
  const isUnchanged =
    after.row_count === before.row_count && after.row_ids === before.row_ids && after.replaced === before.replaced;
  return isUnchanged ? written : undefined;
}

/** Visits whose rows differ. `scope`: of a day whose visits were written in slices. */
async function countMixed(
  { query }: Pick<EventStore, 'query'>,
  { scope, ...run }: Run & { scope: Scope | undefined },
): Promise<number> {
  const [inVisits] = await query<{ visits: string }>(
    `SELECT sum(is_mixed) AS visits FROM day_visits WHERE ${OF_RUN}`,
    run,
  );
  const split = scope && buildSplitVisits(scope);
  const [inSlices] = split ? await query<{ visits: string }>(split.sql, split.bound) : [];
  return Number(inVisits?.visits ?? 0) + Number(inSlices?.visits ?? 0);
}

/** The rows that count towards a day of their site, in whichever time zone it was given. */
function scopeOfDay(site_id: string, day: string): Scope {
  const from = readDay(day) ?? NaN;
  return { site_id, range: { from, to: from + DAY_MS, zone: UTC }, filters: [], currency: '', max_amount: 0 };
}

async function askFingerprint({ query }: Pick<EventStore, 'query'>, of: OneDay): Promise<Fingerprint> {
  const [row] = await query<Fingerprint>(
    `SELECT ${OF_ROWS}, (SELECT max(gone) FROM (${REPLACED} AND site_id = {site_id:String} GROUP BY site_id, on_day HAVING on_day = {day:Date})) AS replaced
      FROM events WHERE site_id = {site_id:String} AND day = {day:Date} AND toDate(time) >= {day:Date} - 1 AND toDate(time) <= {day:Date} + 1`,
    of,
  );
  return { row_count: row?.row_count ?? '0', row_ids: row?.row_ids ?? '0', replaced: row?.replaced || '0' };
}

const DERIVED = ['day_sums', 'day_visits', 'day_goals'] as const;

async function deleteRun(store: Parts['store'], run: Run): Promise<void> {
  for (const table of DERIVED) await deleteRows(store, table, run);
}

/** Deletes what a run has written, from the files too: those of its site may have been erased already. */
async function deleteRows(
  { derive }: Pick<EventStore, 'derive'>,
  table: (typeof DERIVED)[number],
  run: Run,
): Promise<void> {
  await derive({ sql: `ALTER TABLE ${table} DELETE WHERE ${OF_RUN} SETTINGS mutations_sync = 1`, bound: run });
}

/**
 * Deletes what killed or disturbed runs left, and the sums from before the last. The last ones stay until the next run: a question may have
 * looked them up already.
 */
async function deleteUnusedSums({ query, derive }: Parts['store'], of: OneDay): Promise<void> {
  const UNUSED = `${OF_DAY} AND summing NOT IN (SELECT summing FROM summed_days FINAL WHERE ${OF_DAY})`;
  for (const table of DERIVED) {
    const [unused] = await query<{ rows: string }>(`SELECT count() AS rows FROM ${table} WHERE ${UNUSED}`, of);
    if (Number(unused?.rows) > 0) await derive({ sql: `DELETE FROM ${table} WHERE ${UNUSED}`, bound: of });
  }
}
