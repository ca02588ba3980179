// The days of an import: which of them are taken already, and what it brings to the others.
import type { Flag } from '../directory/schema.ts';
import type { Brought } from '../sites/import-list.ts';
import { HIT_TABLES, type HitTable } from '../store/imported.ts';
import type { EventStore } from '../store/open.ts';
import { PURGED_TABLES } from '../store/rows.ts';
import type { SiteId } from '../vocabulary/event.ts';
import type { TakenDays } from '../vocabulary/imports/overlap.ts';

/** Days with events, and those of daily totals with the import that counts for them, in their order. */
type Taken = Pick<TakenDays, 'counted' | 'paid'> & { imported: { day: string; id: string }[] };

export async function askTakenDays({ query }: Pick<EventStore, 'query'>, siteId: SiteId): Promise<Taken> {
  const own = await query<{ on_day: string; payments: string }>(COUNTED_DAYS, { site_id: siteId });
  const imported = await query<{ on_day: string; id: string }>(IMPORTED_DAYS, { site_id: siteId });
  return {
    counted: own.map(({ on_day }) => on_day),
    paid: own.filter(({ payments }) => payments !== '0').map(({ on_day }) => on_day),
    imported: imported.map(({ on_day, id }) => ({ day: on_day, id })),
  };
}

const COUNTED_DAYS = `SELECT toString(day) AS on_day, toString(countIf(currency != '')) AS payments
  FROM events WHERE site_id = {site_id:String} GROUP BY day ORDER BY on_day`;
const IMPORTED_DAYS = `SELECT toString(day) AS on_day, argMax(summing, version) AS id
  FROM (SELECT * FROM imported_days FINAL WHERE site_id = {site_id:String}) GROUP BY day ORDER BY on_day`;

/** The days of daily totals that other imports have. */
export async function askDaysOfOthers({ query }: Pick<EventStore, 'query'>, of: OfStore): Promise<string[]> {
  const { site_id, summing } = of;
  return (await query<{ on_day: string }>(DAYS_OF_OTHERS, { site_id, summing })).map(({ on_day }) => on_day);
}
const DAYS_OF_OTHERS = `SELECT toString(day) AS on_day FROM imported_days
  WHERE site_id = {site_id:String} AND summing != {summing:String} GROUP BY day ORDER BY on_day`;

type OfStore = { site_id: SiteId; summing: string };
/** `keeps_others`: 1 if days that other imports have stay theirs. */
type OfHits = OfStore & { keeps_others: Flag };

/**
 * The days that take nothing from an import into a table: those with other events, for the other tables those with others of theirs, too, and those
 * of other imports that keep them.
 */
const TAKEN_DAYS = {
  events: otherDays(['events']),
  ai_visits: otherDays(['events', 'ai_visits']),
  vitals: otherDays(['events', 'vitals']),
  errors: otherDays(['events', 'errors']),
} as const;

function otherDays(tables: readonly HitTable[]): string {
  const ofHits = tables.map(
    (table) =>
      `SELECT day FROM ${table} WHERE site_id = {site_id:String} AND import_id != {summing:String} GROUP BY day`,
  );
  const ofSums = `SELECT day FROM imported_days
    WHERE site_id = {site_id:String} AND summing != {summing:String} AND {keeps_others:UInt8} = 1 GROUP BY day`;
  return [...ofHits, ofSums].join(' UNION DISTINCT ');
}

/** The days of an import's hits that are taken. */
export async function askTaken({ query }: Pick<EventStore, 'query'>, table: HitTable, of: OfHits): Promise<string[]> {
  const rows = await query<{ on_day: string }>(
    `SELECT DISTINCT toString(day) AS on_day FROM ${PURGED_TABLES[table]}
      WHERE site_id = {site_id:String} AND purge = {summing:String} AND day IN (${TAKEN_DAYS[table]})`,
    of,
  );
  return rows.map(({ on_day }) => on_day);
}

/** The hits of an import for the days that take them. They are among the purged rows, or partly put back. */
const broughtTo = (table: HitTable, columns: string, where = ''): string =>
  [table, PURGED_TABLES[table]]
    .map(
      (from) =>
        `SELECT ${columns} FROM ${from} WHERE site_id = {site_id:String} AND import_id = {summing:String}
          AND day NOT IN (${TAKEN_DAYS[table]}) ${where}`,
    )
    .join(' UNION ALL ');

const SUMS = `SELECT toString(day) AS on_day, toString(ifNull(sum(pageviews), 0)) AS views, toString(sum(unique_visitors)) AS people
  FROM imported_sums WHERE site_id = {site_id:String} AND summing = {summing:String} AND dimension = '' GROUP BY day`;

const HITS_OF_DAYS = `SELECT toString(day) AS on_day, toString(count()) AS hits
  FROM (${HIT_TABLES.map((table) => broughtTo(table, 'day')).join(' UNION ALL ')}) GROUP BY day ORDER BY on_day`;

/** A row's day differs from its UTC day by at most one. */
const OF_SPAN = `AND day >= toDate({first:String}) AND day <= toDate({last:String})
  AND toDate(time) >= toDate({first:String}) - 1 AND toDate(time) <= toDate({last:String}) + 1`;
/** Counts the hits of the days of a span, whose ids and visitors are in memory meanwhile. */
const HITS = `SELECT toString(uniqExactIf(event_id, name = 'pageview')) AS views, toString(uniqExactIf((day, visitor_id), visitor_id != 0)) AS people,
    (SELECT toString(uniqExact(event_id)) FROM (${broughtTo('ai_visits', 'event_id', OF_SPAN)})) AS agents
  FROM (${broughtTo('events', 'day, event_id, name, visitor_id', OF_SPAN)})`;
/** Hits whose ids are in memory together, unless a single day has more. */
const HITS_AT_ONCE = 100_000;

/** Joins days to spans. */
function spansOf(days: readonly { on_day: string; hits: string }[]): { first: string; last: string }[] {
  const spans: { first: string; last: string; hits: number }[] = [];
  for (const { on_day, hits } of days) {
    const span = spans.at(-1);
    if (span && span.hits + Number(hits) <= HITS_AT_ONCE)
      Object.assign(span, { last: on_day, hits: span.hits + Number(hits) });
    else spans.push({ first: on_day, last: on_day, hits: Number(hits) });
  }
  return spans.map(({ first, last }) => ({ first, last }));
}

/** The days and totals of an import that has not begun to count. `days`: of sums. `lastHits`: the last day with hits. */
export async function askBrought(
  { query }: Pick<EventStore, 'query'>,
  of: OfHits,
): Promise<{ days: string[]; lastHits: string | undefined; brought: Brought; aiVisits: number }> {
  const sums = await query<{ on_day: string; views: string; people: string }>(SUMS, {
    site_id: of.site_id,
    summing: of.summing,
  });
  const hits = await query<{ on_day: string; hits: string }>(HITS_OF_DAYS, of);
  const days = [...new Set([...sums, ...hits].map(({ on_day }) => on_day))].sort();
  const total = { pageviews: 0, visitors: 0, aiVisits: 0 };
  const count = ({ views, people, agents = '0' }: { views: string; people: string; agents?: string }) => {
    total.pageviews += Number(views);
    total.visitors += Number(people);
    total.aiVisits += Number(agents);
  };
  sums.forEach((row) => count(row));
  for (const span of spansOf(hits))
    (await query<Record<'views' | 'people' | 'agents', string>>(HITS, { ...of, ...span })).forEach((row) => count(row));
  const { aiVisits, ...totals } = total;
  const [first_day = ''] = days;
  return {
    days: sums.map(({ on_day }) => on_day).sort(),
    lastHits: hits.at(-1)?.on_day,
    aiVisits,
    brought: { first_day, last_day: days.at(-1) ?? '', days: days.length, ...totals },
  };
}
