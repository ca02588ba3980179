// Purged rows: what a filter showed is moved out of the tables that questions read, and kept apart for as long as it can be put back. Every
// step can be run again after a kill: rows are copied before they are deleted, and only those that are not there yet.
import { randomBytes } from 'node:crypto';
import type { VisitedEvent } from '../vocabulary/event.ts';
import { NOTHING_PURGED, type PurgedCounts } from '../vocabulary/settings/purges.ts';
import { DAY_MS } from '../vocabulary/time/time.ts';
import type { Bound, Reader } from './pool.ts';
import { idText, PURGED_TABLES, storedId, TABLES, toEvent, WHOLE_EVENT } from './rows.ts';

/** `purge`: the id under which the rows are kept. */
type PurgeOf = { site_id: string; purge: string };
/** `where`: an SQL condition for rows of the table, with its values. Of events, it must take whole visits. */
type Chosen = PurgeOf & { table: PurgeableTable; where: string; bound: Bound };
type PurgeableTable = keyof typeof PURGED_TABLES;

export type PurgedRows = {
  /** Copies the rows. They still count. */
  choose(chosen: Chosen): Promise<void>;
  /**
   * Takes the chosen rows out, and what has been stored of their visits meanwhile. Returns false if nothing was left to take. `since`: rows
   * of days that were over then are not looked at.
   */
  takeOut(purge: PurgeOf, since?: number): Promise<boolean>;
  /** Puts the rows back. They are also kept until `drop`. */
  putBack(purge: PurgeOf): Promise<void>;
  /** Deletes the kept rows. */
  drop(purge: PurgeOf): Promise<void>;
  /** Deletes what was derived from the rows or said about them, and then the rows. No later query finds them. */
  erase(purge: PurgeOf): Promise<void>;
  counts(purge: PurgeOf): Promise<PurgedCounts>;
  /** The visitors of the rows since an instant. */
  visitors(purge: PurgeOf, since: number): Promise<string[]>;
  /** One event of each order of the rows, in parts: `after` is the last order of the part before, '' for the first part. */
  orders(purge: PurgeOf, after: string): Promise<VisitedEvent[]>;
  /** All purges that have rows. */
  all(): Promise<PurgeOf[]>;
};

const PURGEABLE = Object.keys(PURGED_TABLES) as PurgeableTable[];

const OF = 'site_id = {site_id:String} AND purge = {purge:String}';
const IN_SPAN = 'time >= fromUnixTimestamp64Milli({from:Int64}) AND time < fromUnixTimestamp64Milli({to:Int64})';
/** A visit ends with its day, so its rows are at most a day apart. */
const NEAR_SPAN =
  'time >= fromUnixTimestamp64Milli({from:Int64}) - INTERVAL 1 DAY AND time < fromUnixTimestamp64Milli({to:Int64}) + INTERVAL 1 DAY';
const kept = (column: string, table: PurgeableTable) =>
  `(SELECT ${column} FROM ${PURGED_TABLES[table]} WHERE ${OF} AND ${NEAR_SPAN})`;
/** A purge that was put back may be made again with the same rows: without a token of its own, that could be taken for a repeated insert. */
const settings = () =>
  `SETTINGS insert_deduplication_token = '${randomBytes(12).toString('hex')}', max_partitions_per_insert_block = 0`;
/** What was derived from the rows of a span, or said about them. */
const DELETE_DERIVED = [
  ...['day_sums', 'day_visits', 'day_goals', 'summed_days'].map(
    (table) =>
      `DELETE FROM ${table} WHERE site_id = {site_id:String}
        AND day >= toDate(fromUnixTimestamp64Milli({from:Int64})) AND day <= toDate(fromUnixTimestamp64Milli({to:Int64}))`,
  ),
  `DELETE FROM superseded WHERE site_id = {site_id:String} AND ${IN_SPAN} AND event_id IN ${kept('event_id', 'events')}`,
];
/** Rows that are moved at once: the engine holds their ids in memory. A single day is never divided. */
const ROWS_AT_ONCE = 500_000;
/** Of those that are put back, whole rows are in memory, too. */
const BACK_AT_ONCE = 100_000;
/** Orders in a part. */
const ORDERS_AT_ONCE = 1_000;

/** `change` runs a statement that may take long. */
type Parts = { change(sql: string, bound: Bound): Promise<void>; ask: Reader['ask']; rowsAtOnce?: number };

export function openPurged({ change, ask, rowsAtOnce = ROWS_AT_ONCE }: Parts): PurgedRows {
  /** Whole days that together have all rows of the purge, and those of its visits. */
  const spansOf = async (table: PurgeableTable, of: PurgeOf, most = rowsAtOnce) => {
    const days = await ask<{ from: string; rows: string }>(
      `SELECT toString(toUnixTimestamp(toStartOfDay(time, 'UTC'))) AS from, toString(count()) AS rows
        FROM ${PURGED_TABLES[table]} WHERE ${OF} GROUP BY from ORDER BY min(time)`,
      of,
    );
    return joined(days, most).map((span) => ({ ...of, ...span }));
  };
  /** `LIMIT BY`: a copy that was given up half-way may have been stored all the same, beside the next one. */
  const copyBack = (table: PurgeableTable, bound: Bound) => {
    const columns = TABLES[table].columns.join(', ');
    return change(
      `INSERT INTO ${table} (${columns}) ${settings()} SELECT ${columns} FROM ${PURGED_TABLES[table]} WHERE ${OF} AND ${IN_SPAN}
        AND event_id NOT IN (SELECT event_id FROM ${table} WHERE site_id = {site_id:String} AND ${IN_SPAN}) LIMIT 1 BY event_id`,
      bound,
    );
  };
  const copy = (table: PurgeableTable, where: string, bound: Bound) => {
    const columns = TABLES[table].columns.join(', ');
    return change(
      `INSERT INTO ${PURGED_TABLES[table]} (purge, ${columns}) ${settings()} SELECT {purge:String}, ${columns} FROM ${table} WHERE ${where}`,
      bound,
    );
  };
  const count = async (sql: string, bound: Bound) => Number((await ask<{ n: string }>(sql, bound))[0]?.n ?? 0);

  /** Copies what is stored by now of the chosen visits. */
  const copyRest = async (table: 'events' | 'vitals' | 'errors', bound: Bound): Promise<void> => {
    const rest = `site_id = {site_id:String} AND ${IN_SPAN} AND visit_id != 0 AND visit_id IN ${kept('visit_id', 'events')}
      AND event_id NOT IN ${kept('event_id', table)}`;
    if ((await count(`SELECT toString(count()) AS n FROM ${table} WHERE ${rest}`, bound)) > 0)
      await copy(table, rest, bound);
  };

  const drop = async (of: PurgeOf): Promise<void> => {
    for (const table of Object.values(PURGED_TABLES)) await change(`DELETE FROM ${table} WHERE ${OF}`, of);
  };

  return {
    choose: ({ table, where, bound, ...of }) => copy(table, where, { ...bound, ...of }),
    takeOut: async (of, since = 0) => {
      let hasTaken = false;
      for (const table of PURGEABLE) {
        for (const bound of await spansOf(table, of)) {
          if (bound.to <= since) continue;
          if (table === 'events') {
            await copyRest('events', bound);
            // these tables come after this one
            await copyRest('vitals', bound);
            await copyRest('errors', bound);
          }
          const chosen = `site_id = {site_id:String} AND ${IN_SPAN} AND event_id IN ${kept('event_id', table)}`;
          if ((await count(`SELECT toString(count()) AS n FROM ${table} WHERE ${chosen}`, bound)) === 0) continue;
          await change(`DELETE FROM ${table} WHERE ${chosen}`, bound);
          hasTaken = true;
        }
      }
      return hasTaken;
    },
    putBack: async (of) => {
      const most = Math.min(rowsAtOnce, BACK_AT_ONCE);
      for (const table of PURGEABLE) for (const bound of await spansOf(table, of, most)) await copyBack(table, bound);
    },
    drop,
    erase: async (of) => {
      for (const bound of await spansOf('events', of)) for (const sql of DELETE_DERIVED) await change(sql, bound);
      await drop(of);
    },
    ...questionsAbout(ask),
  };
}

function questionsAbout(ask: Reader['ask']): Pick<PurgedRows, 'counts' | 'visitors' | 'orders' | 'all'> {
  return {
    counts: async (of) => {
      const [row] = await ask<PurgedCounts>(
        `SELECT ${COUNTED}, (SELECT toUInt32(uniqExact(event_id)) FROM purged_ai_visits WHERE ${OF}) AS ai_visits
          FROM purged_events WHERE ${OF}`,
        of,
      );
      return row ?? NOTHING_PURGED;
    },
    visitors: async (of, since) => {
      const rows = await ask<{ id: string }>(
        `SELECT DISTINCT ${idText('visitor_id')} AS id FROM purged_events
          WHERE ${OF} AND visitor_id != 0 AND time >= fromUnixTimestamp64Milli({since:Int64})`,
        { ...of, since },
      );
      return rows.map(({ id }) => id);
    },
    orders: async (of, after) => {
      const rows = await ask<Record<string, unknown>>(
        `SELECT ${WHOLE_EVENT} FROM purged_events WHERE ${OF} AND order_id IN (SELECT DISTINCT order_id FROM purged_events
            WHERE ${OF} AND order_id > {after:UInt64} ORDER BY order_id LIMIT ${ORDERS_AT_ONCE})
          ORDER BY order_id LIMIT 1 BY order_id`,
        { ...of, after: storedId(after) },
      );
      return rows.map(toEvent);
    },
    all: () =>
      ask<PurgeOf>(
        Object.values(PURGED_TABLES)
          .map((table) => `SELECT DISTINCT site_id, purge FROM ${table}`)
          .join(' UNION DISTINCT '),
        {},
      ),
  };
}

/** Joins days to spans without a gap between them. A span has at most `rowsAtOnce` rows, unless a single day has more. */
function joined(days: { from: string; rows: string }[], rowsAtOnce: number): { from: number; to: number }[] {
  const spans: { from: number; to: number }[] = [];
  let rows = 0;
  for (const day of days) {
    const from = Number(day.from) * 1000;
    const last = spans.at(-1);
    rows += Number(day.rows);
    if (last && rows <= rowsAtOnce) last.to = from + DAY_MS;
    else {
      spans.push({ from: last?.to ?? from - DAY_MS, to: from + DAY_MS });
      rows = Number(day.rows);
    }
  }
  const end = spans.at(-1);
  if (end) end.to += DAY_MS;
  return spans;
}

/** What a purge takes, counted over its rows: each event once, also if it was copied twice. */
export const COUNTED = `toUInt32(uniqExactIf(visit_id, visit_id != 0)) AS visits,
  toUInt32(uniqExactIf(event_id, name = 'pageview')) AS pageviews,
  toUInt32(uniqExactIf(event_id, name NOT IN ('pageview', 'engagement'))) AS events`;
