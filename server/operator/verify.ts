// Compares the stores with each other, and says what differs: the queue with the stored events, those with the sums, the visits and the counted
// goals of days and with how many they were when a day was summed, and all of them with the sites of the directory. It changes nothing.
import { sql } from 'kysely';
import type { Directory } from '../directory/open.ts';
import { pause } from '../queue/pause.ts';
import type { Buried, Queue } from '../queue/queue.ts';
import type { Writer } from '../queue/writer/writer.ts';
import { allPurges } from '../sites/purges.ts';
import { OF_ROWS, REPLACED } from '../stats/days/summed-days.ts';
import { knownIds } from '../store/existing-events.ts';
import type { EventStore } from '../store/open.ts';
import { message, say, t, tn } from '../vocabulary/habits/messages.ts';
import { fullNumber } from '../vocabulary/numbers/format.ts';
import type { Progress } from './progress.ts';
import { wrongGoalsIn } from './verify-goals.ts';

type Parts = { directory: Directory; store: EventStore; queue: Queue; writer: Pick<Writer, 'between'> };
type Run = { onProgress(progress: Progress): void; signal: AbortSignal };

export const CHECKS = ['doubled', 'missing', 'sums', 'visits', 'goals', 'queue', 'sites', 'references'] as const;
type Check = (typeof CHECKS)[number];
type Difference = { check: Check; text: string };
export type Verified = { differences: Difference[]; months: number; events: number; waiting: number };

const TABLES = ['events', 'ai_visits', 'vitals', 'errors'] as const;
/** Differences of one kind in one day; more say nothing new. */
const MOST = 100;
/** Ids in one query: less than 200 MB. */
const MOST_IDS = 4_000_000;
/** Another process may have stored a batch that it is about to take off the queue. */
const SETTLES_MS = 500;
const TRIES = 10;

export async function verifyStores(parts: Parts, { onProgress, signal }: Run): Promise<Verified> {
  const { store } = parts;
  const months = await store.query<{ month: number; row_count: string }>(
    'SELECT toYYYYMM(time) AS month, toString(count()) AS row_count FROM events GROUP BY month ORDER BY month',
    {},
  );
  const differences: Difference[] = [];
  for (const [done, { month }] of months.entries()) {
    onProgress({ done, total: months.length });
    for (const table of TABLES) differences.push(...(await doubledIn(store, table, month)));
    differences.push(...(await wrongDaysIn(store, month)));
    const wrongGoals = await wrongGoalsIn(parts, { month, most: MOST });
    differences.push(...wrongGoals.map((text): Difference => ({ check: 'goals', text })));
  }
  differences.push(...(await missingDays(parts)));
  const queue = await compareQueue(parts, signal);
  differences.push(...queue.differences, ...(await unknownSites(parts)), ...(await brokenReferences(parts)));
  onProgress({ done: 1, total: 1 });
  const events = months.reduce((sum, each) => sum + Number(each.row_count), 0);
  return { differences, months: months.length, events, waiting: queue.waiting };
}

/** Asks day by day, and for a large day in shares: the engine holds all ids of a query in memory. */
async function doubledIn(store: EventStore, table: (typeof TABLES)[number], month: number): Promise<Difference[]> {
  const days = await store.query<{ day: string; row_count: string }>(
    `SELECT toString(toDate(time)) AS day, toString(count()) AS row_count FROM ${table}
      WHERE toYYYYMM(time) = {month:UInt32} GROUP BY day ORDER BY day`,
    { month },
  );
  const found: Difference[] = [];
  for (const { day, row_count } of days) {
    const shares = Math.ceil(Number(row_count) / MOST_IDS);
    const doubled = new Map<string, number>();
    for (let share = 0; share < shares; share += 1)
      for (const { site, rows } of await store.query<{ site: string; rows: string }>(
        `SELECT site_id AS site, toString(count() - uniqExact(event_id)) AS rows FROM ${table}
          WHERE toDate(time) = toDate({day:String}) AND event_id % {shares:UInt32} = {share:UInt32}
          GROUP BY site_id HAVING count() != uniqExact(event_id) LIMIT ${String(MOST)}`,
        { day, shares, share },
      ))
        doubled.set(site, (doubled.get(site) ?? 0) + Number(rows));
    for (const [site, rows] of doubled) {
      const text = tn(
        rows,
        '{table}: {n} stored twice, site {site}, {day}',
        '{table}: {n} stored twice, site {site}, {day}',
        { table, site, day },
      );
      found.push({ check: 'doubled', text });
    }
  }
  return found;
}

const OF_DAY = 'site_id = {site:String} AND day = {day:Date}';
type Fewer = Record<'site' | 'on_day' | 'summed_rows', string>;

/** Finds days with fewer events than when they were summed. Purged ones are not missing. */
async function missingDays({ store, directory }: Parts): Promise<Difference[]> {
  const taken = (await allPurges(directory)).filter(({ state }) => state === 'taking' || state === 'taken');
  const months = await store.query<{ month: number }>(
    'SELECT DISTINCT toYYYYMM(day) AS month FROM summed_days ORDER BY month',
    {},
  );
  const found: Difference[] = [];
  for (const { month } of months) {
    const days = await store.query<Fewer>(
      `SELECT summed.site_id AS site, toString(summed.day) AS on_day, toString(summed.row_count) AS summed_rows
        FROM (SELECT site_id, day, row_count FROM summed_days FINAL WHERE toYYYYMM(day) = {month:UInt32}) AS summed
        LEFT JOIN (SELECT site_id, day, count() AS row_count FROM events WHERE toYYYYMM(day) = {month:UInt32} GROUP BY site_id, day) AS now
          ON now.site_id = summed.site_id AND now.day = summed.day
        WHERE now.row_count < summed.row_count ORDER BY on_day, site LIMIT ${String(MOST)}`,
      { month },
    );
    for (const { site, on_day, summed_rows } of days) {
      const [known] = await store.query<{ rows: string }>(
        `SELECT toString(uniqExact(event_id)) AS rows
          FROM (SELECT event_id FROM events WHERE ${OF_DAY} UNION ALL SELECT event_id FROM purged_events WHERE ${OF_DAY} AND purge IN {purges:Array(String)})`,
        { site, day: on_day, purges: taken.map(({ id }) => id) },
      );
      const lost = Number(summed_rows) - Number(known?.rows);
      if (lost > 0)
        found.push({
          check: 'missing',
          text: tn(
            lost,
            'events: {n} of {all} is missing, site {site}, {day}',
            'events: {n} of {all} are missing, site {site}, {day}',
            { all: fullNumber(Number(summed_rows)), site, day: on_day },
          ),
        });
    }
  }
  return found;
}

/** A table that is derived from the events of closed days. Both lists of numbers must be equal, and have the order of `called`. */
type Derived = {
  check: Check;
  /** What differs, and what is not there at all: messages. */
  differ: string;
  lack: string;
  /** A condition: the summed days that have rows in the table. */
  when: string;
  table: string;
  numbers: readonly string[];
  inEvents: readonly string[];
};

/** As IS_COUNTED and IS_ORDER of stats/sql/kinds.ts, for all sites at once. */
const superseded = (which: string) => `(site_id, order_event) IN (SELECT site_id, event_id FROM superseded
  WHERE toDate(time) >= {day:Date} - 2 AND toDate(time) <= {day:Date} + 2${which})`;
const VISITORS = 'uniqExactIf(visitor_id, visitor_id != 0)';
const PAGEVIEWS = "countIf(name = 'pageview')";
const EVENTS = `countIf(name NOT IN ('pageview', 'engagement') AND NOT ${superseded(' AND replaced = 1')})`;
const IS_PAYMENT = `currency != '' AND NOT ${superseded('')}`;

const DERIVED: readonly Derived[] = [
  {
    check: 'sums',
    differ: message(
      'sums: visitors, visits and page views are {written}, but {counted} in the events, site {site}, {day}',
    ),
    lack: message('sums: visitors, visits and page views are missing, but {counted} in the events, site {site}, {day}'),
    when: '1',
    table: "day_sums WHERE dimension = '' AND",
    numbers: ['sum(unique_visitors)', 'sum(visits)', 'sum(pageviews)'],
    inEvents: [VISITORS, 'sum(visit_started)', PAGEVIEWS],
  },
  {
    check: 'visits',
    differ: message(
      'visits: visitors, visits, page views, events, bounces, milliseconds, rows seen, payments and amounts are {written}, but {counted} in the events, site {site}, {day}',
    ),
    lack: message(
      'visits: visitors, visits, page views, events, bounces, milliseconds, rows seen, payments and amounts are missing, but {counted} in the events, site {site}, {day}',
    ),
    when: 'summed.has_visits = 1 AND summed.mixed = 0', // others are read from their events
    table: 'day_visits WHERE',
    numbers: [
      'uniqExactIf(visitor, visitor != 0)',
      'sum(visits)',
      'sum(pageviews)',
      'sum(events)',
      'sum(bounces)',
      'sum(visit_ms)',
      'sum(length(seen.name))',
      'sum(length(paid.amount))',
      'sum(arraySum(paid.amount))',
    ],
    inEvents: [
      VISITORS,
      'sum(visit_started)',
      PAGEVIEWS,
      EVENTS,
      'sum(bounces)',
      'sum(visit_ms)',
      `${PAGEVIEWS} + ${EVENTS}`,
      `countIf(${IS_PAYMENT})`,
      `sumIf(amount, ${IS_PAYMENT})`,
    ],
  },
];

/**
 * Compares what is written of days, and is in use, with their events: that of days that have changed since is not in use. Asks day by day,
 * since the engine holds all visitors of a query in memory.
 */
async function wrongDaysIn(store: EventStore, month: number): Promise<Difference[]> {
  const days = await store.query<{ on_day: string }>(
    `SELECT DISTINCT toString(day) AS on_day FROM summed_days WHERE toYYYYMM(day) = {month:UInt32} ORDER BY on_day`,
    { month },
  );
  const found: Difference[] = [];
  for (const { on_day } of days) for (const derived of DERIVED) found.push(...(await wrongOf(store, derived, on_day)));
  return found;
}

async function wrongOf(store: EventStore, derived: Derived, day: string): Promise<Difference[]> {
  const { check, differ, lack, when, table, numbers, inEvents } = derived;
  const textOf = (columns: readonly string[]) => `toString((${columns.join(', ')})) AS numbers`;
  const rows = await store.query<Record<'site' | 'in_events' | 'in_days', string>>(
    `SELECT now.site_id AS site, now.numbers AS in_events, written.numbers AS in_days
    FROM (SELECT site_id, ${OF_ROWS}, ${textOf(inEvents)}
      FROM events WHERE day = {day:Date} AND toDate(time) >= {day:Date} - 1 AND toDate(time) <= {day:Date} + 1 GROUP BY site_id) AS now
    INNER JOIN (SELECT * FROM summed_days FINAL WHERE day = {day:Date}) AS summed ON summed.site_id = now.site_id
    LEFT JOIN (${REPLACED} AND toDate(time) >= {day:Date} - 1 AND toDate(time) <= {day:Date} + 1
      GROUP BY site_id, on_day HAVING on_day = {day:Date}) AS lost ON lost.site_id = now.site_id
    LEFT JOIN (SELECT site_id, summing, ${textOf(numbers)} FROM ${table} day = {day:Date} GROUP BY site_id, summing) AS written
      ON written.site_id = now.site_id AND written.summing = summed.summing
    WHERE (now.row_count, now.row_ids, if(lost.gone = '', '0', lost.gone))
        = (toString(summed.row_count), toString(summed.row_ids), toString(summed.replaced))
      AND ${when} AND written.numbers != now.numbers LIMIT ${String(MOST)}`,
    { day },
  );
  return rows.map(({ site, in_events, in_days }) => ({
    check,
    text: say(in_days === '' ? lack : differ, { written: in_days, counted: in_events, site, day }),
  }));
}

/** Finds events that wait, or were set aside, although they are stored: writing them would count them twice. */
async function compareQueue({ store, queue, writer }: Parts, signal: AbortSignal) {
  let waiting = 0;
  let stored: Buried['entry'][] = [];
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    if (attempt > 0) await pause(SETTLES_MS, signal);
    waiting = 0;
    stored = [];
    await writer.between(async () => {
      for await (const part of queue.contents()) {
        waiting += part.waiting.length;
        const entries = [...part.waiting, ...part.buried.map(({ entry }) => entry)];
        const known = await knownIds(store, entries);
        stored.push(...entries.filter(({ event_id }) => known.has(event_id)));
      }
    });
    if (stored.length === 0 || signal.aborted) break;
  }
  const bySite = Map.groupBy(stored, ({ site_id }) => site_id);
  const differences = [...bySite].map(([site, entries]): Difference => ({
    check: 'queue',
    text: tn(
      entries.length,
      'queue: {n} is stored already, site {site}',
      'queue: {n} are stored already, site {site}',
      { site },
    ),
  }));
  return { waiting, differences };
}

/** Finds stored events of sites that the directory does not know. A deletion under way explains some of them. */
async function unknownSites({ store, directory: { db } }: Parts): Promise<Difference[]> {
  const sites = await db.selectFrom('sites').select('id').execute();
  const deletions = await db.selectFrom('deletions').select('site_id').execute();
  const known = new Set<string>([...sites.map(({ id }) => id), ...deletions.map(({ site_id }) => site_id)]);
  const differences: Difference[] = [];
  for (const table of TABLES) {
    for (let after = ''; ;) {
      const rows = await store.query<{ site: string }>(
        `SELECT DISTINCT site_id AS site FROM ${table} WHERE site_id > {after:String} ORDER BY site LIMIT 100000`,
        { after },
      );
      for (const { site } of rows)
        if (!known.has(site)) {
          const text = t('{table}: the directory has no site {site}', { table, site });
          differences.push({ check: 'sites', text });
        }
      const last = rows.at(-1);
      if (!last) break;
      after = last.site;
    }
  }
  return differences;
}

/** PostgreSQL never admits a reference to a missing row. SQLite does while its checks are off, as in other programs. */
async function brokenReferences({ directory: { db, form } }: Parts): Promise<Difference[]> {
  if (form === 'postgres') return [];
  const { rows } = await sql<{ table: string; parent: string }>`PRAGMA foreign_key_check`.execute(db);
  return rows.map(({ table, parent }) => ({
    check: 'references',
    text: t('directory: a row of {table} refers to a row of {parent} that is missing', { table, parent }),
  }));
}
