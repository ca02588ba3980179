// Every stored row of a site as lines of JSON, oldest first, for the export of an account. Rows hold no id of a visitor, a visit or an order,
// and their time is the minute, so that they cannot be put together to visits.
import { AI_VISIT_COLUMNS, STORED_COLUMNS } from '../../vocabulary/event.ts';
import type { Reader } from '../reader.ts';

/** About 5 MB at most in memory, and 30 ms of parsing. */
const ROWS_AT_ONCE = 5_000;
/** Ids, and what only the store itself needs. */
const LEFT_OUT: readonly string[] = [
  'site_id',
  'event_id',
  'visitor_id',
  'visit_id',
  'order_id',
  'scroll_before',
  'engaged_before_ms',
  'out_of_order',
];

const columnsOf = (columns: object) =>
  Object.keys(columns).filter((name) => !LEFT_OUT.includes(name) && name !== 'time');
/** The exported columns of each table, besides the time. */
export const RAW_COLUMNS = {
  events: columnsOf(STORED_COLUMNS),
  ai_visits: columnsOf(AI_VISIT_COLUMNS),
};
export type RawTable = keyof typeof RAW_COLUMNS;

/** Each part is some lines, each with its line break. */
export async function* readRaw(
  { query }: Pick<Reader, 'query'>,
  { table, siteId }: { table: RawTable; siteId: string },
): AsyncGenerator<string> {
  const days = await query<{ day: string }>(
    `SELECT DISTINCT toString(toDate(time)) AS day FROM ${table} WHERE site_id = {site_id:String} ORDER BY day`,
    { site_id: siteId },
  );
  for (const { day } of days) {
    let after = { at: '0', id: '0' };
    for (;;) {
      const rows = await query<{ at: string; id: string; line: string }>(PAGES[table], {
        site_id: siteId,
        day,
        ...after,
      });
      const last = rows.at(-1);
      if (!last) break;
      yield rows.map(({ line }) => `${line}\n`).join('');
      after = { at: last.at, id: last.id };
      if (rows.length < ROWS_AT_ONCE) break;
    }
  }
}

/** The rows of a day after a certain one. The engine writes the JSON itself, with the columns' names. */
function pageOf(table: RawTable): string {
  const columns = RAW_COLUMNS[table];
  const own = columns.map((name) => `stored.${name} AS ${name}`).join(', ');
  return `SELECT toString(row_at) AS at, toString(row_id) AS id, line FROM (
    SELECT row_at, row_id, formatRowNoNewline('JSONEachRow', time, ${columns.join(', ')}) AS line FROM (
      SELECT toUnixTimestamp64Milli(stored.time) AS row_at, stored.event_id AS row_id,
        formatDateTime(stored.time, '%Y-%m-%dT%H:%i:00Z') AS time,
        ${own}
      FROM ${table} AS stored
      WHERE stored.site_id = {site_id:String} AND toDate(stored.time) = {day:Date}
        AND (toUnixTimestamp64Milli(stored.time), stored.event_id) > ({at:Int64}, {id:UInt64})
      ORDER BY row_at, row_id LIMIT ${ROWS_AT_ONCE}
    )
  ) ORDER BY row_at, row_id`;
}
const PAGES: Record<RawTable, string> = { events: pageOf('events'), ai_visits: pageOf('ai_visits') };
